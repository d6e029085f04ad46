//! Edits of sequences and sets: reordering, flattening, fusion of children, splitting by filters, grafting.

use std::sync::Arc;

use crate::budget::Budget;
use crate::relation::{Set, UnionMap, UnionSet};
use crate::space::Space;

use super::band::{Band, LoopType, Member};
use super::cursor::Cursor;
use super::edit::{EditError, Edited};
use super::instances::Instances;
use super::tree::{Node, ScheduleTree};

/// Two nodes that fusion joins.
struct Fusible<'n> {
    filters: [&'n Instances; 2],
    bands: [&'n Band; 2],
    below: [&'n Arc<Node>; 2],
}

impl Cursor {
    fn branches(&self) -> Result<&[Arc<Node>], EditError> {
        match self.node() {
            Node::Sequence(children) | Node::Set(children) => Ok(children),
            other => self.refuse(format!("the node is a {}, not a sequence or set", other.kind())),
        }
    }

    /// Permutes the children of a sequence or set: new child `k` is old child `order[k]`. For a sequence this changes
    /// the order of instances; whether dependences allow it is to be checked ([`Cursor::checked`]).
    pub fn reorder(&self, order: &[usize]) -> Edited {
        let children = self.branches()?;
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..children.len()) {
            let what = format!("{order:?} is not a permutation of the {} children", children.len());
            return Err(EditError::BadArgument { what });
        }
        let children = order.iter().map(|&k| children[k].clone()).collect();
        Ok(self.with_node(self.node().with_children(children)))
    }

    /// Replaces the child at `position`, a filter above a node of the same kind as this one, by the children of that
    /// node (with both filters). The order stays the same.
    pub fn splice_child(&self, position: usize, budget: &Budget) -> Edited {
        let children = self.branches()?;
        let Some(Node::Filter(outer, below)) = children.get(position).map(|child| &**child) else {
            return self.refuse(format!("there is no filter at position {position}"));
        };
        let inner = match (self.node(), &**below) {
            (Node::Sequence(_), Node::Sequence(inner)) | (Node::Set(_), Node::Set(inner)) => inner,
            (_, other) => {
                let (found, kind) = (other.kind(), self.node().kind());
                return self.refuse(format!("below filter {position} is a {found}, not another {kind}"));
            }
        };
        let mut spliced = children[..position].to_vec();
        for child in inner {
            let Node::Filter(filter, below) = &**child else {
                return self.refuse(format!("a child of the inner {} is no filter", self.node().kind()));
            };
            spliced.push(Arc::new(Node::Filter(outer.intersect(filter, budget)?, below.clone())));
        }
        spliced.extend_from_slice(&children[position + 1..]);
        Ok(self.with_node(self.node().with_children(spliced)))
    }

    /// Fuses the bands below the children at positions `first` and `second`: one filter with both statements, one band
    /// with both partial schedules, and below it a sequence of the two filters with what was below the bands. In a
    /// sequence the children must be neighbours. The new band has no flags; whether dependences allow the fusion is to
    /// be checked ([`Cursor::checked`]). If no other children are left, the band takes the place of the sequence. The
    /// cursor is at the sequence or, then, at the band.
    pub fn fuse(&self, first: usize, second: usize) -> Edited {
        let children = self.branches()?;
        if first >= second || second >= children.len() {
            let what = format!("cannot fuse children {first} and {second} of {}; name two in order", children.len());
            return Err(EditError::BadArgument { what });
        }
        if matches!(self.node(), Node::Sequence(_)) && second != first + 1 {
            return self.refuse(format!("children {first} and {second} of the sequence are not neighbours"));
        }
        let parts = self.fusible(&children[first], &children[second])?;
        let mut instances = parts.filters[0].clone();
        for (_, set) in parts.filters[1].iter() {
            instances.add(set.clone())?;
        }
        let mut members = Vec::with_capacity(parts.bands[0].len());
        for (a, b) in parts.bands[0].members().iter().zip(parts.bands[1].members()) {
            let mut exprs = std::collections::BTreeMap::new();
            for (filter, member) in parts.filters.iter().zip([a, b]) {
                for (name, function) in member.exprs().filter(|(name, _)| filter.get(name).is_some()) {
                    if exprs.contains_key(name) {
                        return self.refuse(format!(
                            "instances of statement {name} are in both children; fuse needs different statements"
                        ));
                    }
                    exprs.insert(name.clone(), function.clone());
                }
            }
            let merged: Member = a.with_exprs(exprs).with_coincident(false);
            let same = a.loop_type == b.loop_type && a.isolate_loop_type == b.isolate_loop_type;
            members.push(if same { merged } else { merged.with_default_options() });
        }
        let inner = |k: usize| Node::Filter(parts.filters[k].clone(), parts.below[k].without_flags().into());
        let band = Node::band(Band::new(members), Node::sequence(vec![inner(0), inner(1)]));
        let fused = Arc::new(Node::filter(instances, band));
        let mut rest = children.to_vec();
        rest[first] = fused;
        rest.remove(second);
        if let [only] = rest.as_slice() {
            return Ok(self.with_node((*only.children()[0]).clone()));
        }
        Ok(self.with_node(self.node().with_children(rest)))
    }

    fn fusible<'n>(&self, first: &'n Node, second: &'n Node) -> Result<Fusible<'n>, EditError> {
        let part = |node: &'n Node| -> Result<(&'n Instances, &'n Band, &'n Arc<Node>), EditError> {
            let Node::Filter(instances, below) = node else {
                return self.refuse(format!("a child is a {}, not a filter", node.kind()));
            };
            match &**below {
                Node::Band(band, below) => Ok((instances, band, below)),
                other => self.refuse(format!("below a filter is a {}, not a band", other.kind())),
            }
        };
        let ((f, a, below_a), (g, b, below_b)) = (part(first)?, part(second)?);
        if a.len() != b.len() {
            return self.refuse(format!(
                "the bands have {} and {} members; fused bands have equally many",
                a.len(),
                b.len()
            ));
        }
        if below_a.is_anchored() || below_b.is_anchored() || a.isolate.is_some() || b.isolate.is_some() {
            return Err(EditError::Anchored { path: self.path().to_vec(), operation: "fuse bands above" });
        }
        Ok(Fusible { filters: [f, g], bands: [a, b], below: [below_a, below_b] })
    }

    /// Runs the instances of `filter` before all others that reach the node: a sequence of two copies of the node. If
    /// there are none, or no others, nothing changes. If the node stands alone below a filter of a sequence, that
    /// sequence gets both parts. The cursor is at the copy that runs the others.
    pub fn order_before(&self, filter: &UnionSet, budget: &Budget) -> Edited {
        self.ordered(filter, true, budget)
    }

    /// Runs the instances of `filter` after all others that reach the node: see [`Cursor::order_before`].
    pub fn order_after(&self, filter: &UnionSet, budget: &Budget) -> Edited {
        self.ordered(filter, false, budget)
    }

    fn ordered(&self, filter: &UnionSet, before: bool, budget: &Budget) -> Edited {
        let domain = self.domain(budget)?;
        let chosen = domain.intersect(filter, budget)?.coalesce(budget)?;
        let others = domain.subtract(filter, budget)?.coalesce(budget)?;
        if chosen.is_empty(budget)? || others.is_empty(budget)? {
            return Ok(self.clone());
        }
        // The filters say no more than they must.
        let chosen = chosen.gist(&domain, budget)?;
        let others = others.gist(&domain, budget)?;
        let parts = if before { [chosen, others] } else { [others, chosen] };
        let here = usize::from(before);
        let split = self.insert_sequence(&parts, budget)?;
        let mut path = self.path().to_vec();
        // Below a filter of a sequence there is one sequence already.
        if let Some(above) = self.parent()
            && above.is_branch()
            && let Some(grand) = above.parent()
            && matches!(grand.node(), Node::Sequence(_))
        {
            let position = above.position().unwrap_or_default();
            let mut merged = grand.path().to_vec();
            let tree = split.moved(merged.clone()).splice_child(position, budget)?;
            merged.extend([position + here, 0]);
            return Ok(tree.moved(merged));
        }
        path.extend([here, 0]);
        Ok(split.moved(path))
    }

    /// Splits the node by filters, which must be a partition of the instances that reach it: a sequence of copies in
    /// this order. The cursor is at the sequence.
    pub fn order_by(&self, filters: &[UnionSet], budget: &Budget) -> Edited {
        self.insert_sequence(filters, budget)
    }

    /// Runs the instances of another tree, whose root is an extension, before those that reach the node, for every
    /// point of the outer bands that the extension names. The cursor is at the node.
    pub fn graft_before(&self, graft: &ScheduleTree, budget: &Budget) -> Edited {
        self.graft(graft, true, budget)
    }

    /// Runs the instances of another tree after those that reach the node: see [`Cursor::graft_before`].
    pub fn graft_after(&self, graft: &ScheduleTree, budget: &Budget) -> Edited {
        self.graft(graft, false, budget)
    }

    fn graft(&self, graft: &ScheduleTree, before: bool, budget: &Budget) -> Edited {
        let Node::Extension(extension, below) = graft.root() else {
            return self
                .refuse(format!("the tree to graft has a {} at its root, not an extension", graft.root().kind()));
        };
        self.check_extension(extension, budget)?;
        let added = Instances::from_union_set(&extension.range(budget)?.universe())?;
        let added = Node::Filter(added, below.clone());
        let present = Instances::from_union_set(&self.domain(budget)?.universe())?;
        // A filter of a sequence directly below an extension takes part in it.
        if let Some(parent) = self.parent()
            && let (Node::Sequence(children), Node::Filter(..)) = (parent.node(), self.node())
            && let Some(above) = parent.parent()
            && let Node::Extension(known, _) = above.node()
        {
            let position = self.position().unwrap_or_default();
            let mut children = children.clone();
            children.insert(if before { position } else { position + 1 }, Arc::new(added));
            let both = known.union(extension)?.coalesce(budget)?;
            let edited = above.with_node(Node::extension(both, Node::Sequence(children)));
            let mut path = self.path().to_vec();
            if let Some(last) = path.last_mut()
                && before
            {
                *last += 1;
            }
            return Ok(edited.moved(path));
        }
        let (base, present, node) = match self.node() {
            Node::Filter(instances, child) if self.is_branch() => (self.child(0), instances.clone(), child.clone()),
            other => (Some(self.clone()), present, Arc::new(other.clone())),
        };
        let Some(base) = base else { return self.refuse("there is no node to graft to") };
        let kept = Arc::new(Node::Filter(present, node));
        let children = if before { vec![Arc::new(added), kept] } else { vec![kept, Arc::new(added)] };
        let edited = base.with_node(Node::extension(extension.clone(), Node::Sequence(children)));
        let mut path = edited.path().to_vec();
        path.extend([0, usize::from(before), 0]);
        Ok(edited.moved(path))
    }
}

