//! The names of one function and the slots that they stand for.
//!
//! Braces open a scope; the innermost declaration of a name counts. Constants, special registers and addresses of
//! variables have one slot each, however often they are used.

use std::collections::HashMap;

use super::hazards::Hazards;
use super::{Error, Instr, Op};
use crate::code::{CARRY, NONE, Slot, SlotKind, Special};
use crate::error::Place;
use crate::syntax::{Operand, RegisterSyntax, Space};
use crate::types::{Type, truncate};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Meaning {
    Register(Slot, Type),
    /// Numbered registers `%r0`, `%r1`, ...: the first slot and the count.
    Registers(Slot, u32, Type),
    Local(u32),
    /// Offset and size in the frame of parameters.
    Param(u32, u32),
    /// A variable of the module.
    Variable(usize),
}

pub(super) struct Frame<'a> {
    scopes: Vec<HashMap<&'a str, Meaning>>,
    slots: Vec<SlotKind>,
    shared_slots: HashMap<SlotKind, Slot>,
    names: Vec<(Slot, String, bool)>,
    pub(super) hazards: Hazards,
    pub(super) is_kernel: bool,
}

impl<'a> Frame<'a> {
    pub(super) fn new(is_kernel: bool) -> Frame<'a> {
        Frame {
            scopes: vec![HashMap::new()],
            slots: vec![SlotKind::Register(Type::Pred)],
            shared_slots: HashMap::new(),
            names: vec![(CARRY, "the carry flag".to_owned(), false)],
            hazards: Hazards::default(),
            is_kernel,
        }
    }

    pub(super) fn open(&mut self) {
        self.scopes.push(HashMap::new());
    }

    pub(super) fn close(&mut self) {
        self.scopes.pop();
    }

    pub(super) fn slots(&self) -> &[SlotKind] {
        &self.slots
    }

    pub(super) fn finish(self) -> (Vec<SlotKind>, Vec<(Slot, String, bool)>) {
        (self.slots, self.names)
    }

    pub(super) fn declare(&mut self, place: Place, name: &'a str, meaning: Meaning) -> Result<(), Error> {
        let before = self.scopes.last_mut().and_then(|scope| scope.insert(name, meaning));
        if before.is_some() {
            return Err(Error::new(place, format!("`{name}` is declared twice")));
        }
        Ok(())
    }

    pub(super) fn registers(&mut self, place: Place, register: &RegisterSyntax<'a>, ty: Type) -> Result<(), Error> {
        let first = self.slots.len() as Slot;
        let count = register.count.unwrap_or(1);
        if self.slots.len() + count as usize > 1 << 18 {
            return Err(Error::new(place, "too many registers"));
        }
        self.slots.extend(std::iter::repeat_n(SlotKind::Register(ty), count as usize));
        self.names.push((first, register.name.to_owned(), register.count.is_some()));
        let meaning = match register.count {
            Some(count) => Meaning::Registers(first, count, ty),
            None => Meaning::Register(first, ty),
        };
        self.declare(place, register.name, meaning)
    }

    /// What the name stands for; a numbered register becomes a single one.
    pub(super) fn meaning(&self, name: &str) -> Option<Meaning> {
        let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        for scope in self.scopes.iter().rev() {
            match scope.get(name) {
                Some(Meaning::Registers(..)) | None => {}
                Some(&meaning) => return Some(meaning),
            }
            // `%r12` may be number 12 of `%r` or number 2 of `%r1`.
            for split in 1..=digits {
                let (base, number) = name.split_at(name.len() - split);
                if number.len() > 1 && number.starts_with('0') {
                    continue;
                }
                if let (Some(&Meaning::Registers(first, count, ty)), Ok(number)) =
                    (scope.get(base), number.parse::<u32>())
                    && number < count
                {
                    return Some(Meaning::Register(first + number, ty));
                }
            }
        }
        None
    }

    pub(super) fn predicate(&self, place: Place, name: &str) -> Result<Slot, Error> {
        match self.meaning(name) {
            Some(Meaning::Register(slot, Type::Pred)) => Ok(slot),
            _ => Err(Error::new(place, format!("expected a predicate, found `{name}`"))),
        }
    }

    /// The slot of a constant, a special register or an address.
    pub(super) fn shared_slot(&mut self, kind: SlotKind) -> Slot {
        let slots = &mut self.slots;
        let names = &mut self.names;
        *self.shared_slots.entry(kind).or_insert_with(|| {
            slots.push(kind);
            names.push((slots.len() as Slot - 1, "a constant".to_owned(), false));
            slots.len() as Slot - 1
        })
    }
}

