//! Whether a device can do what the statements of a nest do, with the same bits.
//!
//! Integers, `float` and `double` are the same numbers there: sums, products, quotients and roots are rounded once, to the nearest, numbers
//! below the normal range stay what they are, and products and sums are fused where they are on the host, and nowhere else. Only which NaN it is
//! that an operation gives is left to the processor, as it is by the language, and the sign of zero of minima and maxima where it does not matter.
//! Whatever else gives other bits, or might, keeps a nest on the host: functions of the mathematical library, for example.

use super::obstacle::Obstacle;
use crate::host::{Analyses, Opcode, Operation, Type, TypeKind, Value};
use crate::model::scop::{Access, Op, Operand, Scop, Storage};
use crate::reasons::in_words;

/// The most parameters of the model, values, and arrays together: all are parameters of each kernel, and have a place in the frame.
const MOST_PARAMETERS: usize = 40;

/// Operations on numbers that a device has.
const OPERATIONS: [Opcode; 30] = [
    Opcode::Add,
    Opcode::FAdd,
    Opcode::Sub,
    Opcode::FSub,
    Opcode::Mul,
    Opcode::FMul,
    Opcode::UDiv,
    Opcode::SDiv,
    Opcode::FDiv,
    Opcode::URem,
    Opcode::SRem,
    Opcode::FNeg,
    Opcode::Shl,
    Opcode::LShr,
    Opcode::AShr,
    Opcode::And,
    Opcode::Or,
    Opcode::Xor,
    Opcode::Trunc,
    Opcode::ZExt,
    Opcode::SExt,
    Opcode::FPToUI,
    Opcode::FPToSI,
    Opcode::UIToFP,
    Opcode::SIToFP,
    Opcode::FPTrunc,
    Opcode::FPExt,
    Opcode::BitCast,
    Opcode::ICmp,
    Opcode::FCmp,
];

/// Intrinsics with the same bits on a device.
pub const INTRINSICS: [&str; 10] = [
    "llvm.fma",
    "llvm.fmuladd",
    "llvm.sqrt",
    "llvm.fabs",
    "llvm.copysign",
    "llvm.abs",
    "llvm.smin",
    "llvm.smax",
    "llvm.umin",
    "llvm.umax",
];

/// Those where the sign of zero does not matter: which of two zeros is the larger one is left to the processor.
pub const EXTREMA: [&str; 2] = ["llvm.minnum", "llvm.maxnum"];

/// Whether values of a type are the same on a device, in registers.
fn is_number(ty: Type) -> bool {
    matches!(ty.kind(), TypeKind::Int(1 | 8 | 16 | 32 | 64) | TypeKind::Float | TypeKind::Double)
}

/// The bytes of such a value in memory.
pub fn bytes_of(ty: Type) -> Option<i128> {
    match ty.kind() {
        TypeKind::Int(bits) if is_number(ty) => Some(i128::from(bits.div_ceil(8))),
        TypeKind::Float => Some(4),
        TypeKind::Double => Some(8),
        _ => None,
    }
}

/// The same in memory.
fn is_element(ty: Type) -> bool {
    is_number(ty) && ty.int_bits() != Some(1)
}

fn number(ty: Type) -> Result<(), Obstacle> {
    if is_number(ty) { Ok(()) } else { Err(Obstacle::Type { ty: ty.text() }) }
}

/// Whether the host makes one operation of a product and the sum after it, where the language leaves it to the processor (`llvm.fmuladd`).
/// Without such an operation the compiler would have to call a function for it, which costs as much as a call.
pub fn host_fuses(host: &Analyses<'_>) -> bool {
    let cost = |bits| host.operation_cost(Operation::Fma, true, bits, 1);
    [32, 64].into_iter().all(|bits| cost(bits).is_some_and(|cost| cost < 8))
}

/// Looks at all that the nest does.
pub fn check(host: &Analyses<'_>, scop: &Scop) -> Result<(), Obstacle> {
    environment(host)?;
    for (index, array) in scop.arrays.iter().enumerate().filter(|(index, _)| scop.is_used(*index)) {
        match array.storage {
            Storage::Rows(_) => return Err(Obstacle::Rows { array: scop.label(index) }),
            Storage::Scalar(_, ty) => number(ty)?,
            Storage::Memory(base) if base.ty().kind() != TypeKind::Pointer(0) => {
                return Err(Obstacle::Type { ty: base.ty().text() });
            }
            Storage::Memory(_) | Storage::Buffer(_) => {}
        }
    }
    if !scop.visits.is_empty() {
        return Err(Obstacle::Rows { array: scop.visits[0].name.clone() });
    }
    for statement in &scop.statements {
        statement.accesses.iter().try_for_each(|of| access(scop, of))?;
        statement.body.iter().try_for_each(operation)?;
    }
    fits(scop)
}

