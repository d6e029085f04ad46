//! Parameter values in front of the region.

use crate::detect::scev::{Param, ParamSource};
use crate::emit::invariant;
use crate::host::{Edit, EditError, Editor, IntOp, IntPredicate, Scev, ScevKind, Value};
use crate::model::scop::Scop;
use std::collections::HashMap;

/// A parameter in front of the region.
#[derive(Clone, Copy, Debug)]
pub struct ParamValue {
    /// Its value in its own width, or in a word if that is wider.
    pub exact: Value,
    /// Its value as a word: the same number, if it is within the limits that the guard checks.
    pub word: Value,
}

/// The value of a parameter. It is frozen: a value that the program never looks at may be poison, and the
/// guard looks at all of them.
pub fn value(editor: &Editor<'_>, scop: &Scop, param: &Param, known: &mut HashMap<Value, Value>) -> Edit<ParamValue> {
    let raw = match param.source {
        ParamSource::Value(value) => invariant::value(editor, scop, value, known)?,
        ParamSource::Expression(scev) => expand(editor, scop, scev, known)?,
    };
    let frozen = if raw.constant_int().is_some() { raw } else { editor.freeze(raw)? };
    let word = editor.word_bits();
    let exact = if param.bits < word { editor.sext(frozen, word)? } else { frozen };
    Ok(ParamValue { exact, word: editor.sext_or_trunc(exact, word)? })
}

/// Computes a scalar-evolution expression over values from before the region.
fn expand(editor: &Editor<'_>, scop: &Scop, scev: Scev, known: &mut HashMap<Value, Value>) -> Edit<Value> {
    let bits = editor.analyses().scev_bits(scev);
    let operands: Vec<Value> =
        scev.operands().into_iter().map(|operand| expand(editor, scop, operand, known)).collect::<Edit<_>>()?;
    let fold = |combine: &dyn Fn(Value, Value) -> Edit<Value>| -> Edit<Value> {
        let mut result = None;
        for operand in &operands {
            let operand = *operand;
            result = Some(match result {
                None => operand,
                Some(known) => combine(known, operand)?,
            });
        }
        result.ok_or_else(|| EditError::new("an expression without operands"))
    };
    let extremum = |predicate: IntPredicate| {
        fold(&|a, b| {
            let first = editor.icmp(predicate, a, b)?;
            editor.select(first, a, b)
        })
    };
    match scev.kind() {
        ScevKind::Constant => {
            let value = scev.constant().ok_or_else(|| EditError::new("a constant that is too wide"))?;
            editor.const_int(bits, value)
        }
        ScevKind::Unknown => {
            let value = scev.unknown_value().ok_or_else(|| EditError::new("an expression without value"))?;
            invariant::value(editor, scop, value, known)
        }
        ScevKind::Add => fold(&|a, b| editor.add(a, b)),
        ScevKind::Mul => fold(&|a, b| editor.mul(a, b)),
        ScevKind::UDiv => fold(&|a, b| {
            let b = if b.constant_int().is_some_and(|c| c != 0) { b } else { at_least_one(editor, b, bits)? };
            editor.int_op(IntOp::UDiv, a, b, "quotient")
        }),
        ScevKind::SMax => extremum(IntPredicate::Sgt),
        ScevKind::SMin => extremum(IntPredicate::Slt),
        ScevKind::UMax => extremum(IntPredicate::Ugt),
        ScevKind::UMin => extremum(IntPredicate::Ult),
        ScevKind::SignExtend => editor.sext(fold(&|a, _| Ok(a))?, bits),
        ScevKind::ZeroExtend => editor.zext(fold(&|a, _| Ok(a))?, bits),
        ScevKind::Truncate => editor.trunc(fold(&|a, _| Ok(a))?, bits),
        ScevKind::PtrToInt => editor.ptrtoint(fold(&|a, _| Ok(a))?, bits),
        kind => Err(EditError::new(format!("a parameter of kind {kind:?}"))),
    }
}

/// A divisor that cannot trap. A program that divides by zero, or by poison, has no use for the result.
fn at_least_one(editor: &Editor<'_>, divisor: Value, bits: u32) -> Edit<Value> {
    let divisor = editor.freeze(divisor)?;
    let one = editor.const_int(bits, 1)?;
    let is_zero = editor.icmp(IntPredicate::Eq, divisor, editor.const_int(bits, 0)?)?;
    editor.select(is_zero, one, divisor)
}
