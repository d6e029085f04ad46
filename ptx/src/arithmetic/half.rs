//! Arithmetic of 16-bit floats (`.f16`), exact and rounded once.
//!
//! Every finite half is an integer times `2^-24`, and every product one times `2^-48`: sums and products are computed
//! in 128-bit integers. Products of brain floats (`.bf16`) are exact in double precision; sums are rounded there to an
//! odd last digit where they are not exact, so that rounding them again is rounding once.

use super::rounding::{BRAIN, DOUBLE, HALF, Parts, Rounding};

const SIGN: u64 = 0x8000;

/// `a * b + c` in integers of `2^-48`, rounded once.
fn fused(a: u64, b: u64, c: u64) -> u64 {
    let value = |x: Parts| match x {
        Parts::Finite(negative, magnitude, exponent) => {
            let magnitude = (magnitude << (exponent + 24)) as i128;
            Some(if negative { -magnitude } else { magnitude })
        }
        _ => None,
    };
    let (a, b, c) = (a & 0xffff, b & 0xffff, c & 0xffff);
    let parts = (HALF.unpack(a), HALF.unpack(b), HALF.unpack(c));
    let (Some(x), Some(y), Some(z)) = (value(parts.0), value(parts.1), value(parts.2)) else {
        // With an infinity or a NaN there is nothing to round: doubles give the same special value.
        let double = HALF.to_double(a).mul_add(HALF.to_double(b), HALF.to_double(c));
        return if double.is_nan() { HALF.nan } else { HALF.infinity(double < 0.0) };
    };
    let sum = x * y + (z << 24);
    if sum == 0 {
        // A zero of two zeros has their sign if they agree; an exact cancellation gives +0.
        let product_negative = (a ^ b) & SIGN != 0;
        let both_zero = x * y == 0;
        return if both_zero && z == 0 && product_negative && c & SIGN != 0 { SIGN } else { 0 };
    }
    HALF.pack(sum < 0, sum.unsigned_abs(), -48, Rounding::NearestEven)
}

const ONE: u64 = 0x3c00;

pub(crate) fn add(a: u64, b: u64) -> u64 {
    fused(a, ONE, b)
}

pub(crate) fn sub(a: u64, b: u64) -> u64 {
    if is_nan::<false>(b) { HALF.nan } else { fused(a, ONE, b ^ SIGN) }
}

pub(crate) fn mul(a: u64, b: u64) -> u64 {
    // Minus zero is neutral in a sum.
    let product = fused(a, b, SIGN);
    if product == SIGN || product == 0 { product & 0x7fff | (a ^ b) & SIGN } else { product }
}

pub(crate) fn fma(a: u64, b: u64, c: u64) -> u64 {
    fused(a, b, c)
}

/// `neg` of halves, or with `BRAIN_FLOAT` of brain floats.
pub(crate) fn neg<const BRAIN_FLOAT: bool>(a: u64) -> u64 {
    if is_nan::<BRAIN_FLOAT>(a) { HALF.nan } else { a ^ SIGN }
}

/// `abs` of halves, or with `BRAIN_FLOAT` of brain floats.
pub(crate) fn abs<const BRAIN_FLOAT: bool>(a: u64) -> u64 {
    if is_nan::<BRAIN_FLOAT>(a) { HALF.nan } else { a & !SIGN }
}

fn is_nan<const BRAIN_FLOAT: bool>(a: u64) -> bool {
    a & 0x7fff > if BRAIN_FLOAT { 0x7f80 } else { 0x7c00 }
}

fn extremum(a: u64, b: u64, least: bool) -> u64 {
    let key = |x: u64| if x & SIGN != 0 { -((x & 0x7fff) as i32) - 1 } else { x as i32 };
    match (is_nan::<false>(a), is_nan::<false>(b)) {
        (false, false) => {
            if (key(a) < key(b)) == least {
                a
            } else {
                b
            }
        }
        (true, false) => b,
        (false, true) => a,
        _ => HALF.nan,
    }
}

pub(crate) fn min(a: u64, b: u64) -> u64 {
    extremum(a, b, true)
}

pub(crate) fn max(a: u64, b: u64) -> u64 {
    extremum(a, b, false)
}

/// `a * b + c` of brain floats.
pub(crate) fn brain_fma(a: u64, b: u64, c: u64) -> u64 {
    let [a, b, c] = [a, b, c].map(|x| BRAIN.to_double(x & 0xffff));
    let product = a * b;
    let mut sum = product + c;
    if sum.is_finite() {
        // What the sum has lost, exactly: Knuth's two-sum.
        let part = sum - product;
        let lost = (product - (sum - part)) + (c - part);
        let bits = sum.to_bits();
        if lost != 0.0 && bits & 1 == 0 {
            let away = (lost > 0.0) == (sum > 0.0);
            sum = f64::from_bits(if away { bits + 1 } else { bits.wrapping_sub(1) });
        }
    }
    DOUBLE.convert(sum.to_bits(), BRAIN, Rounding::NearestEven)
}

/// `a + b` of brain floats.
pub(crate) fn brain_add(a: u64, b: u64) -> u64 {
    brain_fma(a, 0x3f80, b)
}

