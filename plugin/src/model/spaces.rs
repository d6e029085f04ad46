//! Address spaces: which pointers may be told apart by their numbers.
//!
//! The guard compares addresses as numbers. That says something only of pointers of one address space whose pointers are plain integers:
//! with `int __seg_gs *a` and `int *b` different numbers may be one place. What is compared and is of another kind must be known to lie
//! apart (then it is no pair of the model), or the nest is refused.

use crate::host::{Analyses, TypeKind, Value};
use crate::model::row_tables;
use crate::model::scop::{Scop, Storage};
use crate::reasons::Reason;

/// Refuses a model whose guard would have to compare addresses that are not of one kind.
pub(super) fn check(host: &Analyses<'_>, scop: &Scop) -> Result<(), Reason> {
    let refusal = |left: String, right: String| Err(Reason::AddressSpaces { arrays: [left, right] });
    let pointers = |array: usize| row_tables::pointers(&scop.arrays[array]);
    for (left, right) in &scop.may_overlap {
        if !are_comparable(host, &[pointers(*left), pointers(*right)].concat()) {
            return refusal(scop.label(*left), scop.label(*right));
        }
    }
    for bytes in &scop.protected {
        for array in &bytes.arrays {
            if !are_comparable(host, &[vec![bytes.base], pointers(*array)].concat()) {
                return refusal(bytes.name.clone(), scop.label(*array));
            }
        }
    }
    // The rows of an array are compared with each other, and read in the way of the table that leads to them.
    for visit in &scop.visits {
        let loads = visit.levels.iter().flat_map(|level| &level.loads).filter(|load| load.ty().is_pointer());
        let all: Vec<Value> = loads.copied().chain([visit.base]).collect();
        if !are_comparable(host, &all) {
            let name = visit.array().map_or_else(|| visit.base.source_name(), |array| scop.label(array));
            return refusal(format!("the rows of {name}"), "its table".to_owned());
        }
    }
    for table in &scop.tables {
        for array in &table.written {
            let base = scop.visits[table.visit].base;
            if !are_comparable(host, &[vec![base], pointers(*array)].concat()) {
                return refusal(format!("the table {}", base.source_name()), scop.label(*array));
            }
        }
    }
    Ok(())
}

/// Whether all pointers are of one address space, and plain integers.
fn are_comparable(host: &Analyses<'_>, pointers: &[Value]) -> bool {
    let space = |pointer: &Value| match pointer.ty().kind() {
        TypeKind::Pointer(space) => Some(space),
        _ => None,
    };
    let mut spaces = pointers.iter().map(space);
    let Some(first) = spaces.next() else { return true };
    let is_known =
        first.and_then(|space| host.integer_address_bits(space)).is_some_and(|bits| bits == 32 || bits == 64);
    is_known && spaces.all(|other| other == first)
}

/// The width in which distances between addresses of an array wrap around: that of its addresses, or of all distances if they have less.
pub fn distance_bits(host: &Analyses<'_>, storage: Storage, word: u32) -> u32 {
    match storage.pointer().map(|pointer| pointer.ty().kind()) {
        Some(TypeKind::Pointer(space)) => host.index_bits(space).min(word),
        _ => word,
    }
}
