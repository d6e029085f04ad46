//! Residue classes of one expression that are no neighbours, but are those of a multiple of the expression.
//!
//! If one part has `f = r` and the other `f = s` modulo `d`, and `r - s` has no common divisor with `d`, then some
//! multiple `u f` is in neighbouring classes: `u (s - r) = 1` modulo `d`. As `u` is invertible, `u f = u r` modulo `d`
//! says the same as `f = r`. So the strides are written with `floor(u f / d)`, and both classes together are
//! `0 <= u f - d q - k <= 1`.
//!
//! Of three or more conjunctions that are equal but for the class, all classes are looked at together ([`joined`]):
//! first as classes modulo the least divisor `g` of `d` that describes them, then as an interval of the classes of some
//! `u f`.

use crate::arith::{Int, Row, row};
use crate::budget::Budget;
use crate::error::Result;

use super::super::conjunction::{Conjunction, Div};
use super::part::{Part, with_plain_strides};

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
        let (Some((e, r)), Some((f, s))) = (stride(left, k), stride(right, l)) else { continue };
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
        let (first, second) = (multiplied(left, k, e, &r, &unit), multiplied(right, l, f, &s, &unit));
        return Ok(Part::new(first, budget)?.zip(Part::new(second, budget)?));
    }
    Ok(None)
}

/// Where the conjunction says in which class modulo the denominator the numerator of division `k` without its constant
/// is, and the class, in `0..d`: the position of an equality that says only this; nothing if the division has other
/// uses.
fn stride(c: &Conjunction, k: usize) -> Option<(usize, Int)> {
    let base = c.space.n_col();
    let column = c.local_column(k);
    let div = c.div(k).filter(|div| row::all_zero(&div.row[base..]))?;
    let uses = |row: &Row| !row[column].is_zero();
    let mut equalities = (0..c.eqs.len()).filter(|&e| uses(&c.eqs[e]));
    let (Some(e), None) = (equalities.next(), equalities.next()) else { return None };
    let eq = &c.eqs[e];
    let divs = c.locals.iter().flatten().any(|div| div.row.get(column).is_some_and(|x| !x.is_zero()));
    if divs || c.ineqs.iter().any(uses) || eq[column].abs() != div.den {
        return None;
    }
    // The equality must be that of the stride: numerator - r' = d q with r' in 0..d. Then it says nothing else.
    let sign = if eq[column].is_negative() { Int::one() } else { Int::from(-1) };
    let constant = &eq[0] * &sign;
    let rest = &div.row[0] - &constant;
    let is_stride = (1..base).all(|j| &eq[j] * &sign == div.row[j])
        && !rest.is_negative()
        && rest < div.den
        && eq[base..].iter().enumerate().all(|(l, x)| l == k || x.is_zero());
    is_stride.then(|| (e, (-constant).rem_floor(&div.den)))
}

/// The conjunction with equality `e`, which says that the numerator of division `k` is `r` modulo the denominator,
/// replaced by the same of `unit` times the numerator.
fn multiplied(c: &Conjunction, k: usize, e: usize, r: &Int, unit: &Int) -> Conjunction {
    let mut result = c.clone();
    let mut eq = multiply(&mut result, k, unit);
    eq[0] = -(unit * r).rem_floor(&c.locals[k].as_ref().map_or_else(Int::one, |d| d.den.clone()));
    result.eqs[e] = eq;
    result
}

/// Multiplies the numerator of division `k`, which nothing uses, modulo the denominator, and takes its constant away.
/// Returns the form `numerator - d q`.
fn multiply(c: &mut Conjunction, k: usize, unit: &Int) -> Row {
    let column = c.local_column(k);
    let mut form = row::zeros(c.n_col());
    if let Some(div) = &mut c.locals[k] {
        for (x, y) in form.iter_mut().zip(&div.row).skip(1) {
            let product = (y * unit).rem_floor(&div.den);
            *x = if &product + &product > div.den { product - &div.den } else { product };
        }
        div.row = form.clone();
        form[column] = -div.den.clone();
    }
    form
}

/// Conjunctions that are equal but for the residue class of one expression.
struct Family {
    /// What they have in common, with division `k` of the expression.
    rest: Conjunction,
    k: usize,
    /// The positions of the conjunctions and their classes.
    members: Vec<(usize, Int)>,
}

