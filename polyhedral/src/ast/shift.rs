//! Shifted strides: statements whose loop iterators have different residues modulo a common number, as in `A: 2i`, `B: 2i + 1`.
//!
//! Subtracting its residue from the iterator of every statement gives all of them one stride: the loop takes steps, and inside it the
//! statements come in the order of their residues. The order is kept because all shifted iterators are congruent and residues
//! are smaller than the modulus. What refers to the value of the member further inside sees it with the residue added again, so
//! the shift is undone per statement and restricts nothing below. (Section 5.7 of the TOPLAS paper.)

use crate::arith::Int;
use crate::relation::{Row, add_scaled};
use crate::schedule::LoopType;

use super::group::own_stride;
use super::piece::Piece;
use super::project::as_inequalities;
use super::scope::Scope;
use super::stride::Stride;
use super::system::{System, tighten};

/// The pieces, whose shadows are given too, with their held unknown shifted to a common residue; nothing if that gives no stride
/// that was not there before. A round can begin with any of the residues: the one is taken for which the pieces have the fewest
/// different lower bounds, because fewer iterations of the loop are then special.
pub(super) fn shifted(scope: &Scope, pieces: &[Piece], shadows: &[System]) -> Option<Vec<Piece>> {
    let strides = pieces.iter().map(|piece| own_stride(scope, piece)).collect::<Option<Vec<_>>>()?;
    let mut best: Option<(usize, Vec<Piece>)> = None;
    for base in strides.iter().filter(|stride| !stride.step.is_zero()) {
        let Some((modulus, shifts)) = from_base(pieces, &strides, base) else { continue };
        let mut starts: Vec<Vec<Row>> = Vec::new();
        for (shadow, shift) in shadows.iter().zip(&shifts) {
            let rows = lower_bounds(shadow, shift, base, &modulus);
            if !starts.contains(&rows) {
                starts.push(rows);
            }
        }
        if best.as_ref().is_some_and(|(least, _)| *least <= starts.len()) {
            continue;
        }
        // Parts of pieces that have been shifted before have their place in the round by both shifts.
        if pieces.iter().zip(&shifts).any(|(piece, shift)| &piece.shift + shift >= modulus) {
            continue;
        }
        let mut result = pieces.to_vec();
        for (piece, shift) in result.iter_mut().zip(shifts) {
            let t = piece.first_unknown();
            piece.shift_column(t, &shift);
            piece.shift += shift;
        }
        best = Some((starts.len(), result));
    }
    best.map(|(_, result)| result)
}

/// The lower bounds of the iterator less the shift, for the number of the iteration.
fn lower_bounds(shadow: &System, shift: &Int, base: &Stride, modulus: &Int) -> Vec<Row> {
    let t = shadow.n;
    let mut rows: Vec<Row> = Vec::new();
    for mut row in as_inequalities(shadow).into_iter().filter(|row| row[t].is_positive()) {
        let factor = row[t].clone();
        row[0].add_mul(&factor, shift);
        add_scaled(&mut row, &factor, &base.offset);
        row[t] = &factor * modulus;
        if tighten(&mut row) && !rows.contains(&row) {
            rows.push(row);
        }
    }
    rows.sort_by(|a, b| a[..].cmp(&b[..]));
    rows
}

/// The modulus and the shifts that bring all pieces to the residue of a base.
fn from_base(pieces: &[Piece], strides: &[Stride], base: &Stride) -> Option<(Int, Vec<Int>)> {
    let mut modulus = Int::zero();
    for stride in strides {
        modulus = modulus.gcd(&stride.step);
        for (x, y) in stride.offset.iter().zip(&base.offset).skip(1) {
            modulus = modulus.gcd(&(x - y));
        }
    }
    if modulus.is_zero() || modulus.is_one() {
        return None;
    }
    let shifts: Vec<Int> =
        strides.iter().map(|stride| (&stride.offset[0] - &base.offset[0]).rem_floor(&modulus)).collect();
    let least = shifts.iter().min()?.clone();
    if shifts.iter().all(|shift| *shift == least) {
        return None;
    }
    let twice = |a: usize, b: usize| {
        pieces[a].stmt == pieces[b].stmt && pieces[a].loop_type == LoopType::Atomic && shifts[a] != shifts[b]
    };
    if (0..pieces.len()).any(|a| (0..a).any(|b| twice(a, b))) {
        return None;
    }
    Some((modulus, shifts))
}
