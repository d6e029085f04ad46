//! Facts about the function that need no analysis.

use super::buffer;
use super::ffi;
use super::handles::{Block, Function, SourceLocation, Value};
use super::value::location;
use llvm_sys::core;
use std::ptr;

/// A linkage name as the source spells it.
pub(super) fn demangled(name: &str) -> String {
    // SAFETY: the name is passed with its length.
    buffer::text(|out, capacity| unsafe { ffi::tessera_demangle(name.as_ptr().cast(), name.len(), out, capacity) })
}

impl Function {
    /// The linkage name.
    pub fn name(self) -> String {
        self.as_value().name()
    }

    /// The name as the source spells it, as far as the linkage name tells.
    pub fn user_name(self) -> String {
        demangled(&self.name())
    }

    /// The function as a value (its address).
    pub fn as_value(self) -> Value {
        Value::from_raw(self.raw()).unwrap_or_else(|| unreachable!("a function handle is not null"))
    }

    /// The arguments.
    pub fn arguments(self) -> Vec<Value> {
        // SAFETY: the handle is a live function; the buffer has room for its parameters.
        let raw = unsafe {
            let mut parameters = vec![ptr::null_mut(); core::LLVMCountParams(self.raw()) as usize];
            core::LLVMGetParams(self.raw(), parameters.as_mut_ptr());
            parameters
        };
        raw.into_iter().filter_map(Value::from_raw).collect()
    }

    /// The blocks in layout order; the entry first.
    pub fn blocks(self) -> Vec<Block> {
        // SAFETY: the handle is a live function; the buffer has room for its blocks.
        let raw = unsafe {
            let mut blocks = vec![ptr::null_mut(); core::LLVMCountBasicBlocks(self.raw()) as usize];
            core::LLVMGetBasicBlocks(self.raw(), blocks.as_mut_ptr());
            blocks
        };
        raw.into_iter().filter_map(Block::from_raw).collect()
    }

    /// Whether the function has that string attribute.
    pub fn has_attribute(self, name: &str) -> bool {
        // SAFETY: the handle is a live function; the name is passed with its length.
        unsafe { ffi::tessera_has_attribute(self.raw(), name.as_ptr().cast(), name.len()) != 0 }
    }

    /// The text of that string attribute; empty when the function does not have it.
    pub fn attribute_text(self, name: &str) -> String {
        // SAFETY: the handle is a live function; the name is passed with its length.
        buffer::text(|out, capacity| unsafe {
            ffi::tessera_attribute_text(self.raw(), name.as_ptr().cast(), name.len(), out, capacity)
        })
    }

    /// Whether size matters more than speed (`optsize` or `minsize`).
    pub fn is_size_optimised(self) -> bool {
        // SAFETY: the handle is a live function.
        unsafe { ffi::tessera_function_facts(self.raw()) & 6 != 0 }
    }

    /// Whether a sanitizer watches every access: of variables out of scope, of freed memory, of what another thread writes. Then there
    /// must be no read that the program does not do, even of bytes that can be read.
    pub fn has_watched_accesses(self) -> bool {
        // SAFETY: the handle is a live function.
        unsafe { ffi::tessera_function_facts(self.raw()) & 16 != 0 }
    }

    /// Whether the function depends on the floating-point environment (`strictfp`).
    pub fn is_strict_fp(self) -> bool {
        // SAFETY: the handle is a live function.
        unsafe { ffi::tessera_function_facts(self.raw()) & 8 != 0 }
    }

    /// Whether a profile says how often the function is called.
    pub fn has_profile(self) -> bool {
        // SAFETY: the handle is a live function.
        unsafe { ffi::tessera_function_facts(self.raw()) & 32 != 0 }
    }

    /// Where the function is declared in the source.
    pub fn debug_location(self) -> Option<SourceLocation> {
        // SAFETY: the handle is a live function.
        location(|at, out, capacity, length| unsafe {
            ffi::tessera_function_location(self.raw(), at, out, capacity, length)
        })
    }

    /// The whole function as IR prints it.
    pub fn text(self) -> String {
        self.as_value().text()
    }

    /// Runs LLVM's verifier; the error is its complaints.
    pub fn verify(self) -> Result<(), String> {
        // SAFETY: the handle is a live function.
        let complaints = buffer::text(|out, capacity| unsafe { ffi::tessera_verify(self.raw(), out, capacity) });
        if complaints.is_empty() { Ok(()) } else { Err(complaints) }
    }
}
