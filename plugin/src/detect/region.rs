//! The shape of a candidate region: its loop tree, its blocks in execution order, and the condition under which
//! each block executes.
//!
//! A region is one natural loop with a single entering edge, and so is every loop in it. Every loop ends through one *counted*
//! exit edge. Other edges may leave loops early (a check that panics, a `return`, a second iterator that ends): these [`SideExit`]s are
//! *assumed never to be taken*, and what that takes is recorded with the reader's assumptions; the run-time guard leaves the
//! work to the original loops if one of them could be taken.
//! The control flow between must be acyclic once inner loops are collapsed. Conditions are affine, but for those of
//! [`Subregion`]s.
//!
//! Invariants:
//! - `loops[0]` is the root; a loop's index is larger than its parent's.
//! - `items` of a loop are in a topological order of the collapsed control flow, the header first.
//! - `blocks[b].domain` ranges over the induction variables of `blocks[b].loops` only and holds exactly for the
//!   iterations in which the block executes, under the reader's assumptions.

use crate::detect::exits::{CountedExit, SideExit, counted_exit};
use crate::detect::first_iteration::{FirstIteration, IterationPhase};
use crate::detect::recurrence::{self, Recurrence};
use crate::detect::scev::{ProgramPoint, Reader, Surroundings};
use crate::detect::subregion::Subregion;
use crate::formula::condition::Dnf;
use crate::host::{Analyses, Block, Loop, Opcode, Use, Value};
use crate::reasons::{Reason, Rejection};

/// A node of a loop body, in execution order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// A block directly in the loop.
    Block(usize),
    /// A loop directly inside the loop.
    Loop(usize),
}

/// One loop of the region.
#[derive(Clone, Debug)]
pub struct RegionLoop {
    /// The compiler's loop.
    pub handle: Loop,
    /// Index of the loop around it; `None` for the root.
    pub parent: Option<usize>,
    /// The block outside the loop that enters it.
    pub entering: Block,
    /// The loop's header.
    pub header: Block,
    /// The block that jumps back.
    pub latch: Block,
    /// The block that leaves the loop.
    pub exiting: Block,
    /// Where it leaves to.
    pub exit: Block,
    /// The blocks that leave it to there in the first iteration, if these are others.
    pub first_exiting: Vec<Block>,
    /// What is different in the first iteration.
    pub first: FirstIteration,
    /// PHIs of the header that count although scalar evolution does not see it.
    pub recurrences: Vec<Recurrence>,
    /// The body in execution order.
    pub items: Vec<Item>,
    /// When the loop is entered, over the induction variables of the loops around it.
    pub entry: Dnf,
    /// `iv <= last iteration`, where the last iteration is the one that leaves.
    pub within: Dnf,
    /// `iv < last iteration`: the back edge is taken.
    pub continues: Dnf,
}

/// One block of the region.
#[derive(Clone, Debug)]
pub struct RegionBlock {
    /// The compiler's block.
    pub handle: Block,
    /// The loops around it, outermost first.
    pub loops: Vec<usize>,
    /// The iterations in which it executes; in a subregion, those in which it may.
    pub domain: Dnf,
    /// The subregion that it is inside of, by index.
    pub subregion: Option<usize>,
    /// Whether there is a way to it without side exits.
    pub reached: bool,
}

/// A loop nest with a single entry, a counted exit per loop and affine control flow.
#[derive(Clone, Debug)]
pub struct Region {
    /// All loops, the root first.
    pub loops: Vec<RegionLoop>,
    /// All blocks.
    pub blocks: Vec<RegionBlock>,
    /// The edges that are assumed never to be taken.
    pub side_exits: Vec<SideExit>,
    /// Uses of values from inside that are reached only through side exits: the original loops provide them.
    pub early_uses: Vec<Use>,
    /// The parts behind conditions that are not affine.
    pub subregions: Vec<Subregion>,
}

/// More loops or blocks than this in one nest are refused.
const MAX_LOOPS: usize = 24;
const MAX_BLOCKS: usize = 160;

