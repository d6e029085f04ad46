//! Conversions: `cvt` between integers and floating-point numbers of all widths.
//!
//! From a floating-point number to an integer, values out of range become the nearest number of the integer type. A
//! NaN becomes zero, except where one of the types has 64 bits: then it becomes the integer with only its top bit
//! set.

use super::float::{Float, Integral};
use super::integer::Integer;
use super::rounding::{BRAIN, DOUBLE, Format, HALF, Rounding, SINGLE};
use crate::types::{Type, sign_extend, truncate};

/// A conversion between two types; what is `None` was not written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Conversion {
    pub(crate) to: Type,
    pub(crate) from: Type,
    pub(crate) rounding: Option<Rounding>,
    pub(crate) integral: Option<Integral>,
    pub(crate) saturate: bool,
    /// The width of the destination register, which may be wider than the type: the result is extended to it.
    pub(crate) register: u32,
}

fn format(ty: Type) -> Option<Format> {
    Some(match ty {
        Type::F16 => HALF,
        Type::BF16 => BRAIN,
        Type::F32 => SINGLE,
        Type::F64 => DOUBLE,
        _ => return None,
    })
}

/// The value of an integer of type `ty` in the low bits of `bits`.
fn integer_value(bits: u64, ty: Type) -> i128 {
    if ty.is_signed() {
        i128::from(sign_extend(truncate(bits, ty.bits()), ty.bits()) as i64)
    } else {
        i128::from(truncate(bits, ty.bits()))
    }
}

/// The nearest number of the integer type `ty`.
fn clamp(value: i128, ty: Type) -> i128 {
    let (low, high) = if ty.is_signed() {
        (-(1i128 << (ty.bits() - 1)), (1i128 << (ty.bits() - 1)) - 1)
    } else {
        (0, (1i128 << ty.bits()) - 1)
    };
    value.clamp(low, high)
}

impl Conversion {
    /// The result of the conversion for the bits of a source register.
    pub(crate) fn apply(&self, bits: u64) -> u64 {
        match (format(self.from), format(self.to)) {
            (None, None) => {
                let value = integer_value(bits, self.from);
                self.extend(if self.saturate { clamp(value, self.to) } else { value })
            }
            (None, Some(to)) => {
                let value = integer_value(bits, self.from);
                let rounding = self.rounding.unwrap_or(Rounding::NearestEven);
                to.pack(value < 0, value.unsigned_abs(), 0, rounding)
            }
            (Some(from), None) => self.to_integer(from.to_double(truncate(bits, self.from.bits()))),
            (Some(from), Some(to)) => self.between_floats(truncate(bits, self.from.bits()), from, to),
        }
    }

    /// An integer result: the low bits of the type, extended by its sign to the register.
    fn extend(&self, value: i128) -> u64 {
        let low = truncate(value as u64, self.to.bits());
        truncate(if self.to.is_signed() { sign_extend(low, self.to.bits()) } else { low }, self.register)
    }

    fn to_integer(self, value: f64) -> u64 {
        if value.is_nan() {
            let wide = self.from == Type::F64 || self.to.bits() == 64;
            return self.extend(if wide { 1 << (self.to.bits() - 1) } else { 0 });
        }
        let rounded = self.integral.unwrap_or(Integral::Zero).round(value);
        // The cast saturates at the range of 128 bits, which holds all others.
        self.extend(clamp(rounded as i128, self.to))
    }

    fn between_floats(&self, bits: u64, from: Format, to: Format) -> u64 {
        let double = from.to_double(bits);
        if let Some(integral) = self.integral {
            // Halves and singles are rounded to an integer in double precision, which is exact.
            let rounded = integral.round(double);
            let rounded = if self.saturate { saturated(rounded) } else { rounded };
            return if rounded.is_nan() && self.to == Type::F64 {
                <f64 as Float>::quiet(bits)
            } else {
                DOUBLE.convert(rounded.to_bits(), to, Rounding::NearestEven)
            };
        }
        if self.saturate {
            return DOUBLE.convert(saturated(double).to_bits(), to, self.rounding.unwrap_or(Rounding::NearestEven));
        }
        if self.from == self.to {
            return bits;
        }
        if double.is_nan() && (self.from == Type::F64 || self.to == Type::F64 || self.from == Type::BF16) {
            return move_nan(bits, from, to);
        }
        from.convert(bits, to, self.rounding.unwrap_or(Rounding::NearestEven))
    }
}

