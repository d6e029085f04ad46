//! The code of the guard: what [`GuardPlan`] checks, as straight-line arithmetic in words.
//!
//! Nothing here can trap, so that all of it may run whatever the parameters are. Products that are too large (`checked_arithmetic`), and
//! parameters that leave the limits which all intervals build on, make the guard fail. What the program may not look at is frozen
//! before it is compared: parameters, and pointers.

use crate::emit::checked_arithmetic::{Arithmetic, Ranged};
use crate::emit::conditions::{Conditions, Subject};
use crate::emit::extremes::{Bound, Disjunct, Extremes, RangePlan};
use crate::emit::guard::{GuardPlan, NeedPlan};
use crate::emit::params::ParamValue;
use crate::formula::poly::{Poly, Sym};
use crate::host::{Edit, EditError, Editor, IntOp, IntPredicate, TypeKind, Value};
use crate::model::scop::Scop;
use crate::model::spaces::distance_bits;
use std::cell::RefCell;

/// Iterations of one loop, and of a nest, beyond this power of two count as this many, in words of 32 and of 64 bits.
const MANY_LOG2: [[u32; 2]; 2] = [[12, 18], [20, 40]];

/// Byte distances from the base of an array beyond this would come near wrapping around, where distances have so many bits.
fn farthest(bits: u32) -> i128 {
    if bits >= 64 { 1 << 61 } else { 1 << (bits - 2) }
}

pub(super) type Range = (Ranged, Ranged);

/// Per array, by index.
pub(super) type Extents = Vec<(usize, Range)>;

/// The least number whose power is so much.
fn root(power: u128, exponent: usize) -> i128 {
    let is_less = |base: &i128| {
        (0..exponent).try_fold(1u128, |all, _| all.checked_mul(base.unsigned_abs())).is_some_and(|all| all < power)
    };
    // Half an interval is left each time.
    let (mut low, mut high) = (0, i128::from(u64::MAX));
    while low < high {
        let middle = (low + high) / 2;
        if is_less(&middle) { low = middle + 1 } else { high = middle }
    }
    low
}

/// The value, known to lie within the greatest distances.
fn near(value: Ranged, bits: u32) -> Ranged {
    let farthest = farthest(bits);
    Ranged { low: value.low.clamp(-farthest, farthest), high: value.high.clamp(-farthest, farthest), ..value }
}

/// Builds the guard at the editor's position.
pub struct GuardCode<'e, 'a> {
    pub(super) arithmetic: Arithmetic<'e, 'a>,
    params: Vec<Ranged>,
    /// What `extents` built: the check comes before the guard, so the guard may use it.
    extents: RefCell<Option<(Extents, Value)>>,
}

impl<'e, 'a> GuardCode<'e, 'a> {
    /// A builder over the parameters' values, as words.
    pub fn new(editor: &'e Editor<'a>, plan: &GuardPlan, params: &[Value]) -> Self {
        let ranged = |(value, (low, high)): (&Value, &(i128, i128))| Ranged { value: *value, low: *low, high: *high };
        let params = params.iter().zip(&plan.params).map(ranged).collect();
        Self { arithmetic: Arithmetic::new(editor), params, extents: RefCell::default() }
    }

    /// There is enough work, on enough data: what short calls ask first, and only that. That parameters are small enough is asked with all
    /// assumptions; where they are not, the answer here is any, but defined.
    pub fn worthwhile(&self, scop: &Scop, plan: &GuardPlan) -> Edit<Conditions> {
        let mut result = Conditions::default();
        self.add_work(plan, &mut result)?;
        self.add_gains(scop, plan, &mut result)?;
        self.without_failure(&mut result)?;
        Ok(result)
    }

    /// The same without what the new order of the host needs: a device has another one.
    pub fn enough_work(&self, plan: &GuardPlan) -> Edit<Conditions> {
        let mut result = Conditions::default();
        self.add_work(plan, &mut result)?;
        self.without_failure(&mut result)?;
        Ok(result)
    }

    /// What the new order of the host needs beside [`Self::enough_work`].
    pub fn gains(&self, scop: &Scop, plan: &GuardPlan) -> Edit<Conditions> {
        let mut result = Conditions::default();
        self.add_gains(scop, plan, &mut result)?;
        self.without_failure(&mut result)?;
        Ok(result)
    }

