//! Loops whose iterations all add to one variable or element, or multiply it, or the like, so that a device can compute parts of the result:
//!
//! ```c
//! for (int t = 0; t < 2; t++) {
//!     uint32_t s0 = 5;
//!     for (int i = 1; i < n - 1; i++) {
//!         b[i] = a[i] - b[i];
//!         s0 += b[i] * a[i + 1];
//!     }
//!     c[t] = s0;
//! }
//! ```
//!
//! Rows are long, or there are several loops. Beside the reduction stands another one, or something that writes what it reads; sometimes the
//! element is read in between, so that there are no parts.

use super::super::tree::{Access, Affine, Item, Target, Value};
use super::Generator;

impl Generator {
    /// The loops, with a loop around, perhaps.
    pub(super) fn reduction(&mut self) -> Item {
        if !self.random.chance(30) {
            let element = Affine::constant(self.random.between(0, 5), self.mixed);
            return self.reduced(element);
        }
        let time = self.new_counter();
        let to = Affine::constant(*self.random.pick(&[1, 2, 3]), self.mixed);
        self.scope.push((time.clone(), (0, 2)));
        let body = vec![self.reduced(Affine::name(&time, self.mixed))];
        self.scope.pop();
        self.loop_of(time, 0, to, body)
    }

    /// A reduction into an element of an array, or into a variable that goes there.
    fn reduced(&mut self, subscript: Affine) -> Item {
        let array = if self.random.chance(85) { 2 } else { self.random.between(0, 1) as usize };
        let element = Access { array, subscripts: vec![subscript], ..Access::default() };
        let (local, start) = (self.sums, Value::Constant(self.random.between(0, 9)));
        self.sums += 1;
        let target = match self.random.chance(30) {
            true => Target::Element(element.clone()),
            false => Target::Local(local),
        };
        let depth = if self.long { 1 } else { *self.random.pick(&[1, 2, 2, 3]) };
        let mut body = vec![self.reducing(&target, depth)];
        let value = Value::Local(local);
        let operator = *self.random.pick(&["=", "=", "+="]);
        body.push(Item::Store { target: Target::Element(element), operator, value });
        Item::Sum { local, start, body }
    }

    /// So many loops that reduce.
    fn reducing(&mut self, target: &Target, depth: usize) -> Item {
        let row = self.new_counter();
        let (from, less) = (self.random.between(1, 3), self.random.between(0, 2));
        let around = self.scope.last().map(|(name, _)| name.clone()).filter(|_| !self.long && self.scope.len() > 3);
        let to = match around {
            Some(name) if self.random.chance(30) => Affine { constant: 1, ..Affine::name(&name, self.mixed) },
            _ => {
                let name = if self.long || self.random.chance(50) { "n" } else { "m" };
                Affine { constant: -less, ..Affine::name(name, self.widened((-less, self.size))) }
            }
        };
        self.scope.push((row.clone(), (from, self.size)));
        let body = match depth {
            1 => self.of_reduction(target, &row),
            _ => {
                let mut body = vec![self.reducing(target, depth - 1)];
                if self.random.chance(10) {
                    body.push(self.store());
                }
                body
            }
        };
        self.scope.pop();
        self.loop_of(row, from, to, body)
    }

    /// The reduction, and what stands beside it.
    fn of_reduction(&mut self, target: &Target, row: &str) -> Vec<Item> {
        let mut body = Vec::new();
        if self.random.chance(30) {
            body.push(self.beside(row));
        }
        body.push(self.combined(target.clone(), row));
        if self.random.chance(25) {
            body.push(self.beside(row));
        }
        if self.random.chance(10) {
            body.push(self.combined(target.clone(), row));
        }
        if self.random.chance(5)
            && let Target::Local(local) = target
        {
            let target = Target::Element(self.row_at(1, row, 0));
            body.push(Item::Store { target, operator: "=", value: Value::Local(*local) });
        }
        body
    }

    /// Another array's element, of the same row or of one nearby.
    fn beside(&mut self, row: &str) -> Item {
        let offset = self.random.between(-1, 1);
        let written = self.random.between(0, 1) as usize;
        let moved = if self.random.chance(80) { 0 } else { offset };
        let target = Target::Element(self.row_at(written, row, moved));
        let value = self.summand(row);
        let operator = *self.random.pick(&["=", "+="]);
        Item::Store { target, operator, value }
    }

    fn combined(&mut self, target: Target, row: &str) -> Item {
        let value = match self.random.chance(40) {
            true => Value::Product(Box::new(self.summand(row)), Box::new(self.summand(row))),
            false => self.summand(row),
        };
        let old = match &target {
            Target::Element(access) => Value::Load(access.clone()),
            Target::Local(local) => Value::Local(*local),
            Target::Scalar(scalar) => Value::Scalar(*scalar),
        };
        let operator = match self.random.between(0, 9) {
            0 => {
                return Item::Store { target, operator: "=", value: Value::Least(Box::new(old), Box::new(value)) };
            }
            1 => {
                return Item::Store { target, operator: "=", value: Value::Greatest(Box::new(old), Box::new(value)) };
            }
            2 => "-=",
            3 | 4 if !self.element.is_float() => *self.random.pick(&["^=", "|=", "&=", "*="]),
            _ => "+=",
        };
        Item::Store { target, operator, value }
    }

    /// What is added up: mostly an element of this row.
    fn summand(&mut self, row: &str) -> Value {
        if !self.long && self.random.chance(40) {
            return self.value(1);
        }
        let array = self.random.between(0, 1) as usize;
        let array = if self.random.chance(5) { 2 } else { array };
        let offset = if self.random.chance(60) { 0 } else { self.random.between(-1, 1) };
        Value::Scaled(self.random.between(1, 3), Box::new(Value::Load(self.row_at(array, row, offset))))
    }
}
