//! Unknowns that the scope determines, though only with the help of what other unknowns can be.
//!
//! [`refine`](super::guard::refine) puts in the value of an unknown that one pair of constraints leaves one value. Here unknowns are found
//! that several constraints leave one value, before the loop over the iterator `t`, which is an unknown, too:
//!
//! - *Coupled with another unknown.* In `x = 8 m + 1 - 9 t` with `c - 1 <= x <= c` and `0 <= t <= 3`, known `c`, the unknown `m` is a quotient
//!   that depends on `t`: it is not known outside of the loop, whose bounds are then `0` and `3`, with a condition on a remainder inside.
//!   But `m = m' + t` for an `m'` with `c - 2 <= 8 m' <= c + 2`, which leaves `m'` one value: `(c + 2) / 8`, rounded down. Once that is a
//!   column of the scope, the loop has the bounds `8 m' - c + 1 <= t <= 8 m' - c + 2`. The other unknown may also be the number of the
//!   step of an iterator with a stride.
//! - *Narrow.* In `c <= 2 e + 5 f <= c + n` with `0 <= e <= 1` and `n <= 1` only one `f` is possible: `c - 2 <= 5 f <= c + n`, and those
//!   bounds are at most `3` apart. With `f` known so is `e`, and a condition on both stands before the loop over `t`.
//! - *Narrow after a change of unknowns.* `2 x + 2 y + 5 g = d` says `g = d - 2 p` and `x + y = 5 p - 2 d` for some `p`, so that
//!   `1 <= x + y <= 4` leaves one value of `p`, and `x + y` is known.
//!
//! All changes of unknowns are unimodular and nothing is dropped, so that the piece stays the same.

use std::cmp::Ordering;

use crate::arith::Int;
use crate::budget::{Budget, Exhausted};
use crate::relation::{Row, negated, zeros};

use super::build::insert_scope_column;
use super::lattice;
use super::piece::{Piece, quotient};
use super::project::{eliminate, shadow};
use super::scope::Scope;
use super::system::{Minimum, System};

/// With more unknowns than this only unknowns that are coupled with another one are looked at.
const MOST_UNKNOWNS: usize = 8;

/// Makes unknowns of pieces that hold an iterator columns of the scope where what the iterator can be leaves them one value. Where no
/// unknown has a coefficient other than 1 that is free; otherwise each of those costs one linear program or two, and one that has only
/// one value a projection.
pub(super) fn uncouple(scope: &mut Scope, pieces: &mut [Piece], budget: &Budget) -> std::result::Result<(), Exhausted> {
    for index in 0..pieces.len() {
        if pieces[index].held != 1 || pieces[index].n_unknown < 2 || !pieces[index].solve(budget)? {
            continue;
        }
        loop {
            let mut found = determined(scope, &pieces[index], budget)?;
            if found.is_none()
                && let Some(reduced) = lattice::reduced(&pieces[index], budget)?
            {
                found = determined(scope, &reduced, budget)?;
                if found.is_some() {
                    pieces[index] = reduced;
                }
            }
            let Some(Determined { column, other, row, den }) = found else { break };
            let (mut value, added) = scope.floor_div(&row, &den);
            if added {
                insert_scope_column(pieces, scope.n());
            }
            // The unknown is its new value plus a multiple of the other one.
            let piece = &mut pieces[index];
            value.resize(piece.system.n + 1, Int::zero());
            if let Some((other, factor)) = other {
                value[other + usize::from(added)] = factor;
            }
            piece.substitute(column + usize::from(added), &value);
            if !piece.solve(budget)? {
                break;
            }
        }
    }
    Ok(())
}

/// An unknown that is `floor(row / den)`, or that plus a multiple of another unknown, which may be the iterator.
struct Determined {
    column: usize,
    other: Option<(usize, Int)>,
    row: Row,
    den: Int,
}

