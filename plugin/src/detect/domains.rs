//! When each block and loop of a region executes: conditions over induction variables and parameters.
//!
//! Invariant: the domain of a block is exact under the reader's assumptions, except inside of a subregion, where it is that of
//! the subregion's entry.

use crate::detect::first_iteration::FirstIteration;
use crate::detect::region::{Item, Region, branch_operand};
use crate::detect::scev::{ProgramPoint, Reader, UNLIMITED};
use crate::formula::condition::Dnf;
use crate::formula::poly::{Poly, Sym};
use crate::host::{Analyses, Block, Opcode, ScevKind};
use crate::reasons::{Reason, Rejection};

impl Region {
    /// The condition of an edge inside; all of the subregion's where it is in one.
    pub(super) fn way(&self, reader: &mut Reader<'_, '_>, from: Block, to: Block) -> Option<Dnf> {
        let index = *self.blocks[self.block_index(to)?].loops.last()?;
        let way = match self.item_of(index, from)? {
            Item::Loop(l) if (self.loops[l].exiting, self.loops[l].exit) == (from, to) => self.loops[l].entry.clone(),
            Item::Loop(_) => return None,
            Item::Block(b) if self.is_undecided(b) => self.blocks[b].domain.clone(),
            Item::Block(b) => {
                let taken = self.branch_condition(reader, index, b, to).ok()?;
                self.blocks[b].domain.and(&taken).ok()?
            }
        };
        // Nothing is known yet about a block that has not been looked at.
        Some(way).filter(|way| *way != Dnf::never())
    }

    /// Domains of everything in loop `index`, whose `entry` is known.
    pub(super) fn find_domains(
        &mut self,
        host: &Analyses<'_>,
        reader: &mut Reader<'_, '_>,
        index: usize,
    ) -> Result<(), Rejection> {
        let location = self.loops[index].handle.location();
        let reject = |reason| Rejection::at(reason, location.clone());
        let mark = reader.mark();
        if let Err(reason) = self.assume_first(host, reader, index) {
            // Data may tell whether there is something that only the first iteration does; then nothing is known of it.
            if !self.loops[index].first_exiting.is_empty() {
                return Err(reject(reason));
            }
            reader.reset(mark);
            self.loops[index].first = FirstIteration::default();
        }
        let current = self.loops[index].clone();
        let (within, continues) = self.iterations(host, reader, index).map_err(reject)?;
        self.loops[index].within = within.clone();
        self.loops[index].continues = continues;

        let mut domains: Vec<(Item, Dnf)> = Vec::new();
        for (position, item) in current.items.iter().enumerate() {
            let domain = if position == 0 {
                current.entry.and(&within).map_err(reject)?
            } else if let Some(k) = self.subregion_around(*item) {
                self.blocks[self.subregions[k].entry].domain.clone()
            } else if let Some(dominator) = self.certain_origin(host, index, &current.items[..position], *item) {
                domains[dominator].1.clone()
            } else {
                let mut sum = Dnf::never();
                for (origin, domain) in &domains {
                    let edge = self.edge_condition(reader, index, *origin, *item)?;
                    sum = sum.or(&domain.and(&edge).map_err(reject)?).map_err(reject)?;
                }
                sum
            };
            match item {
                Item::Block(b) => {
                    self.blocks[*b].domain = domain.clone();
                    self.find_subregion(host, reader, index, position)?;
                }
                Item::Loop(l) => {
                    self.loops[*l].entry = domain.clone();
                    self.find_domains(host, reader, *l)?;
                }
            }
            domains.push((*item, domain));
        }
        Ok(())
    }

    /// `iv <= last iteration` and `iv < last iteration`.
    fn iterations(&self, host: &Analyses<'_>, reader: &mut Reader<'_, '_>, index: usize) -> Result<(Dnf, Dnf), Reason> {
        let current = &self.loops[index];
        let count = host.exit_count(current.handle, current.exiting);
        if count.kind() == ScevKind::CouldNotCompute {
            let tested =
                host.loop_of(current.exiting) == Some(current.handle) && host.dominates(current.exiting, current.latch);
            let tested = tested || !current.first_exiting.is_empty();
            let block = self.block_index(current.exiting).filter(|_| tested).ok_or(Reason::TripCount)?;
            let edge = (current.exiting, current.exit);
            let (within, continues) =
                reader.iterations(index, edge, current.handle, ProgramPoint::Block(block), self)?;
            let same = current.first_exiting.is_empty() || self.goes_on_first(reader, index, &continues)?;
            return if same { Ok((within, continues)) } else { Err(Reason::TripCount) };
        }
        let iv = Poly::symbol(Sym::Iv(index));
        let place = ProgramPoint::LoopEntry(index);
        let below = reader.trip_count(&iv, count, place, self)?;
        let after = iv.add(&Poly::one()).ok_or(Reason::TooLarge)?;
        let continues = reader.trip_count(&after, count, place, self)?;
        Ok((Dnf::le(&Poly::zero(), &iv)?.and(&below)?, continues))
    }

