//! The run-time guard: when is the model true, and is there enough work?
//!
//! The guard is straight-line arithmetic over the parameters, in front of the region:
//! 1. every parameter lies within +-2^k, so that nothing below and nothing in the generated code overflows;
//! 2. the number of iterations is worth it;
//! 3. every assumption on ranges and shapes that was not proved holds for all iterations;
//! 4. the byte ranges that different arrays touch do not overlap, where alias analysis could not tell.
//!
//! "For all iterations" is decided by bounds: the extremes of an affine expression over a domain are bounds on a new
//! dimension after the iterators are projected out. A product of parameters is taken as a factor. All bounds are
//! safe: they may be too wide (then the original loop runs without need), never too narrow.
//! Arithmetic is in 128 bits; k is chosen so that it cannot overflow there, and affine expressions of parameters, with
//! coefficients below 2^20, fit 64 bits.

use crate::detect::reasons::Reason;
use crate::detect::scev::UNLIMITED;
use crate::host::{Edit, EditError, Editor, IntOp, IntPredicate, Value};
use crate::model::PARAM_LIMIT_BITS;
use crate::model::poly::{Monomial, Poly, Sym};
use crate::model::scop::{Scop, Storage};
use crate::model::sets::{Frame, library_error};
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::Set;
use tessera_polyhedral::space::DimKind;

/// Stands for the value that is bounded; no loop has this index.
const VALUE: Sym = Sym::Iv(usize::MAX);

/// One bound: an affine expression of the parameters divided by a positive number.
#[derive(Clone, Debug)]
struct Bound {
    row: Vec<i64>,
    divisor: i64,
}

/// The bounds of an expression over a domain: per disjunct of the domain, lower and upper bounds that all hold.
#[derive(Clone, Debug)]
struct Extremes {
    disjuncts: Vec<(Vec<Bound>, Vec<Bound>)>,
}

/// A polynomial's range: parameter products with their constant factors, and the extremes of their cofactors.
type RangePlan = Vec<((Monomial, i128), Extremes)>;

/// Everything the guard will check, computed before any IR is built.
#[derive(Clone, Debug)]
pub struct GuardPlan {
    limit_bits: u32,
    /// Per nest that was transformed: the extremes of its induction variables.
    work: Vec<Vec<Extremes>>,
    min_work: u64,
    /// low <= range <= high
    ranges: Vec<(RangePlan, i128, i128)>,
    /// 0 <= range, range + count <= size
    shapes: Vec<(RangePlan, i128, Poly)>,
    /// Byte ranges per array, for those in some pair.
    extents: Vec<(usize, Vec<(RangePlan, i128)>)>,
    pairs: Vec<(usize, usize)>,
}

impl GuardPlan {
    /// Plans the checks of a region. `nests` are the statements of each transformed nest.
    pub fn new(scop: &Scop, nests: &[Vec<usize>], min_work: u64, budget: &Budget) -> Result<Self, Reason> {
        let mut degree = 1;
        let mut plan = Self {
            limit_bits: 0,
            work: Vec::new(),
            min_work,
            ranges: Vec::new(),
            shapes: Vec::new(),
            extents: Vec::new(),
            pairs: scop.may_overlap.clone(),
        };
        for statements in nests {
            let deepest = statements.iter().max_by_key(|s| scop.statements[**s].loops.len());
            let Some(statement) = deepest.map(|s| &scop.statements[*s]) else { continue };
            let extremes = statement
                .loops
                .iter()
                .map(|l| extremes(scop, &Poly::symbol(Sym::Iv(*l)), &statement.domain, &statement.loops, budget))
                .collect::<Result<Vec<_>, _>>()?;
            plan.work.push(extremes);
        }
        for check in &scop.checks {
            let range = range_plan(scop, &check.assumption.poly, &check.domain, &check.loops, &mut degree, budget)?;
            plan.ranges.push((range, check.assumption.low, check.assumption.high));
        }
        for check in &scop.shapes {
            let range = range_plan(scop, &check.subscript, &check.domain, &check.loops, &mut degree, budget)?;
            degree = degree.max(check.size.degree());
            plan.shapes.push((range, check.count, check.size.clone()));
        }
        for array in 0..scop.arrays.len() {
            let in_pair = plan.pairs.iter().any(|(a, b)| *a == array || *b == array);
            let parametric = scop
                .statements
                .iter()
                .flat_map(|s| &s.accesses)
                .any(|access| access.array == array && !access.offset.is_affine());
            if !matches!(scop.arrays[array].storage, Storage::Memory(_)) || !(in_pair || parametric) {
                continue;
            }
            let mut seen: Vec<(&Poly, i128, &Set)> = Vec::new();
            let mut ranges = Vec::new();
            for statement in &scop.statements {
                for access in statement.accesses.iter().filter(|access| access.array == array) {
                    let known = seen.iter().any(|(offset, count, domain)| {
                        **offset == access.offset
                            && *count == access.count
                            && domain.conjunctions().len() == statement.domain.conjunctions().len()
                            && domain.with_tuple_name(DimKind::Out, &statement.name).is_plainly_equal(&statement.domain)
                    });
                    if known {
                        continue;
                    }
                    seen.push((&access.offset, access.count, &statement.domain));
                    let range =
                        range_plan(scop, &access.offset, &statement.domain, &statement.loops, &mut degree, budget)?;
                    ranges.push((range, access.count * scop.arrays[array].unit));
                }
            }
            plan.extents.push((array, ranges));
        }
        plan.limit_bits = PARAM_LIMIT_BITS.min(104 / (degree as u32 + 1));
        Ok(plan)
    }
}

