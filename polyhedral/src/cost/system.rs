//! Boxes around what linear constraints allow, in floating point.
//!
//! An estimate needs trip counts and extents, not proofs. A [`System`] is a list of constraints `a x + c >= 0` with numbers for all
//! parameters; [`System::tighten`] makes the box of the unknowns as small as every constraint alone says, repeatedly (interval
//! propagation). For loops it is what a reader does: with `0 <= i < 100` and `0 <= j <= i`, `j` is at most 99, and once `i` is fixed at 50, `j`
//! is at most 50.
//!
//! Existentials and divisions are unknowns, too, and integers: with `8 q <= i <= 8 q + 7` and `n <= 8 q + 7`, the rest of a loop that goes in
//! steps of eight, `n = 1003` leaves `q = 125` and three values of `i`.
//!
//! The box is never too small. Of an equality with one existential, `x = 4 e`, the share of points that satisfy it is kept as well.

use crate::arith::Int;
use crate::relation::{Conjunction, Set};
use crate::space::DimKind;

use super::sizes::Values;

/// The values from `low` to `high`, both included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Interval {
    pub(super) const ALL: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };

    pub(super) fn point(value: f64) -> Interval {
        Interval { low: value, high: value }
    }

    /// The number of integers in it, as if it began at one.
    pub(super) fn count(self) -> f64 {
        (self.high - self.low + 1.0).max(0.0)
    }

    pub(super) fn nearest(self, value: f64) -> f64 {
        value.min(self.high).max(self.low)
    }

    pub(super) fn middle(self) -> f64 {
        (self.low + self.high) / 2.0
    }

    pub(super) fn hull(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    pub(super) fn scaled(self, factor: f64) -> Interval {
        if factor == 0.0 {
            return Interval::point(0.0);
        }
        let (a, b) = (self.low * factor, self.high * factor);
        Interval { low: a.min(b), high: a.max(b) }
    }

    pub(super) fn plus(self, other: Interval) -> Interval {
        Interval { low: self.low + other.low, high: self.high + other.high }
    }
}

/// `coefficients x + locals e + constant >= 0`, or `= 0`.
#[derive(Clone, Debug)]
pub(super) struct Constraint {
    pub(super) coefficients: Vec<f64>,
    /// The numbers in front of existentials; those at the end that are zero may be missing.
    pub(super) locals: Vec<f64>,
    pub(super) constant: f64,
    pub(super) is_equality: bool,
}

/// Constraints on some unknowns.
#[derive(Clone, Debug, Default)]
pub(super) struct System {
    pub(super) constraints: Vec<Constraint>,
    /// The share of the points of the box that satisfy what is left out.
    pub(super) density: f64,
}

/// What is less than this is nothing.
const EPSILON: f64 = 1e-7;

impl System {
    /// How many existentials there are.
    fn n_locals(&self) -> usize {
        self.constraints.iter().map(|constraint| constraint.locals.len()).max().unwrap_or(0)
    }

    /// Adds other constraints on the same unknowns, whose existentials are their own.
    pub(super) fn add(&mut self, other: &System) {
        let before = vec![0.0; self.n_locals()];
        let apart = |constraint: &Constraint| match constraint.locals.is_empty() {
            true => constraint.clone(),
            false => Constraint { locals: [&before, &constraint.locals[..]].concat(), ..constraint.clone() },
        };
        self.constraints.extend(other.constraints.iter().map(apart));
        self.density *= other.density;
    }

