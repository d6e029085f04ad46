//! Memory that holds one value after the other: an element, the same one or one of a row, that iterations write and read.

use super::super::tree::{Access, Affine, Condition, Item, Target, Value};
use super::Generator;

impl Generator {
    /// The items of an innermost body that keep a value in memory for a moment: most often it is written first, used then, and
    /// never seen by another iteration.
    pub(super) fn temporary(&mut self) -> Vec<Item> {
        // The last array; few of the other values come from there.
        let (array, around) = (2, self.temporary);
        self.temporary = Some(array);
        let subscript = if self.random.chance(65) {
            let constant = self.random.between(0, 2);
            Affine::constant(constant, self.mixed)
        } else {
            self.affine(1, false).0
        };
        let cell = self.in_cell(Access { array, subscripts: vec![subscript], ..Access::default() });
        let mut items = Vec::new();
        if self.random.chance(8) {
            items.push(self.usage(&cell));
        }
        for _ in 0..*self.random.pick(&[1, 1, 1, 2]) {
            let value = if items.is_empty() || self.random.chance(60) { self.value(1) } else { self.value_with(&cell) };
            let write = Item::Store { target: Target::Element(cell.clone()), operator: "=", value };
            if self.random.chance(12) {
                let condition = self.narrow_condition();
                items.push(Item::If { condition, then: vec![write], otherwise: Vec::new() });
            } else {
                items.push(write);
            }
            if self.random.chance(30) {
                items.push(self.statement());
            }
            for _ in 0..*self.random.pick(&[0, 1, 1, 1, 2]) {
                items.push(self.usage(&cell));
            }
        }
        if self.random.chance(6) {
            items.push(Item::Store { target: Target::Element(cell.clone()), operator: "+=", value: self.value(0) });
        }
        self.temporary = around;
        items
    }

    fn usage(&mut self, cell: &Access) -> Item {
        let operator = *self.random.pick(&["=", "+=", "-="]);
        let target = Target::Element(self.access(true));
        Item::Store { target, operator, value: self.value_with(cell) }
    }

    fn value_with(&mut self, cell: &Access) -> Value {
        Value::Sum(Box::new(Value::Load(cell.clone())), Box::new(self.value(0)))
    }

    /// A condition that is affine most of the time.
    pub(super) fn narrow_condition(&mut self) -> Condition {
        if self.random.chance(20) {
            return self.condition();
        }
        let (mut left, _) = self.affine(1, false);
        let (mut right, _) = self.affine(1, true);
        left.widened = true;
        right.widened = true;
        let operator = *self.random.pick(&["<", "<=", "!="]);
        Condition::Compare(left, operator, right)
    }
}