impl Surroundings for Region {
    fn loop_index(&self, handle: Loop) -> Option<usize> {
        self.loops.iter().position(|l| l.handle == handle)
    }
    fn contains(&self, block: Block) -> bool {
        self.block_index(block).is_some()
    }
    fn is_around(&self, index: usize, place: ProgramPoint) -> bool {
        match place {
            ProgramPoint::Block(b) => self.blocks[b].loops.contains(&index),
            ProgramPoint::LoopEntry(l) => l != index && self.chain(l).contains(&index),
            ProgramPoint::Continues(l) => self.chain(l).contains(&index),
            ProgramPoint::Before => true,
        }
    }
    fn recurrence(&self, phi: Value) -> Option<(Recurrence, usize, Option<Loop>)> {
        let find = |(index, l): (usize, &RegionLoop)| {
            let found = l.recurrences.iter().find(|recurrence| recurrence.phi == phi)?;
            Some((*found, index, l.handle.parent()))
        };
        self.loops.iter().enumerate().find_map(find)
    }
    fn incoming(&self, phi: Value) -> Vec<(Value, Block)> {
        self.values_of(phi)
    }
    fn is_certain(&self, block: Block) -> bool {
        self.block_index(block).is_some_and(|b| self.blocks[b].subregion.is_none())
    }
    fn is_header(&self, block: Block) -> bool {
        self.loops.iter().any(|l| l.header == block)
    }
    fn decided(&self, condition: Value) -> Option<(usize, bool)> {
        let find = |(index, l): (usize, &RegionLoop)| {
            let (_, truth) = l.first.decided.iter().find(|(other, _)| *other == condition)?;
            Some((index, *truth))
        };
        self.loops.iter().enumerate().find_map(find)
    }
    fn phase(&self, place: ProgramPoint, index: usize) -> Option<IterationPhase> {
        match place {
            ProgramPoint::Block(b) => self.loops[index].first.phase(self.blocks[b].handle),
            ProgramPoint::LoopEntry(l) if l != index => self.loops[index].first.phase(self.loops[l].header),
            ProgramPoint::Continues(l) if l != index => self.loops[index].first.phase(self.loops[l].header),
            ProgramPoint::LoopEntry(_) | ProgramPoint::Continues(_) | ProgramPoint::Before => None,
        }
    }
    fn phase_of_block(&self, block: Block, index: usize) -> Option<IterationPhase> {
        self.loops[index].first.phase(block)
    }
    fn is_carried(&self, phi: Value) -> Option<usize> {
        let header = phi.parent().filter(|_| phi.is(Opcode::Phi))?;
        self.loops.iter().position(|l| l.header == header && !l.first.decided.is_empty())
    }
    fn carried_ways(&self, phi: Value, index: usize) -> Option<(Value, Value, Loop)> {
        let l = &self.loops[index];
        Some((phi.phi_value_from(l.entering)?, phi.phi_value_from(l.latch)?, l.handle))
    }
    fn edge(&self, reader: &mut Reader<'_, '_>, from: Block, to: Block) -> Option<Dnf> {
        self.way(reader, from, to)
    }
    fn entry(&self) -> (Block, Block) {
        (self.loops[0].entering, self.loops[0].header)
    }
}

impl Region {
    /// The index of a block, if it is inside.
    pub fn block_index(&self, block: Block) -> Option<usize> {
        self.blocks.iter().position(|b| b.handle == block)
    }

    /// The loops around loop `index` and itself, outermost first.
    pub fn chain(&self, index: usize) -> Vec<usize> {
        let mut chain = vec![index];
        while let Some(parent) = self.loops[chain[chain.len() - 1]].parent {
            chain.push(parent);
        }
        chain.reverse();
        chain
    }

    /// Finds the structure of the nest rooted at `root` and the domain of each block.
    pub fn build(host: &Analyses<'_>, reader: &mut Reader<'_, '_>, root: Loop) -> Result<Self, Rejection> {
        let mut region = Self {
            loops: Vec::new(),
            blocks: Vec::new(),
            side_exits: Vec::new(),
            early_uses: Vec::new(),
            subregions: Vec::new(),
        };
        region.add_loop(host, root, None)?;
        region.find_side_exits();
        region.find_early_uses(host)?;
        for index in 0..region.loops.len() {
            region.order_items(index)?;
        }
        region.find_reached()?;
        region.find_domains(host, reader, 0)?;
        region.assume_no_side_exit(reader)?;
        Ok(region)
    }

