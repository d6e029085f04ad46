//! Factorisations of a square matrix in place, and what is like them: substitution, products with a triangle of the same matrix.
//!
//! ```c
//! for (int i = 0; i < n; i++) {
//!     for (int j = 0; j < i; j++) {
//!         for (int k = 0; k < j; k++)
//!             a[i][j] -= a[i][k] * a[k][j];
//!         a[i][j] = a[i][j] / a[j][j];
//!     }
//!     for (int j = i; j < n; j++)
//!         for (int k = 0; k < i; k++)
//!             a[i][j] -= a[i][k] * a[k][j];
//! }
//! ```
//!
//! They come as text books write them: by rows and by columns, with what is in front of a row (left-looking) or for what is behind it
//! (right-looking), for half of a symmetric matrix. Then something is odd in most: a bound is off by one, the matrix is transposed, has a band,
//! or is read elsewhere, loops run backwards, sums are kept in variables, statements stand between, another operation takes the place of the
//! division by the diagonal, all of it is done twice. Rows of more than one block of the optimiser are likely: sizes are larger than in other cases.

use super::super::tree::{Access, Affine, Form, Item, Loop, Target, Value};
use super::{Generator, Interval};

/// The largest size, and the largest leading dimension: all elements have room.
pub(super) const ROOM: (i64, i64) = (56, 60);

/// What calls have as sizes: around blocks of 32 rows, and of fewer.
pub(super) const SIZES: [i64; 19] = [0, 1, 2, 3, 5, 8, 9, 15, 31, 32, 33, 34, 37, 40, 47, 48, 49, 55, 56];

/// The bound of a loop, with its values.
pub(super) type Bound = (Affine, Interval);

/// What an element becomes by the one of the diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pivot {
    Quotient,
    Product,
    Sum,
    Least,
    Greatest,
    /// It stays as it is.
    Nothing,
}

/// What all loops and statements of a factorisation have in common. Numbers are percentages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    /// How many rows and how many columns there are: the same size, most often.
    pub(super) rows: &'static str,
    pub(super) columns: &'static str,
    pub(super) is_transposed: bool,
    /// What lies so far from the diagonal is not there.
    pub(super) band: Option<i64>,
    pub(super) pivot: Pivot,
    pub(super) operator: &'static str,
    /// Sums that are kept in a variable.
    pub(super) in_variables: u64,
    /// Loops that run backwards.
    pub(super) backwards: u64,
    /// Bounds and subscripts that are off by one.
    pub(super) odd: u64,
    /// Factors that come from another matrix.
    pub(super) elsewhere: u64,
    /// Products with an element of the diagonal as well: `a[i][k] * a[k][j] * a[k][k]`.
    pub(super) scaled: u64,
    /// Places between loops with a statement.
    pub(super) between: u64,
}

impl Generator {
    /// A nest.
    pub(super) fn factorisation(&mut self) -> Item {
        let rows = *self.random.pick(&["n", "n", "m"]);
        let columns = if self.random.chance(90) { rows } else { *self.random.pick(&["n", "m"]) };
        let manner = Manner {
            rows,
            columns,
            is_transposed: self.random.chance(15),
            band: self.random.chance(12).then(|| self.random.between(2, 9)),
            pivot: *self.random.pick(&[
                Pivot::Quotient,
                Pivot::Quotient,
                Pivot::Product,
                Pivot::Sum,
                Pivot::Least,
                Pivot::Greatest,
                Pivot::Nothing,
            ]),
            operator: if self.random.chance(33) { "+=" } else { "-=" },
            in_variables: *self.random.pick(&[0, 0, 50, 100]),
            backwards: *self.random.pick(&[0, 0, 0, 0, 10, 50]),
            odd: *self.random.pick(&[0, 0, 0, 5]),
            elsewhere: *self.random.pick(&[0, 0, 0, 10, 40]),
            scaled: *self.random.pick(&[0, 0, 0, 0, 100]),
            between: *self.random.pick(&[0, 0, 15]),
        };
        if self.random.chance(12) {
            let twice = (Affine::constant(2, self.mixed), (2, 2));
            return self.over(manner, self.start(), twice, |generator, _| vec![generator.factorised(manner)]);
        }
        self.factorised(manner)
    }

