//! The code of the guard: what [`GuardPlan`] checks, as straight-line arithmetic in 64 bits.
//!
//! Nothing here can trap, so that all of it may run whatever the parameters are. Products beyond 2^60, and
//! parameters that leave the limits which all intervals build on, make the guard fail.

use crate::emit::conditions::{Conditions, Subject};
use crate::emit::guard::{Bound, Disjunct, Extremes, GuardPlan, RangePlan};
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
    pub fn worthwhile(&self, scop: &Scop, plan: &GuardPlan) -> Edit<Conditions> {
        let arithmetic = &self.arithmetic;
        let mut result = Conditions::default();
        for (index, (param, known)) in scop.params.iter().zip(&self.params).enumerate() {
            // What is known without a check is the range of the type.
            let anything = Ranged { value: known.value, low: param.range.0, high: param.range.1 };
            let limit = 1 << PARAM_LIMIT_BITS;
            result.push(Subject::Parameter(index), arithmetic.within(anything, -limit, limit)?);
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
            result.push(Subject::Work, arithmetic.within(total, wanted, i128::MAX)?);
        }
        for (counter, least) in &plan.long {
            let (low, high) = self.extremes(counter)?;
            let last = arithmetic.sub(high, low)?;
            result.push(Subject::Work, arithmetic.within(last, i128::from(*least) - 1, i128::MAX)?);
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
            let enough = match plan.only_tiled && total.value.constant_int().is_none() {
                true => arithmetic.editor.const_bool(false)?,
                false => arithmetic.within(total, wanted, i128::MAX)?,
            };
            result.push(Subject::Data, enough);
        }
        self.without_failure(&mut result)?;
        Ok(result)
    }

    /// All assumptions hold. `base` gives the value of an array's base pointer, `outside` that of another pointer.
    pub fn valid(
        &self,
        scop: &Scop,
        plan: &GuardPlan,
        base: impl Fn(usize) -> Value,
        outside: impl Fn(Value) -> Value,
    ) -> Edit<Conditions> {
        let arithmetic = &self.arithmetic;
        let mut result = Conditions::default();
        for (index, (range, low, high)) in plan.ranges.iter().enumerate() {
            let (least, greatest) = self.range(range)?;
            let above = arithmetic.within(least, *low, i128::MAX)?;
            let inside = arithmetic.editor.both(above, arithmetic.within(greatest, i128::MIN, *high)?)?;
            result.push(Subject::Range(index), self.unless_empty(range, inside)?);
        }
        for (index, (range, count, size)) in plan.shapes.iter().enumerate() {
            let (least, greatest) = self.range(range)?;
            let end = arithmetic.add(greatest, arithmetic.constant(*count)?)?;
            let above = arithmetic.within(least, 0, i128::MAX)?;
            let inside = arithmetic.editor.both(above, arithmetic.at_most(end, self.poly(size)?)?)?;
            result.push(Subject::Shape(index), self.unless_empty(range, inside)?);
        }
        let (extents, near) = self.extents(plan)?;
        result.push(Subject::Distances, near);
        let find = |array: usize| extents.iter().find(|(other, _)| *other == array).map(|(_, range)| *range);
        for (index, bytes) in plan.protected.iter().enumerate() {
            let kept = (arithmetic.constant(bytes.low)?, arithmetic.constant(bytes.end)?);
            for array in &bytes.arrays {
                let written = find(*array).ok_or_else(|| EditError::new("an array without extent"))?;
                let apart = self.apart((outside(bytes.base), kept), (base(*array), written))?;
                result.push(Subject::Protected(index), apart);
            }
        }
        if let Some(rows) = &plan.rows {
            result.push(Subject::Tables, self.tables_apart(scop, (rows, plan), &base, &outside)?);
        }
        for (left, right) in &plan.pairs {
            let (Some(a), Some(b)) = (find(*left), find(*right)) else {
                return Err(EditError::new("an array without extent"));
            };
            let apart = self.apart((base(*left), a), (base(*right), b))?;
            result.push(Subject::Pair(*left, *right), apart);
        }
        self.without_failure(&mut result)?;
        Ok(result)
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

    /// Adds that nothing was too large on the way to the conditions.
    fn without_failure(&self, conditions: &mut Conditions) -> Edit<()> {
        let editor = self.arithmetic.editor;
        if let Some(failed) = self.arithmetic.take_failed() {
            let right = editor.int_op(IntOp::Xor, failed, editor.const_bool(true)?, "right")?;
            conditions.push(Subject::Intermediate, right);
        }
        Ok(())
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
        let editor = arithmetic.editor;
        // The range of the disjuncts so far, and whether they have points.
        let mut known: Option<(Range, Value)> = None;
        for disjunct in &extremes.disjuncts {
            let mut low: Option<Ranged> = None;
            for bound in &disjunct.lower {
                let value = self.bound(bound, false)?;
                low = Some(low.map_or(Ok(value), |known| arithmetic.max(known, value))?);
            }
            let mut high: Option<Ranged> = None;
            for bound in &disjunct.upper {
                let value = self.bound(bound, true)?;
                high = Some(high.map_or(Ok(value), |known| arithmetic.min(known, value))?);
            }
            let (Some(low), Some(high)) = (low, high) else { return Err(EditError::new("an unbounded expression")) };
            let has_points = match extremes.disjuncts.len() {
                1 => editor.const_bool(true)?,
                _ => editor.both(self.may_have_points(disjunct)?, arithmetic.at_most(low, high)?)?,
            };
            known = Some(match known {
                None => ((low, high), has_points),
                Some(((a, b), had_points)) => {
                    let both = (arithmetic.min(a, low)?, arithmetic.max(b, high)?);
                    let (low, high) = arithmetic.chosen(had_points, both, (low, high))?;
                    (arithmetic.chosen(has_points, (low, high), (a, b))?, editor.or(had_points, has_points)?)
                }
            });
        }
        // A domain without points has no extremes; an empty range asks nothing.
        match known {
            Some((range, _)) => Ok(range),
            None => Ok((arithmetic.constant(0)?, arithmetic.constant(-1)?)),
        }
    }

    /// Whether a disjunct has points, as far as its parameters alone tell.
    fn may_have_points(&self, disjunct: &Disjunct) -> Edit<Value> {
        let arithmetic = &self.arithmetic;
        disjunct.needs.iter().try_fold(arithmetic.editor.const_bool(true)?, |result, need| {
            let holds = arithmetic.at_most(arithmetic.constant(0)?, self.bound(need, true)?)?;
            arithmetic.editor.both(result, holds)
        })
    }

    /// A condition on all values in a range, which holds if there are none.
    fn unless_empty(&self, plan: &RangePlan, holds: Value) -> Edit<Value> {
        let editor = self.arithmetic.editor;
        let only = plan.iter().filter(|(_, extremes)| extremes.disjuncts.len() == 1);
        let disjunct = only.flat_map(|(_, extremes)| &extremes.disjuncts).find(|disjunct| !disjunct.needs.is_empty());
        match disjunct {
            Some(disjunct) if holds.constant_int().is_none_or(|holds| holds == 0) => {
                let has_points = self.may_have_points(disjunct)?;
                editor.or(holds, editor.int_op(IntOp::Xor, has_points, editor.const_bool(true)?, "empty")?)
            }
            _ => Ok(holds),
        }
    }

    pub(super) fn range(&self, plan: &RangePlan) -> Edit<Range> {
        let (arithmetic, editor) = (&self.arithmetic, self.arithmetic.editor);
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
                // Not the smaller and the larger one: a range without numbers must stay one.
                _ => {
                    let negative = editor.icmp(IntPredicate::Slt, product.value, editor.const_int(64, 0)?)?;
                    arithmetic.chosen(negative, (b, a), (a, b))?
                }
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
