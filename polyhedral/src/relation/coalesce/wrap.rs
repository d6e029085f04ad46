//! Turned constraints: constraints of one polyhedron rotated around a violated one until they touch the other.
//!
//! Let `a >= 0` be a constraint of `A` that `B` violates and `c >= 0` another constraint of `A`. On the integer points
//! of `B` outside, `a <= -1`, the quotient `c / -a` has a least value `f`. Then `c + f a >= 0` holds there, and it is
//! tight somewhere. Where it holds for all of `A` and `B` it may be a facet of their common hull: it goes through the
//! intersection of the two faces of `A` and touches `B`.
//!
//! The least quotient is a linear program over the cone `{ (x, t) : x / t in B, t >= 0 }` with `a(x, t) = -1`.
//!
//! Where `a = 0` in all of `A` and `a = -1` in all of `B`, `f` is the least value of `c`, an integer, and the
//! constraints turned like this are the common hull ([`between_layers`]).

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

/// All useful turned constraints of both systems, which hold in both; none if they cannot exclude a given point.
///
/// One part must be thin outside the other: all that it violates, it violates by one. Other pairs are not tried: their
/// union hardly ever has a facet that neither part has.
pub(super) fn turned(
    a: &mut System,
    of_a: &[Violated],
    b: &mut System,
    of_b: &[Violated],
    common: &Common,
    outside: Option<&[Int]>,
    budget: &Budget,
) -> Result<Vec<Row>> {
    let mut result = Vec::new();
    let thin = |list: &[Violated]| list.iter().all(Violated::is_just_outside);
    if !thin(of_a) && !thin(of_b) {
        return Ok(result);
    }
    if of_a.len() * a.constraints.len() + of_b.len() * b.constraints.len() > MAX_PROGRAMS {
        return Ok(result);
    }
    if let Some(point) = outside
        && is_between(point, a, b, common, budget)?
    {
        return Ok(result);
    }
    let limit = largest_coefficient(a, b);
    turn_around(a, of_a, b, common, &limit, &mut result, budget)?;
    turn_around(b, of_b, a, common, &limit, &mut result, budget)?;
    Ok(result)
}

fn largest_coefficient(a: &System, b: &System) -> Int {
    let rows = a.constraints.iter().chain(&b.constraints).map(|c| &c.row);
    rows.flat_map(|row| &row[1..]).map(Int::abs).max().unwrap_or_default()
}

/// For parts on neighbouring layers of one form, all constraints that both violate, turned around their layer; nothing
/// for other parts, or if a turned constraint does not exist or has too large coefficients.
pub(super) fn between_layers(a: &System, of_a: &[Violated], b: &System, of_b: &[Violated]) -> Option<Vec<Row>> {
    let axes = |list: &[Violated], own: &System| {
        let mut equalities = list.iter().filter(|v| own.constraints[v.index].equality);
        equalities.find(|v| v.is_just_outside()).map(|v| v.index)
    };
    let (first, second) = (axes(of_a, a)?, axes(of_b, b)?);
    let (axis, opposite) = (&a.constraints[first].row, &b.constraints[second].row);
    if axis[1..].iter().zip(&opposite[1..]).any(|(x, y)| !(x + y).is_zero()) || &axis[0] + &opposite[0] != Int::from(-1)
    {
        return None;
    }
    let limit = largest_coefficient(a, b);
    let turned = |(v, own, axis): (&Violated, &System, &Row)| {
        let mut row = own.constraints[v.index].row.clone();
        row::add_scaled(&mut row, v.least.as_ref()?, axis);
        tighten(&mut row);
        row[1..].iter().all(|x| x.cmp_abs(&limit).is_le()).then_some(row)
    };
    let of_a = of_a.iter().filter(|v| v.index != first).map(|v| (v, a, axis));
    let of_b = of_b.iter().filter(|v| v.index != second).map(|v| (v, b, opposite));
    of_a.chain(of_b).map(turned).collect()
}

/// Whether no constraint that holds in both systems can exclude a point: it is in the closure of the convex hull of
/// both, that is, the sum of a point of `t` times `a` and one of `1 - t` times `b` for some `0 <= t <= 1` (for 0, a
/// direction in which the polyhedron goes on for ever).
fn is_between(point: &[Int], a: &System, b: &System, common: &Common, budget: &Budget) -> Result<bool> {
    let n = a.n_col;
    let mut pairs = Tableau::new(n);
    // The variables are `x` and `t`; the other summand is `point - x` and `1 - t`.
    let other = |row: &Row| {
        let mut result = row::negated(&homogeneous(row));
        result[0] = row::eval(row, point);
        result
    };
    let mut t = row::zeros(n + 1);
    t[n] = Int::one();
    pairs.add_ineq(&t, budget)?;
    t = row::negated(&t);
    t[0] = Int::one();
    pairs.add_ineq(&t, budget)?;
    let first = a.constraints.iter().map(|c| &c.row).chain(&common.definitions).map(homogeneous);
    let second = b.constraints.iter().map(|c| &c.row).chain(&common.definitions).map(other);
    for row in first.chain(second) {
        pairs.add_ineq(&row, budget)?;
        if pairs.is_empty_rational() {
            return Ok(false);
        }
    }
    Ok(true)
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
    // Around an equality the other part may reach any distance: the constraint that comes back is one of the other part
    // that this one knows only modulo the equality.
    let is_axis = |v: &&Violated, own: &System| v.is_just_outside() || own.constraints[v.index].equality;
    if !violated.iter().any(|v| is_axis(&v, own)) {
        return Ok(());
    }
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
    let axes: Vec<&Violated> = violated.iter().filter(|v| is_axis(v, own)).collect();
    for v in axes {
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
            let turning = homogeneous(&c.row);
            // Most constraints end here, with few pivots: the quotient would not be positive, or the coefficients of
            // the turned constraint would be too large.
            let possible = if axis.equality {
                let mut above = turning.clone();
                above[0] += Int::from(2) * limit;
                cone.is_implied(&above, budget)?
            } else {
                cone.is_positive(&turning, budget)?
            };
            if !possible {
                continue;
            }
            let Optimum::Bounded(quotient) = cone.minimize(&turning, budget)? else { continue };
            if quotient.is_zero() {
                continue;
            }
            let turned = |numerator: &Int, denominator: &Int| {
                let mut row = c.row.clone();
                row::scale(&mut row, denominator);
                row::add_scaled(&mut row, numerator, &axis.row);
                tighten(&mut row);
                row[1..].iter().all(|x| x.cmp_abs(limit).is_le()).then_some(row)
            };
            // A whole quotient below gives a weaker constraint with smaller coefficients. Around an equality this is
            // how a constraint comes back that one part has only modulo its equality.
            let row = turned(quotient.numerator(), quotient.denominator())
                .or_else(|| Some(quotient.floor()).filter(|f| !f.is_zero()).and_then(|f| turned(&f, &Int::one())));
            let Some(row) = row else { continue };
            if !row::all_zero(&row[1..])
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