impl Member {
    /// The same member without options for its loop.
    pub(super) fn with_default_options(self) -> Member {
        let mut member = self;
        member.loop_type = LoopType::Default;
        member.isolate_loop_type = LoopType::Default;
        member
    }
}

impl ScheduleTree {
    /// The instances of this tree, then those of another.
    pub fn then(&self, other: &ScheduleTree, budget: &Budget) -> Result<ScheduleTree, EditError> {
        joined(self, other, Node::sequence, budget)
    }

    /// The instances of this tree and those of another, unordered.
    pub fn beside(&self, other: &ScheduleTree, budget: &Budget) -> Result<ScheduleTree, EditError> {
        joined(self, other, Node::set, budget)
    }

    /// The tree that schedules nothing at any particular time: a domain alone.
    pub fn from_domain(domain: &UnionSet) -> crate::error::Result<ScheduleTree> {
        Ok(ScheduleTree::new(Instances::from_union_set(domain)?, Node::Leaf))
    }

    /// The extension that introduces all instances of a tree, with its subtree: a tree that can be grafted where the
    /// schedule has `depth` members.
    pub fn to_graft(&self, depth: usize, budget: &Budget) -> Result<ScheduleTree, EditError> {
        let (Node::Domain(instances, child), Some(_)) = (self.root(), self.domain()) else {
            return self.cursor().refuse("only a tree with a domain at its root can become a graft");
        };
        let instances = instances.to_union_set()?;
        let point = Space::set_of(instances.params_space(), crate::space::Tuple::anonymous(depth));
        let points = UnionSet::from_members([Set::universe(point)])?;
        let extension = UnionMap::from_domain_and_range(&points, &instances, budget)?;
        Ok(ScheduleTree::from_root(Node::Extension(extension, child.clone())))
    }
}

