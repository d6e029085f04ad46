//! Copies of what is written elsewhere before they are read: a proof by order, where values in the new order need no look.
//!
//! ```text
//! for blocks K of 32:
//!   for k in K: { ..; C: for j: A_saved[k mod 32, j] = A[k, j]; T: for i in K, j: A[i, j] -= A[i, k] * A_saved[k mod 32, j] }
//!   for k in K, i not in K, j: T: A[i, j] -= A[i, k] * A_saved[k mod 32, j]
//! ```
//!
//! When the rows outside of `K` are computed, the rows `k` are no longer what they were in the step `k`. But a copy is, if it was made between the last write
//! before the read and the next one behind it, in the order of the program: the read takes place where its copy does. So the new code computes the same as the program
//! if
//! - every place of a buffer is written by one copy at most in an iteration of the bands around all that belongs to the buffer, which run one after the other;
//! - for each read that is redirected one of these copies goes to its place, comes before it, and is one of the element that it reads in the program;
//! - the tree orders all accesses to the array as the program does, where such a read is replaced by its copy: one of an earlier or later time is another.
//!
//! Where the copies of a buffer stand directly in front of those who read it, so that nothing writes their elements in between ([`super::constants`]), reads count
//! as if they were in place.
//!
//! All accesses count as memory has them: updates of reductions are writes like any others. Cheaper than the analysis of values, but it knows this form alone:
//! where it does not hold, values are looked at.

use crate::budget::Budget;
use crate::error::Result;
use crate::flow::{self, AccessKind};
use crate::relation::{Map, UnionSet};
use crate::schedule::{Cursor, Node};
use crate::scop::Access;
use crate::space::{Space, Tuple};

use super::super::placement::{Buffer, CopyStatement, Direction, Redirect};
use super::order::is_sequential;
use super::{Draft, constants};

/// An access to the array, or the part of one that goes to one buffer.
struct Part {
    access: flow::Access,
    statement: usize,
    number: usize,
    /// From the instances of a redirected read to those of the copies that it reads.
    copies: Option<Map>,
}

/// Whether all reads of an array certainly get what they get in the program, each from a copy that was made in time, and memory as well. Exact where it says
/// so.
pub(super) fn are_read(draft: &Draft<'_>, array: usize, budget: &Budget) -> Result<bool> {
    let (scop, placement) = (draft.scop, &draft.placement);
    let name = &scop.arrays[array].name;
    let mut copies = placement.copies.iter().filter(|copy| copy.array() == *name);
    if copies.any(|copy| copy.direction != Direction::In) || !is_sequential(draft) {
        return Ok(false);
    }
    let Some(parts) = parts(draft, array, budget)? else { return Ok(false) };
    let mut order = Vec::new();
    for part in &parts {
        let Some(copies) = &part.copies else { continue };
        // What an instance has written itself was never copied.
        let own = |other: &&Part| other.statement == part.statement && other.number < part.number;
        for write in parts.iter().filter(own).filter(|other| other.access.kind != AccessKind::Read) {
            let (a, b) = (&write.access.relation, &part.access.relation);
            if a.space().range_tuple() == b.space().range_tuple() && !a.is_disjoint(b, budget)? {
                return Ok(false);
            }
        }
        order.push(copies.reverse());
    }
    let accesses: Vec<flow::Access> = parts.iter().map(|part| part.access.clone()).collect();
    let schedule = scop.schedule.to_map(budget)?;
    for dependence in flow::memory_dependences(&accesses, &schedule, budget)?.iter() {
        let mut pairs = dependence.relation.clone();
        if let Some(copies) = &parts[dependence.source].copies {
            pairs = copies.reverse().apply_range(&pairs, budget)?;
        }
        if let Some(copies) = &parts[dependence.target].copies {
            pairs = pairs.apply_range(copies, budget)?;
        }
        order.push(pairs.coalesce(budget)?);
    }
    draft.tree.is_legal(&order, budget)
}

