//! What must lie apart in memory: arrays from each other, and the bytes that invariant loads read from every store of the region.

use crate::detect::scev::{InvariantLoad, ParamSource};
use crate::host::{Analyses, Scev, Value};
use crate::model::row_tables;
use crate::model::scop::{Scop, Storage};
use crate::reasons::{Reason, Rejection};
use tessera_polyhedral::flow::AccessKind;

/// Bytes `base + low .. base + end` that are read once, before the region, and the written arrays that might contain them.
#[derive(Clone, Debug)]
pub struct Protected {
    /// What the addresses are computed from (see [`InvariantLoad::base`]).
    pub base: Value,
    /// Distance of the first byte from the base.
    pub low: i128,
    /// Distance of the end from the base.
    pub end: i128,
    /// The name shown to users.
    pub name: String,
    /// Arrays, by index, that the region writes and that the compiler cannot prove to be elsewhere.
    pub arrays: Vec<usize>,
}

/// Drops the invariant loads that the model does not use, and says what the others need. Fails if a store of the region is
/// known to change what one of them reads.
pub fn protect(host: &Analyses<'_>, scop: &mut Scop, name_of: impl Fn(Value) -> String) -> Result<(), Rejection> {
    keep_used(scop);
    let mut protected: Vec<Protected> = Vec::new();
    for load in &scop.invariants {
        let (low, end) = (load.offset, load.offset + load.bytes);
        match protected.iter_mut().find(|p| p.base == load.base && p.low <= end && low <= p.end) {
            Some(known) => (known.low, known.end) = (known.low.min(low), known.end.max(end)),
            None => {
                protected.push(Protected { base: load.base, low, end, name: name_of(load.base), arrays: Vec::new() });
            }
        }
    }
    for bytes in &mut protected {
        for (index, array) in scop.arrays.iter().enumerate() {
            let (Storage::Memory(start) | Storage::Rows(start)) = array.storage else { continue };
            if !scop.is_written(index) || row_tables::are_apart(host, &[bytes.base], &row_tables::pointers(array)) {
                continue;
            }
            let is_row = matches!(array.storage, Storage::Rows(_));
            for access in scop.statements.iter().flat_map(|statement| &statement.accesses) {
                let Some(at) = access.offset.as_constant().filter(|_| !is_row && start == bytes.base) else { continue };
                let is_write = access.array == index && access.kind == AccessKind::MustWrite;
                if is_write && at < bytes.end && bytes.low < at + access.count * array.unit {
                    return Err(Rejection::at(Reason::ChangingBase, access.location.clone()));
                }
            }
            bytes.arrays.push(index);
        }
    }
    scop.protected = protected;
    Ok(())
}

fn keep_used(scop: &mut Scop) {
    let mut roots = scop.values_from_before();
    for param in &scop.params {
        match param.source {
            ParamSource::Value(value) => roots.push(value),
            ParamSource::Expression(scev) => leaves(scev, &mut roots),
        }
    }
    let mut used: Vec<Value> = Vec::new();
    while let Some(value) = roots.pop() {
        if used.contains(&value) {
            continue;
        }
        used.push(value);
        if let Some(load) = scop.invariants.iter().find(|load| load.value == value || load.members.contains(&value)) {
            roots.extend([load.value, load.base]);
        } else if scop.region.blocks.iter().any(|block| Some(block.handle) == value.parent()) {
            roots.extend(value.operands());
        }
    }
    scop.invariants.retain(|load: &InvariantLoad| used.contains(&load.value));
}

pub(crate) fn leaves(scev: Scev, values: &mut Vec<Value>) {
    values.extend(scev.unknown_value());
    for operand in scev.operands() {
        leaves(operand, values);
    }
}

/// Pairs of memory arrays of which one is written and which the compiler cannot prove disjoint.
pub fn overlapping_pairs(host: &Analyses<'_>, scop: &Scop) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let written: Vec<bool> = (0..scop.arrays.len()).map(|array| scop.is_written(array)).collect();
    for left in 0..scop.arrays.len() {
        for right in left + 1..scop.arrays.len() {
            let (a, b) = (&scop.arrays[left], &scop.arrays[right]);
            let in_memory = scop.is_memory(left) && scop.is_memory(right);
            if in_memory
                && (written[left] || written[right])
                && !row_tables::are_apart(host, &row_tables::pointers(a), &row_tables::pointers(b))
            {
                pairs.push((left, right));
            }
        }
    }
    pairs
}
