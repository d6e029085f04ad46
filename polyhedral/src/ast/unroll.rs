//! The loop type `unroll`: one copy of the body per value, without a loop.
//!
//! The values are counted from a lower bound `l` of the iterator: `t = l`, `l + s`, ... with the stride `s`. Of all lower bounds, each moved
//! out until it holds for all pieces, the one with the fewest values is taken; the number of values is the exact integer
//! maximum of `(t - l) / s + 1` over all pieces. (Section 5.4 of the TOPLAS paper.) Where only some of the pieces of a loop are to be
//! unrolled, the loop of the others stops at every such value.

use crate::arith::Int;
use crate::lp::{IntOptimum, min_integer};
use crate::relation::{Row, add_scaled, negated, zeros};
use crate::schedule::LoopType;

use super::bounds::shifted_lower_bounds;
use super::build::{Builder, Next, Origin, Result, insert_scope_column};
use super::error::AstError;
use super::group::{common_stride, divide_offsets};
use super::loops::Work;
use super::node::Ast;
use super::piece::Piece;
use super::scope::Scope;
use super::stride::Stride;
use super::system::System;

/// The most values at which the loop of other pieces stops.
const MOST_MIXED: i64 = 32;

impl Builder<'_> {
    /// Generates one copy of what is inside for every value of the held unknown.
    pub(super) fn unroll(&mut self, work: Work<'_>) -> Result<Ast> {
        let Work { mut scope, mut pieces, mut shadows, origin, next } = work;
        divide_offsets(&mut scope, &mut pieces, &mut shadows);
        let Some(Copies { count, stride, num, den }) = self.copies(&scope, &pieces, &shadows)? else {
            return Err(AstError::CannotUnroll { dimension: self.dimension(origin) });
        };
        if let Some(spare) = self.spare {
            let more = (&count - 1).max(Int::zero()) * Int::from(pieces.len());
            let left = more.to_i64().and_then(|more| spare.checked_sub(usize::try_from(more).ok()?));
            let Some(left) = left else {
                return Err(AstError::TooManyCopies { dimension: self.dimension(origin), more, spare });
            };
            self.spare = Some(left);
        }
        let mut value = first_value(&mut scope, &mut pieces, &stride, &num, &den);
        let mut parts = Vec::new();
        let mut number = Int::zero();
        while number < count {
            parts.push(self.copy(&scope, &pieces, &value, next)?);
            value[0] += &stride.step;
            number += 1;
        }
        Ok(Ast::block(parts))
    }

    /// Generates pieces of which only some are to be unrolled: at each of their values a copy of all, and before, between and after those
    /// values the loops of the others. Nothing if that is not possible, or much.
    pub(super) fn partly_unrolled(&mut self, work: &Work<'_>) -> Result<Option<Ast>> {
        let Origin::Member(member, below) = work.origin else { return Ok(None) };
        let atomic = work.pieces.iter().any(|piece| piece.loop_type == LoopType::Atomic);
        if atomic || self.spare.is_some() || member.isolate.is_some() {
            return Ok(None);
        }
        let (mut scope, next, origin) = (work.scope.clone(), work.next, work.origin);
        let (mut unrolled, mut others, mut shadows) = (Vec::new(), Vec::new(), Vec::new());
        for (piece, shadow) in work.pieces.iter().zip(&work.shadows) {
            if piece.loop_type == LoopType::Unroll {
                unrolled.push(piece.clone());
                shadows.push(shadow.clone());
            } else {
                others.push(piece.clone());
            }
        }
        let before = scope.n();
        divide_offsets(&mut scope, &mut unrolled, &mut shadows);
        (before..scope.n()).for_each(|column| insert_scope_column(&mut others, column + 1));
        let Some(Copies { count, stride, num, den }) = self.copies(&scope, &unrolled, &shadows)? else {
            return Ok(None);
        };
        if count > MOST_MIXED {
            return Ok(None);
        }
        unrolled.append(&mut others);
        let mut value = first_value(&mut scope, &mut unrolled, &stride, &num, &den);
        let all = unrolled;
        let others: Vec<Piece> = all.iter().filter(|piece| piece.loop_type != LoopType::Unroll).cloned().collect();
        let mut parts = Vec::new();
        let mut number = Int::zero();
        while number <= count {
            // t <= value - 1, unless that is the last one; t >= value - step + 1, unless it is the first one.
            let mut least = negated(&value);
            least.push(Int::one());
            let mut most = negated(&least);
            most[0] -= 1;
            least[0] += &stride.step - 1;
            let mut between = others.clone();
            for piece in &mut between {
                let rows = [(&least, !number.is_zero()), (&most, number < count)];
                for (row, _) in rows.iter().filter(|(_, holds)| *holds) {
                    let mut row = Row::clone(row);
                    row.resize(piece.system.n + 1, Int::zero());
                    piece.system.ineqs.push(row);
                }
            }
            parts.push(self.guarded(scope.clone(), between, &|builder, scope, pieces| {
                let (pieces, shadows) = builder.shadows(&scope, pieces)?;
                builder.grouped(Work { scope, pieces, shadows, origin, next }, below)
            })?);
            if number < count {
                parts.push(self.copy(&scope, &all, &value, next)?);
            }
            value[0] += &stride.step;
            number += 1;
        }
        Ok(Some(Ast::block(parts)))
    }

    /// Generates what is inside for one value of the held unknown.
    fn copy(&mut self, scope: &Scope, pieces: &[Piece], value: &Row, next: Next<'_>) -> Result<Ast> {
        self.budget.spend(100)?;
        let mut inside = scope.clone();
        inside.outer.push(value.clone());
        let mut here = pieces.to_vec();
        for piece in &mut here {
            let mut value = value.clone();
            value.resize(piece.system.n + 1, Int::zero());
            piece.held = 0;
            piece.substitute(piece.first_unknown(), &value);
        }
        self.guarded(inside, here, next)
    }

    /// The values of the held unknown, if their number is constant.
    fn copies(&self, scope: &Scope, pieces: &[Piece], shadows: &[System]) -> Result<Option<Copies>> {
        let t = scope.n() + 1;
        let stride = common_stride(scope, pieces).unwrap_or_else(|| Stride { offset: zeros(t), step: Int::one() });
        let minimals = self.minimals(scope, shadows)?;
        let mut best: Option<(Int, Row, Int)> = None;
        for row in shifted_lower_bounds(&minimals, scope, self.budget)? {
            // row = a t + h >= 0 with t = offset + step k: k >= ceil(-(h + a offset) / (a step)).
            let den = &row[t] * &stride.step;
            let mut num = Row::from(&row[..t]);
            add_scaled(&mut num, &row[t], &stride.offset);
            num = negated(&num);
            num[0] += &den - 1;
            let Some(count) = self.count(scope, shadows, &stride, &num, &den)? else { continue };
            if best.as_ref().is_none_or(|(least, ..)| count < *least) {
                best = Some((count, num, den));
            }
        }
        Ok(best.map(|(count, num, den)| Copies { count, stride, num, den }))
    }

    /// The number of values from `floor(num / den)` on, counted in steps: the maximum of `k - floor(num / den) + 1` over all
    /// shadows; nothing if there is none.
    fn count(&self, scope: &Scope, shadows: &[System], stride: &Stride, num: &[Int], den: &Int) -> Result<Option<Int>> {
        let Some(known) = self.count_within(&scope.known, shadows, stride, num, den)? else {
            // Only in some alternatives there may be such a number.
            for cases in &scope.alternatives {
                let mut most = Some(Int::zero());
                for case in cases {
                    let Some(least) = most else { break };
                    let count = self.count_within(&scope.known.and(case), shadows, stride, num, den)?;
                    most = count.map(|count| count.max(least));
                }
                if most.is_some() {
                    return Ok(most);
                }
            }
            return Ok(None);
        };
        Ok(Some(known))
    }

    /// The same for what is known.
    fn count_within(
        &self,
        known: &System,
        shadows: &[System],
        stride: &Stride,
        num: &[Int],
        den: &Int,
    ) -> Result<Option<Int>> {
        let mut most = Int::zero();
        for shadow in shadows {
            let t = shadow.n;
            let mut system = shadow.and(known);
            system.insert_columns(t + 1, 2);
            let (k, l) = (t + 1, t + 2);
            // t = offset + step k; num - den + 1 <= den l <= num.
            let mut position = zeros(system.n + 1);
            add_scaled(&mut position, &Int::one(), &stride.offset);
            position[k] = stride.step.clone();
            position[t] -= 1;
            system.eqs.push(position);
            let mut low = zeros(system.n + 1);
            add_scaled(&mut low, &Int::one(), num);
            low[l] = -den;
            let mut high = negated(&low);
            high[0] += den - 1;
            system.ineqs.push(low);
            system.ineqs.push(high);
            let mut objective = zeros(system.n + 1);
            objective[l] = Int::one();
            objective[k] = Int::from(-1);
            match min_integer(system.n, &system.eqs, &system.ineqs, &objective, self.budget)? {
                IntOptimum::Empty => {}
                IntOptimum::Unbounded => return Ok(None),
                IntOptimum::Bounded(least) => most = most.max(Int::one() - least),
            }
        }
        Ok(Some(most))
    }
}

/// The values `offset + step (floor(num / den) + k)` for `k` in `0 .. count`, with the offset and the step of a stride.
struct Copies {
    count: Int,
    stride: Stride,
    num: Row,
    den: Int,
}

/// The first of some values as a row over the scope, which may get a division for it.
fn first_value(scope: &mut Scope, pieces: &mut [Piece], stride: &Stride, num: &[Int], den: &Int) -> Row {
    let (first, added) = scope.floor_div(num, den);
    if added {
        insert_scope_column(pieces, scope.n());
    }
    let mut value = zeros(scope.n() + 1);
    add_scaled(&mut value, &Int::one(), &stride.offset);
    add_scaled(&mut value, &stride.step, &first);
    value
}
