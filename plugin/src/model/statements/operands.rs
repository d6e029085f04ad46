//! Operand trees: what a statement computes, down to loads, counters, cells and values from before the region.

use super::{Base, Builder, MAX_OPERATIONS, RawAccess, Result, Target, Tree, cell_access, is_pure_or_load};
use crate::detect::pure::is_pure;
use crate::detect::scev::{Address, ProgramPoint};
use crate::formula::poly::{Poly, Sym};
use crate::host::{Opcode, Value};
use crate::model::scop::{Op, Operand};
use crate::model::time::{Time, of_earlier, of_instruction};
use crate::reasons::{Reason, Rejection};

/// Longer polynomials are computed as the program does it.
const MAX_TERMS: usize = 5;

/// How deep sums and products are nested in them.
const MAX_DEPTH: usize = 3;

impl Builder<'_, '_, '_> {
    /// The operand that stands for `value` in the statement, adding what computes it. `writing` is the cell that the
    /// root writes, which therefore must be computed and not read if it is a cut.
    pub(super) fn operand(&mut self, tree: &mut Tree<'_>, value: Value, writing: Option<Value>) -> Result<Operand> {
        let Some(block) = value.parent() else { return Ok(Operand::Invariant(value)) };
        let Some(b) = self.region.block_index(block) else { return Ok(Operand::Invariant(value)) };
        if tree.done.contains(&value) {
            return Ok(Operand::Result(value));
        }
        let loops = self.region.blocks[b].loops.clone();
        let inside = loops.len() <= tree.root.loops.len() && tree.root.loops[..loops.len()] == loops[..];
        if !inside {
            return self.exit_value(tree, value, &loops);
        }
        if self.cuts.contains(&value) && writing != Some(value) {
            return Ok(self.read_cell(tree, value, value));
        }
        let location = value.debug_location();
        match value.opcode() {
            Some(Opcode::Phi) => {
                let incoming = self.region.values_of(value);
                if let [(only, _)] = incoming.as_slice() {
                    return self.operand(tree, *only, None);
                }
                if let Some(poly) = self.induction(value, tree.root.place) {
                    return Ok(Operand::Affine(poly, value.ty()));
                }
                if let Some(known) = self.fixed_pointer(value) {
                    return Ok(Operand::Invariant(known));
                }
                self.chosen(tree, value, b)
            }
            Some(Opcode::Load) if let Some(known) = self.reader.invariant_of(value) => Ok(Operand::Invariant(known)),
            Some(Opcode::Load) => {
                let access = self.memory_access(tree, value)?;
                let time = of_instruction(self.region, b, value)?;
                tree.loads.push((access, time));
                self.push(tree, value, b, Op::Read { access, result: value })?;
                Ok(Operand::Result(value))
            }
            // A frozen value is one value: computing it again could choose another one.
            Some(Opcode::Freeze) if writing != Some(value) && self.region.blocks[b].subregion.is_none() => {
                self.cut(value);
                Err(Rejection::at(Reason::Scalar, location))
            }
            Some(Opcode::Trunc) if let Some(poly) = self.residue(value, tree.root.place) => {
                Ok(Operand::Affine(poly, value.ty()))
            }
            _ if is_pure(value) => {
                if tree.done.len() > MAX_OPERATIONS {
                    return Err(Rejection::at(Reason::TooComplex, location));
                }
                let mut operands = Vec::new();
                for operand in value.operands() {
                    operands.push(self.operand(tree, operand, None)?);
                }
                self.push(tree, value, b, Op::Compute { instruction: value, operands })?;
                Ok(Operand::Result(value))
            }
            _ => Err(self.strange(value)),
        }
    }

    /// The polynomial of counters and parameters that a number is the residue of, if it is one whatever happens: it can be computed
    /// in the width of the residue.
    fn residue(&mut self, value: Value, place: ProgramPoint) -> Option<Poly> {
        let (wide, width) = (value.operand(0)?, value.ty().int_bits()?);
        wide.ty().int_bits().filter(|bits| *bits <= 64 && width > 1)?;
        let mark = self.reader.mark();
        let poly = self.ring(wide, place, MAX_DEPTH);
        let poly = poly.filter(|poly| self.reader.mark() == mark && poly.terms().count() <= MAX_TERMS);
        if poly.is_none() {
            self.reader.reset(mark);
        }
        poly
    }

    /// A number as a polynomial, modulo what its width can tell apart: scalar evolution knows sums, and products of a counter and a
    /// constant of its loop.
    fn ring(&mut self, value: Value, place: ProgramPoint, depth: usize) -> Option<Poly> {
        let mark = self.reader.mark();
        if let Some(poly) = self.host.scev(value).and_then(|scev| self.reader.poly(scev, place, self.region).ok()) {
            return Some(poly);
        }
        self.reader.reset(mark);
        let (left, right) = value.operand(0).zip(value.operand(1)).filter(|_| depth > 0)?;
        let combine = match value.opcode()? {
            Opcode::Add => Poly::add,
            Opcode::Sub => Poly::sub,
            Opcode::Mul => Poly::mul,
            _ => return None,
        };
        combine(&self.ring(left, place, depth - 1)?, &self.ring(right, place, depth - 1)?)
    }

    pub(super) fn read_cell(&mut self, tree: &mut Tree<'_>, cell: Value, result: Value) -> Operand {
        if !tree.done.contains(&result) {
            let access = tree.accesses.len();
            tree.accesses.push(cell_access(cell, false));
            tree.ops.push(((0, 0), Op::Read { access, result }));
            tree.done.push(result);
        }
        Operand::Result(result)
    }

    /// A value computed in a loop that has ended when the root executes.
    fn exit_value(&mut self, tree: &mut Tree<'_>, value: Value, loops: &[usize]) -> Result<Operand> {
        let host = self.host;
        if self.cuts.contains(&value) {
            return Ok(self.read_cell(tree, value, value));
        }
        let common = loops.iter().zip(&tree.root.loops).take_while(|(a, b)| a == b).count();
        let ended = loops[common];
        let scope = self.region.loops[ended].parent.map(|parent| self.region.loops[parent].handle);
        let scope = scope.or_else(|| self.region.loops[0].handle.parent());
        if value.ty().int_bits().is_some_and(|bits| bits <= 64)
            && let Some(scev) = host.scev_at_scope(value, scope)
        {
            let known = self.reader.assumptions.len();
            match self.reader.poly(scev, tree.root.place, self.region) {
                Ok(poly) if poly.symbols().all(|s| !matches!(s, Sym::Iv(l) if !tree.root.loops.contains(&l))) => {
                    return Ok(Operand::Affine(poly, value.ty()));
                }
                _ => self.reader.assumptions.truncate(known),
            }
        }
        let current = &self.region.loops[ended];
        let header = current.header;
        let (rotated, latch) = (current.exiting == current.latch, current.latch);
        let in_header = value.parent() == Some(header);
        if current.exiting == header && !rotated && in_header && self.is_phi_cell(value) {
            return Ok(self.read_cell(tree, value, value));
        }
        if rotated {
            let phis = header.instructions().into_iter().take_while(|v| v.is(Opcode::Phi));
            for phi in phis {
                let carries = phi.phi_incoming().iter().any(|(v, block)| *block == latch && *v == value);
                if carries && self.is_phi_cell(phi) {
                    return Ok(self.read_cell(tree, phi, value));
                }
            }
        }
        // A PHI with one incoming value (LCSSA) in an inner loop's exit.
        if value.is(Opcode::Phi)
            && let [(only, _)] = self.region.values_of(value).as_slice()
            && !in_header
        {
            return self.operand(tree, *only, None);
        }
        // Any other value: keep the last one computed, and start again with that cell.
        let chosen =
            value.is(Opcode::Phi) && value.parent().is_some_and(|block| self.region.inline_subregion(block).is_some());
        if chosen || is_pure_or_load(value) {
            self.cut(value);
        }
        Err(Rejection::at(Reason::Scalar, value.debug_location()))
    }

    fn is_phi_cell(&mut self, value: Value) -> bool {
        value.is(Opcode::Phi) && self.is_cell(value)
    }

    pub(super) fn memory_access(&mut self, tree: &mut Tree<'_>, instruction: Value) -> Result<usize> {
        let host = self.host;
        let location = instruction.debug_location();
        let reject = |reason| Rejection::at(reason, location.clone());
        let access = instruction.memory_access().ok_or_else(|| self.strange(instruction))?;
        if access.volatile || access.atomic {
            return Err(reject(Reason::OrderedAccess));
        }
        let pointer = access.pointer;
        let block = instruction.parent().ok_or_else(|| self.strange(instruction))?;
        let scope = host.loop_of(block);
        let unknown = |value: Value| reject(Reason::Access { array: value.source_name() });
        let scev = host.scev_at_scope(pointer, scope).ok_or_else(|| unknown(pointer))?;
        let shown = host.pointer_base(scev).and_then(|base| base.unknown_value()).unwrap_or(pointer);
        let b = self.region.block_index(block).ok_or_else(|| self.strange(instruction))?;
        let address = self.reader.address(scev, ProgramPoint::Block(b), self.region);
        let address = address.map_err(|reason| match reason {
            Reason::ChangingBase => reject(reason),
            _ => unknown(self.reader.holder(shown)),
        })?;
        let loops = &self.region.blocks[b].loops;
        if address.polys().flat_map(Poly::symbols).any(|s| matches!(s, Sym::Iv(l) if !loops.contains(&l))) {
            return Err(unknown(self.reader.holder(address.base)));
        }
        let entered = self.entered(&address, b, instruction)?;
        let bytes = host.store_size(access.ty).ok_or_else(|| self.strange(instruction))?;
        if bytes == 0 {
            return Err(self.strange(instruction));
        }
        let index = self.base_index(&address);
        let Address { entries, offset, .. } = address;
        tree.accesses.push(RawAccess {
            target: Target::Memory(index),
            entries,
            entered,
            is_write: access.stored.is_some(),
            is_certain: self.region.blocks[b].subregion.is_none(),
            offset,
            bytes: i128::from(bytes),
            instruction: Some(instruction),
        });
        Ok(tree.accesses.len() - 1)
    }

    /// The index of the array that an address is in.
    pub(super) fn base_index(&mut self, address: &Address) -> usize {
        let base = Base { pointer: address.base, depth: address.entries.len() };
        self.bases.iter().position(|other| *other == base).unwrap_or_else(|| {
            self.bases.push(base);
            self.bases.len() - 1
        })
    }

    /// When the program has read the entries that lead to the address of an access in block `b`.
    pub(super) fn entered(&self, address: &Address, b: usize, access: Value) -> Result<Time> {
        let Some(last) = address.entries.last() else { return Ok(Time::new()) };
        Ok(of_earlier(self.region, last.known_at, b, access)?)
    }
}