fn range_plan(
    scop: &Scop,
    poly: &Poly,
    domain: &Set,
    loops: &[usize],
    degree: &mut usize,
    budget: &Budget,
) -> Result<RangePlan, Reason> {
    let mut plan = Vec::new();
    for (factor, cofactor) in poly.by_parameters(|params| params.len() == 1) {
        *degree = (*degree).max(factor.len());
        if !cofactor.is_affine() {
            return Err(Reason::TooComplex);
        }
        // Without its content the cofactor keeps dense values, whose bounds need no divisions.
        let content = cofactor.content().max(1);
        if content >= 1 << 20 {
            return Err(Reason::TooLarge);
        }
        let primitive = cofactor.divide_exact(content);
        plan.push(((factor, content), extremes(scop, &primitive, domain, loops, budget)?));
    }
    Ok(plan)
}

/// Safe bounds of an affine polynomial over a domain.
fn extremes(scop: &Scop, poly: &Poly, domain: &Set, loops: &[usize], budget: &Budget) -> Result<Extremes, Reason> {
    let params = scop.context.space().params_space();
    let n = loops.len();
    let dims: Vec<Sym> = loops.iter().map(|l| Sym::Iv(*l)).chain([VALUE]).collect();
    let frame = Frame::new(&params, "", dims);
    let equal = poly.sub(&Poly::symbol(VALUE)).ok_or(Reason::TooLarge)?;
    let row = frame.row(&equal)?;
    // Only iterators that occur matter, with what bounds them; a constant needs no projection.
    let lifted = if poly.is_invariant() {
        Set::universe(frame.space().clone())
    } else {
        let renamed =
            domain.with_tuple_name(DimKind::Out, "").insert_dims(DimKind::Out, n, 1).map_err(library_error)?;
        renamed.with_space(frame.space()).map_err(library_error)?
    };
    let image = lifted
        .add_eq(&row)
        .project_out(DimKind::Out, 0, n, budget)
        .and_then(|set| set.overapproximate_existentials(budget))
        .and_then(|set| set.remove_redundancies(budget))
        .map_err(library_error)?;
    let n_param = params.param_names().len();
    let column = 1 + n_param;
    let mut disjuncts = Vec::new();
    for conjunction in image.conjunctions() {
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        let mut add = |row: &[Int], negate: bool| -> Result<(), Reason> {
            // A constraint that also speaks of an integer division is no bound on the value; dropping it only widens.
            if row[column + 1..].iter().any(|entry| !entry.is_zero()) {
                return Ok(());
            }
            let mut entries = Vec::with_capacity(column + 1);
            let mut total = 0u64;
            for entry in &row[..=column] {
                let value = entry.to_i64().ok_or(Reason::TooLarge)?;
                let value = if negate { value.checked_neg().ok_or(Reason::TooLarge)? } else { value };
                entries.push(value);
            }
            for value in &entries[1..] {
                total = total.saturating_add(value.unsigned_abs());
            }
            if total >= 1 << 20 || entries[0].unsigned_abs() >= 1 << 60 {
                return Err(Reason::TooLarge);
            }
            let coefficient = entries.pop().unwrap_or(0);
            // coefficient * value + row >= 0
            match coefficient {
                0 => {}
                c if c > 0 => {
                    // value >= ceil(-row / c)
                    let row = entries.iter().map(|entry| -entry).collect();
                    lower.push(Bound { row, divisor: c });
                }
                c => upper.push(Bound { row: entries, divisor: -c }),
            }
            Ok(())
        };
        for row in conjunction.ineqs() {
            add(row, false)?;
        }
        for row in conjunction.eqs() {
            add(row, false)?;
            add(row, true)?;
        }
        if lower.is_empty() || upper.is_empty() {
            return Err(Reason::TripCount);
        }
        disjuncts.push((lower, upper));
    }
    Ok(Extremes { disjuncts })
}

