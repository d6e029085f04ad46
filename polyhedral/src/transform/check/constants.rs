//! Copies of what nothing writes while they are read: a proof by structure, where values need no look.
//!
//! ```text
//! extension
//!   sequence
//!     filter C        the copies: places get elements
//!     ...
//!     filter S        reads from these places
//! ```
//!
//! An element that no statement and no copy writes has one value; one that is written has one value from the copies of an iteration of the outer
//! bands to its end, if nothing in that iteration below the node writes it. And outside of buffers everything has the values of the program, if all
//! dependences of the array are respected. So a read from a place of a buffer gets the value of its own element if the
//! last copy to the place before it was one of that element. That is so if
//! - all copies to the buffer come from one extension node with a sequence below, in front of all who read from it, so that nothing else writes
//!   to it between the copies of an iteration of the outer bands and its reads;
//! - in every iteration each place is one element's;
//! - and that of each read is among them, with the read's element.
//!
//! Cheaper than the analysis of values by two orders of magnitude, but it knows this form alone: where it does not hold, values are looked at.

use crate::budget::Budget;
use crate::error::Result;
use crate::flow::AccessKind;
use crate::relation::{Map, Set, UnionMap, UnionSet};
use crate::schedule::{Cursor, Node};
use crate::scop::Scop;
use crate::space::{Space, Tuple};

use super::super::placement::{Buffer, CopyStatement, Direction, Redirect};
use super::Draft;
use super::order::{is_sequential, reversed_of};

