//! Existentially quantified variables of one conjunction: steps that remove one without losing or adding a point.

use smallvec::SmallVec;

use crate::arith::Int;

use super::conjunction::{Conjunction, Div};
use super::row::{self, Row};

/// How many more rows than it removes an elimination may add while simplifying.
const GROWTH: usize = 4;

/// Positions in a list of rows.
type Positions = SmallVec<[usize; 12]>;

impl Conjunction {
    /// Turns known divisions that depend on existentials into existentials with explicit constraints.
    pub(super) fn open_dependent_divs(&mut self) {
        let base = self.space.n_col();
        while let Some(pos) = (0..self.locals.len()).find(|&k| {
            self.locals[k].as_ref().is_some_and(|d| {
                (0..self.locals.len()).any(|l| !d.row[base + l].is_zero() && (self.locals[l].is_none() || l == k))
            })
        }) {
            self.open_div(pos);
        }
    }

    /// Turns one known division into an existential with explicit constraints.
    pub(super) fn open_div(&mut self, pos: usize) {
        if let Some(rows) = self.div_rows(pos) {
            self.ineqs.extend(rows);
            self.locals[pos] = None;
        }
    }

    /// Removes existentials that occur only in inequalities where that is exact and cheap: unbounded on one side, by
    /// Fourier-Motzkin steps that lose no integer point, by choosing the single bound of one side as value, or by the
    /// only value between two bounds. Whether one was removed.
    pub(super) fn eliminate_cheap_existentials(&mut self) -> bool {
        let (mut k, mut any) = (0, false);
        while k < self.locals.len() {
            let removed = self.locals[k].is_none() && self.eliminate_existential(k, GROWTH);
            any |= removed;
            k = if removed { 0 } else { k + 1 };
        }
        any
    }

    /// Tries to remove existential `k`; whether it is gone (or known now).
    pub(super) fn eliminate_existential(&mut self, k: usize, growth: usize) -> bool {
        let column = self.local_column(k);
        let used_elsewhere = self.eqs.iter().chain(self.locals.iter().flatten().map(|d| &d.row));
        if used_elsewhere.into_iter().any(|r| !r[column].is_zero()) {
            return false;
        }
        let (lower, upper) = self.bound_positions(column);
        if lower.is_empty() || upper.is_empty() {
            self.ineqs.retain(|r| r[column].is_zero());
            self.columns().remove_local(k);
            return true;
        }
        if lower.len() * upper.len() <= lower.len() + upper.len() + growth
            && let Some(rows) = exact_shadow(&self.ineqs, &lower, &upper, column)
        {
            self.ineqs.retain(|r| r[column].is_zero());
            self.ineqs.extend(rows);
            self.columns().remove_local(k);
            return true;
        }
        for bounds in [&upper, &lower] {
            if let [at] = bounds[..]
                && self.is_free_of_existentials(&self.ineqs[at], k)
            {
                let bound = self.ineqs[at].clone();
                self.define_by_bound(k, &bound);
                return true;
            }
        }
        let window = |low: usize, up: usize| is_window(&self.ineqs[low], &self.ineqs[up], column);
        if let Some(&at) = upper.iter().find(|&&up| lower.iter().any(|&low| window(low, up)))
            && self.is_free_of_existentials(&self.ineqs[at], k)
        {
            let bound = self.ineqs[at].clone();
            self.define_by_bound(k, &bound);
            return true;
        }
        false
    }

    /// The inequalities with positive (lower bounds) and with negative coefficient (upper bounds) in a column.
    pub(super) fn bounds(&self, column: usize) -> (Vec<Row>, Vec<Row>) {
        let (lower, upper) = self.bound_positions(column);
        let rows = |positions: &Positions| positions.iter().map(|&at| self.ineqs[at].clone()).collect();
        (rows(&lower), rows(&upper))
    }

    /// Where the inequalities of [`Conjunction::bounds`] are.
    fn bound_positions(&self, column: usize) -> (Positions, Positions) {
        let (mut lower, mut upper) = (Positions::new(), Positions::new());
        for (at, row) in self.ineqs.iter().enumerate() {
            match row[column].signum() {
                1 => lower.push(at),
                -1 => upper.push(at),
                _ => {}
            }
        }
        (lower, upper)
    }

    /// Whether a row uses no existential but `k`.
    pub(super) fn is_free_of_existentials(&self, row: &[Int], k: usize) -> bool {
        let base = self.space.n_col();
        (0..self.locals.len()).all(|l| l == k || self.locals[l].is_some() || row[base + l].is_zero())
    }

    /// Gives existential `k` the extreme value that one bound allows: the floor of an upper bound, the ceiling of a
    /// lower one. The bound itself then holds by construction; the row stays and is simplified away.
    pub(super) fn define_by_bound(&mut self, k: usize, bound: &[Int]) {
        let column = self.local_column(k);
        let coefficient = bound[column].clone();
        let mut rest = Row::from(bound);
        rest[column] = Int::zero();
        if coefficient.is_negative() {
            self.locals[k] = Some(Div { row: rest, den: -coefficient });
        } else {
            // a x + rest >= 0: the least x is ceil(-rest / a) = -floor(rest / a); the column becomes that floor.
            let mut value = row::zeros(self.n_col());
            value[column] = Int::from(-1);
            self.columns().substitute(column, &value);
            self.locals[k] = Some(Div { row: rest, den: coefficient });
        }
        self.columns().normalize();
    }
}

/// All combinations of a lower and an upper bound that do not contain the variable, if together they describe exactly
/// the integer projection: each pair has a unit coefficient, or its real shadow equals its dark shadow.
fn exact_shadow(ineqs: &[Row], lower: &Positions, upper: &Positions, column: usize) -> Option<Vec<Row>> {
    let mut rows = Vec::with_capacity(lower.len() * upper.len());
    for &low in lower {
        for &up in upper {
            let (row, dark) = shadows(&ineqs[low], &ineqs[up], column);
            let g = row::gcd(&row[1..]);
            let exact = row[0] == dark
                || if g.is_zero() { !dark.is_negative() } else { row[0].div_floor(&g) == dark.div_floor(&g) };
            if !exact {
                return None;
            }
            rows.push(row);
        }
    }
    Some(rows)
}

/// Whether two bounds leave at most one integer for the variable: `f <= a x <= f + c` with `c < a`.
fn is_window(low: &[Int], up: &[Int], column: usize) -> bool {
    let opposite = |(x, y): (&Int, &Int)| (x + y).is_zero();
    let a = &low[column];
    *a > Int::one() && low[1..].iter().zip(&up[1..]).all(opposite) && {
        let c = &low[0] + &up[0];
        !c.is_negative() && c < *a
    }
}

/// The combination of two bounds without the variable, and the constant of its dark shadow (Pugh's Omega test): where
/// the row with that constant holds, an integer lies between the bounds.
pub(super) fn shadows(low: &[Int], up: &[Int], column: usize) -> (Row, Int) {
    let a = low[column].clone();
    let b = -&up[column];
    let mut row = Row::from(low);
    row::scale(&mut row, &b);
    row::add_scaled(&mut row, &a, up);
    let dark = &row[0] - (&a - 1) * (&b - 1);
    (row, dark)
}
