//! The extreme values of a quasi-affine function on a relation without domain.

use crate::arith::{Rational, Row, row};
use crate::budget::Budget;
use crate::error::Result;
use crate::lp::{self, IntOptimum, Optimum};
use crate::relation::{Conjunction, Relation, mismatch};

use super::Aff;
use super::lexopt::Sense;

/// Both with the same parameters, after the check that the function is one of the points (or of the parameters).
fn aligned(set: &Relation, aff: &Aff) -> Result<(Relation, Aff)> {
    if !set.space().has_equal_tuples(aff.space()) && !aff.space().is_params() {
        return Err(mismatch("optimise", set.space(), aff.space()));
    }
    let set = set.align_params(&set.space().align_params(aff.space()));
    let aff = aff.align_params(set.space());
    Ok((set, aff))
}

/// A conjunction with the divisions of an expression, and the numerator (for a maximum: negated) over its columns.
fn with_objective(part: &Conjunction, aff: &Aff, sense: Sense) -> (Conjunction, Row) {
    let arguments = aff.space().n_col();
    let mut c = part.clone();
    let shift = c.n_col();
    let mut map: Vec<usize> = (0..arguments).collect();
    map.extend((0..aff.divs().len()).map(|k| shift + k));
    for (k, div) in aff.divs().iter().enumerate() {
        c.add_div(row::remap(&div.row, &map[..arguments + k], shift + k), div.den.clone());
    }
    let objective = row::remap(aff.row(), &map, c.n_col());
    (c, if sense == Sense::Max { row::negated(&objective) } else { objective })
}

/// The least (or greatest) floor of a function.
pub(super) fn extremum(set: &Relation, aff: &Aff, sense: Sense, budget: &Budget) -> Result<IntOptimum> {
    let (set, aff) = aligned(set, aff)?;
    let aff = aff.floor();
    let mut best = IntOptimum::Empty;
    for part in set.parts() {
        let (c, objective) = with_objective(part, &aff, sense);
        let value = match lp::min_integer(c.n_col() - 1, c.eqs(), &c.solver_ineqs(), &objective, budget)? {
            IntOptimum::Bounded(value) if sense == Sense::Max => IntOptimum::Bounded(-value),
            other => other,
        };
        best = better(best, value, sense);
        if best == IntOptimum::Unbounded {
            break;
        }
    }
    Ok(best)
}

/// The optimum over the union of two sets from the optima over each.
pub(super) fn better(a: IntOptimum, b: IntOptimum, sense: Sense) -> IntOptimum {
    match (a, b) {
        (IntOptimum::Unbounded, _) | (_, IntOptimum::Unbounded) => IntOptimum::Unbounded,
        (IntOptimum::Empty, other) | (other, IntOptimum::Empty) => other,
        (IntOptimum::Bounded(a), IntOptimum::Bounded(b)) => {
            IntOptimum::Bounded(if sense == Sense::Min { a.min(b) } else { a.max(b) })
        }
    }
}

/// The least (or greatest) value of a function over the rational points.
pub(super) fn rational_extremum(set: &Relation, aff: &Aff, sense: Sense, budget: &Budget) -> Result<Optimum> {
    let (set, aff) = aligned(set, aff)?;
    let mut best: Option<Rational> = None;
    for part in set.parts() {
        let (c, objective) = with_objective(part, &aff, sense);
        let mut tableau = lp::Tableau::from_system(c.n_col() - 1, c.eqs(), &c.solver_ineqs(), budget)?;
        match tableau.minimize(&objective, budget)? {
            Optimum::Empty => {}
            Optimum::Unbounded => return Ok(Optimum::Unbounded),
            Optimum::Bounded(value) => best = Some(best.map_or(value.clone(), |b| b.min(value))),
        }
    }
    let Some(value) = best else { return Ok(Optimum::Empty) };
    let value = &value / &Rational::from(aff.denominator().clone());
    Ok(Optimum::Bounded(if sense == Sense::Max { -&value } else { value }))
}
