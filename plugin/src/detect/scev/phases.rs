//! Values that the first iteration of a loop gives another form: what an iterator that skips elements has left.
//!
//! Such a value has one form in the first iteration and another one in all later ones. Where a place is executed only in one of these
//! *phases*, that form is the value. Elsewhere an expression is read in both; if the form of the later ones is that of the first
//! iteration there, it is the value (`left - skipped`, where one jumps when the other one does).
//!
//! Invariants: a form of the later iterations is found by reading what the latch gives, once in the first iteration and once in later
//! ones, where it must be the value itself moved by what does not change. What that takes is assumed for all iterations that go on.

use super::recurrence_values::at_iteration;
use super::{Address, ProgramPoint, Reader, Surroundings};
use crate::detect::first_iteration::IterationPhase;
use crate::formula::poly::{Poly, Sym};
use crate::host::{Block, Value};
use crate::reasons::Reason;

/// More values than this do not depend on each other.
const MAX_CARRIED: usize = 4;

/// How deep readings in phases may be inside of each other: values of different loops may depend on each other without end.
const MAX_PHASES: usize = 16;

/// Stands for a value whose change is looked for, the `number`-th of those under way. No loop has this index.
fn itself(number: usize) -> Sym {
    Sym::Iv(usize::MAX - 1 - number)
}

/// Whether a symbol stands for a value whose change is looked for.
pub(super) fn is_itself(symbol: Sym) -> bool {
    (0..MAX_CARRIED).any(|number| symbol == itself(number))
}

impl Reader<'_, '_> {
    /// The phase of a loop in which expressions are read. What was said last counts.
    fn chosen(&self, index: usize) -> Option<IterationPhase> {
        self.phases.iter().rev().find(|(other, _)| *other == index).map(|(_, phase)| *phase)
    }

    /// The iterations of a loop in which an expression is read, if known.
    fn phase(&self, place: ProgramPoint, index: usize, region: &impl Surroundings) -> Option<IterationPhase> {
        self.chosen(index).or_else(|| region.phase(place, index))
    }

    /// Whether a block is not executed in the phases in which expressions are read.
    pub(super) fn is_excluded(&self, block: Block, region: &impl Surroundings) -> bool {
        let is_other =
            |index: usize| region.phase_of_block(block, index).is_some_and(|phase| self.chosen(index) != Some(phase));
        self.phases.iter().any(|(index, _)| is_other(*index))
    }

    /// What `read` finds where control comes from a block, of the loops `around` it.
    pub(super) fn behind<T>(
        &mut self,
        from: Block,
        around: &[usize],
        region: &impl Surroundings,
        read: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let depth = self.phases.len();
        self.phases.extend(around.iter().filter_map(|index| Some((*index, region.phase_of_block(from, *index)?))));
        let found = read(self);
        self.phases.truncate(depth);
        found
    }

    /// What `read` finds in one phase of a loop.
    pub(super) fn in_phase<T>(&mut self, index: usize, phase: IterationPhase, read: impl FnOnce(&mut Self) -> T) -> T {
        self.phases.push((index, phase));
        let found = read(self);
        self.phases.pop();
        found
    }

    /// What `read` finds at a place, in both phases of a loop around it if it matters which one it is and `unite` makes one of both.
    pub(super) fn in_any_phase<T>(
        &mut self,
        (place, region): (ProgramPoint, &impl Surroundings),
        mut read: impl FnMut(&mut Self) -> Result<T, Reason>,
        unite: impl FnOnce(usize, T, T) -> Option<T>,
    ) -> Result<T, Reason> {
        self.undecided = None;
        let mark = self.mark();
        let found = read(self);
        let (Err(_), Some(index)) = (&found, self.undecided.take()) else { return found };
        if !region.is_around(index, place) || self.phases.len() >= MAX_PHASES {
            return found;
        }
        self.reset(mark);
        let first = self.in_phase(index, IterationPhase::First, &mut read)?;
        let later = self.in_phase(index, IterationPhase::Later, &mut read)?;
        unite(index, first, later).ok_or_else(|| {
            self.reset(mark);
            self.undecided = Some(index);
            Reason::Scalar
        })
    }