    /// Parameters are small enough for all intervals to hold.
    fn add_limits(&self, scop: &Scop, plan: &GuardPlan, values: &[ParamValue], result: &mut Conditions) -> Edit<()> {
        let limit = 1 << plan.limit_bits;
        for (index, (param, value)) in scop.params.iter().zip(values).enumerate() {
            let believed = (param.range.0.max(-limit), param.range.1.min(limit));
            // What is known without a check.
            let certain = if param.is_certain { param.range } else { param.type_range() };
            result.push(Subject::Parameter(index), self.is_between(value.exact, certain, believed)?);
        }
        Ok(())
    }

    /// Whether a loop runs often enough.
    fn runs_often(&self, NeedPlan { need, values, short_values }: &NeedPlan) -> Edit<Value> {
        let arithmetic = &self.arithmetic;
        let last = self.last_of(values)?;
        let takes = |least: u64| arithmetic.within(last, i128::from(least) - 1, i128::MAX);
        let enough = takes(need.least)?;
        let Some(short) = need.instead else { return Ok(enough) };
        let is_short = arithmetic.within(self.last_of(short_values)?, i128::MIN, i128::from(short.most) - 1)?;
        arithmetic.editor.either(enough, arithmetic.editor.both(is_short, takes(short.least)?)?)
    }

    /// Whether elements are copied that may be used in place.
    pub fn is_copied(&self, plan: &GuardPlan) -> Edit<Value> {
        let editor = self.arithmetic.editor;
        let all = plan.copied_if.iter().map(|need| self.runs_often(need));
        all.into_iter().try_fold(editor.const_bool(true)?, |all, one| editor.both(all, one?))
    }

    fn add_gains(&self, scop: &Scop, plan: &GuardPlan, result: &mut Conditions) -> Edit<()> {
        let arithmetic = &self.arithmetic;
        for (index, need) in plan.needs.iter().enumerate() {
            result.push(Subject::Need(index), self.runs_often(need)?);
        }
        if let Some(least) = plan.footprint {
            let mut total = arithmetic.constant(0)?;
            for (array, (low, end)) in self.extents(scop, plan)?.0 {
                let bytes = arithmetic.sub(end, low)?;
                let bytes = match &plan.rows {
                    Some(rows) => self.bytes_in_rows(scop, rows, array, bytes)?,
                    None => bytes,
                };
                total = arithmetic.add(total, bytes)?;
            }
            let wanted = i128::from(least).min(self.many_bytes());
            let enough = match plan.only_tiled && total.value.constant_int().is_none() {
                true => arithmetic.editor.const_bool(false)?,
                false => arithmetic.within(total, wanted, i128::MAX)?,
            };
            result.push(Subject::Data, enough);
        }
        Ok(())
    }

    /// Some nest has an iteration, and all together have enough.
    ///
    /// The former is asked for whatever the least work is. The program may leave sizes undefined where nothing is to be done: for
    /// `for (t = 0; t < times; t++) for (i = 0; i < n; i++)`, with `times` at zero, `n` may be any number after it is frozen, and new
    /// code with `i` outside would count to it. It is asked first, of one loop after the other: the memory sanitizer, which sees
    /// through a freeze that is optimised away, takes a conjunction for defined where one part is false and defined, but a product with a
    /// factor of zero, as `times * n`, for undefined.
    fn add_work(&self, plan: &GuardPlan, result: &mut Conditions) -> Edit<()> {
        if plan.work.is_empty() {
            return Ok(());
        }
        let arithmetic = &self.arithmetic;
        let many_log2 = MANY_LOG2[usize::from(arithmetic.bits >= 64)];
        if let Some((low, high)) = self.of_equal_loops(plan)? {
            // Calls of the least products of matrices notice two multiplications. Enough iterations are some, and one size cannot leave another one
            // undefined, so that nothing has to be asked before.
            let wanted = u128::from(plan.min_work.min(1 << many_log2[1]));
            let least = root(wanted, plan.work[0].len());
            result
                .push(Subject::Work, arithmetic.at_most(arithmetic.add(low, arithmetic.constant(least - 1)?)?, high)?);
            return Ok(());
        }
        let (any_nest, total) = self.count(plan)?;
        result.push(Subject::AnyWork, any_nest);
        if plan.min_work > 0 {
            let wanted = i128::from(plan.min_work).min(1 << many_log2[1]);
            result.push(Subject::Work, arithmetic.within(total, wanted, i128::MAX)?);
        }
        Ok(())
    }

