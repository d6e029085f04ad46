//! Smaller descriptions of the same points: redundant constraints, gist, coalescing, hulls.
//!
//! The question "does this inequality hold at all integer points of that system?" is asked in three ways, cheapest first:
//! a parallel row, an infeasible rational system with the negated inequality (simplex), and, for systems with divisions,
//! an infeasible integer system.

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::Result;
use crate::lp::{self, Tableau};

use super::Relation;
use super::conjunction::Conjunction;
use super::row::{self, Row};

/// A system that answers questions about implied inequalities.
struct Oracle<'a> {
    n_var: usize,
    eqs: Vec<Row>,
    ineqs: Vec<Row>,
    tableau: Tableau,
    /// Whether rational infeasibility can miss an implication worth an integer test.
    integer: bool,
    budget: &'a Budget,
}

impl<'a> Oracle<'a> {
    fn new(n_var: usize, integer: bool, budget: &'a Budget) -> Oracle<'a> {
        Oracle { n_var, eqs: Vec::new(), ineqs: Vec::new(), tableau: Tableau::new(n_var), integer, budget }
    }

    fn of(c: &Conjunction, budget: &'a Budget) -> Result<Oracle<'a>> {
        let mut oracle = Oracle::new(c.n_col() - 1, c.n_local() > 0, budget);
        for row in &c.eqs {
            oracle.add_eq(row.clone())?;
        }
        for row in c.solver_ineqs() {
            oracle.add_ineq(row)?;
        }
        Ok(oracle)
    }

    fn add_eq(&mut self, row: Row) -> Result<()> {
        self.tableau.add_eq(&row, self.budget)?;
        self.eqs.push(row);
        Ok(())
    }

    fn add_ineq(&mut self, row: Row) -> Result<()> {
        self.tableau.add_ineq(&row, self.budget)?;
        self.ineqs.push(row);
        Ok(())
    }

    /// Whether `row >= 0` at all integer points.
    fn implies(&mut self, row: &[Int]) -> Result<bool> {
        self.budget.spend(1)?;
        let negation = row::complement(row);
        let snapshot = self.tableau.snapshot();
        self.tableau.add_ineq(&negation, self.budget)?;
        let empty = self.tableau.is_empty_rational();
        self.tableau.rollback(snapshot);
        if empty || !self.integer {
            return Ok(empty);
        }
        self.ineqs.push(negation);
        let empty = lp::is_empty_integer(self.n_var, &self.eqs, &self.ineqs, self.budget);
        self.ineqs.pop();
        Ok(empty?)
    }

    fn implies_eq(&mut self, row: &[Int]) -> Result<bool> {
        Ok(self.implies(row)? && self.implies(&row::negated(row))?)
    }
}

impl Conjunction {
    /// Drops the inequalities that the other constraints imply; plainly empty if there is no point.
    pub(super) fn without_redundancies(mut self, budget: &Budget) -> Result<Conjunction> {
        if self.is_empty(budget)? {
            return Ok(Conjunction::empty(self.space));
        }
        if self.ineqs.len() < 2 && self.locals.is_empty() {
            return Ok(self);
        }
        let bare = Conjunction { ineqs: Vec::new(), ..self.clone() };
        self.ineqs = keep_needed(&bare, std::mem::take(&mut self.ineqs), &[], budget)?;
        Ok(self.simplify())
    }

    /// The constraints of `self` that are needed inside all of the contexts (over the same space, without locals in
    /// common). Plainly empty if `self` has no point in any context.
    fn gist(&self, contexts: &[Conjunction], budget: &Budget) -> Result<Conjunction> {
        let mut meets = false;
        for context in contexts {
            meets = meets || !self.intersect(context, budget)?.is_empty(budget)?;
        }
        if !meets {
            return Ok(Conjunction::empty(self.space.clone()));
        }
        // All contexts count, also those that `self` does not meet: it must not meet them afterwards either.
        let contexts: Vec<&Conjunction> = contexts.iter().collect();
        // Equalities first: one that every context gives together with the other equalities is dropped.
        let mut result = self.clone();
        let mut k = 0;
        while k < result.eqs.len() {
            let eq = result.eqs.swap_remove(k);
            let implied = all(&contexts, |context| {
                let (joined, eqs, ineqs) = result.joined(context);
                let mut oracle = Oracle::of(&joined, budget)?;
                add_all(&mut oracle, eqs, ineqs)?;
                oracle.implies_eq(&padded(&eq, joined.n_col()))
            })?;
            if !implied {
                result.eqs.push(eq);
                let last = result.eqs.len() - 1;
                result.eqs.swap(k, last);
                k += 1;
            }
        }
        let ineqs = std::mem::take(&mut result.ineqs);
        result.ineqs = keep_needed(&result.clone(), ineqs, &contexts, budget)?;
        Ok(result.simplify())
    }
}

fn all(contexts: &[&Conjunction], mut test: impl FnMut(&Conjunction) -> Result<bool>) -> Result<bool> {
    for context in contexts {
        if !test(context)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn padded(row: &[Int], n: usize) -> Row {
    let mut row = Row::from(row);
    row.resize(n, Int::zero());
    row
}

fn add_all(oracle: &mut Oracle<'_>, eqs: Vec<Row>, ineqs: Vec<Row>) -> Result<()> {
    for row in eqs {
        oracle.add_eq(row)?;
    }
    for row in ineqs {
        oracle.add_ineq(row)?;
    }
    Ok(())
}

/// The inequalities that are not implied by `bare`, the other kept or untested inequalities, and each of the contexts
/// (no context: the universe).
fn keep_needed(bare: &Conjunction, rows: Vec<Row>, contexts: &[&Conjunction], budget: &Budget) -> Result<Vec<Row>> {
    let mut oracles: Vec<Oracle<'_>> = Vec::new();
    if contexts.is_empty() {
        oracles.push(Oracle::of(bare, budget)?);
    }
    for context in contexts {
        let (joined, eqs, ineqs) = bare.joined(context);
        let mut oracle = Oracle::of(&joined, budget)?;
        add_all(&mut oracle, eqs, ineqs)?;
        oracles.push(oracle);
    }
    let mut kept: Vec<Row> = Vec::new();
    for (k, row) in rows.iter().enumerate() {
        let mut implied = true;
        for oracle in &mut oracles {
            let n = oracle.n_var + 1;
            let snapshot = oracle.tableau.snapshot();
            let fixed = oracle.ineqs.len();
            for other in &rows[k + 1..] {
                oracle.add_ineq(padded(other, n))?;
            }
            implied = oracle.implies(&padded(row, n))?;
            oracle.ineqs.truncate(fixed);
            oracle.tableau.rollback(snapshot);
            if !implied {
                break;
            }
        }
        if !implied {
            for oracle in &mut oracles {
                let n = oracle.n_var + 1;
                oracle.add_ineq(padded(row, n))?;
            }
            kept.push(row.clone());
        }
    }
    Ok(kept)
}

impl Relation {
    pub(crate) fn remove_redundancies(&self, budget: &Budget) -> Result<Relation> {
        let mut result = Relation::empty(self.space.clone());
        for part in self.parts() {
            result.push(part.clone().without_redundancies(budget)?);
        }
        Ok(result)
    }

    pub(crate) fn gist(&self, context: &Relation, budget: &Budget) -> Result<Relation> {
        let (left, context) = self.aligned_same("simplify in a context", context)?;
        if context.is_plainly_universe() {
            return left.remove_redundancies(budget);
        }
        let mut result = Relation::empty(left.space.clone());
        for part in left.parts() {
            result.push(part.gist(&context.parts, budget)?);
        }
        Ok(result)
    }
}
