//! Which regions are static control parts, and why the others are not.
//!
//! Detection only reads: it asks scalar evolution and the control flow graph, and answers a [`Region`](region::Region)
//! with affine conditions, or a [`Rejection`] with one reason and one place.

mod domains;
mod errno;
pub mod exits;
pub mod first_iteration;
mod lifetimes;
pub mod pure;
pub mod recurrence;
pub mod region;
pub mod scev;
pub mod subregion;
pub mod target;

use crate::detect::pure::is_pure;
use crate::detect::region::Region;
use crate::detect::scev::Reader;
use crate::host::{Analyses, Loop, Opcode, TypeKind};
use crate::reasons::{Reason, Rejection, in_words};

/// Finds the affine control structure of the nest rooted at `root`.
///
/// Cheap tests come first: the instructions of all blocks are looked at before any scalar evolution is asked for.
pub fn detect(host: &Analyses<'_>, reader: &mut Reader<'_, '_>, root: Loop) -> Result<Region, Rejection> {
    let mut calls = errno::Calls::default();
    let mut rounds_late = None;
    for block in host.loop_blocks(root) {
        for instruction in block.instructions() {
            let location = || instruction.debug_location();
            let Some(opcode) = instruction.opcode() else { continue };
            let is_rounded = matches!(instruction.ty().kind(), TypeKind::Float | TypeKind::Double) && opcode.rounds();
            if is_rounded && *rounds_late.get_or_insert_with(|| target::rounds_late(host)) {
                return Err(Rejection::at(Reason::Rounding, location()));
            }
            match opcode {
                Opcode::Load | Opcode::Store => match instruction.memory_access() {
                    Some(access) if !access.volatile && !access.atomic => calls.see_access(access.ty),
                    _ => return Err(Rejection::at(Reason::OrderedAccess, location())),
                },
                Opcode::Phi | Opcode::Br => {}
                Opcode::Switch if instruction.switch().is_some() => {}
                Opcode::Call if instruction.bulk_write().is_some() => calls.see_bytes(),
                Opcode::Call if lifetimes::is_marker(instruction) => lifetimes::check(host, root, instruction)?,
                Opcode::Call => {
                    let ignored = instruction.intrinsic_name().is_some_and(|name| is_marker(&name));
                    if !ignored && !is_pure(instruction) {
                        let callee = instruction.callee_user_name().unwrap_or_else(|| "a function pointer".to_owned());
                        return Err(Rejection::at(Reason::Call { callee }, location()));
                    }
                    if instruction.is_errno_call() {
                        calls.see_call(instruction);
                    }
                }
                Opcode::Fence | Opcode::AtomicCmpXchg | Opcode::AtomicRMW => {
                    return Err(Rejection::at(Reason::OrderedAccess, location()));
                }
                _ if opcode.is_terminator() || Some(instruction) == block.terminator() => {
                    return Err(Rejection::at(Reason::Terminator, location()));
                }
                _ if is_pure(instruction) => {}
                _ => {
                    let what = in_words(opcode).to_owned();
                    return Err(Rejection::at(Reason::Instruction { what }, location()));
                }
            }
        }
    }
    calls.check()?;
    Region::build(host, reader, root)
}

/// Intrinsics that compute nothing and only inform the optimiser.
fn is_marker(name: &str) -> bool {
    [
        "llvm.assume",
        "llvm.experimental.noalias.scope.decl",
        "llvm.dbg.",
        "llvm.pseudoprobe",
        "llvm.donothing",
        "llvm.sideeffect",
    ]
    .iter()
    .any(|marker| name.starts_with(marker))
}
