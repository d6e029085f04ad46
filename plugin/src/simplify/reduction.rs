//! Statements that only add to an element, or multiply, or take the larger value: `x = x op e`.
//!
//! Their instances may run in any order as long as nothing else touches the element in between, because `op` is associative
//! and commutative: for integers always (modulo 2^w), for floating point where the program's own flags allow it
//! (`reassoc`; `nnan` and `nsz` for minima and maxima). Dependences between them are kept apart from all others. Partial
//! results are other ones than before, so new code leaves out the flags that make an overflow of them undefined.

use super::{drop_unused_accesses, remove_dead_operations};
use crate::host::{Opcode, TypeKind, Value};
use crate::model::scop::{Access, Combination, Op, Operand, Reduction, Scop, Statement, Storage};
use tessera_polyhedral::flow::AccessKind;
use tessera_polyhedral::space::DimKind;

/// Marks the statements that are reductions.
pub(super) fn mark(scop: &mut Scop) {
    for s in 0..scop.statements.len() {
        let reduction = recognise(scop, &scop.statements[s]);
        scop.statements[s].reduction = reduction;
    }
}

/// A statement in two, where it does something else beside a reduction: the reduction alone, which runs right before the other one. What both need
/// is computed twice, from the same values: nothing is read behind the first write.
///
/// ```text
/// S: y[i] += a * x[i], s += y[i]       =>       S_reduction: s += y[i] + a * x[i]       S: y[i] += a * x[i]
/// ```
pub fn split_off(scop: &Scop, statement: &Statement) -> Option<[Statement; 2]> {
    let body = &statement.body;
    let first = body.iter().position(|op| matches!(op, Op::Write { .. }))?;
    if !statement.is_straight() || body[first..].iter().any(|op| matches!(op, Op::Read { .. })) {
        return None;
    }
    let is_effect = |op: &Op| matches!(op, Op::Write { .. } | Op::LiveOut { .. });
    let with = |keeps: &dyn Fn(usize) -> bool| {
        let mut part = statement.clone();
        let kept = body.iter().enumerate().filter(|(position, op)| !is_effect(op) || keeps(*position));
        part.body = kept.map(|(_, op)| op.clone()).collect();
        remove_dead_operations(&mut part.body);
        drop_unused_accesses(&mut part.body, &mut part.accesses);
        part
    };
    (first..body.len()).filter(|position| is_effect(&body[*position])).find_map(|position| {
        let mut own = with(&|other| other == position);
        let rest = with(&|other| other != position);
        let reduction = recognise(scop, &own)?;
        let target = own.accesses[reduction.write].array;
        if rest.body.is_empty() || rest.accesses.iter().any(|access| access.array == target) {
            return None;
        }
        own.name = format!("{}_reduction", statement.name);
        own.domain = own.domain.with_tuple_name(DimKind::Out, &own.name);
        own.reduction = Some(reduction);
        Some([own, rest])
    })
}

/// The statement as a reduction: one write, of what a chain of one kind of operations makes of the element's old value,
/// which nothing else in the statement uses.
fn recognise(scop: &Scop, statement: &Statement) -> Option<Reduction> {
    if !statement.is_straight() {
        return None;
    }
    let mut effects = statement.body.iter().filter(|op| !matches!(op, Op::Read { .. } | Op::Compute { .. }));
    let Op::Write { access: write, value: Operand::Result(written) } = effects.next()? else { return None };
    let (write, written) = (*write, *written);
    if effects.next().is_some() {
        return None;
    }
    let target = &statement.accesses[write];
    let same = |access: &Access| {
        access.array == target.array && access.subscripts == target.subscripts && access.count == 1 && target.count == 1
    };
    let mut reads = statement.body.iter().filter_map(|op| match op {
        Op::Read { access, result } if same(&statement.accesses[*access]) => Some((*access, *result)),
        _ => None,
    });
    let (read, first) = reads.next()?;
    let plain = target.kind == AccessKind::MustWrite && reads.next().is_none();
    let ty = match scop.arrays[target.array].storage {
        Storage::Memory(_) | Storage::Rows(_) => target.instruction?.memory_access()?.ty,
        Storage::Scalar(_, ty) | Storage::Buffer(ty) => ty,
    };
    if !plain || ty != first.ty() || matches!(ty.kind(), TypeKind::Vector | TypeKind::Array | TypeKind::Struct) {
        return None;
    }
    let (mut current, mut chain, mut kind) = (first, Vec::new(), None);
    while current != written {
        let (combination, instruction) = match only_use(statement, current) {
            Some((instruction, position)) => (combination(instruction, position)?, instruction),
            None => choice(statement, current)?,
        };
        if *kind.get_or_insert(combination) != combination {
            return None;
        }
        chain.push(instruction);
        current = instruction;
    }
    // The result must not be used beside the write either.
    let used = statement.body.iter().any(|op| match op {
        Op::Compute { operands, .. } => operands.contains(&Operand::Result(written)),
        _ => false,
    });
    let combination = kind.filter(|_| !used)?;
    Some(Reduction { combination, ty, read, write, chain })
}

