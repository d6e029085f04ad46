//! Calls of LLVM's intrinsics that are overloaded over types.

use super::build::{alignment, require_pointer};
use super::edit::{Edit, EditError, Editor, c_name, require_type};
use super::handles::{Type, Value};
use super::journal::Undo;
use super::types::TypeKind;
use llvm_sys::{LLVMInlineAsmDialect, core};
use std::ffi::CStr;

impl Editor<'_> {
    /// A call of the intrinsic `base` for a type, which all operands have. Types other than integers, `float` and `double`, and operands
    /// of other types are errors; so is a name that LLVM does not know.
    pub fn intrinsic(&self, base: &str, ty: Type, operands: &[Value], hint: &str) -> Edit<Value> {
        for operand in operands {
            require_type(*operand, ty, "an operand of an intrinsic")?;
        }
        if self.position().is_none() {
            return Err(EditError::new("no position to build at"));
        }
        let name = c_name(&format!("{base}.{}", suffix(base, ty)?))?;
        let declaration = self.intrinsic_declaration(base, &name, &[ty])?;
        let hint = c_name(&self.fresh_name(hint))?;
        self.call_function(declaration, operands, &hint)
    }

    /// Loads those lanes of a vector of elements side by side that a vector of conditions names; the others are zero, and their memory is not touched. `align` is that of an
    /// element, in bytes, a power of two.
    pub fn masked_load(&self, ty: Type, pointer: Value, lanes: Value, align: u64) -> Edit<Value> {
        let operands = [pointer, lanes, self.zero(ty)?];
        self.masked("llvm.masked.load", ty, &operands, (1, align))
    }

    /// Stores those lanes of a vector to elements side by side that a vector of conditions names; the memory of the others is not touched. `align` is that of an element, in bytes, a
    /// power of two.
    pub fn masked_store(&self, value: Value, pointer: Value, lanes: Value, align: u64) -> Edit<Value> {
        let operands = [value, pointer, lanes];
        self.masked("llvm.masked.store", value.ty(), &operands, (2, align))
    }

    /// A call of an intrinsic that touches memory under a mask. The pointer is the operand of number `at`, counted from one; the mask follows it.
    fn masked(&self, base: &str, ty: Type, operands: &[Value], (at, align): (u32, u64)) -> Edit<Value> {
        let (count, element) = ty.lanes().ok_or_else(|| EditError::new("no vector to mask"))?;
        let &[.., pointer, lanes] = &operands[..=at as usize] else { return Err(EditError::new("no mask")) };
        require_type(lanes, self.vector_type(self.int_type(1)?, count)?, "a mask")?;
        require_pointer(pointer)?;
        self.require_open_block()?;
        let align = alignment(align)?;
        // SAFETY: the type is that of a pointer, as was checked.
        let space = unsafe { core::LLVMGetPointerAddressSpace(pointer.ty().raw()) };
        let name = c_name(&format!("{base}.v{count}{}.p{space}", suffix(base, element)?))?;
        let declaration = self.intrinsic_declaration(base, &name, &[ty, pointer.ty()])?;
        let call = self.call_function(declaration, operands, c"")?;
        // SAFETY: that operand of the call is a pointer; the alignment is a power of two.
        unsafe { core::LLVMSetInstrParamAlignment(call.raw(), at, align) };
        Ok(call)
    }

    /// A call of a function of the module. The operands have its types, as callers have checked, and the builder is positioned.
    pub(super) fn call_function(&self, function: Value, operands: &[Value], name: &CStr) -> Edit<Value> {
        let mut operands: Vec<_> = operands.iter().map(|operand| operand.raw()).collect();
        let count = u32::try_from(operands.len()).map_err(|_| EditError::new("too many operands"))?;
        // SAFETY: the function takes these operands; the builder is positioned; both as said above.
        let call = unsafe {
            let (builder, signature) = (self.builder.as_mut_ptr(), core::LLVMGlobalGetValueType(function.raw()));
            core::LLVMBuildCall2(builder, signature, function.raw(), operands.as_mut_ptr(), count, name.as_ptr())
        };
        self.created(call)
    }

    /// The declaration of an intrinsic for some types, by its name and that of the declaration.
    fn intrinsic_declaration(&self, base: &str, name: &CStr, types: &[Type]) -> Edit<Value> {
        let mut types: Vec<_> = types.iter().map(|ty| ty.raw()).collect();
        // SAFETY: the function is live and so is its module; the name ends in zero. The intrinsic of that name is overloaded over so many types, as callers
        // know.
        unsafe {
            let module = core::LLVMGetGlobalParent(self.function().raw());
            let known = core::LLVMGetNamedFunction(module, name.as_ptr());
            let id = core::LLVMLookupIntrinsicID(base.as_ptr().cast(), base.len());
            if id == 0 {
                return Err(EditError::new("LLVM does not know its own intrinsic"));
            }
            let declaration = core::LLVMGetIntrinsicDeclaration(module, id, types.as_mut_ptr(), types.len());
            let declared = Value::from_raw(declaration).ok_or_else(|| EditError::new("LLVM made no declaration"))?;
            if known.is_null() {
                self.log(Undo::CreatedGlobal(declared));
            }
            Ok(declared)
        }
    }

    /// The same word, of which later passes do not know that it is the same: an empty piece of assembly. No code comes of it but a copy.
    pub fn opaque(&self, word: Value) -> Edit<Value> {
        self.require_open_block()?;
        let (ty, name) = (word.ty(), c_name(&self.fresh_name("opaque"))?);
        let (mut operands, constraints) = ([word.raw()], c"=r,0");
        // SAFETY: the type is live and that of the only operand; the constraints are a register and the same one; both texts are passed with their lengths and
        // copied; the builder is positioned.
        let call = unsafe {
            let signature = core::LLVMFunctionType(ty.raw(), [ty.raw()].as_mut_ptr(), 1, 0);
            let (text, length) = (c"".as_ptr(), constraints.count_bytes());
            let dialect = LLVMInlineAsmDialect::LLVMInlineAsmDialectATT;
            let assembly = core::LLVMGetInlineAsm(signature, text, 0, constraints.as_ptr(), length, 0, 0, dialect, 0);
            core::LLVMBuildCall2(
                self.builder.as_mut_ptr(),
                signature,
                assembly,
                operands.as_mut_ptr(),
                1,
                name.as_ptr(),
            )
        };
        self.created(call)
    }

    /// The same floating-point number, behind which later passes do not look: they neither reassociate across it nor make it a lane of a
    /// vector. No code comes of it. `None` for other types.
    pub fn fence(&self, value: Value) -> Edit<Option<Value>> {
        match value.ty().kind() {
            TypeKind::Float | TypeKind::Double => {
                self.intrinsic("llvm.arithmetic.fence", value.ty(), &[value], "apart").map(Some)
            }
            _ => Ok(None),
        }
    }
}

/// How names of intrinsics spell a type of numbers.
fn suffix(base: &str, ty: Type) -> Edit<String> {
    match ty.kind() {
        TypeKind::Int(bits) => Ok(format!("i{bits}")),
        TypeKind::Float => Ok("f32".to_owned()),
        TypeKind::Double => Ok("f64".to_owned()),
        _ => Err(EditError::new(format!("{base} of a type that is no number"))),
    }
}
