//! The run-time guard: when is the model true, and is there enough work?
//!
//! The guard is straight-line arithmetic over the parameters, in front of the region:
//! 1. every parameter lies within +-2^k, so that nothing in the generated code overflows (`magnitude`), and within the range that the
//!    compiler believes it has, unless that is certain: a value that the program does not look at may be any after it is frozen;
//! 2. there are iterations at all, and their number is worth it;
//! 3. every assumption on ranges and shapes that was not proved holds for all iterations;
//! 4. the byte ranges that different arrays touch do not overlap, where alias analysis could not tell;
//! 5. the same for rows behind pointers, which loops read (`row_checks`).
//!
//! "For all iterations" is decided by bounds: the extremes of an affine expression over a domain are bounds on a new
//! dimension after the iterators are projected out. A product of parameters is taken as a factor. All bounds are
//! safe: they may be too wide (then the original loop runs without need), never too narrow.
//! This file plans the checks; `guard_code` builds them, in words: 64 bits, or 32 where addresses have no more. k is at most 40; what
//! may leave a word on the way to a check is checked itself.

use super::extremes::{Extremes, RangePlan, extremes, range_plan, ranges_of};
use super::magnitude;
use super::row_checks::RowsPlan;
use super::side_by_side::{self, SideBySide};
use crate::formula::poly::{Poly, Sym};
use crate::host::Analyses;
use crate::model::protected::Protected;
use crate::model::scop::{Scop, Storage};
use crate::model::spaces::distance_bits;
use crate::optimise::transformation::{OldOrder, Transformation};
use crate::reasons::Reason;
use tessera_polyhedral::ast::AstUnit;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::transform::Need;

/// Of what part of the least work vectors alone gain something: an iteration of theirs does what dozens of the old ones do.
const VECTORS: u64 = 16;

/// The same for iterations that are jammed. (Measured: `y = A x` with 40 rows and columns gains 2x.)
const JAMMED: u64 = 8;

/// The same where something is checked about every row of several tables. (Measured with 60 rows of 70: recursive filters from one table to
/// another lose 5 % with [`JAMMED`], products of one table and a vector gain 2x to 8x.)
const JAMMED_ROWS: u64 = 2;

/// The same for register tiles of so many copies, where nothing must be copied to buffers and rows are not behind pointers. (Measured with products of
/// n x n doubles: 1.1x to 1.2x for n = 6, 3x for n = 8.)
const REGISTER_TILE: u64 = 20;
const COPIES: i64 = 8;

/// The least number of statement instances.
fn least_work(applied: &[Transformation], rows: Option<&RowsPlan>, least: u64) -> u64 {
    let has_tables = rows.is_some_and(|rows| !rows.is_static() && rows.families.len() > 1);
    let part = |applied: &Transformation| match applied.old_order {
        Some(OldOrder::Vectors) => VECTORS,
        _ if applied.nest.jammed.is_some() && has_tables => JAMMED_ROWS,
        _ if applied.nest.jammed.is_some() => JAMMED,
        _ if rows.is_none()
            && applied.nest.packed.is_empty()
            && applied.nest.privatised.is_empty()
            && applied.nest.register_tile.iter().product::<i64>() >= COPIES =>
        {
            REGISTER_TILE
        }
        _ => 1,
    };
    least / applied.iter().map(part).min().unwrap_or(1)
}

/// Calls with fewer statement instances take so little time that registers that are saved for a guard show. (Products of 3 x 3 doubles in Rust
/// with bounds checks: 0.92 of plain.) Otherwise the guard stays outside of the new code, whose loops have more registers then (the tiles of
/// fdtd_2d lost 4 % with it).
const SHORT: u64 = 1000;

/// When new code is expected to be faster than the old.
#[derive(Clone, Copy, Debug)]
pub struct Worth {
    /// The least number of statement instances.
    pub min_work: u64,
    /// The least number of bytes touched, where all that was done is to tile across time; where it is to tile, [`TILED`] times as
    /// many, known to the compiler.
    pub footprint: u64,
    /// How many bytes are more than what lies near: of data in three dimensions tiles across time gain something from there on.
    pub far: u64,
}

