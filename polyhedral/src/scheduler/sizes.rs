//! The extent of a set in each direction: how far two points can be apart that agree in all other coordinates.
//!
//! A row `c_i x_i + c_j x_j` with `|c_i|` as large as the extent in direction `j` numbers the points of both
//! directions one by one: it *coalesces* two loops into one. Rows are kept from doing so by bounds on the quotient.
//!
//! Source: S. Verdoolaege, G. Janssens, *Scheduling for PPCG*, 2017, section 7.5.

use crate::arith::{Int, Row};
use crate::budget::Budget;
use crate::error::Result;
use crate::lp;
use crate::relation::{Set, negated};
use crate::space::DimKind;

/// The greatest difference in every dimension between two points that agree in the others; nothing where there is no
/// bound that holds for all parameter values. A union is replaced by a convex superset. Exact for one conjunction over
/// the integers, up to divisions and existentials, which may differ between the two points.
pub(super) fn sizes(set: &Set, budget: &Budget) -> Result<Vec<Option<Int>>> {
    let d = set.space().dim(DimKind::Out);
    let hull = if set.conjunctions().len() > 1 { set.simple_hull(budget)? } else { set.clone() };
    let [c] = hull.conjunctions() else { return Ok(vec![None; d]) };
    let first = set.space().offset(DimKind::Out);
    let ineqs = c.solver_ineqs();
    let mut result = Vec::with_capacity(d);
    for k in 0..d {
        let column = first + k;
        // Without a constant among the bounds in both directions there is no constant extent; that is seen at once
        // where every lower bound grows with a parameter or coordinate that no upper bound involves.
        if c.eqs().iter().any(|e| !e[column].is_zero() && c.n_local() == 0) {
            result.push(Some(Int::zero()));
            continue;
        }
        let bounds: Vec<&Row> = ineqs.iter().filter(|r| !r[column].is_zero()).collect();
        if !bounds.iter().any(|r| r[column].is_positive()) || !bounds.iter().any(|r| r[column].is_negative()) {
            result.push(None);
            continue;
        }
        // Two copies of the constraints that share everything but the column and the locals.
        let n_local = c.n_local();
        let n = c.n_col() - 1 + 1 + n_local;
        let shifted = |row: &Row| {
            let mut copy = row.clone();
            copy.resize(n + 1, Int::zero());
            copy[c.n_col()] = std::mem::take(&mut copy[column]);
            for j in 0..n_local {
                let x = std::mem::take(&mut copy[c.space().n_col() + j]);
                copy[c.n_col() + 1 + j] = x;
            }
            copy
        };
        let plain = |row: &Row| {
            let mut copy = row.clone();
            copy.resize(n + 1, Int::zero());
            copy
        };
        let eqs: Vec<Row> = c.eqs().iter().map(plain).chain(c.eqs().iter().map(shifted)).collect();
        let all: Vec<Row> =
            ineqs.iter().map(plain).chain(bounds_or_all(n_local, &ineqs, &bounds).map(shifted)).collect();
        let mut difference: Row = (0..=n).map(|_| Int::zero()).collect();
        difference[c.n_col()] = Int::one();
        difference[column] = Int::from(-1);
        let least = lp::min_integer(n, &eqs, &all, &negated(&difference), budget)?;
        result.push(match least {
            lp::IntOptimum::Bounded(value) => Some(-value),
            _ => None,
        });
    }
    Ok(result)
}

/// The constraints that the second copy needs: those that involve the column; all, if locals are copied too.
fn bounds_or_all<'a>(n_local: usize, all: &'a [Row], bounds: &'a [&'a Row]) -> Box<dyn Iterator<Item = &'a Row> + 'a> {
    if n_local > 0 { Box::new(all.iter()) } else { Box::new(bounds.iter().copied()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<Option<i64>> {
        let budget = Budget::unlimited();
        let found = sizes(&Set::parse(text, &budget).unwrap(), &budget).unwrap();
        found.into_iter().map(|size| size.and_then(|s| s.to_i64())).collect()
    }

    /// AC-28: the set (99) as printed, and the one that is meant.
    #[test]
    fn ac_28_sizes() {
        assert_eq!(of("{ [x, y] : x >= 0 and x <= y and x + y <= 100 }"), [Some(50), Some(100)]);
        assert_eq!(of("{ [x, y] : y >= 0 and y <= x and x + y <= 100 }"), [Some(100), Some(50)]);
    }

    #[test]
    fn sizes_must_hold_for_all_parameters() {
        assert_eq!(of("[n] -> { [x, y] : 0 <= x < n and 0 <= y < 10 }"), [None, Some(9)]);
        assert_eq!(of("[n] -> { [x, y] : 0 <= x < n and n <= 10 and x <= y <= x + 3 }"), [Some(3), Some(3)]);
        assert_eq!(of("{ [x] : 0 <= x < 4; [x] : 10 <= x < 20 }"), [Some(19)]);
        assert_eq!(of("{ [x, y] : x = 2y and 0 <= y < 7 }"), [Some(0), Some(0)]);
    }
}
