//! `pack(S@k, array = A)`: the elements of an array that an iteration of a band touches are copied side by side before it, and those that
//! it writes back behind it.
//!
//! ```text
//! for tiles I, J:                        for tiles I, J:
//!   for i, j in the tile:                  A_in:  for i, j in the tile: A_packed[i - 32 I, j - 32 J] = A[i, j]
//!     S: A[i, j] = f(A[i, j])      =>      for i, j in the tile:
//!                                            S: A_packed[i - 32 I, j - 32 J] = f(A_packed[i - 32 I, j - 32 J])
//!                                          A_out: for i, j in the tile: A[i, j] = A_packed[i - 32 I, j - 32 J]
//! ```
//!
//! The place of an element is its distance from the smallest subscripts that the iteration touches, dimension by dimension. What is
//! copied in are the elements that are read or may not be written, what is copied out those that are written: no others.
//!
//! With `layout = [1, 0]` the last subscript moves slowest through the buffer: a matrix is copied transposed. With `accesses = [2]` only
//! these accesses of `S` go to the buffer, and only what they touch is copied. They read; other accesses stay where they are.
//!
//! ```text
//! for tiles J, K:                        for tiles J, K:
//!   for i, k in K, j in J:                 A_in: for k in K, j in J: A_packed[j - 32 J, k - 32 K] = A[j, k]      layout = [1, 0]
//!     S: C[i, j] += A[i, k] * A[j, k]  =>  for i, k in K, j in J:                                                accesses = [2]
//!                                            S: C[i, j] += A[i, k] * A_packed[j - 32 J, k - 32 K]
//! ```
//!
//! With `inside = 1` copies are made later: not all before the iteration of the band, but each iteration of the next band inside makes those of what *it*
//! touches, when it comes to the statement. What is read there may be written in earlier iterations, and written again in later ones, which no longer have to
//! wait for those who read it. (Legal if every read finds the element that it reads in the program.)
//!
//! ```text
//! for tiles K:                                        for tiles K:
//!   for k in K:                                         for k in K:
//!     S: for j: A[k, j] = A[k, j] / A[k, k]               S: for j: A[k, j] = A[k, j] / A[k, k]
//!     T: for i != k, j:                          =>       A_in: for j: A_packed[k - 32 K, j] = A[k, j]             accesses = [1]
//!          A[i, j] -= A[i, k] * A[k, j]                   T: for i != k, j:                                        inside = 1
//!                                                              A[i, j] -= A[i, k] * A_packed[k - 32 K, j]
//! ```
//!
//! With `loops = [1, 2], least = 150` the copies pay only where each of these loops of the program, numbered in preorder, runs at least so often. Whoever makes
//! code may use the elements where they are elsewhere: nothing may write the array, and the layout is its own.
//!
//! With `panel = 32` so many places along the last subscript of the layout make a panel, and panels lie one behind the other: what a loop over
//! 32 columns reads of many rows is one piece of memory. Copies are made panel by panel.
//!
//! What it is good for: the elements of a tile lie in few pages and in different lines of a cache, and come one after the other, in the
//! order in which they are used. Legal if all accesses to an element in an iteration go to the buffer, or none writes, and if the program
//! certainly touches the elements somewhere.
//! K. Goto and R. van de Geijn, "Anatomy of High-Performance Matrix Multiplication", TOMS 2008.

use std::sync::Arc;

use crate::budget::Budget;
use crate::flow::AccessKind;
use crate::relation::{Map, Set};
use crate::schedule::{Cursor, EditError, Instances, Node, ScheduleTree};
use crate::space::{DimKind, Space, Tuple};
use crate::transform::pass::{Argument, Kind, Pass};
use crate::transform::passes::moved::{Move, Use, array, array_in_place, in_one_piece, points, projection, uses};
use crate::transform::passes::{bad, number_of_loops};
use crate::transform::placement::{BufferKind, Direction};
use crate::transform::{Draft, Need, Step};

