//! [`Int`]: an exact integer in one machine word, 63 bits inline, promoted to GMP when a result does not fit.
//!
//! Invariant: the representation is canonical. A value that fits in the word is always stored there, so equality and
//! hashing work on the representation, and the test "is it small?" is exact. Every constructor of a large value goes
//! through [`Word`], which keeps the invariant.
//!
//! No operation wraps or loses digits. Division by zero panics, as it does for the integers of the language: a divisor
//! is never data, and the callers check it where it comes from input.

mod operators;
mod text;
mod word;

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use rug::Integer;
use rug::ops::{DivRounding, RemRounding};

/// An integer of any size.
///
/// ```
/// use tessera_polyhedral::arith::Int;
/// let x = Int::from(i64::MAX) + 1;
/// assert_eq!(x.to_string(), "9223372036854775808");
/// assert_eq!(x - 1, Int::from(i64::MAX));
/// assert_eq!(Int::from(-7).div_floor(&Int::from(2)), Int::from(-4));
/// ```
#[derive(Clone, PartialEq)]
pub struct Int(Word);

pub use text::ParseIntError;

use word::View::{self, Big, Small};
use word::Word;

impl Int {
    /// The integer 0.
    #[inline]
    pub fn zero() -> Self {
        Int::new(0)
    }

    /// The integer 1.
    #[inline]
    pub fn one() -> Self {
        Int::new(1)
    }

    /// An integer from a machine integer.
    #[inline]
    pub fn new(value: i64) -> Self {
        Int(Word::new(value))
    }

