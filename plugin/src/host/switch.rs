//! `switch`: a jump to one of several blocks, by the value of an integer.

use super::build::as_int;
use super::edit::{Edit, EditError, Editor, inkwell_block};
use super::handles::{Block, Value};
use super::opcode::Opcode;
use inkwell::values::AsValueRef;
use llvm_sys::core;

/// A `switch`, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The integer that decides.
    pub value: Value,
    /// Where it goes for all numbers that are not among the cases.
    pub default: Block,
    /// Signed numbers, each once, and where it goes for them.
    pub cases: Vec<(i128, Block)>,
}

impl Switch {
    /// The signed numbers that lead to one of the blocks for which `leads` holds, as intervals; `None` is an open end.
    pub fn numbers(&self, leads: impl Fn(Block) -> bool) -> Vec<(Option<i128>, Option<i128>)> {
        let mut cases = self.cases.clone();
        cases.sort_by_key(|(number, _)| *number);
        let mut intervals: Vec<(Option<i128>, Option<i128>)> = Vec::new();
        let mut add = |low: Option<i128>, high: Option<i128>| match intervals.last_mut() {
            Some((_, last)) if low.is_some() && *last == low.map(|low| low - 1) => *last = high,
            _ => intervals.push((low, high)),
        };
        let between = leads(self.default);
        let mut next = None;
        for (number, target) in cases {
            if between && next != Some(number) {
                add(next, Some(number - 1));
            }
            if leads(target) {
                add(Some(number), Some(number));
            }
            next = Some(number + 1);
        }
        if between {
            add(next, None);
        }
        intervals
    }
}

impl Value {
    /// A `switch`, taken apart; `None` for other values and for numbers of more than 64 bits.
    pub fn switch(self) -> Option<Switch> {
        if !self.is(Opcode::Switch) {
            return None;
        }
        let value = self.operand(0).filter(|value| value.ty().int_bits().is_some_and(|bits| bits <= 64))?;
        let successors = self.parent()?.successors();
        let (default, targets) = successors.split_first()?;
        let mut cases = Vec::new();
        for (index, target) in (1..).zip(targets) {
            // SAFETY: the value is a `switch`, whose successors after the first each have a number.
            let number = Value::from_raw(unsafe { core::LLVMGetSwitchCaseValue(self.raw(), index) })?;
            cases.push((number.constant_int()?, *target));
        }
        Some(Switch { value, default: *default, cases })
    }
}

impl Editor<'_> {
    /// Branches by the value of an integer.
    pub fn switch(&self, value: Value, default: Block, cases: &[(i128, Block)]) -> Edit<Value> {
        let bits = value.ty().int_bits().ok_or_else(|| EditError::new("a jump by what is no integer"))?;
        self.require_open_block()?;
        let mut numbers = Vec::new();
        for (number, target) in cases {
            numbers.push((as_int(self.const_int(bits, *number)?)?, inkwell_block(*target)));
        }
        let jump = self.builder.build_switch(as_int(value)?, inkwell_block(default), &numbers)?;
        self.created(jump.as_value_ref())
    }
}
