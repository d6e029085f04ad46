//! Unknowns that the scope determines although the iterator is coupled with them.
//!
//! In `x = 8 m + 1 - 9 t` with `c - 1 <= x <= c` and `0 <= t <= 3`, known `c`, the unknown `m` is a quotient that depends on the iterator `t`: it
//! is not known outside of the loop, whose bounds are then `0` and `3`, with a condition on a remainder inside. But `m = m' + t` for an `m'`
//! with `c - 2 <= 8 m' <= c + 2`, which leaves `m'` one value: `(c + 2) / 8`, rounded down. Once that is a column of the scope, the loop has
//! the bounds `8 m' - c + 1 <= t <= 8 m' - c + 2`.
//!
//! The other unknown may also be the number of the step of an iterator with a stride. The change of unknowns is unimodular and nothing is
//! dropped, so that the piece stays the same.

use crate::arith::Int;
use crate::budget::{Budget, Exhausted};
use crate::relation::Row;

use super::build::insert_scope_column;
use super::piece::{Piece, quotient};
use super::project::{eliminate, shadow};
use super::scope::Scope;
use super::system::System;

/// Makes unknowns of pieces that hold an iterator columns of the scope where what the iterator can be leaves them one value. Where no
/// unknown is coupled that is free; otherwise every coupled one costs a projection.
pub(super) fn uncouple(scope: &mut Scope, pieces: &mut [Piece], budget: &Budget) -> std::result::Result<(), Exhausted> {
    for index in 0..pieces.len() {
        if pieces[index].held != 1 || pieces[index].n_unknown < 2 || !pieces[index].solve(budget)? {
            continue;
        }
        while let Some(Determined { column, other, factor, row, den }) = determined(scope, &pieces[index], budget)? {
            let (mut value, added) = scope.floor_div(&row, &den);
            if added {
                insert_scope_column(pieces, scope.n());
            }
            let (column, other) = (column + usize::from(added), other + usize::from(added));
            // The unknown is its new value plus a multiple of the other one.
            let piece = &mut pieces[index];
            value.resize(piece.system.n + 1, Int::zero());
            value[other] = factor;
            piece.substitute(column, &value);
        }
    }
    Ok(())
}

/// An unknown that is `floor(row / den)` plus `factor` times another unknown, which may be the iterator.
struct Determined {
    column: usize,
    other: usize,
    factor: Int,
    row: Row,
    den: Int,
}

fn determined(scope: &Scope, piece: &Piece, budget: &Budget) -> std::result::Result<Option<Determined>, Exhausted> {
    let t = piece.first_unknown();
    let mut all = piece.system.clone();
    // An iterator with a stride stands for the number of the step.
    if let Some(known) = all.eqs.iter().find(|row| row[t].is_unit()).cloned() {
        all.ineqs.iter_mut().for_each(|row| eliminate(row, &known, t));
    }
    for Coupled { column, other, upper } in coupled(&all, t) {
        // row + a w - d u >= 0: with u = u' + factor w the other unknown has the least coefficient.
        let (a, d) = (&upper[other], -&upper[column]);
        let mut factor = a.div_floor(&d);
        let rest = a - &(&factor * &d);
        if &rest + &rest > d {
            factor += 1;
        }
        let mut system = all.clone();
        for row in system.rows_mut() {
            let more = &row[column] * &factor;
            row[other] += more;
            row[t..=column].rotate_right(1);
        }
        let Some(range) = shadow(&system, t, &scope.known, budget)? else { continue };
        if let Some((row, den)) = quotient(&range, t, t) {
            return Ok(Some(Determined { column, other, factor, row, den }));
        }
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
        let opposite = |row: &&Row| (1..row.len()).all(|i| (&row[i] + &upper[i]).is_zero());
        let lower = system.ineqs.iter().find(opposite)?;
        let width = &upper[0] + &lower[0];
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
