//! The journal of edits: every change of the function is written down with its inverse, so that undoing the journal in
//! reverse order gives back the function as it was: to the byte of its printed form, and to the order of use lists, which
//! later passes depend on.
//!
//! What is taken out is detached, not freed, until the run is over: handles stay valid during the run.

use super::ffi;
use super::handles::{Block, Metadata, Value};

/// One edit, as what undoes it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Undo {
    /// An instruction was created.
    CreatedInstruction(Value),
    /// An instruction was created, and taken out again: nothing is left to undo.
    Discarded,
    /// A block was created.
    CreatedBlock(Block),
    /// A function was declared, or a constant of the module created.
    CreatedGlobal(Value),
    /// A constant of the module got its value.
    Initialised(Value),
    /// An operand was replaced; it stood at that position in the use list of the old value.
    Operand { user: Value, index: u32, old: Value, position: usize },
    /// A phi got one more incoming value, its last.
    AddedIncoming(Value),
    /// An incoming block of a phi was replaced.
    IncomingBlock { phi: Value, index: u32, old: Block },
    /// Metadata of an instruction was replaced.
    Metadata { instruction: Value, kind: u32, old: Option<Metadata> },
}

/// The edits since the last commit, and what was taken out during the run.
#[derive(Debug, Default)]
pub(super) struct Journal {
    edits: Vec<Undo>,
    detached_instructions: Vec<Value>,
    detached_blocks: Vec<Block>,
}

impl Journal {
    /// Writes down an edit that was just made.
    pub(super) fn push(&mut self, edit: Undo) {
        self.edits.push(edit);
    }

    /// Takes an instruction out that was created since the last commit and that nothing uses: whether it was.
    pub(super) fn discard(&mut self, instruction: Value) -> bool {
        let is_it = |edit: &&mut Undo| matches!(edit, Undo::CreatedInstruction(created) if *created == instruction);
        let Some(edit) = self.edits.iter_mut().rev().find(is_it) else { return false };
        *edit = Undo::Discarded;
        // SAFETY: the instruction was created in this run and is not freed before its end.
        unsafe { ffi::tessera_detach_instruction(instruction.raw()) };
        self.detached_instructions.push(instruction);
        true
    }

    /// How many edits can be undone.
    pub(super) fn len(&self) -> usize {
        self.edits.len()
    }

    /// Forgets the inverses: the edits stay.
    pub(super) fn commit(&mut self) {
        self.edits.clear();
    }

    /// Undoes edits, the latest first, until `length` are left.
    pub(super) fn undo_to(&mut self, length: usize) {
        while self.edits.len() > length {
            let Some(edit) = self.edits.pop() else { return };
            self.undo(edit);
        }
    }

    fn undo(&mut self, edit: Undo) {
        // SAFETY: the handles were live when the edit was written down, and nothing is freed during a run. Edits are
        // undone in reverse order, so each finds the function as it was right after the edit: indices are in range,
        // and what was created is used by nothing any more.
        unsafe {
            match edit {
                Undo::CreatedInstruction(instruction) => {
                    ffi::tessera_detach_instruction(instruction.raw());
                    self.detached_instructions.push(instruction);
                }
                Undo::Discarded => {}
                Undo::CreatedBlock(block) => {
                    ffi::tessera_detach_block(block.raw());
                    self.detached_blocks.push(block);
                }
                Undo::CreatedGlobal(global) => ffi::tessera_erase_global(global.raw()),
                Undo::Initialised(global) => ffi::tessera_forget_initialiser(global.raw()),
                Undo::Operand { user, index, old, position } => {
                    ffi::tessera_restore_operand(user.raw(), index, old.raw(), position);
                }
                Undo::AddedIncoming(phi) => ffi::tessera_phi_pop_incoming(phi.raw()),
                Undo::IncomingBlock { phi, index, old } => {
                    ffi::tessera_phi_set_block(phi.raw(), index, old.raw());
                }
                Undo::Metadata { instruction, kind, old } => {
                    let node = old.map_or(std::ptr::null_mut(), Metadata::raw);
                    ffi::tessera_set_metadata(instruction.raw(), kind, node);
                }
            }
        }
    }

    /// Frees what was taken out. Only at the very end of a run: handles to it become invalid.
    pub(super) fn free_detached(&mut self) {
        for instruction in self.detached_instructions.drain(..) {
            // SAFETY: the instruction was detached by `undo`, is in no block, and nothing of the run is left to use it.
            unsafe { ffi::tessera_delete_detached(instruction.raw()) };
        }
        for block in self.detached_blocks.drain(..) {
            // SAFETY: the block was detached by `undo`, and nothing of the run is left to use it.
            unsafe { ffi::tessera_delete_block(block.raw()) };
        }
    }
}
