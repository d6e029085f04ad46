//! The code of the guard: what [`GuardPlan`] checks, as straight-line arithmetic in 64 bits.
//!
//! Nothing here can trap, so that all of it may run whatever the parameters are. Products beyond 2^60, and
//! parameters that leave the limits which all intervals build on, make the guard fail.

use crate::emit::guard::{Bound, Extremes, GuardPlan, RangePlan};
use crate::emit::ranged::{Arithmetic, Ranged};
use crate::emit::rows_code::MANY_BYTES;
use crate::host::{Edit, EditError, Editor, IntOp, IntPredicate, Value};
use crate::model::PARAM_LIMIT_BITS;
use crate::model::poly::{Poly, Sym};
use crate::model::scop::Scop;
use std::cell::RefCell;

/// Iterations of one loop, and of a nest, beyond this count as this many.
const MANY_LOG2: [u32; 2] = [20, 40];

/// Byte distances from the base of an array beyond this would come near wrapping around the address space.
const FARTHEST: i128 = 1 << 61;

pub(super) type Range = (Ranged, Ranged);

/// Per array, by index.
pub(super) type Extents = Vec<(usize, Range)>;

/// The value, known to lie within the greatest distances.
fn near(value: Ranged) -> Ranged {
    Ranged { low: value.low.clamp(-FARTHEST, FARTHEST), high: value.high.clamp(-FARTHEST, FARTHEST), ..value }
}

/// Builds the guard at the editor's position.
pub struct GuardCode<'e, 'a> {
    pub(super) arithmetic: Arithmetic<'e, 'a>,
    params: Vec<Ranged>,
    /// What `extents` built: the check comes before the guard, so the guard may use it.
    extents: RefCell<Option<(Extents, Value)>>,
}

impl<'e, 'a> GuardCode<'e, 'a> {
    /// A builder over the parameters' values, as `i64`.
    pub fn new(editor: &'e Editor<'a>, plan: &GuardPlan, params: &[Value]) -> Self {
        let ranged = |(value, (low, high)): (&Value, &(i128, i128))| Ranged { value: *value, low: *low, high: *high };
        let params = params.iter().zip(&plan.params).map(ranged).collect();
        Self { arithmetic: Arithmetic::new(editor), params, extents: RefCell::default() }
    }

    /// Parameters are small enough, and there is enough work, on enough data.
    pub fn worthwhile(&self, scop: &Scop, plan: &GuardPlan) -> Edit<Value> {
        let arithmetic = &self.arithmetic;
        let mut result = arithmetic.editor.const_bool(true)?;
        for (param, known) in scop.params.iter().zip(&self.params) {
            // What is known without a check is the range of the type.
            let anything = Ranged { value: known.value, low: param.range.0, high: param.range.1 };
            let limit = 1 << PARAM_LIMIT_BITS;
            result = arithmetic.editor.both(result, arithmetic.within(anything, -limit, limit)?)?;
        }
        if plan.min_work > 0 && !plan.work.is_empty() {
            let [few, many] = MANY_LOG2.map(|bits| arithmetic.constant(1 << bits));
            let (few, many) = (few?, many?);
            let zero = arithmetic.constant(0)?;
            let mut total = zero;
            for loops in &plan.work {
                let mut product = arithmetic.constant(1)?;
                for extremes in loops {
                    let (low, high) = self.extremes(extremes)?;
                    let count = arithmetic.add(arithmetic.sub(high, low)?, arithmetic.constant(1)?)?;
                    let count = arithmetic.min(arithmetic.max(count, zero)?, few)?;
                    product = arithmetic.mul(arithmetic.min(product, many)?, count)?;
                }
                total = arithmetic.add(arithmetic.min(total, many)?, arithmetic.min(product, many)?)?;
            }
            let wanted = i128::from(plan.min_work).min(1 << MANY_LOG2[1]);
            result = arithmetic.editor.both(result, arithmetic.within(total, wanted, i128::MAX)?)?;
        }
        if let Some(least) = plan.footprint {
            let mut total = arithmetic.constant(0)?;
            for (array, (low, end)) in self.extents(plan)?.0 {
                let bytes = arithmetic.sub(end, low)?;
                let bytes = match &plan.rows {
                    Some(rows) => self.bytes_in_rows(scop, rows, array, bytes)?,
                    None => bytes,
                };
                total = arithmetic.add(total, bytes)?;
            }
            let wanted = i128::from(least).min(MANY_BYTES);
            result = arithmetic.editor.both(result, arithmetic.within(total, wanted, i128::MAX)?)?;
        }
        self.without_failure(result)
    }

