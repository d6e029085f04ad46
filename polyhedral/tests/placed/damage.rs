//! Damage to drafts, one small thing at a time.

use tessera_polyhedral::affine::{Aff, PwAff};
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::relation::{Map, Set, UnionMap};
use tessera_polyhedral::schedule::{Band, Cursor, Member, Node, ScheduleTree};
use tessera_polyhedral::space::{DimKind, Space};
use tessera_polyhedral::transform::{Direction, Draft};

use super::super::random_trees::Random;
use super::super::support::budget;

/// What is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Damage {
    /// Some copies, or all of one kind, no longer run.
    DropCopy,
    /// Nothing of a buffer is written back.
    DropWriteBack,
    /// A copy moves to or from the next place.
    ShiftCopy,
    /// Two members of a band change places.
    SwapMembers,
    /// A member runs backwards.
    ReverseMember,
    /// A member orders nothing.
    FreeMember,
    /// Two parts of a sequence change places.
    SwapParts,
    /// A part of a sequence is gone.
    DropFilter,
    /// A buffer lacks places.
    ShrinkBuffer,
    /// An access goes to the next place.
    ShiftRedirect,
    /// An access goes to the array.
    DropRedirect,
    /// The iterations of a member are said to be independent.
    ClaimCoincident,
    /// The members of a band are said to be permutable.
    ClaimPermutable,
}

pub(crate) const ALL: [Damage; 13] = [
    Damage::DropCopy,
    Damage::DropWriteBack,
    Damage::ShiftCopy,
    Damage::SwapMembers,
    Damage::ReverseMember,
    Damage::FreeMember,
    Damage::SwapParts,
    Damage::DropFilter,
    Damage::ShrinkBuffer,
    Damage::ShiftRedirect,
    Damage::DropRedirect,
    Damage::ClaimCoincident,
    Damage::ClaimPermutable,
];

/// A draft that was damaged, and one that computes something else if the damage is real (for a claim: an execution that
/// makes use of it).
pub(crate) struct Damaged<'m> {
    pub(crate) draft: Draft<'m>,
    pub(crate) witness: Draft<'m>,
}

/// Cursors at all nodes of some kind.
fn nodes(draft: &Draft<'_>, wanted: impl Fn(&Node) -> bool) -> Vec<Cursor> {
    draft.tree().cursors().into_iter().filter(|cursor| wanted(cursor.node())).collect()
}

/// The map from a tuple to itself that adds a number to one dimension.
fn next(map: &Map, dim: usize, by: i64) -> Map {
    let name = map.space().range_tuple().name().unwrap();
    let dims: Vec<String> = (0..map.space().dim(DimKind::Out)).map(|k| format!("x{k}")).collect();
    let mut moved = dims.clone();
    moved[dim] = format!("x{dim} + {by}");
    format!("{{ {name}[{}] -> {name}[{}] }}", dims.join(", "), moved.join(", ")).parse().unwrap()
}

/// The members of a band at a path as others.
fn with_members(tree: &ScheduleTree, path: &[usize], members: Vec<Member>) -> ScheduleTree {
    let Some(Node::Band(_, child)) = tree.node(path) else { return tree.clone() };
    tree.replace(path, Node::band(Band::new(members), (**child).clone())).unwrap()
}

fn negated(member: &Member) -> Member {
    Member::piecewise(member.exprs().map(|(_, function)| function.neg())).unwrap()
}

/// The subtree with extensions that are about outer members `f([t0, ..])`.
fn reanchored(node: &Node, f: &dyn Fn(&mut Vec<String>)) -> Node {
    let below = |child: &Node| reanchored(child, f);
    let all = |children: &[std::sync::Arc<Node>]| children.iter().map(|child| below(child)).collect::<Vec<_>>();
    match node {
        Node::Extension(extension, child) => {
            let moved = extension.map_members(|map| {
                let old: Vec<String> = (0..map.space().dim(DimKind::In)).map(|k| format!("t{k}")).collect();
                let mut new = old.clone();
                f(&mut new);
                let text = format!("{{ [{}] -> [{}] }}", old.join(", "), new.join(", "));
                map.apply_domain(&text.parse().unwrap(), &budget())
            });
            Node::extension(moved.unwrap(), below(child))
        }
        Node::Domain(instances, child) => Node::Domain(instances.clone(), below(child).into()),
        Node::Filter(instances, child) => Node::filter(instances.clone(), below(child)),
        Node::Band(band, child) => Node::band(band.clone(), below(child)),
        Node::Context(set, child) => Node::context(set.clone(), below(child)),
        Node::Guard(set, child) => Node::guard(set.clone(), below(child)),
        Node::Mark(name, child) => Node::mark(name, below(child)),
        Node::Sequence(children) => Node::sequence(all(children)),
        Node::Set(children) => Node::set(all(children)),
        Node::Expansion(..) | Node::Leaf => node.clone(),
    }
}

