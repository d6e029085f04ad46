//! Copies of elements of an array to a buffer, and back.
//!
//! Rows that are rows in the buffer, too, are copied as bytes. A loop over their elements would become vectors, with a second loop for what these leave:
//! that runs as fast, but takes the compiler as long as the loops that compute. (Rows of zeros by `memset` cost 2 ns per row: 3 % of three products of
//! 18 x 18.)

use super::Emitter;
use super::transposed::{goes_along, moving_argument};
use crate::emit::scopes::Placed;
use crate::formula::poly::Sym;
use crate::host::{Edit, EditError, IntOp, IntPredicate};
use crate::model::scop::{Access, Pack, Storage};
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{Ast, For};

impl<'s> Emitter<'_, '_, 's> {
    /// Copies one element. What is copied has the type that the program reads, so that all its bits stay.
    pub(super) fn pack(&mut self, pack: &Pack, args: &[Placed]) -> Edit<()> {
        let editor = self.scopes.editor;
        let from = self.memory_address(&pack.dims, &pack.from, args)?;
        let to = self.memory_address(&pack.dims, &pack.to, args)?;
        self.numbering.enter(self.scopes.block());
        let value = editor.load(pack.ty, from, self.align(pack, &pack.from))?;
        self.annotate(value, pack.from.array)?;
        let store = editor.store(value, to, self.align(pack, &pack.to))?;
        if let Some(before) = self.numbering.store(pack.to.array, to, value, store) {
            editor.discard_store(before)?;
        }
        self.annotate(store, pack.to.array)
    }

    /// Builds a loop that copies a row to a row; false, and nothing is built, for others.
    pub(super) fn copied_row(&mut self, node: &For) -> Edit<bool> {
        let Some(pack) = self.row_of(node) else { return Ok(false) };
        let upper = node.upper.as_ref().ok_or_else(|| EditError::new("a loop without end"))?;
        let (lower, upper) = (self.expr(&node.lower)?, self.expr(upper)?);
        let is_there = self.scopes.compare(IntPredicate::Sle, lower, upper)?;
        self.fork(is_there, [Some(&node.body), None], &mut |emitter, body| {
            let Ast::User { args, .. } = body else { return Err(EditError::new("a row without copies")) };
            emitter.iters.insert(node.iter, lower);
            let args = args.iter().map(|arg| emitter.expr(arg)).collect::<Edit<Vec<_>>>()?;
            emitter.iters.remove(&node.iter);
            let unit = i64::try_from(emitter.scop.arrays[pack.to.array].unit).map_err(|_| EditError::too_large())?;
            let (one, unit) = (emitter.scopes.constant(&Int::one())?, emitter.scopes.constant(&Int::from(unit))?);
            let last = emitter.scopes.modular(IntOp::Sub, upper, lower)?;
            let count = emitter.scopes.modular(IntOp::Add, last, one)?;
            let bytes = emitter.scopes.modular(IntOp::Mul, count, unit)?;
            let from = emitter.memory_address(&pack.dims, &pack.from, &args)?;
            let to = emitter.memory_address(&pack.dims, &pack.to, &args)?;
            emitter.scopes.at_end();
            let (to, from) = ((to, emitter.align(pack, &pack.to)), (from, emitter.align(pack, &pack.from)));
            emitter.scopes.editor.copy_bytes(to, from, bytes.value)?;
            Ok(())
        })?;
        Ok(true)
    }

    /// What a loop copies, if these are rows in both places.
    fn row_of(&self, node: &For) -> Option<&'s Pack> {
        let Ast::User { stmt, args } = &*node.body else { return None };
        if self.kernel.is_some() || self.visitor.is_some() || !node.step.is_one() || node.test.is_some() {
            return None;
        }
        let pack = self.scop.packs.iter().find(|pack| *pack.name == **stmt)?;
        let dim = pack.dims[moving_argument(pack, args, node.iter)?];
        let unit = self.scop.arrays[pack.to.array].unit;
        let is_row = goes_along(&pack.from.offset, dim, unit) && goes_along(&pack.to.offset, dim, unit);
        let mut entries = pack.from.entries.iter().chain(&pack.to.entries);
        let is_one = entries.all(|entry| entry.symbols().all(|symbol| symbol != Sym::Iv(dim)));
        (is_row && is_one).then_some(pack)
    }

    /// The alignment of what a copy reads or writes.
    fn align(&self, pack: &Pack, access: &Access) -> u64 {
        match self.scop.arrays[access.array].storage {
            Storage::Buffer(_) => self.unit_align(access.array),
            _ => pack.align,
        }
    }

    /// The alignment of an element of a buffer, which begins at a multiple of a cache line, or of the array itself.
    pub(super) fn unit_align(&self, array: usize) -> u64 {
        let unit = u64::try_from(self.scop.arrays[array].unit).unwrap_or(1);
        let align = 1 << unit.trailing_zeros().min(6);
        self.scop.arrays[array].in_place.map_or(align, |in_place| align.min(in_place.align))
    }
}
