//! Eliminations that change all rows of a matrix with one of them, step by step, as that of Gauss and Jordan does, and what is like them:
//!
//! ```c
//! for (int k = 0; k < n; k++) {
//!     for (int j = k + 1; j < m; j++)
//!         a[k][j] = a[k][j] / a[k][k];
//!     for (int i = 0; i < n; i++)
//!         if (i != k)
//!             for (int j = k + 1; j < m; j++)
//!                 a[i][j] -= a[i][k] * a[k][j];
//! }
//! ```
//!
//! The row of a step may be changed as well, or be left out by a condition around or inside of the loop over columns, by a `continue`, or by two loops. It is
//! scaled in front of the others, behind them, in a nest of its own or never; factors are read where they are, or kept in variables or in another array. Columns
//! begin anywhere, right-hand sides are in the same matrix or in another one, and sums and shortest paths take the place of products. In some the row that is
//! read is not that of the step, but one beside it or one of another matrix, and statements stand between. Sizes go from one row to almost three blocks of 32.

use super::super::random::Random;
use super::super::tree::{ARRAYS, Access, Affine, Condition, Element, Item, Target, Value};
use super::Generator;
use super::factorisation::{Bound, Manner, Pivot};

/// The largest size, and the largest leading dimension: all elements have room in a pool, from its start on.
pub(super) const ROOM: (i64, i64) = (88, 90);

/// What calls have as sizes: around one and two blocks of 32 steps, and blocks of fewer.
pub(super) const SIZES: [i64; 22] =
    [1, 2, 3, 8, 15, 16, 17, 31, 32, 33, 40, 48, 63, 64, 64, 65, 66, 67, 70, 75, 80, 88];

/// Arrays begin so far before the middle of their pool, as no subscript is negative.
const BEFORE: i64 = 4000;

/// Elements, most of which new code has registers for.
pub(super) const ELEMENTS: [Element; 6] =
    [Element::Double, Element::Double, Element::Float, Element::U32, Element::U32, Element::I16];

/// What becomes of the row of the step in the loop over rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Own {
    /// `if (i != k)` around the loop over columns.
    Around,
    /// `if (i != k)` inside of it.
    Inside,
    /// `if (i == k) continue;`
    Continue,
    /// There are two loops, for the rows in front of it and behind it.
    TwoLoops,
    /// It is changed like all others.
    Changed,
    /// Only the rows behind it are changed.
    Behind,
}

/// Where the loop over columns begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Columns {
    All,
    FromStep,
    BehindStep,
}

/// Where the factor of a row comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Factor {
    /// `a[i][k]` where it is used.
    InPlace,
    /// A variable in front of the loop over columns.
    Variable,
    /// The same, with what the pivot makes of it.
    Divided,
    /// `a[i][k] = a[i][k] / a[k][k]` in front of that loop.
    Stored,
    /// `c[i]`, set in front of that loop.
    Kept,
    /// `c[i]`, set in a loop over all rows.
    Column,
}

/// When the row of a step is scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scaling {
    Before,
    After,
    /// Behind all steps.
    Last,
    Never,
}

/// What becomes of an element by the factor of its row and the element of the row of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Product(&'static str),
    /// The least sum.
    Shortest,
    /// The greatest sum.
    Longest,
    /// The least of the greatest.
    Widest,
}

/// What all statements of an elimination have in common.
#[derive(Clone, Copy, Debug)]
struct Shape {
    manner: Manner,
    own: Own,
    columns: Columns,
    factor: Factor,
    scaling: Scaling,
    change: Change,
    /// Another matrix is changed by the same factors, with so many columns.
    other: Option<&'static str>,
    /// The loop over rows is inside of that over columns.
    is_by_columns: bool,
    /// The pivot is kept in a variable.
    keeps_pivot: bool,
    /// The row that is read: so far from that of the step, and of which array.
    distance: i64,
    source: usize,
    /// Rows are left out by what is in them, too.
    is_sparse: bool,
    /// Products are not made small, as scaled rows keep them so.
    is_plain: bool,
    /// Statements about the rows and columns of steps, in loops of their own: percent of the places.
    extra: u64,
}