/// All accesses to an array, those to buffers apart; nothing if some of these do not read one certain copy.
fn parts(draft: &Draft<'_>, array: usize, budget: &Budget) -> Result<Option<Vec<Part>>> {
    let (scop, placement) = (draft.scop, &draft.placement);
    let mut parts = Vec::new();
    for (s, statement) in scop.statements.iter().enumerate() {
        for (number, access) in statement.accesses.iter().enumerate() {
            if scop.array_of(access) != Some(array) {
                continue;
            }
            let all = access.relation.intersect_domain(&statement.domain, budget)?;
            let mut in_place = all.intersect_params(&scop.context, budget)?;
            let part = |relation: Map, copies: Option<Map>| Part {
                access: flow::Access { stmt: statement.name.as_str().into(), relation, kind: access.kind },
                statement: s,
                number,
                copies,
            };
            for redirect in placement.redirects_of(&statement.name, number) {
                let instances = redirect.to.domain(budget)?;
                let relation = in_place.intersect_domain(&instances, budget)?;
                let buffer = placement.buffer(redirect.buffer());
                let (Some(buffer), AccessKind::Read) = (buffer, access.kind) else { return Ok(None) };
                if constants::is_read(draft, buffer, Some(array), budget)? {
                    continue;
                }
                let Some(copies) = copies_of(draft, buffer, (redirect, access, &relation), budget)? else {
                    return Ok(None);
                };
                in_place = in_place.subtract_domain(&instances, budget)?;
                parts.push(part(relation, Some(copies)));
            }
            if !in_place.is_empty(budget)? {
                parts.push(part(in_place, None));
            }
        }
    }
    Ok(Some(parts))
}

/// From the instances of a redirected read, which has these elements in the program, to the copies of the same element that its place has in the same iteration
/// of the bands around all of the buffer; nothing if one has none, or several.
fn copies_of(
    draft: &Draft<'_>,
    buffer: &Buffer,
    (redirect, access, elements): (&Redirect, &Access, &Map),
    budget: &Budget,
) -> Result<Option<Map>> {
    let (scop, placement) = (draft.scop, &draft.placement);
    let mut own = placement.copies.iter().filter(|copy| copy.buffer() == buffer.name);
    let (Some(copy), None) = (own.next(), own.next()) else { return Ok(None) };
    let cursors = draft.tree.cursors();
    let mut introducing = cursors.iter().filter(|cursor| introduced(cursor, copy).is_some());
    let (Some(introducing), None) = (introducing.next(), introducing.next()) else { return Ok(None) };
    let Some(extension) = introduced(introducing, copy) else { return Ok(None) };
    // The bands around all that belongs to the buffer.
    let users: UnionSet = UnionSet::from_members(
        placement
            .redirects
            .iter()
            .filter(|other| other.buffer() == buffer.name)
            .map(|other| other.to.domain(budget))
            .collect::<Result<Vec<_>>>()?,
    )?;
    let mut around = introducing.clone();
    for leaf in cursors.iter().filter(|cursor| matches!(cursor.node(), Node::Leaf)) {
        if !leaf.domain(budget)?.is_disjoint(&users, budget)? {
            around = around.shared_ancestor(leaf);
        }
    }
    let depth = around.schedule_depth();
    let extension = extension.intersect_params(&scop.context, budget)?;
    let time = extension.reverse();
    if !time.is_single_valued(budget)? {
        return Ok(None);
    }
    let reached = time.domain(budget)?;
    let time = time.project_onto_dims(crate::space::DimKind::Out, 0, depth, budget)?.with_anonymous_range()?;
    let place = copy.place.intersect_domain(&reached, budget)?.with_anonymous_range()?;
    let filled = time.flat_range_product(&place, budget)?.reverse();
    if !filled.is_single_valued(budget)? {
        return Ok(None);
    }
    let Some(statement) = scop.statement(&redirect.statement) else { return Ok(None) };
    let tuple = scop.statements[statement].domain.space().range_tuple().clone();
    let outer = around.prefix_relation(budget)?;
    let outer = outer.extract(&Space::map_of(outer.params_space(), tuple, Tuple::anonymous(depth)));
    let read = outer
        .flat_range_product(&redirect.to.intersect_params(&scop.context, budget)?.with_anonymous_range()?, budget)?;
    let copies = read.apply_range(&filled, budget)?;
    // Each copy is of one element, and each read of one in all its instances: so there is no need to ask which other copies are of the same element.
    let copied = copies.apply_range(&copy.element, budget)?;
    let is_same = copied.is_subset(&access.relation.align_params(copied.space()), budget)?
        && reached.is_subset(&copy.element.domain(budget)?, budget)?;
    let places = read.intersect_domain(&elements.domain(budget)?, budget)?.range(budget)?;
    let is_total = places.is_subset(&filled.domain(budget)?, budget)?;
    Ok((is_same && is_total).then_some(copies))
}

/// What an extension node introduces of a copy.
fn introduced<'c>(cursor: &'c Cursor, copy: &CopyStatement) -> Option<&'c Map> {
    let Node::Extension(all, _) = cursor.node() else { return None };
    all.members().find(|map| map.space().range_tuple().name().is_some_and(|name| **name == *copy.statement))
}