    /// Whether a loop `continues` after its first iteration, which it would leave elsewhere than others, as after others. Where its
    /// first iteration asks for more, that is assumed.
    fn goes_on_first(&self, reader: &mut Reader<'_, '_>, index: usize, continues: &Dnf) -> Result<bool, Reason> {
        let current = &self.loops[index];
        let (wanted, mut found) = (at_start(continues, index)?, Dnf::always());
        for exiting in &current.first_exiting {
            let terminator = exiting.terminator().filter(|end| end.is(Opcode::Br)).ok_or(Reason::TripCount)?;
            let condition = branch_operand(terminator).ok_or(Reason::TripCount)?;
            let stays = exiting.successors().first().is_some_and(|to| *to != current.exit);
            let place = ProgramPoint::Block(self.block_index(*exiting).ok_or(Reason::TripCount)?);
            let tested = reader.condition(condition, stays, Some(current.handle), place, self)?;
            let tested = at_start(&tested, index)?;
            if wanted.and(&tested)? == wanted {
                found = found.and(&tested)?;
            } else {
                reader.assume_condition(condition, stays, Some(current.handle), place, self)?;
            }
        }
        Ok(found == wanted)
    }

    /// Records what makes the first iteration of a loop different from the others.
    fn assume_first(&self, host: &Analyses<'_>, reader: &mut Reader<'_, '_>, index: usize) -> Result<(), Reason> {
        let current = &self.loops[index];
        let place = ProgramPoint::LoopEntry(index);
        for value in &current.first.positive {
            let scev = host.scev_at_scope(*value, current.handle.parent()).ok_or(Reason::Condition)?;
            let number = reader.signed(scev, place, self).map_err(|_| Reason::Condition)?;
            reader.assume_range(&number, (1, UNLIMITED), place);
        }
        Ok(())
    }

    /// The position of an earlier item whose every execution leads to `item` in the same iteration, and without
    /// which `item` is not reached: both execute under the same condition.
    pub(super) fn certain_origin(
        &self,
        host: &Analyses<'_>,
        index: usize,
        before: &[Item],
        item: Item,
    ) -> Option<usize> {
        let head = |item: Item| match item {
            Item::Block(b) => self.blocks[b].handle,
            Item::Loop(l) => self.loops[l].header,
        };
        (0..before.len()).rev().find(|position| {
            let origin = before[*position];
            if !host.dominates(head(origin), head(item)) {
                return false;
            }
            // Every path from the origin must meet `item` before the iteration ends.
            let mut seen = vec![origin];
            let mut work = vec![origin];
            while let Some(next) = work.pop() {
                let (followers, ends) = self.followers(index, next);
                if ends {
                    return false;
                }
                for follower in followers {
                    if follower != item && !seen.contains(&follower) {
                        seen.push(follower);
                        work.push(follower);
                    }
                }
            }
            true
        })
    }

    /// The condition under which control goes from `origin` (given that it executes) directly to `item`.
    fn edge_condition(
        &self,
        reader: &mut Reader<'_, '_>,
        index: usize,
        origin: Item,
        item: Item,
    ) -> Result<Dnf, Rejection> {
        let target = match item {
            Item::Block(b) => self.blocks[b].handle,
            Item::Loop(l) => self.loops[l].header,
        };
        match origin {
            Item::Loop(l) => Ok(if self.loops[l].exit == target { Dnf::always() } else { Dnf::never() }),
            Item::Block(b) => match self.subregion_from(b) {
                Some(subregion) if subregion.exit == target => Ok(Dnf::always()),
                Some(_) => Ok(Dnf::never()),
                // What leaves a subregion is counted where it is entered.
                None if self.blocks[b].subregion.is_some() => Ok(Dnf::never()),
                None => self.branch_condition(reader, index, b, target),
            },
        }
    }

    /// The condition under which block `b` of loop `index` (given that it executes) branches to `target`.
    pub fn branch_condition(
        &self,
        reader: &mut Reader<'_, '_>,
        index: usize,
        b: usize,
        target: Block,
    ) -> Result<Dnf, Rejection> {
        let block = self.blocks[b].handle;
        let successors = self.successors(block);
        if !successors.contains(&target) {
            return Ok(Dnf::never());
        }
        if successors.iter().all(|s| *s == target) {
            return Ok(Dnf::always());
        }
        let terminator = block.terminator().ok_or(Rejection::whole(Reason::Terminator))?;
        let location = terminator.debug_location();
        let scope = Some(self.loops[index].handle);
        let exits = self.loops[index].exiting == block;
        if exits && terminator.is(Opcode::Br) {
            return Ok(self.loops[index].continues.clone());
        }
        if let Some(switch) = terminator.switch() {
            let taken = reader.switch_condition(&switch, |to| to == target, scope, ProgramPoint::Block(b), self);
            let taken = taken.and_then(|taken| if exits { taken.and(&self.loops[index].continues) } else { Ok(taken) });
            return taken.map_err(|reason| Rejection::at(reason, location));
        }
        if !terminator.is(Opcode::Br) {
            return Err(Rejection::at(Reason::Terminator, location));
        }
        let condition =
            branch_operand(terminator).ok_or_else(|| Rejection::at(Reason::Terminator, location.clone()))?;
        let truth = successors[0] == target;
        reader
            .condition(condition, truth, scope, ProgramPoint::Block(b), self)
            .map_err(|reason| Rejection::at(reason, location))
    }
}

/// A condition in the first iteration of a loop.
fn at_start(condition: &Dnf, index: usize) -> Result<Dnf, Reason> {
    condition.substitute(Sym::Iv(index), &Poly::zero())
}