impl Generator {
    /// A nest, and one that scales all rows where that comes last.
    pub(super) fn elimination(&mut self) -> Vec<Item> {
        let shape = self.shape();
        let manner = shape.manner;
        let steps = match self.random.between(0, 19) {
            0 => *self.random.pick(&["n", "m"]),
            _ => manner.rows,
        };
        let first = if shape.distance < 0 { 1 } else { self.random.between(-8, 1).max(0) };
        let (from, to) = ((Affine::constant(first, self.mixed), (first, first)), self.behind(steps));
        let mut items = vec![self.over(manner, from, to, |generator, k| generator.step(shape, k))];
        if shape.scaling == Scaling::Last {
            items.push(self.over_rows(manner, |generator, k| generator.scaled_row(shape, k, None)));
        }
        items
    }

    /// A shape: a usual one, whose steps can be done in blocks, or one with something that may forbid it.
    fn shape(&mut self) -> Shape {
        let is_usual = self.random.chance(65);
        let rows = *self.random.pick(&["n", "n", "m"]);
        let columns = if self.random.chance(50) { rows } else { *self.random.pick(&["n", "m"]) };
        let random = &mut self.random;
        let oddly = |random: &mut Random, percent| !is_usual && random.chance(percent);
        let pivot = match random.between(0, 9) {
            0 => Pivot::Product,
            1 => Pivot::Sum,
            2 => Pivot::Least,
            _ => Pivot::Quotient,
        };
        let operator = *random.pick(&["-=", "-=", "-=", "-=", "+="]);
        let manner = Manner {
            rows,
            columns,
            is_transposed: random.chance(20),
            band: None,
            pivot,
            operator,
            in_variables: 0,
            backwards: *random.pick(if is_usual { &[0, 0, 0, 0, 10] } else { &[0, 0, 10, 50] }),
            odd: if oddly(random, 20) { 5 } else { 0 },
            elsewhere: 0,
            scaled: if oddly(random, 20) { 100 } else { 0 },
            between: if oddly(random, 30) { 10 } else { 0 },
        };
        let change = match random.between(0, 19) {
            0..=2 => Change::Shortest,
            3 => Change::Longest,
            4 => Change::Widest,
            5 if !self.element.is_float() => Change::Product("^="),
            6 if !self.element.is_float() => Change::Product("|="),
            _ => Change::Product(operator),
        };
        let is_product = matches!(change, Change::Product(_));
        let scaling = match is_product || random.chance(25) {
            true => *random.pick(&[Scaling::Before, Scaling::Before, Scaling::After, Scaling::Last, Scaling::Never]),
            false => Scaling::Never,
        };
        let own = match random.between(0, 9) {
            0..=2 => Own::Around,
            3 | 4 => Own::Inside,
            5 | 6 => Own::Continue,
            _ => Own::TwoLoops,
        };
        let own = match random.chance(if is_product { 30 } else { 60 }) && !is_usual {
            true => *random.pick(&[Own::Changed, Own::Changed, Own::Behind]),
            false => own,
        };
        let factor = match random.between(0, 19) {
            0..=6 => Factor::InPlace,
            7..=13 => Factor::Variable,
            14 | 15 if is_product => Factor::Divided,
            16 if is_product => Factor::Stored,
            17 => Factor::Kept,
            18 => Factor::Column,
            _ => Factor::Variable,
        };
        // Where the factor itself is among what a row changes, it is not the same for all columns.
        let is_fixed = is_usual && matches!(factor, Factor::InPlace | Factor::Stored);
        let columns = match is_fixed {
            true => Columns::BehindStep,
            false => *random.pick(&[Columns::All, Columns::FromStep, Columns::BehindStep]),
        };
        let is_divided = scaling == Scaling::Before || matches!(factor, Factor::Divided | Factor::Stored);
        Shape {
            manner,
            own,
            columns,
            factor,
            scaling,
            change,
            other: random.chance(35).then(|| *random.pick(&["n", "m"])),
            is_by_columns: random.chance(if is_usual { 5 } else { 25 }),
            keeps_pivot: random.chance(40),
            distance: if oddly(random, 40) { *random.pick(&[-1, 1]) } else { 0 },
            source: usize::from(oddly(random, 15)),
            is_sparse: oddly(random, 8),
            is_plain: is_divided && pivot == Pivot::Quotient && random.chance(60),
            extra: *random.pick(if is_usual { &[0, 0, 0, 0, 5] } else { &[0, 0, 20] }),
        }
    }

