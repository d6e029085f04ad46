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

mod questions;
mod walk;

use walk::Direction;

use super::rows::{CONSTANT, FIRST, Rows};
use crate::arith::{Int, Row};
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

/// A new tableau has room for as many constraints as the systems of most loop nests have.
const USUAL_ROWS: usize = 24;

/// The owner of a row that only lives during one call.
const TEMPORARY: usize = usize::MAX;

/// A state of a [`Tableau`] to which it can return.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Snapshot {
    n_unknown: usize,
    empty: bool,
}

impl Tableau {
    /// The system without constraints over `n_var` variables.
    pub fn new(n_var: usize) -> Self {
        let mut unknowns = Vec::with_capacity(n_var + USUAL_ROWS);
        unknowns.extend((0..n_var).map(|at| Unknown { in_row: false, at, limit: Limit::Free }));
        Self {
            n_var,
            rows: Rows::with_capacity(n_var, USUAL_ROWS),
            unknowns,
            row_owner: Vec::with_capacity(USUAL_ROWS),
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
}