    fn factorised(&mut self, manner: Manner) -> Item {
        match self.random.between(0, 22) {
            0..=3 => self.left_looking(manner),
            4..=6 => self.right_looking(manner),
            7 | 8 => self.row_by_row(manner),
            9 | 10 => self.half(manner),
            11 => self.column_after_column(manner),
            12 | 16 => self.row_and_column(manner),
            13 => self.with_diagonal(manner),
            14 => self.substitution(manner),
            15 => self.triangle(manner),
            _ => self.through_scratch(manner),
        }
    }

    /// `for i: { for j < i: { for k < j: a[i][j] -= a[i][k] * a[k][j]; a[i][j] /= a[j][j] } for j >= i: for k < i: ... }`
    fn left_looking(&mut self, manner: Manner) -> Item {
        let is_square = self.random.chance(80);
        self.over_rows(manner, |generator, i| {
            let mut items = generator.between(manner, i, i);
            items.push(generator.over(manner, generator.front(manner, i), generator.counter(i, 0), |generator, j| {
                let update = |generator: &mut Generator, k| generator.update(manner, [i, j], [i, k], [k, j]);
                let mut items = generator.sum_up(manner, [i, j], j, Some(j), update);
                items.extend(generator.between(manner, i, j));
                items
            }));
            if is_square {
                let (from, to) = (generator.counter(i, 0), generator.behind(manner.columns));
                items.push(generator.over(manner, from, to, |generator, j| {
                    let update = |generator: &mut Generator, k| generator.update(manner, [i, j], [i, k], [k, j]);
                    let mut items = generator.sum_up(manner, [i, j], i, None, update);
                    items.extend(generator.between(manner, i, j));
                    items
                }));
            }
            items
        })
    }

    /// `for k: for i > k: { a[i][k] /= a[k][k]; for j > k: a[i][j] -= a[i][k] * a[k][j] }`, or with half of a symmetric matrix, or with the rows in
    /// front of `k` as well.
    fn right_looking(&mut self, manner: Manner) -> Item {
        let (is_symmetric, is_apart, is_outside) =
            (self.random.chance(35), self.random.chance(35), self.random.chance(25));
        let in_front = !is_symmetric && self.random.chance(15);
        self.over_rows(manner, |generator, k| {
            let mut items = generator.between(manner, k, k);
            let scale = |generator: &mut Generator, i| generator.pivoted(manner, [i, k], k);
            let behind = |generator: &Generator| (generator.counter(k, 1), generator.behind(manner.rows));
            if is_apart {
                let (from, to) = behind(generator);
                items.push(generator.over(manner, from, to, |generator, i| scale(generator, i)));
            }
            let update = |generator: &mut Generator, i, j| {
                let right = if is_symmetric { [j, k] } else { [k, j] };
                vec![generator.update(manner, [i, j], [i, k], right)]
            };
            let row = |generator: &mut Generator, i| {
                let mut items = if is_apart { Vec::new() } else { scale(generator, i) };
                let to = match is_symmetric {
                    true => generator.counter(i, 1),
                    false => generator.behind(manner.columns),
                };
                items.extend(generator.between(manner, i, k));
                items.push(generator.over(manner, generator.counter(k, 1), to, |generator, j| update(generator, i, j)));
                items
            };
            let (from, to) = behind(generator);
            if is_apart && is_outside {
                items.push(generator.over(manner, from, to, |generator, j| {
                    let first = if is_symmetric { generator.counter(j, 0) } else { generator.counter(k, 1) };
                    let last = generator.behind(manner.rows);
                    vec![generator.over(manner, first, last, |generator, i| update(generator, i, j))]
                }));
            } else {
                items.push(generator.over(manner, from, to, row));
            }
            if in_front {
                items.push(generator.over(manner, generator.start(), generator.counter(k, 0), row));
            }
            items
        })
    }

    /// `for i: for k < i: { a[i][k] /= a[k][k]; for j > k: a[i][j] -= a[i][k] * a[k][j] }`
    fn row_by_row(&mut self, manner: Manner) -> Item {
        self.over_rows(manner, |generator, i| {
            let mut items =
                vec![generator.over(manner, generator.front(manner, i), generator.counter(i, 0), |generator, k| {
                    let mut items = generator.pivoted(manner, [i, k], k);
                    let (from, to) = (generator.counter(k, 1), generator.behind(manner.columns));
                    items.push(
                        generator.over(manner, from, to, |generator, j| {
                            vec![generator.update(manner, [i, j], [i, k], [k, j])]
                        }),
                    );
                    items
                })];
            items.extend(generator.between(manner, i, i));
            items
        })
    }