    /// What happens in a step.
    fn step(&mut self, shape: Shape, k: usize) -> Vec<Item> {
        if !shape.keeps_pivot {
            return self.step_with(shape, k, None);
        }
        let start = Value::Load(self.place(shape.manner, 0, [k, k]));
        self.with_variable(start, |generator, pivot| generator.step_with(shape, k, Some(pivot)))
    }

    fn step_with(&mut self, shape: Shape, k: usize, pivot: Option<usize>) -> Vec<Item> {
        let manner = shape.manner;
        let mut items = self.between(manner, k, k);
        items.extend(self.aside(shape, k));
        if shape.scaling == Scaling::Before {
            items.extend(self.scaled_row(shape, k, pivot));
            items.extend(self.aside(shape, k));
        }
        if shape.factor == Factor::Column {
            let (from, to) = (self.start(), self.behind(manner.rows));
            items.push(self.over(manner, from, to, |generator, i| vec![generator.kept(shape, i, k, pivot)]));
        }
        if shape.is_by_columns {
            for (array, size) in matrices(shape) {
                let (from, to) = (self.first_column(shape, array, k), self.behind(size));
                items.push(self.over(manner, from, to, |generator, j| {
                    generator.changed_rows(shape, k, |generator, i| {
                        generator.with_factor(shape, [i, k], pivot, |generator, factor| {
                            vec![generator.changed(shape, array, [i, j, k], factor)]
                        })
                    })
                }));
            }
        } else {
            items.extend(self.changed_rows(shape, k, |generator, i| generator.row(shape, [i, k], pivot)));
        }
        items.extend(self.aside(shape, k));
        if shape.scaling == Scaling::After {
            items.extend(self.scaled_row(shape, k, pivot));
        }
        items.extend(self.between(manner, k, k));
        items
    }

    /// Loops over the rows that are changed.
    fn changed_rows(&mut self, shape: Shape, k: usize, row: impl Fn(&mut Self, usize) -> Vec<Item>) -> Vec<Item> {
        let manner = shape.manner;
        let (start, end) = (self.start(), self.behind(manner.rows));
        let (front, behind) = (self.counter(k, 0), self.counter(k, 1));
        match shape.own {
            Own::TwoLoops => {
                let mut loops = vec![self.over(manner, start, front, &row), self.over(manner, behind, end, &row)];
                if self.random.chance(20) {
                    loops.reverse();
                }
                loops
            }
            Own::Behind => vec![self.over(manner, behind, end, row)],
            Own::Changed => vec![self.over(manner, start, end, row)],
            Own::Inside if !shape.is_by_columns => vec![self.over(manner, start, end, row)],
            Own::Around | Own::Inside => vec![self.over(manner, start, end, |generator, i| {
                let then = row(generator, i);
                vec![Item::If { condition: generator.compared(i, "!=", k), then, otherwise: Vec::new() }]
            })],
            Own::Continue => vec![self.over(manner, start, end, |generator, i| {
                let condition = generator.compared(i, "==", k);
                let mut items = vec![Item::If { condition, then: vec![Item::Continue], otherwise: Vec::new() }];
                items.extend(row(generator, i));
                items
            })],
        }
    }

    /// What becomes of a row in a step.
    fn row(&mut self, shape: Shape, [i, k]: [usize; 2], pivot: Option<usize>) -> Vec<Item> {
        let manner = shape.manner;
        let is_inside = shape.own == Own::Inside;
        let mut items = self.with_factor(shape, [i, k], pivot, |generator, factor| {
            let mut items = Vec::new();
            for (array, size) in matrices(shape) {
                let (from, to) = (generator.first_column(shape, array, k), generator.behind(size));
                items.push(generator.over(manner, from, to, |generator, j| {
                    let store = generator.changed(shape, array, [i, j, k], factor.clone());
                    match is_inside {
                        true => {
                            let condition = generator.compared(i, "!=", k);
                            vec![Item::If { condition, then: vec![store], otherwise: Vec::new() }]
                        }
                        false => vec![store],
                    }
                }));
            }
            if generator.random.chance(30) {
                items.reverse();
            }
            items
        });
        items.extend(self.between(manner, i, k));
        if shape.columns == Columns::BehindStep && self.random.chance(15) {
            let value = Value::Scaled(1, Box::new(Value::Constant(0)));
            let target = Target::Element(self.place(manner, 0, [i, k]));
            items.push(Item::Store { target, operator: "=", value });
        }
        if shape.is_sparse {
            let condition = Condition::Positive(self.place(manner, 0, [i, k]));
            return vec![Item::If { condition, then: items, otherwise: Vec::new() }];
        }
        items
    }

