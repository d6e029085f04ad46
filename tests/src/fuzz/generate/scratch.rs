//! Rows of scratch memory, which one iteration after the other fills, adds products to and reads:
//!
//! ```c
//! for (int q = 0; q < n; q++) {
//!     for (int p = 0; p < n; p++) {
//!         c[p] = 0;
//!         for (int s = 0; s < n; s++)
//!             c[p] += a[q][s] * b[s][p];
//!     }
//!     for (int p = 0; p < n; p++)
//!         a[q][p] = c[p];
//! }
//! ```
//!
//! Most could have a row for each of several iterations. In the others something is kept from one to the next: the row is not filled to its end, is filled
//! under a condition, is added to what was there, or is read before; it moves with the rows; what is multiplied is written as well. The row begins at any of its
//! first elements, and is often seen behind the nest.

use super::super::tree::{Access, Affine, Item, Target, Value};
use super::Generator;
use super::factorisation::Manner;

impl Generator {
    /// A nest.
    pub(super) fn through_scratch(&mut self, mut manner: Manner) -> Item {
        let is_odd = self.random.chance(30);
        if !is_odd {
            (manner.odd, manner.between, manner.backwards, manner.band) = (0, 0, 0, None);
        }
        let first = self.random.between(-4, 3).max(0);
        let is_apart = self.random.chance(50);
        let moves = is_odd && self.random.chance(20);
        let place = move |generator: &mut Generator, row: usize, at: usize| {
            if moves {
                return generator.place(manner, 2, [row, at]);
            }
            let subscript =
                Affine { constant: first, ..Affine::name(&generator.scope[at].0, generator.widened((0, first))) };
            Access { array: 2, subscripts: vec![subscript], ..Access::default() }
        };
        let start = move |generator: &mut Generator, q: usize, p: usize| {
            let value = match generator.random.between(0, 4) {
                0 => Value::Load(generator.place(manner, 0, [q, p])),
                1 => Value::Scaled(2, Box::new(Value::Load(generator.place(manner, 1, [q, p])))),
                _ => Value::Scaled(1, Box::new(Value::Constant(0))),
            };
            let operator = if is_odd && generator.random.chance(20) { "+=" } else { "=" };
            let target = Target::Element(place(generator, q, p));
            let store = Item::Store { target, operator, value };
            if is_odd && generator.random.chance(20) {
                return Item::If { condition: generator.narrow_condition(), then: vec![store], otherwise: Vec::new() };
            }
            store
        };
        let update = move |generator: &mut Generator, q: usize, p: usize, s: usize| {
            let left = Value::Load(generator.place(manner, 0, [q, s]));
            let right = Value::Load(generator.place(manner, 1, [s, p]));
            let left = Value::Scaled(generator.random.between(1, 3), Box::new(left));
            let target = Target::Element(place(generator, q, p));
            Item::Store { target, operator: manner.operator, value: Value::Product(Box::new(left), Box::new(right)) }
        };
        self.over_rows(manner, move |generator, q| {
            let along = |generator: &mut Generator| {
                let from =
                    if is_odd && generator.random.chance(10) { generator.counter(q, 0) } else { generator.start() };
                (from, generator.behind(manner.columns))
            };
            // Triangles have no register tiles, but rows of their own all the same.
            let inner = |generator: &mut Generator| match generator.random.between(0, 7) {
                0 => (generator.start(), generator.counter(q, 0)),
                1 => (generator.counter(q, 1), generator.behind(manner.rows)),
                _ => (generator.start(), generator.behind(manner.rows)),
            };
            let mut items = generator.between(manner, q, q);
            if is_odd && generator.random.chance(15) {
                let (from, to) = along(generator);
                items.push(generator.over(manner, from, to, |generator, p| {
                    let value = Value::Load(place(generator, q, p));
                    let target = Target::Element(generator.place(manner, 0, [q, p]));
                    vec![Item::Store { target, operator: "+=", value }]
                }));
            }
            let (from, to) = along(generator);
            if is_apart {
                items.push(generator.over(manner, from, to, |generator, p| vec![start(generator, q, p)]));
                let (from, to) = inner(generator);
                items.push(generator.over(manner, from, to, |generator, s| {
                    let (from, to) = along(generator);
                    vec![generator.over(manner, from, to, |generator, p| vec![update(generator, q, p, s)])]
                }));
            } else {
                items.push(generator.over(manner, from, to, |generator, p| {
                    let (from, to) = inner(generator);
                    let first = start(generator, q, p);
                    vec![first, generator.over(manner, from, to, |generator, s| vec![update(generator, q, p, s)])]
                }));
            }
            items.extend(generator.between(manner, q, q));
            let array = if is_odd { generator.random.between(0, 1) as usize } else { 0 };
            let (from, to) = along(generator);
            items.push(generator.over(manner, from, to, |generator, p| {
                let own = generator.place(manner, array, [q, p]);
                let row = Box::new(Value::Load(place(generator, q, p)));
                let value = match generator.random.between(0, 3) {
                    0 => Value::Sum(row, Box::new(Value::Load(own.clone()))),
                    1 => Value::Scaled(generator.random.between(1, 3), row),
                    _ => *row,
                };
                vec![Item::Store { target: Target::Element(own), operator: "=", value }]
            }));
            items
        })
    }
}
