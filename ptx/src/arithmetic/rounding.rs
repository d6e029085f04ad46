//! One exact way into every binary floating-point format: an integer times a power of two, rounded once.
//!
//! A [`Format`] is a number of bits of precision and a range of exponents. [`Format::pack`] takes a magnitude
//! `m * 2^e` and rounds in one of the five directions to the format, with
//! gradual underflow, and to infinity or to the greatest number on overflow, as IEEE 754 says. Conversions between
//! formats, from integers, and arithmetic of 16-bit floats go through it; nothing here rounds twice.

/// How PTX rounds: `.rn`, `.rz`, `.rm`, `.rp` and `.rna`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    NearestEven,
    Zero,
    Down,
    Up,
}

/// A binary floating-point format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// Bits of the significand that are stored.
    pub(crate) fraction: u32,
    /// Bits of the exponent.
    pub(crate) exponent: u32,
    /// The quiet NaN that arithmetic gives.
    pub(crate) nan: u64,
}

pub(crate) const HALF: Format = Format { fraction: 10, exponent: 5, nan: 0x7fff };
pub(crate) const BRAIN: Format = Format { fraction: 7, exponent: 8, nan: 0x7fff };
pub(crate) const SINGLE: Format = Format { fraction: 23, exponent: 8, nan: 0x7fff_ffff };
pub(crate) const DOUBLE: Format = Format { fraction: 52, exponent: 11, nan: 0x7ff8_0000_0000_0000 };

/// A number taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parts {
    Nan,
    Infinity(bool),
    /// Sign, magnitude `m` and exponent `e` of `m * 2^e`; zero has `m == 0`.
    Finite(bool, u128, i32),
}

impl Format {
    fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    pub(crate) const fn sign_bit(self) -> u64 {
        1 << (self.fraction + self.exponent)
    }

    pub(crate) fn infinity(self, negative: bool) -> u64 {
        let magnitude = ((1u64 << self.exponent) - 1) << self.fraction;
        magnitude | if negative { self.sign_bit() } else { 0 }
    }

    pub(crate) fn unpack(self, bits: u64) -> Parts {
        let negative = bits & self.sign_bit() != 0;
        let fraction = bits & ((1 << self.fraction) - 1);
        let exponent = (bits >> self.fraction) & ((1 << self.exponent) - 1);
        if exponent == (1 << self.exponent) - 1 {
            return if fraction == 0 { Parts::Infinity(negative) } else { Parts::Nan };
        }
        let least = 1 - self.bias() - self.fraction as i32;
        if exponent == 0 {
            Parts::Finite(negative, u128::from(fraction), least)
        } else {
            Parts::Finite(negative, u128::from(fraction | 1 << self.fraction), least + exponent as i32 - 1)
        }
    }

    /// The number of this format for `magnitude * 2^exponent`.
    pub(crate) fn pack(self, negative: bool, magnitude: u128, exponent: i32, rounding: Rounding) -> u64 {
        let sign = if negative { self.sign_bit() } else { 0 };
        if magnitude == 0 {
            return sign;
        }
        let least = 1 - self.bias() - self.fraction as i32;
        // The exponent of the last bit that is kept.
        let length = 128 - magnitude.leading_zeros() as i32;
        let unit = (exponent + length - 1 - self.fraction as i32).max(least);
        let cut = unit - exponent;
        let (mut kept, half, sticky) = if cut <= 0 {
            (magnitude << -cut, false, false)
        } else if cut > 128 {
            (0, false, true)
        } else if cut == 128 {
            (0, magnitude >> 127 == 1, magnitude << 1 != 0)
        } else {
            let half = magnitude >> (cut - 1) & 1 == 1;
            let rest = magnitude & ((1 << (cut - 1)) - 1) != 0;
            (magnitude >> cut, half, rest)
        };
        let up = match rounding {
            Rounding::NearestEven => half && (sticky || kept & 1 == 1),
            Rounding::Zero => false,
            Rounding::Down => negative && (half || sticky),
            Rounding::Up => !negative && (half || sticky),
        };
        let mut unit = unit;
        if up {
            kept += 1;
            if kept >> (self.fraction + 1) != 0 {
                kept >>= 1;
                unit += 1;
            }
        }
        if kept >> self.fraction == 0 {
            return sign | kept as u64;
        }
        let biased = unit - least + 1;
        if biased >= (1 << self.exponent) - 1 {
            let to_infinity = match rounding {
                Rounding::NearestEven => true,
                Rounding::Zero => false,
                Rounding::Down => negative,
                Rounding::Up => !negative,
            };
            return self.infinity(negative) - u64::from(!to_infinity);
        }
        sign | (biased as u64) << self.fraction | (kept as u64 & ((1 << self.fraction) - 1))
    }

