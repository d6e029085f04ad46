//! Types of IR. Sizes need the data layout and are asked of [`Analyses`](super::Analyses).

use super::handles::{Type, Value};
use llvm_sys::{LLVMTypeKind, core};

/// What kind of type it is, as far as loops can meet it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeKind {
    /// No value.
    Void,
    /// An integer of that many bits.
    Int(u32),
    /// A 16-bit IEEE float.
    Half,
    /// A 16-bit brain float.
    BFloat,
    /// A 32-bit IEEE float.
    Float,
    /// A 64-bit IEEE float.
    Double,
    /// Another floating-point format (80 bits, 128 bits).
    OtherFloat,
    /// A pointer into that address space.
    Pointer(u32),
    /// A vector of fixed or scalable length.
    Vector,
    /// An array as a first-class value.
    Array,
    /// A struct as a first-class value.
    Struct,
    /// Label, metadata, token, function, target type.
    Other,
}

impl Type {
    /// What kind of type it is.
    pub fn kind(self) -> TypeKind {
        // SAFETY: a handle points to a live type (see `handles`).
        let kind = unsafe { core::LLVMGetTypeKind(self.raw()) };
        match kind {
            LLVMTypeKind::LLVMVoidTypeKind => TypeKind::Void,
            // SAFETY: the kind was just checked to be an integer.
            LLVMTypeKind::LLVMIntegerTypeKind => TypeKind::Int(unsafe { core::LLVMGetIntTypeWidth(self.raw()) }),
            LLVMTypeKind::LLVMHalfTypeKind => TypeKind::Half,
            LLVMTypeKind::LLVMBFloatTypeKind => TypeKind::BFloat,
            LLVMTypeKind::LLVMFloatTypeKind => TypeKind::Float,
            LLVMTypeKind::LLVMDoubleTypeKind => TypeKind::Double,
            LLVMTypeKind::LLVMX86_FP80TypeKind
            | LLVMTypeKind::LLVMFP128TypeKind
            | LLVMTypeKind::LLVMPPC_FP128TypeKind => TypeKind::OtherFloat,
            LLVMTypeKind::LLVMPointerTypeKind => {
                // SAFETY: the kind was just checked to be a pointer.
                TypeKind::Pointer(unsafe { core::LLVMGetPointerAddressSpace(self.raw()) })
            }
            LLVMTypeKind::LLVMVectorTypeKind | LLVMTypeKind::LLVMScalableVectorTypeKind => TypeKind::Vector,
            LLVMTypeKind::LLVMArrayTypeKind => TypeKind::Array,
            LLVMTypeKind::LLVMStructTypeKind => TypeKind::Struct,
            _ => TypeKind::Other,
        }
    }

    /// The width of an integer type.
    pub fn int_bits(self) -> Option<u32> {
        match self.kind() {
            TypeKind::Int(bits) => Some(bits),
            _ => None,
        }
    }

    /// Whether it is a pointer type.
    pub fn is_pointer(self) -> bool {
        matches!(self.kind(), TypeKind::Pointer(_))
    }

    /// Whether it is a scalar floating-point type.
    pub fn is_float(self) -> bool {
        matches!(
            self.kind(),
            TypeKind::Half | TypeKind::BFloat | TypeKind::Float | TypeKind::Double | TypeKind::OtherFloat
        )
    }

    /// A constant of a floating-point type, rounded to it; `None` for other types.
    pub fn float_constant(self, value: f64) -> Option<Value> {
        // SAFETY: the handle is a live type, and it was just checked to be one of floating-point numbers.
        self.is_float().then(|| Value::from_raw(unsafe { core::LLVMConstReal(self.raw(), value) })).flatten()
    }

    /// Of a vector of fixed length: the number of its lanes and their type.
    pub fn lanes(self) -> Option<(u32, Type)> {
        // SAFETY: a handle points to a live type; a vector of fixed length has a size and an element type.
        unsafe {
            let fixed = core::LLVMGetTypeKind(self.raw()) == LLVMTypeKind::LLVMVectorTypeKind;
            let lane = if fixed { Type::from_raw(core::LLVMGetElementType(self.raw())) } else { None };
            lane.map(|lane| (core::LLVMGetVectorSize(self.raw()), lane))
        }
    }

    /// The type as IR spells it.
    pub fn text(self) -> String {
        // SAFETY: a handle points to a live type; the message is a C string that LLVM allocated for us, freed right here.
        unsafe {
            let message = core::LLVMPrintTypeToString(self.raw());
            let text = std::ffi::CStr::from_ptr(message).to_string_lossy().into_owned();
            core::LLVMDisposeMessage(message);
            text
        }
    }
}
