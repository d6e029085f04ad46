//! [`Tableau`]: an exact incremental simplex tableau with snapshots.
//!
//! # What it holds
//!
//! An *unknown* is a variable or the value of a constraint. Each unknown is either the owner of a column or of a row.
//! The column unknowns are the current coordinates: every row unknown is written as an affine form of them,
//!
//! ```text
//! d * r = k + a1*c1 + ... + an*cn        (integers, d > 0)
//! ```
//!
//! A variable may have any sign. The unknown of an inequality is *restricted*: it must not be negative. The unknown of
//! an equality owns a *dead* column: it must stay 0. Setting all column unknowns to 0 gives the *sample point*; the
//! invariant is that it satisfies every constraint, that is, the constant of every restricted row is not negative, or
//! that the tableau is marked empty.
//!
//! # How it works
//!
//! This is the simplex method in the form that Nelson, and Detlefs, Nelson and Saxe, use in the Simplify prover: there
//! is no first phase. A new constraint becomes a new row. If the sample point violates it, the row is raised by pivots
//! that keep all other restricted unknowns non-negative, until it is 0 and can become a column, or until no column can
//! raise it any more. In the second case its maximum is negative and the system is empty over the rationals.
//! Minimisation is the same walk downwards. Entering columns and blocking rows are chosen by the smallest index
//! (Bland's rule), with unrestricted columns first, so a walk cannot cycle: an unrestricted unknown that owns a row
//! never returns to a column during a walk.
//!
//! A [`Snapshot`] is a number of constraints. Rolling back removes the newer constraints one by one, last first: a row
//! is deleted, a column is first exchanged with a row such that the sample point stays feasible. No copy of the
//! numbers is kept, and the basis reached in the meantime remains, which is as good a starting point as the old one.
//!
//! # Exactness and cost
//!
//! All numbers are exact (see the file `rows.rs`): 64-bit rows with overflow checks, promoted when needed. A pivot
//! allocates nothing. A budget unit is one row update.
//!
//! # Sources
//!
//! * G. Nelson, *Techniques for Program Verification*, Xerox PARC CSL-81-10, 1981.
//! * D. Detlefs, G. Nelson, J. B. Saxe, *Simplify: A Theorem Prover for Program Checking*, J. ACM 52(3), 2005, section
//!   8.
//! * R. G. Bland, *New Finite Pivoting Rules for the Simplex Method*, Math. of Operations Research 2(2), 1977.

use std::cmp::Ordering;

use super::Optimum;
use super::rows::{CONSTANT, FIRST, Rows};
use crate::arith::{Int, Rational, Row};
use crate::budget::{Budget, Exhausted};

/// An incremental system of linear constraints over rational variables; see the module documentation for the method.
///
/// A constraint is a row `[c0, c1, ..., cn]` that stands for `c0 + c1*x1 + ... + cn*xn`.
///
/// ```
/// use tessera_polyhedral::arith::{Int, Rational};
/// use tessera_polyhedral::budget::Budget;
/// use tessera_polyhedral::lp::{Optimum, Tableau};
/// # fn main() -> Result<(), tessera_polyhedral::budget::Exhausted> {
/// let row = |c: [i64; 3]| c.map(Int::from);
/// let budget = Budget::unlimited();
/// let mut t = Tableau::new(2);
/// t.add_ineq(&row([0, 1, 0]), &budget)?; // x >= 0
/// t.add_ineq(&row([9, -2, -2]), &budget)?; // 2x + 2y <= 9
/// let before = t.snapshot();
/// t.add_ineq(&row([-5, 0, 1]), &budget)?; // y >= 5
/// assert!(t.is_empty_rational());
/// t.rollback(before);
/// assert_eq!(t.minimize(&row([0, 0, -1]), &budget)?, Optimum::Bounded(Rational::new((-9).into(), 2.into())));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Tableau {
    n_var: usize,
    rows: Rows,
    /// Variables first, then constraints in the order in which they were added.
    unknowns: Vec<Unknown>,
    row_owner: Vec<usize>,
    col_owner: Vec<usize>,
    empty: bool,
}

/// Where an unknown is and what limits it.
#[derive(Clone, Copy, Debug)]
struct Unknown {
    in_row: bool,
    /// The index of its row or column.
    at: usize,
    limit: Limit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    /// Any value.
    Free,
    /// Not negative.
    Restricted,
    /// Zero; such an unknown owns a column that never enters.
    Dead,
}

/// The owner of a row that only lives during one call.
const TEMPORARY: usize = usize::MAX;

/// A state of a [`Tableau`] to which it can return.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Snapshot {
    n_unknown: usize,
    empty: bool,
}

