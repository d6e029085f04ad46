//! Rivals: pieces that share a loop although one of them has a stride that the other one lacks.
//!
//! The loop that they share has a finer step. Where only the piece with the stride has iterations, it runs over points without
//! statements: with `S` at `0 <= t <= 1` and `T` at the multiples of 8 up to `n`, a loop over both would run `n + 1` times. So `T` is
//! cut along the bounds of `S`, and what lies outside gets a loop of its own; unless another piece has those iterations
//! anyway. Likewise for two pieces that have one value each: where the values may be far apart, a loop over both is empty in between.

use std::collections::BTreeMap;

use crate::arith::Int;
use crate::relation::{Row, negated, zeros};
use crate::schedule::LoopType;

use super::bounds::hull;
use super::build::{Builder, Result};
use super::group::own_stride;
use super::loops::Work;
use super::parting::MOST_PIECES;
use super::piece::Piece;
use super::separate;
use super::stride::{Stride, common};
use super::system::System;

/// With more pieces than this values are not told apart: every pair is cut into three.
const MOST_VALUES: usize = 3;

/// With more pieces than this gaps are not looked for: every piece may fill the gap between two others.
const MOST_GAPS: usize = 5;

/// With more pieces than this no piece is cut.
pub(super) const MOST_OF_ALL: usize = 16;

/// Half the length of a gap between pieces that share a loop nevertheless.
const SHORT: i64 = 2;

impl Builder<'_> {
    /// For each piece of a loop the rows that it is to be cut along.
    pub(super) fn rivals(&self, work: &Work<'_>) -> Result<Vec<Vec<Row>>> {
        let n = work.pieces.len();
        let mut result = vec![Vec::new(); n];
        if self.partings == 0 || self.spare.is_some() || !(2..=MOST_OF_ALL).contains(&n) {
            return Ok(result);
        }
        let pairs = if n <= MOST_PIECES { self.strides(work)? } else { Vec::new() };
        if !pairs.is_empty() {
            let cuts = separate::cuts(&work.pieces, &work.shadows, false, &work.scope, self.budget)?;
            for (own, other) in pairs {
                result[own].extend(cuts[other].iter().cloned());
            }
        }
        self.gaps(work, &mut result)?;
        for (piece, rows) in work.pieces.iter().zip(&mut result) {
            if piece.loop_type == LoopType::Atomic {
                rows.clear();
            }
        }
        Ok(result)
    }

    /// Adds rows that cut off what lies before a gap that only another piece ends. Many pieces are told apart by their statements only.
    fn gaps(&self, work: &Work<'_>, result: &mut [Vec<Row>]) -> Result<()> {
        let mut minimals = self.minimals(&work.scope, &work.shadows)?;
        let mut units: Vec<Vec<usize>> = (0..work.pieces.len()).map(|piece| vec![piece]).collect();
        if units.len() > MOST_GAPS {
            units = statements(&work.pieces);
            if !(2..=MOST_GAPS).contains(&units.len()) {
                return Ok(());
            }
            minimals = self.hulls(work, &units)?;
        }
        let atomic = |unit: usize| units[unit].iter().any(|&piece| work.pieces[piece].loop_type == LoopType::Atomic);
        for before in 0..units.len() {
            for after in (0..units.len()).filter(|&after| after != before) {
                if atomic(before) && atomic(after) {
                    continue;
                }
                let Some((upper, lower)) = self.gap(work, &minimals, before, after)? else { continue };
                let (unit, row) = if atomic(before) { (after, upper) } else { (before, lower) };
                units[unit].iter().for_each(|&piece| result[piece].push(row.clone()));
            }
        }
        Ok(())
    }

    /// What holds for all pieces of a unit.
    pub(super) fn hulls(&self, work: &Work<'_>, units: &[Vec<usize>]) -> Result<Vec<System>> {
        let mut result = Vec::with_capacity(units.len());
        for unit in units {
            let shadows: Vec<System> = unit.iter().map(|&piece| work.shadows[piece].clone()).collect();
            result.push(hull(&shadows, &work.scope, self.budget)?);
        }
        Ok(result)
    }

    /// The bounds of a gap after one piece and before another one, if there may be one where both have iterations.
    fn gap(&self, work: &Work<'_>, minimals: &[System], before: usize, after: usize) -> Result<Option<(Row, Row)>> {
        let t = work.scope.n() + 1;
        // The columns after those of the scope: an iteration of each of the two, and one in the gap.
        let mut first = minimals[before].clone();
        first.insert_columns(t + 1, 2);
        let mut second = minimals[after].clone();
        second.insert_columns(t, 1);
        let mut both = second.and(&first).and(&work.scope.known);
        for (earlier, later) in [(t, t + 2), (t + 2, t + 1)] {
            let mut order = zeros(t + 3);
            order[0] = Int::from(-SHORT);
            order[earlier] -= 1;
            order[later] += 1;
            both.ineqs.push(order);
        }
        if both.is_empty_rational(self.budget)? {
            return Ok(None);
        }
        for upper in minimals[before].ineqs.iter().filter(|row| row[t].is_negative()) {
            let mut beyond = both.clone();
            beyond.ineqs.push(violated(upper, SHORT));
            if beyond.is_empty_rational(self.budget)? {
                continue;
            }
            for lower in minimals[after].ineqs.iter().filter(|row| row[t].is_positive()) {
                let mut between = beyond.clone();
                between.ineqs.push(violated(lower, SHORT));
                let others: Vec<&System> = (0..minimals.len())
                    .filter(|&other| other != before && other != after)
                    .map(|other| &minimals[other])
                    .collect();
                if self.open(&between, &others)? {
                    return Ok(Some((upper.clone(), lower.clone())));
                }
            }
        }
        Ok(None)
    }

    /// Whether the point in the gap may be outside of all other pieces.
    fn open(&self, between: &System, others: &[&System]) -> Result<bool> {
        if between.is_empty_rational(self.budget)? {
            return Ok(false);
        }
        let Some((other, rest)) = others.split_first() else { return Ok(true) };
        for row in other.ineqs.iter() {
            let mut outside = between.clone();
            outside.ineqs.push(violated(row, 0));
            if self.open(&outside, rest)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Pairs of pieces of a loop: the first one is to be cut along the bounds of the second one because of its stride.
    fn strides(&self, work: &Work<'_>) -> Result<Vec<(usize, usize)>> {
        let n = work.pieces.len();
        let mut result = Vec::new();
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

/// The positions of the pieces of every statement.
pub(super) fn statements(pieces: &[Piece]) -> Vec<Vec<usize>> {
    let mut result: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, piece) in pieces.iter().enumerate() {
        result.entry(piece.stmt).or_default().push(index);
    }
    result.into_values().collect()
}

/// A bound of the iterator, the last column, as a constraint on the point in a gap: the contrary, and the point is `distance` away.
fn violated(row: &Row, distance: i64) -> Row {
    let t = row.len() - 1;
    let mut contrary = negated(row);
    contrary[0] -= if distance == 0 { Int::one() } else { &row[t].abs() * Int::from(distance) };
    contrary.insert_zeros(t, 2);
    contrary
}
