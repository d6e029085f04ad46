//! Changing the function: blocks, edges, phis, operands; commit and roll back.
//!
//! Every method that changes something writes the inverse into the run's journal, so [`Editor::roll_back_to`] (and, after
//! a panic, the session) restores the function exactly. Instructions of the original code are never erased: code that
//! becomes unreachable is left to the compiler's own clean-up.
//!
//! Misuse is an error, not undefined behaviour: types and positions are checked before LLVM is called.

use super::analyses::Analyses;
use super::device::DeviceModule;
use super::ffi::{self, ContextRef};
use super::handles::{Block, Function, Type, Value};
use super::journal::Undo;
use super::opcode::Opcode;
use super::session::Session;
use super::value::Use;
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::context::ContextRef as InkwellContext;
use inkwell::values::InstructionValue;
use llvm_sys::core;
use llvm_sys::prelude::{LLVMContextRef, LLVMValueRef};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

/// Why an edit was refused: an error of the plugin, or a number that does not fit its width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditError(String);

const TOO_LARGE: &str = "a number in the new code may not fit";

impl EditError {
    /// An error with that sentence.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// The refusal of a number that may not fit its width; no error of the plugin.
    pub fn too_large() -> Self {
        Self::new(TOO_LARGE)
    }

    /// Whether it is that refusal.
    pub fn is_too_large(&self) -> bool {
        self.0 == TOO_LARGE
    }
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EditError {}

impl From<inkwell::builder::BuilderError> for EditError {
    fn from(error: inkwell::builder::BuilderError) -> Self {
        Self(error.to_string())
    }
}

/// The result of an edit.
pub(crate) type Edit<T> = Result<T, EditError>;

/// Where new instructions go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// After the last instruction of the block.
    End(Block),
    /// Before the instruction.
    Before(Value),
}

/// A point in the journal to go back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Checkpoint(usize);

/// Changes the function of a run. Instructions are built at a current position; see `build.rs` for them.
pub struct Editor<'a> {
    pub(super) session: &'a Session,
    pub(super) context: ContextRef,
    pub(super) builder: Builder<'a>,
    position: Cell<Option<Position>>,
    /// Per hint: the number that its next name tries first.
    numbers: RefCell<BTreeMap<String, u64>>,
    /// The kernel that is built, and its module, where it is not the function of the run.
    kernel: Option<(Rc<DeviceModule>, Function)>,
}

impl<'a> Editor<'a> {
    pub(super) fn new(session: &'a Session, context: ContextRef) -> Self {
        // SAFETY: the context is live for `'a`; inkwell's reference borrows it and never disposes of it.
        let builder = unsafe { InkwellContext::<'a>::new(ffi::tessera_llvm_context(context)).create_builder() };
        Self { session, context, builder, position: Cell::new(None), numbers: RefCell::default(), kernel: None }
    }

    /// An editor that builds a kernel of a module for a device. What it does is in that module's journal, which nobody undoes: a module
    /// that is not wanted is left alone. Transactions are still those of the function of the run.
    pub fn of_kernel(&self, module: &Rc<DeviceModule>, kernel: Function) -> Self {
        Self { kernel: Some((module.clone(), kernel)), ..Self::new(self.session, self.context) }
    }

    /// The analyses of the run (of the function before any edit).
    pub fn analyses(&self) -> Analyses<'a> {
        Analyses::new(self.context)
    }

    /// The function that is built: that of the run, or a kernel.
    pub fn function(&self) -> Function {
        self.kernel.as_ref().map_or_else(|| self.analyses().function(), |(_, kernel)| *kernel)
    }

    /// Whether a kernel is built.
    pub(super) fn is_of_kernel(&self) -> bool {
        self.kernel.is_some()
    }

    /// Writes an edit down.
    pub(super) fn log(&self, edit: Undo) {
        match &self.kernel {
            Some((module, _)) => module.log(edit),
            None => self.session.log(edit),
        }
    }

    /// Takes an instruction out again that was built since the last commit: whether it was.
    pub(super) fn discard(&self, instruction: Value) -> bool {
        match &self.kernel {
            Some((module, _)) => module.discard(instruction),
            None => self.session.discard(instruction),
        }
    }

    pub(super) fn llvm_context(&self) -> LLVMContextRef {
        // SAFETY: the context is live for `'a`.
        unsafe { ffi::tessera_llvm_context(self.context) }
    }

    // ---- transactions ----

