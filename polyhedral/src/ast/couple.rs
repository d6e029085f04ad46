//! Unknowns that the scope determines although the iterator is coupled with them.
//!
//! In `x = 8 m + 1 - 9 t` with `c - 1 <= x <= c` and `0 <= t <= 3`, known `c`, the unknown `m` is a quotient that depends on the iterator `t`: it
//! is not known outside of the loop, whose bounds are then `0` and `3`, with a condition on a remainder inside. But `m = m' + t` for an `m'`
//! with `c - 2 <= 8 m' <= c + 2`, which leaves `m'` one value: `(c + 2) / 8`, rounded down. Once that is a column of the scope, the loop has
//! the bounds `8 m' - c + 1 <= t <= 8 m' - c + 2`.
//!
//! The change of unknowns is unimodular and nothing is dropped, so that the piece stays the same.

use crate::arith::Int;
use crate::budget::{Budget, Exhausted};
use crate::relation::Row;

use super::build::insert_scope_column;
use super::piece::{Piece, quotient};
use super::project::shadow;
use super::scope::Scope;
use super::system::System;

/// Makes unknowns of pieces that hold an iterator columns of the scope where what the iterator can be leaves them one value.
pub(super) fn uncouple(scope: &mut Scope, pieces: &mut [Piece], budget: &Budget) -> std::result::Result<(), Exhausted> {
    for index in 0..pieces.len() {
        if pieces[index].held != 1 || pieces[index].n_unknown < 2 || !pieces[index].solve(budget)? {
            continue;
        }
        while let Some(Determined { column, factor, row, den }) = determined(scope, &pieces[index], budget)? {
            let (mut value, added) = scope.floor_div(&row, &den);
            let mut column = column;
            if added {
                insert_scope_column(pieces, scope.n());
                column += 1;
            }
            // The unknown is its new value plus a multiple of the iterator.
            let piece = &mut pieces[index];
            value.resize(piece.system.n + 1, Int::zero());
            value[piece.first_unknown()] = factor;
            piece.substitute(column, &value);
        }
    }
    Ok(())
}

/// An unknown that is `floor(row / den)` plus `factor` times the iterator.
struct Determined {
    column: usize,
    factor: Int,
    row: Row,
    den: Int,
}

fn determined(scope: &Scope, piece: &Piece, budget: &Budget) -> std::result::Result<Option<Determined>, Exhausted> {
    let t = piece.first_unknown();
    let mut tried: Vec<(usize, Int)> = Vec::new();
    for (column, upper) in coupled(&piece.system, t) {
        // row + a t - d u >= 0: with u = u' + factor t the iterator has the least coefficient.
        let (a, d) = (&upper[t], -&upper[column]);
        let mut factor = a.div_floor(&d);
        let rest = a - &(&factor * &d);
        if &rest + &rest > d {
            factor += 1;
        }
        if tried.contains(&(column, factor.clone())) {
            continue;
        }
        let mut system = piece.system.clone();
        for row in system.rows_mut() {
            let more = &row[column] * &factor;
            row[t] += more;
            row[t..=column].rotate_right(1);
        }
        tried.push((column, factor.clone()));
        let Some(range) = shadow(&system, t, &scope.known, budget)? else { continue };
        if let Some((row, den)) = quotient(&range, t, t) {
            return Ok(Some(Determined { column, factor, row, den }));
        }
    }
    Ok(None)
}

/// The unknowns that have one value once the iterator, column `t`, is known, with the inequality from above that says so.
fn coupled(system: &System, t: usize) -> impl Iterator<Item = (usize, &Row)> {
    system.ineqs.iter().filter_map(move |upper| {
        let mut unknowns = (t + 1..=system.n).filter(|&column| !upper[column].is_zero());
        let column = unknowns.next()?;
        if unknowns.next().is_some() || upper[t].is_zero() || !upper[column].is_negative() {
            return None;
        }
        let opposite = |row: &&Row| (1..row.len()).all(|i| (&row[i] + &upper[i]).is_zero());
        let lower = system.ineqs.iter().find(opposite)?;
        (&upper[0] + &lower[0] < upper[column].abs()).then_some((column, upper))
    })
}