/// Whether there are few enough parameters.
pub fn fits(scop: &Scop) -> Result<(), Obstacle> {
    let arrays = (0..scop.arrays.len()).filter(|array| scop.is_used(*array)).count();
    match scop.params.len() + values(scop).len() + arrays > MOST_PARAMETERS {
        true => Err(Obstacle::Parameters),
        false => Ok(()),
    }
}

fn environment(host: &Analyses<'_>) -> Result<(), Obstacle> {
    let triple = host.triple();
    let is_known = triple.starts_with("x86_64") || triple.starts_with("aarch64");
    if !is_known || !triple.contains("linux") || host.integer_address_bits(0) != Some(64) || host.heap().is_none() {
        return Err(Obstacle::Host);
    }
    let function = host.function();
    if function.has_watched_accesses() {
        return Err(Obstacle::Environment { what: "a sanitizer watches every access" });
    }
    if function.is_strict_fp() {
        return Err(Obstacle::Environment { what: "it depends on the floating-point environment" });
    }
    let modes = ["denormal-fp-math", "denormal-fp-math-f32"].map(|name| function.attribute_text(name));
    if modes.iter().any(|mode| !mode.is_empty() && !mode.starts_with("ieee")) {
        return Err(Obstacle::Environment { what: "numbers below the normal range are taken for zero" });
    }
    Ok(())
}

fn access(scop: &Scop, access: &Access) -> Result<(), Obstacle> {
    // Scalars have no instruction.
    let Some(instruction) = access.instruction else { return Ok(()) };
    match instruction.memory_access() {
        Some(model) if is_element(model.ty) => Ok(()),
        Some(model) => Err(Obstacle::Type { ty: model.ty.text() }),
        // A copy of many bytes at once, element by element.
        None if matches!(access.count * scop.arrays[access.array].unit, 1 | 2 | 4 | 8) => Ok(()),
        None => Err(Obstacle::Operation { what: "a copy of many bytes at once, in elements of that size," }),
    }
}

fn operation(op: &Op) -> Result<(), Obstacle> {
    match op {
        Op::Read { .. } | Op::Label { .. } => Ok(()),
        Op::LiveOut { escaping, value } => match is_number(escaping.ty()) {
            true => operand(value),
            false => Err(Obstacle::LiveOut { ty: escaping.ty().text() }),
        },
        Op::Combine { operands, .. } => operands.iter().try_for_each(operand),
        Op::Write { value, .. } => operand(value),
        Op::Phi { phi, incoming } => {
            number(phi.ty())?;
            incoming.iter().try_for_each(|(_, value)| operand(value))
        }
        Op::Jump { condition, .. } => condition.iter().try_for_each(operand),
        Op::Compute { instruction, operands } => {
            number(instruction.ty())?;
            let opcode = instruction.opcode();
            if opcode == Some(Opcode::Call) {
                let name = instruction.intrinsic_name();
                let is_extremum = |name: &str| EXTREMA.contains(&name) && instruction.flags().nsz;
                let is_known = name.as_deref().is_some_and(|name| INTRINSICS.contains(&name) || is_extremum(name));
                if instruction.is_errno_call() {
                    let callee = instruction.callee_user_name().unwrap_or_else(|| "a function".into());
                    return Err(Obstacle::Errno { callee });
                }
                if !is_known {
                    let callee = instruction.callee_user_name().unwrap_or_else(|| "a function".into());
                    return Err(Obstacle::Call { callee });
                }
            } else if !opcode.is_some_and(|opcode| OPERATIONS.contains(&opcode) || opcode == Opcode::Select) {
                let what = match opcode {
                    Some(Opcode::FRem) => "the remainder of a division of floating-point numbers",
                    Some(opcode) => in_words(opcode),
                    None => "something that is no operation",
                };
                return Err(Obstacle::Operation { what });
            }
            let inputs = if opcode == Some(Opcode::Call) { instruction.operands().len() - 1 } else { operands.len() };
            for (value, known) in instruction.operands().into_iter().zip(operands).take(inputs) {
                number(value.ty())?;
                operand(known)?;
            }
            Ok(())
        }
    }
}

fn operand(operand: &Operand) -> Result<(), Obstacle> {
    match operand {
        Operand::Invariant(value) => {
            number(value.ty())?;
            // Such as the difference of two addresses.
            let is_address = value.is_constant() && !value.is_plain_constant();
            if is_address { Err(Obstacle::Operation { what: "a number made of an address" }) } else { Ok(()) }
        }
        Operand::Affine(_, ty) => number(*ty),
        Operand::Result(_) => Ok(()),
    }
}

/// The values from before the nest that statements compute with, in the order in which they are found. Kernels get them as parameters.
pub fn values(scop: &Scop) -> Vec<Value> {
    let mut found = Vec::new();
    for operand in scop.statements.iter().flat_map(|statement| &statement.body).flat_map(Op::operands) {
        if let Operand::Invariant(value) = operand
            && !value.is_constant()
            && !found.contains(value)
        {
            found.push(*value);
        }
    }
    found
}