    /// Whether some nest has an iteration, and about how many statement instances all have together, if the least number of them is not 0.
    fn count(&self, plan: &GuardPlan) -> Edit<(Value, Ranged)> {
        let (arithmetic, editor) = (&self.arithmetic, self.arithmetic.editor);
        let many_log2 = MANY_LOG2[usize::from(arithmetic.bits >= 64)];
        let [few, many] = many_log2.map(|bits| arithmetic.constant(1 << bits));
        let (few, many) = (few?, many?);
        let zero = arithmetic.constant(0)?;
        let mut total = zero;
        let mut any_nest = editor.const_bool(false)?;
        for loops in &plan.work {
            let mut product = arithmetic.constant(1)?;
            let mut all_loops = editor.const_bool(true)?;
            for extremes in loops {
                let ((low, high), has_points) = self.extremes_and_points(extremes)?;
                all_loops = editor.both(all_loops, has_points)?;
                if plan.min_work > 0 {
                    let count = arithmetic.add(arithmetic.sub(high, low)?, arithmetic.constant(1)?)?;
                    let count = arithmetic.min(arithmetic.max(count, zero)?, few)?;
                    product = arithmetic.mul(arithmetic.min(product, many)?, count)?;
                }
            }
            any_nest = editor.either(any_nest, all_loops)?;
            // The same number, but defined where a loop has no iterations. A single nest needs that less: what it multiplies is looked at
            // together with `any_nest`.
            if plan.work.len() > 1 {
                (product, _) = arithmetic.chosen(all_loops, (product, zero), (zero, zero))?;
            }
            total = arithmetic.add(arithmetic.min(total, many)?, arithmetic.min(product, many)?)?;
        }
        Ok((any_nest, total))
    }

    /// About how many statement instances there are; `None` if that is not asked.
    pub(super) fn work(&self, plan: &GuardPlan) -> Edit<Option<Ranged>> {
        let is_asked = plan.min_work > 0 && !plan.work.is_empty();
        is_asked.then(|| Ok(self.count(plan)?.1)).transpose()
    }

    /// The least and greatest value of the counters of a single nest whose loops all run equally often, as those of a product of square matrices.
    fn of_equal_loops(&self, plan: &GuardPlan) -> Edit<Option<Range>> {
        let [loops] = &plan.work[..] else { return Ok(None) };
        let Some((first, others)) = loops.split_first() else { return Ok(None) };
        let [only] = &first.disjuncts[..] else { return Ok(None) };
        if plan.min_work == 0 || !only.needs.is_empty() || others.iter().any(|other| other != first) {
            return Ok(None);
        }
        Ok(Some(self.extremes_of(only)?))
    }

    /// The last value of a counter that starts at zero, as it takes as many: -1 if it takes none. Of several statements in the loop the one
    /// that has most counts.
    fn last_of(&self, values: &[Extremes]) -> Edit<Ranged> {
        let arithmetic = &self.arithmetic;
        let mut last = arithmetic.constant(-1)?;
        for counter in values {
            let (low, high) = self.extremes(counter)?;
            last = arithmetic.max(last, arithmetic.sub(high, low)?)?;
        }
        Ok(last)
    }

    /// Whether a number of any width, which is known to lie in a range, lies in another one.
    fn is_between(&self, value: Value, known: (i128, i128), (low, high): (i128, i128)) -> Edit<Value> {
        let editor = self.arithmetic.editor;
        let bits = value.ty().int_bits().ok_or_else(|| EditError::new("a parameter that is no number"))?;
        let mut result = editor.const_bool(known.0 <= high && low <= known.1)?;
        if known.0 < low && low <= known.1 {
            result = editor.both(result, editor.icmp(IntPredicate::Sle, editor.const_int(bits, low)?, value)?)?;
        }
        if known.1 > high && high >= known.0 {
            result = editor.both(result, editor.icmp(IntPredicate::Sle, value, editor.const_int(bits, high)?)?)?;
        }
        Ok(result)
    }