/// The nearest number between zero and one. NaN becomes +0, and so does -0.
fn saturated(value: f64) -> f64 {
    if value > 1.0 {
        1.0
    } else if value > 0.0 {
        value
    } else {
        0.0
    }
}

/// A NaN of another format: its sign and the high bits of its payload survive.
fn move_nan(bits: u64, from: Format, to: Format) -> u64 {
    let sign = bits >> (from.fraction + from.exponent) << (to.fraction + to.exponent);
    let payload = bits & ((1 << from.fraction) - 1);
    let payload = if from.fraction > to.fraction {
        payload >> (from.fraction - to.fraction)
    } else {
        payload << (to.fraction - from.fraction)
    };
    // A brain float is the high half of a single, and stays signalling.
    let quiet = if from.fraction == BRAIN.fraction { 0 } else { 1 << (to.fraction - 1) };
    sign | to.infinity(false) | payload | quiet
}

/// Two singles as halves or brain floats in one register, the first in the high half.
pub(crate) fn pack_halves(high: u64, low: u64, to: Type, rounding: Rounding) -> u64 {
    let to = if to == Type::BF16x2 { BRAIN } else { HALF };
    SINGLE.convert(truncate(high, 32), to, rounding) << 16 | SINGLE.convert(truncate(low, 32), to, rounding)
}

/// An integer of one width in the register of another: the common case of [`Conversion`] without its generality.
pub(crate) fn resize<T: Integer, const REGISTER: u32>(bits: u64) -> u64 {
    let value = T::of(bits);
    truncate(value.wide() as u64, REGISTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to_integer(to: Type, from: Type, value: f64, integral: Integral) -> u64 {
        let bits = if from == Type::F32 { u64::from((value as f32).to_bits()) } else { value.to_bits() };
        Conversion { to, from, rounding: None, integral: Some(integral), saturate: false, register: to.bits().max(16) }
            .apply(bits)
    }

    #[test]
    fn to_integers() {
        assert_eq!(to_integer(Type::S32, Type::F32, -2.5, Integral::NearestEven), 0xffff_fffe);
        assert_eq!(to_integer(Type::S32, Type::F32, -2.5, Integral::Up), 0xffff_fffe);
        assert_eq!(to_integer(Type::S32, Type::F32, -2.5, Integral::Down), 0xffff_fffd);
        assert_eq!(to_integer(Type::U32, Type::F32, -1.0, Integral::Zero), 0);
        assert_eq!(to_integer(Type::U32, Type::F64, 1e30, Integral::Zero), 0xffff_ffff);
        assert_eq!(to_integer(Type::S64, Type::F64, 9.3e18, Integral::Zero), i64::MAX as u64);
        assert_eq!(to_integer(Type::U64, Type::F32, f64::INFINITY, Integral::Zero), u64::MAX);
        assert_eq!(to_integer(Type::S32, Type::F32, f64::NAN, Integral::Zero), 0);
        assert_eq!(to_integer(Type::S32, Type::F64, f64::NAN, Integral::Zero), 0x8000_0000);
        assert_eq!(to_integer(Type::S64, Type::F32, f64::NAN, Integral::Zero), 1 << 63);
        assert_eq!(to_integer(Type::S8, Type::F32, -200.0, Integral::Zero), 0xff80);
    }

    #[test]
    fn from_integers_and_between() {
        let convert = |to, from, bits| {
            Conversion { to, from, rounding: None, integral: None, saturate: false, register: to.bits().max(16) }
                .apply(bits)
        };
        assert_eq!(convert(Type::F32, Type::S8, 0xff), u64::from((-1f32).to_bits()));
        assert_eq!(convert(Type::F64, Type::U64, u64::MAX), (u64::MAX as f64).to_bits());
        assert_eq!(convert(Type::F32, Type::S64, i64::MIN as u64), u64::from((i64::MIN as f32).to_bits()));
        assert_eq!(convert(Type::S8, Type::S32, 0x180), 0xff80);
        assert_eq!(convert(Type::U8, Type::S32, 0x180), 0x80);
        assert_eq!(convert(Type::S64, Type::S32, 0x8000_0000), 0xffff_ffff_8000_0000);
        let saturating =
            Conversion { to: Type::S8, from: Type::S32, rounding: None, integral: None, saturate: true, register: 32 };
        assert_eq!(saturating.apply(300), 127);
        assert_eq!(saturating.apply(0x8000_0000), 0xffff_ff80);
        assert_eq!(pack_halves(0x3f80_0000, 0x4000_0000, Type::F16x2, Rounding::NearestEven), 0x3c00_4000);
    }
}