    /// Items that use the factor of a row.
    fn with_factor(
        &mut self,
        shape: Shape,
        [i, k]: [usize; 2],
        pivot: Option<usize>,
        body: impl FnOnce(&mut Self, Value) -> Vec<Item>,
    ) -> Vec<Item> {
        let own = self.place(shape.manner, 0, [i, k]);
        let load = Value::Load(own.clone());
        match shape.factor {
            Factor::InPlace => body(self, load),
            Factor::Variable => self.with_variable(load, |generator, local| body(generator, Value::Local(local))),
            Factor::Divided => {
                let start = self.by_pivot(shape, load, k, pivot);
                self.with_variable(start, |generator, local| body(generator, Value::Local(local)))
            }
            Factor::Stored => {
                let value = self.by_pivot(shape, load.clone(), k, pivot);
                let mut items = vec![Item::Store { target: Target::Element(own), operator: "=", value }];
                items.extend(body(self, load));
                items
            }
            Factor::Kept => {
                let mut items = vec![self.kept(shape, i, k, pivot)];
                let kept = Value::Load(self.diagonal(i));
                items.extend(body(self, kept));
                items
            }
            Factor::Column => {
                let kept = Value::Load(self.diagonal(i));
                body(self, kept)
            }
        }
    }

    /// `c[i] = a[i][k]`, divided or not.
    fn kept(&mut self, shape: Shape, i: usize, k: usize, pivot: Option<usize>) -> Item {
        let load = Value::Load(self.place(shape.manner, 0, [i, k]));
        let value = if self.random.chance(30) { self.by_pivot(shape, load, k, pivot) } else { load };
        Item::Store { target: Target::Element(self.diagonal(i)), operator: "=", value }
    }

    /// Items with a variable of their own.
    fn with_variable(&mut self, start: Value, body: impl FnOnce(&mut Self, usize) -> Vec<Item>) -> Vec<Item> {
        let local = self.sums;
        self.sums += 1;
        vec![Item::Sum { local, start, body: body(self, local) }]
    }

    /// What a value becomes by the pivot of a step.
    fn by_pivot(&mut self, shape: Shape, value: Value, k: usize, pivot: Option<usize>) -> Value {
        let pivot = pivot.map(Value::Local);
        let pivot = pivot.unwrap_or_else(|| Value::Load(self.place(shape.manner, 0, [k, k])));
        let manner = shape.manner;
        self.pivoted_value(manner, value.clone(), pivot).unwrap_or(value)
    }

    /// The loops that scale the row of a step.
    fn scaled_row(&mut self, shape: Shape, k: usize, pivot: Option<usize>) -> Vec<Item> {
        let manner = shape.manner;
        let mut items = Vec::new();
        for (array, size) in matrices(shape) {
            let (from, to) = (self.first_column(shape, array, k), self.behind(size));
            items.push(self.over(manner, from, to, |generator, j| {
                let own = generator.place(manner, array, [k, j]);
                let value = generator.by_pivot(shape, Value::Load(own.clone()), k, pivot);
                vec![Item::Store { target: Target::Element(own), operator: "=", value }]
            }));
        }
        if self.random.chance(30) {
            items.reverse();
        }
        if shape.columns == Columns::BehindStep && self.random.chance(15) {
            let value = Value::Constant(15);
            let target = Target::Element(self.place(manner, 0, [k, k]));
            items.push(Item::Store { target, operator: "=", value });
        }
        items
    }

