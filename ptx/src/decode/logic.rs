//! Decoding of logic, shifts, bit fields, comparisons and selections.

use super::arithmetic::by_integer;
use super::{Decoded, Instr};
use crate::arithmetic::{Binary, Quaternary, Ternary, Unary, bits, compare};
use crate::code::{Compare, NONE, Op};
use crate::syntax::Operand;
use crate::types::Type;

impl Instr<'_, '_, '_> {
    fn shift(&mut self, f: Binary, ty: Type) -> Decoded {
        Ok(Op::Shift { f, d: self.destination(ty)?, a: self.source(ty)?, b: self.source(Type::U32)? })
    }

    pub(super) fn logic(&mut self) -> Decoded {
        let opcode = self.syntax.opcode;
        match opcode {
            "and" | "or" | "xor" => {
                let ty = self.untyped(true)?;
                let (d, a, b) = (self.destination(ty)?, self.source(ty)?, self.source(ty)?);
                Ok(Op::Bitwise { f: bitwise(opcode), d, a, b, bits: ty.bits() as u8 })
            }
            "not" => {
                let ty = self.untyped(true)?;
                let f: Unary = match ty.bits() {
                    1 => bits::not::<1>,
                    16 => bits::not::<16>,
                    32 => bits::not::<32>,
                    _ => bits::not::<64>,
                };
                Ok(Op::Rewire { f, d: self.destination(ty)?, a: self.source(ty)? })
            }
            "cnot" => {
                let ty = self.untyped(false)?;
                self.unary(bits::cnot, ty, ty)
            }
            "shl" => {
                let ty = self.untyped(false)?;
                let f: Binary = match ty.bits() {
                    16 => bits::shl::<16>,
                    32 => bits::shl::<32>,
                    _ => bits::shl::<64>,
                };
                self.shift(f, ty)
            }
            "shr" => {
                let ty = self.modifiers.ty()?;
                let f: Option<Binary> = match ty {
                    Type::B16 => Some(bits::shr::<u16>),
                    Type::B32 => Some(bits::shr::<u32>),
                    Type::B64 => Some(bits::shr::<u64>),
                    _ => by_integer!(ty, bits::shr),
                };
                match f {
                    Some(f) => self.shift(f, ty),
                    None => Err(self.unknown()),
                }
            }
            "popc" | "clz" => {
                let ty = self.untyped(false)?;
                let f: Unary = match (opcode, ty) {
                    (_, Type::B16) => return Err(self.unknown()),
                    ("popc", _) => bits::popc,
                    (_, Type::B32) => bits::clz::<32>,
                    _ => bits::clz::<64>,
                };
                self.unary(f, Type::U32, ty)
            }
            "brev" => match self.untyped(false)? {
                Type::B32 => self.unary(bits::brev::<32>, Type::B32, Type::B32),
                Type::B64 => self.unary(bits::brev::<64>, Type::B64, Type::B64),
                _ => Err(self.unknown()),
            },
            "bfind" => {
                let shift = self.modifiers.accept("shiftamt");
                let ty = self.modifiers.ty()?;
                let f: Unary = match (ty, shift) {
                    (Type::U32, false) => bits::bfind::<u32, false>,
                    (Type::U32, true) => bits::bfind::<u32, true>,
                    (Type::S32, false) => bits::bfind::<i32, false>,
                    (Type::S32, true) => bits::bfind::<i32, true>,
                    (Type::U64, false) => bits::bfind::<u64, false>,
                    (Type::U64, true) => bits::bfind::<u64, true>,
                    (Type::S64, false) => bits::bfind::<i64, false>,
                    (Type::S64, true) => bits::bfind::<i64, true>,
                    _ => return Err(self.unknown()),
                };
                self.unary(f, Type::U32, ty)
            }
            "bfe" => {
                let ty = self.modifiers.ty()?;
                let f: Ternary = match ty {
                    Type::U32 => bits::bfe::<u32>,
                    Type::S32 => bits::bfe::<i32>,
                    Type::U64 => bits::bfe::<u64>,
                    Type::S64 => bits::bfe::<i64>,
                    _ => return Err(self.unknown()),
                };
                self.ternary(f, ty, [ty, Type::U32, Type::U32])
            }
            "bfi" => self.insert(),
            "shf" => {
                let direction = self.modifiers.expect_any(&["l", "r"])?;
                let mode = self.modifiers.expect_any(&["wrap", "clamp"])?;
                let ty = self.modifiers.ty()?;
                let f: Ternary = match (direction, mode) {
                    _ if ty != Type::B32 => return Err(self.unknown()),
                    ("l", "wrap") => bits::shf_left::<true>,
                    ("l", _) => bits::shf_left::<false>,
                    (_, "wrap") => bits::shf_right::<true>,
                    _ => bits::shf_right::<false>,
                };
                self.ternary(f, ty, [ty, ty, Type::U32])
            }
            "prmt" => {
                if self.modifiers.ty()? != Type::B32 {
                    return Err(self.unknown());
                }
                let f: Ternary = match self.modifiers.accept_any(&["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"]) {
                    None => bits::prmt,
                    Some("f4e") => bits::prmt_f4e,
                    Some("b4e") => bits::prmt_b4e,
                    Some("rc8") => bits::prmt_rc8,
                    Some("ecl") => bits::prmt_ecl,
                    Some("ecr") => bits::prmt_ecr,
                    Some(_) => bits::prmt_rc16,
                };
                let d = self.destination(Type::B32)?;
                let [a, b, c] = [self.source(Type::B32)?, self.source(Type::B32)?, self.source(Type::B32)?];
                Ok(Op::Permute { f, d, a, b, c })
            }
            "lop3" => {
                if self.modifiers.ty()? != Type::B32 {
                    return Err(self.unknown());
                }
                let d = self.destination(Type::B32)?;
                let (a, b, c) = (self.source(Type::B32)?, self.source(Type::B32)?, self.source(Type::B32)?);
                match self.next_operand()? {
                    Operand::Integer(table) if table < 256 => Ok(Op::Lop3 { d, a, b, c, table: table as u8 }),
                    _ => Err(self.error("expected a table of eight bits")),
                }
            }
            "szext" => {
                let mode = self.modifiers.expect_any(&["wrap", "clamp"])?;
                let ty = self.modifiers.ty()?;
                let f: Binary = match (mode, ty) {
                    ("wrap", Type::U32) => bits::szext::<u32, true>,
                    ("wrap", Type::S32) => bits::szext::<i32, true>,
                    (_, Type::U32) => bits::szext::<u32, false>,
                    (_, Type::S32) => bits::szext::<i32, false>,
                    _ => return Err(self.unknown()),
                };
                self.binary(f, ty, ty, Type::U32)
            }
            "bmsk" => {
                let mode = self.modifiers.expect_any(&["wrap", "clamp"])?;
                let ty = self.modifiers.ty()?;
                match mode {
                    _ if ty != Type::B32 => Err(self.unknown()),
                    "wrap" => self.binary(bits::bmsk::<true>, ty, Type::U32, Type::U32),
                    _ => self.binary(bits::bmsk::<false>, ty, Type::U32, Type::U32),
                }
            }
            "setp" => self.setp(),
            "set" => self.set(),
            "selp" => {
                let ty = self.modifiers.ty()?;
                if ty.bits() < 16 || ty.is_half() {
                    return Err(self.unknown());
                }
                let d = self.destination(ty)?;
                Ok(Op::Select { d, a: self.source(ty)?, b: self.source(ty)?, p: self.source(Type::Pred)? })
            }
            "slct" => {
                let ty = self.modifiers.ty()?;
                let sign = self.modifiers.ty()?;
                let f: Ternary = match sign {
                    Type::S32 => |a, b, c| if (c as i32) >= 0 { a } else { b },
                    // -0 is at least zero, a NaN is not.
                    Type::F32 => |a, b, c| if f32::from_bits(c as u32) >= 0.0 { a } else { b },
                    _ => return Err(self.unknown()),
                };
                if ty.bits() < 16 {
                    return Err(self.unknown());
                }
                self.ternary(f, ty, [ty, ty, sign])
            }
            _ => Err(self.unknown()),
        }
    }

    /// A type of bits, or of predicates.
    fn untyped(&mut self, predicates: bool) -> Result<Type, super::Error> {
        let ty = self.modifiers.ty()?;
        match ty {
            Type::B16 | Type::B32 | Type::B64 => Ok(ty),
            Type::Pred if predicates => Ok(ty),
            _ => Err(self.unknown()),
        }
    }

    /// `bfi d, a, b, position, length`: four sources, of which the last two are usually constants.
    fn insert(&mut self) -> Decoded {
        let ty = self.untyped(false)?;
        let f: Quaternary = match ty {
            Type::B32 => bits::bfi::<32>,
            Type::B64 => bits::bfi::<64>,
            _ => return Err(self.unknown()),
        };
        let d = self.destination(ty)?;
        let sources = [self.source(ty)?, self.source(ty)?, self.source(Type::U32)?, self.source(Type::U32)?];
        Ok(Op::Quaternary(Box::new((f, d, sources))))
    }

    fn setp(&mut self) -> Decoded {
        let name = self.modifiers.take();
        let combine = self.combination();
        let ty = self.modifiers.ty()?;
        let scalar = if ty == Type::F16x2 { Type::F16 } else { ty };
        let Some(f) = compare::comparison(name, scalar) else { return Err(self.unknown()) };
        let (p, q) = self.destination_pair(Type::Pred)?;
        let (a, b) = (self.source(ty)?, self.source(ty)?);
        if ty == Type::F16x2 {
            if combine.is_some() {
                return Err(self.unknown());
            }
            return Ok(Op::ComparePair(Box::new((f, p, q, a, b))));
        }
        let Some(combine) = combine else {
            if q == NONE && p != NONE {
                return Ok(Op::Binary { f, d: p, a, b });
            }
            return Ok(Op::Compare(Box::new(Compare { f, p, q, a, b, c: NONE, negated: false, combine: bits::and })));
        };
        let (c, negated) = self.predicate()?;
        Ok(Op::Compare(Box::new(Compare { f, p, q, a, b, c, negated, combine })))
    }

    fn combination(&mut self) -> Option<Binary> {
        self.modifiers.accept_any(&["and", "or", "xor"]).map(bitwise)
    }

    /// `set` gives all ones, or 1.0, where the comparison is true.
    fn set(&mut self) -> Decoded {
        let name = self.modifiers.take();
        let to = self.modifiers.ty()?;
        let from = self.modifiers.ty()?;
        let Some(f) = compare::comparison(name, from) else { return Err(self.unknown()) };
        let one = match to {
            Type::U32 | Type::S32 => 0xffff_ffff,
            Type::F32 => u64::from(1f32.to_bits()),
            _ => return Err(self.unknown()),
        };
        let d = self.destination(to)?;
        let (a, b) = (self.source(from)?, self.source(from)?);
        Ok(Op::Set(Box::new((f, d, a, b, one))))
    }
}

/// `and`, `or` or `xor`.
fn bitwise(name: &str) -> Binary {
    match name {
        "and" => bits::and,
        "or" => bits::or,
        _ => bits::xor,
    }
}