fn determined(scope: &Scope, piece: &Piece, budget: &Budget) -> std::result::Result<Option<Determined>, Exhausted> {
    let t = piece.first_unknown();
    // What has become known may say so directly.
    if let Some((column, row, den)) = piece.determined() {
        return Ok(Some(Determined { column, other: None, row, den }));
    }
    let mut all = piece.system.clone();
    // An iterator with a stride stands for the number of the step.
    if let Some(known) = all.eqs.iter().find(|row| row[t].is_unit()).cloned() {
        all.ineqs.iter_mut().for_each(|row| eliminate(row, &known, t));
    }
    // The value that a system leaves its unknown in a column.
    let value = |system: &System, column: usize| {
        let mut system = system.clone();
        system.rows_mut().for_each(|row| row[t..=column].rotate_right(1));
        match shadow(&system, t, &scope.known, budget)? {
            Some(range) => only_value(&range, &scope.known, budget),
            None => Ok(None),
        }
    };
    for Coupled { column, other, upper } in coupled(&all, t) {
        // row + a w - d u >= 0: with u = u' + factor w the other unknown has the least coefficient, or the one of the other sign.
        let (a, d) = (&upper[other], -&upper[column]);
        let low = a.div_floor(&d);
        let rest = a - &(&low * &d);
        let mut factors = vec![low.clone()];
        match (&rest + &rest).cmp(&d) {
            Ordering::Less => {}
            Ordering::Equal => factors.push(low + 1),
            Ordering::Greater => factors[0] += 1,
        }
        for factor in factors {
            let mut system = all.clone();
            for row in system.rows_mut() {
                let more = &row[column] * &factor;
                row[other] += more;
            }
            if let Some((row, den)) = value(&system, column)? {
                return Ok(Some(Determined { column, other: Some((other, factor)), row, den }));
            }
        }
    }
    if piece.n_unknown > MOST_UNKNOWNS {
        return Ok(None);
    }
    let plain = |x: &Int| x.is_zero() || x.is_unit();
    // The number of the step of the iterator says no more than a stride.
    let is_step = |column: usize| {
        let only = |row: &Row| (t + 1..row.len()).all(|other| other == column || row[other].is_zero());
        piece.system.eqs.iter().any(|row| !row[t].is_zero() && !row[column].is_zero() && only(row))
    };
    for column in t + 1..=all.n {
        let strided = all.eqs.iter().chain(&all.ineqs).any(|row| !plain(&row[column]));
        if strided
            && !is_step(column)
            && is_narrow(&all, column, t, &scope.known, budget)?
            && let Some((row, den)) = value(&all, column)?
        {
            return Ok(Some(Determined { column, other: None, row, den }));
        }
    }
    Ok(None)
}

/// Whether an unknown, even as a rational number, has values that are less than 1 apart where the columns before `first` are known.
fn is_narrow(
    system: &System,
    column: usize,
    first: usize,
    known: &System,
    budget: &Budget,
) -> std::result::Result<bool, Exhausted> {
    // The unknowns twice, with the same known columns.
    let count = system.n + 1 - first;
    let mut both = system.clone();
    both.insert_columns(first, count);
    let both = both.and(system).and(known);
    let mut distance = zeros(both.n + 1);
    distance[column] = Int::from(-1);
    distance[column + count] = Int::one();
    // What the minimum is rounded up to.
    Ok(match both.minimum_rational(&distance, budget)? {
        Minimum::AtLeast(least) => !least.is_negative(),
        Minimum::Empty | Minimum::Unbounded => false,
    })
}

/// The only value of the last column of a system, as a numerator and a denominator, if there is one in a context: the first value that a
/// bound leaves is the only one if the bound leaves nothing further than that. `3 u <= n` and `5 u >= 2 n - 3`, where `n <= 8`, leave
/// `u = floor(n / 3)`, as `n - 3 u` is at most `(9 - n) / 5`.
fn only_value(range: &System, known: &System, budget: &Budget) -> std::result::Result<Option<(Row, Int)>, Exhausted> {
    let last = range.n;
    if let Some(found) = quotient(range, last, last) {
        return Ok(Some(found));
    }
    let system = range.and(known);
    for row in range.ineqs.iter().filter(|row| !row[last].is_zero()) {
        let Minimum::AtLeast(least) = system.minimum_rational(&negated(row), budget)? else { continue };
        let den = row[last].abs();
        if -least >= den {
            continue;
        }
        let mut value = row.clone();
        if row[last].is_positive() {
            value = negated(row);
            value[0] += &den - 1;
        }
        value.truncate(last);
        return Ok(Some((value, den)));
    }
    Ok(None)
}

/// An unknown that has one value once another one is known, and the inequality from above that says so.
struct Coupled<'s> {
    column: usize,
    other: usize,
    upper: &'s Row,
}

/// The coupled unknowns of a system whose iterator is column `t`.
fn coupled(system: &System, t: usize) -> impl Iterator<Item = Coupled<'_>> {
    system.ineqs.iter().filter_map(move |upper| {
        let mut unknowns = (t..=system.n).filter(|&column| !upper[column].is_zero());
        let (first, second) = (unknowns.next()?, unknowns.next()?);
        if unknowns.next().is_some() {
            return None;
        }
        let width = system.widths(upper).next()?;
        let one = |column: usize| column > t && upper[column].is_negative() && width < upper[column].abs();
        // The one with the greater coefficient has fewer values.
        let (column, other) =
            if upper[first].cmp_abs(&upper[second]).is_gt() { (first, second) } else { (second, first) };
        if one(column) {
            return Some(Coupled { column, other, upper });
        }
        one(other).then_some(Coupled { column: other, other: column, upper })
    })
}
