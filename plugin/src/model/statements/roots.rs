//! Where statements begin: stores, values that PHIs take along edges, cut values, values used after the region.

use super::{Builder, END_OF_BLOCK, MAX_OPERATIONS, Result, Root, RootKind, constant};
use crate::detect::region::{Item, deciding_operand};
use crate::detect::scev::ProgramPoint;
use crate::formula::condition::Dnf;
use crate::formula::poly::{Poly, Sym};
use crate::host::{Block, Opcode, Value};
use crate::model::time::Time;
use crate::reasons::{Reason, Rejection};

impl Builder<'_, '_, '_> {
    pub(super) fn collect_roots(&mut self) -> Result<()> {
        let root = &self.region.loops[0];
        self.loop_roots(0, &[], &[], root.entering, Dnf::always())?;
        for block in self.region.blocks.iter().filter(|block| block.reached) {
            for instruction in block.handle.instructions() {
                let used_after = instruction.uses().iter().any(|usage| {
                    let outside = usage.user.parent().is_some_and(|b| self.region.block_index(b).is_none());
                    outside && !self.region.early_uses.contains(usage)
                });
                if used_after {
                    let time = vec![constant(2)?];
                    self.roots.push(Root {
                        kinds: vec![RootKind::LiveOut(instruction)],
                        loops: Vec::new(),
                        time,
                        domain: Dnf::always(),
                        place: ProgramPoint::LoopEntry(0),
                        block: None,
                    });
                }
            }
        }
        Ok(())
    }

    /// Roots of loop `index`, which stands at `prefix` inside `around`.
    fn loop_roots(
        &mut self,
        index: usize,
        around: &[usize],
        prefix: &[Poly],
        entering: Block,
        entry: Dnf,
    ) -> Result<()> {
        let current = self.region.loops[index].clone();
        let position = prefix.last().cloned().unwrap_or_default();
        let outer = &prefix[..prefix.len().saturating_sub(1)];
        let shifted = |by: i128| -> Result<Time> {
            let moved = position.add(&constant(by)?).ok_or(Reason::TooLarge)?;
            Ok([outer, &[moved]].concat())
        };
        // What the header's PHIs take when the loop is entered.
        let place = ProgramPoint::LoopEntry(index);
        self.edge_roots(entering, current.header, around, shifted(-1)?, &entry, place, None);
        let loops = [around, &[index]].concat();
        let mut inner = shifted(0)?;
        inner.push(Poly::symbol(Sym::Iv(index)));
        for (number, item) in current.items.iter().enumerate() {
            // Leave room for the edges before and after an item.
            let at = constant(4 * (number as i128) + 2)?;
            let here = [inner.as_slice(), &[at]].concat();
            match *item {
                Item::Block(b) => self.block_roots(b, &loops, &here, index)?,
                Item::Loop(l) => {
                    let entry = self.region.loops[l].entry.clone();
                    self.loop_roots(l, &loops, &here, self.region.loops[l].entering, entry.clone())?;
                    let (exiting, exit) = (self.region.loops[l].exiting, self.region.loops[l].exit);
                    if self.region.item_of(index, exit).is_some() {
                        let mut after = inner.clone();
                        after.push(constant(4 * (number as i128) + 3)?);
                        self.edge_roots(exiting, exit, &loops, after, &entry, ProgramPoint::LoopEntry(l), None);
                    }
                }
            }
        }
        Ok(())
    }

    fn block_roots(&mut self, b: usize, loops: &[usize], prefix: &[Poly], index: usize) -> Result<()> {
        let block = self.region.blocks[b].clone();
        if block.subregion.is_some() {
            // Its roots are those of the subregion.
            return Ok(());
        }
        let place = ProgramPoint::Block(b);
        for (number, instruction) in block.handle.instructions().into_iter().enumerate() {
            let time = [prefix, &[constant(number as i128)?]].concat();
            if instruction.bulk_write().is_some() {
                let root = self.bulk_root(instruction, b, time)?;
                self.roots.push(root);
                continue;
            }
            let kind = if instruction.is(Opcode::Store) {
                RootKind::Store(instruction)
            } else if self.cuts.contains(&instruction) {
                RootKind::Cell(instruction, instruction)
            } else {
                continue;
            };
            self.roots.push(Root {
                kinds: vec![kind],
                loops: loops.to_vec(),
                time,
                domain: block.domain.clone(),
                place,
                block: Some(b),
            });
        }
        if let Some(k) = self.region.subregions.iter().position(|subregion| subregion.entry == b) {
            if !self.region.subregions[k].inline {
                self.roots.push(Root {
                    kinds: vec![RootKind::Subregion(k)],
                    loops: loops.to_vec(),
                    time: [prefix, &[constant(END_OF_BLOCK)?]].concat(),
                    domain: block.domain,
                    place,
                    block: Some(b),
                });
            }
            return Ok(());
        }
        let current = &self.region.loops[index];
        for target in self.region.targets(b) {
            let domain = match self.region.item_of(index, target) {
                // The back edge. The latch may also be where the loop is left: the last, unused write does no harm,
                // and makes the cell hold the final value after the loop.
                Some(_) if target == current.header && current.exiting == current.latch => block.domain.clone(),
                Some(Item::Block(_)) => {
                    let edge = self.region.branch_condition(self.reader, index, b, target)?;
                    block.domain.and(&edge).map_err(Rejection::whole)?
                }
                // Entering an inner loop is a root of that loop; leaving this one is a root of the loop around.
                _ => continue,
            };
            let time = [prefix, &[constant(END_OF_BLOCK)?]].concat();
            self.edge_roots(block.handle, target, loops, time, &domain, place, Some(b));
        }
        Ok(())
    }

    /// What PHIs of `to` take when control comes from `from`.
    #[expect(clippy::too_many_arguments, reason = "one root has this many properties")]
    fn edge_roots(
        &mut self,
        from: Block,
        to: Block,
        loops: &[usize],
        time: Time,
        domain: &Dnf,
        place: ProgramPoint,
        block: Option<usize>,
    ) {
        let mut kinds = Vec::new();
        for phi in to.instructions().into_iter().take_while(|v| v.is(Opcode::Phi)) {
            if !self.is_cell(phi) {
                continue;
            }
            if let Some((value, _)) = phi.phi_incoming().into_iter().find(|(_, block)| *block == from) {
                kinds.push(RootKind::Cell(phi, value));
            }
        }
        // PHIs of one block take their values at the same time. Where one takes another's old value, the writes must
        // not be separated.
        let tangled = kinds.iter().any(|kind| {
            matches!(kind, RootKind::Cell(cell, value) if kinds.iter().any(|other| {
                matches!(other, RootKind::Cell(written, _) if written != cell && self.reaches(*value, *written))
            }))
        });
        let groups: Vec<Vec<RootKind>> =
            if tangled { vec![kinds] } else { kinds.into_iter().map(|kind| vec![kind]).collect() };
        for (number, kinds) in groups.into_iter().enumerate() {
            // Distinct times, so that "before" is a total order on statement instances.
            let number = Poly::constant(number as i128).unwrap_or_default();
            self.roots.push(Root {
                kinds,
                loops: loops.to_vec(),
                time: [time.as_slice(), &[number]].concat(),
                domain: domain.clone(),
                place,
                block,
            });
        }
    }

    /// Whether computing `value` reads the cell `cell`.
    fn reaches(&self, value: Value, cell: Value) -> bool {
        let (mut seen, mut work) = (vec![value], vec![value]);
        while let Some(next) = work.pop() {
            if next == cell || seen.len() > MAX_OPERATIONS {
                return true;
            }
            // What an address is computed from is no operand of the statement.
            let Some(b) = self.block_of(next).filter(|_| !next.is(Opcode::Load)) else { continue };
            let choice = self.region.blocks[b].subregion.or(self.region.inline_subregion(self.region.blocks[b].handle));
            let several = next.is(Opcode::Phi) && self.region.values_of(next).len() > 1;
            if several && choice.is_none() {
                continue;
            }
            // What a subregion decides on is read for any of its values.
            let conditions = choice.filter(|_| several).map_or_else(Vec::new, |k| self.conditions(k));
            for operand in next.operands().into_iter().chain(conditions) {
                if !seen.contains(&operand) {
                    seen.push(operand);
                    work.push(operand);
                }
            }
        }
        false
    }

    /// The conditions that a subregion tests.
    fn conditions(&self, k: usize) -> Vec<Value> {
        let subregion = &self.region.subregions[k];
        let blocks = std::iter::once(&subregion.entry).chain(&subregion.inside);
        blocks.filter_map(|b| self.region.blocks[*b].handle.terminator().and_then(deciding_operand)).collect()
    }

    /// A PHI with several incoming values that is neither an induction variable, nor an address,
    /// nor chosen by a subregion that is computed where it is needed.
    pub(super) fn is_cell(&mut self, phi: Value) -> bool {
        let chosen = || phi.parent().is_some_and(|block| self.region.inline_subregion(block).is_some());
        self.region.values_of(phi).len() > 1
            && !chosen()
            && self.induction(phi, ProgramPoint::Before).is_none()
            && self.fixed_pointer(phi).is_none()
    }

    /// A pointer that the compiler carries around although it is always the same.
    pub(super) fn fixed_pointer(&mut self, phi: Value) -> Option<Value> {
        phi.ty().is_pointer().then(|| self.reader.fixed(phi, self.region)).flatten()
    }

    /// An integer PHI as a polynomial of induction variables.
    pub(super) fn induction(&mut self, phi: Value, place: ProgramPoint) -> Option<Poly> {
        phi.ty().int_bits().filter(|bits| *bits <= 64)?;
        let scev = self.host.scev(phi)?;
        let known = (self.reader.params.len(), self.reader.assumptions.len());
        let poly = self.reader.poly(scev, place, self.region).ok();
        if place == ProgramPoint::Before {
            // Only asked whether there is one: forget the assumptions, which belong to uses. Parameters may stay.
            self.reader.assumptions.truncate(known.1);
        }
        poly
    }

    pub(super) fn apply_merges(&mut self) {
        for (first, last) in self.merges.clone() {
            let find = |kind: RootKind| self.roots.iter().position(|root| root.kinds.contains(&kind));
            let (Some(from), Some(to)) = (find(first), find(last)) else { continue };
            // One statement has one domain; where it cannot be formed the conflict stays, and the region is refused.
            let alike = |root: &Root| root.block == self.roots[to].block && root.domain == self.roots[to].domain;
            if from >= to || !self.roots[from..=to].iter().all(alike) {
                continue;
            }
            let kinds: Vec<RootKind> = self.roots[from..=to].iter().flat_map(|root| root.kinds.clone()).collect();
            self.roots[to].kinds = kinds;
            self.roots.drain(from..to);
        }
    }
}