    /// All assumptions hold. `base` gives the value of an array's base pointer, `outside` that of another pointer.
    pub fn valid(
        &self,
        scop: &Scop,
        plan: &GuardPlan,
        base: impl Fn(usize) -> Value,
        outside: impl Fn(Value) -> Value,
    ) -> Edit<Value> {
        let arithmetic = &self.arithmetic;
        let editor = arithmetic.editor;
        let mut result = editor.const_bool(true)?;
        for (range, low, high) in &plan.ranges {
            let (least, greatest) = self.range(range)?;
            result = arithmetic.editor.both(result, arithmetic.within(least, *low, i128::MAX)?)?;
            result = arithmetic.editor.both(result, arithmetic.within(greatest, i128::MIN, *high)?)?;
        }
        for (range, count, size) in &plan.shapes {
            let (least, greatest) = self.range(range)?;
            let end = arithmetic.add(greatest, arithmetic.constant(*count)?)?;
            result = arithmetic.editor.both(result, arithmetic.within(least, 0, i128::MAX)?)?;
            result = arithmetic.editor.both(result, arithmetic.at_most(end, self.poly(size)?)?)?;
        }
        let (extents, near) = self.extents(plan)?;
        result = arithmetic.editor.both(result, near)?;
        let find = |array: usize| extents.iter().find(|(other, _)| *other == array).map(|(_, range)| *range);
        for bytes in &plan.protected {
            let kept = (arithmetic.constant(bytes.low)?, arithmetic.constant(bytes.end)?);
            for array in &bytes.arrays {
                let written = find(*array).ok_or_else(|| EditError::new("an array without extent"))?;
                let apart = self.apart((outside(bytes.base), kept), (base(*array), written))?;
                result = arithmetic.editor.both(result, apart)?;
            }
        }
        if let Some(rows) = &plan.rows {
            result = arithmetic.editor.both(result, self.tables_apart(scop, (rows, plan), &base, &outside)?)?;
        }
        for (left, right) in &plan.pairs {
            let (Some(a), Some(b)) = (find(*left), find(*right)) else {
                return Err(EditError::new("an array without extent"));
            };
            let apart = self.apart((base(*left), a), (base(*right), b))?;
            result = arithmetic.editor.both(result, apart)?;
        }
        self.without_failure(result)
    }

    /// The byte ranges that arrays touch, as distances from their bases, and whether all are far from wrapping around.
    pub(super) fn extents(&self, plan: &GuardPlan) -> Edit<(Extents, Value)> {
        if let Some(known) = &*self.extents.borrow() {
            return Ok(known.clone());
        }
        let arithmetic = &self.arithmetic;
        let mut near_base = arithmetic.editor.const_bool(true)?;
        let mut extents = Extents::new();
        for (array, ranges) in &plan.extents {
            let Some((low, end)) = self.union(ranges)? else { continue };
            near_base = arithmetic.editor.both(near_base, self.are_near((low, end))?)?;
            // Where these checks hold, both lie between the limits, unless `end < low`: then nothing is touched, and any
            // answer is right.
            extents.push((*array, (near(low), near(end))));
        }
        *self.extents.borrow_mut() = Some((extents.clone(), near_base));
        Ok((extents, near_base))
    }

    fn union(&self, ranges: &[(RangePlan, i128)]) -> Edit<Option<Range>> {
        let arithmetic = &self.arithmetic;
        let mut extent: Option<Range> = None;
        for (range, bytes) in ranges {
            let (low, high) = self.range(range)?;
            let end = arithmetic.add(high, arithmetic.constant(*bytes)?)?;
            extent = Some(match extent {
                None => (low, end),
                Some((a, b)) => (arithmetic.min(a, low)?, arithmetic.max(b, end)?),
            });
        }
        Ok(extent)
    }

    fn are_near(&self, (low, end): Range) -> Edit<Value> {
        let low = self.arithmetic.within(low, -FARTHEST, i128::MAX)?;
        self.arithmetic.editor.both(low, self.arithmetic.within(end, i128::MIN, FARTHEST)?)
    }

    /// Whether some ranges, as distances from a pointer, are far from wrapping around.
    pub(super) fn is_near(&self, ranges: &[(RangePlan, i128)]) -> Edit<Value> {
        match self.union(ranges)? {
            Some(range) => self.are_near(range),
            None => self.arithmetic.editor.const_bool(true),
        }
    }

    /// What contains ranges of which that has been checked.
    pub(super) fn hull(&self, ranges: &[(RangePlan, i128)]) -> Edit<Range> {
        let range = self.union(ranges)?.ok_or_else(|| EditError::new("a hull of nothing"))?;
        Ok((near(range.0), near(range.1)))
    }