    #[inline]
    fn view(&self) -> View<'_> {
        self.0.view()
    }

    /// Whether all of some numbers fit in their words: then they own nothing.
    #[inline]
    pub(super) fn are_words(numbers: &[Int]) -> bool {
        Word::are_small(numbers.iter().map(|x| &x.0))
    }

    /// A copy of a number of which it is known that it fits in its word.
    #[inline]
    pub(super) fn copy_of_word(&self) -> Int {
        Int(self.0.copy_of_small())
    }

    /// The canonical form of a GMP integer.
    pub fn from_big(value: Integer) -> Self {
        Int(Word::from_big(value))
    }

    /// The value as a GMP integer.
    pub fn to_big(&self) -> Integer {
        match self.view() {
            Small(v) => Integer::from(v),
            Big(v) => v.clone(),
        }
    }

    /// The value, if it fits in 64 bits.
    #[inline]
    pub fn to_i64(&self) -> Option<i64> {
        match self.view() {
            Small(v) => Some(v),
            Big(v) => v.to_i64(),
        }
    }

    /// Whether the value is 0.
    #[inline]
    pub fn is_zero(&self) -> bool {
        self.0.is(0)
    }

    /// Whether the value is 1.
    #[inline]
    pub fn is_one(&self) -> bool {
        self.0.is(1)
    }

    /// Whether the value is 1 or -1.
    #[inline]
    pub fn is_unit(&self) -> bool {
        self.0.is(1) || self.0.is(-1)
    }

    /// Whether the value is less than 0.
    #[inline]
    pub fn is_negative(&self) -> bool {
        self.signum() < 0
    }

    /// Whether the value is greater than 0.
    #[inline]
    pub fn is_positive(&self) -> bool {
        self.signum() > 0
    }

    /// Whether 2 divides the value.
    pub fn is_even(&self) -> bool {
        match self.view() {
            Small(v) => v & 1 == 0,
            Big(v) => v.is_even(),
        }
    }

    /// The sign: -1, 0 or 1.
    #[inline]
    pub fn signum(&self) -> i32 {
        match self.view() {
            Small(v) => v.signum() as i32,
            Big(v) => v.cmp0() as i32,
        }
    }

    /// The absolute value.
    pub fn abs(&self) -> Self {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// Compares absolute values.
    pub fn cmp_abs(&self, other: &Self) -> Ordering {
        match (self.view(), other.view()) {
            (Small(a), Small(b)) => a.unsigned_abs().cmp(&b.unsigned_abs()),
            _ => self.abs().cmp(&other.abs()),
        }
    }

    /// The greatest common divisor, never negative; `gcd(0, 0)` is 0.
    pub fn gcd(&self, other: &Self) -> Self {
        match (self.view(), other.view()) {
            (Small(a), Small(b)) => gcd_u64(a.unsigned_abs(), b.unsigned_abs()).into(),
            (Small(0), Big(b)) | (Big(b), Small(0)) => Self::from_big(b.clone().abs()),
            (Small(a), Big(b)) | (Big(b), Small(a)) => {
                let r = Integer::from(b % a).to_i64().map_or(0, i64::unsigned_abs);
                gcd_u64(a.unsigned_abs(), r).into()
            }
            (Big(a), Big(b)) => Self::from_big(Integer::from(a.gcd_ref(b))),
        }
    }

    /// The least common multiple, never negative; 0 if either is 0.
    pub fn lcm(&self, other: &Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self::zero();
        }
        (self.div_exact(&self.gcd(other)) * other).abs()
    }

    /// Bezout coefficients: `(g, x, y)` with `g = gcd(self, other) = x * self + y * other`.
    pub fn gcd_ext(&self, other: &Self) -> (Self, Self, Self) {
        let (mut r0, mut r1) = (self.clone(), other.clone());
        let (mut x0, mut x1) = (Self::one(), Self::zero());
        let (mut y0, mut y1) = (Self::zero(), Self::one());
        while !r1.is_zero() {
            let q = r0.div_floor(&r1);
            (r0, r1) = (r1.clone(), r0 - &q * &r1);
            (x0, x1) = (x1.clone(), x0 - &q * &x1);
            (y0, y1) = (y1.clone(), y0 - &q * &y1);
        }
        if r0.is_negative() { (-r0, -x0, -y0) } else { (r0, x0, y0) }
    }

    /// The quotient rounded towards minus infinity. Panics if `divisor` is 0.
    pub fn div_floor(&self, divisor: &Self) -> Self {
        if let (Some(a), Some(b)) = (self.0.small(), divisor.0.small())
            && let Some(q) = a.checked_div(b)
        {
            // The quotient of the language rounds towards zero: one too many if the signs differ and a rest is left.
            return Int::new(if a % b != 0 && (a ^ b) < 0 { q - 1 } else { q });
        }
        assert!(!divisor.is_zero(), "division of an Int by zero");
        Self::from_big(self.to_big().div_floor(divisor.to_big()))
    }

    /// The quotient rounded towards plus infinity. Panics if `divisor` is 0.
    pub fn div_ceil(&self, divisor: &Self) -> Self {
        if let (Some(a), Some(b)) = (self.0.small(), divisor.0.small())
            && let Some(q) = a.checked_div(b)
        {
            return Int::new(if a % b != 0 && (a ^ b) >= 0 { q + 1 } else { q });
        }
        assert!(!divisor.is_zero(), "division of an Int by zero");
        Self::from_big(self.to_big().div_ceil(divisor.to_big()))
    }

    /// The remainder of [`Int::div_floor`]: `self - divisor * floor(self / divisor)`. It has the sign of the divisor,
    /// so for a positive divisor it is the Euclidean remainder. Panics if `divisor` is 0.
    pub fn rem_floor(&self, divisor: &Self) -> Self {
        if let (Some(a), Some(b)) = (self.0.small(), divisor.0.small())
            && let Some(r) = a.checked_rem(b)
        {
            return Int::new(if r != 0 && (r ^ b) < 0 { r + b } else { r });
        }
        assert!(!divisor.is_zero(), "division of an Int by zero");
        Self::from_big(self.to_big().rem_floor(divisor.to_big()))
    }

    /// The quotient when `divisor` is known to divide the value. Panics if `divisor` is 0; in debug builds also if it
    /// does not divide the value.
    pub fn div_exact(&self, divisor: &Self) -> Self {
        debug_assert!(divisor.divides(self), "{divisor} does not divide {self}");
        if let (Some(a), Some(b)) = (self.0.small(), divisor.0.small())
            && let Some(q) = a.checked_div(b)
        {
            return Int::new(q);
        }
        assert!(!divisor.is_zero(), "division of an Int by zero");
        Self::from_big(self.to_big().div_exact(&divisor.to_big()))
    }

    /// Whether this value divides `other`. Zero divides only zero.
    pub fn divides(&self, other: &Self) -> bool {
        match (self.view(), other.view()) {
            (Small(0), _) => other.is_zero(),
            (Small(a), Small(b)) => b.checked_rem(a).is_none_or(|r| r == 0),
            _ => other.to_big().is_divisible(&self.to_big()),
        }
    }

    /// Adds the product `a * b` in place.
    #[inline]
    pub fn add_mul(&mut self, a: &Self, b: &Self) {
        match self.0.add_mul(&a.0, &b.0) {
            Some(sum) => self.0 = sum,
            None => *self += a * b,
        }
    }

    /// Subtracts the product `a * b` in place.
    #[inline]
    pub fn sub_mul(&mut self, a: &Self, b: &Self) {
        match self.0.sub_mul(&a.0, &b.0) {
            Some(difference) => self.0 = difference,
            None => *self -= a * b,
        }
    }

    /// The power `self ^ exponent`.
    pub fn pow(&self, exponent: u32) -> Self {
        if let Some(a) = self.0.small()
            && let Some(p) = a.checked_pow(exponent)
        {
            return Int::new(p);
        }
        let (mut base, mut result, mut rest) = (self.clone(), Self::one(), exponent);
        while rest > 0 {
            if rest & 1 == 1 {
                result *= &base;
            }
            rest >>= 1;
            if rest > 0 {
                base = &base * &base;
            }
        }
        result
    }
}