/// The end of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Walk {
    /// No column moves the row any further.
    Optimal,
    /// The row can move without end.
    Unbounded,
    /// The row would cross zero in the next step; that step was not made.
    Crosses,
}

/// The direction of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Up = 1,
    Down = -1,
}

/// The next exchange of a walk: a column, and the restricted row that blocks its movement, if one does.
struct Step {
    column: usize,
    blocking: Option<usize>,
}

impl Tableau {
    /// The system without constraints over `n_var` variables.
    pub fn new(n_var: usize) -> Self {
        let unknowns = (0..n_var).map(|at| Unknown { in_row: false, at, limit: Limit::Free }).collect();
        Self {
            n_var,
            rows: Rows::new(n_var),
            unknowns,
            row_owner: Vec::new(),
            col_owner: (0..n_var).collect(),
            empty: false,
        }
    }

    /// The tableau of a whole system. Equalities are added first.
    pub fn from_system(n_var: usize, eqs: &[Row], ineqs: &[Row], budget: &Budget) -> Result<Self, Exhausted> {
        let mut tableau = Self::new(n_var);
        for row in eqs {
            tableau.add_eq(row, budget)?;
        }
        for row in ineqs {
            tableau.add_ineq(row, budget)?;
        }
        Ok(tableau)
    }

    /// The number of variables.
    pub fn n_var(&self) -> usize {
        self.n_var
    }

    /// Whether no rational point satisfies the constraints. Exact; costs nothing.
    pub fn is_empty_rational(&self) -> bool {
        self.empty
    }

    /// Adds the constraint that `row` is not negative. If the budget ends, the constraint has not been added.
    pub fn add_ineq(&mut self, row: &[Int], budget: &Budget) -> Result<(), Exhausted> {
        self.restrict(row, budget).map(|_| ())
    }

    /// As [`Tableau::add_ineq`]; returns the unknown of the constraint, if the system was not empty before.
    pub(super) fn restrict(&mut self, row: &[Int], budget: &Budget) -> Result<Option<usize>, Exhausted> {
        budget.spend(1)?;
        if self.empty {
            return Ok(None);
        }
        let r = self.push_row(row, budget)?;
        let unknown = self.unknowns.len();
        self.unknowns.push(Unknown { in_row: true, at: r, limit: Limit::Free });
        self.row_owner[r] = unknown;
        match self.move_to_zero(r, Direction::Up, budget) {
            Ok(possible) => {
                self.unknowns[unknown].limit = Limit::Restricted;
                self.empty = !possible;
                Ok(Some(unknown))
            }
            Err(exhausted) => {
                // The row becomes a column only in the last step of a walk, so it is still a row if it is negative;
                // the other case is handled as well.
                self.remove_last_unknown();
                Err(exhausted)
            }
        }
    }

    /// Adds the constraint that `row` is 0. If the budget ends, the constraint has not been added.
    pub fn add_eq(&mut self, row: &[Int], budget: &Budget) -> Result<(), Exhausted> {
        self.equate(row, budget).map(|_| ())
    }

    /// As [`Tableau::add_eq`]; returns the unknown of the constraint, unless the constraint already holds or the
    /// system was empty before.
    pub(super) fn equate(&mut self, row: &[Int], budget: &Budget) -> Result<Option<usize>, Exhausted> {
        budget.spend(1)?;
        if self.empty {
            return Ok(None);
        }
        let r = self.push_row(row, budget)?;
        let way = if self.rows.sign(r, CONSTANT) > 0 { Direction::Down } else { Direction::Up };
        let unknown = self.unknowns.len();
        self.unknowns.push(Unknown { in_row: true, at: r, limit: Limit::Free });
        self.row_owner[r] = unknown;
        let raised = self.move_to_zero(r, way, budget);
        if let Ok(false) = raised {
            self.empty = true;
            return Ok(Some(unknown));
        }
        if let Ok(true) = raised
            && self.unknowns[unknown].in_row
        {
            // The row is 0 at the sample point. Any live column can take its place without moving the point.
            match (0..self.n_var).find(|&c| self.is_live(c) && self.rows.sign(r, FIRST + c) != 0) {
                Some(c) => {
                    // The other restricted rows keep their constants, because the pivot row has the constant 0.
                    if let Err(exhausted) = self.pivot(r, c, budget) {
                        self.remove_last_unknown();
                        return Err(exhausted);
                    }
                }
                None => {
                    self.remove_last_unknown();
                    return Ok(None);
                }
            }
        }
        match raised {
            Ok(_) => {
                self.unknowns[unknown].limit = Limit::Dead;
                Ok(Some(unknown))
            }
            Err(exhausted) => {
                self.remove_last_unknown();
                Err(exhausted)
            }
        }
    }

