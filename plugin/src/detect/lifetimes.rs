//! Variables that live inside of a nest: made anew in every iteration.
//!
//! The markers of their lifetime compute nothing and are not copied into new code. That is all right only if the nest does not use
//! the variable otherwise, because its memory is shared with other variables outside of its lifetime.
//!
//! Invariant: a region that is accepted accesses no variable whose lifetime begins or ends in it.

use crate::host::{Analyses, Loop, Opcode, Value};
use crate::reasons::{Reason, Rejection, in_words};

/// Whether an instruction says where the lifetime of a variable begins or ends.
pub(super) fn is_marker(instruction: Value) -> bool {
    instruction.is(Opcode::Call) && instruction.intrinsic_name().is_some_and(|name| name.starts_with("llvm.lifetime."))
}

/// Refuses a nest that uses the variable whose lifetime `marker` is about. Outside of the nest loads and stores are no use in it;
/// what computes addresses is.
pub(super) fn check(host: &Analyses<'_>, root: Loop, marker: Value) -> Result<(), Rejection> {
    let refuse = |place: Value| {
        let what = in_words(Opcode::Alloca).to_owned();
        Rejection::at(Reason::Instruction { what }, place.debug_location())
    };
    let variable = marker.operand(0).ok_or_else(|| refuse(marker))?;
    if variable.is_undef() {
        return Ok(());
    }
    if !variable.is(Opcode::Alloca) {
        return Err(refuse(marker));
    }
    for usage in variable.uses() {
        let is_inside =
            usage.user.parent().and_then(|block| host.loop_of(block)).is_some_and(|l| root.contains_loop(l));
        let is_access = usage.user.memory_access().is_some_and(|access| access.stored != Some(variable));
        if !is_marker(usage.user) && (is_inside || !is_access) {
            return Err(refuse(usage.user));
        }
    }
    Ok(())
}