/// What the target computes addresses with.
#[derive(Clone, Debug)]
pub struct Widths {
    /// The width of words: of addresses in the default address space.
    pub word: u32,
    /// Arrays, by index, whose addresses wrap around at less than 2^64.
    pub narrow: Vec<usize>,
}

impl Widths {
    /// Those of a model.
    pub fn new(host: &Analyses<'_>, scop: &Scop) -> Self {
        let word = host.index_bits(0);
        let is_narrow = |array: &usize| distance_bits(host, scop.arrays[*array].storage, word) < 64;
        Self { word, narrow: (0..scop.arrays.len()).filter(is_narrow).collect() }
    }
}

/// Of how many times the least number of bytes tiles alone gain something. Products of matrices in i, k, j measured 1.0 to 1.5 times
/// faster beyond that where all sizes are constants. Where they are not, they measured 0.7 to 1.3 times as fast, and the old loops beside
/// the new ones 0.85 to 1.0 times: both need more registers for the strides and the ends of tiles. So that is left alone.
pub const TILED: u64 = 4;

/// Tiles across time of data in three dimensions have short rows, which cost something where the data are near: they have to touch so many
/// times what the second cache takes, but not more than [`FAR`] times the least number of bytes. (Measured with heat in 42 to 100 rows: with
/// 1 MiB of second cache from 1.2 MB on 1.0 to 1.15 times as fast, with 2 MiB below 1 up to 8 MiB.)
const SECOND_CACHES: u64 = 4;

/// The most that is asked for data in three dimensions, see [`SECOND_CACHES`].
const FAR: u64 = 8;

/// What is asked for instead where all sizes of arrays are constants, as many times the least number of bytes: the compiler's own loops are
/// 1.1 to 1.5 times as fast there as with strides that it does not know. (Measured with heat in 58 to 120 rows, 1 MiB of second cache: 0.84
/// times as fast up to 8 MB, 1.0 at 12 MB, 1.3 at 21 MB.)
const FAR_IF_KNOWN: u64 = 12;

/// From how many bytes on tiles across time of data in three dimensions gain something; `second` is what the second cache takes.
pub fn far(scop: &Scop, second: Option<u64>, least: u64) -> u64 {
    if scop.arrays.iter().flat_map(|array| &array.sizes).all(|size| size.as_constant().is_some()) {
        return least.saturating_mul(FAR_IF_KNOWN);
    }
    let caches = second.map_or(u64::MAX, |bytes| bytes.saturating_mul(SECOND_CACHES));
    caches.clamp(least, least.saturating_mul(FAR))
}

/// Whether an order has tiles across time of data in three dimensions (or more).
pub fn is_in_three_dimensions(applied: &Transformation) -> bool {
    applied.nest.skews.len() > 1
}

/// The least number of bytes touched; `None` if that does not matter, as for orders that gain something else.
fn footprint(applied: &[Transformation], worth: Worth) -> Option<u64> {
    let least = worth.footprint;
    let of_nest = |applied: &Transformation| match applied.nest.skews.len() {
        0 if applied.nest.only_tiled => Some(least.saturating_mul(TILED)),
        0 => None,
        _ if !is_in_three_dimensions(applied) => Some(least),
        _ => Some(worth.far),
    };
    let bytes = applied.iter().map(of_nest).collect::<Option<Vec<u64>>>()?.into_iter().min()?;
    Some(bytes).filter(|bytes| *bytes > 0)
}

/// How many values a counter must take, with what the guard computes for it.
#[derive(Clone, Debug)]
pub(super) struct NeedPlan {
    pub(super) need: Need,
    /// The extremes of the counter, for each statement inside the loop.
    pub(super) values: Vec<Extremes>,
    /// Those of the counter of the loop that may be short instead.
    pub(super) short_values: Vec<Extremes>,
}

