//! What is different in the first iteration of a loop.
//!
//! An iterator that skips elements, or takes every n-th one, does something else the first time. The compiler keeps a flag for that,
//! or a number of elements to skip that is zero from the second iteration on: a PHI of the header that takes one value from outside and
//! another, constant one from the latch. A branch on it is decided by whether the iteration is the first one.
//!
//! Invariants:
//! - A condition in `decided` has one truth value in the first iteration and the other one in all others, if the numbers in
//!   `positive` are more than zero when the loop is entered.
//! - A block in `blocks` is executed in no other iterations than these.

use crate::host::{Analyses, Block, IntPredicate, Loop, Opcode, Value};

/// The iterations of a loop in which something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IterationPhase {
    /// In the first one.
    First,
    /// In the others.
    Later,
}

/// The first iteration of a loop.
#[derive(Clone, Debug, Default)]
pub struct FirstIteration {
    /// The conditions that only the first iteration decides, with their truth value there.
    pub decided: Vec<(Value, bool)>,
    /// Values from outside of the loop that must be more than zero for that.
    pub positive: Vec<Value>,
    blocks: Vec<(Block, IterationPhase)>,
}

/// How a loop is left that is left from different blocks in the first iteration and in others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwoExits {
    /// The blocks that leave it in the first iteration.
    pub first: Vec<Block>,
    /// The block that leaves it in the others.
    pub later: Block,
    /// Where both lead.
    pub exit: Block,
}

impl FirstIteration {
    /// What decides in a loop whether an iteration is the first.
    pub fn of_loop(host: &Analyses<'_>, handle: Loop) -> Self {
        let mut result = Self::default();
        let (Some(entering), Some(latch)) = (handle.predecessor(), handle.latch()) else { return result };
        let flags: Vec<Flag> =
            handle.header().phis().into_iter().filter_map(|phi| flag(phi, entering, latch)).collect();
        if flags.is_empty() {
            return result;
        }
        let own = |block: &Block| host.loop_of(*block) == Some(handle);
        let blocks: Vec<Block> = host.loop_blocks(handle);
        for block in blocks.iter().copied().filter(own) {
            let Some(terminator) = block.terminator().filter(|end| end.is(Opcode::Br)) else { continue };
            let condition = terminator.operands().into_iter().find(|operand| operand.ty().int_bits() == Some(1));
            let (Some(condition), [yes, no]) =
                (condition, block.successors().as_slice().try_into().unwrap_or([block; 2]))
            else {
                continue;
            };
            let Some((truth, positive)) = flags.iter().find_map(|flag| flag.decides(condition)) else { continue };
            if yes == no {
                continue;
            }
            result.decided.push((condition, truth));
            result.positive.extend(positive.filter(|value| !result.positive.contains(value)));
            for (target, taken) in [(yes, true), (no, false)] {
                if target.predecessors() != [block] || !handle.contains(target) {
                    continue;
                }
                let phase = if taken == truth { IterationPhase::First } else { IterationPhase::Later };
                let behind = blocks.iter().filter(|other| host.dominates(target, **other));
                result.blocks.extend(behind.map(|other| (*other, phase)));
            }
        }
        result
    }

    /// In which iterations a block is executed, if not in all.
    pub fn phase(&self, block: Block) -> Option<IterationPhase> {
        self.blocks.iter().find(|(other, _)| *other == block).map(|(_, phase)| *phase)
    }

    /// The exits of a loop that leads to the same place from a block that every first iteration and a block that every other iteration
    /// passes, of those that `admits` likes.
    pub fn two_exits(
        &self,
        host: &Analyses<'_>,
        handle: Loop,
        admits: impl Fn(Block, Block) -> bool,
    ) -> Option<TwoExits> {
        let latch = handle.latch()?;
        let exits: Vec<(Block, Block)> =
            handle.exit_edges().into_iter().filter(|(from, to)| admits(*from, *to)).collect();
        let of_phase = |phase: IterationPhase| {
            let passed =
                |from: Block| self.phase(from) == Some(phase) && self.is_passed(host, handle, from, phase, latch);
            exits.iter().copied().filter(|(from, _)| passed(*from)).collect::<Vec<_>>()
        };
        let first = of_phase(IterationPhase::First);
        of_phase(IterationPhase::Later).into_iter().find_map(|(later, exit)| {
            let first: Vec<Block> = first.iter().filter(|(_, to)| *to == exit).map(|(from, _)| *from).collect();
            (!first.is_empty()).then_some(TwoExits { first, later, exit })
        })
    }

    /// Whether every iteration of a phase that comes to the latch passes a block.
    fn is_passed(&self, host: &Analyses<'_>, handle: Loop, block: Block, phase: IterationPhase, latch: Block) -> bool {
        let header = handle.header();
        let (mut seen, mut work) = (vec![header], vec![header]);
        while let Some(next) = work.pop() {
            if next == latch {
                return false;
            }
            for to in next.successors() {
                let other_phase = self.phase(to).is_some_and(|other| other != phase);
                if to != block && !other_phase && handle.contains(to) && !seen.contains(&to) {
                    seen.push(to);
                    work.push(to);
                }
            }
        }
        host.loop_of(block) == Some(handle) && block != header
    }
}

/// A PHI that holds a constant from the second iteration on.
struct Flag {
    phi: Value,
    start: Value,
    later: i128,
}

fn flag(phi: Value, entering: Block, latch: Block) -> Option<Flag> {
    phi.ty().int_bits().filter(|bits| *bits <= 64)?;
    let (start, later) = (phi.phi_value_from(entering)?, phi.phi_value_from(latch)?.constant_int()?);
    (start.constant_int() != Some(later) && !start.is_undef()).then_some(Flag { phi, start, later })
}

impl Flag {
    /// The truth value of a condition in the first iteration, if it is the other one in all others, and what must be positive for that.
    fn decides(&self, condition: Value) -> Option<(bool, Option<Value>)> {
        if condition == self.phi {
            return self.start.constant_int().map(|start| (start != 0, None));
        }
        let operands = condition.operands();
        let [left, right] = operands.as_slice() else { return None };
        let number = right.constant_int().filter(|_| *left == self.phi)?;
        let is_equal = match condition.int_predicate()? {
            IntPredicate::Eq => true,
            IntPredicate::Ne => false,
            _ => return None,
        };
        match self.start.constant_int() {
            Some(start) if (start == number) != (self.later == number) => Some(((start == number) == is_equal, None)),
            None if number == 0 && self.later == 0 && self.phi.ty().int_bits() != Some(1) => {
                Some((!is_equal, Some(self.start)))
            }
            _ => None,
        }
    }
}
