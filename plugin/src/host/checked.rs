//! Arithmetic that says when it wraps: LLVM's `with.overflow` intrinsics.

use super::build::IntOp;
use super::edit::{Edit, EditError, Editor, c_name, require_type};
use super::handles::Value;
use super::journal::Undo;
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
        let name = c_name(&format!("{base}.i{bits}"))?;
        if self.position().is_none() {
            return Err(EditError::new("no position to build at"));
        }
        let hint = c_name(&self.fresh_name("checked"))?;
        // SAFETY: the function is live and so is its module; the name ends in zero. The intrinsic of that name takes one
        // type and two operands of it, which were checked, and gives a pair; the builder is positioned.
        let (value, overflow) = unsafe {
            let module = core::LLVMGetGlobalParent(self.function().raw());
            let known = core::LLVMGetNamedFunction(module, name.as_ptr());
            let id = core::LLVMLookupIntrinsicID(base.as_ptr().cast(), base.len());
            if id == 0 {
                return Err(EditError::new("LLVM does not know its own intrinsic"));
            }
            let mut types = [word.raw()];
            let declaration = core::LLVMGetIntrinsicDeclaration(module, id, types.as_mut_ptr(), types.len());
            let declared = Value::from_raw(declaration).ok_or_else(|| EditError::new("LLVM made no declaration"))?;
            if known.is_null() {
                self.session.log(Undo::CreatedGlobal(declared));
            }
            let (builder, signature) = (self.builder.as_mut_ptr(), core::LLVMGlobalGetValueType(declaration));
            let mut operands = [a.raw(), b.raw()];
            let pair = core::LLVMBuildCall2(builder, signature, declaration, operands.as_mut_ptr(), 2, hint.as_ptr());
            self.created(pair)?;
            let value = self.created(core::LLVMBuildExtractValue(builder, pair, 0, c"checked.value".as_ptr()))?;
            let overflow = self.created(core::LLVMBuildExtractValue(builder, pair, 1, c"checked.wraps".as_ptr()))?;
            (value, overflow)
        };
        Ok((value, overflow))
    }
}
