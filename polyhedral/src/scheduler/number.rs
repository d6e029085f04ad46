//! [`Number`]: the integers that a [tableau](super::tableau) computes with: machine words that notice an overflow, and
//! [`Int`] without limits.
//!
//! A solver is run in machine words first. If some number does not fit, the run ends with [`Stop::Overflow`] and is
//! repeated with [`Int`]; both runs make the same decisions, so the answer does not depend on which one gave it.

use std::cmp::Ordering;

use crate::arith::Int;
use crate::budget::Exhausted;

/// Why a run of the solver ended without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// A number did not fit in a machine word; the run must be repeated with [`Int`].
    Overflow,
    /// The budget is used up.
    Exhausted(Exhausted),
}

impl From<Exhausted> for Stop {
    fn from(e: Exhausted) -> Stop {
        Stop::Exhausted(e)
    }
}

/// Rows of numbers below this are not divided by their common factor.
const SMALL: i64 = 1 << 20;

/// An exact integer; every operation that can overflow says so.
pub(super) trait Number: Clone {
    fn zero() -> Self;
    fn one() -> Self;
    fn import(value: &Int) -> Result<Self, Stop>;
    fn export(&self) -> Int;
    fn sign(&self) -> i32;
    fn is_one(&self) -> bool;
    fn negated(&self) -> Result<Self, Stop>;
    /// `self * factor`.
    fn times(&self, factor: &Self) -> Result<Self, Stop>;
    /// `self * m + factor * other`.
    fn combined(&self, m: &Self, factor: &Self, other: &Self) -> Result<Self, Stop>;
    /// The greatest common divisor, not negative.
    fn gcd(&self, other: &Self) -> Self;
    /// The quotient of an exact division.
    fn exact_quotient(&self, divisor: &Self) -> Self;
    /// The remainder, not negative, of a division by a positive number.
    fn residue(&self, divisor: &Self) -> Self;
    /// Compares `a * b` with `c * d`.
    fn compare_products(a: &Self, b: &Self, c: &Self, d: &Self) -> Ordering;
    /// `self += factor * other` at many places.
    fn add_multiple(target: &mut [Self], factor: &Self, source: &[Self], places: &[usize]) -> Result<(), Stop>;
    /// Whether all numbers are so small that a common factor does no harm.
    fn all_small(numbers: &[Self]) -> bool;
}

impl Number for i64 {
    fn zero() -> i64 {
        0
    }

    fn one() -> i64 {
        1
    }

    fn import(value: &Int) -> Result<i64, Stop> {
        value.to_i64().ok_or(Stop::Overflow)
    }

    fn export(&self) -> Int {
        Int::from(*self)
    }

    #[inline]
    fn sign(&self) -> i32 {
        self.signum() as i32
    }

    #[inline]
    fn is_one(&self) -> bool {
        *self == 1
    }

    #[inline]
    fn negated(&self) -> Result<i64, Stop> {
        self.checked_neg().ok_or(Stop::Overflow)
    }

    #[inline]
    fn times(&self, factor: &i64) -> Result<i64, Stop> {
        self.checked_mul(*factor).ok_or(Stop::Overflow)
    }

    #[inline]
    fn combined(&self, m: &i64, factor: &i64, other: &i64) -> Result<i64, Stop> {
        let value = i128::from(*self) * i128::from(*m) + i128::from(*factor) * i128::from(*other);
        i64::try_from(value).map_err(|_| Stop::Overflow)
    }

    fn gcd(&self, other: &i64) -> i64 {
        let (mut a, mut b) = (self.unsigned_abs(), other.unsigned_abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        i64::try_from(a).unwrap_or(1)
    }

    #[inline]
    fn exact_quotient(&self, divisor: &i64) -> i64 {
        self / divisor
    }

    #[inline]
    fn residue(&self, divisor: &i64) -> i64 {
        self.rem_euclid(*divisor)
    }

    #[inline]
    fn compare_products(a: &i64, b: &i64, c: &i64, d: &i64) -> Ordering {
        (i128::from(*a) * i128::from(*b)).cmp(&(i128::from(*c) * i128::from(*d)))
    }

    fn add_multiple(target: &mut [i64], factor: &i64, source: &[i64], places: &[usize]) -> Result<(), Stop> {
        let mut overflow = false;
        for &p in places {
            let (product, a) = factor.overflowing_mul(source[p]);
            let (sum, b) = target[p].overflowing_add(product);
            target[p] = sum;
            overflow |= a | b;
        }
        if overflow { Err(Stop::Overflow) } else { Ok(()) }
    }

    fn all_small(numbers: &[i64]) -> bool {
        numbers.iter().fold(0, |bits, x| bits | (x ^ (x >> 63))) < SMALL
    }
}

impl Number for Int {
    fn zero() -> Int {
        Int::zero()
    }

    fn one() -> Int {
        Int::one()
    }

    fn import(value: &Int) -> Result<Int, Stop> {
        Ok(value.clone())
    }

    fn export(&self) -> Int {
        self.clone()
    }

    fn sign(&self) -> i32 {
        self.signum()
    }

    fn is_one(&self) -> bool {
        Int::is_one(self)
    }

    fn negated(&self) -> Result<Int, Stop> {
        Ok(-self)
    }

    fn times(&self, factor: &Int) -> Result<Int, Stop> {
        Ok(self * factor)
    }

    fn combined(&self, m: &Int, factor: &Int, other: &Int) -> Result<Int, Stop> {
        let mut value = self * m;
        value.add_mul(factor, other);
        Ok(value)
    }

    fn gcd(&self, other: &Int) -> Int {
        Int::gcd(self, other)
    }

    fn exact_quotient(&self, divisor: &Int) -> Int {
        self.div_exact(divisor)
    }

    fn residue(&self, divisor: &Int) -> Int {
        self.rem_floor(divisor)
    }

    fn compare_products(a: &Int, b: &Int, c: &Int, d: &Int) -> Ordering {
        (a * b).cmp(&(c * d))
    }

    fn add_multiple(target: &mut [Int], factor: &Int, source: &[Int], places: &[usize]) -> Result<(), Stop> {
        places.iter().for_each(|&p| target[p].add_mul(factor, &source[p]));
        Ok(())
    }

    fn all_small(numbers: &[Int]) -> bool {
        numbers.iter().all(|x| x.to_i64().is_some_and(|x| (x ^ (x >> 63)) < SMALL))
    }
}
