//! How a region is left: the counted exit of each loop, and the edges that leave the whole nest early.
//!
//! Invariants:
//! - `side_exits` are all edges that leave the nest but for the counted exit of the root; no edge leaves an inner loop in any other
//!   way than through its counted exit or as one of them.
//! - A value from inside that is used outside is reached either only through the counted exit of the root, or only through
//!   side exits; the latter uses are `early_uses`.

use crate::detect::reasons::{Reason, Rejection};
use crate::detect::recurrence::{self, Recurrence};
use crate::detect::region::{Region, branch_operand};
use crate::detect::scev::{Place, Reader};
use crate::host::{Analyses, Block, Loop, Opcode, ScevKind, Use};

/// An edge that leaves the whole nest early.
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
    /// Every edge that leaves the nest, other than through the counted exit of the root. Edges that leave an inner loop but
    /// not the nest are refused: what happens after them is not what happens after the loop.
    pub(super) fn find_side_exits(&mut self) -> Result<(), Rejection> {
        let root = &self.loops[0];
        let mut exits = Vec::new();
        for (from, to) in root.handle.exit_edges() {
            if (from, to) != (root.exiting, root.exit) {
                exits.push(SideExit { from, to });
            }
        }
        for inner in &self.loops[1..] {
            for (from, to) in inner.handle.exit_edges() {
                let side = exits.contains(&SideExit { from, to });
                if (from, to) != (inner.exiting, inner.exit) && !side {
                    return Err(Rejection::at(Reason::MultipleExits, inner.handle.location()));
                }
            }
        }
        self.side_exits = exits;
        Ok(())
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
        for (b, block) in self.blocks.iter().enumerate() {
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
            let condition = branch_operand(terminator).filter(|_| terminator.is(Opcode::Br) && all.len() == 2);
            let condition = condition.ok_or_else(|| Rejection::at(Reason::Terminator, location.clone()))?;
            let scope = block.loops.last().map(|l| self.loops[*l].handle);
            reader.assume_condition(condition, all[0] == *target, scope, Place::Block(b), self).map_err(|reason| {
                let reason = if reason == Reason::Condition { Reason::MultipleExits } else { reason };
                Rejection::at(reason, location)
            })?;
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
            let only = side.to != root.exit && side.to.predecessors().into_iter().all(inside);
            only && host.dominates(side.to, place)
        };
        self.side_exits.iter().any(early).then_some(Way::Early)
    }
}

/// The edge through which a loop ends when nothing happens that ends it early: it is tested once in every iteration, directly in
/// the loop, leads to the loop around (`parent`), and after how many iterations it is taken is known. The latch comes before
/// other blocks. The only exit of a loop is taken whatever it is: what it lacks is found out later and gets a better reason.
pub(super) fn counted_exit(
    host: &Analyses<'_>,
    handle: Loop,
    parent: Option<Loop>,
    recurrences: &[Recurrence],
) -> Option<(Block, Block)> {
    let exits = handle.exit_edges();
    if let [only] = exits.as_slice() {
        return Some(*only);
    }
    let latch = handle.latch()?;
    let is_known = |from: Block| host.exit_count(handle, from).kind() != ScevKind::CouldNotCompute;
    let counted = |(from, to): &(Block, Block)| {
        host.loop_of(*from) == Some(handle)
            && host.dominates(*from, latch)
            && parent.is_none_or(|parent| parent.contains(*to))
            && !to.ends_unreachable()
            && (is_known(*from) || recurrence::decides(host, handle, recurrences, *from, *to))
    };
    let mut candidates: Vec<(Block, Block)> = exits.into_iter().filter(counted).collect();
    candidates.sort_by_key(|(from, _)| (!is_known(*from), *from != latch));
    candidates.first().copied()
}