    /// All assumptions hold. `base` gives the value of an array's base pointer, `outside` that of another pointer.
    pub fn valid(
        &self,
        scop: &Scop,
        (plan, values): (&GuardPlan, &[ParamValue]),
        base: impl Fn(usize) -> Value,
        outside: impl Fn(Value) -> Value,
    ) -> Edit<Conditions> {
        let arithmetic = &self.arithmetic;
        let mut result = Conditions::default();
        self.add_limits(scop, plan, values, &mut result)?;
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
        let (extents, near) = self.extents(scop, plan)?;
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
    pub(super) fn extents(&self, scop: &Scop, plan: &GuardPlan) -> Edit<(Extents, Value)> {
        if let Some(known) = &*self.extents.borrow() {
            return Ok(known.clone());
        }
        let arithmetic = &self.arithmetic;
        let mut near_base = arithmetic.editor.const_bool(true)?;
        let mut extents = Extents::new();
        for (array, ranges) in &plan.extents {
            let Some((low, end)) = self.union(ranges)? else { continue };
            let bits = distance_bits(&arithmetic.editor.analyses(), scop.arrays[*array].storage, arithmetic.bits);
            near_base = arithmetic.editor.both(near_base, self.are_near((low, end), bits)?)?;
            // Where these checks hold, both lie between the limits, unless `end < low`: then nothing is touched, and any
            // answer is right.
            extents.push((*array, (near(low, bits), near(end, bits))));
        }
        *self.extents.borrow_mut() = Some((extents.clone(), near_base));
        Ok((extents, near_base))
    }

    pub(super) fn union(&self, ranges: &[(RangePlan, i128)]) -> Edit<Option<Range>> {
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

    fn are_near(&self, (low, end): Range, bits: u32) -> Edit<Value> {
        let low = self.arithmetic.within(low, -farthest(bits), i128::MAX)?;
        self.arithmetic.editor.both(low, self.arithmetic.within(end, i128::MIN, farthest(bits))?)
    }

    /// Whether some ranges, as distances from a pointer, are far from wrapping around.
    pub(super) fn is_near(&self, ranges: &[(RangePlan, i128)], pointer: Value) -> Edit<Value> {
        match self.union(ranges)? {
            Some(range) => self.are_near(range, self.address_bits(pointer).min(self.arithmetic.bits)),
            None => self.arithmetic.editor.const_bool(true),
        }
    }

    /// What contains ranges, as distances from a pointer, of which that has been checked.
    pub(super) fn hull(&self, ranges: &[(RangePlan, i128)], pointer: Value) -> Edit<Range> {
        let range = self.union(ranges)?.ok_or_else(|| EditError::new("a hull of nothing"))?;
        let bits = self.address_bits(pointer).min(self.arithmetic.bits);
        Ok((near(range.0, bits), near(range.1, bits)))
    }

    /// The width of the addresses that a pointer is one of.
    pub(super) fn address_bits(&self, pointer: Value) -> u32 {
        match pointer.ty().kind() {
            TypeKind::Pointer(space) => self.arithmetic.editor.analyses().index_bits(space),
            _ => self.arithmetic.bits,
        }
    }

    /// The address that a pointer is, or some number where the program might have no use for it: then it is never used.
    pub(super) fn address(&self, pointer: Value) -> Edit<Value> {
        let editor = self.arithmetic.editor;
        let fixed = if editor.analyses().is_defined(pointer, None) { pointer } else { editor.freeze(pointer)? };
        editor.ptrtoint(fixed, self.address_bits(pointer))
    }

    /// Two byte ranges, as distances from pointers, have no byte in common.
    ///
    /// On the circle of 2^w addresses, with the first range at 0 .. `m` and the second at `x` .. `x + n`, that is
    /// `m <= x <= 2^w - n`, or `x - m <= 2^w - n - m` without sign. The lengths are at most 2^(w-1); a length below zero is
    /// that of a range that is never touched. Both pointers are of one address space (`model::spaces`).
    pub(super) fn apart(
        &self,
        (a, (a_low, a_end)): (Value, Range),
        (b, (b_low, b_end)): (Value, Range),
    ) -> Edit<Value> {
        let arithmetic = &self.arithmetic;
        let editor = arithmetic.editor;
        let (m, n) = (arithmetic.sub(a_end, a_low)?, arithmetic.sub(b_end, b_low)?);
        let bits = self.address_bits(a);
        let moved = editor.sub(self.address(b)?, self.address(a)?)?;
        let shift = arithmetic.sub(b_low, a_low)?;
        let [m, n, by] = [m, n, shift].map(|number| editor.sext_or_trunc(number.value, bits));
        let (m, n) = (m?, n?);
        let x = if (shift.low, shift.high) == (0, 0) { moved } else { editor.add(moved, by?)? };
        let beyond = editor.sub(x, m)?;
        let room = editor.sub(editor.const_int(bits, 0)?, editor.add(m, n)?)?;
        editor.icmp(IntPredicate::Ule, beyond, room)
    }

    /// Adds that nothing was too large on the way to the conditions.
    fn without_failure(&self, conditions: &mut Conditions) -> Edit<()> {
        let right = self.not_failed()?;
        if right.constant_int().is_none_or(|known| known == 0) {
            conditions.push(Subject::Intermediate, right);
        }
        Ok(())
    }

    /// Whether nothing was too large that was computed since the last question: to be asked in every block in which something is computed.
    pub(super) fn not_failed(&self) -> Edit<Value> {
        let editor = self.arithmetic.editor;
        match self.arithmetic.take_failed() {
            Some(failed) => editor.int_op(IntOp::Xor, failed, editor.const_bool(true)?, "right"),
            None => editor.const_bool(true),
        }
    }

    /// The values of a disjunct's quotients.
    fn quotients(&self, disjunct: &Disjunct) -> Edit<Vec<Ranged>> {
        disjunct.quotients.iter().map(|quotient| self.bound(quotient, &[], true)).collect()
    }

    /// The value of an affine row over the parameters and quotients, divided; rounded towards the inside of the bound.
    fn bound(&self, bound: &Bound, quotients: &[Ranged], upper: bool) -> Edit<Ranged> {
        let arithmetic = &self.arithmetic;
        let mut sum = arithmetic.constant(0)?;
        for (entry, param) in bound.row[1..].iter().zip(self.params.iter().chain(quotients)) {
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
        match extremes.disjuncts.as_slice() {
            [only] => self.extremes_of(only),
            _ => Ok(self.extremes_and_points(extremes)?.0),
        }
    }

    /// The least and greatest value, and whether there are values at all; bounds that are too wide may say so where there are none.
    fn extremes_and_points(&self, extremes: &Extremes) -> Edit<(Range, Value)> {
        let (arithmetic, editor) = (&self.arithmetic, self.arithmetic.editor);
        // The range of the disjuncts so far, and whether they have points.
        let mut known: Option<(Range, Value)> = None;
        for disjunct in &extremes.disjuncts {
            let (low, high) = self.extremes_of(disjunct)?;
            let has_points = editor.both(self.may_have_points(disjunct)?, arithmetic.at_most(low, high)?)?;
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
            Some(known) => Ok(known),
            None => Ok(((arithmetic.constant(0)?, arithmetic.constant(-1)?), editor.const_bool(false)?)),
        }
    }

    /// The least and greatest value in a disjunct that has points.
    fn extremes_of(&self, disjunct: &Disjunct) -> Edit<Range> {
        let arithmetic = &self.arithmetic;
        let quotients = self.quotients(disjunct)?;
        let mut low: Option<Ranged> = None;
        for bound in &disjunct.lower {
            let value = self.bound(bound, &quotients, false)?;
            low = Some(low.map_or(Ok(value), |known| arithmetic.max(known, value))?);
        }
        let mut high: Option<Ranged> = None;
        for bound in &disjunct.upper {
            let value = self.bound(bound, &quotients, true)?;
            high = Some(high.map_or(Ok(value), |known| arithmetic.min(known, value))?);
        }
        low.zip(high).ok_or_else(|| EditError::new("an unbounded expression"))
    }

    /// Whether a disjunct has points, as far as its parameters alone tell.
    fn may_have_points(&self, disjunct: &Disjunct) -> Edit<Value> {
        let arithmetic = &self.arithmetic;
        // None of these speaks of quotients.
        disjunct.needs.iter().try_fold(arithmetic.editor.const_bool(true)?, |result, need| {
            let holds = arithmetic.at_most(arithmetic.constant(0)?, self.bound(need, &[], true)?)?;
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
                    let negative = editor.icmp(IntPredicate::Slt, product.value, editor.const_word(0)?)?;
                    arithmetic.chosen(negative, (b, a), (a, b))?
                }
            };
            sum = (arithmetic.add(sum.0, low)?, arithmetic.add(sum.1, high)?);
        }
        Ok(sum)
    }

    /// The value of a polynomial over parameters.
    pub(super) fn poly(&self, poly: &Poly) -> Edit<Ranged> {
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
