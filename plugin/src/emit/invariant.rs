//! Values from inside the region that the guard computes before it: invariant loads and what depends on them alone.
//!
//! Loaded values are frozen: where the original code would not have loaded at all the bytes may hold anything, and the guard
//! branches on them. Copies of computations promise nothing (no flags, no metadata), for the same reason.

use crate::host::{Edit, EditError, Editor, IntPredicate, Opcode, Value};
use crate::model::scop::Scop;
use std::collections::HashMap;

/// Loads everything that the region's model takes from before it, at the editor's position. Adds to `known` what stands for
/// a value of the original code; answers whether the bytes still hold what older loads of them gave.
pub fn load(editor: &Editor<'_>, scop: &Scop, known: &mut HashMap<Value, Value>) -> Edit<Value> {
    let mut same = editor.const_bool(true)?;
    for invariant in &scop.invariants {
        let base = value(editor, scop, invariant.base, known)?;
        let address = match invariant.offset {
            0 => base,
            offset => editor.byte_offset(base, editor.const_word(offset)?, false)?,
        };
        let loaded = editor.freeze(editor.load(invariant.ty, address, 1)?)?;
        for member in &invariant.members {
            known.insert(*member, loaded);
        }
        if invariant.is_older {
            let older = known.get(&invariant.value).copied().unwrap_or(invariant.value);
            let equal = editor.icmp(IntPredicate::Eq, loaded, editor.freeze(older)?)?;
            same = editor.both(same, equal)?;
        }
    }
    Ok(same)
}

/// What stands for `original` before the region; computed at the editor's position if it has not been yet.
pub fn value(editor: &Editor<'_>, scop: &Scop, original: Value, known: &mut HashMap<Value, Value>) -> Edit<Value> {
    if let Some(value) = known.get(&original) {
        return Ok(*value);
    }
    if !is_inside(scop, original) {
        return Ok(original);
    }
    if original.is(Opcode::Load) {
        return Err(EditError::new("a load inside the region that is not invariant"));
    }
    if original.is(Opcode::Phi) {
        let leaf = one_leaf(scop, original).ok_or_else(|| EditError::new("a PHI of nothing"))?;
        let leaf = value(editor, scop, leaf, known)?;
        known.insert(original, leaf);
        return Ok(leaf);
    }
    let mut operands = HashMap::new();
    for operand in original.operands() {
        operands.insert(operand, value(editor, scop, operand, known)?);
    }
    let copy = editor.clone_instruction(original, |operand| {
        operands.get(&operand).copied().ok_or_else(|| EditError::new("an operand without value"))
    })?;
    editor.drop_poison_flags(copy)?;
    let copy = editor.freeze(copy)?;
    known.insert(original, copy);
    Ok(copy)
}

fn is_inside(scop: &Scop, value: Value) -> bool {
    let parent = value.parent();
    parent.is_some() && scop.region.blocks.iter().any(|block| Some(block.handle) == parent)
}

/// A value that comes into a web of PHIs. Of a web that stands for one value any of them will do.
fn one_leaf(scop: &Scop, phi: Value) -> Option<Value> {
    let (mut web, mut at) = (vec![phi], 0);
    while let Some(next) = web.get(at).copied() {
        at += 1;
        for (value, _) in next.phi_incoming() {
            if !value.is(Opcode::Phi) || !is_inside(scop, value) {
                return Some(value);
            }
            if !web.contains(&value) {
                web.push(value);
            }
        }
    }
    None
}
