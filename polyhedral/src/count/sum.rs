//! Symbolic summation of a quasi-polynomial over the integer points of a polyhedron.
//!
//! The columns are `[constant | free | variables]`; the sum over all variables is a function of the free columns. Integer
//! divisions in the constraints are variables of their own: their values are determined by the others, so that every point is
//! counted once. The equalities are solved first, by unimodular changes of the variables; what they demand of the free
//! columns is a *guard*: a row that must be divisible by a number. Then the variables are summed one after the other:
//! - for each pair of a lower bound `a x + l >= 0` and an upper bound `u - b x >= 0`, where these are the binding ones (ties
//!   go to the first), `x` runs from `-floor(l / a)` to `floor(u / b)`, and the sum of `x^k` is a difference of two values of
//!   Faulhaber's polynomial. That also holds where the rational interval contains no integer: the difference is zero then;
//! - integer divisions of the summand that depend on `x` are made independent of it by `x = m y + r` for all remainders `r`.

use crate::arith::{Int, Rational, Row, row};
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::lp;
use crate::relation::{Conjunction, unbounded};

use super::polynomial::{Polynomial, Var, power_sums};

/// More remainders than these are an error.
const MAX_REMAINDERS: i64 = 4096;

/// A part of the polyhedron with the summand on it.
#[derive(Clone)]
pub(super) struct Piece {
    /// The number of free columns, with the constant.
    pub(super) n_free: usize,
    /// The variables that are not summed yet, by column.
    variables: Vec<usize>,
    /// Rows that are zero, only over free columns after the equalities are solved.
    pub(super) eqs: Vec<Row>,
    pub(super) ineqs: Vec<Row>,
    /// Rows over free columns that the numbers divide.
    pub(super) guards: Vec<(Row, Int)>,
    pub(super) value: Polynomial,
}

impl Piece {
    /// The points of a conjunction without existentials, each with the value of a polynomial in its columns; the first
    /// `n_free` columns are free.
    pub(super) fn new(c: &Conjunction, n_free: usize, value: Polynomial) -> Piece {
        Piece {
            n_free,
            variables: (n_free..c.n_col()).collect(),
            eqs: c.eqs().to_vec(),
            ineqs: c.solver_ineqs(),
            guards: Vec::new(),
            value,
        }
    }

    /// Solves the equalities for variables.
    fn solve_equalities(&mut self, budget: &Budget) -> Result<()> {
        let mut rest = Vec::new();
        while let Some(mut eq) = self.eqs.pop() {
            loop {
                budget.spend(1)?;
                let used: Vec<usize> = self.variables.iter().copied().filter(|&c| !eq[c].is_zero()).collect();
                let Some(&pivot) = used.iter().min_by(|&&a, &&b| eq[a].cmp_abs(&eq[b])) else {
                    rest.push(eq);
                    break;
                };
                if used.len() == 1 {
                    self.eliminate(&eq, pivot, budget)?;
                    break;
                }
                // pivot = pivot' - sum of quotient * other
                let mut value = row::zeros(self.n_col());
                value[pivot] = Int::one();
                for &other in used.iter().filter(|&&c| c != pivot) {
                    let quotient = eq[other].div_floor(&eq[pivot]);
                    for row in self.eqs.iter_mut().chain(&mut self.ineqs).chain([&mut eq]) {
                        let change = &row[pivot] * &quotient;
                        row[other] -= &change;
                    }
                    value[other] = -quotient;
                }
                self.value = self.value.replace_column(pivot, &value, &Int::one(), budget)?;
            }
        }
        self.eqs = rest;
        Ok(())
    }

    /// Replaces the only variable of an equality `g x + e = 0` by `-e / g`; `g` must divide `e`.
    fn eliminate(&mut self, eq: &Row, pivot: usize, budget: &Budget) -> Result<()> {
        let negative = eq[pivot].is_negative();
        let size = eq[pivot].abs();
        let mut value = if negative { eq.clone() } else { row::negated(eq) };
        value[pivot] = Int::zero();
        // size * x = value
        for row in self.eqs.iter_mut().chain(&mut self.ineqs) {
            let factor = std::mem::take(&mut row[pivot]);
            if !factor.is_zero() {
                row::scale(row, &size);
                row::add_scaled(row, &factor, &value);
            }
        }
        self.value = self.value.replace_column(pivot, &value, &size, budget)?;
        if !size.is_one() {
            self.guards.push((value, size));
        }
        self.variables.retain(|&c| c != pivot);
        Ok(())
    }

