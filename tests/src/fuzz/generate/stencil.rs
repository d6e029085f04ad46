//! Loops over time around sweeps over rows, each of which computes an array from neighbours in others:
//!
//! ```c
//! for (int t = 0; t < m; t++) {
//!     for (int i = 1; i < n - 1; i++)
//!         b[i] = a[i - 1] + 2 * a[i] + a[i + 1];
//!     for (int i = 1; i < n - 1; i++)
//!         a[i] = b[i - 1] + b[i];
//! }
//! ```
//!
//! Rows are many, so that several tiles of several sweeps are beside and behind each other. Sometimes a sweep reads what it writes, or something
//! stands between two sweeps.

use super::super::tree::{ARRAYS, Access, Affine, Form, Item, Loop, Target, Value};
use super::Generator;

/// The largest size, and the largest leading dimension, which nothing is multiplied with.
pub(super) const ROOM: (i64, i64) = (700, 60);

/// What calls have as numbers of rows, and as numbers of sweeps: around tiles of 256 rows and 32 sweeps.
pub(super) const ROWS: [i64; 14] = [0, 1, 2, 3, 7, 33, 130, 255, 256, 258, 410, 513, 699, 700];
pub(super) const TIMES: [i64; 14] = [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 40, 65];

impl Generator {
    /// The loop over time.
    pub(super) fn stencil(&mut self) -> Item {
        let to = match self.random.chance(80) {
            true => Affine::name("m", self.mixed),
            false => Affine::constant(*self.random.pick(&[1, 2, 17, 48]), self.mixed),
        };
        let from = self.random.between(0, 1);
        let time = self.new_counter();
        let sweeps = *self.random.pick(&[1, 2, 2, 2, 3]);
        let mut body = Vec::new();
        self.scope.push((time.clone(), (from, TIMES[TIMES.len() - 1])));
        for number in 0..sweeps {
            body.push(self.rows(number));
            if self.random.chance(8) {
                body.push(self.store());
            }
        }
        self.scope.pop();
        self.loop_of(time, from, to, body)
    }

    /// The sweep with this number.
    fn rows(&mut self, number: usize) -> Item {
        let reach = *self.random.pick(&[0, 1, 1, 1, 2, 4]);
        let from = if self.random.chance(85) { reach } else { self.random.between(0, 2) };
        let less = if self.random.chance(75) { reach } else { self.random.between(0, 2) };
        let to = Affine { constant: -less, ..Affine::name("n", self.widened((-less, self.size))) };
        let row = self.new_counter();
        let own = number % ARRAYS;
        let moved = if self.random.chance(90) { 0 } else { self.random.between(-1, 1) };
        let target = self.row_at(own, &row, moved);
        let mut value = None;
        for _ in 0..self.random.between(1, 4) {
            let array = match self.random.between(0, 9) {
                0 => own,
                1 => (own + 2) % ARRAYS,
                _ => (own + 1) % 2,
            };
            let moves = array != own || self.random.chance(25);
            let offset = if moves { self.random.between(-reach, reach) } else { 0 };
            let load = Value::Scaled(1, Box::new(Value::Load(self.row_at(array, &row, offset))));
            value = Some(match value {
                None => load,
                Some(value) if self.random.chance(70) => Value::Sum(Box::new(value), Box::new(load)),
                Some(value) => Value::Difference(Box::new(value), Box::new(load)),
            });
        }
        let value = value.unwrap_or(Value::Constant(1));
        let body = vec![Item::Store { target: Target::Element(target), operator: "=", value }];
        self.loop_of(row, from, to, body)
    }

    /// The name of a new counter.
    pub(super) fn new_counter(&mut self) -> String {
        self.loops += 1;
        format!("i{}", self.loops - 1)
    }

    pub(super) fn loop_of(&mut self, variable: String, from: i64, to: Affine, body: Vec<Item>) -> Item {
        let (integer, from) = (self.parameter, Affine::constant(from, self.mixed));
        let counted = self.random.chance(25);
        Item::Loop(Loop { variable, integer, form: Form::Less, from, to, also: None, step: 1, counted, body })
    }

    /// The element of an array so many rows from the own one.
    pub(super) fn row_at(&self, array: usize, row: &str, offset: i64) -> Access {
        let subscript = Affine { constant: offset, ..Affine::name(row, self.widened((offset, self.size))) };
        Access { array, subscripts: vec![subscript], ..Access::default() }
    }
}
