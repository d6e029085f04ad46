//! Integer comparisons: as conditions, and as assumptions.

use std::cmp::Ordering;

use super::assume::rises_towards;
use super::cases::{Cases, is_unsigned_choice};
use super::{Param, ParamSource, ProgramPoint, Reader, Surroundings, signed_range, unsigned_range};
use crate::formula::condition::Dnf;
use crate::formula::poly::{Poly, Sym};
use crate::host::{IntPredicate, Loop, Opcode, Scev, Value};
use crate::reasons::Reason;

/// `larger - smaller - least`, which is not negative exactly if `larger` is larger by `least`.
fn gap(larger: &Cases, smaller: &Cases, least: i128) -> Result<Cases, Reason> {
    let least = Poly::constant(-least).ok_or(Reason::TooLarge)?;
    larger.minus(smaller).and_then(|gap| gap.plus(&least)).ok_or(Reason::TooComplex)
}

/// Whether a number rises with the counters of loops, and is negative, or at most zero, where they begin, for parameters that are not. Of parameters that
/// the program has computed as the negative of something, that is meant.
fn begins_below_zero(number: &Poly, params: &[Param]) -> bool {
    let is_variant = |monomial: &[Sym]| monomial.iter().any(|symbol| matches!(symbol, Sym::Iv(_)));
    let is_negated = |monomial: &[Sym]| match monomial {
        [Sym::Param(index)] => params.get(*index).is_some_and(is_negative_half),
        _ => false,
    };
    let (mut rises, mut falls) = (false, number.constant_term() < 0);
    for (monomial, coefficient) in number.terms().filter(|(monomial, _)| !monomial.is_empty()) {
        match (is_variant(monomial), (coefficient > 0) != is_negated(monomial)) {
            (true, true) => rises = true,
            (false, false) => falls = true,
            _ => return false,
        }
    }
    rises && falls && number.constant_term() <= 0
}

/// Whether a parameter is a number divided by a negative one: half of a window, as compilers write what is taken away.
fn is_negative_half(param: &Param) -> bool {
    let ParamSource::Value(value) = param.source else { return false };
    let operands = value.operands();
    let divisor = operands.get(1).and_then(|divisor| divisor.constant_int());
    value.opcode() == Some(Opcode::SDiv) && divisor.is_some_and(|divisor| divisor < 0)
}