/// The greatest common divisor of two machine words, by the binary method.
pub(crate) fn gcd_u64(mut a: u64, mut b: u64) -> u64 {
    if a == 0 || b == 0 {
        return a | b;
    }
    let shift = (a | b).trailing_zeros();
    a >>= a.trailing_zeros();
    while b != 0 {
        b >>= b.trailing_zeros();
        if a > b {
            std::mem::swap(&mut a, &mut b);
        }
        b -= a;
    }
    a << shift
}

impl Default for Int {
    fn default() -> Self {
        Self::zero()
    }
}

impl Eq for Int {}

impl Hash for Int {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self.view() {
            Small(v) => v.hash(state),
            Big(v) => v.hash(state),
        }
    }
}

impl PartialOrd for Int {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Int {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.view(), other.view()) {
            (Small(a), Small(b)) => a.cmp(&b),
            (Small(_), Big(b)) => 0.cmp(&(b.cmp0() as i32)),
            (Big(a), Small(_)) => (a.cmp0() as i32).cmp(&0),
            (Big(a), Big(b)) => a.cmp(b),
        }
    }
}

impl PartialEq<i64> for Int {
    fn eq(&self, other: &i64) -> bool {
        self.to_i64() == Some(*other)
    }
}

impl PartialOrd<i64> for Int {
    fn partial_cmp(&self, other: &i64) -> Option<Ordering> {
        Some(self.cmp(&Int::new(*other)))
    }
}

macro_rules! from_small {
    ($($t:ty),*) => {$(
        impl From<$t> for Int {
            #[inline]
            fn from(value: $t) -> Self {
                Int::new(i64::from(value))
            }
        }
    )*};
}
from_small!(i64, i32, i16, i8, u32, u16, u8, bool);

macro_rules! from_wide {
    ($($t:ty),*) => {$(
        impl From<$t> for Int {
            #[inline]
            fn from(value: $t) -> Self {
                match i64::try_from(value) {
                    Ok(v) => Int::new(v),
                    Err(_) => Int::from_big(Integer::from(value)),
                }
            }
        }
    )*};
}
from_wide!(u64, usize, isize, i128, u128);

