//! Floating-point arithmetic of 32 and 64 bits, rounded to nearest: the host's own IEEE 754 operations.
//!
//! Subnormal numbers are kept (there is no `.ftz` here). Where the result is a NaN, PTX gives `0x7fffffff` in single
//! precision, also for `neg` and `abs`. In double precision the payload of an operand survives, and PTX leaves open of
//! which one; here it is the one that an NVIDIA H100 takes: the second, then the third, but the first of a division. An operation on
//! numbers that has no result gives `0xfff8000000000000` there. Atomics may give other payloads on a device.

use super::rounding::{DOUBLE, Format, SINGLE};

/// A floating-point type of PTX.
pub(crate) trait Float: Copy + PartialOrd {
    const FORMAT: Format;
    const SIGN: u64 = Self::FORMAT.sign_bit();
    fn of(bits: u64) -> Self;
    /// The bits of a result of arithmetic, whose operands in the order of their payloads were these.
    fn result(self, operands: &[u64]) -> u64;
    /// A NaN as an operand leaves it behind.
    fn quiet(bits: u64) -> u64;
    fn is_nan(self) -> bool;
    fn plus(self, b: Self) -> Self;
    fn minus(self, b: Self) -> Self;
    fn times(self, b: Self) -> Self;
    fn over(self, b: Self) -> Self;
    fn fused(self, b: Self, c: Self) -> Self;
    fn root(self) -> Self;
    fn one() -> Self;
}

/// How a number is rounded to an integer: `.rni`, `.rzi`, `.rmi`, `.rpi`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Integral {
    NearestEven,
    Zero,
    Down,
    Up,
}

impl Integral {
    pub(crate) fn round(self, value: f64) -> f64 {
        match self {
            Integral::NearestEven => value.round_ties_even(),
            Integral::Zero => value.trunc(),
            Integral::Down => value.floor(),
            Integral::Up => value.ceil(),
        }
    }
}

macro_rules! floats {
    ($($ty:ty, $bits:ty, $format:expr, $canonical:expr;)*) => {$(
        impl Float for $ty {
            const FORMAT: Format = $format;
            #[inline(always)]
            fn of(bits: u64) -> $ty {
                <$ty>::from_bits(bits as $bits)
            }
            #[inline(always)]
            fn result(self, operands: &[u64]) -> u64 {
                if !self.is_nan() {
                    u64::from(self.to_bits())
                } else if $canonical {
                    $format.nan
                } else {
                    let nan = operands.iter().copied().find(|&bits| <$ty>::of(bits).is_nan());
                    nan.map_or(<$ty>::SIGN | $format.nan, <$ty>::quiet)
                }
            }
            #[inline(always)]
            fn quiet(bits: u64) -> u64 {
                if $canonical { $format.nan } else { bits | $format.nan }
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                <$ty>::is_nan(self)
            }
            #[inline(always)]
            fn plus(self, b: $ty) -> $ty {
                self + b
            }
            #[inline(always)]
            fn minus(self, b: $ty) -> $ty {
                self - b
            }
            #[inline(always)]
            fn times(self, b: $ty) -> $ty {
                self * b
            }
            #[inline(always)]
            fn over(self, b: $ty) -> $ty {
                self / b
            }
            #[inline(always)]
            fn fused(self, b: $ty, c: $ty) -> $ty {
                self.mul_add(b, c)
            }
            #[inline(always)]
            fn root(self) -> $ty {
                self.sqrt()
            }
            fn one() -> $ty {
                1.0
            }
        }
    )*};
}
floats! {
    f32, u32, SINGLE, true;
    f64, u64, DOUBLE, false;
}

pub(crate) fn add<T: Float>(a: u64, b: u64) -> u64 {
    T::of(a).plus(T::of(b)).result(&[b, a])
}

pub(crate) fn sub<T: Float>(a: u64, b: u64) -> u64 {
    T::of(a).minus(T::of(b)).result(&[b, a])
}

pub(crate) fn mul<T: Float>(a: u64, b: u64) -> u64 {
    T::of(a).times(T::of(b)).result(&[b, a])
}

pub(crate) fn div<T: Float>(a: u64, b: u64) -> u64 {
    T::of(a).over(T::of(b)).result(&[a, b])
}

pub(crate) fn fma<T: Float>(a: u64, b: u64, c: u64) -> u64 {
    T::of(a).fused(T::of(b), T::of(c)).result(&[b, c, a])
}

pub(crate) fn sqrt<T: Float>(a: u64) -> u64 {
    T::of(a).root().result(&[a])
}