/// Everything the guard will check, computed before any IR is built.
#[derive(Clone, Debug)]
pub struct GuardPlan {
    /// Parameters lie within +-2^`limit_bits`.
    pub(super) limit_bits: u32,
    /// The values that each parameter can have where the guard lets the new code run.
    pub(super) params: Vec<(i128, i128)>,
    /// Per nest that was transformed: the extremes of its induction variables.
    pub(super) work: Vec<Vec<Extremes>>,
    pub(super) min_work: u64,
    /// How many values counters must take.
    pub(super) needs: Vec<NeedPlan>,
    /// The same for copies to pay whose elements may be used in place instead.
    pub(super) copied_if: Vec<NeedPlan>,
    /// How many bytes the nests must touch, if that matters.
    pub(super) footprint: Option<u64>,
    /// Whether the number of bytes has to be known without a check (see [`TILED`]).
    pub(super) only_tiled: bool,
    /// low <= range <= high
    pub(super) ranges: Vec<(RangePlan, i128, i128)>,
    /// 0 <= range, range + count <= size
    pub(super) shapes: Vec<(RangePlan, i128, Poly)>,
    /// Byte ranges per array, for those in some pair.
    pub(super) extents: Vec<(usize, Vec<(RangePlan, i128)>)>,
    pub(super) pairs: Vec<(usize, usize)>,
    /// Those of them that may lie in rows of one length, side by side.
    pub(super) side_by_side: Vec<SideBySide>,
    /// Bytes that no store may touch.
    pub(super) protected: Vec<Protected>,
    /// What is checked about rows behind pointers, and compared with them.
    pub(super) rows: Option<RowsPlan>,
}

impl GuardPlan {
    /// Whether new code pays so early that what short calls do before they get to the old loops shows.
    pub(super) fn is_for_short_calls(&self) -> bool {
        self.min_work < SHORT
    }