    /// `for i: { for j < i: { for k < j: a[i][j] -= a[i][k] * a[j][k]; a[i][j] /= a[j][j] } for k < i: a[i][i] -= a[i][k] * a[i][k]; ... }`, or the
    /// diagonal like all others.
    fn half(&mut self, manner: Manner) -> Item {
        let is_alike = self.random.chance(35);
        let distance = i64::from(is_alike);
        self.over_rows(manner, |generator, i| {
            let (from, to) = (generator.front(manner, i), generator.counter(i, distance));
            let mut items = vec![generator.over(manner, from, to, |generator, j| {
                let update = |generator: &mut Generator, k| generator.update(manner, [i, j], [i, k], [j, k]);
                let mut items = generator.sum_up(manner, [i, j], j, Some(j), update);
                items.extend(generator.between(manner, i, j));
                items
            })];
            if !is_alike {
                let update = |generator: &mut Generator, k| generator.update(manner, [i, i], [i, k], [i, k]);
                items.extend(generator.sum_up(manner, [i, i], i, None, update));
            }
            items.extend(generator.between(manner, i, i));
            items
        })
    }

    /// `for j: { for k < j: for i > k: a[i][j] -= a[i][k] * a[k][j]; for i > j: a[i][j] /= a[j][j] }`
    fn column_after_column(&mut self, manner: Manner) -> Item {
        self.over_rows(manner, |generator, j| {
            let mut items =
                vec![generator.over(manner, generator.front(manner, j), generator.counter(j, 0), |generator, k| {
                    let (from, to) = (generator.counter(k, 1), generator.behind(manner.rows));
                    vec![
                        generator.over(manner, from, to, |generator, i| {
                            vec![generator.update(manner, [i, j], [i, k], [k, j])]
                        }),
                    ]
                })];
            items.extend(generator.between(manner, j, j));
            let (from, to) = (generator.counter(j, 1), generator.behind(manner.rows));
            items.push(generator.over(manner, from, to, |generator, i| generator.pivoted(manner, [i, j], j)));
            items
        })
    }

    /// `for j: { for i >= j: for k < j: a[i][j] -= a[i][k] * a[k][j]; for i > j: { for k < j: a[j][i] -= a[j][k] * a[k][i]; a[j][i] /= a[j][j] } }`, or half
    /// of it: `for j: { for k < j: a[j][j] -= a[j][k] * a[j][k]; for i > j: { for k < j: a[i][j] -= a[i][k] * a[j][k]; a[i][j] /= a[j][j] } }`
    fn row_and_column(&mut self, manner: Manner) -> Item {
        let is_symmetric = self.random.chance(50);
        self.over_rows(manner, |generator, j| {
            let mut items = Vec::new();
            if is_symmetric {
                let update = |generator: &mut Generator, k| generator.update(manner, [j, j], [j, k], [j, k]);
                items.extend(generator.sum_up(manner, [j, j], j, None, update));
                items.extend(generator.between(manner, j, j));
                let (from, to) = (generator.counter(j, 1), generator.behind(manner.rows));
                items.push(generator.over(manner, from, to, |generator, i| {
                    let update = |generator: &mut Generator, k| generator.update(manner, [i, j], [i, k], [j, k]);
                    generator.sum_up(manner, [i, j], j, Some(j), update)
                }));
                return items;
            }
            for distance in [0, 1] {
                let (from, to) = (generator.counter(j, distance), generator.behind(manner.rows));
                items.push(generator.over(manner, from, to, |generator, i| {
                    let [row, column] = if distance == 0 { [i, j] } else { [j, i] };
                    let update =
                        |generator: &mut Generator, k| generator.update(manner, [row, column], [row, k], [k, column]);
                    generator.sum_up(manner, [row, column], j, (distance == 1).then_some(j), update)
                }));
                items.extend(generator.between(manner, j, j));
            }
            items
        })
    }

