//! Instructions that compute a value and do nothing else: the ones that operand trees are made of.

use crate::host::{Opcode, Value};

/// An instruction whose result depends on its operands alone and which does nothing else, or nothing but set `errno` in a
/// way that `detect::errno` has looked at.
pub fn is_pure(value: Value) -> bool {
    let Some(opcode) = value.opcode() else { return false };
    match opcode {
        Opcode::Call => value.is_pure_call() || value.is_errno_call(),
        Opcode::Phi | Opcode::Load | Opcode::Store | Opcode::Alloca | Opcode::Fence | Opcode::Other => false,
        _ => !opcode.is_terminator() && !value.may_read() && !value.may_write() && !value.has_side_effects(),
    }
}
