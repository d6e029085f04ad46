//! Questions to a [`Tableau`]: optima, consequences, redundancy, sample points. They leave its constraints as they are,
//! except for those that `drop_` and `restore` name.

use std::cmp::Ordering;

use super::walk::{Direction, Walk};
use super::{Limit, TEMPORARY, Tableau, Unknown};
use crate::arith::{Int, Rational};
use crate::budget::{Budget, Exhausted};
use crate::lp::Optimum;
use crate::lp::rows::{CONSTANT, FIRST};

impl Tableau {
    /// The least value of `row` over the rational points of the system. Exact.
    pub fn minimize(&mut self, row: &[Int], budget: &Budget) -> Result<Optimum, Exhausted> {
        Ok(self.minimize_with_slope(row, None, budget)?.0)
    }

    /// As [`Tableau::minimize`]; also returns, for the unknown of an equality, the rate at which the minimum changes
    /// when the right-hand side of that equality grows (its dual value; one of them, if the optimum is degenerate).
    pub(in crate::lp) fn minimize_with_slope(
        &mut self,
        row: &[Int],
        equality: Option<usize>,
        budget: &Budget,
    ) -> Result<(Optimum, Rational), Exhausted> {
        budget.spend(1)?;
        if self.empty {
            return Ok((Optimum::Empty, Rational::zero()));
        }
        let r = self.push_row(row, budget)?;
        let result = self.walk(r, Direction::Down, None, budget).map(|end| match end {
            Walk::Optimal => {
                let slope = match equality.map(|u| self.unknowns[u]) {
                    Some(u) if !u.in_row => self.rows.value(r, FIRST + u.at),
                    _ => Rational::zero(),
                };
                (Optimum::Bounded(self.rows.value(r, CONSTANT)), slope)
            }
            Walk::Unbounded | Walk::Crosses => (Optimum::Unbounded, Rational::zero()),
        });
        self.pop_row(r);
        result
    }

    /// Whether `row` is non-negative at every rational point of the system. Exact over the rationals. Usually cheaper
    /// than [`Tableau::minimize`], because the walk stops as soon as the answer is known.
    pub fn is_implied(&mut self, row: &[Int], budget: &Budget) -> Result<bool, Exhausted> {
        budget.spend(1)?;
        if self.empty {
            return Ok(true);
        }
        let r = self.push_row(row, budget)?;
        let result = if self.rows.sign(r, CONSTANT) < 0 {
            Ok(false)
        } else {
            self.walk(r, Direction::Down, Some(Ordering::Less), budget).map(|end| end == Walk::Optimal)
        };
        self.pop_row(r);
        result
    }

    /// Whether `row` is positive at every rational point of the system. Exact over the rationals. For a row with
    /// integer coefficients, `row + 1` is positive if `row >= 0` holds at all integer points for a rational reason.
    pub fn is_positive(&mut self, row: &[Int], budget: &Budget) -> Result<bool, Exhausted> {
        budget.spend(1)?;
        if self.empty {
            return Ok(true);
        }
        let r = self.push_row(row, budget)?;
        let result = if self.rows.sign(r, CONSTANT) <= 0 {
            Ok(false)
        } else {
            self.walk(r, Direction::Down, Some(Ordering::Less), budget)
                .map(|end| end == Walk::Optimal && self.rows.sign(r, CONSTANT) > 0)
        };
        self.pop_row(r);
        result
    }

    /// Whether the sample point exists and is an integer point. Sound as a proof that there is one, not complete.
    pub fn has_integer_sample(&self) -> bool {
        !self.empty && self.unknowns[..self.n_var].iter().all(|u| !u.in_row || self.rows.is_integer(u.at))
    }

    /// Whether `row` is 0 at every rational point of the system. Exact over the rationals.
    pub fn is_implied_eq(&mut self, row: &[Int], budget: &Budget) -> Result<bool, Exhausted> {
        if !self.is_implied(row, budget)? {
            return Ok(false);
        }
        let negated: Vec<Int> = row.iter().map(|x| -x).collect();
        self.is_implied(&negated, budget)
    }