    fn add_loop(&mut self, host: &Analyses<'_>, handle: Loop, parent: Option<usize>) -> Result<(), Rejection> {
        let location = handle.location();
        let recurrences = recurrence::of_loop(host, handle);
        let around = parent.map(|p| self.loops[p].handle);
        let first = FirstIteration::of_loop(host, handle);
        let Some(counted) = counted_exit(host, handle, around, &recurrences, &first) else {
            return Err(Rejection::at(Reason::MultipleExits, location));
        };
        let (Some(entering), Some(latch)) = (handle.predecessor(), handle.latch()) else {
            return Err(Rejection::at(Reason::UnstructuredLoop, location));
        };
        let CountedExit { exiting, exit, first_exiting } = counted;
        let index = self.loops.len();
        if index >= MAX_LOOPS {
            return Err(Rejection::at(Reason::TooComplex, location));
        }
        self.loops.push(RegionLoop {
            handle,
            parent,
            entering,
            header: handle.header(),
            latch,
            exiting,
            exit,
            first_exiting,
            first,
            recurrences,
            items: Vec::new(),
            entry: Dnf::always(),
            within: Dnf::always(),
            continues: Dnf::always(),
        });
        let loops = self.chain(index);
        let children = handle.children();
        for block in host.loop_blocks(handle) {
            if host.loop_of(block) == Some(handle) {
                if self.blocks.len() >= MAX_BLOCKS {
                    return Err(Rejection::at(Reason::TooComplex, location));
                }
                self.blocks.push(RegionBlock {
                    handle: block,
                    loops: loops.clone(),
                    domain: Dnf::never(),
                    subregion: None,
                    reached: false,
                });
            }
        }
        for child in children {
            self.add_loop(host, child, Some(index))?;
        }
        Ok(())
    }

    /// The item of loop `index` that holds `block`; `None` if the block is outside the loop.
    pub fn item_of(&self, index: usize, block: Block) -> Option<Item> {
        let b = self.block_index(block)?;
        let loops = &self.blocks[b].loops;
        let depth = loops.iter().position(|l| *l == index)?;
        Some(match loops.get(depth + 1) {
            None => Item::Block(b),
            Some(inner) => Item::Loop(*inner),
        })
    }

    /// The items that follow `item` inside the loop `index`, and whether it can end the iteration or the loop.
    pub(super) fn followers(&self, index: usize, item: Item) -> (Vec<Item>, bool) {
        let targets = match item {
            Item::Block(b) => self.successors(self.blocks[b].handle),
            Item::Loop(l) => vec![self.loops[l].exit],
        };
        let (mut items, mut ends) = (Vec::new(), false);
        for target in targets {
            match self.item_of(index, target) {
                Some(next) if target != self.loops[index].header => items.push(next),
                _ => ends = true,
            }
        }
        (items, ends)
    }

    fn order_items(&mut self, index: usize) -> Result<(), Rejection> {
        let reject = |reason| Rejection::at(reason, self.loops[index].handle.location());
        let header = self.item_of(index, self.loops[index].header).ok_or_else(|| reject(Reason::UnstructuredLoop))?;
        // Depth-first search with an explicit stack; a node met while still open closes a cycle that is no loop.
        let mut order = Vec::new();
        let mut closed: Vec<Item> = Vec::new();
        let mut open = vec![(header, self.followers(index, header).0, 0usize)];
        while let Some((item, followers, next)) = open.last_mut() {
            if let Some(follower) = followers.get(*next).copied() {
                *next += 1;
                if open.iter().any(|(other, _, _)| *other == follower) {
                    return Err(reject(Reason::UnstructuredLoop));
                }
                if !closed.contains(&follower) {
                    let targets = self.followers(index, follower).0;
                    open.push((follower, targets, 0));
                }
            } else {
                closed.push(*item);
                order.push(*item);
                open.pop();
            }
        }
        order.reverse();
        self.loops[index].items = order;
        Ok(())
    }
}

/// The condition of a two-way branch.
pub fn branch_operand(terminator: Value) -> Option<Value> {
    terminator.operands().into_iter().find(|operand| operand.ty().int_bits() == Some(1))
}

/// What a branch or a `switch` decides by.
pub fn deciding_operand(terminator: Value) -> Option<Value> {
    match terminator.opcode() {
        Some(Opcode::Br) => branch_operand(terminator),
        Some(Opcode::Switch) => terminator.operand(0),
        _ => None,
    }
}
