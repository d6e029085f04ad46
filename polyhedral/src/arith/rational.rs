//! [`Rational`]: an exact fraction of two [`Int`]s.
//!
//! Invariant: the denominator is positive and has no common divisor with the numerator, so equality and hashing work on
//! the representation.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};

use super::Int;

/// An exact rational number.
///
/// ```
/// use tessera_polyhedral::arith::{Int, Rational};
/// let half = Rational::new(Int::from(-2), Int::from(-4));
/// assert_eq!(half.to_string(), "1/2");
/// assert_eq!((&half - &Rational::from(1)).floor(), Int::from(-1));
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rational {
    numerator: Int,
    denominator: Int,
}

impl Rational {
    /// The fraction `numerator / denominator`, in lowest terms. Panics if the denominator is 0.
    pub fn new(numerator: Int, denominator: Int) -> Self {
        assert!(!denominator.is_zero(), "a Rational with denominator zero");
        if denominator.is_one() {
            return Self { numerator, denominator };
        }
        let mut divisor = numerator.gcd(&denominator);
        if denominator.is_negative() {
            divisor = -divisor;
        }
        Self { numerator: numerator.div_exact(&divisor), denominator: denominator.div_exact(&divisor) }
    }

    /// The number 0.
    pub fn zero() -> Self {
        Self { numerator: Int::zero(), denominator: Int::one() }
    }

    /// The numerator, in lowest terms; it carries the sign.
    pub fn numerator(&self) -> &Int {
        &self.numerator
    }

    /// The denominator, in lowest terms; always positive.
    pub fn denominator(&self) -> &Int {
        &self.denominator
    }

    /// The sign: -1, 0 or 1.
    pub fn signum(&self) -> i32 {
        self.numerator.signum()
    }

    /// Whether the value is 0.
    pub fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }

    /// Whether the value is an integer.
    pub fn is_integer(&self) -> bool {
        self.denominator.is_one()
    }

    /// The greatest integer that is not above the value.
    pub fn floor(&self) -> Int {
        self.numerator.div_floor(&self.denominator)
    }

    /// The least integer that is not below the value.
    pub fn ceil(&self) -> Int {
        self.numerator.div_ceil(&self.denominator)
    }
}

impl Default for Rational {
    fn default() -> Self {
        Self::zero()
    }
}

impl From<Int> for Rational {
    fn from(value: Int) -> Self {
        Self { numerator: value, denominator: Int::one() }
    }
}

impl From<i64> for Rational {
    fn from(value: i64) -> Self {
        Int::from(value).into()
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}

impl Add for &Rational {
    type Output = Rational;
    fn add(self, other: &Rational) -> Rational {
        Rational::new(
            &self.numerator * &other.denominator + &other.numerator * &self.denominator,
            &self.denominator * &other.denominator,
        )
    }
}

impl Sub for &Rational {
    type Output = Rational;
    fn sub(self, other: &Rational) -> Rational {
        self + &-other
    }
}

impl Mul for &Rational {
    type Output = Rational;
    fn mul(self, other: &Rational) -> Rational {
        Rational::new(&self.numerator * &other.numerator, &self.denominator * &other.denominator)
    }
}

impl Div for &Rational {
    type Output = Rational;
    /// Panics if `other` is 0.
    fn div(self, other: &Rational) -> Rational {
        Rational::new(&self.numerator * &other.denominator, &self.denominator * &other.numerator)
    }
}

impl Neg for &Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        Rational { numerator: -&self.numerator, denominator: self.denominator.clone() }
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_integer() {
            write!(f, "{}", self.numerator)
        } else {
            write!(f, "{}/{}", self.numerator, self.denominator)
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn is_in_lowest_terms_with_positive_denominator() {
        let r = Rational::new(Int::from(6), Int::from(-4));
        assert_eq!((r.numerator(), r.denominator()), (&Int::from(-3), &Int::from(2)));
        assert_eq!(Rational::new(Int::zero(), Int::from(-7)), Rational::zero());
        assert_eq!((r.floor(), r.ceil()), (Int::from(-2), Int::from(-1)));
    }

    proptest! {
        #[test]
        fn is_a_field(a in -50i64..50, b in 1i64..20, c in -50i64..50, d in 1i64..20) {
            let x = Rational::new(a.into(), b.into());
            let y = Rational::new(c.into(), d.into());
            prop_assert_eq!(&(&(&x + &y) - &y), &x);
            prop_assert_eq!(x.cmp(&y), (a * d).cmp(&(c * b)));
            if c != 0 {
                prop_assert_eq!(&(&x * &y) / &y, x);
            }
        }
    }
}
