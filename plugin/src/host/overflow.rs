//! Integer arithmetic that says whether it overflowed: `llvm.uadd.with.overflow` and its like.

use super::build::IntOp;
use super::handles::Value;
use super::opcode::Opcode;
use llvm_sys::core;

/// A sum, difference or product with its overflow bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckedArithmetic {
    /// Addition, subtraction or multiplication.
    pub op: IntOp,
    /// Whether the operands and the result are signed numbers.
    pub is_signed: bool,
    /// The left operand.
    pub left: Value,
    /// The right operand.
    pub right: Value,
}

impl Value {
    /// The checked arithmetic of which this is the result, modulo 2^w.
    pub fn checked_result(self) -> Option<CheckedArithmetic> {
        self.part_of_checked(0)
    }

    /// The checked arithmetic of which this `i1` value says that it overflowed.
    pub fn overflow_bit(self) -> Option<CheckedArithmetic> {
        self.part_of_checked(1)
    }

    fn part_of_checked(self, part: u32) -> Option<CheckedArithmetic> {
        if !self.is(Opcode::ExtractValue) {
            return None;
        }
        // SAFETY: the value is an `extractvalue`, which has at least one index; the indices live as long as it does.
        let index = unsafe { (core::LLVMGetNumIndices(self.raw()) == 1).then(|| *core::LLVMGetIndices(self.raw())) };
        let call = self.operand(0)?;
        let name = call.intrinsic_name().filter(|_| index == Some(part))?;
        let (op, is_signed) = match name.strip_prefix("llvm.")?.strip_suffix(".with.overflow")? {
            "uadd" => (IntOp::Add, false),
            "sadd" => (IntOp::Add, true),
            "usub" => (IntOp::Sub, false),
            "ssub" => (IntOp::Sub, true),
            "umul" => (IntOp::Mul, false),
            "smul" => (IntOp::Mul, true),
            _ => return None,
        };
        Some(CheckedArithmetic { op, is_signed, left: call.operand(0)?, right: call.operand(1)? })
    }
}
