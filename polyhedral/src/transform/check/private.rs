//! Places of their own for what iterations hold: a proof by order, where values in the new order need no look.
//!
//! ```text
//! for q: { for p: row[p] = f(q, p); for p: A[q][p] = row[p] }      row[p] goes to row_private[q mod 16][p]; behind each block row_out: row[p] = ...
//! ```
//!
//! Take the program in its own order, with accesses where redirects send them. If every place is one element's, then whoever writes to a place writes to
//! that element in the program, too. So a read gets the value that it gets in the program if the last write of its element before it goes to the same
//! place: in between, the place has no other writer, either. The new code computes the same as that program if it respects the dependences between
//! accesses to places, each of which has the element of its place as well: there are no others, and no flow of values has to be found in the new order.
//! The last write to an element is the last one to its place. So memory is right afterwards if the last copy to each element comes behind the last write
//! of that, and from its place.
//!
//! That is so if
//! - all accesses to the array go to one buffer, one element and one place each, and none is a write that may not happen;
//! - every place is one element's, also in copies, which all go back to the array;
//! - the last write before every read, in the program, goes to the same place, and there is one;
//! - the tree orders all accesses to one place as the program does;
//! - the last copy to each element that is written comes behind its last write, from the same place, and nothing else is copied.
//!
//! Updates of reductions count as writes like any others. Cheaper than the analysis of values in the new order by three orders of magnitude where loops are
//! tiled and cut, but it knows this form alone: where it does not hold, values are looked at.

use crate::budget::Budget;
use crate::error::Result;
use crate::flow::{self, AccessInfo, AccessKind, AccessOrder};
use crate::relation::{Map, UnionMap};
use crate::space::Tuple;

use super::super::placement::Direction;
use super::Draft;
use super::events::{Accessed, Events};
use super::order::is_sequential;

/// Whether all reads of an array certainly get what they get in the program, from places of their own, and memory as well. Exact where it says so.
pub(super) fn are_kept(draft: &Draft<'_>, array: usize, budget: &Budget) -> Result<bool> {
    let name = &draft.scop.arrays[array].name;
    let mut buffers = draft.placement.buffers.iter().filter(|buffer| buffer.array == *name);
    let (Some(_), None) = (buffers.next(), buffers.next()) else { return Ok(false) };
    let mut copies = draft.placement.copies.iter().filter(|copy| copy.array() == *name);
    if copies.any(|copy| copy.direction != Direction::Out) || !is_sequential(draft) {
        return Ok(false);
    }
    let events = Events::new(draft, &[array], budget)?;
    let proof = Proof { draft, events: &events, budget };
    let is_plain = |access: &Accessed| {
        access.function && access.kind != AccessKind::MayWrite && access.now.len() == 1 && goes_elsewhere(access)
    };
    Ok(events.accesses.iter().all(is_plain)
        && proof.has_one_element_per_place()?
        && events.mixed_up(budget)?.is_none()
        && proof.is_in_order()?
        && proof.get_their_values()?)
}

/// Whether an access does not stay where the program has it.
fn goes_elsewhere(access: &Accessed) -> bool {
    let target = |map: &Map| map.space().range_tuple().name().cloned();
    access.now.iter().all(|now| target(now) != target(&access.original))
}

struct Proof<'p> {
    draft: &'p Draft<'p>,
    events: &'p Events<'p>,
    budget: &'p Budget,
}

