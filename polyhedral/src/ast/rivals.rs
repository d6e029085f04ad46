//! Rivals: pieces that share a loop although one of them has a stride that the other one lacks.
//!
//! The loop that they share has a finer step. Where only the piece with the stride has iterations, it runs over points without
//! statements: with `S` at `0 <= t <= 1` and `T` at the multiples of 8 up to `n`, a loop over both would run `n + 1` times. So `T` is
//! cut along the bounds of `S`, and what lies outside gets a loop of its own; unless another piece has those iterations
//! anyway. Likewise for two pieces that have one value each: where the values may be far apart, a loop over both is empty in between.

use super::build::{Builder, Result};
use super::group::own_stride;
use super::loops::Work;
use super::parting::MOST_PIECES;
use super::stride::{Stride, common};

/// With more pieces than this values are not told apart: every pair is cut into three.
const MOST_VALUES: usize = 3;

impl Builder<'_> {
    /// Pairs of pieces of a loop: the first one is to be cut along the bounds of the second one.
    pub(super) fn rivals(&self, work: &Work<'_>) -> Result<Vec<(usize, usize)>> {
        let n = work.pieces.len();
        let mut result = Vec::new();
        if self.partings == 0 || self.spare.is_some() || !(2..=MOST_PIECES).contains(&n) {
            return Ok(result);
        }
        let strides: Vec<Option<Stride>> = work.pieces.iter().map(|piece| own_stride(&work.scope, piece)).collect();
        for (own, stride) in strides.iter().enumerate() {
            let Some(stride) = stride else { continue };
            if stride.step.is_zero() {
                // Different values of two pieces: one of them before, with and after the other one.
                for other in (0..own).filter(|&other| is_other_value(stride, strides[other].as_ref())) {
                    if n <= MOST_VALUES && !self.nearly_covers(&work.scope, &work.shadows[other], &work.shadows[own])? {
                        result.push((own, other));
                    }
                }
                continue;
            }
            let finer = |other: &usize| match &strides[*other] {
                None => true,
                // Pieces of one stride are shifted.
                Some(known) if known.step == stride.step => false,
                Some(known) => common(stride, known).is_none_or(|both| both.step != stride.step),
            };
            let others: Vec<usize> = (0..n).filter(finer).collect();
            let mut covered = false;
            for &other in &others {
                covered = covered || self.nearly_covers(&work.scope, &work.shadows[other], &work.shadows[own])?;
            }
            if !covered {
                result.extend(others.into_iter().map(|other| (own, other)));
            }
        }
        Ok(result)
    }
}

/// Whether both have one value, not the same one.
fn is_other_value(own: &Stride, other: Option<&Stride>) -> bool {
    other.is_some_and(|other| other.step.is_zero() && other.offset != own.offset)
}