/// The special register with this name.
fn special(name: &str, part: Option<&str>) -> Option<(Special, Type)> {
    let axis = match part {
        Some("x") => Some(0),
        Some("y") => Some(1),
        Some("z") => Some(2),
        Some(_) => return None,
        None => None,
    };
    let special = match (name, axis) {
        ("%tid", Some(axis)) => Special::Tid(axis),
        ("%ntid", Some(axis)) => Special::Ntid(axis),
        ("%ctaid", Some(axis)) => Special::Ctaid(axis),
        ("%nctaid", Some(axis)) => Special::Nctaid(axis),
        ("%laneid", None) => Special::Laneid,
        ("%warpid", None) => Special::Warpid,
        ("%nwarpid", None) => Special::Nwarpid,
        ("%lanemask_eq", None) => Special::LanemaskEq,
        ("%lanemask_le", None) => Special::LanemaskLe,
        ("%lanemask_lt", None) => Special::LanemaskLt,
        ("%lanemask_ge", None) => Special::LanemaskGe,
        ("%lanemask_gt", None) => Special::LanemaskGt,
        _ => return None,
    };
    Some((special, Type::U32))
}

/// How strictly a register must have the type of its instruction.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Width {
    Exact,
    /// Registers may be wider: `ld`, `st`, `cvt`.
    AtLeast,
}

