//! Smaller descriptions of the same points: redundant constraints, and constraints that a context makes superfluous.
//!
//! A constraint is dropped if it follows from the others for a rational reason: the others keep its row above -1. All
//! constraints of a conjunction are in one simplex tableau (with a context: one for each conjunction of the context), from
//! which they are dropped one by one; so the cost is a few pivots per constraint.

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::Result;
use crate::lp::{self, Tableau};

use super::conjunction::Conjunction;
use super::row::{self, Row};
use super::{Relation, facts};

impl Conjunction {
    /// Drops the inequalities that the other constraints imply; plainly empty if there is no point.
    pub(super) fn without_redundancies(mut self, budget: &Budget) -> Result<Conjunction> {
        budget.spend(self.weight())?;
        if self.is_plainly_empty() || (self.ineqs.len() < 2 && self.locals.is_empty()) {
            return Ok(if self.is_empty(budget)? { Conjunction::empty(self.space) } else { self });
        }
        let own = self.ineqs.len();
        let rows = self.solver_ineqs();
        let (mut tableau, unknowns) = lp::tableau_with_unknowns(self.n_col() - 1, &self.eqs, &rows, budget)?;
        if !self.has_point(&tableau, budget)? {
            return Ok(Conjunction::empty(self.space));
        }
        let mut needed = Vec::with_capacity(own);
        for &unknown in &unknowns[..own] {
            needed.push(!tableau.drop_if_implied(unknown, budget)?);
        }
        if !needed.contains(&false) {
            return Ok(self);
        }
        let mut needed = needed.into_iter();
        self.ineqs.retain(|_| needed.next() == Some(true));
        // A division may have lost its last use; without divisions the rest is in normal form.
        Ok(if self.locals.is_empty() { self } else { self.simplify() })
    }

    /// The constraints of `self` that are needed inside the union of some contexts over the same space. Plainly empty if
    /// `self` has no point in any of them.
    fn gist(&self, contexts: &[Conjunction], budget: &Budget) -> Result<Conjunction> {
        let mut meets = false;
        for context in contexts {
            meets = meets || !self.is_apart(context, budget)?;
        }
        if !meets {
            return Ok(Conjunction::empty(self.space.clone()));
        }
        // All contexts count, also those that `self` does not meet: it must not meet them afterwards either.
        let mut frames = contexts.iter().map(|c| Frame::new(self, c, budget)).collect::<Result<Vec<_>>>()?;
        let mut eqs = Vec::with_capacity(self.eqs.len());
        for k in 0..self.eqs.len() {
            eqs.push(!all(&mut frames, |frame| frame.drop_equality(k, budget))?);
        }
        for frame in &mut frames {
            frame.add_equalities(&eqs, budget)?;
        }
        let mut ineqs = Vec::with_capacity(self.ineqs.len());
        for k in 0..self.ineqs.len() {
            let mut dropped = 0;
            while dropped < frames.len() && frames[dropped].drop_inequality(k, budget)? {
                dropped += 1;
            }
            let needed = dropped < frames.len();
            for frame in &mut frames[..if needed { dropped } else { 0 }] {
                frame.restore_inequality(k, budget)?;
            }
            ineqs.push(needed);
        }
        let mut result = self.clone();
        for (rows, needed) in [(&mut result.eqs, eqs), (&mut result.ineqs, ineqs)] {
            let mut needed = needed.into_iter();
            rows.retain(|_| needed.next() == Some(true));
        }
        Ok(result.simplify())
    }
}

fn all(frames: &mut [Frame], mut test: impl FnMut(&mut Frame) -> Result<bool>) -> Result<bool> {
    for frame in frames {
        if !test(frame)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// One context with the constraints of a conjunction in it.
struct Frame {
    /// The equalities of the conjunction over the columns of both, and whether each is still in the system.
    eqs: Vec<Row>,
    present: Vec<bool>,
    /// The unknowns of its inequalities.
    unknowns: Vec<usize>,
    tableau: Tableau,
}

impl Frame {
    fn new(own: &Conjunction, context: &Conjunction, budget: &Budget) -> Result<Frame> {
        budget.spend(own.weight() + context.weight())?;
        let (joined, eqs, ineqs) = context.joined(own);
        let mut rows = ineqs;
        let own_ineqs = rows.len();
        rows.extend(joined.solver_ineqs());
        let (tableau, mut unknowns) = lp::tableau_with_unknowns(joined.n_col() - 1, &joined.eqs, &rows, budget)?;
        unknowns.truncate(own_ineqs);
        Ok(Frame { present: vec![true; eqs.len()], eqs, unknowns, tableau })
    }

    /// Whether an equality follows from the context and the rest of the conjunction. If so it is left out from now on.
    fn drop_equality(&mut self, k: usize, budget: &Budget) -> Result<bool> {
        let snapshot = self.tableau.snapshot();
        for other in (0..self.eqs.len()).filter(|&other| other != k && self.present[other]) {
            self.tableau.add_eq(&self.eqs[other], budget)?;
        }
        let mut above = self.eqs[k].clone();
        above[0] += Int::one();
        let mut below = row::negated(&self.eqs[k]);
        below[0] += Int::one();
        let implied = self.tableau.is_positive(&above, budget)? && self.tableau.is_positive(&below, budget)?;
        self.tableau.rollback(snapshot);
        self.present[k] = !implied;
        Ok(implied)
    }

    /// Adds the equalities that are kept.
    fn add_equalities(&mut self, kept: &[bool], budget: &Budget) -> Result<()> {
        for (eq, _) in self.eqs.iter().zip(kept).filter(|(_, kept)| **kept) {
            self.tableau.add_eq(eq, budget)?;
        }
        Ok(())
    }

    /// Whether an inequality follows from the rest. If so it is left out from now on.
    fn drop_inequality(&mut self, k: usize, budget: &Budget) -> Result<bool> {
        match self.unknowns.get(k) {
            Some(&unknown) if !self.tableau.is_empty_rational() => Ok(self.tableau.drop_if_implied(unknown, budget)?),
            // No rational point of the context lies in the conjunction: nothing more is needed here.
            _ => Ok(true),
        }
    }

    fn restore_inequality(&mut self, k: usize, budget: &Budget) -> Result<()> {
        match self.unknowns.get(k) {
            Some(&unknown) if !self.tableau.is_empty_rational() => Ok(self.tableau.restore(unknown, budget)?),
            _ => Ok(()),
        }
    }
}

impl Relation {
    pub(crate) fn remove_redundancies(&self, budget: &Budget) -> Result<Relation> {
        if self.parts().iter().all(|part| part.facts.has(facts::IRREDUNDANT)) {
            return Ok(self.clone());
        }
        let mut result = Relation::empty(self.space.clone());
        for part in self.parts() {
            result.push(part.clone().without_redundancies(budget)?);
        }
        if result == *self {
            result = self.clone();
        }
        result.parts().iter().for_each(|part| part.facts.note(facts::IRREDUNDANT | facts::NOT_EMPTY));
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
