//! Decoding of integer and floating-point arithmetic.
//!
//! Floating-point instructions must say `.rn`: without a rounding `ptxas` may contract a product and a sum to one
//! `fma`, so that the result would not be determined by the text.

use super::{Decoded, Instr};
use crate::arithmetic::{Binary, Ternary, Unary, float, half, integer};
use crate::code::Op;
use crate::types::Type;

/// A function for each integer type of 16, 32 and 64 bits; `None` for others.
macro_rules! by_integer {
    ($ty:expr, $($f:tt)*) => {
        match $ty {
            Type::U16 => Some($($f)*::<u16>),
            Type::S16 => Some($($f)*::<i16>),
            Type::U32 => Some($($f)*::<u32>),
            Type::S32 => Some($($f)*::<i32>),
            Type::U64 => Some($($f)*::<u64>),
            Type::S64 => Some($($f)*::<i64>),
            _ => None,
        }
    };
}
pub(super) use by_integer;

impl Instr<'_, '_, '_> {
    pub(super) fn arithmetic(&mut self) -> Decoded {
        match self.syntax.opcode {
            "add" | "sub" | "mul" | "mad" | "fma" | "div" | "sqrt" | "rcp" if self.modifiers_name_a_float() => {
                self.float_arithmetic()
            }
            "add" | "sub" | "addc" | "subc" => self.sum(),
            "mul" | "mad" => self.product(),
            "mul24" | "mad24" => self.product24(),
            "div" | "rem" => {
                let ty = self.modifiers.ty()?;
                let f: Option<Binary> = if self.syntax.opcode == "div" {
                    by_integer!(ty, integer::div)
                } else {
                    by_integer!(ty, integer::rem)
                };
                let Some(f) = f else { return Err(self.unknown()) };
                let d = self.destination(ty)?;
                Ok(Op::Divide { f, d, a: self.source(ty)?, b: self.source(ty)?, bits: ty.bits() as u8 })
            }
            "min" | "max" => self.extremum(),
            "abs" | "neg" => {
                let negate = self.syntax.opcode == "neg";
                let ty = self.modifiers.ty()?;
                let f: Option<Unary> = match ty {
                    Type::F32 if negate => Some(float::neg::<f32>),
                    Type::F32 => Some(float::abs::<f32>),
                    Type::F64 if negate => Some(float::neg::<f64>),
                    Type::F64 => Some(float::abs::<f64>),
                    Type::F16x2 if negate => Some(half::neg_pair),
                    Type::F16x2 => Some(half::abs_pair),
                    Type::F16 if negate => Some(half::neg::<false>),
                    Type::F16 => Some(half::abs::<false>),
                    Type::BF16 if negate => Some(half::neg::<true>),
                    Type::BF16 => Some(half::abs::<true>),
                    _ if !ty.is_signed() => None,
                    _ if negate => by_integer!(ty, integer::neg),
                    _ => by_integer!(ty, integer::abs),
                };
                match f {
                    Some(f) => self.unary(f, ty, ty),
                    None => Err(self.unknown()),
                }
            }
            "sad" => {
                let ty = self.modifiers.ty()?;
                let f: Option<Ternary> = by_integer!(ty, integer::sad);
                match f {
                    Some(f) => self.ternary(f, ty, [ty; 3]),
                    None => Err(self.unknown()),
                }
            }
            "copysign" => {
                let ty = self.modifiers.ty()?;
                match ty {
                    Type::F32 => self.binary(float::copysign::<f32>, ty, ty, ty),
                    Type::F64 => self.binary(float::copysign::<f64>, ty, ty, ty),
                    _ => Err(self.unknown()),
                }
            }
            "testp" => self.testp(),
            _ => Err(self.unknown()),
        }
    }

    /// Whether one of the modifiers is a floating-point type.
    fn modifiers_name_a_float(&self) -> bool {
        self.syntax.modifiers.iter().any(|m| Type::named(m).is_some_and(Type::is_float))
    }

    fn float_arithmetic(&mut self) -> Decoded {
        let opcode = self.syntax.opcode;
        if Type::named(self.modifiers.peek()).is_some() {
            let what = if opcode == "fma" || opcode == "mad" {
                "`.rn` is missing"
            } else {
                "without `.rn` it may be contracted with others, and its result is not determined"
            };
            return Err(self.error(what));
        }
        self.modifiers.expect("rn")?;
        if self.modifiers.peek() == "sat" {
            return Err(self.error("`.sat` of arithmetic is not supported"));
        }
        let ty = self.modifiers.ty()?;
        let f: Option<Binary> = match (opcode, ty) {
            ("add", Type::F32) => Some(float::add::<f32>),
            ("add", Type::F64) => Some(float::add::<f64>),
            ("add", Type::F16) => Some(half::add),
            ("add", Type::F16x2) => Some(half::add_pair),
            ("add", Type::BF16) => Some(half::brain_add),
            ("sub", Type::BF16) => Some(half::brain_sub),
            ("mul", Type::BF16) => Some(half::brain_mul),
            ("sub", Type::F16x2) => Some(half::sub_pair),
            ("mul", Type::F16x2) => Some(half::mul_pair),
            ("sub", Type::F32) => Some(float::sub::<f32>),
            ("sub", Type::F64) => Some(float::sub::<f64>),
            ("sub", Type::F16) => Some(half::sub),
            ("mul", Type::F32) => Some(float::mul::<f32>),
            ("mul", Type::F64) => Some(float::mul::<f64>),
            ("mul", Type::F16) => Some(half::mul),
            ("div", Type::F32) => Some(float::div::<f32>),
            ("div", Type::F64) => Some(float::div::<f64>),
            _ => None,
        };
        if let Some(f) = f {
            return self.binary(f, ty, ty, ty);
        }
        match (opcode, ty) {
            ("fma" | "mad", Type::F32) => self.ternary(float::fma::<f32>, ty, [ty; 3]),
            ("fma" | "mad", Type::F64) => self.ternary(float::fma::<f64>, ty, [ty; 3]),
            ("fma", Type::BF16) => self.ternary(half::brain_fma, ty, [ty; 3]),
            ("fma", Type::F16x2) => self.ternary(half::fma_pair, ty, [ty; 3]),
            ("fma", Type::F16) => self.ternary(half::fma, ty, [ty; 3]),
            ("sqrt", Type::F32) => self.unary(float::sqrt::<f32>, ty, ty),
            ("sqrt", Type::F64) => self.unary(float::sqrt::<f64>, ty, ty),
            ("rcp", Type::F32) => self.unary(float::rcp::<f32>, ty, ty),
            ("rcp", Type::F64) => self.unary(float::rcp::<f64>, ty, ty),
            _ => Err(self.unknown()),
        }
    }

    /// Integer `add`, `sub`, and the four with a carry.
    fn sum(&mut self) -> Decoded {
        let opcode = self.syntax.opcode;
        let adds = opcode.starts_with("add");
        let reads = opcode.ends_with('c');
        let saturate = !reads && self.modifiers.accept("sat");
        let writes = !saturate && self.modifiers.accept("cc");
        let ty = self.modifiers.ty()?;
        if saturate {
            return match ty {
                Type::S32 if adds => self.binary(integer::add_saturating, ty, ty, ty),
                Type::S32 => self.binary(integer::sub_saturating, ty, ty, ty),
                _ => Err(self.unknown()),
            };
        }
        if reads || writes {
            let f: fn(u64, u64, u64) -> (u64, u64) = match ty {
                Type::U32 | Type::S32 if adds => integer::add_carry::<u32>,
                Type::U64 | Type::S64 if adds => integer::add_carry::<u64>,
                Type::U32 | Type::S32 => integer::sub_carry::<u32>,
                Type::U64 | Type::S64 => integer::sub_carry::<u64>,
                _ => return Err(self.unknown()),
            };
            let d = self.destination(ty)?;
            return Ok(Op::Carry { f, d, a: self.source(ty)?, b: self.source(ty)?, reads, writes });
        }
        if adds && matches!(ty, Type::U16x2 | Type::S16x2) {
            return self.binary(half::both::<0>, ty, ty, ty);
        }
        let f: Option<Binary> = if adds { by_integer!(ty, integer::add) } else { by_integer!(ty, integer::sub) };
        match f {
            Some(f) => self.binary(f, ty, ty, ty),
            None => Err(self.unknown()),
        }
    }

    fn product(&mut self) -> Decoded {
        let part = self.modifiers.accept_any(&["lo", "hi", "wide"]);
        let saturate = part == Some("hi") && self.syntax.opcode == "mad" && self.modifiers.accept("sat");
        let ty = self.modifiers.ty()?;
        let wide = match ty {
            Type::U16 => Some(Type::U32),
            Type::S16 => Some(Type::S32),
            Type::U32 => Some(Type::U64),
            Type::S32 => Some(Type::S64),
            _ => None,
        };
        let to = wide.filter(|_| part == Some("wide")).unwrap_or(ty);
        if self.syntax.opcode == "mul" {
            let f: Option<Binary> = match part {
                Some("lo") => by_integer!(ty, integer::mul_lo),
                Some("hi") => by_integer!(ty, integer::mul_hi),
                Some("wide") if wide.is_some() => by_integer!(ty, integer::mul_wide),
                _ => None,
            };
            return match f {
                Some(f) => self.binary(f, to, ty, ty),
                None => Err(self.unknown()),
            };
        }
        let f: Option<Ternary> = match part {
            Some("hi") if saturate => (ty == Type::S32).then_some(integer::mad_hi_saturating as Ternary),
            Some("lo") => by_integer!(ty, integer::mad_lo),
            Some("hi") => by_integer!(ty, integer::mad_hi),
            Some("wide") if wide.is_some() => by_integer!(ty, integer::mad_wide),
            _ => None,
        };
        match f {
            Some(f) => self.ternary(f, to, [ty, ty, to]),
            None => Err(self.unknown()),
        }
    }

    fn product24(&mut self) -> Decoded {
        let part = self.modifiers.expect_any(&["lo", "hi"])?;
        let ty = self.modifiers.ty()?;
        let signed = match ty {
            Type::S32 => true,
            Type::U32 => false,
            _ => return Err(self.unknown()),
        };
        if self.syntax.opcode == "mul24" {
            let f: Binary = match (part, signed) {
                ("lo", true) => integer::mul24_lo::<i32>,
                ("lo", false) => integer::mul24_lo::<u32>,
                (_, true) => integer::mul24_hi::<i32>,
                (_, false) => integer::mul24_hi::<u32>,
            };
            return self.binary(f, ty, ty, ty);
        }
        let f: Ternary = match (part, signed) {
            ("lo", true) => integer::mad24_lo::<i32>,
            ("lo", false) => integer::mad24_lo::<u32>,
            (_, true) => integer::mad24_hi::<i32>,
            (_, false) => integer::mad24_hi::<u32>,
        };
        self.ternary(f, ty, [ty; 3])
    }

    fn extremum(&mut self) -> Decoded {
        let least = self.syntax.opcode == "min";
        let nan = self.modifiers.accept("NaN");
        let ty = self.modifiers.ty()?;
        let f: Option<Binary> = match (ty, nan, least) {
            (Type::F32, false, true) => Some(float::min::<f32, false>),
            (Type::F32, false, false) => Some(float::max::<f32, false>),
            (Type::F32, true, true) => Some(float::min::<f32, true>),
            (Type::F32, true, false) => Some(float::max::<f32, true>),
            (Type::F64, false, true) => Some(float::min::<f64, false>),
            (Type::F64, false, false) => Some(float::max::<f64, false>),
            (Type::F16x2, false, true) => Some(half::min_pair),
            (Type::F16x2, false, false) => Some(half::max_pair),
            (Type::F16, false, true) => Some(half::min),
            (Type::F16, false, false) => Some(half::max),
            (Type::U16x2, false, true) => Some(half::both::<1>),
            (Type::U16x2, false, false) => Some(half::both::<2>),
            (Type::S16x2, false, true) => Some(half::both::<3>),
            (Type::S16x2, false, false) => Some(half::both::<4>),
            (_, true, _) => None,
            (_, _, true) => by_integer!(ty, integer::min),
            (_, _, false) => by_integer!(ty, integer::max),
        };
        match f {
            Some(f) => self.binary(f, ty, ty, ty),
            None => Err(self.unknown()),
        }
    }

    fn testp(&mut self) -> Decoded {
        let what = self.modifiers.take();
        let ty = self.modifiers.ty()?;
        macro_rules! table {
            ($($name:literal $what:literal,)*) => {
                match (what, ty) {
                    $(($name, Type::F32) => float::testp::<f32, $what> as Unary,
                    ($name, Type::F64) => float::testp::<f64, $what> as Unary,)*
                    _ => return Err(self.unknown()),
                }
            };
        }
        let f = table! {
            "finite" 0, "infinite" 1, "number" 2, "notanumber" 3, "normal" 4, "subnormal" 5,
        };
        self.unary(f, Type::Pred, ty)
    }
}