/// The conjunctions with all families of three or more that one conjunction can replace replaced; nothing if there are
/// none.
pub(super) fn joined(parts: &[Conjunction], budget: &Budget) -> Result<Option<Vec<Conjunction>>> {
    let strided = |c: &Conjunction| !c.eqs.is_empty() && c.locals.iter().any(Option::is_some);
    if parts.iter().filter(|c| strided(c)).count() < 3 {
        return Ok(None);
    }
    let mut families: Vec<Family> = Vec::new();
    for (at, part) in parts.iter().enumerate().filter(|(_, c)| strided(c)) {
        let plain = with_plain_strides(part);
        let plain = plain.as_ref().unwrap_or(part);
        for k in 0..plain.n_local() {
            let Some((e, class)) = stride(plain, k) else { continue };
            budget.spend(families.len() as u64 / 8 + 1)?;
            let mut eqs = plain.eqs.clone();
            eqs.remove(e);
            let same = |f: &&mut Family| {
                f.k == k && f.rest.ineqs == plain.ineqs && f.rest.eqs == eqs && f.rest.locals == plain.locals
            };
            match families.iter_mut().find(same) {
                Some(family) => family.members.push((at, class)),
                None => {
                    families.push(Family { rest: Conjunction { eqs, ..plain.clone() }, k, members: vec![(at, class)] });
                }
            }
        }
    }
    let (mut result, mut taken) = (Vec::new(), vec![false; parts.len()]);
    for Family { mut rest, k, members } in families {
        if members.len() < 3 || members.iter().any(|(at, _)| taken[*at]) {
            continue;
        }
        let classes = members.iter().map(|(_, class)| class.clone()).collect();
        if confine(&mut rest, k, classes, budget)? {
            members.iter().for_each(|(at, _)| taken[*at] = true);
            result.push(rest.simplify());
        }
    }
    if result.is_empty() {
        return Ok(None);
    }
    result.extend(parts.iter().zip(taken).filter(|(_, taken)| !taken).map(|(part, _)| part.clone()));
    Ok(Some(result))
}

/// Adds to a conjunction that the numerator of division `k`, which nothing uses, is in one of these classes; returns
/// whether one constraint can say that.
fn confine(c: &mut Conjunction, k: usize, mut classes: Vec<Int>, budget: &Budget) -> Result<bool> {
    let Some(d) = c.div(k).map(|div| div.den.clone()) else { return Ok(false) };
    classes.sort_unstable();
    classes.dedup();
    // The classes are the same ones again modulo d / t if they do not change when d / t is added.
    let invariant = |t: &i64| {
        let t = Int::from(*t);
        t.divides(&d) && {
            let g = d.div_exact(&t);
            classes.iter().all(|r| classes.binary_search(&(r + &g).rem_floor(&d)).is_ok())
        }
    };
    let count = classes.len() as i64;
    budget.spend(count as u64)?;
    let t = (1..=count).rev().filter(|t| count % t == 0).find(invariant).unwrap_or(1);
    let g = d.div_exact(&Int::from(t));
    if g.is_one() {
        return Ok(true);
    }
    classes.truncate((count / t) as usize);
    let Some((unit, first)) = interval(&classes, &g, budget)? else { return Ok(false) };
    if let Some(div) = &mut c.locals[k] {
        div.den = g;
    }
    let mut form = multiply(c, k, &unit);
    form[0] = -first;
    if let [_] = classes[..] {
        c.eqs.push(form);
        return Ok(true);
    }
    if let Some(div) = &mut c.locals[k] {
        div.row[0] = form[0].clone();
    }
    let mut last = row::negated(&form);
    last[0] += Int::from(classes.len() as i64 - 1);
    c.ineqs.push(last);
    Ok(true)
}

/// A unit modulo `g` by which all classes, which are sorted, become an interval of classes modulo `g`, and where that
/// begins.
fn interval(classes: &[Int], g: &Int, budget: &Budget) -> Result<Option<(Int, Int)>> {
    // In an interval, the next or the previous class differs from the first one by the inverse of the unit.
    let steps = classes[1..].iter().map(|r| r - &classes[0]).flat_map(|step| [-&step, step]);
    for step in [Int::one()].into_iter().chain(steps) {
        budget.spend(classes.len() as u64)?;
        let (gcd, inverse, _) = step.rem_floor(g).gcd_ext(g);
        if !gcd.is_one() {
            continue;
        }
        let unit = inverse.rem_floor(g);
        let mut images: Vec<Int> = classes.iter().map(|r| (r * &unit).rem_floor(g)).collect();
        images.sort_unstable();
        let previous = |k: usize| if k == 0 { &images[images.len() - 1] } else { &images[k - 1] };
        let mut starts = (0..images.len()).filter(|&k| !(&images[k] - previous(k) - 1).rem_floor(g).is_zero());
        if let (Some(k), None) = (starts.next(), starts.next()) {
            return Ok(Some((unit, images.swap_remove(k))));
        }
    }
    Ok(None)
}