/// Damages a draft in some way; nothing where it has nothing of the kind.
pub(crate) fn damaged<'m>(random: &mut Random, draft: &Draft<'m>, damage: Damage) -> Option<Damaged<'m>> {
    let same = |draft: Draft<'m>| Some(Damaged { witness: draft.clone(), draft });
    match damage {
        Damage::DropCopy => same(without_copies(random, draft, false)?),
        Damage::DropWriteBack => same(without_copies(random, draft, true)?),
        Damage::SwapMembers | Damage::ReverseMember => {
            let swap = damage == Damage::SwapMembers;
            let bands = nodes(draft, |node| matches!(node, Node::Band(band, _) if band.len() > usize::from(swap)));
            let cursor = choose(random, &bands)?;
            let Node::Band(band, _) = cursor.node() else { return None };
            let mut members = band.members().to_vec();
            let k = random.range(0, members.len() as i64 - 1) as usize;
            if swap {
                let other = (k + 1) % members.len();
                members.swap(k, other);
            } else {
                members[k] = negated(&members[k]);
            }
            same(draft.with_tree(with_members(draft.tree(), cursor.path(), members)))
        }
        Damage::SwapParts | Damage::DropFilter => {
            let swap = damage == Damage::SwapParts;
            let sequences = nodes(draft, |node| matches!(node, Node::Sequence(children) if children.len() > 1));
            let cursor = choose(random, &sequences)?;
            let mut children: Vec<Node> = cursor.node().children().iter().map(|child| (**child).clone()).collect();
            let k = random.range(0, children.len() as i64 - 1) as usize;
            if swap {
                let other = (k + 1) % children.len();
                children.swap(k, other);
            } else {
                children.remove(k);
            }
            same(draft.with_tree(draft.tree().replace(cursor.path(), Node::sequence(children)).ok()?))
        }
        Damage::ShrinkBuffer | Damage::ShiftRedirect | Damage::ShiftCopy | Damage::DropRedirect => {
            same(misplaced(random, draft, damage)?)
        }
        Damage::FreeMember => freed(random, draft),
        Damage::ClaimCoincident => claimed_coincident(random, draft),
        Damage::ClaimPermutable => claimed_permutable(random, draft),
    }
}

fn choose<'a, T>(random: &mut Random, items: &'a [T]) -> Option<&'a T> {
    if items.is_empty() { None } else { Some(random.pick(items)) }
}

fn without_copies<'m>(random: &mut Random, draft: &Draft<'m>, back: bool) -> Option<Draft<'m>> {
    let extensions = nodes(draft, |node| matches!(node, Node::Extension(..)));
    let cursor = choose(random, &extensions)?;
    let Node::Extension(extension, child) = cursor.node() else { return None };
    let direction = |map: &Map| {
        let name = map.space().range_tuple().name().unwrap();
        draft.placement().copy(name).unwrap().direction
    };
    let chosen: Vec<&Map> = extension.members().filter(|map| !back || direction(map) == Direction::Out).collect();
    let chosen = (*choose(random, &chosen)?).clone();
    let n = chosen.space().dim(DimKind::Out);
    // What is left of it: nothing, or the part on one side.
    let rest = if back || n == 0 || random.chance(30) {
        Map::empty(chosen.space().clone())
    } else {
        let dim = random.range(0, n as i64 - 1) as usize;
        chosen.lower_bound(DimKind::Out, dim, &Int::from(random.range(1, 2))).unwrap()
    };
    let others = extension.members().filter(|map| map.space() != chosen.space()).cloned();
    let all = UnionMap::from_members(others.chain([rest])).unwrap();
    let node = Node::extension(all, (**child).clone());
    Some(draft.with_tree(draft.tree().replace(cursor.path(), node).unwrap()))
}

fn misplaced<'m>(random: &mut Random, draft: &Draft<'m>, damage: Damage) -> Option<Draft<'m>> {
    let mut placement = draft.placement().clone();
    let mut pick = |n: usize| if n == 0 { None } else { Some(random.range(0, n as i64 - 1) as usize) };
    match damage {
        Damage::ShrinkBuffer => {
            let k = pick(placement.buffers.len())?;
            let places = &mut placement.buffers[k].places;
            *places = match pick(places.space().dim(DimKind::Out)) {
                None => Set::empty(places.space().clone()),
                Some(dim) if pick(2)? == 0 => places.lower_bound(DimKind::Out, dim, &Int::one()).unwrap(),
                Some(dim) => places.upper_bound(DimKind::Out, dim, &Int::one()).unwrap(),
            };
        }
        Damage::DropRedirect => {
            let k = pick(placement.redirects.len())?;
            placement.redirects.remove(k);
        }
        _ => {
            let maps: Vec<&mut Map> = match damage {
                Damage::ShiftRedirect => placement.redirects.iter_mut().map(|redirect| &mut redirect.to).collect(),
                _ => placement.copies.iter_mut().map(|copy| &mut copy.place).collect(),
            };
            let k = pick(maps.len())?;
            let map = maps.into_iter().nth(k)?;
            let dim = pick(map.space().dim(DimKind::Out))?;
            let by = if pick(2)? == 0 { 1 } else { -1 };
            *map = map.apply_range(&next(map, dim, by), &budget()).unwrap();
            // The place is there in half of the cases.
            let range = map.range(&budget()).unwrap();
            if pick(2)? == 0
                && let Some(buffer) =
                    placement.buffers.iter_mut().find(|b| b.places.space().range_tuple() == range.space().range_tuple())
            {
                buffer.places = buffer.places.union(&range).unwrap();
            }
        }
    }
    Some(draft.with_placement(placement))
}

