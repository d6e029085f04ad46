//! Handles to the host's IR: thin, `Copy`, never owning.
//!
//! Why methods on them are safe although they hold raw pointers: a handle is made only inside a run of the pass, and is gone when the host
//! gets its function back. It cannot leave the run's thread or be in the run's result (it is neither `Send` nor `Sync`), nor can it be
//! kept for the next run: nothing but panics has thread-local storage (a test looks for more), and statics need `Sync`. During a run nothing is
//! freed: the analyses are not invalidated, and the [`Editor`](super::Editor) only detaches what it takes out of the function. So every handle
//! that safe code can hold points to live memory.
//!
//! Handles compare by identity. They have no order on purpose: addresses differ from run to run, so nothing that
//! decides output may be sorted or iterated by them.

use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMMetadataRef, LLVMTypeRef, LLVMValueRef};
use std::ffi::c_void;
use std::fmt;
use std::ptr::NonNull;

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident, $raw:ty, $pointee:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $name(NonNull<$pointee>);

        impl $name {
            /// The handle of a raw pointer that LLVM gave to this run; `None` for null.
            pub(super) fn from_raw(raw: $raw) -> Option<Self> {
                NonNull::new(raw.cast_mut_pointer()).map(Self)
            }

            /// The raw pointer, valid during this run.
            pub(super) fn raw(self) -> $raw {
                self.0.as_ptr()
            }
        }
    };
}

/// Lets the macro treat `*const T` and `*mut T` alike.
trait CastMutPointer<T> {
    fn cast_mut_pointer(self) -> *mut T;
}

impl<T> CastMutPointer<T> for *mut T {
    fn cast_mut_pointer(self) -> *mut T {
        self
    }
}

impl<T> CastMutPointer<T> for *const T {
    fn cast_mut_pointer(self) -> *mut T {
        self.cast_mut()
    }
}

handle!(
    /// A value: instruction, argument, constant, global, and also metadata or a block where they are operands.
    Value,
    LLVMValueRef,
    llvm_sys::LLVMValue
);
handle!(
    /// A basic block.
    Block,
    LLVMBasicBlockRef,
    llvm_sys::LLVMBasicBlock
);
handle!(
    /// A type of IR.
    Type,
    LLVMTypeRef,
    llvm_sys::LLVMType
);
handle!(
    /// A natural loop of the function, as LoopInfo found it at the start of the run.
    Loop,
    *mut c_void,
    c_void
);
handle!(
    /// An expression of ScalarEvolution. Equal expressions are the same handle.
    Scev,
    *const c_void,
    c_void
);
handle!(
    /// A function.
    Function,
    LLVMValueRef,
    llvm_sys::LLVMValue
);
handle!(
    /// A metadata node.
    Metadata,
    LLVMMetadataRef,
    llvm_sys::LLVMOpaqueMetadata
);

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Value({})", self.as_operand_text())
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Block({})", self.name())
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Type({})", self.text())
    }
}

impl fmt::Debug for Loop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Loop({})", self.header().name())
    }
}

impl fmt::Debug for Scev {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scev({})", self.text())
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function({})", self.name())
    }
}

impl fmt::Debug for Metadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metadata")
    }
}

/// A place in the user's source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceLocation {
    /// The file as the compiler was given it.
    pub file: String,
    /// Line, from 1; 0 when the compiler did not say.
    pub line: u32,
    /// Column, from 1; 0 when the compiler did not say.
    pub column: u32,
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}