    /// The present point in the journal.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint(self.session.edits())
    }

    /// Undoes all edits since the checkpoint. Handles to what was created stay valid but are out of the function.
    pub fn roll_back_to(&self, checkpoint: Checkpoint) {
        self.builder.clear_insertion_position();
        self.position.set(None);
        self.session.undo_to(checkpoint.0);
    }

    /// Makes all edits so far permanent and marks the function as transformed. Verify first.
    pub fn commit(&self) {
        self.session.commit();
    }

    /// Runs LLVM's verifier on the function; the error is its complaints.
    pub fn verify(&self) -> Result<(), String> {
        self.function().verify()
    }

    // ---- positions ----

    /// The current position.
    pub fn position(&self) -> Option<Position> {
        self.position.get()
    }

    /// Builds at the end of the block from now on.
    pub fn at_end(&self, block: Block) {
        self.builder.position_at_end(inkwell_block(block));
        self.position.set(Some(Position::End(block)));
    }

    /// Builds before the instruction from now on. The source line of new instructions does not change.
    pub fn before(&self, instruction: Value) -> Edit<()> {
        if instruction.parent().is_none() {
            return Err(EditError::new("the position is not an instruction in a block"));
        }
        // SAFETY: the handle is a live instruction in a block.
        let instruction_value = unsafe { InstructionValue::new(instruction.raw()) };
        // SAFETY: the builder is live.
        let location = unsafe { core::LLVMGetCurrentDebugLocation2(self.builder.as_mut_ptr()) };
        self.builder.position_before(&instruction_value);
        // SAFETY: the builder is live; null means "no location".
        unsafe { core::LLVMSetCurrentDebugLocation2(self.builder.as_mut_ptr(), location) };
        self.position.set(Some(Position::Before(instruction)));
        Ok(())
    }

    /// Goes back to a position from [`Self::position`].
    pub fn restore_position(&self, position: Option<Position>) -> Edit<()> {
        match position {
            Some(Position::End(block)) => {
                self.at_end(block);
                Ok(())
            }
            Some(Position::Before(instruction)) => self.before(instruction),
            None => {
                self.builder.clear_insertion_position();
                self.position.set(None);
                Ok(())
            }
        }
    }

    /// The block that is built into.
    pub fn current_block(&self) -> Option<Block> {
        match self.position.get()? {
            Position::End(block) => Some(block),
            Position::Before(instruction) => instruction.parent(),
        }
    }

    /// Gives new instructions the source line of that one, or none.
    pub fn set_debug_location_of(&self, instruction: Option<Value>) {
        let location = match instruction.filter(|value| value.is_instruction()) {
            // SAFETY: the handle is a live instruction.
            Some(value) => unsafe { llvm_sys::debuginfo::LLVMInstructionGetDebugLoc(value.raw()) },
            None => std::ptr::null_mut(),
        };
        // SAFETY: the builder is live; null removes the location.
        unsafe { core::LLVMSetCurrentDebugLocation2(self.builder.as_mut_ptr(), location) };
    }

    // ---- names ----

    /// `tessera.<hint>`, made unique by a number. Unique names keep LLVM's own counters untouched.
    pub(super) fn fresh_name(&self, hint: &str) -> String {
        let mut numbers = self.numbers.borrow_mut();
        let number = numbers.entry(hint.into()).or_insert(0u64);
        loop {
            let name = if *number == 0 { format!("tessera.{hint}") } else { format!("tessera.{hint}.{number}") };
            *number += 1;
            if !self.is_taken(&name) {
                return name;
            }
        }
    }

    fn is_taken(&self, name: &str) -> bool {
        // SAFETY: the function is live; the name is passed with its length.
        unsafe { ffi::tessera_has_name(self.function().raw(), name.as_ptr().cast(), name.len()) != 0 }
    }

    // ---- blocks and edges ----

    /// A new empty block `tessera.<hint>`, laid out after `after`, or last.
    pub fn create_block(&self, hint: &str, after: Option<Block>) -> Edit<Block> {
        if after.is_some_and(|block| block.function() != Some(self.function())) {
            return Err(EditError::new("the block to insert after is not in the function"));
        }
        let name = self.fresh_name(hint);
        // SAFETY: the function is live and `after` is one of its blocks or null; the name is passed with its length.
        let raw = unsafe {
            ffi::tessera_create_block(
                self.function().raw(),
                after.map_or(std::ptr::null_mut(), Block::raw),
                name.as_ptr().cast(),
                name.len(),
            )
        };
        let block = Block::from_raw(raw).ok_or_else(|| EditError::new("LLVM made no block"))?;
        self.log(Undo::CreatedBlock(block));
        Ok(block)
    }

    /// Replaces target `index` of a branch or switch. Phis in the old and new target are not touched.
    pub fn set_successor(&self, terminator: Value, index: usize, target: Block) -> Edit<()> {
        let count = terminator.parent().map(Block::successors).unwrap_or_default().len();
        if index >= count {
            return Err(EditError::new("the terminator has no such target"));
        }
        // A branch keeps its targets last and backwards, a switch each behind its case value.
        let operand = match terminator.opcode() {
            Some(Opcode::Br) => terminator.operands().len() - 1 - index,
            Some(Opcode::Switch) => 2 * index + 1,
            _ => return Err(EditError::new("only targets of branches and switches can be replaced")),
        };
        self.set_operand(terminator, operand, target.as_value())
    }

    /// Replaces every target `from` of a terminator by `to`. Phis are not touched.
    pub fn redirect(&self, terminator: Value, from: Block, to: Block) -> Edit<()> {
        let successors = terminator.parent().map(Block::successors).unwrap_or_default();
        for (index, target) in successors.into_iter().enumerate() {
            if target == from {
                self.set_successor(terminator, index, to)?;
            }
        }
        Ok(())
    }

    // ---- phis and operands ----

    /// A new phi `tessera.<hint>` after the other phis of the block. The position does not change.
    pub fn phi(&self, block: Block, ty: Type, hint: &str) -> Edit<Value> {
        let kept = self.position.get();
        match block.instructions().into_iter().find(|instruction| !instruction.is(Opcode::Phi)) {
            Some(instruction) => self.before(instruction)?,
            None => self.at_end(block),
        }
        let name = c_name(&self.fresh_name(hint))?;
        // SAFETY: the builder is positioned in a live block behind its phis; the type is live.
        let raw = unsafe { core::LLVMBuildPhi(self.builder.as_mut_ptr(), ty.raw(), name.as_ptr()) };
        let phi = self.created(raw)?;
        self.restore_position(kept)?;
        Ok(phi)
    }

    /// Adds an incoming value to a phi.
    pub fn add_incoming(&self, phi: Value, value: Value, from: Block) -> Edit<()> {
        require_phi(phi)?;
        require_type(value, phi.ty(), "the incoming value of a phi")?;
        let mut values = [value.raw()];
        let mut blocks = [from.raw()];
        // SAFETY: the handle is a live phi; one value of its type and one block are passed.
        unsafe { core::LLVMAddIncoming(phi.raw(), values.as_mut_ptr(), blocks.as_mut_ptr(), 1) };
        self.log(Undo::AddedIncoming(phi));
        Ok(())
    }

    /// Replaces the incoming block `old` of a phi by `new` (every entry of it).
    pub fn replace_incoming_block(&self, phi: Value, old: Block, new: Block) -> Edit<()> {
        require_phi(phi)?;
        for (index, (_, from)) in phi.phi_incoming().into_iter().enumerate() {
            if from != old {
                continue;
            }
            let index = operand_index(index)?;
            // SAFETY: the handle is a live phi and the index is below its count.
            unsafe { ffi::tessera_phi_set_block(phi.raw(), index, new.raw()) };
            self.log(Undo::IncomingBlock { phi, index, old });
        }
        Ok(())
    }

    /// Replaces operand `index` of an instruction by a value of the same type. For the incoming values of a phi the index
    /// is that of [`Value::phi_incoming`].
    pub fn set_operand(&self, user: Value, index: usize, value: Value) -> Edit<()> {
        if !user.is_instruction() {
            return Err(EditError::new("only operands of instructions can be replaced"));
        }
        let old = user.operand(index).ok_or_else(|| EditError::new("the instruction has no such operand"))?;
        require_type(value, old.ty(), "the new operand")?;
        let index = operand_index(index)?;
        // SAFETY: the handle is a live instruction with that operand; the types agree.
        let position = unsafe {
            let position = ffi::tessera_use_position(user.raw(), index);
            ffi::tessera_set_operand(user.raw(), index, value.raw());
            position
        };
        self.log(Undo::Operand { user, index, old, position });
        Ok(())
    }

    /// Replaces the uses of a value that `select` picks. Uses by constants are left alone.
    pub fn replace_uses(&self, old: Value, new: Value, mut select: impl FnMut(Use) -> bool) -> Edit<()> {
        for place in old.uses() {
            if place.user.is_instruction() && select(place) {
                self.set_operand(place.user, place.operand as usize, new)?;
            }
        }
        Ok(())
    }

    /// Writes a new instruction into the journal. Constants and values that existed before pass through.
    pub(super) fn created(&self, raw: LLVMValueRef) -> Edit<Value> {
        let value = Value::from_raw(raw).ok_or_else(|| EditError::new("LLVM made no instruction"))?;
        if value.is_instruction() {
            self.log(Undo::CreatedInstruction(value));
        }
        Ok(value)
    }
}

/// The inkwell block of a handle.
pub(super) fn inkwell_block<'a>(block: Block) -> BasicBlock<'a> {
    // SAFETY: a handle points to a live block.
    let block = unsafe { BasicBlock::new(block.raw()) };
    block.unwrap_or_else(|| unreachable!("a block handle is not null"))
}

pub(super) fn c_name(name: &str) -> Edit<std::ffi::CString> {
    std::ffi::CString::new(name).map_err(|_| EditError::new("a name contains a zero byte"))
}

pub(super) fn operand_index(index: usize) -> Edit<u32> {
    u32::try_from(index).map_err(|_| EditError::new("an operand number is too large"))
}

fn require_phi(value: Value) -> Edit<()> {
    if value.is(Opcode::Phi) { Ok(()) } else { Err(EditError::new("the value is not a phi")) }
}

pub(super) fn require_type(value: Value, ty: Type, what: &str) -> Edit<()> {
    if value.ty() == ty {
        return Ok(());
    }
    Err(EditError::new(format!("{what} has type {} where {} is needed", value.ty().text(), ty.text())))
}
