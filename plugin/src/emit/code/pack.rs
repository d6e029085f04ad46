//! Copies of elements of an array to a buffer.

use super::Emitter;
use crate::emit::scopes::Placed;
use crate::host::Edit;
use crate::model::scop::Pack;

impl Emitter<'_, '_, '_> {
    /// Copies one element. What is copied has the type that the program reads, so that all its bits stay.
    pub(super) fn pack(&mut self, pack: &Pack, args: &[Placed]) -> Edit<()> {
        let editor = self.scopes.editor;
        let from = self.memory_address(&pack.dims, &pack.from, args)?;
        let to = self.memory_address(&pack.dims, &pack.to, args)?;
        self.numbering.enter(self.scopes.block());
        let value = editor.load(pack.ty, from, pack.align)?;
        self.annotate(value, pack.from.array)?;
        let store = editor.store(value, to, self.unit_align(pack.to.array))?;
        if let Some(before) = self.numbering.store(pack.to.array, to, value, store) {
            editor.discard_store(before)?;
        }
        self.annotate(store, pack.to.array)
    }

    /// The alignment of an element of a buffer, which begins at a multiple of a cache line.
    pub(super) fn unit_align(&self, array: usize) -> u64 {
        let unit = u64::try_from(self.scop.arrays[array].unit).unwrap_or(1);
        1 << unit.trailing_zeros().min(6)
    }
}
