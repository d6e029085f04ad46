//! How loops are left: the counted exit of each, and the edges that leave one or several of them early.
//!
//! Invariants:
//! - `side_exits` are all edges that leave a loop of the nest but for its own counted exit. Those of an inner loop may lead to
//!   another place of the nest (one of two iterators that are gone through together has come to its end).
//! - A block that is reached only through side exits is not `reached`, and has no part in the model. Every loop and every latch
//!   is reached.
//! - A value from inside that is used outside is reached either only through the counted exit of the root, or only through
//!   side exits; the latter uses are `early_uses`.

use crate::detect::first_iteration::FirstIteration;
use crate::detect::recurrence::{self, Recurrence};
use crate::detect::region::{Item, Region, RegionBlock, branch_operand};
use crate::detect::scev::{ProgramPoint, Reader};
use crate::formula::condition::Dnf;
use crate::host::{Analyses, Block, Loop, Opcode, ScevKind, Use, Value};
use crate::reasons::{Reason, Rejection};

/// An edge that leaves a loop early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideExit {
    /// The block inside.
    pub from: Block,
    /// The block outside.
    pub to: Block,
}

/// How control gets from a value to its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// It stays in the nest.
    Inside,
    /// Through the counted exit of the outermost loop.
    Counted,
    /// Through a side exit.
    Early,
}

impl Region {
    /// Every edge that leaves a loop of the nest other than through the counted exit of that loop.
    pub(super) fn find_side_exits(&mut self) {
        let mut exits = Vec::new();
        for l in &self.loops {
            for (from, to) in l.handle.exit_edges() {
                let exit = SideExit { from, to };
                let is_counted = to == l.exit && (from == l.exiting || l.first_exiting.contains(&from));
                if !is_counted && !exits.contains(&exit) {
                    exits.push(exit);
                }
            }
        }
        self.side_exits = exits;
    }

    /// Finds the blocks that are reached although no side exit is taken, after the items of all loops have been ordered.
    pub(super) fn find_reached(&mut self) -> Result<(), Rejection> {
        let mut loops = vec![0];
        while let Some(l) = loops.pop() {
            for item in self.loops[l].items.clone() {
                match item {
                    Item::Block(b) => self.blocks[b].reached = true,
                    Item::Loop(inner) => loops.push(inner),
                }
            }
        }
        // A loop without items has not been met.
        for l in &self.loops {
            let reached = |block: Block| self.block_index(block).is_some_and(|b| self.blocks[b].reached);
            if !reached(l.header) || !reached(l.latch) {
                return Err(Rejection::at(Reason::MultipleExits, l.handle.location()));
            }
        }
        Ok(())
    }

    /// The values that a PHI may take, and from where, if no side exit is taken.
    pub fn values_of(&self, phi: Value) -> Vec<(Value, Block)> {
        let mut incoming = phi.phi_incoming();
        if let Some(to) = phi.parent().filter(|_| !self.side_exits.is_empty()) {
            incoming.retain(|(_, from)| self.is_way(*from, to));
        }
        incoming
    }

    /// The blocks from which a block of the nest is reached if no side exit is taken.
    pub fn predecessors(&self, block: Block) -> Vec<Block> {
        block.predecessors().into_iter().filter(|from| self.is_way(*from, block)).collect()
    }

    fn is_way(&self, from: Block, to: Block) -> bool {
        let reached = self.block_index(from).is_none_or(|b| self.blocks[b].reached);
        reached && !self.is_side_exit(from, to)
    }

    fn is_side_exit(&self, from: Block, to: Block) -> bool {
        self.side_exits.contains(&SideExit { from, to })
    }

    /// The successors of a block, without side exits.
    pub(super) fn successors(&self, block: Block) -> Vec<Block> {
        block.successors().into_iter().filter(|to| !self.is_side_exit(block, *to)).collect()
    }

    /// Records what must hold for no side exit to be taken.
    pub(super) fn assume_no_side_exit(&self, reader: &mut Reader<'_, '_>) -> Result<(), Rejection> {
        // What is executed in no iteration does not leave.
        let executed = |block: &RegionBlock| block.reached && block.domain != Dnf::never();
        for (b, block) in self.blocks.iter().enumerate().filter(|(_, block)| executed(block)) {
            let stays = self.successors(block.handle);
            let Some(target) = stays.first() else {
                return Err(Rejection::at(Reason::MultipleExits, self.loops[0].handle.location()));
            };
            let all = block.handle.successors();
            if stays.len() == all.len() {
                continue;
            }
            let terminator = block.handle.terminator().ok_or(Rejection::whole(Reason::Terminator))?;
            let location = terminator.debug_location();
            let scope = block.loops.last().map(|l| self.loops[*l].handle);
            if let Some(switch) = terminator.switch() {
                // Where the program says itself that it does not go, nothing needs to be assumed.
                let may_go = |to: Block| stays.contains(&to) || to.is_unreachable();
                let assumed = reader.assume_switch(&switch, may_go, scope, ProgramPoint::Block(b), self);
                assumed.map_err(|reason| match reason {
                    Reason::Condition => Rejection::at(Reason::MultipleExits, location),
                    other => Rejection::at(other, location),
                })?;
                continue;
            }
            let condition = branch_operand(terminator).filter(|_| terminator.is(Opcode::Br) && all.len() == 2);
            let condition = condition.ok_or_else(|| Rejection::at(Reason::Terminator, location.clone()))?;
            reader.assume_condition(condition, all[0] == *target, scope, ProgramPoint::Block(b), self).map_err(
                |reason| {
                    let reason = if reason == Reason::Condition { Reason::MultipleExits } else { reason };
                    Rejection::at(reason, location)
                },
            )?;
        }
        Ok(())
    }

