//! Residue classes of one expression that are no neighbours, but are those of a multiple of the expression.
//!
//! If one part has `f = r` and the other `f = s` modulo `d`, and `r - s` has no common divisor with `d`, then some multiple
//! `u f` is in neighbouring classes: `u (s - r) = 1` modulo `d`. As `u` is invertible, `u f = u r` modulo `d` says the same
//! as `f = r`. So the strides are written with `floor(u f / d)`, and both classes together are `0 <= u f - d q - k <= 1`.

use crate::arith::{Int, Row, row};
use crate::budget::Budget;
use crate::error::Result;

use super::super::conjunction::{Conjunction, Div};
use super::super::solved::Solved;
use super::part::{Part, multiple_of};

/// Both parts with one stride each rewritten such that the classes are neighbours; nothing if no stride allows that.
pub(super) fn adjacent_classes(a: &Part, b: &Part, budget: &Budget) -> Result<Option<(Part, Part)>> {
    let (left, right) = (a.work(), b.work());
    let base = left.space.n_col();
    for (k, div) in left.locals.iter().enumerate() {
        let Some(div) = div.as_ref().filter(|d| row::all_zero(&d.row[base..]) && d.den > Int::from(2)) else {
            continue;
        };
        let same = |d: &Option<Div>| {
            d.as_ref().is_some_and(|d| {
                d.den == div.den && d.row[1..base] == div.row[1..base] && row::all_zero(&d.row[base..])
            })
        };
        let Some(l) = right.locals.iter().position(same) else { continue };
        let (Some(r), Some(s)) = (class(left, k), class(right, l)) else { continue };
        let d = &div.den;
        let (gcd, inverse, _) = (&s - &r).rem_floor(d).gcd_ext(d);
        if !gcd.is_one() || (&s - &r).is_unit() {
            continue;
        }
        let mut unit = inverse.rem_floor(d);
        if (&unit * &r).rem_floor(d) == d - 1 {
            // The classes d - 1 and 0 are 1 and 0 of the negated expression.
            unit = d - &unit;
        }
        let (Some(first), Some(second)) = (multiplied(left, k, &r, &unit), multiplied(right, l, &s, &unit)) else {
            continue;
        };
        return Ok(Part::new(first, budget)?.zip(Part::new(second, budget)?));
    }
    Ok(None)
}

/// The class of the numerator of division `k` without its constant, where the equalities determine it: in `0..d`.
fn class(c: &Conjunction, k: usize) -> Option<Int> {
    let div = c.div(k)?;
    let mut form = div.row.clone();
    form[0] = Int::zero();
    form.resize(c.n_col(), Int::zero());
    let (_, residue) = multiple_of(&Solved::of(c.space.n_col(), &c.eqs), &form, &div.den)?;
    Some(residue.rem_floor(&div.den))
}

/// The conjunction with the equality that says that the numerator of division `k` is `r` modulo the denominator replaced by
/// the same of `unit` times the numerator; nothing if the division has other uses.
fn multiplied(c: &Conjunction, k: usize, r: &Int, unit: &Int) -> Option<Conjunction> {
    let column = c.local_column(k);
    let d = c.div(k)?.den.clone();
    let uses = |row: &Row| !row[column].is_zero();
    let mut equalities = (0..c.eqs.len()).filter(|&e| uses(&c.eqs[e]));
    let (Some(e), None) = (equalities.next(), equalities.next()) else { return None };
    let divs = c.locals.iter().flatten().any(|div| div.row.get(column).is_some_and(|x| !x.is_zero()));
    if divs || c.ineqs.iter().any(uses) || c.eqs[e][column].abs() != d {
        return None;
    }
    // The equality must be that of the stride: numerator - r' = d q. As it holds somewhere, it says that the numerator is r'
    // modulo d, and nothing else.
    let sign = if c.eqs[e][column].is_negative() { Int::one() } else { Int::from(-1) };
    let numerator = &c.div(k)?.row;
    let base = c.space.n_col();
    let is_stride = (1..base).all(|j| &c.eqs[e][j] * &sign == numerator[j])
        && d.divides(&(&c.eqs[e][0] * &sign + r))
        && c.eqs[e][base..].iter().enumerate().all(|(l, x)| l == k || x.is_zero());
    if !is_stride {
        return None;
    }
    let mut form = row::zeros(c.n_col());
    for j in 1..base {
        let x = (&numerator[j] * unit).rem_floor(&d);
        form[j] = if &x + &x > d { x - &d } else { x };
    }
    let mut eq = form.clone();
    eq[column] = -d.clone();
    eq[0] = -(unit * r).rem_floor(&d);
    let mut result = c.clone();
    result.locals[k] = Some(Div { row: form, den: d });
    result.eqs[e] = eq;
    Some(result)
}
