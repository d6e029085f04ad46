//! Strides that a division of unknowns hides: unknowns written as combinations of fewer ones.
//!
//! With `t = floor((3 x + 1) / 2)` where `3 x + 1 = 8 e + 2`, a loop over `t` has the step 12: `x` is `8 k + 3`, so
//! that `t` is `floor((24 k + 10) / 2) = 12 k + 5`. But neither unknown of `3 x = 8 e + 1` can be put in for the other
//! one, and the constraints `0 <= 3 x + 1 - 2 t <= 1`, which define `t`, say nothing about its residues. Steps of
//! Euclid's algorithm on the columns of such an equality change the unknowns by an integer matrix with an integer
//! inverse, so that no point is lost or added. They end with an unknown that can be put in, and the constraints over
//! fewer unknowns are tightened further: here to `0 <= 12 k + 5 - t <= 0`.
//!
//! Pieces are rewritten only where that makes the step of their loop longer: the unknowns are dimensions of statements,
//! and loops over those themselves are simpler than loops over `k`.

use crate::arith::Int;
use crate::budget::{Budget, Exhausted};

use super::group::common_stride;
use super::piece::Piece;
use super::scope::Scope;
use super::stride::Stride;

/// Pieces with fewer unknowns whose iterator, the held unknown, has a longer stride than `known`, if there is one.
pub(super) fn strided(
    scope: &Scope,
    pieces: &[Piece],
    known: Option<&Stride>,
    budget: &Budget,
) -> Result<Option<Vec<Piece>>, Exhausted> {
    if pieces.iter().all(|piece| coupled(piece).is_none()) {
        return Ok(None);
    }
    let mut result = pieces.to_vec();
    for piece in &mut result {
        if !put_in(piece, budget)? {
            return Ok(None);
        }
    }
    let longer = common_stride(scope, &result).is_some_and(|found| known.is_none_or(|known| found.step > known.step));
    Ok(longer.then_some(result))
}

/// The piece with unknowns put in that are combinations of fewer ones, if there are such; nothing also if it is plainly empty.
pub(super) fn reduced(piece: &Piece, budget: &Budget) -> Result<Option<Piece>, Exhausted> {
    if coupled(piece).is_none() {
        return Ok(None);
    }
    let mut result = piece.clone();
    Ok(put_in(&mut result, budget)?.then_some(result))
}

/// Changes the unknowns until no equality is coupled, and puts in what they define. False if the piece is plainly empty.
fn put_in(piece: &mut Piece, budget: &Budget) -> Result<bool, Exhausted> {
    while let Some(index) = coupled(piece) {
        reduce(piece, index, budget)?;
        if !piece.solve(budget)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// An equality in which no unknown has the coefficient 1 or -1, but a combination of unknowns has.
fn coupled(piece: &Piece) -> Option<usize> {
    let first = piece.first_unknown() + piece.held;
    piece.system.eqs.iter().position(|row| {
        let unknown = &row[first..];
        !unknown.iter().any(Int::is_unit) && crate::relation::gcd(unknown).is_one()
    })
}

/// Changes the unknowns (except those that are held) until one has the coefficient 1 or -1 in an equality. The
/// coefficients must have no common factor.
fn reduce(piece: &mut Piece, index: usize, budget: &Budget) -> Result<(), Exhausted> {
    let first = piece.first_unknown() + piece.held;
    loop {
        let row = &piece.system.eqs[index];
        let nonzero = (first..row.len()).filter(|&z| !row[z].is_zero());
        let Some(pivot) = nonzero.clone().min_by(|&a, &b| row[a].cmp_abs(&row[b])) else { return Ok(()) };
        if row[pivot].is_unit() {
            return Ok(());
        }
        budget.spend((piece.system.eqs.len() + piece.system.ineqs.len()) as u64)?;
        let others = nonzero.filter(|&z| z != pivot);
        let factors: Vec<(usize, Int)> = others.map(|z| (z, row[z].div_floor(&row[pivot]))).collect();
        // The pivot now stands for what it stood for plus the factors times the other unknowns.
        for row in piece.rows_mut() {
            for (z, factor) in &factors {
                let product = factor * &row[pivot];
                row[*z] -= product;
            }
        }
    }
}
