//! Arrays that lie side by side in rows of one length, as blocks of one matrix do: `C = &M[n][n]`, `A = &M[n][0]` and `B = &M[0][n]` of a matrix with `ld` columns
//! touch bytes in between each other, but none together. The guard asks for that where what the arrays touch as a whole overlaps.
//!
//! All elements of an array with rows of `L` bytes are, up to a multiple of `L`, at its base plus its columns. So two of them have no byte in common if
//! their columns have none on a circle of `L` bytes: with the columns of the first one at 0 .. `m`, those of the second one at `x` .. `x + n`, that is
//! `m <= x <= L - n` for some `x` that is right up to a multiple of `L`. Addresses are numbers below 2^63 for that, so that distances of them are exact;
//! a sum of one and a distance that leaves the 64 bits is another number in any case, and another byte, since distances are at most 2^61.

use super::extremes::{RangePlan, ranges_of};
use super::guard_code::{GuardCode, Range};
use crate::detect::target::Division;
use crate::emit::guard::GuardPlan;
use crate::formula::poly::Poly;
use crate::host::{Edit, IntOp, IntPredicate, Value};
use crate::model::scop::Scop;
use crate::reasons::Reason;
use tessera_polyhedral::budget::Budget;

/// The width that addresses are compared in; others are not.
const BITS: u32 = 64;

/// Two arrays that may lie side by side.
#[derive(Clone, Debug)]
pub(super) struct SideBySide {
    /// The pair of [`GuardPlan::pairs`], by index.
    pub(super) pair: usize,
    /// How long rows are, in elements.
    row: Poly,
    /// Bytes of an element.
    unit: i128,
    columns: [Columns; 2],
}

/// The columns that are touched: their first one, for so many of them.
type Columns = Vec<(RangePlan, i128)>;

/// The pairs of arrays that have rows of one length.
pub(super) fn plan(scop: &Scop, pairs: &[(usize, usize)], budget: &Budget) -> Result<Vec<SideBySide>, Reason> {
    let mut found = Vec::new();
    let mut known: Vec<(usize, Option<Columns>)> = Vec::new();
    let mut columns = |array: usize| -> Result<Option<Columns>, Reason> {
        if let Some((_, columns)) = known.iter().find(|(other, _)| *other == array) {
            return Ok(columns.clone());
        }
        let columns = columns(scop, array, budget)?;
        known.push((array, columns.clone()));
        Ok(columns)
    };
    for (pair, (left, right)) in pairs.iter().enumerate() {
        let (a, b) = (&scop.arrays[*left], &scop.arrays[*right]);
        let Some(row) = a.sizes.last().filter(|row| b.sizes.last() == Some(*row) && a.unit == b.unit) else { continue };
        let (Some(first), Some(second)) = (columns(*left)?, columns(*right)?) else {
            continue;
        };
        found.push(SideBySide { pair, row: row.clone(), unit: a.unit, columns: [first, second] });
    }
    Ok(found)
}

/// The columns of an array; `None` if its accesses are not all where their subscripts say, or too complex.
fn columns(scop: &Scop, array: usize, budget: &Budget) -> Result<Option<Columns>, Reason> {
    let sizes = &scop.arrays[array].sizes;
    let place = |subscripts: &[Poly]| -> Option<Poly> {
        let (outermost, others) = subscripts.split_first()?;
        let step = |sum: Poly, (subscript, size): (&Poly, &Poly)| sum.mul(size)?.add(subscript);
        let flat = others.iter().zip(sizes).try_fold(outermost.clone(), step)?;
        flat.scale(scop.arrays[array].unit).filter(|_| others.len() == sizes.len())
    };
    let mut accesses = scop.statements.iter().flat_map(|s| &s.accesses).filter(|access| access.array == array);
    if accesses.any(|access| place(&access.subscripts).is_none_or(|place| place != access.offset)) {
        return Ok(None);
    }
    match ranges_of(scop, array, |access| access.subscripts.last(), budget) {
        Ok(columns) => Ok(Some(columns)),
        Err(Reason::TooComplex) => Ok(None),
        Err(reason) => Err(reason),
    }
}

impl GuardCode<'_, '_> {
    /// Whether the target has what the question takes.
    pub(super) fn knows_side_by_side(&self) -> bool {
        let analyses = self.arithmetic.editor.analyses();
        matches!(Division::of(&analyses), Division::Words(BITS)) && self.arithmetic.bits == BITS
    }

    /// For the pairs that may lie side by side, by index, whether they do. `base` gives the value of an array's base pointer.
    pub(super) fn side_by_side(
        &self,
        plan: &GuardPlan,
        base: impl Fn(usize) -> Value,
    ) -> Edit<Vec<((usize, usize), Value)>> {
        let (arithmetic, editor) = (&self.arithmetic, self.arithmetic.editor);
        let zero = editor.const_int(BITS, 0)?;
        let mut answers = Vec::new();
        for SideBySide { pair, row, unit, columns: [first, second] } in &plan.side_by_side {
            let (left, right) = plan.pairs[*pair];
            if [left, right].iter().any(|array| self.address_bits(base(*array)) != BITS) {
                continue;
            }
            let (Some(a), Some(b)) = (self.union(first)?, self.union(second)?) else { continue };
            let unit = arithmetic.constant(*unit)?;
            let length = arithmetic.mul(self.poly(row)?, unit)?;
            let mut holds = arithmetic.within(length, 1, i128::MAX)?;
            let length = editor.smax(length.value, editor.const_int(BITS, 1)?)?;
            let (from, to) = (self.address(base(left))?, self.address(base(right))?);
            for address in [from, to] {
                holds = editor.both(holds, editor.icmp(IntPredicate::Sge, address, zero)?)?;
            }
            // Between -L and L each.
            let rest = editor.int_op(IntOp::SRem, editor.sub(to, from)?, length, "rest")?;
            let shift = arithmetic.mul(arithmetic.sub(b.0, a.0)?, unit)?.value;
            let mut place = editor.add(editor.int_op(IntOp::SRem, shift, length, "rest")?, rest)?;
            for _ in 0..2 {
                let is_below = editor.icmp(IntPredicate::Slt, place, zero)?;
                place = editor.select(is_below, editor.add(place, length)?, place)?;
            }
            let is_beyond = editor.icmp(IntPredicate::Sge, place, length)?;
            place = editor.select(is_beyond, editor.sub(place, length)?, place)?;
            let size = |columns: Range| arithmetic.mul(arithmetic.sub(columns.1, columns.0)?, unit);
            let (m, n) = (size(a)?.value, size(b)?.value);
            holds = editor.both(holds, editor.icmp(IntPredicate::Sle, m, place)?)?;
            holds = editor.both(holds, editor.icmp(IntPredicate::Sle, place, editor.sub(length, n)?)?)?;
            answers.push(((left, right), holds));
        }
        Ok(answers)
    }
}