    /// The uses outside the nest that are reached only through side exits. A use where both ways out have met again refuses the
    /// nest, because there only the original loops would give a value.
    pub(super) fn find_early_uses(&mut self, host: &Analyses<'_>) -> Result<(), Rejection> {
        if self.side_exits.is_empty() {
            return Ok(());
        }
        let mut early = Vec::new();
        for instruction in self.blocks.iter().flat_map(|block| block.handle.instructions()) {
            for usage in instruction.uses() {
                match self.way_to(host, usage) {
                    Some(Way::Inside | Way::Counted) => {}
                    Some(Way::Early) => early.push(usage),
                    None => return Err(Rejection::at(Reason::MultipleExits, instruction.debug_location())),
                }
            }
        }
        self.early_uses = early;
        Ok(())
    }

    /// How control comes to a use of a value from inside, if there is only one way.
    fn way_to(&self, host: &Analyses<'_>, usage: Use) -> Option<Way> {
        let inside = |block: Block| self.block_index(block).is_some();
        let root = &self.loops[0];
        let mut place = usage.user.parent()?;
        if usage.user.is(Opcode::Phi) {
            let (_, from) = usage.user.phi_incoming().get(usage.operand as usize).copied()?;
            if inside(from) {
                return Some(match inside(place) {
                    true => Way::Inside,
                    false if (from, place) == (root.exiting, root.exit) => Way::Counted,
                    false => Way::Early,
                });
            }
            place = from;
        }
        if inside(place) {
            return Some(Way::Inside);
        }
        if root.exit.predecessors().iter().all(|from| *from == root.exiting) && host.dominates(root.exit, place) {
            return Some(Way::Counted);
        }
        let early = |side: &SideExit| {
            let only = !inside(side.to) && side.to != root.exit && side.to.predecessors().into_iter().all(inside);
            only && host.dominates(side.to, place)
        };
        self.side_exits.iter().any(early).then_some(Way::Early)
    }
}

/// How a loop ends when nothing happens that ends it early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CountedExit {
    /// The block that leaves it.
    pub(super) exiting: Block,
    /// Where to.
    pub(super) exit: Block,
    /// The blocks that leave it to there in the first iteration, if these are others.
    pub(super) first_exiting: Vec<Block>,
}

/// The edge through which a loop ends when nothing happens that ends it early: it is tested once in every iteration, directly in
/// the loop, leads to the loop around (`parent`), and after how many iterations it is taken is known. The latch comes before
/// other blocks. The only exit of a loop is taken whatever it is: what it lacks is found out later and gets a better reason.
/// If there is none, an inner loop may end from one block in the first iteration and from another one in all others.
pub(super) fn counted_exit(
    host: &Analyses<'_>,
    handle: Loop,
    parent: Option<Loop>,
    recurrences: &[Recurrence],
    first: &FirstIteration,
) -> Option<CountedExit> {
    let exits = handle.exit_edges();
    let single = |(exiting, exit): (Block, Block)| CountedExit { exiting, exit, first_exiting: Vec::new() };
    if let [only] = exits.as_slice() {
        return Some(single(*only));
    }
    let latch = handle.latch()?;
    let leads_on = |to: Block| parent.is_none_or(|parent| parent.contains(to)) && !to.ends_unreachable();
    let is_known = |from: Block| host.exit_count(handle, from).kind() != ScevKind::CouldNotCompute;
    let is_tested =
        |from: Block, to: Block| host.loop_of(from) == Some(handle) && host.dominates(from, latch) && leads_on(to);
    let is_found = |from: Block, to: Block| is_known(from) || recurrence::decides(host, handle, recurrences, from, to);
    let counted = |(from, to): &(Block, Block)| {
        is_tested(*from, *to)
            && (is_found(*from, *to) || (!first.decided.is_empty() && recurrence::is_bound(*from, *to)))
    };
    let mut candidates: Vec<(Block, Block)> = exits.iter().copied().filter(counted).collect();
    // A count that changes with the loops around is more likely to be the smallest than one that does not.
    let is_fixed = |from: Block| !host.exit_count(handle, from).has_recurrence();
    candidates
        .sort_by_cached_key(|(from, to)| (!is_known(*from), !is_found(*from, *to), is_fixed(*from), *from != latch));
    if let Some(best) = candidates.first() {
        return Some(single(*best));
    }
    let bound =
        |(from, to): &(Block, Block)| is_tested(*from, *to) && recurrence::is_counter_bound(host, handle, *from, *to);
    if let Some(only) = exits.into_iter().rev().find(bound) {
        return Some(single(only));
    }
    // Where both ways out meet nothing may depend on which one it was.
    let admits = |_: Block, to: Block| parent.is_some() && leads_on(to) && to.phis().is_empty();
    let exits = first.two_exits(host, handle, admits)?;
    // Nor may a value be used there: that of the last iteration is found where the loop is left in all others.
    let is_used_outside = |block: Block| {
        let around = |user: Block| parent.is_some_and(|parent| parent.contains(user));
        let outside = |user: Block| !handle.contains(user) && (around(user) || host.dominates(exits.exit, user));
        let leaves = |usage: Use| usage.user.parent().is_none_or(outside);
        block.instructions().into_iter().any(|instruction| instruction.uses().into_iter().any(leaves))
    };
    if host.loop_blocks(handle).into_iter().any(is_used_outside) {
        return None;
    }
    Some(CountedExit { exiting: exits.later, exit: exits.exit, first_exiting: exits.first })
}