    /// Makes the box smaller as long as a constraint alone says so.
    pub(super) fn tighten(&self, bounds: &mut [Interval]) {
        let n_locals = self.n_locals();
        let mut locals = vec![Interval::ALL; n_locals];
        for _ in 0..2 * (bounds.len() + n_locals) + 2 {
            let mut changed = false;
            for constraint in &self.constraints {
                changed |= constraint.tighten(bounds, &mut locals, 1.0);
                if constraint.is_equality {
                    changed |= constraint.tighten(bounds, &mut locals, -1.0);
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// The same constraints on other unknowns `y`, with `x = matrix y`.
    pub(super) fn substituted(&self, matrix: &[Vec<f64>]) -> System {
        let n = matrix.first().map_or(0, Vec::len);
        let column = |constraint: &Constraint, k: usize| {
            constraint.coefficients.iter().zip(matrix).map(|(a, row)| a * row[k]).sum::<f64>()
        };
        let constraints = self.constraints.iter().map(|constraint| Constraint {
            coefficients: (0..n).map(|k| column(constraint, k)).map(cleaned).collect(),
            ..constraint.clone()
        });
        System { constraints: constraints.collect(), density: self.density }
    }
}

/// A number that rounding may have made of an integer.
pub(super) fn cleaned(value: f64) -> f64 {
    if (value - value.round()).abs() < EPSILON { value.round() } else { value }
}

impl Constraint {
    /// Uses `sign * (a x + b e + c) >= 0`.
    fn tighten(&self, bounds: &mut [Interval], locals: &mut [Interval], sign: f64) -> bool {
        let n = bounds.len();
        let factor = |k: usize| sign * if k < n { self.coefficients[k] } else { self.locals[k - n] };
        // The largest value of every term, and the sum of all of them with the number of infinite ones apart.
        let largest = |k: usize, bounds: &[Interval], locals: &[Interval]| {
            (if k < n { bounds[k] } else { locals[k - n] }).scaled(factor(k)).high
        };
        let (mut sum, mut infinite) = (sign * self.constant, 0);
        for k in 0..n + self.locals.len() {
            match largest(k, bounds, locals) {
                term if term.is_finite() => sum += term,
                _ => infinite += 1,
            }
        }
        let mut changed = false;
        for k in 0..n + self.locals.len() {
            let a = factor(k);
            let own = largest(k, bounds, locals);
            if a == 0.0 || infinite > usize::from(!own.is_finite()) {
                continue;
            }
            let rest = if own.is_finite() { sum - own } else { sum };
            // a x >= -rest; existentials are integers.
            let bound = match (k < n, a > 0.0) {
                (true, _) => -rest / a,
                (false, true) => (-rest / a - EPSILON).ceil(),
                (false, false) => (-rest / a + EPSILON).floor(),
            };
            let old = if k < n { &mut bounds[k] } else { &mut locals[k - n] };
            if a > 0.0 && bound > old.low + EPSILON {
                old.low = bound;
                changed = true;
            } else if a < 0.0 && bound < old.high - EPSILON {
                old.high = bound;
                changed = true;
            }
        }
        changed
    }
}

/// A number of any size.
pub(super) fn float(value: &Int) -> f64 {
    value.to_i64().map_or(if value.is_negative() { -1e300 } else { 1e300 }, |value| value as f64)
}

/// The constraints of one conjunction; `columns` are the unknowns, and `constant` the value of all columns that are known.
fn system(conjunction: &Conjunction, columns: &[usize], constant: impl Fn(&[Int]) -> f64) -> System {
    let mut result = System { constraints: Vec::new(), density: 1.0 };
    let first_local = conjunction.space().n_col();
    let inequalities = conjunction.solver_ineqs();
    let rows = conjunction.eqs().iter().map(|row| (row, true));
    for (row, is_equality) in rows.chain(inequalities.iter().map(|row| (row, false))) {
        let mut locals: Vec<f64> = row[first_local..].iter().map(float).collect();
        while locals.last() == Some(&0.0) {
            locals.pop();
        }
        let mut steps = locals.iter().filter(|step| **step != 0.0);
        if let (true, Some(step), None) = (is_equality, steps.next(), steps.next()) {
            result.density /= step.abs().max(1.0);
        }
        let coefficients: Vec<f64> = columns.iter().map(|column| float(&row[*column])).collect();
        result.constraints.push(Constraint { coefficients, locals, constant: constant(row), is_equality });
    }
    result
}

/// The constraints of a set of parameters, which are the unknowns; those of `names` in that order.
pub(super) fn of_params(conjunction: &Conjunction, names: &[String]) -> System {
    let offset = conjunction.space().offset(DimKind::Param);
    let columns: Vec<usize> = (0..names.len()).map(|k| offset + k).collect();
    system(conjunction, &columns, |row| float(&row[0]))
}

/// The constraints of every disjunct of a set, with values for the parameters.
pub(super) fn of_set(set: &Set, values: &Values) -> Vec<System> {
    let space = set.space();
    let (params, dims) = (space.offset(DimKind::Param), space.offset(DimKind::Out));
    let known: Vec<f64> = space.param_names().iter().map(|name| values.get(name)).collect();
    let columns: Vec<usize> = (0..space.dim(DimKind::Out)).map(|k| dims + k).collect();
    let constant = |row: &[Int]| {
        float(&row[0]) + known.iter().enumerate().map(|(k, value)| float(&row[params + k]) * value).sum::<f64>()
    };
    set.conjunctions().iter().map(|conjunction| system(conjunction, &columns, constant)).collect()
}