    /// The present state, to return to with [`Tableau::rollback`].
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { n_unknown: self.unknowns.len(), empty: self.empty }
    }

    /// Removes all constraints that were added after the snapshot. Snapshots are used like a stack: after returning to
    /// one, the later ones are void. Costs at most one pivot per removed constraint.
    pub fn rollback(&mut self, snapshot: Snapshot) {
        while self.unknowns.len() > snapshot.n_unknown {
            self.remove_last_unknown();
        }
        self.empty = snapshot.empty;
        self.rows.demote();
    }

    /// The least value of `row` over the rational points of the system. Exact.
    pub fn minimize(&mut self, row: &[Int], budget: &Budget) -> Result<Optimum, Exhausted> {
        Ok(self.minimize_with_slope(row, None, budget)?.0)
    }

    /// As [`Tableau::minimize`]; also returns, for the unknown of an equality, the rate at which the minimum changes
    /// when the right-hand side of that equality grows (its dual value; one of them, if the optimum is degenerate).
    pub(super) fn minimize_with_slope(
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

    /// Whether `row` is positive at every rational point of the system. Exact over the rationals. For a row with integer
    /// coefficients, `row + 1` is positive if `row >= 0` holds at all integer points for a rational reason.
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

    /// As [`Tableau::drop_if_redundant`], but the constraint is also dropped if the others keep its row above -1: then it
    /// follows from them over the integers.
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
    pub(super) fn is_always_zero(&mut self, unknown: usize, budget: &Budget) -> Result<bool, Exhausted> {
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
    pub(super) fn is_positive_at_sample(&self, unknown: usize) -> bool {
        let u = self.unknowns[unknown];
        u.in_row && self.rows.sign(u.at, CONSTANT) > 0
    }

    /// Appends a row with the value of `row`, written in the present columns.
    fn push_row(&mut self, row: &[Int], budget: &Budget) -> Result<usize, Exhausted> {
        debug_assert_eq!(row.len(), self.n_var + 1, "a row has a constant and one coefficient per variable");
        budget.spend(1)?;
        let r = self.rows.len();
        self.rows.push_zero();
        self.row_owner.push(TEMPORARY);
        for (position, x) in row.iter().enumerate() {
            if x.is_zero() {
                continue;
            }
            match position.checked_sub(1).map(|v| self.unknowns[v]) {
                None => self.rows.add_at(r, CONSTANT, x),
                Some(u) if u.in_row => self.rows.add_multiple(r, x, u.at),
                Some(u) => self.rows.add_at(r, FIRST + u.at, x),
            }
        }
        Ok(r)
    }

    /// Removes a row; the last row takes its place.
    fn pop_row(&mut self, r: usize) {
        self.rows.swap_remove(r);
        self.row_owner.swap_remove(r);
        if let Some(&moved) = self.row_owner.get(r)
            && moved != TEMPORARY
        {
            self.unknowns[moved].at = r;
        }
    }

    /// Exchanges the owners of a row and a column. The exchange is complete even if the budget ends with it.
    fn pivot(&mut self, r: usize, c: usize, budget: &Budget) -> Result<(), Exhausted> {
        let changed = self.pivot_free(r, c);
        budget.spend(changed)
    }

    fn pivot_free(&mut self, r: usize, c: usize) -> u64 {
        let (leaving, entering) = (self.row_owner[r], self.col_owner[c]);
        let changed = self.rows.pivot(r, FIRST + c);
        self.row_owner[r] = entering;
        self.col_owner[c] = leaving;
        (self.unknowns[leaving].in_row, self.unknowns[leaving].at) = (false, c);
        (self.unknowns[entering].in_row, self.unknowns[entering].at) = (true, r);
        changed
    }

    fn is_live(&self, c: usize) -> bool {
        self.unknowns[self.col_owner[c]].limit != Limit::Dead
    }

    fn is_restricted_row(&self, r: usize) -> bool {
        self.unknowns.get(self.row_owner[r]).is_some_and(|u| u.limit == Limit::Restricted)
    }

    /// The restricted row, other than `except`, that reaches 0 first when column `c` moves up or down from 0. Ties go
    /// to the smallest unknown.
    fn blocking_row(&self, c: usize, direction: Direction, except: Option<usize>) -> Option<usize> {
        let mut best: Option<usize> = None;
        for r in 0..self.rows.len() {
            if self.rows.sign(r, FIRST + c) * (direction as i32) >= 0 || Some(r) == except || !self.is_restricted_row(r)
            {
                continue;
            }
            let better = best.is_none_or(|b| {
                let order = self.rows.compare_ratios(r, b, FIRST + c);
                order.then(self.row_owner[r].cmp(&self.row_owner[b])) == Ordering::Less
            });
            if better {
                best = Some(r);
            }
        }
        best
    }

    /// The next step that moves row `r` in a direction, or none if it is at its optimum.
    fn next_step(&self, r: usize, direction: Direction) -> Option<Step> {
        let mut best: Option<((bool, usize), usize, Direction)> = None;
        for c in 0..self.n_var {
            let sign = self.rows.sign(r, FIRST + c) * (direction as i32);
            let owner = self.col_owner[c];
            let limit = self.unknowns[owner].limit;
            if sign == 0 || limit == Limit::Dead || (limit == Limit::Restricted && sign < 0) {
                continue;
            }
            let key = (limit == Limit::Restricted, owner);
            if best.is_none_or(|(k, ..)| key < k) {
                best = Some((key, c, if sign > 0 { Direction::Up } else { Direction::Down }));
            }
        }
        let (_, column, way) = best?;
        Some(Step { column, blocking: self.blocking_row(column, way, Some(r)) })
    }

    /// Moves row `r` as far as it goes. With `stop`, the walk ends before a step after which the value of the row
    /// would compare so to 0; the row must not compare so at the start.
    fn walk(
        &mut self,
        r: usize,
        direction: Direction,
        stop: Option<Ordering>,
        budget: &Budget,
    ) -> Result<Walk, Exhausted> {
        loop {
            budget.spend(1)?;
            let Some(Step { column, blocking }) = self.next_step(r, direction) else { return Ok(Walk::Optimal) };
            let Some(blocking) = blocking else { return Ok(Walk::Unbounded) };
            let crosses = match stop {
                None => false,
                // Downwards: the row falls below 0 if it reaches 0 strictly before the blocking row does.
                Some(Ordering::Less) => self.rows.compare_ratios(r, blocking, FIRST + column) == Ordering::Less,
                // Upwards from 0: every step that is not degenerate raises it.
                Some(_) => self.rows.sign(blocking, CONSTANT) > 0,
            };
            if crosses {
                return Ok(Walk::Crosses);
            }
            self.pivot(blocking, column, budget)?;
        }
    }

    /// Moves row `r` in a direction until its value is not on the far side of 0. Returns false if it cannot reach 0.
    /// If it had to move, its unknown owns a column in the end.
    fn move_to_zero(&mut self, r: usize, direction: Direction, budget: &Budget) -> Result<bool, Exhausted> {
        while self.rows.sign(r, CONSTANT) * (direction as i32) < 0 {
            budget.spend(1)?;
            let Some(Step { column, blocking }) = self.next_step(r, direction) else { return Ok(false) };
            match blocking {
                Some(b) if self.rows.compare_ratios(b, r, FIRST + column) == Ordering::Less => {
                    self.pivot(b, column, budget)?;
                }
                _ => {
                    self.pivot(r, column, budget)?;
                    return Ok(true);
                }
            }
        }
        Ok(true)
    }

    /// A row with which column `c` can be exchanged so that the sample point stays feasible, or none if no row depends
    /// on it.
    fn exchange_row(&self, c: usize) -> Option<usize> {
        self.blocking_row(c, Direction::Up, None)
            .or_else(|| self.blocking_row(c, Direction::Down, None))
            // No restricted row depends on the column, so the exchange changes no restricted constant.
            .or_else(|| (0..self.rows.len()).find(|&r| self.rows.sign(r, FIRST + c) != 0))
    }

    /// The row of an unknown, which stays non-negative. If the unknown owns a column and can move from 0 in the given
    /// direction while all others stay feasible, the answer is none.
    fn row_at_zero_or_above(
        &mut self,
        unknown: usize,
        direction: Direction,
        budget: &Budget,
    ) -> Result<Option<usize>, Exhausted> {
        let Unknown { in_row, at, .. } = self.unknowns[unknown];
        if in_row {
            return Ok(Some(at));
        }
        match self.blocking_row(at, direction, None) {
            // A blocking row that is 0 itself can take the place of the column without moving the sample point.
            Some(blocking) if self.rows.sign(blocking, CONSTANT) == 0 => {
                self.pivot(blocking, at, budget)?;
                Ok(Some(blocking))
            }
            _ => Ok(None),
        }
    }

    /// Removes the newest constraint.
    fn remove_last_unknown(&mut self) {
        let Some(&Unknown { in_row, at, .. }) = self.unknowns.last() else { return };
        let r = if in_row {
            Some(at)
        } else {
            // Some row depends on the column: the variables are independent, and without the column they would not be.
            let r = self.exchange_row(at);
            if let Some(r) = r {
                self.pivot_free(r, at);
            }
            r
        };
        self.unknowns.pop();
        if let Some(r) = r {
            self.pop_row(r);
        }
    }
}
