//! Difference, inclusion, equality and disjointness of unions of conjunctions.
//!
//! `A \ B` for two conjunctions: the constraints `r` of `B` that `A` does not imply are taken in turn, and each gives
//! the piece of what is left of `A` where `r` fails. One simplex tableau follows what is left, so most questions
//! (implied? disjoint? is there a piece?) cost a few pivots. Only where its sample point is not an integer point an
//! integer program decides. The conjunctions that are taken away must not have existentials; those are made explicit
//! first.

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::Result;
use crate::lp::{self, Tableau};

use super::Relation;
use super::conjunction::Conjunction;
use super::row::{self, Row};

impl Conjunction {
    /// The tableau of all constraints, those of the known divisions included.
    pub(super) fn tableau(&self, budget: &Budget) -> Result<Tableau> {
        let mut tableau = Tableau::new(self.n_col() - 1);
        for row in &self.eqs {
            tableau.add_eq(row, budget)?;
        }
        for row in &self.ineqs {
            tableau.add_ineq(row, budget)?;
        }
        for row in (0..self.locals.len()).filter_map(|k| self.div_rows(k)).flatten() {
            tableau.add_ineq(&row, budget)?;
        }
        Ok(tableau)
    }

    /// Whether there is an integer point, given the tableau of the constraints.
    pub(super) fn has_point(&self, tableau: &Tableau, budget: &Budget) -> Result<bool> {
        Ok(!tableau.is_empty_rational() && (tableau.has_integer_sample() || !self.is_empty(budget)?))
    }

    /// `self` with the divisions of `other`, its tableau, and the constraints of `other` (each `>= 0`) that do not
    /// follow from it for a rational reason.
    fn confront(&self, other: &Conjunction, budget: &Budget) -> Result<(Conjunction, Tableau, Vec<Row>)> {
        budget.spend(self.weight() + other.weight())?;
        let (joined, eqs, ineqs) = self.joined(other);
        let mut tableau = joined.tableau(budget)?;
        let mut open = Vec::new();
        let opposite: Vec<Row> = eqs.iter().map(|r| row::negated(r)).collect();
        for row in eqs.into_iter().chain(opposite).chain(ineqs) {
            if !follows(&mut tableau, &row, budget)? {
                open.push(row);
            }
        }
        Ok((joined, tableau, open))
    }

    /// Whether all points lie in `other`, which must have no existentials.
    pub(super) fn is_inside(&self, other: &Conjunction, budget: &Budget) -> Result<bool> {
        let (mut joined, mut tableau, open) = self.confront(other, budget)?;
        for row in open {
            let outside = row::complement(&row);
            let snapshot = tableau.snapshot();
            tableau.add_ineq(&outside, budget)?;
            joined.ineqs.push(outside);
            if joined.has_point(&tableau, budget)? {
                return Ok(false);
            }
            joined.ineqs.pop();
            tableau.rollback(snapshot);
        }
        Ok(true)
    }

    /// The points outside `other`, which must have no existentials, as disjoint conjunctions, none of them empty.
    /// Nothing if the two are disjoint: then they are all points of `self`.
    pub(super) fn outside(&self, other: &Conjunction, budget: &Budget) -> Result<Option<Vec<Conjunction>>> {
        let (mut rest, mut tableau, open) = self.confront(other, budget)?;
        let snapshot = tableau.snapshot();
        for row in &open {
            tableau.add_ineq(row, budget)?;
        }
        let n = rest.ineqs.len();
        rest.ineqs.extend(open.iter().cloned());
        let meets = rest.has_point(&tableau, budget)?;
        rest.ineqs.truncate(n);
        if !meets {
            return Ok(None);
        }
        tableau.rollback(snapshot);
        let mut pieces = Vec::new();
        for row in open {
            let outside = row::complement(&row);
            let snapshot = tableau.snapshot();
            tableau.add_ineq(&outside, budget)?;
            if !tableau.is_empty_rational() {
                let mut piece = rest.clone();
                piece.ineqs.push(outside);
                budget.spend(piece.weight())?;
                let piece = piece.simplify();
                if piece.has_point(&tableau, budget)? {
                    pieces.push(piece);
                }
            }
            tableau.rollback(snapshot);
            tableau.add_ineq(&row, budget)?;
            rest.ineqs.push(row);
        }
        Ok(Some(pieces))
    }

