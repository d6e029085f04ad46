//! Arithmetic that says when it wraps: LLVM's `with.overflow` intrinsics.

use super::build::IntOp;
use super::edit::{Edit, EditError, Editor, require_type};
use super::handles::Value;
use llvm_sys::core;

impl Editor<'_> {
    /// The signed sum, difference or product of two words modulo 2^w, and whether the true value is another one (an
    /// `i1`). Other operations and types are errors.
    pub fn checked(&self, op: IntOp, a: Value, b: Value) -> Edit<(Value, Value)> {
        let bits = self.word_bits();
        let word = self.int_type(bits)?;
        require_type(a, word, "the first operand")?;
        require_type(b, word, "the second operand")?;
        let base = match op {
            IntOp::Add => "llvm.sadd.with.overflow",
            IntOp::Sub => "llvm.ssub.with.overflow",
            IntOp::Mul => "llvm.smul.with.overflow",
            _ => return Err(EditError::new(format!("{op:?} does not wrap"))),
        };
        let pair = self.intrinsic(base, word, &[a, b], "checked")?;
        let builder = self.builder.as_mut_ptr();
        // SAFETY: the builder is positioned, as it has just built; the call gives a pair.
        let (value, overflow) = unsafe {
            let value = self.created(core::LLVMBuildExtractValue(builder, pair.raw(), 0, c"checked.value".as_ptr()))?;
            let overflow =
                self.created(core::LLVMBuildExtractValue(builder, pair.raw(), 1, c"checked.wraps".as_ptr()))?;
            (value, overflow)
        };
        Ok((value, overflow))
    }
}