    /// The values of the variables at the sample point: a rational point of the system, or none if it is empty. It is
    /// a vertex if the system has one and enough constraints are tight; in general it is only some point.
    pub fn sample(&self) -> Option<Vec<Rational>> {
        if self.empty {
            return None;
        }
        let value = |u: &Unknown| if u.in_row { self.rows.value(u.at, CONSTANT) } else { Rational::zero() };
        Some(self.unknowns[..self.n_var].iter().map(value).collect())
    }

    /// Whether the constraint of this unknown follows from the others. If so it is dropped for good.
    pub(crate) fn drop_if_redundant(&mut self, unknown: usize, budget: &Budget) -> Result<bool, Exhausted> {
        budget.spend(1)?;
        if self.empty || self.unknowns[unknown].limit != Limit::Restricted {
            return Ok(false);
        }
        let Some(r) = self.row_at_zero_or_above(unknown, Direction::Down, budget)? else { return Ok(false) };
        if self.walk(r, Direction::Down, Some(Ordering::Less), budget)? != Walk::Optimal {
            return Ok(false);
        }
        self.unknowns[unknown].limit = Limit::Free;
        Ok(true)
    }

    /// As [`Tableau::drop_if_redundant`], but the constraint is also dropped if the others keep its row above -1: then
    /// it follows from them over the integers.
    pub(crate) fn drop_if_implied(&mut self, unknown: usize, budget: &Budget) -> Result<bool, Exhausted> {
        if self.drop_if_redundant(unknown, budget)? {
            return Ok(true);
        }
        if self.empty || self.unknowns[unknown].limit != Limit::Restricted {
            return Ok(false);
        }
        self.unknowns[unknown].limit = Limit::Free;
        // A row of its own for the value plus 1.
        let Unknown { in_row, at, .. } = self.unknowns[unknown];
        let r = self.rows.len();
        self.rows.push_zero();
        self.row_owner.push(TEMPORARY);
        self.rows.add_at(r, CONSTANT, &Int::one());
        if in_row {
            self.rows.add_multiple(r, &Int::one(), at);
        } else {
            self.rows.add_at(r, FIRST + at, &Int::one());
        }
        let end = self.walk(r, Direction::Down, Some(Ordering::Less), budget);
        let implied = end.map(|end| end == Walk::Optimal && self.rows.sign(r, CONSTANT) > 0);
        self.pop_row(r);
        if implied? {
            return Ok(true);
        }
        self.restore(unknown, budget)?;
        Ok(false)
    }

    /// Drops the constraint of an unknown that is restricted.
    pub(crate) fn release(&mut self, unknown: usize) {
        self.unknowns[unknown].limit = Limit::Free;
    }

    /// Puts back the constraint of an unknown that was dropped.
    pub(crate) fn restore(&mut self, unknown: usize, budget: &Budget) -> Result<(), Exhausted> {
        let Unknown { in_row, at, .. } = self.unknowns[unknown];
        if in_row {
            // The system with the constraint is not empty: it was not before the constraint was dropped.
            self.move_to_zero(at, Direction::Up, budget)?;
        }
        self.unknowns[unknown].limit = Limit::Restricted;
        Ok(())
    }

    /// Whether the constraint of this restricted unknown holds with equality at every rational point of the system.
    pub(in crate::lp) fn is_always_zero(&mut self, unknown: usize, budget: &Budget) -> Result<bool, Exhausted> {
        budget.spend(1)?;
        if self.empty || self.unknowns[unknown].limit == Limit::Dead {
            return Ok(true);
        }
        let Some(r) = self.row_at_zero_or_above(unknown, Direction::Up, budget)? else { return Ok(false) };
        if self.rows.sign(r, CONSTANT) > 0 {
            return Ok(false);
        }
        Ok(self.walk(r, Direction::Up, Some(Ordering::Greater), budget)? == Walk::Optimal)
    }

    /// Whether the unknown is positive at the sample point, which proves that it is not always zero.
    pub(in crate::lp) fn is_positive_at_sample(&self, unknown: usize) -> bool {
        let u = self.unknowns[unknown];
        u.in_row && self.rows.sign(u.at, CONSTANT) > 0
    }
}
