//! The loop type `unroll`: one copy of the body per value, without a loop.
//!
//! The values are counted from a lower bound `l` of the iterator: `t = l`, `l + s`, ... with the stride `s`. Of all lower bounds, each moved
//! out until it holds for all pieces, the one with the fewest values is taken; the number of values is the exact integer
//! maximum of `(t - l) / s + 1` over all pieces. (Section 5.4 of the TOPLAS paper.)

use crate::arith::Int;
use crate::lp::{IntOptimum, min_integer};
use crate::relation::{Row, add_scaled, negated, zeros};

use super::bounds::{minimal, shifted_lower_bounds};
use super::build::{Builder, Result, insert_scope_column};
use super::error::AstError;
use super::group::{common_stride, divide_offsets};
use super::loops::Work;
use super::node::Ast;
use super::scope::Scope;
use super::stride::Stride;
use super::system::System;

impl Builder<'_> {
    /// Generates one copy of what is inside for every value of the held unknown.
    pub(super) fn unroll(&mut self, work: Work<'_>) -> Result<Ast> {
        let Work { mut scope, mut pieces, mut shadows, origin, next } = work;
        divide_offsets(&mut scope, &mut pieces, &mut shadows);
        let t = scope.n() + 1;
        let stride = common_stride(&scope, &pieces).unwrap_or_else(|| Stride { offset: zeros(t), step: Int::one() });
        let minimals = shadows
            .iter()
            .map(|shadow| minimal(shadow, &scope, self.budget))
            .collect::<std::result::Result<Vec<_>, _>>()?;
        let mut best: Option<(Int, Row, Int)> = None;
        for row in shifted_lower_bounds(&minimals, &scope, self.budget)? {
            // row = a t + h >= 0 with t = offset + step k: k >= ceil(-(h + a offset) / (a step)).
            let den = &row[t] * &stride.step;
            let mut num = Row::from(&row[..t]);
            add_scaled(&mut num, &row[t], &stride.offset);
            num = negated(&num);
            num[0] += &den - 1;
            let Some(count) = self.count(&scope, &shadows, &stride, &num, &den)? else { continue };
            if best.as_ref().is_none_or(|(least, ..)| count < *least) {
                best = Some((count, num, den));
            }
        }
        let Some((count, num, den)) = best else {
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
        let (first, added) = scope.floor_div(&num, &den);
        if added {
            insert_scope_column(&mut pieces, scope.n());
        }
        let mut value = zeros(scope.n() + 1);
        add_scaled(&mut value, &Int::one(), &stride.offset);
        add_scaled(&mut value, &stride.step, &first);
        let mut parts = Vec::new();
        let mut number = Int::zero();
        while number < count {
            self.budget.spend(100)?;
            let mut inside = scope.clone();
            inside.outer.push(value.clone());
            let mut here = pieces.clone();
            for piece in &mut here {
                let mut value = value.clone();
                value.resize(piece.system.n + 1, Int::zero());
                piece.held = 0;
                piece.substitute(piece.first_unknown(), &value);
            }
            parts.push(self.guarded(inside, here, next)?);
            value[0] += &stride.step;
            number += 1;
        }
        Ok(Ast::block(parts))
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