    /// The diagonal in an array of its own: `for i: { for j < i: for k < j: a[i][j] -= a[i][k] * a[j][k] * d[k]; d[i] = a[i][i]; for k < i: {
    /// a[i][k] /= d[k]; d[i] -= a[i][k] * a[i][k] * d[k] } }`, or each `a[i][j] /= d[j]` behind its own sum.
    fn with_diagonal(&mut self, manner: Manner) -> Item {
        let is_done_at_once = self.random.chance(50);
        let by_diagonal = move |generator: &mut Generator, at, column| {
            let (own, pivot) = (generator.place(manner, 0, at), Value::Load(generator.diagonal(column)));
            generator.with_pivot(manner, own.clone(), Value::Load(own), pivot)
        };
        self.over_rows(manner, |generator, i| {
            let (from, to) = (generator.front(manner, i), generator.counter(i, 0));
            let mut items = vec![generator.over(manner, from, to, |generator, j| {
                let update = |generator: &mut Generator, k| {
                    let value = generator.product_of(manner, [i, k], [j, k]);
                    let value = Value::Product(Box::new(value), Box::new(Value::Load(generator.diagonal(k))));
                    let target = generator.target(manner, [i, j]);
                    Item::Store { target, operator: manner.operator, value }
                };
                let mut items = generator.sum_up(manner, [i, j], j, None, update);
                items.extend(is_done_at_once.then(|| by_diagonal(generator, [i, j], j)).flatten());
                items
            })];
            let value = Value::Load(generator.place(manner, 0, [i, i]));
            items.push(Item::Store { target: Target::Element(generator.diagonal(i)), operator: "=", value });
            let (from, to) = (generator.front(manner, i), generator.counter(i, 0));
            items.push(generator.over(manner, from, to, |generator, k| {
                let value = generator.product_of(manner, [i, k], [i, k]);
                let value = Value::Product(Box::new(value), Box::new(Value::Load(generator.diagonal(k))));
                let target = Target::Element(generator.diagonal(i));
                let one = Item::Store { target, operator: manner.operator, value };
                let other = if is_done_at_once { None } else { by_diagonal(generator, [i, k], k) };
                let mut items: Vec<Item> = other.into_iter().chain([one]).collect();
                if generator.random.chance(30) {
                    items.reverse();
                }
                items
            }));
            items
        })
    }

    /// Many right-hand sides, in another matrix: `for i: for j: { for k < i: b[i][j] -= a[i][k] * b[k][j]; b[i][j] /= a[i][i] }`, with the loop over
    /// `j` inside of that over `k` or not; or from the right, `b[i][j] -= b[i][k] * a[k][j]`.
    fn substitution(&mut self, manner: Manner) -> Item {
        if self.random.chance(35) {
            return self.right_substitution(manner);
        }
        let is_inside = self.random.chance(35);
        let solved = move |generator: &mut Generator, at| Target::Element(generator.place(manner, 1, at));
        let update = move |generator: &mut Generator, i, j, k| {
            let left = Value::Scaled(1, Box::new(Value::Load(generator.place(manner, 0, [i, k]))));
            let right = Value::Load(generator.place(manner, 1, [k, j]));
            let value = Value::Product(Box::new(left), Box::new(right));
            Item::Store { target: solved(generator, [i, j]), operator: manner.operator, value }
        };
        let pivot = move |generator: &mut Generator, i, j| {
            let (own, pivot) = (generator.place(manner, 1, [i, j]), generator.place(manner, 0, [i, i]));
            generator.with_pivot(manner, own.clone(), Value::Load(own), Value::Load(pivot))
        };
        self.over_rows(manner, |generator, i| {
            let all = generator.behind(manner.columns);
            if !is_inside {
                return vec![generator.over(manner, generator.start(), all, |generator, j| {
                    let (from, to) = (generator.front(manner, i), generator.counter(i, 0));
                    let mut items =
                        vec![generator.over(manner, from, to, |generator, k| vec![update(generator, i, j, k)])];
                    items.extend(pivot(generator, i, j));
                    items
                })];
            }
            let (from, to) = (generator.front(manner, i), generator.counter(i, 0));
            let (first, last) = (all.clone(), all);
            let rows = generator.over(manner, from, to, |generator, k| {
                let start = generator.start();
                vec![generator.over(manner, start, first, |generator, j| vec![update(generator, i, j, k)])]
            });
            let start = generator.start();
            vec![rows, generator.over(manner, start, last, |generator, j| pivot(generator, i, j).into_iter().collect())]
        })
    }