pub(in crate::transform) const PASS: Pass = Pass {
    name: "pack",
    meaning: "copies what an iteration of a band touches of an array to a buffer, and back",
    sites: 1,
    arguments: &[
        Argument { name: "array", kind: Kind::Array, optional: false, meaning: "the array" },
        Argument {
            name: "accesses",
            kind: Kind::Integers,
            optional: true,
            meaning: "the accesses of the statement that go to the buffer, which only read; all of all statements without it",
        },
        Argument {
            name: "layout",
            kind: Kind::Integers,
            optional: true,
            meaning: "the subscripts in the order in which they move through the buffer, the slowest first; their own without it",
        },
        Argument {
            name: "panel",
            kind: Kind::Integer,
            optional: true,
            meaning: "how many places along the subscript that moves fastest make a panel; all of them without it",
        },
        Argument {
            name: "inside",
            kind: Kind::Integer,
            optional: true,
            meaning: "how many bands further inside copies are made, before the part of the statement; none without it",
        },
        Argument {
            name: "loops",
            kind: Kind::Integers,
            optional: true,
            meaning: "the loops of the program that must be long for the copies to pay; elements may be used in place elsewhere",
        },
        Argument { name: "least", kind: Kind::Integer, optional: true, meaning: "how often these must run at least" },
    ],
    apply,
};

fn apply<'m>(draft: &Draft<'m>, step: &Step, budget: &Budget) -> Result<Draft<'m>, EditError> {
    let band = draft.band_at(&step.sites[0])?;
    let Some(mut cursor) = band.child(0) else { return bad("there is nothing below the band") };
    let wanted_accesses = step.integers("accesses");
    let array = if wanted_accesses.is_some() { array(draft, step)? } else { array_in_place(draft, step)? };
    let depth = cursor.schedule_depth();
    let mut all = uses(draft, &cursor, array, budget)?;
    let kind = |one: &Use| draft.scop().statements[one.statement].accesses[one.access].kind;
    if let Some(wanted) = &wanted_accesses {
        let statement = draft.scop().statement(&step.sites[0].statement);
        let is_wanted = |one: &Use| i64::try_from(one.access).is_ok_and(|access| wanted.contains(&access));
        all.retain(|one| Some(one.statement) == statement && is_wanted(one));
        if all.is_empty() || all.len() != wanted.len() || all.iter().any(|one| kind(one) != AccessKind::Read) {
            return bad(format!("accesses = {wanted:?} are not all different reads of the array by the statement"));
        }
        for one in &all {
            is_in_place(draft, one, budget)?;
        }
    }
    let n = all[0].elements.space().dim(DimKind::Out);
    let layout = layout(step, n)?;
    let Some(footprint) = footprint(&all, |_| true, budget)? else { return bad("nothing is touched") };
    let start = start(&footprint, budget)?;
    let panel = match step.integer("panel").map(u64::try_from) {
        None => None,
        Some(Ok(panel)) if panel > 0 && n > 0 => Some(panel),
        Some(_) => return bad("panels have one place at least, along some subscript"),
    };
    let copied_if = copied_if(draft, step, array, &layout)?;
    let mut moved = Move::new(draft, array, "packed").with_layout(layout).with_panel(panel).copied_if(copied_if);
    for one in &all {
        let start = one.outer.apply_range(&start, budget)?;
        let place = one.elements.with_anonymous_range()?.sum(&start.neg(), budget)?;
        moved.redirect(draft, one, &place)?;
    }
    let tuple = all[0].elements.space().range_tuple().clone();
    if let Some(inside) = step.integer("inside") {
        if wanted_accesses.is_none() {
            return bad("inside needs accesses: only what is read can be copied later");
        }
        let Some(found) = usize::try_from(inside).ok().and_then(|n| part_inside(&band, step, n)) else {
            return bad(format!("the statement has no part of its own {inside} bands further inside"));
        };
        let wanted = |one: &Use| all.iter().any(|own| (own.statement, own.access) == (one.statement, one.access));
        let here: Vec<Use> = uses(draft, &found, array, budget)?.into_iter().filter(wanted).collect();
        (all, cursor) = (here, found);
    }
    let made = cursor.schedule_depth();
    let parts = [
        (Direction::In, self::footprint(&all, |one| kind(one) != AccessKind::MustWrite, budget)?),
        (Direction::Out, self::footprint(&all, |one| kind(one) != AccessKind::Read, budget)?),
    ];
    let mut grafted = false;
    for (direction, elements) in parts {
        let Some(elements) = elements else { continue };
        let elements = in_one_piece(elements, budget)?;
        let ending = if direction == Direction::In { "in" } else { "out" };
        let name = moved.placement.fresh(draft.scop(), &format!("{}_{ending}", draft.scop().arrays[array].name));
        let points = points(&elements, &name);
        let (element, place) = copied(&points, (depth, made), &start, budget)?;
        let element = element.with_space(&element.space().with_tuple(DimKind::Out, tuple.clone()))?;
        let graft = moved.copy(direction, &points, made, &element, &place, budget)?;
        cursor = match direction {
            Direction::In if made > depth => grafted_in_sequence(&cursor, &graft, budget)?,
            Direction::In => cursor.graft_before(&graft, budget)?,
            // Behind the filter that the first graft has put above.
            Direction::Out if grafted => {
                let Some(filter) = cursor.parent() else { return bad("the graft has no filter") };
                filter.graft_after(&graft, budget)?
            }
            Direction::Out => cursor.graft_after(&graft, budget)?,
        };
        grafted = true;
    }
    let placement = moved.finish(draft, array, BufferKind::Packed, budget)?;
    Ok(draft.with_tree(cursor.into_tree()).with_placement(placement))
}