    /// Divides the inequalities by their contents and drops those that the others imply; whether points can be left.
    fn tidy(&mut self, budget: &Budget) -> Result<bool> {
        let mut possible = true;
        self.ineqs.retain_mut(|row| {
            let g = row::gcd(&row[1..]);
            if g.is_zero() {
                possible &= !row[0].is_negative();
                return false;
            }
            row[0] = row[0].div_floor(&g);
            row::div_exact(&mut row[1..], &g);
            true
        });
        self.ineqs.sort();
        self.ineqs.dedup();
        let n = self.n_col() - 1;
        if !possible || lp::is_empty_rational(n, &self.eqs, &self.ineqs, budget)? {
            return Ok(false);
        }
        let redundant = lp::redundant_ineqs(n, &self.eqs, &self.ineqs, budget)?;
        let mut flags = redundant.iter();
        self.ineqs.retain(|_| flags.next() != Some(&true));
        Ok(true)
    }

    fn n_col(&self) -> usize {
        self.ineqs.iter().chain(&self.eqs).map(|r| r.len()).next().unwrap_or(self.n_free)
    }

    /// Whether the piece has no integer point for any values of the free columns.
    fn has_no_point(&self, budget: &Budget) -> Result<bool> {
        let n = self.n_col();
        let total = n + self.guards.len();
        let widen = |r: &Row| -> Row {
            let mut r = r.clone();
            r.resize(total, Int::zero());
            r
        };
        let mut eqs: Vec<Row> = self.eqs.iter().map(widen).collect();
        for (k, (guard, modulus)) in self.guards.iter().enumerate() {
            let mut eq = widen(guard);
            eq[n + k] = modulus.clone();
            eqs.push(eq);
        }
        let ineqs: Vec<Row> = self.ineqs.iter().map(widen).collect();
        Ok(lp::is_empty_integer(total - 1, &eqs, &ineqs, budget)?)
    }

    /// The number of remainders of a column that make all integer divisions of the summand independent of it.
    fn modulus(&self, column: usize) -> Int {
        let mut result = Int::one();
        for (row, den) in self.value.floors() {
            if let Some(x) = row.get(column).filter(|x| !x.is_zero()) {
                result = result.lcm(&den.div_exact(&den.gcd(x)));
            }
        }
        result
    }

    /// The variable that is cheapest to sum next, and its number of remainders.
    fn choose(&self, budget: &Budget) -> Result<(usize, Int)> {
        let mut best: Option<(Int, usize, Int)> = None;
        for &column in &self.variables {
            budget.spend(self.ineqs.len() as u64)?;
            let (mut lower, mut upper, mut rough) = (0i64, 0i64, Int::one());
            for row in &self.ineqs {
                match row[column].signum() {
                    1 => lower += 1,
                    -1 => upper += 1,
                    _ => continue,
                }
                let others = self.variables.iter().any(|&c| c != column && !row[c].is_zero());
                if !row[column].is_unit() && others {
                    // The division by the coefficient will have to be split into remainders.
                    rough = rough.max(&row[column].abs() * 2);
                }
            }
            if lower == 0 || upper == 0 {
                return Err(unbounded());
            }
            let modulus = self.modulus(column);
            let cost = &(&modulus * &rough) * &Int::from(lower * upper);
            if best.as_ref().is_none_or(|b| cost < b.0) {
                best = Some((cost, column, modulus));
            }
        }
        best.map(|(_, column, modulus)| (column, modulus)).ok_or_else(unbounded)
    }

    /// The parts with `x = modulus * y + r`, one for each remainder; `y` takes the column of `x`.
    fn split(&self, column: usize, modulus: &Int, budget: &Budget) -> Result<Vec<Piece>> {
        let count = modulus.to_i64().filter(|&m| m <= MAX_REMAINDERS).ok_or_else(|| Error::OutOfRange {
            operation: "count",
            what: format!("a sum with period {modulus} is not supported; at most {MAX_REMAINDERS}"),
        })?;
        let mut result = Vec::new();
        for remainder in 0..count {
            budget.spend((1 + self.ineqs.len() + 4 * self.value.n_terms()) as u64)?;
            let remainder = Int::from(remainder);
            let mut piece = self.clone();
            for row in &mut piece.ineqs {
                let shift = &row[column] * &remainder;
                row[0] += &shift;
                row[column] = &row[column] * modulus;
            }
            piece.value = self.value.stretch_column(column, modulus, &remainder, budget)?;
            result.push(piece);
        }
        Ok(result)
    }

