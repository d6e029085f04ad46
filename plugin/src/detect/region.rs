//! The shape of a candidate region: its loop tree, its blocks in execution order, and the condition under which
//! each block executes.
//!
//! A region is one natural loop with a single entering edge, and so is every loop in it. Every loop ends through one *counted*
//! exit edge. Other edges may leave the whole nest early (a check that panics, a `return`): these [`SideExit`]s are *assumed
//! never to be taken*, and what that takes is recorded with the reader's assumptions; the run-time guard leaves the
//! work to the original loops if one of them could be taken.
//! The control flow between (branches on affine conditions) must be acyclic once inner loops are collapsed.
//!
//! Invariants:
//! - `loops[0]` is the root; a loop's index is larger than its parent's.
//! - `items` of a loop are in a topological order of the collapsed control flow, the header first.
//! - `blocks[b].domain` ranges over the induction variables of `blocks[b].loops` only and holds exactly for the
//!   iterations in which the block executes, under the reader's assumptions.

use crate::detect::condition::Dnf;
use crate::detect::exits::{SideExit, counted_exit};
use crate::detect::reasons::{Reason, Rejection};
use crate::detect::recurrence::{self, Recurrence};
use crate::detect::scev::{Place, Reader, Surroundings};
use crate::host::{Analyses, Block, Loop, Opcode, ScevKind, Use, Value};
use crate::model::poly::{Poly, Sym};

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
    /// The iterations in which it executes.
    pub domain: Dnf,
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
    fn is_around(&self, index: usize, place: Place) -> bool {
        match place {
            Place::Block(b) => self.blocks[b].loops.contains(&index),
            Place::LoopEntry(l) => l != index && self.chain(l).contains(&index),
            Place::Before => true,
        }
    }
    fn recurrence(&self, phi: Value) -> Option<(Recurrence, usize, Option<Loop>)> {
        let find = |(index, l): (usize, &RegionLoop)| {
            let found = l.recurrences.iter().find(|recurrence| recurrence.phi == phi)?;
            Some((*found, index, l.handle.parent()))
        };
        self.loops.iter().enumerate().find_map(find)
    }
    fn is_header(&self, block: Block) -> bool {
        self.loops.iter().any(|l| l.header == block)
    }
    fn edge(&self, reader: &mut Reader<'_, '_>, from: Block, to: Block) -> Option<Dnf> {
        let index = *self.blocks[self.block_index(to)?].loops.last()?;
        let way = match self.item_of(index, from)? {
            Item::Loop(l) if (self.loops[l].exiting, self.loops[l].exit) == (from, to) => self.loops[l].entry.clone(),
            Item::Loop(_) => return None,
            Item::Block(b) => {
                let taken = self.branch_condition(reader, index, b, to).ok()?;
                self.blocks[b].domain.and(&taken).ok()?
            }
        };
        // Nothing is known yet about a block that has not been looked at.
        Some(way).filter(|way| *way != Dnf::never())
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
        let mut region = Self { loops: Vec::new(), blocks: Vec::new(), side_exits: Vec::new(), early_uses: Vec::new() };
        region.add_loop(host, root, None)?;
        region.find_side_exits()?;
        region.find_early_uses(host)?;
        for index in 0..region.loops.len() {
            region.order_items(index)?;
        }
        region.find_domains(host, reader, 0)?;
        region.assume_no_side_exit(reader)?;
        Ok(region)
    }

    fn add_loop(&mut self, host: &Analyses<'_>, handle: Loop, parent: Option<usize>) -> Result<(), Rejection> {
        let location = handle.location();
        let recurrences = recurrence::of_loop(host, handle);
        let around = parent.map(|p| self.loops[p].handle);
        let Some((exiting, exit)) = counted_exit(host, handle, around, &recurrences) else {
            return Err(Rejection::at(Reason::MultipleExits, location));
        };
        let (Some(entering), Some(latch)) = (handle.predecessor(), handle.latch()) else {
            return Err(Rejection::at(Reason::UnstructuredLoop, location));
        };
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
                self.blocks.push(RegionBlock { handle: block, loops: loops.clone(), domain: Dnf::never() });
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
    fn followers(&self, index: usize, item: Item) -> (Vec<Item>, bool) {
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

    /// Domains of everything in loop `index`, whose `entry` is known.
    fn find_domains(
        &mut self,
        host: &Analyses<'_>,
        reader: &mut Reader<'_, '_>,
        index: usize,
    ) -> Result<(), Rejection> {
        let current = self.loops[index].clone();
        let location = current.handle.location();
        let reject = |reason| Rejection::at(reason, location.clone());
        let (within, continues) = self.iterations(host, reader, index).map_err(reject)?;
        self.loops[index].within = within.clone();
        self.loops[index].continues = continues;

        let mut domains: Vec<(Item, Dnf)> = Vec::new();
        for (position, item) in current.items.iter().enumerate() {
            let domain = if position == 0 {
                current.entry.and(&within).map_err(reject)?
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
                Item::Block(b) => self.blocks[*b].domain = domain.clone(),
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
            let block = self.block_index(current.exiting).filter(|_| tested).ok_or(Reason::TripCount)?;
            return reader.iterations(
                index,
                (current.exiting, current.exit),
                current.handle,
                Place::Block(block),
                self,
            );
        }
        let iv = Poly::symbol(Sym::Iv(index));
        let place = Place::LoopEntry(index);
        let below = reader.trip_count(&iv, count, place, self)?;
        let after = iv.add(&Poly::one()).ok_or(Reason::TooLarge)?;
        let continues = reader.trip_count(&after, count, place, self)?;
        Ok((Dnf::le(&Poly::zero(), &iv)?.and(&below)?, continues))
    }

    /// The position of an earlier item whose every execution leads to `item` in the same iteration, and without
    /// which `item` is not reached: both execute under the same condition.
    fn certain_origin(&self, host: &Analyses<'_>, index: usize, before: &[Item], item: Item) -> Option<usize> {
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
            Item::Block(b) => self.branch_condition(reader, index, b, target),
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
        if self.loops[index].exiting == block {
            return Ok(self.loops[index].continues.clone());
        }
        let terminator = block.terminator().ok_or(Rejection::whole(Reason::Terminator))?;
        let location = terminator.debug_location();
        if !terminator.is(Opcode::Br) {
            return Err(Rejection::at(Reason::Terminator, location));
        }
        let condition =
            branch_operand(terminator).ok_or_else(|| Rejection::at(Reason::Terminator, location.clone()))?;
        let truth = successors[0] == target;
        let scope = Some(self.loops[index].handle);
        reader
            .condition(condition, truth, scope, Place::Block(b), self)
            .map_err(|reason| Rejection::at(reason, location))
    }
}

/// The condition of a two-way branch.
pub fn branch_operand(terminator: Value) -> Option<Value> {
    terminator.operands().into_iter().find(|operand| operand.ty().int_bits() == Some(1))
}
