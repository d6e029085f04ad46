//! Sweeps in place, whose iterations all wait for those before, with what one hands to the next in a variable or in what the compiler makes
//! of loads of neighbours:
//!
//! ```c
//! for (int t = 0; t < m; t++)
//!     for (int i = 0; i < n; i++) {
//!         double s = a[i][0];
//!         for (int j = 1; j < n; j++) {
//!             a[i][j] = 0.5 * s + 0.25 * a[i][j + 1] + 0.125 * a[i - 1][j];
//!             s = a[i][j];
//!         }
//!     }
//! ```
//!
//! Sometimes the variable holds what has been overwritten since, is not handed on in every iteration, or begins with something else.

use super::super::tree::{Access, Affine, Item, Loop, Target, Value};
use super::Generator;

/// The variable that iterations of the innermost loop hand on, and from which column of the array that is swept, counted from the own one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carried {
    local: usize,
    column: i64,
}

impl Generator {
    /// The body of a loop of such a nest.
    pub(super) fn sweep(&mut self, depth: usize) -> Vec<Item> {
        match depth {
            0 | 1 => self.swept(),
            2 if self.random.chance(60) => vec![self.carrying()],
            _ => vec![self.nest(depth - 1)],
        }
    }

    /// The innermost loop and the variable before it.
    fn carrying(&mut self) -> Item {
        let (local, column) = (self.sums, *self.random.pick(&[0, 0, 0, 1, 1, -1]));
        self.sums += 1;
        self.locals.push(local);
        self.carried = Some(Carried { local, column });
        let nest = self.nest(1);
        self.carried = None;
        // The first value cannot be computed with the variable.
        self.locals.pop();
        let begin = match &nest {
            Item::Loop(Loop { from: Affine { constant, terms, .. }, .. }) if terms.is_empty() => *constant,
            _ => 0,
        };
        let start = match self.random.between(0, 9) {
            0 => self.value(0),
            1 => Value::Load(self.near([0, 0], None)),
            _ => Value::Load(self.near([0, 0], Some(begin - 1 + column))),
        };
        let mut body = vec![nest];
        if self.random.chance(20) {
            let target = Target::Element(self.near([0, 0], Some(2)));
            body.push(Item::Store { target, operator: "=", value: Value::Local(local) });
        }
        Item::Sum { local, start, body }
    }

    /// An element of the array that is swept, so many rows and columns from the own one; or in one column.
    fn near(&mut self, [row, column]: [i64; 2], fixed: Option<i64>) -> Access {
        let last = self.scope.len() - 1;
        let is_inside = self.carried.is_some() || fixed.is_none();
        let rows = if is_inside { last - 1 } else { last };
        let named = |at: usize, constant: i64| Affine { constant, ..Affine::name(&self.scope[at].0, true) };
        let subscripts = match fixed {
            Some(column) => vec![named(rows, row), Affine::constant(column, true)],
            None => vec![named(rows, row), named(last, column)],
        };
        Access { array: 0, subscripts, ..Access::default() }
    }

    /// One iteration.
    fn swept(&mut self) -> Vec<Item> {
        let store = |target, value| Item::Store { target, operator: "=", value };
        let scaled = |value| Box::new(Value::Scaled(1, Box::new(value)));
        let own = self.near([0, 0], None);
        let carried = self.carried;
        let mut value = match carried {
            Some(Carried { local, .. }) => Value::Local(local),
            None => Value::Load(self.near([0, -1], None)),
        };
        for _ in 0..self.random.between(1, 4) {
            let at = [self.random.between(-1, 1), self.random.between(-1, 1)];
            let other = if self.random.chance(15) { self.value(0) } else { Value::Load(self.near(at, None)) };
            value = Value::Sum(scaled(value), scaled(other));
        }
        let mut items = vec![store(Target::Element(own), value.clone())];
        if self.random.chance(15) {
            let at = [self.random.between(0, 1), self.random.between(-2, 2)];
            let other = store(Target::Element(self.near(at, None)), self.value(0));
            items.insert(self.random.between(0, 1) as usize, other);
        }
        if let Some(Carried { local, column }) = carried {
            let next = match self.random.between(0, 9) {
                0 => value,
                1 => self.value(0),
                _ => Value::Load(self.near([0, column], None)),
            };
            let mut item = store(Target::Local(local), next);
            if self.random.chance(8) {
                item = Item::If { condition: self.condition(), then: vec![item], otherwise: Vec::new() };
            }
            let at = if self.random.chance(20) { 0 } else { items.len() };
            items.insert(at, item);
        }
        items
    }
}
