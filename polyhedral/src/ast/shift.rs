//! Shifted strides: statements whose loop iterators have different residues modulo a common number, as in `A: 2i`, `B: 2i + 1`.
//!
//! Subtracting its residue from the iterator of every statement gives all of them one stride: the loop takes steps, and inside it the
//! statements come in the order of their residues. The order is kept because all shifted iterators are congruent and residues
//! are smaller than the modulus. What refers to the value of the member further inside sees it with the residue added again, so
//! the shift is undone per statement and restricts nothing below. (Section 5.7 of the TOPLAS paper.)

use crate::arith::Int;
use crate::schedule::LoopType;

use super::group::own_stride;
use super::piece::Piece;

/// The pieces with their held unknown shifted to a common residue; nothing if that gives no stride that was not there before.
pub(super) fn shifted(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let strides = pieces.iter().map(own_stride).collect::<Option<Vec<_>>>()?;
    let base = strides.iter().find(|stride| !stride.step.is_zero())?;
    let mut modulus = Int::zero();
    for stride in &strides {
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
    // Residues as small as possible relative to the first one in a round.
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
    let mut result = pieces.to_vec();
    for (piece, shift) in result.iter_mut().zip(shifts) {
        let t = piece.first_unknown();
        piece.shift_column(t, &shift);
        piece.shift = shift;
    }
    Some(result)
}
