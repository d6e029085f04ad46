//! `memset` and `memcpy` in a nest: statements with a loop of their own over elements.
//!
//! The compiler makes a call of a loop that clears a row. The model undoes it: the call becomes a loop, which the program does not
//! have, around the write of one element. An element has the largest size that divides the length, the address and the
//! accesses to the same array; the number of elements must be affine.
//!
//! Invariant: the loops of different calls have different indices, behind those of the region, and the same call gets the same
//! index every time.

use super::{Builder, RawAccess, Result, Root, RootKind, Target, Tree};
use crate::detect::scev::{Address, ProgramPoint};
use crate::formula::condition::Dnf;
use crate::formula::poly::{Poly, Sym, gcd};
use crate::host::{BulkSource, Value};
use crate::model::scop::{Op, Operand};
use crate::model::time::Time;
use crate::reasons::{Reason, Rejection};

/// An element has at most as many bytes.
const MOST_BYTES: i128 = 8;

impl Builder<'_, '_, '_> {
    /// The root of a call that writes a range of bytes, which is at `time` in block `b`.
    pub(super) fn bulk_root(&mut self, call: Value, b: usize, time: Time) -> Result<Root> {
        let block = &self.region.blocks[b];
        let index = self.region.loops.len() + self.bulk.len();
        self.bulk.push(call);
        let (_, _, size, length) = self.bulk_ranges(call, b)?;
        let place = Poly::symbol(Sym::Iv(index));
        let end = place.add(&Poly::one()).and_then(|next| next.scale(size)).ok_or(Reason::TooLarge)?;
        let domain = Dnf::le(&Poly::zero(), &place)?.and(&Dnf::le(&end, &length)?)?.and(&block.domain)?;
        Ok(Root {
            kinds: vec![RootKind::Bulk(call)],
            loops: [block.loops.as_slice(), &[index]].concat(),
            time: [time.as_slice(), &[place]].concat(),
            domain,
            place: ProgramPoint::Block(b),
            block: Some(b),
        })
    }

    /// The operations of the statement for one element.
    pub(super) fn bulk_statement(&mut self, tree: &mut Tree<'_>, call: Value) -> Result<Vec<Op>> {
        let bulk = call.bulk_write().ok_or_else(|| self.strange(call))?;
        let b = self.block_of(call).ok_or_else(|| self.strange(call))?;
        let index = tree.root.loops.last().copied().ok_or_else(|| self.strange(call))?;
        let (to, from, size, _) = self.bulk_ranges(call, b)?;
        let moved = |offset: &Poly| {
            let step = Poly::symbol(Sym::Iv(index)).scale(size);
            step.and_then(|step| offset.add(&step)).ok_or(Reason::TooLarge)
        };
        let mut ops = Vec::new();
        let value = match (bulk.source, from) {
            (BulkSource::Byte(byte), _) => self.operand(tree, byte, None)?,
            (_, Some(from)) => {
                let offset = moved(&from.offset)?;
                let access = self.bulk_access(tree, call, from, offset, size, false)?;
                ops.push(Op::Read { access, result: call });
                Operand::Result(call)
            }
            (_, None) => return Err(self.strange(call)),
        };
        let offset = moved(&to.offset)?;
        let access = self.bulk_access(tree, call, to, offset, size, true)?;
        ops.push(Op::Write { access, value });
        Ok(ops)
    }

    fn bulk_access(
        &mut self,
        tree: &mut Tree<'_>,
        call: Value,
        range: Address,
        offset: Poly,
        bytes: i128,
        is_write: bool,
    ) -> Result<usize> {
        let target = Target::Memory(self.base_index(&range));
        let b = self.block_of(call).ok_or_else(|| self.strange(call))?;
        let (entered, entries) = (self.entered(&range, b, call)?, range.entries);
        let (is_certain, instruction) = (true, Some(call));
        tree.accesses.push(RawAccess { target, entries, entered, is_write, is_certain, offset, bytes, instruction });
        Ok(tree.accesses.len() - 1)
    }

    /// Destination, source if there is one, size of an element and number of bytes.
    fn bulk_ranges(&mut self, call: Value, b: usize) -> Result<(Address, Option<Address>, i128, Poly)> {
        let reject = || {
            let callee = call.callee_user_name().unwrap_or_default();
            Rejection::at(Reason::Call { callee }, call.debug_location())
        };
        let bulk = call.bulk_write().ok_or_else(reject)?;
        let to = self.bulk_range(call, bulk.pointer, b)?;
        let from = match bulk.source {
            BulkSource::Byte(_) => None,
            BulkSource::Apart(from) => Some(self.bulk_range(call, from, b)?),
            // Element by element only if they are known to be apart; the guard shows that of different arrays.
            BulkSource::Anywhere(from) => Some(self.bulk_range(call, from, b)?)
                .filter(|from| from.base != to.base || from.entries.len() != to.entries.len()),
        };
        if from.is_none() && !matches!(bulk.source, BulkSource::Byte(_)) {
            return Err(reject());
        }
        let scope = self.host.loop_of(self.region.blocks[b].handle);
        let length = self.host.scev_at_scope(bulk.length, scope).ok_or_else(reject)?;
        let length = self.reader.unsigned(length, ProgramPoint::Block(b), self.region).map_err(|_| reject())?;
        let loops = &self.region.blocks[b].loops;
        let foreign = length.symbols().any(|s| matches!(s, Sym::Iv(l) if !loops.contains(&l)));
        if !length.is_affine() || foreign {
            return Err(reject());
        }
        let mut size = gcd(gcd(MOST_BYTES, length.content()), to.offset.content());
        for range in [Some(&to), from.as_ref()].into_iter().flatten() {
            size = gcd(size, gcd(range.offset.content(), self.access_sizes(range)));
        }
        Ok((to, from, size, length))
    }

    fn bulk_range(&mut self, call: Value, pointer: Value, b: usize) -> Result<Address> {
        let unknown = || Rejection::at(Reason::Access { array: pointer.source_name() }, call.debug_location());
        let scope = self.host.loop_of(self.region.blocks[b].handle);
        let scev = self.host.scev_at_scope(pointer, scope).ok_or_else(unknown)?;
        let address = self.reader.address(scev, ProgramPoint::Block(b), self.region).map_err(|_| unknown())?;
        let loops = &self.region.blocks[b].loops;
        if address.polys().flat_map(Poly::symbols).any(|s| matches!(s, Sym::Iv(l) if !loops.contains(&l))) {
            return Err(unknown());
        }
        Ok(address)
    }

    /// The greatest common divisor of the sizes of loads and stores that may be in the same array: they start from the same
    /// pointer, or also from one that is computed inside.
    fn access_sizes(&self, range: &Address) -> i128 {
        let inside = |pointer: Value| !range.entries.is_empty() && self.block_of(pointer).is_some();
        let mut size = 0;
        for instruction in self.region.blocks.iter().flat_map(|block| block.handle.instructions()) {
            let Some(access) = instruction.memory_access() else { continue };
            let start = self.host.scev(access.pointer).and_then(|scev| self.host.pointer_base(scev));
            let start = start.and_then(|start| start.unknown_value());
            if start.is_some_and(|start| start == range.base || inside(start)) {
                size = gcd(size, self.host.store_size(access.ty).map_or(1, i128::from));
            }
        }
        size
    }
}