    /// `for i: for j: { for k < j: b[i][j] -= b[i][k] * a[k][j]; b[i][j] /= a[j][j] }`
    fn right_substitution(&mut self, manner: Manner) -> Item {
        let rows = *self.random.pick(&["n", "m"]);
        let to = self.behind(rows);
        self.over(manner, self.start(), to, |generator, i| {
            let to = generator.behind(manner.rows);
            vec![generator.over(manner, generator.start(), to, |generator, j| {
                let (from, to) = (generator.front(manner, j), generator.counter(j, 0));
                let mut items = vec![generator.over(manner, from, to, |generator, k| {
                    let left = Value::Scaled(1, Box::new(Value::Load(generator.place(manner, 1, [i, k]))));
                    let right = Value::Load(generator.place(manner, 0, [k, j]));
                    let target = Target::Element(generator.place(manner, 1, [i, j]));
                    let value = Value::Product(Box::new(left), Box::new(right));
                    vec![Item::Store { target, operator: manner.operator, value }]
                })];
                let (own, pivot) = (generator.place(manner, 1, [i, j]), generator.place(manner, 0, [j, j]));
                items.extend(generator.with_pivot(manner, own.clone(), Value::Load(own), Value::Load(pivot)));
                items
            })]
        })
    }

    /// Products of a matrix with itself: `for i: for j: { for k in front of, or behind i: a[i][j] -= a[i][k] * a[k][j]; a[i][j] /= a[i][i] }`, with
    /// `j` up to the diagonal or to the end, and one factor transposed or not.
    fn triangle(&mut self, manner: Manner) -> Item {
        let (is_half, is_behind, is_other) = (self.random.chance(50), self.random.chance(40), self.random.chance(40));
        self.over_rows(manner, |generator, i| {
            let to = if is_half { generator.counter(i, 1) } else { generator.behind(manner.columns) };
            vec![generator.over(manner, generator.start(), to, |generator, j| {
                let left = move |k| if is_other { [k, i] } else { [i, k] };
                if is_behind {
                    let mut items = generator.pivoted(manner, [i, j], i);
                    let (from, to) = (generator.counter(i, 1), generator.behind(manner.rows));
                    items.push(generator.over(manner, from, to, |generator, k| {
                        vec![generator.update(manner, [i, j], left(k), [k, j])]
                    }));
                    return items;
                }
                let update = |generator: &mut Generator, k| generator.update(manner, [i, j], left(k), [k, j]);
                generator.sum_up(manner, [i, j], i, Some(i), update)
            })]
        })
    }

    /// The outermost loop.
    pub(super) fn over_rows(&mut self, manner: Manner, body: impl FnOnce(&mut Self, usize) -> Vec<Item>) -> Item {
        let first = manner.band.unwrap_or_else(|| self.random.between(-5, 1).max(0));
        let from = (Affine::constant(first, self.mixed), (first, first));
        self.over(manner, from, self.behind(manner.rows), body)
    }

