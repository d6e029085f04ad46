//! Trip counts and branch conditions: scalar evolution to conditions over polynomials.

use super::cases::Cases;
use super::{ProgramPoint, Reader, Surroundings, is_foreign, signed_range, unsigned_range};
use crate::formula::condition::{Constraint, Dnf};
use crate::formula::poly::{Poly, Sym};
use crate::host::{Loop, Opcode, Scev, ScevKind, Value};
use crate::reasons::Reason;

impl Reader<'_, '_> {
    /// `left <= scev`, where `scev` may be a minimum, a maximum or a division by a constant. With a `range`, every
    /// leaf is assumed to lie in it.
    pub fn le(
        &mut self,
        left: &Poly,
        scev: Scev,
        range: (i128, i128),
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Dnf, Reason> {
        let host = self.host;
        match scev.kind() {
            kind @ (ScevKind::SMax | ScevKind::UMax | ScevKind::SMin | ScevKind::UMin | ScevKind::SequentialUMin) => {
                let own = match kind {
                    ScevKind::SMax | ScevKind::SMin => signed_range(host.scev_bits(scev)),
                    _ => unsigned_range(host.scev_bits(scev)),
                };
                let is_max = matches!(kind, ScevKind::SMax | ScevKind::UMax);
                // A minimum is in range if all operands are. A maximum is if all are at most `high` and one is at least
                // `low`: a constant if there is one that large (`smax(n, 1)` for any n), else the last operand.
                let operands = scev.operands();
                let inside = (range.0.max(own.0), range.1.min(own.1));
                let enough = operands.iter().any(|o| o.constant().is_some_and(|c| c >= inside.0 && c <= inside.1));
                let mut result = if is_max { Dnf::never() } else { Dnf::always() };
                for (position, operand) in operands.iter().enumerate() {
                    let asked = !is_max || (!enough && position + 1 == operands.len());
                    let leaf = if asked { inside } else { (own.0, inside.1) };
                    let one = self.le(left, *operand, leaf, place, region)?;
                    result = if is_max { result.or(&one)? } else { result.and(&one)? };
                }
                Ok(result)
            }
            ScevKind::UDiv => {
                let operands = scev.operands();
                let divisor = operands.get(1).and_then(|divisor| divisor.constant());
                match divisor {
                    Some(divisor) if divisor > 0 => {
                        let scaled = left.scale(divisor).ok_or(Reason::TooLarge)?;
                        let own = unsigned_range(host.scev_bits(scev));
                        let low = range.0.max(0).saturating_mul(divisor);
                        let high = range.1.saturating_mul(divisor).saturating_add(divisor - 1).min(own.1);
                        self.le(&scaled, operands[0], (low, high), place, region)
                    }
                    _ => self.le_poly(left, scev, range, place, region),
                }
            }
            ScevKind::ZeroExtend => {
                let inner = self.inner(scev)?;
                let own = unsigned_range(host.scev_bits(inner));
                self.le(left, inner, (range.0.max(own.0), range.1.min(own.1)), place, region)
            }
            ScevKind::SignExtend => {
                let inner = self.inner(scev)?;
                let own = signed_range(host.scev_bits(inner));
                self.le(left, inner, (range.0.max(own.0), range.1.min(own.1)), place, region)
            }
            ScevKind::Add => {
                // Everything polynomial goes to the left; one minimum, maximum or division may remain.
                let (mut rest, mut moved) = (None, left.clone());
                for operand in scev.operands() {
                    if self.needs_cases(operand) {
                        if rest.replace(operand).is_some() {
                            return Err(Reason::TripCount);
                        }
                    } else {
                        moved = moved.sub(&self.poly(operand, place, region)?).ok_or(Reason::TooLarge)?;
                    }
                }
                match rest {
                    None => self.le_poly(left, scev, range, place, region),
                    Some(rest) => {
                        // `rest` in range after adding the moved part: shift the interval by it where it is constant.
                        let shift = left.sub(&moved).ok_or(Reason::TooLarge)?.as_constant();
                        let bits = host.scev_bits(scev);
                        let own = if rest.kind() == ScevKind::SMax || rest.kind() == ScevKind::SMin {
                            signed_range(bits)
                        } else {
                            unsigned_range(bits)
                        };
                        let Some(shift) = shift else { return Err(Reason::TripCount) };
                        let inner = ((range.0 - shift).max(own.0), (range.1 - shift).min(own.1));
                        self.le(&moved, rest, inner, place, region)
                    }
                }
            }
            _ => self.le_poly(left, scev, range, place, region),
        }
    }

    fn needs_cases(&self, scev: Scev) -> bool {
        match scev.kind() {
            ScevKind::SMax
            | ScevKind::UMax
            | ScevKind::SMin
            | ScevKind::UMin
            | ScevKind::SequentialUMin
            | ScevKind::UDiv => true,
            ScevKind::ZeroExtend | ScevKind::SignExtend => {
                scev.operands().first().is_some_and(|inner| self.needs_cases(*inner))
            }
            _ => false,
        }
    }

    fn le_poly(
        &mut self,
        left: &Poly,
        scev: Scev,
        range: (i128, i128),
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Dnf, Reason> {
        let poly = match self.unsigned_constant(scev) {
            Some(constant) if range.0 >= 0 => Poly::constant(constant).ok_or(Reason::TooLarge)?,
            _ => self.poly(scev, place, region)?,
        };
        self.assume_range(&poly, range, place);
        if !poly.is_affine() {
            return Err(Reason::TripCount);
        }
        Dnf::le(left, &poly)
    }

    /// The condition `iv <= back-edge-taken count` of a loop.
    pub fn trip_count(
        &mut self,
        iv: &Poly,
        count: Scev,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Dnf, Reason> {
        if count.kind() == ScevKind::CouldNotCompute {
            return Err(Reason::TripCount);
        }
        let range = unsigned_range(self.host.scev_bits(count));
        let mark = self.mark();
        let known = match self.le(iv, count, range, place, region) {
            // What the number is made of cannot be said with affine expressions, but it is known before the nest.
            Err(Reason::TripCount | Reason::Scalar) if self.is_computable_before(count, region) => {
                self.reset(mark);
                Dnf::le(iv, &self.unsigned_param(count, place, region)?)
            }
            Err(Reason::TripCount | Reason::Scalar) => {
                self.reset(mark);
                let count = self.cases(count, range, place, region)?;
                let left = count.minus(&Cases::One(iv.clone())).ok_or(Reason::TooComplex)?;
                let condition = self.cases_not_negative(&left, place, region);
                // At the entry of the loop its own counter has no value that could be assumed.
                match self.assumptions[mark.assumptions..]
                    .iter()
                    .any(|assumed| is_foreign(&assumed.poly, place, region))
                {
                    true => Err(Reason::TripCount),
                    false => condition,
                }
            }
            known => known,
        };
        known.map_err(|reason| match reason {
            Reason::Scalar | Reason::Condition => Reason::TripCount,
            other => other,
        })
    }

    /// The condition under which an `i1` value has the given truth value: comparisons, `and`, `or`, `not`, constants.
    pub fn condition(
        &mut self,
        value: Value,
        truth: bool,
        scope: Option<Loop>,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Dnf, Reason> {
        self.step()?;
        if let Some(constant) = value.constant_int() {
            return Ok(if (constant != 0) == truth { Dnf::always() } else { Dnf::never() });
        }
        // After the loop such a value is that of the last iteration.
        if let Some((index, first)) = region.decided(value).filter(|(index, _)| region.is_around(*index, place)) {
            let iv = Poly::symbol(Sym::Iv(index));
            return if truth == first { Dnf::eq(&Poly::zero(), &iv) } else { Dnf::le(&Poly::one(), &iv) };
        }
        let operands = value.operands();
        match value.opcode() {
            Some(Opcode::ICmp) => {
                let positive = self.comparison(value, scope, place, region)?;
                if truth { Ok(positive) } else { negate(&positive) }
            }
            Some(opcode @ (Opcode::And | Opcode::Or)) if operands.len() == 2 => {
                let left = self.condition(operands[0], truth, scope, place, region)?;
                let right = self.condition(operands[1], truth, scope, place, region)?;
                if (opcode == Opcode::And) == truth { left.and(&right) } else { left.or(&right) }
            }
            // The short-circuit forms: `select a, b, false` and `select a, true, b`.
            Some(Opcode::Select) if operands.len() == 3 => {
                let (is_and, other) = match (operands[1].constant_int(), operands[2].constant_int()) {
                    (_, Some(0)) => (true, operands[1]),
                    (Some(one), _) if one != 0 => (false, operands[2]),
                    _ => return Err(Reason::Condition),
                };
                let left = self.condition(operands[0], truth, scope, place, region)?;
                let right = self.condition(other, truth, scope, place, region)?;
                if is_and == truth { left.and(&right) } else { left.or(&right) }
            }
            Some(Opcode::Xor) if operands.len() == 2 && operands[1].constant_int().is_some_and(|c| c != 0) => {
                self.condition(operands[0], !truth, scope, place, region)
            }
            Some(Opcode::ExtractValue) => {
                let checked = value.overflow_bit().ok_or(Reason::Condition)?;
                self.overflow_condition(checked, truth, scope, place, region)
            }
            Some(Opcode::Freeze) if is_inside(value, region) => {
                self.condition(operands[0], truth, scope, place, region)
            }
            _ => {
                let flag = self.flag(value, region)?;
                if truth { Dnf::lt(&flag, &Poly::zero()) } else { Dnf::le(&Poly::zero(), &flag) }
            }
        }
    }

    /// A truth value that is known before the nest, as a parameter: -1 or 0.
    pub(super) fn flag(&mut self, value: Value, region: &impl Surroundings) -> Result<Poly, Reason> {
        let scev = self.host.scev(value).filter(|scev| self.is_computable_before(*scev, region));
        self.param(scev.ok_or(Reason::Condition)?, region)
    }
}

/// Whether a value is computed in the region. A `freeze` there stands for its operand: should that be poison, any value will
/// do, and the one that the frozen parameters give is one.
pub(super) fn is_inside(value: Value, region: &impl Surroundings) -> bool {
    value.parent().is_some_and(|block| region.contains(block))
}

/// The complement of a condition in disjunctive normal form.
fn negate(dnf: &Dnf) -> Result<Dnf, Reason> {
    let mut result = Dnf::always();
    for disjunct in dnf.disjuncts() {
        let mut any = Dnf::never();
        for constraint in disjunct {
            let poly = constraint.poly();
            let below = Dnf::lt(poly, &Poly::zero())?;
            any = any.or(&below)?;
            if let Constraint::Zero(_) = constraint {
                any = any.or(&Dnf::lt(&Poly::zero(), poly)?)?;
            }
        }
        result = result.and(&any)?;
    }
    Ok(result)
}