/// Whether all reads of an array certainly get what they get in the program, since nothing writes it where it is copied. Exact where it says so.
pub(super) fn are_read(draft: &Draft<'_>, array: usize, budget: &Budget) -> Result<bool> {
    let (scop, placement) = (draft.scop, &draft.placement);
    let name = &scop.arrays[array].name;
    let accesses = scop.statements.iter().flat_map(|statement| &statement.accesses);
    let mut own = accesses.filter(|access| scop.array_of(access) == Some(array));
    let is_written = own.any(|access| access.kind != AccessKind::Read);
    let mut copies = placement.copies.iter().filter(|copy| copy.array() == *name);
    let buffers: Vec<&Buffer> = placement.buffers.iter().filter(|buffer| buffer.array == *name).collect();
    let writes_there = |redirect: &&Redirect| {
        let access = scop.statement(&redirect.statement).map(|s| &scop.statements[s].accesses[redirect.access]);
        let is_own = buffers.iter().any(|buffer| buffer.name == redirect.buffer());
        is_own && access.is_none_or(|access| access.kind != AccessKind::Read)
    };
    if copies.any(|copy| copy.direction != Direction::In) || placement.redirects.iter().any(|one| writes_there(&one)) {
        return Ok(false);
    }
    if is_written && !is_in_order(draft, array, budget)? {
        return Ok(false);
    }
    for buffer in buffers {
        if !is_read(draft, buffer, is_written.then_some(array), budget)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether all dependences of an array are respected, in a tree all of whose parts run one after the other.
fn is_in_order(draft: &Draft<'_>, array: usize, budget: &Budget) -> Result<bool> {
    if !is_sequential(draft) {
        return Ok(false);
    }
    Ok(reversed_of(draft, array, budget)?.is_none())
}

/// The elements of an array that statements write below a node, in each iteration of the bands around it.
fn written(scop: &Scop, array: usize, cursor: &Cursor, outer: &UnionMap, budget: &Budget) -> Result<Vec<Map>> {
    let (below, depth) = (cursor.domain(budget)?, cursor.schedule_depth());
    let mut found = Vec::new();
    for statement in &scop.statements {
        let accesses = statement.accesses.iter().filter(|access| scop.array_of(access) == Some(array));
        for access in accesses.filter(|access| access.kind != AccessKind::Read) {
            let domain = statement.domain.intersect(&below.extract(statement.domain.space()), budget)?;
            let tuple = domain.space().range_tuple().clone();
            let outer = outer.extract(&Space::map_of(outer.params_space(), tuple, Tuple::anonymous(depth)));
            let elements = access.relation.intersect_domain(&domain, budget)?;
            found.push(outer.reverse().apply_range(&elements, budget)?);
        }
    }
    Ok(found)
}

/// Whether all reads from a buffer get their elements as they are at the reads; `is_written` names its array, if some statement writes it.
pub(super) fn is_read(draft: &Draft<'_>, buffer: &Buffer, is_written: Option<usize>, budget: &Budget) -> Result<bool> {
    let (scop, placement) = (draft.scop, &draft.placement);
    let mut copies = placement.copies.iter().filter(|copy| copy.buffer() == buffer.name);
    let (Some(copy), None) = (copies.next(), copies.next()) else { return Ok(false) };
    let introduces =
        |cursor: &&Cursor| matches!(cursor.node(), Node::Extension(all, _) if instances(all, copy).is_some());
    let cursors = draft.tree.cursors();
    let mut introducing = cursors.iter().filter(introduces);
    let (Some(cursor), None) = (introducing.next(), introducing.next()) else { return Ok(false) };
    let Some((extension, behind)) = parts(cursor, copy) else { return Ok(false) };
    let extension = extension.intersect_params(&scop.context, budget)?;
    let depth = cursor.schedule_depth();
    let prefix = cursor.prefix_relation(budget)?;
    if let Some(array) = is_written {
        let copied = extension.apply_range(&copy.element, budget)?;
        for changed in written(scop, array, cursor, &prefix, budget)? {
            // Sets over different tuples would be called disjoint.
            let is_same_kind = changed.space().has_equal_tuples(copied.space());
            if !is_same_kind || !changed.intersect_params(&scop.context, budget)?.is_disjoint(&copied, budget)? {
                return Ok(false);
            }
        }
    }
    // Each instance of a copy is at one point of the outer bands.
    let (outer, reached) = (extension.reverse(), extension.range(budget)?);
    let places =
        outer.flat_range_product(&copy.place.intersect_domain(&reached, budget)?.with_anonymous_range()?, budget)?;
    let elements = copy.element.intersect_domain(&reached, budget)?;
    if !places.reverse().apply_range(&elements, budget)?.is_single_valued(budget)? {
        return Ok(false);
    }
    let copied = places.flat_range_product(&elements.with_anonymous_range()?, budget)?;
    let copied = copied.range(budget)?;
    let mut later = UnionSet::empty(&scop.context.space().params_space());
    for child in behind {
        later = later.union(&child.domain(budget)?)?;
    }
    for redirect in placement.redirects.iter().filter(|redirect| redirect.buffer() == buffer.name) {
        let Some(read) = read(scop, redirect, (&prefix, depth), budget)? else { return Ok(false) };
        let instances = redirect.to.intersect_params(&scop.context, budget)?.domain(budget)?;
        let is_later = instances.is_subset(&later.extract(instances.space()), budget)?;
        if !is_later || !read.is_subset(&copied.align_params(read.space()), budget)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The instances of a copy that an extension introduces.
fn instances<'e>(all: &'e UnionMap, copy: &CopyStatement) -> Option<&'e Map> {
    all.members().find(|map| map.space().range_tuple().name().is_some_and(|name| **name == *copy.statement))
}

/// What an extension node introduces of a copy, and the parts of the sequence below that come behind all of it.
fn parts(cursor: &Cursor, copy: &CopyStatement) -> Option<(Map, Vec<Cursor>)> {
    let Node::Extension(all, _) = cursor.node() else { return None };
    let extension = instances(all, copy)?.clone();
    let sequence = cursor.child(0)?;
    let Node::Sequence(children) = sequence.node() else { return None };
    let has = |child: &Node| match child {
        Node::Filter(filter, _) => filter.get(&copy.statement).is_some(),
        _ => true,
    };
    let last = children.iter().rposition(|child| has(child))?;
    let behind = (last + 1..children.len()).map(|k| sequence.child(k)).collect::<Option<Vec<_>>>()?;
    Some((extension, behind))
}

/// What a redirected access reads: members of the outer bands, the place, and the element that it reads in the program.
fn read(scop: &Scop, redirect: &Redirect, (outer, depth): (&UnionMap, usize), budget: &Budget) -> Result<Option<Set>> {
    let Some(statement) = scop.statement(&redirect.statement).map(|s| &scop.statements[s]) else { return Ok(None) };
    let tuple = statement.domain.space().range_tuple().clone();
    let outer = outer.extract(&Space::map_of(outer.params_space(), tuple, Tuple::anonymous(depth)));
    let to = redirect.to.intersect_params(&scop.context, budget)?;
    let element = statement.accesses[redirect.access].relation.intersect_domain(&statement.domain, budget)?;
    // Whoever is redirected has members of all outer bands, and an element.
    let instances = to.domain(budget)?;
    for known in [&outer, &element] {
        if !instances.is_subset(&known.domain(budget)?, budget)? {
            return Ok(None);
        }
    }
    let all = outer
        .flat_range_product(&to.with_anonymous_range()?, budget)?
        .flat_range_product(&element.with_anonymous_range()?, budget)?;
    Ok(Some(all.range(budget)?))
}