impl Proof<'_> {
    fn nothing(&self) -> UnionMap {
        UnionMap::empty(&self.draft.scop.context.space().params_space())
    }

    /// Whether each place is one element's.
    fn has_one_element_per_place(&self) -> Result<bool> {
        let mut elements = self.nothing();
        for access in &self.events.accesses {
            for now in &access.now {
                elements = elements.add(&now.reverse().apply_range(&access.original, self.budget)?)?;
            }
        }
        for (place, _, element) in &self.events.copies {
            elements = elements.add(&place.reverse().apply_range(element, self.budget)?)?;
        }
        elements.coalesce(self.budget)?.is_single_valued(self.budget)
    }

    /// Whether the tree orders accesses to places as the program does.
    fn is_in_order(&self) -> Result<bool> {
        let of_access = |access: &Accessed| {
            let name = &self.draft.scop.statements[access.statement].name;
            flow::Access { stmt: name.as_str().into(), relation: access.now[0].clone(), kind: access.kind }
        };
        let accesses: Vec<flow::Access> = self.events.accesses.iter().map(of_access).collect();
        let schedule = self.draft.scop.schedule.to_map(self.budget)?;
        let found = flow::memory_dependences(&accesses, &schedule, self.budget)?;
        let maps: Vec<Map> = found.iter().map(|pair| pair.relation.clone()).collect();
        self.draft.tree.is_legal(&maps, self.budget)
    }

    /// Whether values go through one place each, and those that are left come back.
    fn get_their_values(&self) -> Result<bool> {
        let (mut reads, mut writes) = (self.events.final_reads()?, self.nothing());
        for access in &self.events.accesses {
            match access.kind {
                AccessKind::Read => {
                    let foreign = access.foreign(&access.original, self.budget)?;
                    reads = reads.add(&access.tagged(&foreign, self.budget)?)?;
                }
                AccessKind::MustWrite | AccessKind::MayWrite => {
                    writes = writes.add(&access.tagged(&access.original, self.budget)?)?;
                }
            }
        }
        let (values, missing) = self.last_writes(reads, writes, self.events.program_order()?)?;
        if !missing.is_empty(self.budget)? {
            return Ok(false);
        }
        // Who writes last, instance by instance, and from which place that is copied.
        let mut copied = self.nothing();
        for (_, destination, _) in &self.events.copies {
            copied = copied.add(destination)?;
        }
        let (copied, missing) = self.last_writes(self.events.final_reads()?, copied, self.events.draft_order()?)?;
        if !missing.is_empty(self.budget)? {
            return Ok(false);
        }
        let mut behind = Vec::new();
        for value in values.members() {
            let Some(writer) = self.events.access(value.space().range_tuple()) else { return Ok(false) };
            let written = writer.tagged(&writer.now[0], self.budget)?;
            if let Some(reader) = self.events.access(value.space().domain_tuple().unwrap_or(&Tuple::default())) {
                let read = reader.tagged(&reader.now[0], self.budget)?;
                if !value.is_subset(&read.apply_range(&written.reverse(), self.budget)?, self.budget)? {
                    return Ok(false);
                }
                continue;
            }
            // An element that is left in memory.
            for copy in copied.members().filter(|copy| copy.space().domain_tuple() == value.space().domain_tuple()) {
                let Some((from, ..)) = self
                    .events
                    .copies
                    .iter()
                    .find(|(from, ..)| from.space().domain_tuple() == Some(copy.space().range_tuple()))
                else {
                    return Ok(false);
                };
                let pairs = value.reverse().apply_range(copy, self.budget)?;
                if !pairs.is_subset(&written.apply_range(&from.reverse(), self.budget)?, self.budget)? {
                    return Ok(false);
                }
                behind.push(pairs.domain_factor_domain(self.budget)?);
            }
        }
        self.draft.tree.is_legal(&behind, self.budget)
    }

    /// The last write before each read, in an order, and the reads before all writes.
    fn last_writes(&self, reads: UnionMap, writes: UnionMap, order: AccessOrder) -> Result<(UnionMap, UnionMap)> {
        let nothing = self.nothing();
        let info = AccessInfo { sink: reads, must_source: writes, may_source: nothing.clone(), kill: nothing, order };
        let found = info.compute_flow(self.budget)?;
        Ok((found.may_dependence(self.budget)?.reverse()?, found.may_no_source().clone()))
    }
}
