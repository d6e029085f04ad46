//! Vectors: operations of a program lane by lane, numbers that all lanes have.

use super::edit::{Edit, EditError, Editor, require_type};
use super::ffi;
use super::handles::Value;
use super::journal::Undo;
use llvm_sys::prelude::LLVMValueRef;
use llvm_sys::{LLVMIntPredicate, core};

impl Value {
    /// Whether there is an operation on vectors that does what this instruction does, lane by lane.
    pub fn can_widen(self) -> bool {
        // SAFETY: a handle points to a live value.
        unsafe { ffi::tessera_can_widen(self.raw()) != 0 }
    }
}

impl Editor<'_> {
    /// A vector whose lanes are all this number.
    pub fn splat(&self, number: Value, lanes: u32) -> Edit<Value> {
        let ty = self.vector_type(number.ty(), lanes)?;
        self.require_open_block()?;
        let zero = self.const_int(64, 0)?;
        // SAFETY: the builder is positioned; the vector has the number's type as that of its elements, and a first lane.
        let first = unsafe {
            let none = core::LLVMGetPoison(ty.raw());
            core::LLVMBuildInsertElement(self.builder.as_mut_ptr(), none, number.raw(), zero.raw(), c"".as_ptr())
        };
        let first = self.created(first)?;
        self.shuffle(first, first, &vec![0; lanes as usize])
    }

    /// The conditions of so many lanes: whether a lane is one of the first `count`, an integer.
    pub fn first_lanes(&self, count: Value, lanes: u32) -> Edit<Value> {
        let bits = count.ty().int_bits().ok_or_else(|| EditError::new("no number of lanes"))?;
        let all = self.splat(count, lanes)?;
        let numbers = (0..lanes).map(|lane| self.const_int(bits, lane.into()).map(Value::raw));
        let mut numbers = numbers.collect::<Edit<Vec<_>>>()?;
        // SAFETY: the builder is positioned; both operands are vectors of so many lanes of the same integers, of which one is constant.
        let raw = unsafe {
            let own = core::LLVMConstVector(numbers.as_mut_ptr(), lanes);
            let predicate = LLVMIntPredicate::LLVMIntSLT;
            core::LLVMBuildICmp(self.builder.as_mut_ptr(), predicate, own, all.raw(), c"".as_ptr())
        };
        self.created(raw)
    }

    /// What an instruction does, lane by lane, with the same flags. Operands are vectors of so many lanes, of the types that those of the
    /// instruction have; the function that is called stays what it is.
    pub fn widened(&self, instruction: Value, operands: &[Value], lanes: u32) -> Edit<Value> {
        if !instruction.can_widen() {
            return Err(EditError::new("there is no such operation on vectors"));
        }
        self.require_open_block()?;
        let numbers = operands.iter().zip(instruction.operands()).filter(|(_, old)| !old.ty().is_pointer());
        let operands: Vec<Value> = numbers.clone().map(|(operand, _)| *operand).collect();
        for (operand, old) in numbers {
            require_type(*operand, self.vector_type(old.ty(), lanes)?, "an operand of an operation on vectors")?;
        }
        let raws: Vec<LLVMValueRef> = operands.iter().map(|operand| operand.raw()).collect();
        let mut created: LLVMValueRef = std::ptr::null_mut();
        // SAFETY: the builder is positioned; there is such an operation, and the operands are vectors of its types, as many as it has.
        let raw = unsafe {
            let builder = self.builder.as_mut_ptr();
            ffi::tessera_widen(builder, instruction.raw(), raws.as_ptr(), raws.len(), &raw mut created)
        };
        if let Some(declared) = Value::from_raw(created) {
            self.log(Undo::CreatedGlobal(declared));
        }
        self.created(raw)
    }
}
