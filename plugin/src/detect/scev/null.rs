//! Comparisons with the null pointer: Rust's `Option` of a reference is null where there is none.
//!
//! Invariant: a pointer into an object is not null, and address arithmetic that may not leave an object is poison if it becomes null;
//! whoever branches on that has no defined behaviour in the program either.

use super::Reader;
use crate::host::{Opcode, Value};

/// More values than this do not lead to one pointer.
const MAX_VALUES: usize = 32;

impl Reader<'_, '_> {
    /// Whether one of two pointers is null and the other one cannot be.
    pub(super) fn is_compared_with_null(&self, left: Value, right: Value) -> bool {
        let is_other = |null: Value, other| null.is_null_pointer() && self.is_never_null(other);
        is_other(left, right) || is_other(right, left)
    }

    /// Whether a pointer starts from pointers that are not null, and only moves inside of objects.
    fn is_never_null(&self, pointer: Value) -> bool {
        let (mut values, mut at) = (vec![pointer], 0);
        while let Some(value) = values.get(at).copied() {
            at += 1;
            let sources = match value.opcode() {
                Some(Opcode::Phi) => value.phi_incoming().into_iter().map(|(source, _)| source).collect(),
                Some(Opcode::GetElementPtr) if value.flags().inbounds => value.operand(0).into_iter().collect(),
                _ if self.host.is_non_null(value) => Vec::new(),
                _ => return false,
            };
            for source in sources {
                if !values.contains(&source) {
                    values.push(source);
                }
            }
            if values.len() > MAX_VALUES {
                return false;
            }
        }
        true
    }
}