impl From<&Int> for Int {
    fn from(value: &Int) -> Self {
        value.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Values around every border: 0, small, the ends of 32 and 64 bits, and beyond.
    fn border() -> impl Strategy<Value = i128> {
        prop_oneof![
            -20i128..20,
            any::<i64>().prop_map(i128::from),
            (-3i128..4).prop_map(|d| i128::from(i64::MAX) + d),
            (-3i128..4).prop_map(|d| i128::from(i64::MIN) + d),
            (-3i128..4).prop_map(|d| (1 << 62) + d),
            (-3i128..4).prop_map(|d| -(1 << 62) + d),
            (-3i128..4).prop_map(|d| (1 << 61) + d),
            (-3i128..4).prop_map(|d| (1 << 31) + d),
            (-3i128..4).prop_map(|d| (1i128 << 100) + d),
            (-3i128..4).prop_map(|d| -(1i128 << 100) + d),
        ]
    }

    fn is_canonical(x: &Int) -> bool {
        match x.view() {
            Small(_) => true,
            Big(v) => !(-(1i64 << 62)..1 << 62).contains(v),
        }
    }

    #[test]
    fn is_one_word() {
        assert_eq!(size_of::<Int>(), 8);
    }

    #[test]
    fn divides_at_the_end_of_the_range() {
        let min = Int::from(i64::MIN);
        let minus_one = Int::from(-1);
        let two_63 = Int::from(1i128 << 63);
        assert_eq!(min.div_floor(&minus_one), two_63);
        assert_eq!(min.div_ceil(&minus_one), two_63);
        assert_eq!(min.div_exact(&minus_one), two_63);
        assert_eq!(min.rem_floor(&minus_one), Int::zero());
        assert_eq!(min.abs(), two_63);
        assert_eq!(-&two_63, min);
        assert_eq!(min.gcd(&Int::zero()), two_63);
        assert!(minus_one.divides(&min));
    }

    #[test]
    fn reads_and_refuses_text() {
        assert_eq!("-12".parse::<Int>(), Ok(Int::from(-12)));
        let big = "-123456789012345678901234567890";
        assert_eq!(big.parse::<Int>().map(|x| x.to_string()), Ok(big.to_owned()));
        for bad in ["", "-", "+", "1x", "--1", "99999999999999999999 1", "1_0"] {
            assert!(bad.parse::<Int>().is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn agrees_with_128_bits(a in border(), b in border()) {
            let (x, y) = (Int::from(a), Int::from(b));
            for r in [&x + &y, &x - &y, &x * &y, -&x, x.abs(), x.gcd(&y)] {
                prop_assert!(is_canonical(&r));
            }
            prop_assert_eq!(&x + &y, Int::from(a + b));
            prop_assert_eq!(&x - &y, Int::from(a - b));
            if let Some(p) = a.checked_mul(b) {
                prop_assert_eq!(&x * &y, Int::from(p));
                let (mut plus, mut minus) = (x.clone(), x.clone());
                plus.add_mul(&x, &y);
                minus.sub_mul(&x, &y);
                prop_assert_eq!(plus, Int::from(a) + Int::from(p));
                prop_assert_eq!(minus, Int::from(a) - Int::from(p));
            }
            prop_assert_eq!(x.cmp(&y), a.cmp(&b));
            prop_assert_eq!(x.cmp_abs(&y), a.unsigned_abs().cmp(&b.unsigned_abs()));
            prop_assert_eq!(x.to_string(), a.to_string());
            prop_assert_eq!(a.to_string().parse::<Int>(), Ok(x.clone()));
            prop_assert_eq!(x.to_i64(), i64::try_from(a).ok());
            prop_assert_eq!(x.is_even(), a % 2 == 0);
            if b != 0 {
                let (quotient, rest) = (a.div_euclid(b), a.rem_euclid(b));
                let floor = if rest != 0 && b < 0 { quotient - 1 } else { quotient };
                prop_assert_eq!(x.div_floor(&y), Int::from(floor));
                prop_assert_eq!(x.div_ceil(&y), Int::from(if rest == 0 { floor } else { floor + 1 }));
                prop_assert_eq!(x.rem_floor(&y), Int::from(a - b * floor));
                prop_assert_eq!(y.divides(&x), rest == 0);
                prop_assert_eq!((&x * &y).div_exact(&y), x);
            }
        }

        #[test]
        fn gcd_divides_and_is_a_combination(a in border(), b in border()) {
            let (x, y) = (Int::from(a), Int::from(b));
            let (g, s, t) = x.gcd_ext(&y);
            prop_assert_eq!(&g, &x.gcd(&y));
            prop_assert!(g.divides(&x) && g.divides(&y) && !g.is_negative());
            prop_assert_eq!(&s * &x + &t * &y, g);
            let l = x.lcm(&y);
            prop_assert!(x.divides(&l) && y.divides(&l));
            prop_assert_eq!(&l * x.gcd(&y), (x * y).abs());
        }
    }
}
