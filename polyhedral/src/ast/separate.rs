//! The loop type `separate`: pieces are cut along each other's loop bounds, so that afterwards the pieces of one loop have the
//! same bounds and no condition on the iterator is left inside.

use crate::arith::Int;
use crate::budget::{Budget, Exhausted};
use crate::relation::{Row, all_zero, negated};

use super::bounds::minimal;
use super::piece::Piece;
use super::project::as_inequalities;
use super::scope::Scope;
use super::system::System;

/// With more pieces than this no further cuts are made: the cuts multiply.
const MAX_PIECES: usize = 64;

/// The bounds that each shadow puts on the held unknown; with `explicit` only those that are constraints of the piece itself.
pub(super) fn cuts(
    pieces: &[Piece],
    shadows: &[System],
    explicit: bool,
    scope: &Scope,
    budget: &Budget,
) -> Result<Vec<Vec<Row>>, Exhausted> {
    let mut result = Vec::with_capacity(pieces.len());
    for (piece, shadow) in pieces.iter().zip(shadows) {
        let t = shadow.n;
        let written = |row: &Row| {
            let rows = || as_inequalities(&piece.system).into_iter().filter(|known| all_zero(&known[t + 1..]));
            rows().any(|known| known[..=t] == row[..=t])
        };
        let mut rows = minimal(shadow, scope, budget)?.ineqs;
        rows.retain(|row| !row[t].is_zero() && (!explicit || written(row)));
        result.push(rows);
    }
    Ok(result)
}

/// Cuts each piece along the rows that `cuts` has for it. The parts are disjoint, cover the same instances, and have the position of
/// the piece as their origin.
pub(super) fn separate(
    pieces: &[Piece],
    cuts: &[Vec<Row>],
    scope: &Scope,
    budget: &Budget,
) -> Result<Vec<Piece>, Exhausted> {
    let mut result = Vec::new();
    for (origin, (piece, rows)) in pieces.iter().zip(cuts).enumerate() {
        let mut own: Vec<&Row> = Vec::new();
        for row in rows {
            let opposite = complement(row);
            if !own.iter().any(|known| *known == row || **known == opposite) {
                own.push(row);
            }
        }
        let mut parts = vec![Piece { origin, ..piece.clone() }];
        for cut in own {
            let mut next = Vec::with_capacity(parts.len());
            for part in parts {
                let (inside, outside) = (with(&part, cut.clone()), with(&part, complement(cut)));
                let full = result.len() + next.len() >= MAX_PIECES;
                match (full, is_empty(&inside, scope, budget)?, is_empty(&outside, scope, budget)?) {
                    (false, false, false) => next.extend([inside, outside]),
                    _ => next.push(part),
                }
            }
            parts = next;
        }
        result.append(&mut parts);
    }
    Ok(result)
}

/// The pieces of one loop, given as the positions of its parts in the list of all parts: a piece whose parts are all in this
/// loop is put together again.
pub(super) fn rejoin(group: &[usize], parts: &[Piece], whole: &[Piece]) -> Vec<Piece> {
    let mut result: Vec<Piece> = Vec::with_capacity(group.len());
    let count = |origin: usize| parts.iter().filter(|part| part.origin == origin).count();
    for &index in group {
        let origin = parts[index].origin;
        let here = group.iter().filter(|&&other| parts[other].origin == origin).count();
        if here < count(origin) {
            result.push(parts[index].clone());
        } else if !result.iter().any(|piece| piece.origin == origin) {
            result.push(Piece { origin, ..whole[origin].clone() });
        }
    }
    result
}

/// The constraint that holds exactly where `row >= 0` does not.
pub(super) fn complement(row: &[Int]) -> Row {
    let mut row = negated(row);
    row[0] -= 1;
    row
}

fn with(piece: &Piece, row: Row) -> Piece {
    let mut piece = piece.clone();
    let mut row = row;
    row.resize(piece.system.n + 1, Int::zero());
    piece.system.ineqs.push(row);
    piece
}

fn is_empty(piece: &Piece, scope: &Scope, budget: &Budget) -> Result<bool, Exhausted> {
    piece.system.and(&scope.known).is_empty(budget)
}