impl<'a> Instr<'_, 'a, '_> {
    pub(super) fn next_operand(&mut self) -> Result<Operand<'a>, Error> {
        let operand = self.syntax.operands.get(self.at).cloned();
        self.at += 1;
        operand.ok_or_else(|| self.error("an operand is missing"))
    }

    /// How many operands are left.
    pub(super) fn left(&self) -> usize {
        self.syntax.operands.len().saturating_sub(self.at)
    }

    fn check(&self, name: &str, ty: Type, wanted: Type, width: Width) -> Result<(), Error> {
        let good = match width {
            Width::Exact => ty.fits(wanted),
            Width::AtLeast => {
                ty.fits(wanted) || (ty != Type::Pred && wanted != Type::Pred && ty.bits() > wanted.bits())
            }
        };
        if good {
            return Ok(());
        }
        Err(self.error(&format!("`{name}` is a register of type `.{}`, expected `.{}`", ty.name(), wanted.name())))
    }

    /// The register `name` as a destination.
    pub(super) fn destination_named(&mut self, name: &str, wanted: Type, width: Width) -> Result<(Slot, Type), Error> {
        match self.frame.meaning(name) {
            Some(Meaning::Register(slot, ty)) => {
                self.check(name, ty, wanted, width)?;
                if wanted.is_float() {
                    self.frame.hazards.float(slot);
                }
                Ok((slot, ty))
            }
            _ => Err(self.error(&format!("expected a register, found `{name}`"))),
        }
    }

    /// The next operand as a destination.
    pub(super) fn destination(&mut self, wanted: Type) -> Result<Slot, Error> {
        match self.next_operand()? {
            Operand::Name(name, None) => Ok(self.destination_named(name, wanted, Width::Exact)?.0),
            _ => Err(self.error("expected a register as its destination")),
        }
    }

    /// The next operand as a source.
    pub(super) fn source(&mut self, wanted: Type) -> Result<Slot, Error> {
        let operand = self.next_operand()?;
        Ok(self.source_operand(&operand, wanted, Width::Exact)?.0)
    }

    /// Any operand as a source, with the type of its register.
    pub(super) fn source_operand(
        &mut self,
        operand: &Operand<'a>,
        wanted: Type,
        width: Width,
    ) -> Result<(Slot, Type), Error> {
        let bits = match *operand {
            Operand::Name(name, None) if let Some(meaning) = self.meaning(name) => match meaning {
                Meaning::Register(slot, ty) => {
                    self.check(name, ty, wanted, width)?;
                    return Ok((slot, ty));
                }
                Meaning::Variable(index) => return self.address_of(index, 0, wanted),
                _ => return Err(self.error(&format!("the address of `{name}` needs a `mov`"))),
            },
            Operand::Sum(name, offset) => match self.meaning(name) {
                Some(Meaning::Variable(index)) => return self.address_of(index, offset, wanted),
                _ => return Err(self.error(&format!("expected a variable, found `{name}`"))),
            },
            Operand::Name("WARP_SZ", None) => 32,
            Operand::Name(name, part) => {
                let Some((special, ty)) = special(name, part) else {
                    let part = part.map_or(String::new(), |p| format!(".{p}"));
                    return Err(self.error(&format!("`{name}{part}` is neither declared nor a known special register")));
                };
                self.check(name, ty, wanted, width)?;
                return Ok((self.frame.shared_slot(SlotKind::Special(special)), ty));
            }
            Operand::Integer(value) => {
                if wanted.is_float() {
                    return Err(
                        self.error(&format!("expected a number of type `.{}`, found an integer", wanted.name()))
                    );
                }
                value
            }
            Operand::Single(bits) if wanted.bits() == 32 && wanted.class() != crate::types::Class::Signed => {
                u64::from(bits)
            }
            Operand::Double(bits) if wanted.bits() == 64 => bits,
            Operand::Double(bits) if wanted == Type::F32 => u64::from((f64::from_bits(bits) as f32).to_bits()),
            Operand::Single(bits) if wanted == Type::F64 => f64::from(f32::from_bits(bits)).to_bits(),
            _ => return Err(self.error(&format!("expected a source of type `.{}`", wanted.name()))),
        };
        let value = if wanted == Type::Pred { u64::from(bits != 0) } else { truncate(bits, wanted.bits()) };
        Ok((self.frame.shared_slot(SlotKind::Constant(value)), wanted))
    }

    /// What the name stands for, in the function or else in the module.
    pub(super) fn meaning(&self, name: &str) -> Option<Meaning> {
        let global = || self.globals.names.get(name).map(|&index| Meaning::Variable(index));
        self.frame.meaning(name).or_else(global)
    }

    fn address_of(&mut self, index: usize, offset: u64, wanted: Type) -> Result<(Slot, Type), Error> {
        let small = self.globals.variables[index].space == Space::Shared && wanted.bits() == 32;
        if !(wanted.bits() == 64 || small) || !wanted.is_integer() {
            return Err(self.error("an address needs a register of 64 bits"));
        }
        Ok((self.frame.shared_slot(SlotKind::Address(index, offset)), wanted))
    }

    /// A predicate that may be negated, as a source.
    pub(super) fn predicate(&mut self) -> Result<(Slot, bool), Error> {
        match self.next_operand()? {
            Operand::Not(name) => Ok((self.frame.predicate(self.place, name)?, true)),
            operand => Ok((self.source_operand(&operand, Type::Pred, Width::Exact)?.0, false)),
        }
    }

    /// A destination, or a pair of it and a predicate, as `d|p`; either part may be `_`.
    pub(super) fn destination_pair(&mut self, first: Type) -> Result<(Slot, Slot), Error> {
        let at = |decoder: &mut Self, name: &str, ty| {
            if name == "_" { Ok(NONE) } else { Ok(decoder.destination_named(name, ty, Width::Exact)?.0) }
        };
        match self.next_operand()? {
            Operand::Pair(a, b) => Ok((at(self, a, first)?, at(self, b, Type::Pred)?)),
            Operand::Name(name, None) => Ok((at(self, name, first)?, NONE)),
            _ => Err(self.error("expected a register as its destination")),
        }
    }

    /// `d, a` of one type.
    pub(super) fn unary(&mut self, f: crate::arithmetic::Unary, to: Type, from: Type) -> Result<Op, Error> {
        Ok(Op::Unary { f, d: self.destination(to)?, a: self.source(from)? })
    }

    /// `d, a, b` with the types of the two operands.
    pub(super) fn binary(&mut self, f: crate::arithmetic::Binary, to: Type, a: Type, b: Type) -> Result<Op, Error> {
        Ok(Op::Binary { f, d: self.destination(to)?, a: self.source(a)?, b: self.source(b)? })
    }

    /// `d, a, b, c` with the types of the three operands.
    pub(super) fn ternary(&mut self, f: crate::arithmetic::Ternary, to: Type, from: [Type; 3]) -> Result<Op, Error> {
        let d = self.destination(to)?;
        Ok(Op::Ternary { f, d, a: self.source(from[0])?, b: self.source(from[1])?, c: self.source(from[2])? })
    }
}