    /// A loop with a body that is given the place of its counter.
    pub(super) fn over(
        &mut self,
        manner: Manner,
        (mut from, mut lowest): Bound,
        (mut to, mut highest): Bound,
        body: impl FnOnce(&mut Self, usize) -> Vec<Item>,
    ) -> Item {
        for (bound, interval) in [(&mut from, &mut lowest), (&mut to, &mut highest)] {
            let by = *self.random.pick(&[-1, 1]);
            if self.random.chance(manner.odd) && interval.0 + by >= 0 && interval.1 + by <= self.size {
                bound.constant += by;
                *interval = (interval.0 + by, interval.1 + by);
            }
        }
        let integer = self.variable_type();
        let backwards = [if integer.is_signed() { Form::Down } else { Form::DownBefore }, Form::DownBefore];
        let form = match self.random.chance(manner.backwards) {
            true if !self.mixed => *self.random.pick(&backwards),
            _ => *self.random.pick(&[Form::Less, Form::Less, Form::Less, Form::LessEqual]),
        };
        // `to - 1` is computed in an unsigned type unless it is widened.
        if form == Form::LessEqual && !integer.is_signed() && highest.0 < 1 {
            to.widened = true;
        }
        let also =
            manner.band.filter(|_| form == Form::Less && to.terms.first() == Some(&(1, manner.rows.to_string())));
        let also = also.and_then(|band| match from.terms.first() {
            Some(term) => {
                let constant = from.constant + band;
                Some(Affine { constant, terms: vec![term.clone()], widened: to.widened, post: None })
            }
            None => None,
        });
        let variable = format!("i{}", self.loops);
        self.loops += 1;
        self.scope.push((variable.clone(), (lowest.0, (highest.1 - 1).max(lowest.0))));
        let body = body(self, self.scope.len() - 1);
        self.scope.pop();
        let counted = self.random.chance(25);
        Item::Loop(Loop { variable, integer, form, from, to, also, step: 1, counted, body })
    }

    pub(super) fn start(&self) -> Bound {
        (Affine::constant(0, self.mixed), (0, 0))
    }

    /// The end of the matrix.
    pub(super) fn behind(&self, size: &str) -> Bound {
        (Affine::name(size, self.mixed), (0, self.size))
    }

    /// The counter of a loop around, or what comes after it.
    pub(super) fn counter(&self, at: usize, constant: i64) -> Bound {
        let (name, (low, high)) = &self.scope[at];
        let interval = (low + constant, high + constant);
        (Affine { constant, ..Affine::name(name, self.widened(interval)) }, interval)
    }

    /// Where a loop that ends at a counter begins: where the matrix does, or its band.
    fn front(&self, manner: Manner, at: usize) -> Bound {
        let band = manner.band.filter(|band| self.scope[at].1.0 >= *band);
        band.map_or_else(|| self.start(), |band| self.counter(at, -band))
    }

    /// An element of a matrix.
    pub(super) fn place(&mut self, manner: Manner, array: usize, [row, column]: [usize; 2]) -> Access {
        let at = if manner.is_transposed { [column, row] } else { [row, column] };
        self.element_at(array, at, 100 - manner.odd / 2)
    }

    pub(super) fn diagonal(&mut self, at: usize) -> Access {
        let subscript = Affine::name(&self.scope[at].0, self.widened((0, 0)));
        Access { array: 2, subscripts: vec![subscript], ..Access::default() }
    }

    /// What a sum is added to: the variable around, or an element.
    fn target(&mut self, manner: Manner, at: [usize; 2]) -> Target {
        match self.locals.last() {
            Some(local) => Target::Local(*local),
            None => Target::Element(self.place(manner, 0, at)),
        }
    }

    /// `a[i][k] * a[k][j]`, with a factor that keeps numbers bounded, or another operation.
    fn product_of(&mut self, manner: Manner, left: [usize; 2], right: [usize; 2]) -> Value {
        let mut factor = |at| {
            let array = if self.random.chance(manner.elsewhere) { self.random.between(1, 2) as usize } else { 0 };
            Box::new(Value::Load(self.place(manner, array, at)))
        };
        let (left, right) = (factor(left), factor(right));
        let (times, other) = (self.random.between(1, 3), self.random.between(1, 3));
        match self.random.between(0, 19) {
            0 => Value::Sum(Box::new(Value::Scaled(times, left)), Box::new(Value::Scaled(other, right))),
            1 => Value::Difference(Box::new(Value::Scaled(times, left)), right),
            2 => Value::Least(left, right),
            3..=5 => Value::Product(left, right),
            _ => Value::Product(Box::new(Value::Scaled(times, left)), right),
        }
    }

    fn update(&mut self, manner: Manner, target: [usize; 2], left: [usize; 2], right: [usize; 2]) -> Item {
        let mut value = self.product_of(manner, left, right);
        if self.random.chance(manner.scaled) {
            let diagonal = self.place(manner, 0, [left[1], left[1]]);
            value = Value::Product(Box::new(value), Box::new(Value::Load(diagonal)));
        }
        Item::Store { target: self.target(manner, target), operator: manner.operator, value }
    }

