//! Arithmetic with an overflow bit: its result as a residue, and the bit as a condition on the result without limits.

use super::{ProgramPoint, Reader, Surroundings, signed_range, unsigned_range};
use crate::formula::condition::Dnf;
use crate::formula::poly::Poly;
use crate::host::{CheckedArithmetic, IntOp, Loop};
use crate::reasons::Reason;

impl Reader<'_, '_> {
    /// The result of checked arithmetic modulo 2^w.
    pub(super) fn checked_result(
        &mut self,
        checked: CheckedArithmetic,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Poly, Reason> {
        let host = self.host;
        let (Some(left), Some(right)) = (host.scev(checked.left), host.scev(checked.right)) else {
            return Err(Reason::Scalar);
        };
        combine(checked.op, &self.poly(left, place, region)?, &self.poly(right, place, region)?)
    }

    /// The result of checked arithmetic on numbers without limits, and the range of its type. The bit is set exactly when the
    /// one is outside of the other.
    fn without_limits(
        &mut self,
        checked: CheckedArithmetic,
        scope: Option<Loop>,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<(Poly, (i128, i128)), Reason> {
        let host = self.host;
        let bits = checked.left.ty().int_bits().filter(|bits| *bits <= 64).ok_or(Reason::Condition)?;
        let (Some(left), Some(right)) =
            (host.scev_at_scope(checked.left, scope), host.scev_at_scope(checked.right, scope))
        else {
            return Err(Reason::Condition);
        };
        let mut read = |scev| {
            let poly = match checked.is_signed {
                true => self.signed(scev, place, region),
                false => self.unsigned(scev, place, region),
            };
            poly.map_err(|reason| if reason == Reason::Scalar { Reason::Condition } else { reason })
        };
        let value = combine(checked.op, &read(left)?, &read(right)?)?;
        Ok((value, if checked.is_signed { signed_range(bits) } else { unsigned_range(bits) }))
    }

    /// Assumes that checked arithmetic does not overflow whenever `place` executes.
    pub(super) fn assume_no_overflow(
        &mut self,
        checked: CheckedArithmetic,
        scope: Option<Loop>,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<(), Reason> {
        let (value, range) = self.without_limits(checked, scope, place, region)?;
        self.assume_range(&value, range, place);
        Ok(())
    }

    /// The condition under which checked arithmetic overflows, or does not.
    pub(super) fn overflow_condition(
        &mut self,
        checked: CheckedArithmetic,
        overflows: bool,
        scope: Option<Loop>,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Dnf, Reason> {
        let (value, (low, high)) = self.without_limits(checked, scope, place, region)?;
        let (Some(low), Some(high)) = (Poly::constant(low), Poly::constant(high)) else {
            return Err(Reason::TooLarge);
        };
        if !value.is_affine() {
            return Err(Reason::Condition);
        }
        match overflows {
            true => Dnf::lt(&value, &low)?.or(&Dnf::lt(&high, &value)?),
            false => Dnf::le(&low, &value)?.and(&Dnf::le(&value, &high)?),
        }
    }
}

fn combine(op: IntOp, left: &Poly, right: &Poly) -> Result<Poly, Reason> {
    let value = match op {
        IntOp::Add => left.add(right),
        IntOp::Sub => left.sub(right),
        IntOp::Mul => left.mul(right),
        _ => return Err(Reason::Scalar),
    };
    value.ok_or(Reason::TooLarge)
}
