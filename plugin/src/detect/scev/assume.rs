//! Conditions that are assumed to hold, or not to, whenever a place executes: no bounds check fails, nothing overflows.
//!
//! Other than a condition that decides about a domain, an assumed one may have products of parameters and counters in it, and numbers
//! from tables of rows: how long a row is.

use super::conditions::is_inside;
use super::row_addresses::{Reading, RowNumber};
use super::{ProgramPoint, Reader, RowAssumption, Surroundings, UNLIMITED};
use crate::formula::poly::{Poly, Sym};
use crate::host::{IntPredicate, Loop, Opcode, Value};
use crate::reasons::Reason;
use std::cmp::Ordering;

impl Reader<'_, '_> {
    /// Assumes that an `i1` value has the given truth value whenever `place` executes. Other than in
    /// [`Reader::condition`], products of parameters and counters may occur. Conditions with alternatives are refused.
    pub fn assume_condition(
        &mut self,
        value: Value,
        truth: bool,
        scope: Option<Loop>,
        place: ProgramPoint,
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
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<(), Reason> {
        let mark = self.mark();
        match self.assume_affine_comparison(compare, truth, scope, place, region) {
            Err(Reason::Condition) => {
                self.reset(mark);
                self.assume_about_row(compare, truth, scope, place, region)
            }
            done => done,
        }
    }

    /// The same where one side is a number from a table of rows.
    fn assume_about_row(
        &mut self,
        compare: Value,
        truth: bool,
        scope: Option<Loop>,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<(), Reason> {
        let host = self.host;
        let predicate = compare.int_predicate().ok_or(Reason::Condition)?;
        let operands = compare.operands();
        let [left, right] = operands.as_slice() else { return Err(Reason::Condition) };
        let is_unsigned =
            matches!(predicate, IntPredicate::Ult | IntPredicate::Ule | IntPredicate::Ugt | IntPredicate::Uge);
        let is_equality = matches!(predicate, IntPredicate::Eq | IntPredicate::Ne);
        for (number, other, is_left) in [(*left, *right, true), (*right, *left, false)] {
            let (Some(number), Some(other)) = (host.scev_at_scope(number, scope), host.scev_at_scope(other, scope))
            else {
                continue;
            };
            let mark = self.mark();
            let found = self.row_number(number, place, region);
            // Numbers that are equal or not are looked at as lengths, which are not negative.
            let other = match is_unsigned || is_equality {
                true => self.unsigned(other, place, region),
                false => self.signed(other, place, region),
            };
            let (Some(found), Ok(other)) = (found, other) else {
                self.reset(mark);
                continue;
            };
            let moved = Poly::constant(found.moved).ok_or(Reason::TooLarge)?;
            let number = Poly::symbol(NUMBER).add(&moved).ok_or(Reason::TooLarge)?;
            let (left, right) = if is_left { (&number, &other) } else { (&other, &number) };
            let (poly, high) = difference(predicate, truth, left, right)?;
            let sign = poly.coefficient(NUMBER);
            let compared = if is_unsigned || is_equality { Reading::Unsigned } else { Reading::Signed };
            // What is at least a number with sign is at least that without sign, too: where it is negative, it is larger than all.
            let reading = found.at_least.unwrap_or(compared);
            let is_as_compared = compared == Reading::Unsigned || reading == Reading::Signed;
            if found.at_least.is_some() && (sign < 0 || high != UNLIMITED || !is_as_compared) {
                self.reset(mark);
                continue;
            }
            let rest = poly.substitute(NUMBER, &Poly::zero()).ok_or(Reason::TooLarge)?;
            let RowNumber { ty, base, entries, .. } = found;
            let is_signed = reading == Reading::Signed;
            let assumption = RowAssumption { ty, is_signed, base, entries, sign, rest, low: 0, high, place };
            let bits = ty.int_bits().ok_or(Reason::Condition)?;
            // Where the length is on the larger side, it is not less than the other side, which is not negative. Numbers of 64 bits
            // are far from the largest ones.
            if found.moved != 0 && (bits < 64 || !is_signed && sign < 0) {
                let (low, high) = reading.range(bits);
                let high = if bits < 64 { high } else { UNLIMITED };
                let stays = RowAssumption { sign: 1, rest: moved, low, high, ..assumption.clone() };
                self.row_assumptions.push(stays);
            }
            self.row_assumptions.push(assumption);
            return Ok(());
        }
        Err(Reason::Condition)
    }
}

/// Stands for the number from a table of rows in a comparison; no parameter has this index.
const NUMBER: Sym = Sym::Param(usize::MAX);

/// A difference of the two sides of a comparison, and its greatest value, that make the comparison true or false if the difference is
/// not negative either.
fn difference(predicate: IntPredicate, truth: bool, left: &Poly, right: &Poly) -> Result<(Poly, i128), Reason> {
    let predicate = if truth { predicate } else { predicate.negated() };
    let (is_right_larger, least, high) = match predicate.order() {
        Some((is_right_larger, least)) => (is_right_larger, least, UNLIMITED),
        None if predicate == IntPredicate::Eq => (false, 0, 0),
        None => (rises_towards(left, right)?, 1, UNLIMITED),
    };
    let (larger, smaller) = if is_right_larger { (right, left) } else { (left, right) };
    let gap = Poly::constant(least).and_then(|least| smaller.add(&least));
    let poly = gap.and_then(|smaller| larger.sub(&smaller)).ok_or(Reason::TooLarge)?;
    Ok((poly, high))
}

/// Of two numbers that may not be equal, whether the right one is meant to be the larger one. Whoever counts towards a number and
/// may not meet it has not come as far yet: that is enough, and all that remains of `i < n` when the compiler knows that `i` starts
/// below `n`. A length that may not be a constant, and any number that may not be zero, is meant to be more.
pub(super) fn rises_towards(left: &Poly, right: &Poly) -> Result<bool, Reason> {
    let distance = right.sub(left).ok_or(Reason::TooLarge)?;
    match distance.direction() {
        Some(Ordering::Less) => Ok(true),
        Some(Ordering::Greater) => Ok(false),
        _ if is_exceeded(right, left) => Ok(false),
        _ if is_exceeded(left, right) => Ok(true),
        _ => Err(Reason::Condition),
    }
}

/// Whether a side of a comparison is a constant that a length is meant to exceed.
fn is_exceeded(constant: &Poly, length: &Poly) -> bool {
    constant.as_constant().is_some_and(|constant| constant == 0 || length.coefficient(NUMBER) != 0)
}