/// The tree with a member of a band running backwards, with all that is anchored below.
fn backwards(draft: &Draft<'_>, cursor: &Cursor, k: usize) -> Option<ScheduleTree> {
    let Node::Band(band, child) = cursor.node() else { return None };
    let mut members = band.members().to_vec();
    members[k] = negated(&members[k]);
    let at = cursor.schedule_depth() + k;
    let below = reanchored(child, &|members| members[at] = format!("-{}", members[at]));
    draft.tree().replace(cursor.path(), Node::band(Band::new(members), below)).ok()
}

/// Instances that nothing orders may run in any order: here the one whose dimensions are smaller later. Where something
/// below is anchored to the member, it stays.
fn freed<'m>(random: &mut Random, draft: &Draft<'m>) -> Option<Damaged<'m>> {
    let bands = nodes(draft, |node| matches!(node, Node::Band(..)) && !node.is_anchored());
    let cursor = choose(random, &bands)?;
    let Node::Band(band, _) = cursor.node() else { return None };
    let mut members = band.members().to_vec();
    let k = random.range(0, members.len() as i64 - 1) as usize;
    members[k] = Member::piecewise(members[k].exprs().map(|(_, f)| PwAff::zero(f.space().clone()))).unwrap();
    let tree = with_members(draft.tree(), cursor.path(), members);
    let mut ordered = tree.clone();
    for leaf in tree.cursors().into_iter().filter(|cursor| matches!(cursor.node(), Node::Leaf)) {
        let instances = leaf.universe_domain(&budget()).unwrap();
        let spaces: Vec<_> = instances.members().map(|set| set.space().clone()).collect();
        let n = spaces.iter().map(|space| space.dim(DimKind::Out)).max().unwrap_or(0);
        let members = (0..n).map(|dim| {
            let counter = |space: &Space| match dim < space.dim(DimKind::Out) {
                true => Aff::var(space.clone(), dim).unwrap().neg(),
                false => Aff::zero(space.clone()),
            };
            Member::new(spaces.iter().map(counter)).unwrap()
        });
        let members: Vec<Member> = members.collect();
        if !members.is_empty() {
            ordered = ordered.replace(leaf.path(), Node::band(Band::new(members), Node::leaf())).unwrap();
        }
    }
    Some(Damaged { draft: draft.with_tree(tree), witness: draft.with_tree(ordered) })
}

fn claimed_coincident<'m>(random: &mut Random, draft: &Draft<'m>) -> Option<Damaged<'m>> {
    let mut members = Vec::new();
    for cursor in nodes(draft, |node| matches!(node, Node::Band(..))) {
        let Node::Band(band, _) = cursor.node() else { continue };
        let open = band.members().iter().enumerate().filter(|(_, member)| !member.coincident);
        members.extend(open.map(|(k, _)| (cursor.clone(), k)));
    }
    let (cursor, k) = choose(random, &members)?;
    let claimed = cursor.update_band(|_, members| members[*k].coincident = true).unwrap().into_tree();
    // Independent iterations may run backwards.
    Some(Damaged { draft: draft.with_tree(claimed), witness: draft.with_tree(backwards(draft, cursor, *k)?) })
}

fn claimed_permutable<'m>(random: &mut Random, draft: &Draft<'m>) -> Option<Damaged<'m>> {
    let bands = nodes(draft, |node| matches!(node, Node::Band(band, _) if band.len() > 1 && !band.permutable));
    let cursor = choose(random, &bands)?;
    let Node::Band(band, child) = cursor.node() else { return None };
    let claimed = cursor.update_band(|band, _| band.permutable = true).unwrap().into_tree();
    let mut members = band.members().to_vec();
    members.swap(0, 1);
    let at = cursor.schedule_depth();
    let below = reanchored(child, &|members| members.swap(at, at + 1));
    let tree = draft.tree().replace(cursor.path(), Node::band(Band::new(members), below)).unwrap();
    Some(Damaged { draft: draft.with_tree(claimed), witness: draft.with_tree(tree) })
}
