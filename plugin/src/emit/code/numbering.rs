//! Local value numbering: what several statements of one block load and compute alike is loaded and computed once.
//!
//! Statements are trees of operands, and what two of them have in common is in both trees. Of
//!
//! ```text
//! p[j] = a * x[j] + b * y;   y = a * x[j] + b * y
//! ```
//!
//! both compute the product and the sum. Later passes find that only where no store may change what is loaded; here the guard has
//! checked which arrays lie apart.
//!
//! Invariants: a value is used again only in the block in which it was computed, behind it; a loaded one only where nothing was written
//! to its array since. Two values are alike if they are copies of one instruction of the original code with the same operands: they have
//! the same flags and metadata.

use crate::host::{Block, Value};
use std::collections::HashMap;

/// What the present block has computed. Only looked up, never iterated in an order that could influence the output.
#[derive(Default)]
pub(super) struct Numbering {
    block: Option<Block>,
    /// By array, original instruction (nothing for a scalar that the model has made an array of) and address.
    loaded: HashMap<(usize, Option<Value>, Value), Value>,
    /// By original instruction and new operands.
    computed: HashMap<(Value, Vec<Value>), Value>,
}

impl Numbering {
    /// Code is appended to this block from now on: what was computed in another one need not be known here.
    pub(super) fn enter(&mut self, block: Block) {
        if self.block.replace(block) != Some(block) {
            self.loaded.clear();
            self.computed.clear();
        }
    }

    /// What a copy of this load has read from an address.
    pub(super) fn loaded(&self, array: usize, original: Option<Value>, address: Value) -> Option<Value> {
        self.loaded.get(&(array, original, address)).copied()
    }

    /// A copy of a load has read a value.
    pub(super) fn load(&mut self, array: usize, original: Option<Value>, address: Value, value: Value) {
        self.loaded.insert((array, original, address), value);
    }

    /// Something was written to an array.
    pub(super) fn store(&mut self, array: usize) {
        self.loaded.retain(|(other, ..), _| *other != array);
    }

    /// What a copy of this instruction has computed of these operands.
    pub(super) fn computed(&self, original: Value, operands: &[Value]) -> Option<Value> {
        self.computed.get(&(original, operands.to_vec())).copied()
    }

    /// A copy of an instruction has computed a value.
    pub(super) fn compute(&mut self, original: Value, operands: Vec<Value>, value: Value) {
        self.computed.insert((original, operands), value);
    }
}