/// Fails if some of what uses an array goes to a buffer already.
fn is_in_place(draft: &Draft<'_>, one: &Use, budget: &Budget) -> Result<(), EditError> {
    let name = &draft.scop().statements[one.statement].name;
    for redirect in draft.placement().redirects_of(name, one.access) {
        if !redirect.to.domain(budget)?.is_disjoint(&one.elements.domain(budget)?, budget)? {
            return bad(format!("access {} of {name} goes to {} already", one.access, redirect.buffer()));
        }
    }
    Ok(())
}

/// Where an iteration of the `n`th band below a band comes to the statement of a step: below the filters of sequences that it passes.
fn part_inside(band: &Cursor, step: &Step, n: usize) -> Option<Cursor> {
    let (mut at, mut left) = (band.clone(), n + 1);
    loop {
        at = match at.node() {
            Node::Band(..) if left == 0 => return Some(at),
            Node::Band(..) => {
                left -= 1;
                at.child(0)?
            }
            Node::Sequence(children) => {
                let has = |child: &Node| match child {
                    Node::Filter(instances, _) => instances.get(&step.sites[0].statement).is_some(),
                    _ => false,
                };
                let mut own = (0..children.len()).filter(|k| has(&children[*k]));
                let (Some(position), None) = (own.next(), own.next()) else { return None };
                at.child(position)?
            }
            Node::Filter(..) | Node::Extension(..) | Node::Mark(..) => at.child(0)?,
            _ => return (left == 0).then_some(at),
        };
    }
}

/// The tree with copies before a node. Where that is a part of a sequence they are a part of it as well: they are made also in iterations in which nothing comes to
/// the node itself.
fn grafted_in_sequence(at: &Cursor, graft: &ScheduleTree, budget: &Budget) -> Result<Cursor, EditError> {
    let filter = at.parent().filter(|parent| matches!(parent.node(), Node::Filter(..)));
    let sequence = filter.as_ref().and_then(Cursor::parent);
    let (Some(filter), Some(sequence)) = (filter, sequence) else { return at.graft_before(graft, budget) };
    let (Node::Sequence(children), Node::Extension(extension, below)) = (sequence.node(), graft.root()) else {
        return at.graft_before(graft, budget);
    };
    let (position, mut parent) = (filter.position().unwrap_or_default(), sequence.clone());
    let mut all = extension.clone();
    if let Some(above) = sequence.parent()
        && let Node::Extension(known, _) = above.node()
    {
        all = known.union(extension)?;
        parent = above;
    }
    let copies = Node::filter(Instances::from_union_set(&extension.range(budget)?.universe())?, (**below).clone());
    let mut children = children.clone();
    children.insert(position, Arc::new(copies));
    Ok(parent.with_node(Node::extension(all, Node::Sequence(children))))
}

