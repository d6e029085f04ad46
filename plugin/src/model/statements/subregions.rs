//! Subregions in statements: the operations of their blocks between labels and jumps.
//!
//! A subregion that stores is a statement, and the values that its exit's PHIs take are cells which it writes. One that only
//! chooses values is part of every statement that needs one of them, like the other operations of an operand tree.
//!
//! Invariant: what a statement computes outside of a subregion, the program has computed before it on every way; only the
//! operations of the subregion's own blocks stand behind its labels.

use super::{Builder, Piece, Result, RootKind, Tree};
use crate::detect::region::branch_operand;
use crate::detect::scev::ProgramPoint;
use crate::host::{Block, Opcode, Switch, Value};
use crate::model::scop::{Op, Operand};
use crate::reasons::{Reason, Rejection};

impl Builder<'_, '_, '_> {
    /// Whether something outside can see what a root does.
    pub(super) fn is_visible(&self, kind: &RootKind) -> bool {
        match kind {
            RootKind::Cell(..) => false,
            RootKind::Subregion(k) => self.region.subregions[*k].writes,
            RootKind::Store(_) | RootKind::Bulk(_) | RootKind::LiveOut(_) => true,
        }
    }

    /// Whether the cell is that of a PHI of the exit of a subregion which is a statement.
    pub(super) fn gives(&self, k: usize, cell: Value) -> bool {
        let subregion = &self.region.subregions[k];
        !subregion.inline && cell.is(Opcode::Phi) && cell.parent() == Some(subregion.exit)
    }

    /// The PHIs that take a value by the way through the subregion: those that are no integer expression of counters and no
    /// address, and those whose cells are read.
    pub(super) fn chosen_values(&mut self, k: usize) -> Vec<Value> {
        let phis = self.region.exit_phis(k);
        let mut values = Vec::new();
        for phi in phis {
            let is_value = !phi.ty().is_pointer() && !phi.uses().is_empty();
            if self.demanded.contains(&phi) || (is_value && self.induction(phi, ProgramPoint::Before).is_none()) {
                values.push(phi);
            }
        }
        values
    }

    /// The operand for a PHI in block `b` with several incoming values.
    pub(super) fn chosen(&mut self, tree: &mut Tree<'_>, phi: Value, b: usize) -> Result<Operand> {
        let block = self.region.blocks[b].handle;
        if self.region.blocks[b].subregion.is_some() {
            let op = self.phi(tree, phi, &self.region.predecessors(block))?;
            self.push(tree, phi, b, op)?;
            return Ok(Operand::Result(phi));
        }
        let Some(k) = self.region.inline_subregion(block) else { return Ok(self.read_cell(tree, phi, phi)) };
        let (ops, values) = self.subregion(tree, k)?;
        if !values.contains(&phi) {
            return Err(Rejection::at(Reason::Scalar, phi.debug_location()));
        }
        tree.ops.extend(ops.into_iter().map(|op| ((0, 0), op)));
        Ok(Operand::Result(phi))
    }

    /// A PHI of which only the values from some blocks count.
    fn phi(&mut self, tree: &mut Tree<'_>, phi: Value, from: &[Block]) -> Result<Op> {
        let mut incoming: Vec<(Block, Operand)> = Vec::new();
        for (value, block) in phi.phi_incoming() {
            if from.contains(&block) && !incoming.iter().any(|(known, _)| *known == block) {
                incoming.push((block, self.operand(tree, value, None)?));
            }
        }
        Ok(Op::Phi { phi, incoming })
    }

    /// Adds the operation that computes `value` in block `b`: to its block if that is inside of a subregion.
    pub(super) fn push(&mut self, tree: &mut Tree<'_>, value: Value, b: usize, op: Op) -> Result<()> {
        match self.region.blocks[b].subregion {
            None => tree.ops.push((self.rank(tree.root, value), op)),
            Some(k) => {
                let place = self.instruction_index(value);
                self.piece(tree, k, b, value)?.push((place, op));
            }
        }
        tree.done.push(value);
        Ok(())
    }

    /// The operations of block `b`, which is inside of the subregion `k` under construction.
    fn piece<'t>(&self, tree: &'t mut Tree<'_>, k: usize, b: usize, value: Value) -> Result<&'t mut Piece> {
        let position = self.region.subregions[k].inside.iter().position(|other| *other == b);
        let open = tree.pieces.iter_mut().find(|(other, _)| *other == k);
        match (position, open) {
            (Some(position), Some((_, pieces))) => Ok(&mut pieces[position]),
            // The value of a subregion used outside of it: no PHI chose it.
            _ => Err(Rejection::at(Reason::Scalar, value.debug_location())),
        }
    }

    /// The operations of a subregion from the jump at the end of its entry to the PHIs of its exit, and these PHIs. What they
    /// need from outside is added to the tree.
    pub(super) fn subregion(&mut self, tree: &mut Tree<'_>, k: usize) -> Result<(Vec<Op>, Vec<Value>)> {
        let subregion = self.region.subregions[k].clone();
        let mut values = self.chosen_values(k);
        if !subregion.inline {
            values.retain(|value| self.demanded.contains(value));
        }
        tree.pieces.push((k, vec![Vec::new(); subregion.inside.len()]));
        for (position, b) in subregion.inside.iter().enumerate() {
            let stores = self.region.blocks[*b].handle.instructions().into_iter().filter(|i| i.is(Opcode::Store));
            for store in stores.collect::<Vec<_>>() {
                let stored =
                    store.memory_access().and_then(|access| access.stored).ok_or_else(|| self.strange(store))?;
                let value = self.operand(tree, stored, None)?;
                let access = self.memory_access(tree, store)?;
                let place = self.instruction_index(store);
                if let Some((_, pieces)) = tree.pieces.last_mut() {
                    pieces[position].push((place, Op::Write { access, value }));
                }
            }
        }
        let mut jumps = Vec::new();
        for b in std::iter::once(&subregion.entry).chain(&subregion.inside) {
            jumps.push(self.jump(tree, *b)?);
        }
        let from: Vec<Block> =
            std::iter::once(&subregion.entry).chain(&subregion.inside).map(|b| self.region.blocks[*b].handle).collect();
        let mut phis = Vec::new();
        for value in &values {
            phis.push(self.phi(tree, *value, &from)?);
        }
        let pieces = tree.pieces.pop().map(|(_, pieces)| pieces).unwrap_or_default();
        let mut jumps = jumps.into_iter();
        let mut ops: Vec<Op> = jumps.next().into_iter().collect();
        for ((b, mut piece), jump) in subregion.inside.iter().zip(pieces).zip(jumps) {
            ops.push(Op::Label { block: self.region.blocks[*b].handle, exit: false });
            piece.sort_by_key(|(place, _)| *place);
            ops.extend(piece.into_iter().map(|(_, op)| op));
            ops.push(jump);
        }
        ops.push(Op::Label { block: subregion.exit, exit: true });
        ops.extend(phis);
        tree.done.extend(&values);
        Ok((ops, values))
    }

    /// How control leaves a block of a subregion, or its entry.
    fn jump(&mut self, tree: &mut Tree<'_>, b: usize) -> Result<Op> {
        let block = self.region.blocks[b].handle;
        let targets = self.region.targets(b);
        let terminator = block.terminator().ok_or(Reason::Terminator)?;
        let reject = || Rejection::at(Reason::Terminator, terminator.debug_location());
        if let Some(switch) = terminator.switch().filter(|_| targets.len() > 1) {
            return self.switch(tree, block, &switch, &targets);
        }
        let condition = match targets.len() {
            1 => None,
            2 if terminator.is(Opcode::Br) => {
                let condition = branch_operand(terminator).ok_or_else(reject)?;
                Some(self.operand(tree, condition, None)?)
            }
            _ => return Err(reject()),
        };
        Ok(Op::Jump { from: block, condition, cases: Vec::new(), targets })
    }

    /// A `switch`, without its side exits: these are assumed not to be taken, so that any target will do in their place.
    fn switch(&mut self, tree: &mut Tree<'_>, from: Block, switch: &Switch, known: &[Block]) -> Result<Op> {
        let condition = Some(self.operand(tree, switch.value, None)?);
        let default = if known.contains(&switch.default) { switch.default } else { known[0] };
        let (mut cases, mut targets) = (Vec::new(), vec![default]);
        for (number, target) in switch.cases.iter().filter(|(_, target)| known.contains(target)) {
            cases.push(*number);
            targets.push(*target);
        }
        Ok(Op::Jump { from, condition, cases, targets })
    }
}
