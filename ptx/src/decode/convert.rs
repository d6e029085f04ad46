//! Decoding of `cvt`.
//!
//! A rounding must be written exactly where PTX wants one: `.rn` and its kin where a float loses digits, `.rni` and its
//! kin where it becomes an integer.

use super::frame::Width;
use super::{Decoded, Instr};
use crate::arithmetic::Unary;
use crate::arithmetic::convert::{Conversion, resize};
use crate::arithmetic::float::Integral;
use crate::arithmetic::rounding::Rounding;
use crate::code::Op;
use crate::syntax::Operand;
use crate::types::Type;

impl Instr<'_, '_, '_> {
    pub(super) fn convert(&mut self) -> Decoded {
        let rounding = self.modifiers.accept_any(&["rn", "rz", "rm", "rp"]).map(|name| match name {
            "rn" => Rounding::NearestEven,
            "rz" => Rounding::Zero,
            "rm" => Rounding::Down,
            _ => Rounding::Up,
        });
        let integral = self.modifiers.accept_any(&["rni", "rzi", "rmi", "rpi"]).map(|name| match name {
            "rni" => Integral::NearestEven,
            "rzi" => Integral::Zero,
            "rmi" => Integral::Down,
            _ => Integral::Up,
        });
        if rounding.is_some() && integral.is_some() {
            return Err(self.unknown());
        }
        let saturate = self.modifiers.accept("sat");
        let to = self.modifiers.ty()?;
        let from = self.modifiers.ty()?;
        if matches!(to, Type::F16x2 | Type::BF16x2) {
            return self.pack_halves(to, from, rounding);
        }
        let plain = |ty: Type| {
            !matches!(ty, Type::Pred | Type::B8 | Type::B16 | Type::B32 | Type::B64 | Type::F16x2 | Type::BF16x2)
        };
        if !plain(to) || !plain(from) {
            return Err(self.unknown());
        }
        if (to == Type::BF16 || from == Type::BF16) && !(to == Type::F32 || from == Type::F32) {
            return Err(self.error("brain floats are converted to and from `.f32` only"));
        }
        // What must be said about rounding.
        let loses = match (to.is_float(), from.is_float()) {
            (true, false) => true,
            (true, true) => to.bits() < from.bits(),
            _ => false,
        };
        let to_integral = from.is_float() && (!to.is_float() || to == from);
        if loses && rounding.is_none() {
            return Err(self.error("a rounding (`.rn`) is missing"));
        }
        if !loses && rounding.is_some() {
            return Err(self.error("this conversion is exact and takes no rounding"));
        }
        if from.is_float() && !to.is_float() && integral.is_none() {
            return Err(self.error("a rounding to an integer (`.rzi`) is missing"));
        }
        if integral.is_some() && !to_integral {
            return Err(self.error("this conversion takes no rounding to an integer"));
        }
        if saturate && !to.is_float() && !from.is_float() && holds(to, from) {
            return Err(self.error("`.sat` has no meaning where all values fit"));
        }
        let destination = self.next_operand()?;
        let Operand::Name(name, None) = destination else {
            return Err(self.error("expected a register as its destination"));
        };
        let (d, register) = self.destination_named(name, to, Width::AtLeast)?;
        let source = self.next_operand()?;
        let (a, _) = self.source_operand(&source, from, Width::AtLeast)?;
        let register = register.bits();
        if !saturate && !to.is_float() && !from.is_float() {
            // The narrower of the two types decides which bits count, the destination's where they are equal.
            let narrow = if to.bits() <= from.bits() { to } else { from };
            // A negative number that becomes a wider unsigned one is extended to its width only.
            let width = if to.is_signed() || narrow == to { register } else { to.bits() };
            if let Some(f) = resizing(narrow, width) {
                return Ok(Op::Rewire { f, d, a });
            }
        }
        let conversion = Conversion { to, from, rounding, integral, saturate, register };
        Ok(Op::Convert(Box::new((conversion, d, a))))
    }

    fn pack_halves(&mut self, to: Type, from: Type, rounding: Option<Rounding>) -> Decoded {
        let (Some(rounding), Type::F32) = (rounding, from) else { return Err(self.unknown()) };
        if self.left() != 3 || !matches!(rounding, Rounding::NearestEven | Rounding::Zero) {
            return Err(self.unknown());
        }
        let d = self.destination(Type::B32)?;
        let (a, b) = (self.source(Type::F32)?, self.source(Type::F32)?);
        Ok(Op::PackHalves(Box::new((to, rounding, d, a, b))))
    }
}

/// Whether an integer type holds all values of another.
fn holds(to: Type, from: Type) -> bool {
    match (to.is_signed(), from.is_signed()) {
        (false, true) => false,
        (true, false) => to.bits() > from.bits(),
        _ => to.bits() >= from.bits(),
    }
}

fn resizing(ty: Type, register: u32) -> Option<Unary> {
    macro_rules! table {
        ($($name:ident $rust:ty,)*) => {
            match (ty, register) {
                $((Type::$name, 16) => resize::<$rust, 16> as Unary,
                (Type::$name, 32) => resize::<$rust, 32> as Unary,
                (Type::$name, 64) => resize::<$rust, 64> as Unary,)*
                _ => return None,
            }
        };
    }
    Some(table! {
        U8 u8, S8 i8, U16 u16, S16 i16, U32 u32, S32 i32, U64 u64, S64 i64,
    })
}