/// The only operation that uses a value, and the position of the operand.
fn only_use(statement: &Statement, value: Value) -> Option<(Value, usize)> {
    let mut found = None;
    for op in &statement.body {
        let Op::Compute { instruction, operands } = op else { continue };
        for (position, operand) in operands.iter().enumerate() {
            if *operand == Operand::Result(value) && found.replace((*instruction, position)).is_some() {
                return None;
            }
        }
    }
    found
}

/// The choice between a value and another one, whichever is less or greater: `x < old ? x : old`. Nothing else uses the value.
fn choice(statement: &Statement, old: Value) -> Option<(Combination, Value)> {
    let is_old = |operand: &Operand| *operand == Operand::Result(old);
    let users = statement.body.iter().filter_map(|op| match op {
        Op::Compute { instruction, operands } if operands.iter().any(is_old) => Some((*instruction, operands)),
        _ => None,
    });
    let users: Vec<_> = users.collect();
    let [(comparison, compared), (select, chosen)] = users[..] else { return None };
    let ([a, b], [condition, yes, no]) = (&compared[..], &chosen[..]) else { return None };
    let [is_less, is_greater] = comparison.float_order()?;
    let is_other = (*a == *yes && *b == *no) || (*a == *no && *b == *yes);
    let is_choice = select.is(Opcode::Select) && *condition == Operand::Result(comparison) && is_other && a != b;
    if !is_choice || !comparison.flags().nnan || !select.flags().nsz || only_use(statement, comparison)?.0 != select {
        return None;
    }
    // Where the first is chosen if it is less, or the second if the first is greater, the result is the smaller one.
    let is_minimum = if *a == *yes { is_less } else { is_greater };
    Some((if is_minimum { Combination::FloatMinimum } else { Combination::FloatMaximum }, select))
}

/// How an instruction combines its operand at `position` with the others, if that is a reduction.
fn combination(instruction: Value, position: usize) -> Option<Combination> {
    let flags = instruction.flags();
    let either = position < 2;
    let chosen = |kind| (either && flags.nnan && flags.nsz).then_some(kind);
    match instruction.opcode()? {
        Opcode::Add if either => Some(Combination::Sum),
        Opcode::Sub if position == 0 => Some(Combination::Sum),
        Opcode::Mul if either => Some(Combination::Product),
        Opcode::And if either => Some(Combination::And),
        Opcode::Or if either => Some(Combination::Or),
        Opcode::Xor if either => Some(Combination::Xor),
        Opcode::FAdd if either && flags.reassoc => Some(Combination::Sum),
        Opcode::FSub if position == 0 && flags.reassoc => Some(Combination::Sum),
        Opcode::FMul if either && flags.reassoc => Some(Combination::Product),
        Opcode::Call => match instruction.intrinsic_name()?.as_str() {
            "llvm.smin" if either => Some(Combination::SignedMinimum),
            "llvm.smax" if either => Some(Combination::SignedMaximum),
            "llvm.umin" if either => Some(Combination::UnsignedMinimum),
            "llvm.umax" if either => Some(Combination::UnsignedMaximum),
            "llvm.minnum" | "llvm.minimum" | "llvm.minimumnum" => chosen(Combination::FloatMinimum),
            "llvm.maxnum" | "llvm.maximum" | "llvm.maximumnum" => chosen(Combination::FloatMaximum),
            "llvm.fma" | "llvm.fmuladd" if position == 2 && flags.reassoc => Some(Combination::Sum),
            _ => None,
        },
        _ => None,
    }
}