/// `rcp.rn`: the correctly rounded reciprocal.
pub(crate) fn rcp<T: Float>(a: u64) -> u64 {
    T::one().over(T::of(a)).result(&[a])
}

pub(crate) fn neg<T: Float>(a: u64) -> u64 {
    if T::of(a).is_nan() { T::quiet(a) } else { a ^ T::SIGN }
}

pub(crate) fn abs<T: Float>(a: u64) -> u64 {
    if T::of(a).is_nan() { T::quiet(a) } else { a & !T::SIGN }
}

/// `b` with the sign of `a`.
pub(crate) fn copysign<T: Float>(a: u64, b: u64) -> u64 {
    (b & !T::SIGN) | (a & T::SIGN)
}

/// A key that orders all numbers, -0 below +0.
fn key<T: Float>(bits: u64) -> i128 {
    if bits & T::SIGN != 0 { -i128::from(bits & !T::SIGN) - 1 } else { i128::from(bits) }
}

/// The number where the other operand is a NaN, and a NaN where both are; with `NAN`, a NaN where one is.
fn extremum<T: Float, const LEAST: bool, const NAN: bool>(a: u64, b: u64) -> u64 {
    match (T::of(a).is_nan(), T::of(b).is_nan()) {
        (false, false) => {
            if (key::<T>(a) < key::<T>(b)) == LEAST {
                a
            } else {
                b
            }
        }
        (true, false) if !NAN => b,
        (false, true) if !NAN => a,
        _ => T::quiet(b),
    }
}

pub(crate) fn min<T: Float, const NAN: bool>(a: u64, b: u64) -> u64 {
    extremum::<T, true, NAN>(a, b)
}

pub(crate) fn max<T: Float, const NAN: bool>(a: u64, b: u64) -> u64 {
    extremum::<T, false, NAN>(a, b)
}

/// Whether a float is finite, infinite, a number, not a number, normal, subnormal: `testp`.
pub(crate) fn testp<T: Float, const WHAT: u8>(a: u64) -> u64 {
    let magnitude = a & !T::SIGN;
    let infinity = T::FORMAT.infinity(false);
    let least_normal = 1u64 << T::FORMAT.fraction;
    u64::from(match WHAT {
        0 => magnitude < infinity,
        1 => magnitude == infinity,
        2 => magnitude <= infinity,
        3 => magnitude > infinity,
        // Zeros count as normal.
        4 => magnitude == 0 || magnitude >= least_normal && magnitude < infinity,
        _ => magnitude > 0 && magnitude < least_normal,
    })
}

/// `atom.add.f32` in global memory: subnormal operands and results become zeros of the same sign.
pub(crate) fn add_flushing(a: u64, b: u64) -> u64 {
    let flush = |bits: u64| if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits };
    flush(add::<f32>(flush(a), flush(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn single(value: f32) -> u64 {
        u64::from(value.to_bits())
    }

    #[test]
    fn extrema_know_signed_zeros_and_nan() {
        let (plus, minus, nan) = (single(0.0), single(-0.0), single(f32::NAN));
        assert_eq!(min::<f32, false>(plus, minus), minus);
        assert_eq!(max::<f32, false>(minus, plus), plus);
        assert_eq!(min::<f32, false>(nan, minus), minus);
        assert_eq!(max::<f32, false>(single(-3.0), nan), single(-3.0));
        assert_eq!(min::<f32, false>(nan, nan), 0x7fff_ffff);
        assert_eq!(max::<f32, true>(single(1.0), nan), 0x7fff_ffff);
        assert_eq!(min::<f64, false>((-2f64).to_bits(), (-1f64).to_bits()), (-2f64).to_bits());
    }

    #[test]
    fn rounded_once() {
        let a = single(1.0 + f32::EPSILON);
        assert_eq!(fma::<f32>(a, a, single(-1.0)), single((1.0 + f32::EPSILON).mul_add(1.0 + f32::EPSILON, -1.0)));
        assert_ne!(fma::<f32>(a, a, single(-1.0 - 2.0 * f32::EPSILON)), 0);
        assert_eq!(div::<f32>(single(1.0), single(3.0)), single(1.0 / 3.0));
        assert_eq!(add::<f32>(single(f32::INFINITY), single(f32::NEG_INFINITY)), 0x7fff_ffff);
        // Subnormal numbers stay.
        assert_eq!(mul::<f32>(single(f32::MIN_POSITIVE), single(0.5)), 0x0040_0000);
        assert_eq!(add_flushing(0x0040_0000, 0x8000_0001), 0);
    }
}
