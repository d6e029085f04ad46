//! Parts of a loop body behind conditions that are not affine.
//!
//! A condition on data has no place in a domain. What it decides about is kept together instead: from the block that tests
//! it (the *entry*) to the first block that is reached however the test ends (the *exit*), everything in between is a
//! subregion. The model gives each of its stores the domain of the entry and calls it a write that may happen; code
//! generation copies its blocks. (Non-affine subregions: Grosser, Groesslinger and Lengauer, "Polly - Performing polyhedral
//! optimizations on a low-level intermediate representation", 2012, and Moll, Doerfert and Hack, 2016, treat them alike.)
//!
//! Invariants: blocks inside are reached only from the entry or from each other, contain no loop, and lead nowhere but to
//! each other and to the exit (side exits aside); no block is inside of two subregions.

use crate::detect::region::{Item, Region};
use crate::detect::scev::Reader;
use crate::host::{Analyses, Block, Opcode, Value};
use crate::reasons::Rejection;

/// The blocks between a condition that is not affine and the place where its branches have met again.
#[derive(Clone, Debug)]
pub struct Subregion {
    /// The block that ends in the condition, by index. It is not part of the subregion.
    pub entry: usize,
    /// The blocks in execution order, by index.
    pub inside: Vec<usize>,
    /// The first block behind.
    pub exit: Block,
    /// Whether something inside stores.
    pub writes: bool,
    /// Whether it does nothing but choose the values of the exit's PHIs, so that it may be computed wherever these are
    /// needed: it has no stores, nothing that gives another value each time, and there is no other way to the exit.
    pub inline: bool,
}

impl Region {
    /// The subregion that a block of the region is the entry of.
    pub fn subregion_from(&self, entry: usize) -> Option<&Subregion> {
        self.subregions.iter().find(|subregion| subregion.entry == entry)
    }

    /// The subregion whose PHIs are those of `exit` and that may be computed wherever they are needed, by index.
    pub fn inline_subregion(&self, exit: Block) -> Option<usize> {
        self.subregions.iter().position(|subregion| subregion.inline && subregion.exit == exit)
    }

    /// The subregion that an item is inside of, by index.
    pub(super) fn subregion_around(&self, item: Item) -> Option<usize> {
        match item {
            Item::Block(b) => self.blocks[b].subregion,
            Item::Loop(_) => None,
        }
    }

    /// Whether it is not known where control goes from a block.
    pub(super) fn is_undecided(&self, b: usize) -> bool {
        self.blocks[b].subregion.is_some() || self.subregion_from(b).is_some()
    }

    /// The blocks that a block may lead to, without side exits and repetition.
    pub fn targets(&self, b: usize) -> Vec<Block> {
        let mut targets = Vec::new();
        for target in self.successors(self.blocks[b].handle) {
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        targets
    }

    /// Makes a subregion behind the item at `position` of the loop if its condition is not affine and matters.
    pub(super) fn find_subregion(
        &mut self,
        host: &Analyses<'_>,
        reader: &mut Reader<'_, '_>,
        index: usize,
        position: usize,
    ) -> Result<(), Rejection> {
        let current = &self.loops[index];
        let Item::Block(b) = current.items[position] else { return Ok(()) };
        let targets = self.targets(b);
        if targets.len() < 2 || current.exiting == self.blocks[b].handle || self.blocks[b].subregion.is_some() {
            return Ok(());
        }
        let mark = reader.mark();
        let mut reason = None;
        for target in targets {
            let next = self.item_of(index, target).and_then(|item| current.items.iter().position(|i| *i == item));
            // A block that is reached in any case asks for no condition.
            let certain = next.is_some_and(|next| {
                next > 0 && self.certain_origin(host, index, &current.items[..next], current.items[next]).is_some()
            });
            if !certain && reason.is_none() {
                reason = self.branch_condition(reader, index, b, target).err();
            }
        }
        let Some(reason) = reason else { return Ok(()) };
        reader.reset(mark);
        // Where another condition leads into the same blocks, that one has to be in it, too.
        let mut candidates = (0..=position).rev().filter_map(|first| self.subregion_behind(index, first));
        let found = candidates.find(|subregion| subregion.entry == b || subregion.inside.contains(&b));
        let free = |subregion: &Subregion| {
            !subregion.inside.iter().chain([&subregion.entry]).any(|block| self.is_undecided(*block))
        };
        let subregion = found.filter(free).ok_or(reason)?;
        let domain = self.blocks[subregion.entry].domain.clone();
        for inside in &subregion.inside {
            self.blocks[*inside].subregion = Some(self.subregions.len());
            self.blocks[*inside].domain = domain.clone();
        }
        self.subregions.push(subregion);
        Ok(())
    }

    /// The blocks between the one at `position` and the first that all ways from there lead to.
    fn subregion_behind(&self, index: usize, position: usize) -> Option<Subregion> {
        let items = &self.loops[index].items;
        let Item::Block(entry) = items[position] else { return None };
        let (mut open, ends) = self.followers(index, items[position]);
        if ends || self.targets(entry).len() < 2 {
            return None;
        }
        let mut blocks = vec![self.blocks[entry].handle];
        let mut inside = Vec::new();
        for item in &items[position + 1..] {
            if !open.contains(item) {
                continue;
            }
            let Item::Block(b) = *item else { return None };
            let block = self.blocks[b].handle;
            open.retain(|other| other != item);
            if open.is_empty() {
                let instructions = || inside.iter().flat_map(|b: &usize| self.blocks[*b].handle.instructions());
                let writes = instructions().any(|i| i.is(Opcode::Store));
                let one_value = !instructions().any(|i| i.is(Opcode::Freeze));
                let only_way = self.predecessors(block).iter().all(|from| blocks.contains(from));
                let inline = !writes && one_value && only_way;
                return Some(Subregion { entry, inside, exit: block, writes, inline });
            }
            let (followers, ends) = self.followers(index, *item);
            // A call that writes many elements is a loop.
            let loops = block.instructions().iter().any(|i| i.bulk_write().is_some());
            if ends || loops || !self.predecessors(block).iter().all(|from| blocks.contains(from)) {
                return None;
            }
            open.extend(followers);
            blocks.push(block);
            inside.push(b);
        }
        None
    }

    /// The PHIs of a subregion's exit.
    pub fn exit_phis(&self, k: usize) -> Vec<Value> {
        self.subregions[k].exit.phis()
    }
}
