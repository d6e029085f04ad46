//! Smaller descriptions of the same points: redundant constraints, and constraints that a context makes superfluous.
//!
//! A constraint is dropped if it follows from the others for a rational reason: the others keep its row above -1. All
//! constraints of a conjunction are in one simplex tableau (with a context: one for each conjunction of the context),
//! from which they are dropped one by one; so the cost is a few pivots per constraint.

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

    /// The constraints of `self` that are needed inside the union of some contexts over the same space. Plainly empty
    /// if `self` has no point in any of them.
    fn gist(&self, contexts: &[Conjunction], budget: &Budget) -> Result<Conjunction> {
        let mut frames = Vec::with_capacity(contexts.len());
        for context in contexts {
            frames.push(Frame::new(self, context, budget)?);
        }
        if frames.iter().all(|frame| matches!(frame, Frame::Apart(_))) {
            return Ok(Conjunction::empty(self.space.clone()));
        }
        let mut needed = Vec::with_capacity(self.eqs.len() + self.ineqs.len());
        for k in 0..self.eqs.len() + self.ineqs.len() {
            if k == self.eqs.len() {
                for frame in &mut frames {
                    frame.fix_equalities(budget)?;
                }
            }
            let mut dropped = 0;
            while dropped < frames.len() && frames[dropped].drop_constraint(k, budget)? {
                dropped += 1;
            }
            needed.push(dropped < frames.len());
            if dropped < frames.len() {
                for frame in &mut frames[..dropped] {
                    frame.restore_constraint(k, budget)?;
                }
            }
        }
        let mut result = self.clone();
        let mut needed = needed.into_iter();
        result.eqs.retain(|_| needed.next() == Some(true));
        result.ineqs.retain(|_| needed.next() == Some(true));
        Ok(result.simplify())
    }
}

/// One context with the constraints of a conjunction in it; the equalities count before the inequalities.
enum Frame {
    /// The two have a point in common: a constraint can go if the rest implies it.
    Meeting(Meeting),
    /// They have none: a constraint can go if the rest still has no point in the context.
    Apart(Apart),
}

struct Meeting {
    /// The equalities of the conjunction over the columns of both, and whether each is still in the system.
    eqs: Vec<Row>,
    present: Vec<bool>,
    /// The unknowns of its inequalities.
    unknowns: Vec<usize>,
    tableau: Tableau,
}

struct Apart {
    /// The number of variables, and the constraints of the context.
    n_var: usize,
    eqs: Vec<Row>,
    ineqs: Vec<Row>,
    /// The constraints of the conjunction, `n_eq` of them equalities, and whether each is still in the system.
    own: Vec<Row>,
    n_eq: usize,
    present: Vec<bool>,
}

impl Frame {
    fn new(own: &Conjunction, context: &Conjunction, budget: &Budget) -> Result<Frame> {
        let apart = own.is_apart(context, budget)?;
        let (joined, eqs, ineqs) = context.joined(own);
        let (n_var, definitions) = (joined.n_col() - 1, joined.solver_ineqs());
        if apart {
            let n_eq = eqs.len();
            let own: Vec<Row> = eqs.into_iter().chain(ineqs).collect();
            let present = vec![true; own.len()];
            return Ok(Frame::Apart(Apart { n_var, eqs: joined.eqs, ineqs: definitions, own, n_eq, present }));
        }
        let (n_own, mut rows) = (ineqs.len(), ineqs);
        rows.extend(definitions);
        let (tableau, mut unknowns) = lp::tableau_with_unknowns(n_var, &joined.eqs, &rows, budget)?;
        unknowns.truncate(n_own);
        Ok(Frame::Meeting(Meeting { present: vec![true; eqs.len()], eqs, unknowns, tableau }))
    }

    /// Whether constraint `k` can go. If so it is left out from now on.
    fn drop_constraint(&mut self, k: usize, budget: &Budget) -> Result<bool> {
        match self {
            Frame::Meeting(meeting) => match k.checked_sub(meeting.eqs.len()) {
                None => meeting.drop_equality(k, budget),
                Some(k) => Ok(meeting.tableau.drop_if_implied(meeting.unknowns[k], budget)?),
            },
            Frame::Apart(apart) => {
                apart.present[k] = false;
                let stays = apart.is_empty(budget)?;
                apart.present[k] = !stays;
                Ok(stays)
            }
        }
    }

    /// Puts a constraint back that was dropped last.
    fn restore_constraint(&mut self, k: usize, budget: &Budget) -> Result<()> {
        match self {
            Frame::Meeting(meeting) => match k.checked_sub(meeting.eqs.len()) {
                None => meeting.present[k] = true,
                Some(k) => meeting.tableau.restore(meeting.unknowns[k], budget)?,
            },
            Frame::Apart(apart) => apart.present[k] = true,
        }
        Ok(())
    }

    /// From now on only inequalities are looked at.
    fn fix_equalities(&mut self, budget: &Budget) -> Result<()> {
        if let Frame::Meeting(meeting) = self {
            for (eq, _) in meeting.eqs.iter().zip(&meeting.present).filter(|(_, present)| **present) {
                meeting.tableau.add_eq(eq, budget)?;
            }
        }
        Ok(())
    }
}

impl Meeting {
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
}

impl Apart {
    /// Whether the context has no integer point that satisfies the constraints that are still there.
    fn is_empty(&self, budget: &Budget) -> Result<bool> {
        let (mut eqs, mut ineqs) = (self.eqs.clone(), self.ineqs.clone());
        for (k, row) in self.own.iter().enumerate().filter(|(k, _)| self.present[*k]) {
            if k < self.n_eq { eqs.push(row.clone()) } else { ineqs.push(row.clone()) }
        }
        budget.spend((eqs.len() + ineqs.len()) as u64)?;
        Ok(lp::is_empty_integer(self.n_var, &eqs, &ineqs, budget)?)
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

    /// Without redundant constraints if there are several parts, or existentials or divisions, whose elimination leaves
    /// many of them behind. What is as plain as a user writes it stays as it is.
    pub(crate) fn without_redundancies_of_parts(&self, budget: &Budget) -> Result<Relation> {
        if self.parts.len() <= 1 && self.parts().iter().all(|part| part.locals.is_empty()) {
            return Ok(self.clone());
        }
        self.remove_redundancies(budget)
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
        Ok(result.or_same(&left))
    }
}