    /// Whether the two have no point in common.
    pub(super) fn is_apart(&self, other: &Conjunction, budget: &Budget) -> Result<bool> {
        budget.spend(self.weight() + other.weight())?;
        let (joined, eqs, ineqs) = self.joined(other);
        let (n, mut all) = (joined.n_col() - 1, joined.solver_ineqs());
        all.extend(ineqs);
        let eqs: Vec<Row> = joined.eqs.into_iter().chain(eqs).collect();
        Ok(lp::is_empty_integer(n, &eqs, &all, budget)?)
    }
}

/// Whether `row >= 0` holds at all integer points of a tableau for a rational reason: `row > -1` at all rational
/// points.
fn follows(tableau: &mut Tableau, row: &Row, budget: &Budget) -> Result<bool> {
    let mut above = row.clone();
    above[0] += Int::one();
    Ok(tableau.is_positive(&above, budget)?)
}

/// What is left of some disjoint parts outside of others, which must have no existentials.
fn remove(mut parts: Vec<Conjunction>, others: &[Conjunction], budget: &Budget) -> Result<Vec<Conjunction>> {
    for other in others {
        let mut next = Vec::with_capacity(parts.len());
        for part in parts {
            match part.outside(other, budget)? {
                Some(pieces) => next.extend(pieces),
                None => next.push(part),
            }
        }
        parts = next;
    }
    Ok(parts)
}

/// Whether all points of a conjunction lie in the union of others, which must have no existentials.
fn is_covered(part: &Conjunction, others: &[Conjunction], budget: &Budget) -> Result<bool> {
    if others.is_empty() {
        return Ok(part.is_empty(budget)?);
    }
    for other in others {
        if part.is_inside(other, budget)? {
            return Ok(true);
        }
    }
    Ok(others.len() > 1 && remove(vec![part.clone()], others, budget)?.is_empty())
}

impl Relation {
    pub(crate) fn subtract(&self, other: &Relation, budget: &Budget) -> Result<Relation> {
        let (left, right) = self.aligned_same("subtract", other)?;
        let right = right.make_divs_explicit(budget)?;
        let mut result = Relation::empty(left.space.clone());
        for part in remove(left.clone().into_parts(), right.parts(), budget)? {
            result.push(part);
        }
        Ok(result.or_same(&left))
    }

    pub(crate) fn is_subset(&self, other: &Relation, budget: &Budget) -> Result<bool> {
        if !self.space.has_equal_tuples(&other.space) {
            return self.is_empty(budget);
        }
        let (left, right) = self.aligned(other);
        let mut explicit = None;
        for part in left.parts() {
            if right.parts.contains(part) {
                continue;
            }
            let right = match &explicit {
                Some(right) => right,
                None => explicit.insert(right.make_divs_explicit(budget)?),
            };
            if !is_covered(part, right.parts(), budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(crate) fn is_equal(&self, other: &Relation, budget: &Budget) -> Result<bool> {
        if !self.space.has_equal_tuples(&other.space) {
            return Ok(false);
        }
        Ok(self == other || (self.is_subset(other, budget)? && other.is_subset(self, budget)?))
    }

    pub(crate) fn is_disjoint(&self, other: &Relation, budget: &Budget) -> Result<bool> {
        if !self.space.has_equal_tuples(&other.space) {
            return Ok(true);
        }
        let (left, right) = self.aligned(other);
        for a in left.parts() {
            for b in right.parts() {
                if !a.is_apart(b, budget)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