/// `a - b` of brain floats.
pub(crate) fn brain_sub(a: u64, b: u64) -> u64 {
    brain_fma(b, 0xbf80, a)
}

/// `a * b` of brain floats.
pub(crate) fn brain_mul(a: u64, b: u64) -> u64 {
    let product = BRAIN.to_double(a & 0xffff) * BRAIN.to_double(b & 0xffff);
    DOUBLE.convert(product.to_bits(), BRAIN, Rounding::NearestEven)
}

/// A function of 16 bits on both halves of a register (`.u16x2`, `.s16x2`).
pub(crate) fn both<const F: u8>(a: u64, b: u64) -> u64 {
    use super::integer;
    let f: super::Binary = match F {
        0 => integer::add::<u16>,
        1 => integer::min::<u16>,
        2 => integer::max::<u16>,
        3 => integer::min::<i16>,
        _ => integer::max::<i16>,
    };
    pairwise(a, b, f)
}

/// The same on both halves of a register (`.f16x2`).
fn pairwise(a: u64, b: u64, f: impl Fn(u64, u64) -> u64) -> u64 {
    f(a >> 16 & 0xffff, b >> 16 & 0xffff) << 16 | f(a & 0xffff, b & 0xffff)
}

pub(crate) fn add_pair(a: u64, b: u64) -> u64 {
    pairwise(a, b, add)
}

pub(crate) fn sub_pair(a: u64, b: u64) -> u64 {
    pairwise(a, b, sub)
}

pub(crate) fn mul_pair(a: u64, b: u64) -> u64 {
    pairwise(a, b, mul)
}

pub(crate) fn min_pair(a: u64, b: u64) -> u64 {
    pairwise(a, b, min)
}

pub(crate) fn max_pair(a: u64, b: u64) -> u64 {
    pairwise(a, b, max)
}

pub(crate) fn fma_pair(a: u64, b: u64, c: u64) -> u64 {
    let high = fma(a >> 16 & 0xffff, b >> 16 & 0xffff, c >> 16 & 0xffff);
    high << 16 | fma(a & 0xffff, b & 0xffff, c & 0xffff)
}

pub(crate) fn neg_pair(a: u64) -> u64 {
    pairwise(a, a, |a, _| neg::<false>(a))
}

pub(crate) fn abs_pair(a: u64) -> u64 {
    pairwise(a, a, |a, _| abs::<false>(a))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_products() {
        assert_eq!(add(0x3c00, 0x3c00), 0x4000);
        assert_eq!(mul(0x4000, 0x4200), 0x4600);
        assert_eq!(add(0x7bff, 0x7bff), 0x7c00);
        assert_eq!(add(0x7c00, 0xfc00), 0x7fff);
        assert_eq!(add(0x8000, 0x8000), 0x8000);
        assert_eq!(add(0x3c00, 0xbc00), 0);
        assert_eq!(mul(0x8000, 0x3c00), 0x8000);
        assert_eq!(mul(0x0001, 0x3800), 0);
        assert_eq!(mul(0x8001, 0x3800), 0x8000);
        assert_eq!(sub(0x3c00, 0x3c00), 0);
        assert_eq!(fma(0x3c01, 0x3c01, 0xbc02), 0x0010);
        assert_eq!(min(0x7e00, 0x8000), 0x8000);
        assert_eq!(max(0x8000, 0), 0);
    }

    #[test]
    fn brain_floats() {
        assert_eq!(brain_add(0x3f80, 0x3f80), 0x4000);
        assert_eq!(brain_sub(0x3f80, 0x3f80), 0);
        assert_eq!(brain_mul(0x4040, 0xc000), 0xc0c0);
        assert_eq!(brain_fma(0x7f80, 0, 0x3f80), 0x7fff);
        // 1 + 2^-8 is half way between two brain floats; a little more decides.
        assert_eq!(brain_add(0x3f80, 0x3b80), 0x3f80);
        assert_eq!(brain_fma(0x3f80, 0x3b80, 0x3f80), 0x3f80);
        assert_eq!(brain_add(0x3f80, 0x3b81), 0x3f81);
        // The product is half way, the tiny addend is far below the digits of a double.
        assert_eq!(brain_fma(0x3f81, 0x3fc0, 0x0080), 0x3fc2);
        assert_eq!(brain_fma(0x3f81, 0x3fc0, 0x8080), 0x3fc1);
        assert_eq!(both::<0>(0xffff_0001, 0x0001_0002), 0x0000_0003);
        assert_eq!(both::<4>(0xffff_0001, 0x0001_ffff), 0x0001_0001);
    }

    /// Doubles are wide enough for sums and products of halves to be exact: rounding them once is the definition.
    #[test]
    fn as_doubles_rounded_once() {
        let mut state = 7u64;
        for _ in 0..300_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let (a, b) = (state >> 16 & 0xffff, state >> 40 & 0xffff);
            let (x, y) = (HALF.to_double(a), HALF.to_double(b));
            for (got, exact) in [(add(a, b), x + y), (sub(a, b), x - y), (mul(a, b), x * y)] {
                let want = super::super::rounding::DOUBLE.convert(exact.to_bits(), HALF, Rounding::NearestEven);
                assert_eq!(got, want, "{a:04x} {b:04x}");
            }
        }
    }
}
