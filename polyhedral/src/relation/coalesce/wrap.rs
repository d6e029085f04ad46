//! Turned constraints: constraints of one polyhedron rotated around a violated one until they touch the other.
//!
//! Let `a >= 0` be a constraint of `A` that `B` violates and `c >= 0` another constraint of `A`. On the integer points of
//! `B` outside, `a <= -1`, the quotient `c / -a` has a least value `f`. Then `c + f a >= 0` holds there, and it is tight
//! somewhere. Where it holds for all of `A` and `B` it may be a facet of their common hull: it goes through the
//! intersection of the two faces of `A` and touches `B`.
//!
//! The least quotient is a linear program over the cone `{ (x, t) : x / t in B, t >= 0 }` with `a(x, t) = -1`.

use crate::arith::{Int, Row, row};
use crate::budget::Budget;
use crate::error::Result;
use crate::lp::{Optimum, Tableau};

use super::super::solved::tighten;
use super::align::Common;
use super::pair::Violated;
use super::part::System;

/// More linear programs than this are not tried for one pair.
const MAX_PROGRAMS: usize = 256;

/// All useful turned constraints of both systems, which hold in both.
pub(super) fn turned(
    a: &mut System,
    of_a: &[Violated],
    b: &mut System,
    of_b: &[Violated],
    common: &Common,
    budget: &Budget,
) -> Result<Vec<Row>> {
    let mut result = Vec::new();
    if of_a.len() * a.constraints.len() + of_b.len() * b.constraints.len() > MAX_PROGRAMS {
        return Ok(result);
    }
    let largest = |s: &System| s.constraints.iter().flat_map(|c| &c.row[1..]).map(Int::abs).max();
    let limit = largest(a).max(largest(b)).unwrap_or_default();
    turn_around(a, of_a, b, common, &limit, &mut result, budget)?;
    turn_around(b, of_b, a, common, &limit, &mut result, budget)?;
    Ok(result)
}

/// The constraints of `own` turned around those that `other` violates.
fn turn_around(
    own: &mut System,
    violated: &[Violated],
    other: &mut System,
    common: &Common,
    limit: &Int,
    result: &mut Vec<Row>,
    budget: &Budget,
) -> Result<()> {
    let n = other.n_col;
    let mut cone = Tableau::new(n);
    for c in &other.constraints {
        // The second half of an equality costs little: it holds already.
        cone.add_ineq(&homogeneous(&c.row), budget)?;
    }
    for row in &common.definitions {
        cone.add_ineq(&homogeneous(row), budget)?;
    }
    let mut last = row::zeros(n + 1);
    last[n] = Int::one();
    cone.add_ineq(&last, budget)?;
    for v in violated {
        let axis = &own.constraints[v.index];
        let mut normal = row::negated(&homogeneous(&axis.row));
        let before = cone.snapshot();
        // -a(x, t) >= t and -a(x, t) = 1.
        normal[n] -= 1;
        cone.add_ineq(&normal, budget)?;
        normal[n] += 1;
        normal[0] = Int::from(-1);
        cone.add_eq(&normal, budget)?;
        for (index, c) in own.constraints.iter().enumerate() {
            let is_violated = violated.iter().any(|w| w.index == index);
            if index == v.index || (is_violated && !axis.equality) {
                continue;
            }
            let Optimum::Bounded(quotient) = cone.minimize(&homogeneous(&c.row), budget)? else { continue };
            if quotient.is_zero() || (quotient.signum() < 0 && !axis.equality) {
                continue;
            }
            let mut row = c.row.clone();
            row::scale(&mut row, quotient.denominator());
            row::add_scaled(&mut row, quotient.numerator(), &axis.row);
            tighten(&mut row);
            let small = row[1..].iter().all(|x| x.cmp_abs(limit).is_le());
            if small
                && !row::all_zero(&row[1..])
                && !result.contains(&row)
                && other.tableau.is_implied(&row, budget)?
                && own.tableau.is_implied(&row, budget)?
            {
                result.push(row);
            }
        }
        cone.rollback(before);
    }
    Ok(())
}

/// The row over `(x, t)` that is `t` times the row at `x / t`.
fn homogeneous(row: &Row) -> Row {
    let mut result = row.clone();
    let constant = std::mem::take(&mut result[0]);
    result.push(constant);
    result
}
