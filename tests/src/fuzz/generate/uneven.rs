//! Two nests in one loop, of which one may have nothing to do, whatever its inner loop counts to, while the other one has:
//!
//! ```c
//! for (int t = 0; t < n; t++) {
//!     for (int i = 0; i < n; i++)
//!         for (int j = 0; j < n; j++)
//!             a[i][j] += 3 * b[i][j];
//!     for (int i = 2; i < n; i++)
//!         for (int j = 0; j < m; j++)
//!             a[j][i] = 2 * c[j][i - 1];
//! }
//! ```
//!
//! The second one goes down the columns, so that new code has the loop over `m` outside. Calls where `m` is far too large are made by
//! [`idle`](super::idle).

use super::super::tree::{ARRAYS, Affine, Form, Item, Loop, Target, Value};
use super::Generator;

impl Generator {
    pub(super) fn uneven(&mut self) -> Item {
        self.only = Some("n");
        let mut around = self.nest(0);
        if let Item::Loop(outer) = &mut around {
            self.scope.push((outer.variable.clone(), (0, self.size - 1)));
            let mut parts = vec![self.nest(2), self.column_by_column()];
            self.scope.pop();
            if self.random.chance(50) {
                parts.reverse();
            }
            outer.body = parts;
        }
        self.only = None;
        around
    }

    fn column_by_column(&mut self) -> Item {
        (self.only, self.columns) = (Some("m"), true);
        let depth = *self.random.pick(&[2, 3, 3]);
        let mut nest = self.nest(depth);
        (self.only, self.columns) = (Some("n"), false);
        if let Item::Loop(Loop { from, to, also, form, .. }) = &mut nest {
            (*from, *to, *also) = (Affine::constant(2, self.mixed), Affine::name("n", self.mixed), None);
            if *form == Form::DownWrap {
                *form = Form::Less;
            }
        }
        nest
    }

    /// The bodies inside of a loop, `depth` loops with the one that is meant: the rest of the nest, or statements.
    pub(super) fn down_columns(&mut self, depth: usize) -> Vec<Item> {
        if depth > 1 {
            return vec![self.nest(depth - 1)];
        }
        let count = *self.random.pick(&[1, 1, 2]);
        (0..count).map(|_| self.column_statement()).collect()
    }

    fn column_statement(&mut self) -> Item {
        let innermost = self.scope.len() - 1;
        // The loop around it, or the next one.
        let place = [innermost, self.scope.len() - self.random.between(2, 3) as usize];
        let target = self.element_at(0, place, 85);
        let array = self.random.between(1, ARRAYS as i64 - 1) as usize;
        let load = Value::Load(self.element_at(array, place, 50));
        let value = Value::Scaled(self.random.between(1, 9), Box::new(load));
        let operator = *self.random.pick(&["=", "=", "+=", "-="]);
        Item::Store { target: Target::Element(target), operator, value }
    }
}
