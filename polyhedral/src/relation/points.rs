//! Enumeration of the points of bounded sets in lexicographic order.

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::lp::{self, IntOptimum};

use super::{Conjunction, Set};

/// The error for infinitely many points.
pub(crate) fn unbounded() -> Error {
    Error::OutOfRange { operation: "count", what: "there are infinitely many points".into() }
}

impl Set {
    /// Calls `f` with every point `[params | dims]` of a bounded set, in lexicographic order, each once, until it
    /// returns an error or `false`. An error if the set has infinitely many points. The parameters are enumerated like
    /// dimensions: fix them first. Cost: an integer program per bound of each coordinate, for every prefix of a point.
    ///
    /// ```
    /// use tessera_polyhedral::budget::Budget;
    /// use tessera_polyhedral::relation::Set;
    /// let budget = Budget::new(10_000_000);
    /// let set = Set::parse("{ [i, j] : 0 <= i <= 2 and 2j = i }", &budget)?;
    /// let mut points = Vec::new();
    /// set.foreach_point(&budget, |p| { points.push(format!("{p:?}")); Ok(true) })?;
    /// assert_eq!(points, ["[0, 0]", "[2, 1]"]);
    /// # Ok::<(), tessera_polyhedral::Error>(())
    /// ```
    pub fn foreach_point(&self, budget: &Budget, mut f: impl FnMut(&[Int]) -> Result<bool>) -> Result<()> {
        let mut parts = Vec::new();
        for part in self.conjunctions() {
            if !part.is_empty(budget)? {
                parts.push(part.clone());
            }
        }
        let mut point = Vec::with_capacity(self.space().n_col() - 1);
        enumerate(&parts, &mut point, budget, &mut f)?;
        Ok(())
    }

    /// All points `[params | dims]` of a bounded set, in lexicographic order. An error if there are infinitely many.
    /// See [`Set::foreach_point`]; every point also costs one unit per coordinate.
    pub fn points(&self, budget: &Budget) -> Result<Vec<Vec<Int>>> {
        let mut result = Vec::new();
        self.foreach_point(budget, |point| {
            budget.spend(1 + point.len() as u64)?;
            result.push(point.to_vec());
            Ok(true)
        })?;
        Ok(result)
    }

    /// The set of one of the points; empty if there are none. Exact, deterministic.
    pub fn sample_set(&self, budget: &Budget) -> Result<Set> {
        match self.sample(budget)? {
            Some(point) => Set::from_point(self.space(), &point),
            None => Ok(Set::empty(self.space().clone())),
        }
    }
}

/// Enumerates the points that begin with the given coordinates; `parts` are not empty and fixed to them. Whether to go
/// on.
fn enumerate(
    parts: &[Conjunction],
    point: &mut Vec<Int>,
    budget: &Budget,
    f: &mut impl FnMut(&[Int]) -> Result<bool>,
) -> Result<bool> {
    let Some(first) = parts.first() else { return Ok(true) };
    let column = point.len() + 1;
    if column == first.space().n_col() {
        return f(point);
    }
    let mut range: Option<(Int, Int)> = None;
    let mut ranges = Vec::with_capacity(parts.len());
    for part in parts {
        let ineqs = part.solver_ineqs();
        let mut objective = crate::arith::row::zeros(part.n_col());
        objective[column] = Int::one();
        let n = part.n_col() - 1;
        let (IntOptimum::Bounded(low), IntOptimum::Bounded(high)) = (
            lp::min_integer(n, part.eqs(), &ineqs, &objective, budget)?,
            lp::max_integer(n, part.eqs(), &ineqs, &objective, budget)?,
        ) else {
            return Err(unbounded());
        };
        range = Some(match range {
            None => (low.clone(), high.clone()),
            Some((a, b)) => (a.min(low.clone()), b.max(high.clone())),
        });
        ranges.push((low, high));
    }
    let Some((mut value, last)) = range else { return Ok(true) };
    while value <= last {
        budget.spend(1 + parts.len() as u64)?;
        let mut fixed = Vec::new();
        for (part, (low, high)) in parts.iter().zip(&ranges) {
            if *low <= value && value <= *high {
                let mut part = part.clone();
                let mut eq = crate::arith::row::zeros(part.n_col());
                eq[column] = Int::from(-1);
                eq[0] = value.clone();
                part.add_eq(eq);
                let part = part.simplify();
                if !part.is_empty(budget)? {
                    fixed.push(part);
                }
            }
        }
        point.push(value.clone());
        let go_on = enumerate(&fixed, point, budget, f)?;
        point.pop();
        if !go_on {
            return Ok(false);
        }
        value += 1;
    }
    Ok(true)
}
