//! `switch` as a condition: the numbers that lead to a block, as intervals.
//!
//! A three-way comparison (`llvm.ucmp`, `llvm.scmp`) is -1, 0 or 1, and each of these is a comparison of its operands.

use super::cases::Cases;
use super::{ProgramPoint, Reader, Surroundings, UNLIMITED, signed_range, unsigned_range};
use crate::formula::condition::Dnf;
use crate::formula::poly::Poly;
use crate::host::{Block, Loop, Opcode, Switch, Value};
use crate::reasons::Reason;

impl Reader<'_, '_> {
    /// The condition under which a `switch` goes to one of the blocks for which `leads` holds.
    pub fn switch_condition(
        &mut self,
        switch: &Switch,
        leads: impl Fn(Block) -> bool,
        scope: Option<Loop>,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Dnf, Reason> {
        let numbers = switch.numbers(leads);
        if let Some(difference) = self.compared_by(switch.value, scope, place, region)? {
            return self.sign_among(&difference, &numbers, place, region);
        }
        let value = self.deciding_number(switch.value, scope, place, region)?;
        let mut result = Dnf::never();
        for (low, high) in numbers {
            let mut inside = Dnf::always();
            if let Some(low) = low {
                inside = inside.and(&self.not_negative(&above(&value, low)?, place, region)?)?;
            }
            if let Some(high) = high {
                inside = inside.and(&self.not_negative(&below(&value, high)?, place, region)?)?;
            }
            result = result.or(&inside)?;
        }
        Ok(result)
    }

    /// Assumes that a `switch` goes to one of the blocks for which `leads` holds whenever `place` executes.
    pub fn assume_switch(
        &mut self,
        switch: &Switch,
        leads: impl Fn(Block) -> bool,
        scope: Option<Loop>,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<(), Reason> {
        if leads(switch.default) && switch.cases.iter().all(|(_, target)| leads(*target)) {
            return Ok(());
        }
        let numbers = switch.numbers(leads);
        let [(low, high)] = numbers.as_slice() else { return Err(Reason::Condition) };
        if let Some(difference) = self.compared_by(switch.value, scope, place, region)? {
            let contains = |sign| low.is_none_or(|low| low <= sign) && high.is_none_or(|high| sign <= high);
            let one = |sign| Poly::constant(sign).ok_or(Reason::TooLarge);
            let bounds = match (contains(-1), contains(0), contains(1)) {
                (true, true, true) => return Ok(()),
                (false, true, true) => difference.plus(&Poly::zero()),
                (false, false, true) => difference.plus(&one(-1)?),
                (true, true, false) => Cases::One(Poly::zero()).minus(&difference),
                (true, false, false) => Cases::One(one(-1)?).minus(&difference),
                (false, true, false) => {
                    self.assume_range(difference.poly().ok_or(Reason::Condition)?, (0, 0), place);
                    return Ok(());
                }
                _ => return Err(Reason::Condition),
            };
            return self.assume_not_negative(&bounds.ok_or(Reason::TooLarge)?, place);
        }
        let value = self.deciding_number(switch.value, scope, place, region)?;
        if let Some(low) = low {
            self.assume_range(&above(&value, *low)?, (0, UNLIMITED), place);
        }
        if let Some(high) = high {
            self.assume_range(&below(&value, *high)?, (0, UNLIMITED), place);
        }
        Ok(())
    }

    /// The number that a `switch` looks at, with its sign.
    fn deciding_number(
        &mut self,
        value: Value,
        scope: Option<Loop>,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Poly, Reason> {
        let scev = self.host.scev_at_scope(value, scope).ok_or(Reason::Condition)?;
        let read = self.signed(scev, place, region);
        read.map_err(|reason| if reason == Reason::Scalar { Reason::Condition } else { reason })
    }

    /// If a value says how two numbers compare, their difference, which has the same sign.
    fn compared_by(
        &mut self,
        value: Value,
        scope: Option<Loop>,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Option<Cases>, Reason> {
        let Some(name) = value.intrinsic_name().filter(|_| value.is(Opcode::Call)) else { return Ok(None) };
        let is_unsigned = name.starts_with("llvm.ucmp");
        if !is_unsigned && !name.starts_with("llvm.scmp") {
            return Ok(None);
        }
        let operands = value.operands();
        let (Some(left), Some(right)) = (operands.first(), operands.get(1)) else { return Ok(None) };
        let bits = left.ty().int_bits().filter(|bits| *bits <= 64).ok_or(Reason::Condition)?;
        let range = if is_unsigned { unsigned_range(bits) } else { signed_range(bits) };
        let mut read = |operand: Value| {
            let scev = self.host.scev_at_scope(operand, scope).ok_or(Reason::Condition)?;
            let cases = self.cases(scev, range, place, region);
            cases.map_err(|reason| if reason == Reason::Scalar { Reason::Condition } else { reason })
        };
        let (left, right) = (read(*left)?, read(*right)?);
        left.minus(&right).map(Some).ok_or(Reason::TooComplex)
    }

    /// The condition that the sign of a number is in one of the intervals.
    fn sign_among(
        &mut self,
        number: &Cases,
        intervals: &[(Option<i128>, Option<i128>)],
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Dnf, Reason> {
        let opposite = Cases::One(Poly::zero()).minus(number).ok_or(Reason::TooLarge)?;
        let minus_one = Poly::constant(-1).ok_or(Reason::TooLarge)?;
        let mut result = Dnf::never();
        for sign in -1..=1 {
            let inside = |(low, high): &(Option<i128>, Option<i128>)| {
                low.is_none_or(|low| low <= sign) && high.is_none_or(|high| sign <= high)
            };
            if !intervals.iter().any(inside) {
                continue;
            }
            let condition = match sign {
                -1 => {
                    let below = opposite.plus(&minus_one).ok_or(Reason::TooLarge)?;
                    self.cases_not_negative(&below, place, region)?
                }
                0 => {
                    let at_least = self.cases_not_negative(number, place, region)?;
                    at_least.and(&self.cases_not_negative(&opposite, place, region)?)?
                }
                _ => {
                    let beyond = number.plus(&minus_one).ok_or(Reason::TooLarge)?;
                    self.cases_not_negative(&beyond, place, region)?
                }
            };
            result = result.or(&condition)?;
        }
        Ok(result)
    }
}

fn above(value: &Poly, low: i128) -> Result<Poly, Reason> {
    Poly::constant(-low).and_then(|low| value.add(&low)).ok_or(Reason::TooLarge)
}

fn below(value: &Poly, high: i128) -> Result<Poly, Reason> {
    Poly::constant(high).and_then(|high| high.sub(value)).ok_or(Reason::TooLarge)
}