    /// Two byte ranges, as distances from pointers, have no byte in common.
    ///
    /// On the circle of 2^64 addresses, with the first range at 0 .. `m` and the second at `x` .. `x + n`, that is
    /// `m <= x <= 2^64 - n`, or `x - m <= 2^64 - n - m` without sign. The lengths are below 2^63; a length below zero is
    /// that of a range that is never touched.
    pub(super) fn apart(
        &self,
        (a, (a_low, a_end)): (Value, Range),
        (b, (b_low, b_end)): (Value, Range),
    ) -> Edit<Value> {
        let arithmetic = &self.arithmetic;
        let editor = arithmetic.editor;
        let (m, n) = (arithmetic.sub(a_end, a_low)?, arithmetic.sub(b_end, b_low)?);
        let moved = editor.sub(editor.ptrtoint(b, 64)?, editor.ptrtoint(a, 64)?)?;
        let shift = arithmetic.sub(b_low, a_low)?;
        let x = if (shift.low, shift.high) == (0, 0) { moved } else { editor.add(moved, shift.value)? };
        let beyond = editor.sub(x, m.value)?;
        let room = editor.sub(editor.const_int(64, 0)?, editor.add(m.value, n.value)?)?;
        editor.icmp(IntPredicate::Ule, beyond, room)
    }

    /// The condition, and that nothing was too large on the way to it.
    fn without_failure(&self, condition: Value) -> Edit<Value> {
        let editor = self.arithmetic.editor;
        let Some(failed) = self.arithmetic.take_failed() else { return Ok(condition) };
        let right = editor.int_op(IntOp::Xor, failed, editor.const_bool(true)?, "right")?;
        self.arithmetic.editor.both(condition, right)
    }

    /// The value of an affine row over the parameters, divided; rounded towards the inside of the bound.
    fn bound(&self, bound: &Bound, upper: bool) -> Edit<Ranged> {
        let arithmetic = &self.arithmetic;
        let mut sum = arithmetic.constant(0)?;
        for (entry, param) in bound.row[1..].iter().zip(&self.params) {
            let term = arithmetic.mul(*param, arithmetic.constant(i128::from(*entry))?)?;
            sum = arithmetic.add(sum, term)?;
        }
        // floor for upper bounds, ceil(a/d) = floor((a+d-1)/d) for lower ones
        let rounding = if upper { 0 } else { i128::from(bound.divisor - 1) };
        let sum = arithmetic.add(sum, arithmetic.constant(i128::from(bound.row[0]) + rounding)?)?;
        arithmetic.floor_div(sum, bound.divisor)
    }

    /// The least and greatest value.
    fn extremes(&self, extremes: &Extremes) -> Edit<Range> {
        let arithmetic = &self.arithmetic;
        let mut result: Option<Range> = None;
        for (lower, upper) in &extremes.disjuncts {
            let mut low: Option<Ranged> = None;
            for bound in lower {
                let value = self.bound(bound, false)?;
                low = Some(low.map_or(Ok(value), |known| arithmetic.max(known, value))?);
            }
            let mut high: Option<Ranged> = None;
            for bound in upper {
                let value = self.bound(bound, true)?;
                high = Some(high.map_or(Ok(value), |known| arithmetic.min(known, value))?);
            }
            let (Some(low), Some(high)) = (low, high) else { return Err(EditError::new("an unbounded expression")) };
            result = Some(match result {
                None => (low, high),
                Some((a, b)) => (arithmetic.min(a, low)?, arithmetic.max(b, high)?),
            });
        }
        // A domain without points has no extremes; an empty range asks nothing.
        match result {
            Some(range) => Ok(range),
            None => Ok((arithmetic.constant(0)?, arithmetic.constant(-1)?)),
        }
    }

    pub(super) fn range(&self, plan: &RangePlan) -> Edit<Range> {
        let arithmetic = &self.arithmetic;
        let zero = arithmetic.constant(0)?;
        let mut sum = (zero, zero);
        for ((factor, content), extremes) in plan {
            let term = Poly::term(factor.clone(), *content).ok_or_else(|| EditError::new("a factor out of range"))?;
            let (low, high) = self.extremes(extremes)?;
            let product = self.poly(&term)?;
            let (a, b) = (arithmetic.mul(product, low)?, arithmetic.mul(product, high)?);
            let (low, high) = match product {
                Ranged { low: 0.., .. } => (a, b),
                Ranged { high: ..=0, .. } => (b, a),
                _ => (arithmetic.min(a, b)?, arithmetic.max(a, b)?),
            };
            sum = (arithmetic.add(sum.0, low)?, arithmetic.add(sum.1, high)?);
        }
        Ok(sum)
    }

    /// The value of a polynomial over parameters.
    fn poly(&self, poly: &Poly) -> Edit<Ranged> {
        let arithmetic = &self.arithmetic;
        let mut sum = arithmetic.constant(0)?;
        for (monomial, coefficient) in poly.terms() {
            let mut product = arithmetic.constant(coefficient)?;
            for symbol in monomial {
                let Sym::Param(index) = symbol else { return Err(EditError::new("an iterator in a guard")) };
                product = arithmetic.mul(product, self.params[*index])?;
            }
            sum = arithmetic.add(sum, product)?;
        }
        Ok(sum)
    }
}