/// Builds the guard's arithmetic at the editor's position.
pub struct GuardCode<'e, 'a> {
    editor: &'e Editor<'a>,
    /// Parameters as `i64`.
    params: &'e [Value],
}

type Range = (Value, Value);

impl<'e, 'a> GuardCode<'e, 'a> {
    /// A builder over the parameters' values.
    pub fn new(editor: &'e Editor<'a>, params: &'e [Value]) -> Self {
        Self { editor, params }
    }

    fn wide(&self, value: i128) -> Edit<Value> {
        self.editor.const_int(128, value)
    }

    fn both(&self, a: Value, b: Value) -> Edit<Value> {
        match (a.constant_int(), b.constant_int()) {
            (Some(0), _) | (_, Some(0)) => self.editor.const_bool(false),
            (Some(_), _) => Ok(b),
            (_, Some(_)) => Ok(a),
            _ => self.editor.and(a, b),
        }
    }

    /// Parameters are small enough, and there is enough work.
    pub fn worthwhile(&self, scop: &Scop, plan: &GuardPlan) -> Edit<Value> {
        let editor = self.editor;
        let mut result = editor.const_bool(true)?;
        for (param, value) in scop.params.iter().zip(self.params) {
            let limit = 1i128 << plan.limit_bits;
            if param.range.0 < -limit {
                let low = editor.icmp(IntPredicate::Sge, *value, editor.const_int(64, -limit)?)?;
                result = self.both(result, low)?;
            }
            if param.range.1 > limit {
                let high = editor.icmp(IntPredicate::Sle, *value, editor.const_int(64, limit)?)?;
                result = self.both(result, high)?;
            }
        }
        if plan.min_work > 0 && !plan.work.is_empty() {
            let mut total = self.wide(0)?;
            for loops in &plan.work {
                let mut product = self.wide(1)?;
                // Six factors of at most 2^20 fit; deeper nests count their outer six loops.
                for extremes in loops.iter().take(6) {
                    let (low, high) = self.extremes(extremes)?;
                    let count = editor.add(editor.sub(high, low)?, self.wide(1)?)?;
                    let count = editor.smin(editor.smax(count, self.wide(0)?)?, self.wide(1 << 20)?)?;
                    product = editor.mul(product, count)?;
                }
                total = editor.add(total, product)?;
            }
            let enough = editor.icmp(IntPredicate::Sge, total, self.wide(i128::from(plan.min_work))?)?;
            result = self.both(result, enough)?;
        }
        Ok(result)
    }

    /// All assumptions hold. `base` gives the value of an array's base pointer.
    pub fn valid(&self, plan: &GuardPlan, base: impl Fn(usize) -> Value) -> Edit<Value> {
        let editor = self.editor;
        let mut result = editor.const_bool(true)?;
        for (range, low, high) in &plan.ranges {
            let (least, greatest) = self.range(range)?;
            let above = editor.icmp(IntPredicate::Sge, least, self.wide(*low)?)?;
            result = self.both(result, above)?;
            if *high != UNLIMITED {
                let below = editor.icmp(IntPredicate::Sle, greatest, self.wide(*high)?)?;
                result = self.both(result, below)?;
            }
        }
        for (range, count, size) in &plan.shapes {
            let (least, greatest) = self.range(range)?;
            let above = editor.icmp(IntPredicate::Sge, least, self.wide(0)?)?;
            let end = editor.add(greatest, self.wide(*count)?)?;
            let below = editor.icmp(IntPredicate::Sle, end, self.poly(size)?)?;
            result = self.both(result, self.both(above, below)?)?;
        }
        let mut extents: Vec<(usize, Range)> = Vec::new();
        for (array, ranges) in &plan.extents {
            let mut extent: Option<Range> = None;
            for (range, bytes) in ranges {
                let (low, high) = self.range(range)?;
                let end = editor.add(high, self.wide(*bytes)?)?;
                extent = Some(match extent {
                    None => (low, end),
                    Some((a, b)) => (editor.smin(a, low)?, editor.smax(b, end)?),
                });
            }
            let Some((low, end)) = extent else { continue };
            // Distances this large would wrap around the address space.
            let above = editor.icmp(IntPredicate::Sge, low, self.wide(-(1 << 62))?)?;
            let below = editor.icmp(IntPredicate::Sle, end, self.wide(1 << 62)?)?;
            result = self.both(result, self.both(above, below)?)?;
            extents.push((*array, (low, end)));
        }
        for (left, right) in &plan.pairs {
            let find = |array: usize| extents.iter().find(|(other, _)| *other == array).map(|(_, range)| *range);
            let (Some(a), Some(b)) = (find(*left), find(*right)) else {
                return Err(EditError::new("an array without extent"));
            };
            let start = |array: usize| editor.zext(editor.ptrtoint(base(array), 64)?, 128);
            let (start_a, start_b) = (start(*left)?, start(*right)?);
            let a_first = editor.icmp(IntPredicate::Sle, editor.add(start_a, a.1)?, editor.add(start_b, b.0)?)?;
            let b_first = editor.icmp(IntPredicate::Sle, editor.add(start_b, b.1)?, editor.add(start_a, a.0)?)?;
            result = self.both(result, editor.or(a_first, b_first)?)?;
        }
        Ok(result)
    }

