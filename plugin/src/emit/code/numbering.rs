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
//! What is stored is known, too. Where iterations of a sum run side by side,
//!
//! ```text
//! c[j] = c[j] + a0 * b0[j];   c[j] = c[j] + a1 * b1[j]
//! ```
//!
//! the second statement takes what the first one has stored, and the store of the first one is taken out: one load and one store for all of
//! them. The vectoriser, which comes next, would make vectors of each.
//!
//! Invariants: a value is used again only in the block in which it was computed, behind it; a loaded or stored one only where nothing else
//! was written to its array since. A store is taken out only where the next access to its array, in the same block, is a store of the same
//! type to the same address. What is computed is alike if it comes from one instruction of the original code and the same operands, so that it
//! has the same flags. What is loaded is alike if it has the same type and address, and comes from one instruction or from one whose
//! metadata promise nothing about the value.

use crate::host::{Block, Type, Value};
use std::collections::HashMap;

/// What the present block has computed. Only looked up, never iterated in an order that could influence the output.
#[derive(Clone, Default)]
pub(super) struct Numbering {
    block: Option<Block>,
    /// By array, address and type; with the original instruction (nothing for a scalar that the model has made an array of).
    loaded: HashMap<(usize, Value, Type), (Option<Value>, Value)>,
    /// By array, address and type of records side by side: the vectors of all of their fields.
    fields: HashMap<(usize, Value, Type), Vec<Value>>,
    /// By array: the last access to it, if that is a store, with its address and the type of what it stores.
    stored: HashMap<usize, (Value, Type, Value)>,
    /// By original instruction and new operands.
    computed: HashMap<(Value, Vec<Value>), Value>,
}

impl Numbering {
    /// Code is appended to this block from now on: what was computed in another one need not be known here.
    pub(super) fn enter(&mut self, block: Block) {
        if self.block.replace(block) != Some(block) {
            self.loaded.clear();
            self.fields.clear();
            self.stored.clear();
            self.computed.clear();
        }
    }

    /// What a load from this address has read that may stand for a copy of `original`. `promises` says whether metadata of an instruction
    /// promise something about its value.
    pub(super) fn loaded(
        &self,
        (array, address, ty): (usize, Value, Type),
        original: Option<Value>,
        promises: impl Fn(Value) -> bool,
    ) -> Option<Value> {
        let (known, value) = self.loaded.get(&(array, address, ty)).copied()?;
        (known == original || known.is_none_or(|known| !promises(known))).then_some(value)
    }

    /// A copy of a load has read a value.
    pub(super) fn load(&mut self, array: usize, address: Value, original: Option<Value>, value: Value) {
        self.stored.remove(&array);
        self.loaded.insert((array, address, value.ty()), (original, value));
    }

    /// A value was stored: the store before, if nobody can have seen what it has written.
    pub(super) fn store(&mut self, array: usize, address: Value, value: Value, store: Value) -> Option<Value> {
        self.loaded.retain(|(other, ..), _| *other != array);
        self.fields.retain(|(other, ..), _| *other != array);
        self.loaded.insert((array, address, value.ty()), (None, value));
        let before = self.stored.insert(array, (address, value.ty(), store));
        before.filter(|(other, ty, _)| (*other, *ty) == (address, value.ty())).map(|(.., store)| store)
    }

    /// The fields of records that were loaded or stored whole, by array, address and type.
    pub(super) fn fields(&self, records: (usize, Value, Type)) -> Option<&[Value]> {
        self.fields.get(&records).map(Vec::as_slice)
    }

    /// The same are known from now on.
    pub(super) fn know_fields(&mut self, records: (usize, Value, Type), values: Vec<Value>) {
        self.fields.insert(records, values);
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