    /// Plans the checks of a region for what was done to its nests, and for the new code of the host.
    pub fn new(
        scop: &Scop,
        (applied, needs, copied_if): (&[Transformation], &[Need], &[Need]),
        worth: Worth,
        (code, widths): (&[&AstUnit], &Widths),
        budget: &Budget,
    ) -> Result<Self, Reason> {
        let rows = RowsPlan::new(scop, budget)?;
        let units: Vec<&AstUnit> = code.iter().copied().chain(rows.as_ref().map(|rows| &rows.unit)).collect();
        let limit_bits = magnitude::limit_bits(scop, &units, widths.word, |limit_bits| param_ranges(scop, limit_bits))?;
        let mut plan = Self {
            limit_bits,
            params: param_ranges(scop, limit_bits),
            work: Vec::new(),
            min_work: least_work(applied, rows.as_ref(), worth.min_work),
            needs: Vec::new(),
            copied_if: Vec::new(),
            footprint: footprint(applied, worth),
            only_tiled: applied.iter().all(|applied| applied.nest.only_tiled),
            ranges: Vec::new(),
            shapes: Vec::new(),
            extents: Vec::new(),
            pairs: scop.may_overlap.clone(),
            side_by_side: Vec::new(),
            protected: scop.protected.clone(),
            rows,
        };
        let is_rows = |array: usize| matches!(scop.arrays[array].storage, Storage::Rows(_));
        plan.pairs.retain(|(left, right)| !is_rows(*left) && !is_rows(*right));
        plan.side_by_side = side_by_side::plan(scop, &plan.pairs, budget)?;
        plan.protected.iter_mut().for_each(|bytes| bytes.arrays.retain(|array| !is_rows(*array)));
        for Transformation { nest, .. } in applied {
            let deepest = nest.statements.iter().max_by_key(|s| scop.statements[**s].loops.len());
            let Some(statement) = deepest.map(|s| &scop.statements[*s]) else { continue };
            let extremes = statement
                .loops
                .iter()
                .map(|l| extremes(scop, &Poly::symbol(Sym::Iv(*l)), &statement.domain, &statement.loops, budget))
                .collect::<Result<Vec<_>, _>>()?;
            plan.work.push(extremes);
        }
        let need_plan = |need: &Need| -> Result<NeedPlan, Reason> {
            let values = |index: usize| -> Result<Vec<Extremes>, Reason> {
                let counter = Poly::symbol(Sym::Iv(index));
                let inside = scop.statements.iter().filter(|s| s.loops.contains(&index));
                inside.map(|s| extremes(scop, &counter, &s.domain, &s.loops, budget)).collect()
            };
            let short_values = need.instead.map_or(Ok(Vec::new()), |short| values(short.counter))?;
            Ok(NeedPlan { need: *need, values: values(need.counter)?, short_values })
        };
        if worth.min_work > 0 {
            plan.needs = needs.iter().map(need_plan).collect::<Result<_, _>>()?;
            plan.copied_if = copied_if.iter().map(need_plan).collect::<Result<_, _>>()?;
        }
        for check in &scop.checks {
            let range = range_plan(scop, &check.assumption.poly, &check.domain, &check.loops, budget)?;
            plan.ranges.push((range, check.assumption.low, check.assumption.high));
        }
        for check in &scop.shapes {
            let range = range_plan(scop, &check.subscript, &check.domain, &check.loops, budget)?;
            plan.shapes.push((range, check.count, check.size.clone()));
        }
        for array in 0..scop.arrays.len() {
            let in_pair = scop.may_overlap.iter().any(|(a, b)| *a == array || *b == array)
                || plan.protected.iter().any(|bytes| bytes.arrays.contains(&array))
                || scop.visits.iter().any(|visit| visit.array() == Some(array))
                || scop.tables.iter().any(|table| table.written.contains(&array));
            let parametric = scop
                .statements
                .iter()
                .flat_map(|s| &s.accesses)
                .any(|access| access.array == array && !access.offset.is_affine());
            // Sums of a few affine terms do not come near 2^64, but 2^32.
            let near = in_pair || parametric || plan.footprint.is_some() || widths.narrow.contains(&array);
            if !scop.is_memory(array) || !near {
                continue;
            }
            let ranges = ranges_of(scop, array, |access| Some(&access.offset), budget)?;
            let unit = scop.arrays[array].unit;
            let ranges = ranges.into_iter().map(|(range, count)| (range, count * unit)).collect();
            plan.extents.push((array, ranges));
        }
        Ok(plan)
    }
}

/// What the types, the context and the guard's own limit say about each parameter. Of the context, constraints on one
/// parameter alone.
fn param_ranges(scop: &Scop, limit_bits: u32) -> Vec<(i128, i128)> {
    let limit = 1i128 << limit_bits;
    let mut ranges: Vec<(i128, i128)> =
        scop.params.iter().map(|param| (param.range.0.max(-limit), param.range.1.min(limit))).collect();
    let [facts] = scop.context.conjunctions() else { return ranges };
    let rows = facts
        .ineqs()
        .iter()
        .map(|row| (row, false))
        .chain(facts.eqs().iter().flat_map(|row| [(row, false), (row, true)]));
    for (row, negate) in rows {
        let mut entries = row.iter().enumerate().skip(1).filter(|(_, entry)| !entry.is_zero());
        let (Some((column, factor)), None) = (entries.next(), entries.next()) else { continue };
        let (Some(range), Some(factor), Some(constant)) =
            (ranges.get_mut(column - 1), factor.to_i64(), row[0].to_i64())
        else {
            continue;
        };
        let sign = if negate { -1 } else { 1 };
        let (factor, constant) = (sign * i128::from(factor), sign * i128::from(constant));
        // factor * parameter + constant >= 0
        match factor > 0 {
            true => range.0 = range.0.max(-constant.div_euclid(factor)),
            false => range.1 = range.1.min(constant.div_euclid(-factor)),
        }
    }
    ranges
}