/// What has to hold for the copies to pay, if that depends.
fn copied_if(draft: &Draft<'_>, step: &Step, array: usize, layout: &[usize]) -> Result<Vec<Need>, EditError> {
    let (loops, least) = match (step.integers("loops"), step.integer("least")) {
        (None, None) => return Ok(Vec::new()),
        (Some(loops), Some(least)) => (loops, least),
        _ => return bad("loops and least go together"),
    };
    let scop = draft.scop();
    let accesses = scop.statements.iter().flat_map(|statement| &statement.accesses);
    let mut own = accesses.filter(|access| scop.array_of(access) == Some(array));
    if !layout.is_sorted() || own.any(|access| access.kind != AccessKind::Read) {
        return bad("elements stay in place only of arrays that nothing writes, in their own order");
    }
    let all = number_of_loops(draft);
    let need = |counter: &i64| match (usize::try_from(*counter), u64::try_from(least)) {
        (Ok(counter), Ok(least)) if counter < all => Ok(Need::at_least(counter, least)),
        _ => bad(format!("{counter} is none of the {all} loops, counted from 0, or does not run {least} times")),
    };
    loops.iter().map(need).collect()
}

/// The order of the subscripts in the buffer.
fn layout(step: &Step, n: usize) -> Result<Vec<usize>, EditError> {
    let Some(wanted) = step.integers("layout") else { return Ok((0..n).collect()) };
    let layout: Vec<usize> = wanted.iter().filter_map(|dim| usize::try_from(*dim).ok()).collect();
    let mut sorted = layout.clone();
    sorted.sort_unstable();
    match layout.len() == wanted.len() && sorted.into_iter().eq(0..n) {
        true => Ok(layout),
        false => bad(format!("layout = {wanted:?} is no order of {n} subscripts, counted from 0")),
    }
}

/// The elements that some uses touch, by iteration: `[p..] -> [e..]`.
fn footprint(uses: &[Use], wanted: impl Fn(&Use) -> bool, budget: &Budget) -> Result<Option<Map>, EditError> {
    let mut all: Option<Map> = None;
    for one in uses.iter().filter(|one| wanted(one)) {
        let here = one.outer.reverse().apply_range(&one.elements.with_anonymous_range()?, budget)?;
        all = Some(match all {
            Some(known) => known.union(&here)?,
            None => here,
        });
    }
    Ok(all.map(|all| all.coalesce(budget)).transpose()?)
}

/// The smallest subscripts that an iteration touches: `[p..] -> [s..]`.
fn start(footprint: &Map, budget: &Budget) -> Result<Map, EditError> {
    let space = footprint.space();
    let nothing = Space::map_of(&space.params_space(), space.domain().range_tuple().clone(), Tuple::anonymous(0));
    let mut all = Map::universe(nothing).intersect_domain(&footprint.domain(budget)?, budget)?;
    for dim in 0..space.dim(DimKind::Out) {
        let subscript = footprint.project_onto_dims(DimKind::Out, dim, 1, budget)?;
        all = all.flat_range_product(&subscript.lexmin(budget)?.with_anonymous_range()?, budget)?;
    }
    Ok(all.with_anonymous_range()?)
}

/// The subscripts of the points `C[p.., t.., e..]`, and their distance from the smallest ones, which are functions of `p`. `t` are the members between the band and
/// the copies.
fn copied(points: &Set, (depth, made): (usize, usize), start: &Map, budget: &Budget) -> Result<(Map, Map), EditError> {
    let subscripts = projection(points, made..points.space().dim(DimKind::Out), budget)?;
    let start = projection(points, 0..depth, budget)?.apply_range(start, budget)?;
    let place = subscripts.sum(&start.neg(), budget)?;
    Ok((subscripts, place))
}