    /// `a[i][j] -= factor * a[k][j]`, or what takes the place of the product.
    fn changed(&mut self, shape: Shape, array: usize, [i, j, k]: [usize; 3], factor: Value) -> Item {
        let manner = shape.manner;
        let own = self.place(manner, array, [i, j]);
        let row = self.row_of_step(shape, array, [k, j]);
        let (load, target) = (Box::new(Value::Load(own.clone())), Target::Element(own));
        let sum = |factor, row| Box::new(Value::Sum(Box::new(factor), Box::new(row)));
        let (operator, value) = match shape.change {
            Change::Shortest => ("=", Value::Least(load, sum(factor, row))),
            Change::Longest => ("=", Value::Greatest(load, sum(factor, row))),
            Change::Widest => ("=", Value::Least(load, Box::new(Value::Greatest(Box::new(factor), Box::new(row))))),
            Change::Product(operator) => {
                let small = |value| Value::Scaled(1, Box::new(value));
                let factor = match (self.element.is_float(), shape.is_plain) {
                    (_, true) => factor,
                    (true, false) => small(small(factor)),
                    (false, false) => Value::Scaled(*self.random.pick(&[1, 1, 3, 5]), Box::new(factor)),
                };
                let mut value = Value::Product(Box::new(factor), Box::new(row));
                if self.random.chance(manner.scaled) {
                    let pivot = Value::Load(self.place(manner, 0, [k, k]));
                    value = Value::Product(Box::new(value), Box::new(pivot));
                }
                (operator, value)
            }
        };
        Item::Store { target, operator, value }
    }

    /// What is read of the row of a step, or of one beside it, or of both.
    fn row_of_step(&mut self, shape: Shape, array: usize, [k, j]: [usize; 2]) -> Value {
        let manner = shape.manner;
        let from = (array + shape.source) % (ARRAYS - 1);
        let own = self.place(manner, from, [k, j]);
        if shape.distance == 0 || shape.distance < 0 && self.scope[k].1.0 < 1 {
            return Value::Load(own);
        }
        let mut beside = own.clone();
        let row = usize::from(manner.is_transposed);
        beside.subscripts[row].constant = shape.distance;
        match self.random.chance(30) {
            true => Value::Sum(Box::new(Value::Load(own)), Box::new(Value::Load(beside))),
            false => Value::Load(beside),
        }
    }

    /// A loop that does something else with the row or the column of a step, now and then.
    fn aside(&mut self, shape: Shape, k: usize) -> Vec<Item> {
        if !self.random.chance(shape.extra) {
            return Vec::new();
        }
        let manner = shape.manner;
        let (which, is_row) = (self.random.between(0, 3), self.random.chance(60));
        let to = self.behind(if is_row { manner.columns } else { manner.rows });
        let from = if self.random.chance(70) { self.start() } else { self.counter(k, 1) };
        vec![self.over(manner, from, to, |generator, at| {
            let place = if is_row { [k, at] } else { [at, k] };
            let own: Access = generator.place(manner, 0, place);
            let other = generator.place(manner, 1, place);
            let load = |access: &Access| Value::Load(access.clone());
            let (target, operator, value) = match which {
                // The sum of all.
                0 => (generator.diagonal(k), "+=", load(&own)),
                1 => (generator.diagonal(at), "+=", Value::Scaled(1, Box::new(load(&own)))),
                2 => (other, "=", load(&own)),
                _ => (own, "+=", Value::Scaled(1, Box::new(load(&other)))),
            };
            vec![Item::Store { target: Target::Element(target), operator, value }]
        })]
    }

    /// Where columns begin: those of another matrix with the first one.
    fn first_column(&mut self, shape: Shape, array: usize, k: usize) -> Bound {
        match shape.columns {
            Columns::FromStep if array == 0 => self.counter(k, 0),
            Columns::BehindStep if array == 0 => self.counter(k, 1),
            _ => self.start(),
        }
    }

    /// A comparison of two counters.
    fn compared(&self, left: usize, operator: &'static str, right: usize) -> Condition {
        let name = |at: usize| Affine::name(&self.scope[at].0, self.mixed);
        Condition::Compare(name(left), operator, name(right))
    }

    /// Moves arrays to where the largest ones have room.
    pub(super) fn place_matrices(&self, places: &mut [(usize, i64); ARRAYS]) {
        if self.eliminated && self.size == ROOM.0 {
            places.iter_mut().for_each(|place| place.1 -= BEFORE);
        }
    }
}

/// The matrices that are changed, with the number of their columns.
fn matrices(shape: Shape) -> impl Iterator<Item = (usize, &'static str)> {
    [(0, shape.manner.columns)].into_iter().chain(shape.other.map(|size| (1, size)))
}