    /// A sum over what is in front of a counter, in the element itself or in a variable, and what the element becomes by the diagonal of a row.
    fn sum_up(
        &mut self,
        manner: Manner,
        at: [usize; 2],
        end: usize,
        row: Option<usize>,
        update: impl FnOnce(&mut Self, usize) -> Item,
    ) -> Vec<Item> {
        let (from, to) = (self.front(manner, end), self.counter(end, 0));
        if !self.random.chance(manner.in_variables) {
            let mut items = vec![self.over(manner, from, to, |generator, k| vec![update(generator, k)])];
            items.extend(row.map(|row| self.pivoted(manner, at, row)).unwrap_or_default());
            return items;
        }
        let local = self.sums;
        self.sums += 1;
        let own = self.place(manner, 0, at);
        let from_zero = self.random.chance(20);
        let start = if from_zero { Value::Scaled(1, Box::new(Value::Constant(0))) } else { Value::Load(own.clone()) };
        self.locals.push(local);
        let inner = self.over(manner, from, to, |generator, k| vec![update(generator, k)]);
        self.locals.pop();
        let sum = match from_zero {
            true => Value::Sum(Box::new(Value::Load(own.clone())), Box::new(Value::Local(local))),
            false => Value::Local(local),
        };
        let pivot = row.map(|row| Value::Load(self.place(manner, 0, [row, row])));
        let last = pivot.and_then(|pivot| self.with_pivot(manner, own.clone(), sum.clone(), pivot));
        let last = last.unwrap_or(Item::Store { target: Target::Element(own), operator: "=", value: sum });
        vec![Item::Sum { local, start, body: vec![inner, last] }]
    }

    /// What an element becomes by the one on the diagonal of a row.
    fn pivoted(&mut self, manner: Manner, at: [usize; 2], row: usize) -> Vec<Item> {
        let (own, pivot) = (self.place(manner, 0, at), self.place(manner, 0, [row, row]));
        self.with_pivot(manner, own.clone(), Value::Load(own), Value::Load(pivot)).into_iter().collect()
    }

    fn with_pivot(&mut self, manner: Manner, target: Access, value: Value, pivot: Value) -> Option<Item> {
        let value = self.pivoted_value(manner, value, pivot)?;
        Some(Item::Store { target: Target::Element(target), operator: "=", value })
    }

    /// What a value becomes by one of the diagonal, unless it stays as it is.
    pub(super) fn pivoted_value(&mut self, manner: Manner, value: Value, pivot: Value) -> Option<Value> {
        let (left, right) = (Box::new(value), Box::new(pivot));
        Some(match manner.pivot {
            Pivot::Nothing => return None,
            Pivot::Quotient => Value::Quotient(left, right),
            Pivot::Product => Value::Product(Box::new(Value::Scaled(self.random.between(1, 16), left)), right),
            Pivot::Sum => Value::Sum(Box::new(Value::Scaled(self.random.between(1, 16), left)), right),
            Pivot::Least => Value::Least(left, right),
            Pivot::Greatest => Value::Greatest(left, right),
        })
    }

    /// A statement between loops, now and then: about an element, one of the diagonal, or of another array.
    pub(super) fn between(&mut self, manner: Manner, row: usize, column: usize) -> Vec<Item> {
        if !self.random.chance(manner.between) {
            return Vec::new();
        }
        let own = self.place(manner, 0, [row, column]);
        let other = self.place(manner, 1, [row, column]);
        let load = |access: &Access| Box::new(Value::Load(access.clone()));
        let (target, operator, value) = match self.random.between(0, 5) {
            0 => (own.clone(), "=", Value::Scaled(self.random.between(1, 16), load(&own))),
            1 => (own, "+=", Value::Scaled(1, load(&other))),
            2 => (other, "=", *load(&own)),
            3 => (self.diagonal(row), "+=", *load(&own)),
            4 => (own.clone(), "=", Value::Greatest(load(&own), Box::new(self.value(0)))),
            _ => (own, *self.random.pick(&["+=", "-="]), self.value(0)),
        };
        let store = Item::Store { target: Target::Element(target), operator, value };
        if self.random.chance(10) {
            return vec![Item::If { condition: self.narrow_condition(), then: vec![store], otherwise: Vec::new() }];
        }
        vec![store]
    }
}