    /// `bits` of this format as a number of the format `to`.
    pub(crate) fn convert(self, bits: u64, to: Format, rounding: Rounding) -> u64 {
        match self.unpack(bits) {
            Parts::Nan => to.nan,
            Parts::Infinity(negative) => to.infinity(negative),
            Parts::Finite(negative, magnitude, exponent) => to.pack(negative, magnitude, exponent, rounding),
        }
    }

    /// The bits as a double, which holds all numbers of all formats.
    pub(crate) fn to_double(self, bits: u64) -> f64 {
        f64::from_bits(self.convert(bits, DOUBLE, Rounding::NearestEven))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Rounding::{Down, NearestEven, Up, Zero};

    #[test]
    fn singles_and_doubles_as_the_processor_converts_them() {
        let mut state = 1u64;
        for _ in 0..200_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let bits = state ^ state >> 29;
            let double = f64::from_bits(bits & !(0x7ff << 52) | (u64::from(bits as u32 % 400) + 823) << 52);
            let single = SINGLE.convert(0, SINGLE, NearestEven);
            assert_eq!(single, 0);
            let converted = DOUBLE.convert(double.to_bits(), SINGLE, NearestEven);
            assert_eq!(converted, u64::from((double as f32).to_bits()), "{double:e}");
            let float = f32::from_bits(bits as u32);
            if !float.is_nan() {
                let converted = SINGLE.convert(u64::from(float.to_bits()), DOUBLE, NearestEven);
                assert_eq!(converted, f64::from(float).to_bits());
            }
            let integer = bits >> (bits & 63);
            let packed = SINGLE.pack(false, u128::from(integer), 0, NearestEven);
            assert_eq!(packed, u64::from((integer as f32).to_bits()));
            let packed = DOUBLE.pack(false, u128::from(integer), 0, NearestEven);
            assert_eq!(packed, (integer as f64).to_bits());
        }
    }

    #[test]
    fn directions() {
        let third = (1.0f64 / 3.0).to_bits();
        let at = |rounding| DOUBLE.convert(third, SINGLE, rounding);
        assert_eq!(at(Zero) + 1, at(NearestEven));
        assert_eq!(at(Down), at(Zero));
        assert_eq!(at(Up), at(NearestEven));
        let huge = f64::MAX.to_bits();
        assert_eq!(DOUBLE.convert(huge, SINGLE, Zero), u64::from(f32::MAX.to_bits()));
        assert_eq!(DOUBLE.convert(huge, SINGLE, NearestEven), u64::from(f32::INFINITY.to_bits()));
        let tiny = (-f64::MIN_POSITIVE).to_bits();
        assert_eq!(DOUBLE.convert(tiny, SINGLE, NearestEven), 0x8000_0000);
        assert_eq!(DOUBLE.convert(tiny, SINGLE, Down), 0x8000_0001);
        assert_eq!(DOUBLE.convert(tiny, SINGLE, Up), 0x8000_0000);
    }

    #[test]
    fn halves() {
        assert_eq!(SINGLE.convert(u64::from(1.5f32.to_bits()), HALF, NearestEven), 0x3e00);
        assert_eq!(SINGLE.convert(u64::from(65519f32.to_bits()), HALF, NearestEven), 0x7bff);
        assert_eq!(SINGLE.convert(u64::from(65520f32.to_bits()), HALF, NearestEven), 0x7c00);
        assert_eq!(SINGLE.convert(u64::from(5.9604645e-8f32.to_bits()), HALF, NearestEven), 1);
        assert_eq!(HALF.to_double(1), 2f64.powi(-24));
        assert_eq!(SINGLE.convert(0x3f80_8000, BRAIN, NearestEven), 0x3f80);
        assert_eq!(SINGLE.convert(0x3f81_8000, BRAIN, NearestEven), 0x3f82);
        for bits in 0..0x7c00 {
            let double = HALF.to_double(bits);
            assert_eq!(DOUBLE.convert(double.to_bits(), HALF, Zero), bits);
        }
    }
}