    /// The value of a PHI of the header of a loop with a special first iteration.
    pub(super) fn carried_value(
        &mut self,
        phi: Value,
        index: usize,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Poly, Reason> {
        if let Some(number) = self.carried.iter().position(|other| *other == phi) {
            return Ok(Poly::symbol(itself(number)));
        }
        let (start, next, handle) =
            region.carried_ways(phi, index).filter(|_| region.is_around(index, place)).ok_or(Reason::Scalar)?;
        match self.phase(place, index, region) {
            None => {
                self.undecided = Some(index);
                Err(Reason::Scalar)
            }
            Some(IterationPhase::First) => {
                let start = self.host.scev_at_scope(start, handle.parent()).ok_or(Reason::Scalar)?;
                let place = ProgramPoint::LoopEntry(index);
                self.elsewhere(place, region, |reader| reader.poly(start, place, region))
            }
            Some(IterationPhase::Later) => {
                let next = self.host.scev(next).ok_or(Reason::Scalar)?;
                let read = |reader: &mut Self| reader.poly(next, ProgramPoint::Continues(index), region);
                self.carried(phi, index, read, region)
            }
        }
    }

    /// The address in such a PHI.
    pub(super) fn carried_address(
        &mut self,
        phi: Value,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Address, Reason> {
        let plain = |base, offset| Address { base, entries: Vec::new(), offset };
        if let Some(number) = self.carried.iter().position(|other| *other == phi) {
            return Ok(plain(phi, Poly::symbol(itself(number))));
        }
        let index =
            region.is_carried(phi).filter(|index| region.is_around(*index, place)).ok_or(Reason::ChangingBase)?;
        let (start, next, handle) = region.carried_ways(phi, index).ok_or(Reason::ChangingBase)?;
        let start = self.host.scev_at_scope(start, handle.parent()).ok_or(Reason::ChangingBase)?;
        let entry = ProgramPoint::LoopEntry(index);
        let start = self.elsewhere(entry, region, |reader| reader.address(start, entry, region))?;
        if !start.entries.is_empty() {
            return Err(Reason::ChangingBase);
        }
        match self.phase(place, index, region) {
            None => {
                self.undecided = Some(index);
                Err(Reason::ChangingBase)
            }
            Some(IterationPhase::First) => Ok(start),
            Some(IterationPhase::Later) => {
                let next = self.host.scev(next).ok_or(Reason::ChangingBase)?;
                let own = |base: Value| base == start.base || base == phi;
                let read = |reader: &mut Self| {
                    let next = reader.address(next, ProgramPoint::Continues(index), region)?;
                    let known = next.entries.is_empty() && own(next.base);
                    if known { Ok(next.offset) } else { Err(Reason::ChangingBase) }
                };
                let offset = self.carried(phi, index, read, region)?;
                Ok(plain(start.base, offset))
            }
        }
    }

    /// The form of a value in the later iterations of loop `index`, where `read` reads what the latch gives.
    fn carried(
        &mut self,
        phi: Value,
        index: usize,
        mut read: impl FnMut(&mut Self) -> Result<Poly, Reason>,
        region: &impl Surroundings,
    ) -> Result<Poly, Reason> {
        if self.carried.len() >= MAX_CARRIED || self.phases.len() >= MAX_PHASES {
            return Err(Reason::Scalar);
        }
        // What is read here stands in another iteration; loops inside of each other end this.
        let nesting = std::mem::take(&mut self.nesting);
        let going_on = ProgramPoint::Continues(index);
        let carried = std::mem::take(&mut self.carried);
        let first = self.elsewhere(going_on, region, |reader| reader.in_phase(index, IterationPhase::First, &mut read));
        self.carried = carried;
        let first = first
            .and_then(|first| at_iteration(&first, index, &Poly::zero()))
            .inspect_err(|_| self.nesting = nesting)?;
        let (known, own) = (self.assumptions.len(), itself(self.carried.len()));
        self.carried.push(phi);
        let later = self.elsewhere(going_on, region, |reader| reader.in_phase(index, IterationPhase::Later, &mut read));
        self.carried.pop();
        self.nesting = nesting;
        let later = later?;
        let change = match later.symbols().any(|symbol| symbol == own) {
            true => later.sub(&Poly::symbol(own)),
            // It is the same from the second iteration on.
            false if later == first => Some(Poly::zero()),
            false => None,
        };
        let change = change.ok_or(Reason::Scalar)?;
        let entry = ProgramPoint::LoopEntry(index);
        if change.symbols().any(|symbol| matches!(symbol, Sym::Iv(l) if !region.is_around(l, entry))) {
            return Err(Reason::Scalar);
        }
        let iv = Poly::symbol(Sym::Iv(index));
        let gone = iv.sub(&Poly::one()).and_then(|gone| gone.mul(&change));
        let value = gone.and_then(|gone| first.add(&gone)).ok_or(Reason::TooLarge)?;
        for assumption in &mut self.assumptions[known..] {
            assumption.poly = assumption.poly.substitute(own, &value).ok_or(Reason::TooLarge)?;
        }
        Ok(value)
    }

    /// What `read` finds at another place, of whose loops only those are in a phase that are around it.
    fn elsewhere<T>(
        &mut self,
        place: ProgramPoint,
        region: &impl Surroundings,
        read: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let around = self.phases.iter().copied().filter(|(index, _)| region.is_around(*index, place)).collect();
        let phases = std::mem::replace(&mut self.phases, around);
        let found = read(self);
        self.phases = phases;
        found
    }
}

/// One form for both phases of a loop: that of the later iterations, if it is right in the first one.
pub(super) fn united(index: usize, first: &Poly, later: &Poly) -> Option<Poly> {
    let start = |poly| at_iteration(poly, index, &Poly::zero()).ok();
    (start(first)? == start(later)?).then(|| later.clone())
}