    /// The value of an affine row over the parameters, divided; rounded towards the inside of the bound.
    fn bound(&self, bound: &Bound, upper: bool) -> Edit<Value> {
        let editor = self.editor;
        let mut sum = editor.const_int(64, i128::from(bound.row[0]))?;
        for (entry, param) in bound.row[1..].iter().zip(self.params) {
            if *entry != 0 {
                let term = editor.mul(*param, editor.const_int(64, i128::from(*entry))?)?;
                sum = editor.add(sum, term)?;
            }
        }
        if bound.divisor == 1 {
            return Ok(sum);
        }
        // floor for upper bounds, ceil(a/d) = floor((a+d-1)/d) for lower ones
        let d = i128::from(bound.divisor);
        let sum = if upper { sum } else { editor.add(sum, editor.const_int(64, d - 1)?)? };
        let zero = editor.const_int(64, 0)?;
        let lowered = editor.sub(sum, editor.const_int(64, d - 1)?)?;
        let negative = editor.icmp(IntPredicate::Slt, sum, zero)?;
        let dividend = editor.select(negative, lowered, sum)?;
        editor.int_op(IntOp::SDiv, dividend, editor.const_int(64, d)?, "bound")
    }

    /// The least and greatest value, in 128 bits.
    fn extremes(&self, extremes: &Extremes) -> Edit<Range> {
        let editor = self.editor;
        let mut result: Option<Range> = None;
        for (lower, upper) in &extremes.disjuncts {
            let mut low = None;
            for bound in lower {
                let value = self.bound(bound, false)?;
                low = Some(match low {
                    None => value,
                    Some(known) => editor.smax(known, value)?,
                });
            }
            let mut high = None;
            for bound in upper {
                let value = self.bound(bound, true)?;
                high = Some(match high {
                    None => value,
                    Some(known) => editor.smin(known, value)?,
                });
            }
            let (Some(low), Some(high)) = (low, high) else { return Err(EditError::new("an unbounded expression")) };
            result = Some(match result {
                None => (low, high),
                Some((a, b)) => (editor.smin(a, low)?, editor.smax(b, high)?),
            });
        }
        // A domain without points has no extremes; an empty range asks nothing.
        let (low, high) = match result {
            Some(range) => range,
            None => (editor.const_int(64, 0)?, editor.const_int(64, -1)?),
        };
        Ok((editor.sext(low, 128)?, editor.sext(high, 128)?))
    }

    fn range(&self, plan: &RangePlan) -> Edit<Range> {
        let editor = self.editor;
        let mut sum = (self.wide(0)?, self.wide(0)?);
        for ((factor, content), extremes) in plan {
            let (mut low, mut high) = self.extremes(extremes)?;
            if !factor.is_empty() || *content != 1 {
                let term =
                    Poly::term(factor.clone(), *content).ok_or_else(|| EditError::new("a factor out of range"))?;
                let product = self.poly(&term)?;
                let (a, b) = (editor.mul(product, low)?, editor.mul(product, high)?);
                low = editor.smin(a, b)?;
                high = editor.smax(a, b)?;
            }
            sum = (editor.add(sum.0, low)?, editor.add(sum.1, high)?);
        }
        Ok(sum)
    }

    /// The value of a polynomial over parameters, in 128 bits.
    fn poly(&self, poly: &Poly) -> Edit<Value> {
        let editor = self.editor;
        let mut sum = self.wide(0)?;
        for (monomial, coefficient) in poly.terms() {
            let mut product = self.wide(coefficient)?;
            for symbol in monomial {
                let Sym::Param(index) = symbol else { return Err(EditError::new("an iterator in a guard")) };
                product = editor.mul(product, editor.sext(self.params[*index], 128)?)?;
            }
            sum = editor.add(sum, product)?;
        }
        Ok(sum)
    }
}
