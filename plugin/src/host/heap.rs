//! Memory of the C library for the time that new code runs: `malloc` and `free`.
//!
//! Code that calls them must not need more of the world than the function did. [`Analyses::heap`] says whether it may:
//!
//! - the target has a C library as a rule (Linux and the BSDs, 64 bits), and neither module nor function is built without one
//!   (`-ffreestanding`, `-fno-builtin-malloc`, kernels);
//! - the module is no part of an allocator: it defines none of its functions;
//! - a program that is linked without `malloc` stays one: where the module does not call it anyway, the reference is weak, and
//!   the code asks whether there is an address.

use super::analyses::Analyses;
use super::edit::{Edit, EditError, Editor};
use super::ffi;
use super::handles::Value;
use super::journal::Undo;
use super::opcode::IntPredicate;
use llvm_sys::core;

/// How code may call `malloc` and `free`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heap {
    /// The program has them.
    Linked,
    /// The program has them if they have addresses.
    IfLinked,
}

impl Analyses<'_> {
    /// How code of the function may call `malloc` and `free`; `None` if it must not.
    pub fn heap(&self) -> Option<Heap> {
        // SAFETY: the context is live for `'a`.
        match unsafe { ffi::tessera_heap(self.context()) } {
            1 => Some(Heap::Linked),
            2 => Some(Heap::IfLinked),
            _ => None,
        }
    }
}

impl Editor<'_> {
    /// Whether the program has `malloc` and `free`, as an `i1`.
    pub fn has_heap(&self) -> Edit<Value> {
        let is_there = |is_free| self.is_not_null(self.heap_function(is_free)?);
        self.both(is_there(false)?, is_there(true)?)
    }

    /// New memory of so many bytes, a word, or null.
    pub fn allocate(&self, bytes: Value, hint: &str) -> Edit<Value> {
        self.require_open_block()?;
        let malloc = self.heap_function(false)?;
        let name = self.fresh_name(hint);
        // SAFETY: the builder is positioned; the declaration is that of `malloc`; the name is passed with its length.
        let call = unsafe {
            ffi::tessera_build_malloc(
                self.builder.as_mut_ptr(),
                malloc.raw(),
                bytes.raw(),
                name.as_ptr().cast(),
                name.len(),
            )
        };
        self.created(call)
    }

    /// Whether a pointer, as that to memory of [`Self::allocate`], is not null.
    pub fn is_not_null(&self, pointer: Value) -> Edit<Value> {
        // SAFETY: the type is that of a live value.
        let null = Value::from_raw(unsafe { core::LLVMConstNull(pointer.ty().raw()) });
        self.icmp(IntPredicate::Ne, pointer, null.ok_or_else(|| EditError::new("LLVM made no constant"))?)
    }

    /// Gives back memory of [`Self::allocate`].
    pub fn release(&self, memory: Value) -> Edit<()> {
        self.require_open_block()?;
        let free = self.heap_function(true)?;
        // SAFETY: the builder is positioned; the declaration is that of `free`, and its operand a pointer.
        let call = unsafe { ffi::tessera_build_free(self.builder.as_mut_ptr(), free.raw(), memory.raw()) };
        self.created(call).map(|_| ())
    }

    /// The pointer moved up to the next multiple of `align`, a power of two.
    pub fn aligned(&self, pointer: Value, align: u64) -> Edit<Value> {
        if !align.is_power_of_two() || !pointer.ty().is_pointer() {
            return Err(EditError::new("only pointers are aligned, to powers of two"));
        }
        let moved = self.byte_offset(pointer, self.const_int(64, i128::from(align) - 1)?, true)?;
        let mut existed = 0;
        // SAFETY: the function is live; the flag is written.
        let raw = unsafe { ffi::tessera_mask_declaration(self.function().raw(), &raw mut existed) };
        let mask = self.declared(raw, existed != 0)?;
        // SAFETY: the builder is positioned, as it has just built; the declaration is that of the intrinsic.
        let raw = unsafe { ffi::tessera_build_mask(self.builder.as_mut_ptr(), mask.raw(), moved.raw(), align) };
        self.created(raw)
    }

    /// Makes sure that the module has `malloc` and `free`.
    pub(super) fn declare_heap(&self) -> Edit<()> {
        self.heap_function(false)?;
        self.heap_function(true)?;
        Ok(())
    }

    fn heap_function(&self, is_free: bool) -> Edit<Value> {
        let mut existed = 0;
        // SAFETY: the function is live; the flag is written.
        let raw = unsafe { ffi::tessera_heap_declaration(self.function().raw(), i32::from(is_free), &raw mut existed) };
        self.declared(raw, existed != 0)
    }

    /// A function of the module; one that is new is written into the journal.
    fn declared(&self, raw: llvm_sys::prelude::LLVMValueRef, existed: bool) -> Edit<Value> {
        let function = Value::from_raw(raw).ok_or_else(|| EditError::new("no function to call for memory"))?;
        if !existed {
            self.log(Undo::CreatedGlobal(function));
        }
        Ok(function)
    }
}