    /// The sums over a variable that the summand's divisions do not depend on.
    fn sum_over(&self, column: usize, budget: &Budget) -> Result<Vec<Piece>> {
        let (lower, others): (Vec<Row>, Vec<Row>) = self.ineqs.iter().cloned().partition(|r| r[column].is_positive());
        let (upper, others): (Vec<Row>, Vec<Row>) = others.into_iter().partition(|r| r[column].is_negative());
        let coefficients = self.value.coefficients(&Var::Column(column));
        let sums = power_sums(coefficients.len() - 1);
        // The sum from 1 to the integer part of the bound, for every bound.
        let up_to = |end: &Polynomial| -> Result<Polynomial> {
            let mut result = Polynomial::default();
            for (coefficient, sum) in coefficients.iter().zip(&sums) {
                let mut value = Polynomial::default();
                for factor in sum.iter().rev() {
                    value = value.mul(end, budget)?;
                    value.add(&Polynomial::constant(factor.clone()));
                }
                result.add(&value.mul(coefficient, budget)?);
            }
            Ok(result)
        };
        let without = |r: &Row| {
            let mut r = r.clone();
            r[column] = Int::zero();
            r
        };
        let ends: Vec<Polynomial> =
            upper.iter().map(|u| up_to(&Polynomial::floor(&without(u), &-&u[column]))).collect::<Result<_>>()?;
        let starts: Vec<Polynomial> = lower
            .iter()
            .map(|l| {
                let mut before = Polynomial::integer(-1);
                before.add_scaled(&Polynomial::floor(&without(l), &l[column]), &Rational::from(-1));
                up_to(&before)
            })
            .collect::<Result<_>>()?;
        let mut result = Vec::new();
        for (i, low) in lower.iter().enumerate() {
            for (j, up) in upper.iter().enumerate() {
                budget.spend((lower.len() + upper.len() + others.len()) as u64)?;
                let mut piece = self.clone();
                piece.variables.retain(|&c| c != column);
                piece.ineqs = others.clone();
                piece.ineqs.push(combined(low, up, column, 0));
                for (k, other) in lower.iter().enumerate().filter(|&(k, _)| k != i) {
                    // -l / a >= -l' / a', strictly if the other one comes first.
                    piece.ineqs.push(combined(other, &row::negated(low), column, i64::from(k < i)));
                }
                for (k, other) in upper.iter().enumerate().filter(|&(k, _)| k != j) {
                    piece.ineqs.push(combined(&row::negated(up), other, column, i64::from(k < j)));
                }
                piece.value = ends[j].clone();
                piece.value.add_scaled(&starts[i], &Rational::from(-1));
                if !piece.value.is_zero() {
                    result.push(piece);
                }
            }
        }
        Ok(result)
    }

    /// The sums over all variables, on pieces that can overlap in the free columns: their values add up.
    pub(super) fn sum(mut self, budget: &Budget) -> Result<Vec<Piece>> {
        self.solve_equalities(budget)?;
        let mut done = Vec::new();
        let mut work = vec![self];
        while let Some(mut piece) = work.pop() {
            budget.spend((1 + piece.ineqs.len() + piece.value.n_terms()) as u64)?;
            if !piece.tidy(budget)? {
                continue;
            }
            if piece.variables.is_empty() {
                done.push(piece);
                continue;
            }
            let (column, modulus) = match piece.choose(budget) {
                Ok(choice) => choice,
                Err(Error::OutOfRange { .. }) if piece.has_no_point(budget)? => continue,
                Err(error) => return Err(error),
            };
            if modulus.is_one() {
                work.extend(piece.sum_over(column, budget)?);
            } else {
                work.extend(piece.split(column, &modulus, budget)?);
            }
        }
        Ok(done)
    }
}

/// The row `b low + a up - strict` without the column, where `a` and `-b` are the coefficients there, up to sign.
fn combined(low: &Row, up: &Row, column: usize, strict: i64) -> Row {
    let (a, b) = (low[column].abs(), up[column].abs());
    let mut result = low.clone();
    row::scale(&mut result, &b);
    row::add_scaled(&mut result, &a, up);
    result[column] = Int::zero();
    result[0] -= strict;
    result
}