fn joined(
    first: &ScheduleTree,
    second: &ScheduleTree,
    branch: impl FnOnce(Vec<Node>) -> Node,
    budget: &Budget,
) -> Result<ScheduleTree, EditError> {
    let (Node::Domain(a, below_a), Node::Domain(b, below_b)) = (first.root(), second.root()) else {
        return first.cursor().refuse("only trees with a domain at their root can be joined");
    };
    let (left, right) = (a.to_union_set()?, b.to_union_set()?);
    if let Some(witness) = super::insert::instance(&left.intersect(&right, budget)?, budget)? {
        return first.cursor().refuse(format!("{witness} is scheduled by both trees"));
    }
    let filter = |set: &UnionSet, other: &UnionSet, below: &Arc<Node>| -> Result<Node, EditError> {
        // Names of statements suffice unless both have instances of one.
        let shared = set.universe().intersect(&other.universe(), budget)?;
        let filter = if shared.is_plainly_empty() { set.universe() } else { set.clone() };
        Ok(Node::Filter(Instances::from_union_set(&filter)?, below.clone()))
    };
    let children = vec![filter(&left, &right, below_a)?, filter(&right, &left, below_b)?];
    Ok(ScheduleTree::new(Instances::from_union_set(&left.union(&right)?)?, branch(children)))
}
