//! Trip counts, comparisons and branch conditions: scalar evolution to conditions over polynomials.

use std::cmp::Ordering;

use super::{Place, Reader, Surroundings, UNLIMITED, signed_range, unsigned_range};
use crate::detect::condition::{Constraint, Dnf};
use crate::detect::reasons::Reason;
use crate::host::{IntPredicate, Loop, Opcode, Scev, ScevKind, Value};
use crate::model::poly::Poly;

impl Reader<'_, '_> {
    /// `left <= scev`, where `scev` may be a minimum, a maximum or a division by a constant. With a `range`, every
    /// leaf is assumed to lie in it.
    pub fn le(
        &mut self,
        left: &Poly,
        scev: Scev,
        range: (i128, i128),
        place: Place,
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
        place: Place,
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
        place: Place,
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
            known => known,
        };
        known.map_err(|reason| if reason == Reason::Scalar { Reason::TripCount } else { reason })
    }

    /// An integer comparison. Its operands are read at `scope`.
    pub fn comparison(
        &mut self,
        compare: Value,
        scope: Option<Loop>,
        place: Place,
        region: &impl Surroundings,
    ) -> Result<Dnf, Reason> {
        let predicate = compare.int_predicate().ok_or(Reason::Condition)?;
        let (left, right) = self.compared(compare, predicate, scope, place, region)?;
        if !left.is_affine() || !right.is_affine() {
            return Err(Reason::Condition);
        }
        match predicate {
            IntPredicate::Eq => Dnf::eq(&left, &right),
            IntPredicate::Ne => Dnf::ne(&left, &right),
            IntPredicate::Slt | IntPredicate::Ult => Dnf::lt(&left, &right),
            IntPredicate::Sle | IntPredicate::Ule => Dnf::le(&left, &right),
            IntPredicate::Sgt | IntPredicate::Ugt => Dnf::lt(&right, &left),
            IntPredicate::Sge | IntPredicate::Uge => Dnf::le(&right, &left),
        }
    }

    /// Assumes that an `i1` value has the given truth value whenever `place` executes. Other than in
    /// [`Reader::condition`], products of parameters and counters may occur. Conditions with alternatives are refused.
    pub fn assume_condition(
        &mut self,
        value: Value,
        truth: bool,
        scope: Option<Loop>,
        place: Place,
        region: &impl Surroundings,
    ) -> Result<(), Reason> {
        self.step()?;
        if let Some(constant) = value.constant_int() {
            return if (constant != 0) == truth { Ok(()) } else { Err(Reason::Condition) };
        }
        let operands = value.operands();
        match value.opcode() {
            Some(Opcode::ICmp) => self.assume_comparison(value, truth, scope, place, region),
            Some(opcode @ (Opcode::And | Opcode::Or)) if operands.len() == 2 && (opcode == Opcode::And) == truth => {
                self.assume_condition(operands[0], truth, scope, place, region)?;
                self.assume_condition(operands[1], truth, scope, place, region)
            }
            // `select a, b, false` for "and", `select a, true, b` for "or".
            Some(Opcode::Select) if operands.len() == 3 => {
                let other = match (truth, operands[1].constant_int(), operands[2].constant_int()) {
                    (true, _, Some(0)) => operands[1],
                    (false, Some(one), _) if one != 0 => operands[2],
                    _ => return Err(Reason::Condition),
                };
                self.assume_condition(operands[0], truth, scope, place, region)?;
                self.assume_condition(other, truth, scope, place, region)
            }
            Some(Opcode::Xor) if operands.len() == 2 && operands[1].constant_int().is_some_and(|c| c != 0) => {
                self.assume_condition(operands[0], !truth, scope, place, region)
            }
            Some(Opcode::ExtractValue) if !truth => {
                let checked = value.overflow_bit().ok_or(Reason::Condition)?;
                self.assume_no_overflow(checked, scope, place, region)
            }
            Some(Opcode::Freeze) if is_inside(value, region) => {
                self.assume_condition(operands[0], truth, scope, place, region)
            }
            _ => {
                let flag = self.flag(value, region)?;
                let expected = if truth { -1 } else { 0 };
                self.assume_range(&flag, (expected, expected), place);
                Ok(())
            }
        }
    }

    fn assume_comparison(
        &mut self,
        compare: Value,
        truth: bool,
        scope: Option<Loop>,
        place: Place,
        region: &impl Surroundings,
    ) -> Result<(), Reason> {
        let predicate = compare.int_predicate().ok_or(Reason::Condition)?;
        let (left, right) = self.compared(compare, predicate, scope, place, region)?;
        let difference = |larger: &Poly, smaller: &Poly, least: i128| {
            let gap = Poly::constant(least).and_then(|least| smaller.add(&least));
            gap.and_then(|smaller| larger.sub(&smaller)).ok_or(Reason::TooLarge)
        };
        let (poly, high) = match (predicate, truth) {
            (IntPredicate::Eq, true) | (IntPredicate::Ne, false) => (difference(&left, &right, 0)?, 0),
            // Whoever counts towards a number and may not meet it has not come as far yet: that is enough, and all that
            // remains of `i < n` when the compiler knows that `i` starts below `n`.
            (IntPredicate::Eq, false) | (IntPredicate::Ne, true) => {
                let distance = right.sub(&left).ok_or(Reason::TooLarge)?;
                match distance.direction() {
                    Some(Ordering::Less) => (difference(&right, &left, 1)?, UNLIMITED),
                    Some(Ordering::Greater) => (difference(&left, &right, 1)?, UNLIMITED),
                    _ => return Err(Reason::Condition),
                }
            }
            (IntPredicate::Slt | IntPredicate::Ult, true) | (IntPredicate::Sge | IntPredicate::Uge, false) => {
                (difference(&right, &left, 1)?, UNLIMITED)
            }
            (IntPredicate::Sle | IntPredicate::Ule, true) | (IntPredicate::Sgt | IntPredicate::Ugt, false) => {
                (difference(&right, &left, 0)?, UNLIMITED)
            }
            (IntPredicate::Sgt | IntPredicate::Ugt, true) | (IntPredicate::Sle | IntPredicate::Ule, false) => {
                (difference(&left, &right, 1)?, UNLIMITED)
            }
            (IntPredicate::Sge | IntPredicate::Uge, true) | (IntPredicate::Slt | IntPredicate::Ult, false) => {
                (difference(&left, &right, 0)?, UNLIMITED)
            }
        };
        self.assume_range(&poly, (0, high), place);
        Ok(())
    }

    /// The operands of a comparison as integers of the sign that its predicate looks at.
    pub(super) fn compared(
        &mut self,
        compare: Value,
        predicate: IntPredicate,
        scope: Option<Loop>,
        place: Place,
        region: &impl Surroundings,
    ) -> Result<(Poly, Poly), Reason> {
        let host = self.host;
        let operands = compare.operands();
        let [left, right] = operands.as_slice() else { return Err(Reason::Condition) };
        if left.ty().int_bits().is_none() {
            return Err(Reason::Condition);
        }
        let (Some(left), Some(right)) = (host.scev_at_scope(*left, scope), host.scev_at_scope(*right, scope)) else {
            return Err(Reason::Condition);
        };
        let mut read = |scev| {
            let poly = match predicate {
                IntPredicate::Ult | IntPredicate::Ule | IntPredicate::Ugt | IntPredicate::Uge => {
                    self.unsigned(scev, place, region)
                }
                _ => self.signed(scev, place, region),
            };
            poly.map_err(|reason| if reason == Reason::Scalar { Reason::Condition } else { reason })
        };
        Ok((read(left)?, read(right)?))
    }

    /// The condition under which an `i1` value has the given truth value: comparisons, `and`, `or`, `not`, constants.
    pub fn condition(
        &mut self,
        value: Value,
        truth: bool,
        scope: Option<Loop>,
        place: Place,
        region: &impl Surroundings,
    ) -> Result<Dnf, Reason> {
        self.step()?;
        if let Some(constant) = value.constant_int() {
            return Ok(if (constant != 0) == truth { Dnf::always() } else { Dnf::never() });
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
    fn flag(&mut self, value: Value, region: &impl Surroundings) -> Result<Poly, Reason> {
        let scev = self.host.scev(value).filter(|scev| self.is_computable_before(*scev, region));
        self.param(scev.ok_or(Reason::Condition)?, region)
    }
}

/// Whether a value is computed in the region. A `freeze` there stands for its operand: should that be poison, any value will
/// do, and the one that the frozen parameters give is one.
fn is_inside(value: Value, region: &impl Surroundings) -> bool {
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