impl Reader<'_, '_> {
    /// An integer comparison. Its operands are read at `scope`.
    pub fn comparison(
        &mut self,
        compare: Value,
        scope: Option<Loop>,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Dnf, Reason> {
        let mut failed = None;
        let read = |reader: &mut Self| reader.comparison_in_phase(compare, scope, place, region);
        let found = self.in_any_phase((place, region), read, |index, first, later| {
            let first = Dnf::eq(&Poly::zero(), &Poly::symbol(Sym::Iv(index))).and_then(|at| at.and(&first));
            let later = Dnf::le(&Poly::one(), &Poly::symbol(Sym::Iv(index))).and_then(|at| at.and(&later));
            let both = first.and_then(|first| first.or(&later?));
            both.map_err(|reason| failed = Some(reason)).ok()
        });
        found.map_err(|reason| failed.unwrap_or(reason))
    }

    fn comparison_in_phase(
        &mut self,
        compare: Value,
        scope: Option<Loop>,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Dnf, Reason> {
        let predicate = compare.int_predicate().ok_or(Reason::Condition)?;
        if let Some(condition) = self.wrapped(compare, predicate, scope, place, region)? {
            return Ok(condition);
        }
        let (left, right) = self.compared(compare, predicate, scope, place, region)?;
        if let (Some(left), Some(right)) = (left.poly(), right.poly()) {
            let difference = right.sub(left).ok_or(Reason::TooLarge)?;
            match predicate {
                IntPredicate::Eq => return Dnf::eq(&Poly::zero(), &self.same_zeros(&difference, place)?),
                IntPredicate::Ne => return Dnf::ne(&Poly::zero(), &self.same_zeros(&difference, place)?),
                _ => {}
            }
        }
        let mut at_least = |larger, smaller, least| self.is_larger(larger, smaller, least, (place, region));
        match predicate.order() {
            Some((true, least)) => at_least(&right, &left, least),
            Some((false, least)) => at_least(&left, &right, least),
            None if predicate == IntPredicate::Eq => at_least(&left, &right, 0)?.and(&at_least(&right, &left, 0)?),
            None => at_least(&left, &right, 1)?.or(&at_least(&right, &left, 1)?),
        }
    }

    /// Whether a number is larger than another one by so much at least.
    fn is_larger(
        &mut self,
        larger: &Cases,
        smaller: &Cases,
        least: i128,
        (place, region): (ProgramPoint, &impl Surroundings),
    ) -> Result<Dnf, Reason> {
        let gap = gap(larger, smaller, least)?;
        self.cases_not_negative(&gap, place, region)
    }

    /// What a comparison compares.
    fn sides(&self, compare: Value, scope: Option<Loop>) -> Option<(Scev, Scev)> {
        let operands = compare.operands();
        let [left, right] = operands.as_slice() else { return None };
        self.host.scev_at_scope(*left, scope).zip(self.host.scev_at_scope(*right, scope))
    }

    /// A comparison without sign of a number that is meant to wrap around in the first iterations: `x - 1 < n` with `x` from zero, where
    /// an image has a border. As a signed number it is negative then, and larger than all that it is compared with, which is assumed to have no sign bit.
    fn wrapped(
        &mut self,
        compare: Value,
        predicate: IntPredicate,
        scope: Option<Loop>,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Option<Dnf>, Reason> {
        let bits = compare.operands().first().and_then(|side| side.ty().int_bits()).filter(|_| predicate.is_unsigned());
        let sides = bits.and_then(|_| self.sides(compare, scope));
        let (Some(bits), Some((left, right))) = (bits, sides) else { return Ok(None) };
        let (low, high) = signed_range(bits);
        for (number, other, predicate) in [(left, right, predicate), (right, left, predicate.swapped())] {
            let mark = self.mark();
            let found = self.poly(number, place, region).ok();
            let found = found.filter(|number| begins_below_zero(number, &self.params));
            let other = found.as_ref().and_then(|_| self.cases(other, (0, high), place, region).ok());
            let (Some(number), Some(other), Some((is_other_larger, least))) = (found, other, predicate.order()) else {
                self.reset(mark);
                continue;
            };
            self.assume_range(&number, (low, high), place);
            let (number, zero) = (Cases::One(number), Cases::One(Poly::zero()));
            let mut at_least = |larger, smaller, least| self.is_larger(larger, smaller, least, (place, region));
            return Ok(Some(match is_other_larger {
                true => at_least(&number, &zero, 0)?.and(&at_least(&other, &number, least)?)?,
                false => at_least(&zero, &number, 1)?.or(&at_least(&number, &other, least)?)?,
            }));
        }
        Ok(None)
    }

    /// Assumes that a comparison has the given truth value whenever `place` executes.
    pub(super) fn assume_affine_comparison(
        &mut self,
        compare: Value,
        truth: bool,
        scope: Option<Loop>,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<(), Reason> {
        // What holds in both forms in all iterations holds in each where it is meant.
        let read = |reader: &mut Self| reader.assume_in_phase(compare, truth, scope, place, region);
        self.in_any_phase((place, region), read, |_, (), ()| Some(()))
    }

    fn assume_in_phase(
        &mut self,
        compare: Value,
        truth: bool,
        scope: Option<Loop>,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<(), Reason> {
        let predicate = compare.int_predicate().ok_or(Reason::Condition)?;
        let (left, right) = self.compared(compare, predicate, scope, place, region)?;
        let predicate = if truth { predicate } else { predicate.negated() };
        if predicate == IntPredicate::Eq {
            let difference = gap(&left, &right, 0)?;
            self.assume_range(difference.poly().ok_or(Reason::Condition)?, (0, 0), place);
            return Ok(());
        }
        let (is_right_larger, least) = match predicate.order() {
            Some(order) => order,
            // One of both has to be the larger one.
            None => {
                let distance = gap(&right, &left, 0)?;
                let rises = match distance.poly().and_then(Poly::direction) {
                    Some(Ordering::Less) => true,
                    Some(Ordering::Greater) => false,
                    _ => {
                        let (from, to) = left.poly().zip(right.poly()).ok_or(Reason::Condition)?;
                        rises_towards(from, to)?
                    }
                };
                (rises, 1)
            }
        };
        let (larger, smaller) = if is_right_larger { (&right, &left) } else { (&left, &right) };
        self.assume_not_negative(&gap(larger, smaller, least)?, place)
    }

    /// The operands of a comparison as integers of the sign that its predicate looks at.
    fn compared(
        &mut self,
        compare: Value,
        predicate: IntPredicate,
        scope: Option<Loop>,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<(Cases, Cases), Reason> {
        let operands = compare.operands();
        let [left, right] = operands.as_slice() else { return Err(Reason::Condition) };
        let is_equality = matches!(predicate, IntPredicate::Eq | IntPredicate::Ne);
        if is_equality && left.ty().is_pointer() {
            if self.is_compared_with_null(*left, *right) {
                return Ok((Cases::One(Poly::one()), Cases::One(Poly::zero())));
            }
            let distance = self.distance((*left, *right), scope, place, region).map_err(|_| Reason::Condition)?;
            return Ok((Cases::One(distance), Cases::One(Poly::zero())));
        }
        let bits = left.ty().int_bits().ok_or(Reason::Condition)?;
        let (left, right) = self.sides(compare, scope).ok_or(Reason::Condition)?;
        let unsigned =
            predicate.is_unsigned() || (is_equality && (is_unsigned_choice(left) || is_unsigned_choice(right)));
        let range = if unsigned { unsigned_range(bits) } else { signed_range(bits) };
        let mut read = |scev| {
            let cases = self.cases(scev, range, place, region);
            cases.map_err(|reason| if reason == Reason::Scalar { Reason::Condition } else { reason })
        };
        Ok((read(left)?, read(right)?))
    }
}
