//! Decoding of moves, loads, stores, atomics and fences.
//!
//! Hints of caching have no effect on results and are accepted by name; volatile, relaxed and stronger accesses are
//! marked, as two of them are no race.

use super::frame::{Meaning, Width};
use super::{Decoded, Error, Instr};
use crate::arithmetic::{Binary, bits, float, integer};
use crate::code::{Access, Atomic, NONE, Op, Region, Slot, SlotKind, Update};
use crate::syntax::{Operand, Space};
use crate::types::Type;

const SCOPES: [&str; 4] = ["cta", "cluster", "gpu", "sys"];

impl<'a> Instr<'_, 'a, '_> {
    pub(super) fn memory(&mut self) -> Decoded {
        match self.syntax.opcode {
            "mov" => self.mov(),
            "ld" | "ldu" => self.load(),
            "st" => self.store(),
            "atom" => self.atomic(true),
            "red" => self.atomic(false),
            "cvta" => self.cvta(),
            "isspacep" => {
                let Some(space) = self.space() else { return Err(self.modifiers.unknown()) };
                let d = self.destination(Type::Pred)?;
                Ok(Op::IsSpace { d, a: self.source(Type::B64)?, space })
            }
            _ => self.fence(),
        }
    }

    fn mov(&mut self) -> Decoded {
        let ty = self.modifiers.ty()?;
        if ty.bits() == 8 || ty.is_half() {
            return Err(self.unknown());
        }
        let destination = self.next_operand()?;
        let source = self.next_operand()?;
        if let Operand::Vector(elements) = &destination {
            let part = self.part_type(ty, elements.len())?;
            let mut slots = Vec::new();
            for element in elements {
                slots.push(match element {
                    Operand::Sink => NONE,
                    Operand::Name(name, None) => self.destination_named(name, part, Width::Exact)?.0,
                    _ => return Err(self.error("expected registers in its destination")),
                });
            }
            let a = self.source_operand(&source, ty, Width::Exact)?.0;
            return Ok(Op::Unpack(Box::new((slots, a, part.bits()))));
        }
        let Operand::Name(name, None) = destination else {
            return Err(self.error("expected a register as its destination"));
        };
        let d = self.destination_named(name, ty, Width::Exact)?.0;
        if let Operand::Vector(elements) = &source {
            let part = self.part_type(ty, elements.len())?;
            let slots = elements
                .iter()
                .map(|e| Ok(self.source_operand(e, part, Width::Exact)?.0))
                .collect::<Result<Vec<_>, Error>>()?;
            return Ok(Op::Pack(Box::new((d, slots, part.bits()))));
        }
        // The address of a variable of this function.
        if let Operand::Name(name, None) | Operand::Sum(name, _) = source {
            let extra = if let Operand::Sum(_, offset) = source { offset } else { 0 };
            let found = match self.frame.meaning(name) {
                Some(Meaning::Local(offset)) => Some((Space::Local, u64::from(offset))),
                Some(Meaning::Param(offset, _)) => Some((Space::Param, u64::from(offset))),
                _ => None,
            };
            if let Some((space, offset)) = found {
                if ty.bits() != 64 {
                    return Err(self.error("an address needs a register of 64 bits"));
                }
                return Ok(Op::FrameAddress { d, space, offset: offset.wrapping_add(extra) });
            }
        }
        let a = self.source_operand(&source, ty, Width::Exact)?.0;
        Ok(Op::Copy { d, a })
    }

    /// The type of one of `count` parts of a register.
    fn part_type(&self, ty: Type, count: usize) -> Result<Type, Error> {
        match (ty.bits(), count) {
            (32, 2) | (64, 4) => Ok(Type::B16),
            (64, 2) => Ok(Type::B32),
            _ => Err(self.error("no such vector")),
        }
    }

    /// The next modifier as a state space; not `.param`.
    fn space(&mut self) -> Option<Space> {
        Some(match self.modifiers.accept_any(&["global", "const", "shared", "shared::cta", "local"])? {
            "global" => Space::Global,
            "const" => Space::Const,
            "local" => Space::Local,
            _ => Space::Shared,
        })
    }

    /// Hints about caches.
    fn hints(&mut self) {
        while self
            .modifiers
            .accept_any(&[
                "L1::evict_normal",
                "L1::evict_unchanged",
                "L1::evict_first",
                "L1::evict_last",
                "L1::no_allocate",
                "L2::evict_normal",
                "L2::evict_first",
                "L2::evict_last",
                "L2::64B",
                "L2::128B",
                "L2::256B",
            ])
            .is_some()
        {}
    }

    /// The modifiers of `ld` and `st` up to the type: strength, region and the number of elements.
    fn access(&mut self, loads: bool) -> Result<(Access, Type), Error> {
        let mut strong = false;
        let orders: &[&str] = if loads { &["relaxed", "acquire"] } else { &["relaxed", "release"] };
        if self.modifiers.accept("volatile") {
            strong = true;
        } else if self.modifiers.accept_any(orders).is_some() {
            strong = true;
            self.modifiers.expect_any(&SCOPES)?;
        } else {
            self.modifiers.accept("weak");
        }
        let param = self.modifiers.accept_any(&["param", "param::entry", "param::func"]).is_some();
        let space = if param { Space::Param } else { self.space().unwrap_or(Space::Generic) };
        let caches: &[&str] = if loads { &["ca", "cg", "cs", "lu", "cv"] } else { &["wb", "cg", "cs", "wt"] };
        self.modifiers.accept_any(caches);
        let constant = loads && space == Space::Global && (self.modifiers.accept("nc") || self.syntax.opcode == "ldu");
        self.hints();
        let count = match self.modifiers.accept_any(&["v2", "v4", "v8"]) {
            Some("v2") => 2,
            Some("v4") => 4,
            Some(_) => 8,
            None => 1,
        };
        let ty = self.modifiers.ty()?;
        if ty == Type::Pred || ty.bits() * count > 256 || ty.is_half() {
            return Err(self.unknown());
        }
        let region = match space {
            Space::Generic => Region::Generic,
            Space::Global => Region::Global,
            Space::Const => Region::Const,
            Space::Shared => Region::Shared,
            Space::Local => Region::Local,
            Space::Param => Region::ParamFrame,
        };
        let access = Access {
            region,
            address: NONE,
            offset: 0,
            bytes: ty.bytes() as u8,
            count: count as u8,
            extend: 0,
            strong,
            constant,
        };
        Ok((access, ty))
    }

    /// The address operand.
    fn address(&mut self, access: &mut Access) -> Result<(), Error> {
        let Operand::Memory(name, offset) = self.next_operand()? else { return Err(self.error("expected an address")) };
        access.offset = offset;
        let Some(name) = name else { return Ok(()) };
        match self.meaning(name) {
            Some(Meaning::Register(slot, ty)) => {
                let short = access.region == Region::Shared && ty.bits() == 32;
                if !ty.is_integer() || (ty.bits() != 64 && !short) {
                    return Err(self.error(&format!("`{name}` is no register of an address")));
                }
                if access.region == Region::ParamFrame {
                    // The address has been moved to a register: that of a kernel's parameter, or that of a copy in local memory.
                    access.region = if self.frame.is_kernel { Region::Param } else { Region::Local };
                }
                access.address = slot;
            }
            // Also a parameter that was moved to local memory.
            Some(Meaning::Local(at)) if matches!(access.region, Region::Local | Region::ParamFrame) => {
                access.region = Region::LocalFrame;
                access.offset = offset.wrapping_add(u64::from(at));
            }
            Some(Meaning::Param(at, bytes)) if access.region == Region::ParamFrame => {
                let size = u64::from(access.bytes) * u64::from(access.count);
                if offset.checked_add(size).is_none_or(|end| end > u64::from(bytes)) {
                    return Err(self.error(&format!("it reaches behind the end of `{name}`")));
                }
                access.offset = u64::from(at) + offset;
            }
            Some(Meaning::Variable(index)) => self.variable_address(access, index, offset)?,
            _ => return Err(self.error(&format!("`{name}` is no address of this state space"))),
        }
        Ok(())
    }

    fn variable_address(&mut self, access: &mut Access, index: usize, offset: u64) -> Result<(), Error> {
        let variable = &self.globals.variables[index];
        let good = match access.region {
            Region::Global | Region::Generic => variable.space == Space::Global,
            Region::Const => variable.space == Space::Const,
            Region::Shared => variable.space == Space::Shared,
            _ => false,
        };
        if !good {
            return Err(self.error(&format!("`{}` is in another state space", variable.name)));
        }
        access.address = self.frame.shared_slot(SlotKind::Address(index, 0));
        access.offset = offset;
        Ok(())
    }

    fn load(&mut self) -> Decoded {
        let (mut access, ty) = self.access(true)?;
        if self.syntax.opcode == "ldu" && access.region != Region::Global {
            return Err(self.unknown());
        }
        let destination = self.next_operand()?;
        let names: Vec<Operand<'a>> = match destination {
            Operand::Vector(elements) => elements,
            other => vec![other],
        };
        if names.len() != usize::from(access.count) {
            return Err(self.error("the vector has another number of elements"));
        }
        let mut slots = Vec::new();
        for name in &names {
            slots.push(match name {
                Operand::Sink => NONE,
                Operand::Name(name, None) => {
                    let (slot, register) = self.destination_named(name, ty, Width::AtLeast)?;
                    if ty.is_signed() && register.bits() > ty.bits() {
                        access.extend = register.bits() as u8;
                    }
                    slot
                }
                _ => return Err(self.error("expected a register as its destination")),
            });
        }
        self.address(&mut access)?;
        Ok(match slots[..] {
            [d] if d != NONE => Op::Load { access, d },
            _ => Op::LoadVector(Box::new((access, slots))),
        })
    }

    fn store(&mut self) -> Decoded {
        let (mut access, ty) = self.access(false)?;
        if access.region == Region::Const {
            return Err(self.unknown());
        }
        self.address(&mut access)?;
        let elements = match self.next_operand()? {
            Operand::Vector(elements) => elements,
            other => vec![other],
        };
        if elements.len() != usize::from(access.count) {
            return Err(self.error("the vector has another number of elements"));
        }
        let slots = elements
            .iter()
            .map(|e| {
                let (slot, register) = self.source_operand(e, ty, Width::AtLeast)?;
                if register.bits() > ty.bits() {
                    self.frame.hazards.narrow_store(slot, self.place);
                }
                Ok(slot)
            })
            .collect::<Result<Vec<Slot>, Error>>()?;
        Ok(match slots[..] {
            [a] => Op::Store { access, a },
            _ => Op::StoreVector(Box::new((access, slots))),
        })
    }

    fn atomic(&mut self, returns: bool) -> Decoded {
        self.modifiers.accept_any(&["relaxed", "acquire", "release", "acq_rel"]);
        self.modifiers.accept_any(&SCOPES);
        let region = match self.space() {
            None => Region::Generic,
            Some(Space::Global) => Region::Global,
            Some(Space::Shared) => Region::Shared,
            Some(_) => return Err(self.unknown()),
        };
        let operation = self.modifiers.take();
        let ty = self.modifiers.ty()?;
        let swap = operation == "cas";
        let update = if swap { Some(Update::CompareAndSwap) } else { update(operation, ty) };
        let Some(update) = update else { return Err(self.unknown()) };
        if swap && !(returns && matches!(ty, Type::B16 | Type::B32 | Type::B64)) || (operation == "exch" && !returns) {
            return Err(self.unknown());
        }
        let d = match self.syntax.operands.first() {
            _ if !returns => NONE,
            Some(Operand::Sink) => {
                self.at += 1;
                NONE
            }
            _ => self.destination(ty)?,
        };
        let mut access = Access {
            region,
            address: NONE,
            offset: 0,
            bytes: ty.bytes() as u8,
            count: 1,
            extend: 0,
            strong: true,
            constant: false,
        };
        self.address(&mut access)?;
        let a = self.source(ty)?;
        let b = if swap { self.source(ty)? } else { NONE };
        Ok(Op::Atomic(Box::new(Atomic { access, d, a, b, update })))
    }

    fn cvta(&mut self) -> Decoded {
        let to = self.modifiers.accept("to");
        let param = self.modifiers.accept_any(&["param", "param::entry"]).is_some();
        let space = if param { Space::Param } else { self.space().unwrap_or(Space::Generic) };
        let ty = self.modifiers.ty()?;
        if space == Space::Generic || ty != Type::U64 {
            return Err(self.unknown());
        }
        let d = self.destination(ty)?;
        // `cvta.local.u64 d, variable` takes the address of a variable of this function, too.
        if let Some(Operand::Name(name, None)) = self.syntax.operands.get(self.at)
            && !to
            && let Some(Meaning::Local(_) | Meaning::Param(..)) = self.frame.meaning(name)
        {
            return Err(self.error(&format!("the address of `{name}` needs a `mov`")));
        }
        let a = self.source(ty)?;
        Ok(if to { Op::ToSpace { d, a, space } } else { Op::ToGeneric { d, a, space } })
    }

    fn fence(&mut self) -> Decoded {
        let scopes: &[&str] = match self.syntax.opcode {
            "membar" => &["cta", "gl", "sys"],
            _ => {
                self.modifiers.accept_any(&["sc", "acq_rel", "acquire", "release"]);
                &SCOPES
            }
        };
        self.modifiers.expect_any(scopes)?;
        Ok(Op::Fence)
    }
}

fn update(operation: &str, ty: Type) -> Option<Update> {
    let f: Binary = match (operation, ty) {
        ("add", Type::F32) => return Some(Update::AddSingle),
        ("add", Type::F64) => float::add::<f64>,
        ("add", Type::U32 | Type::S32) => integer::add::<u32>,
        ("add", Type::U64 | Type::S64) => integer::add::<u64>,
        ("min", Type::U32) => integer::min::<u32>,
        ("min", Type::S32) => integer::min::<i32>,
        ("min", Type::U64) => integer::min::<u64>,
        ("min", Type::S64) => integer::min::<i64>,
        ("max", Type::U32) => integer::max::<u32>,
        ("max", Type::S32) => integer::max::<i32>,
        ("max", Type::U64) => integer::max::<u64>,
        ("max", Type::S64) => integer::max::<i64>,
        ("and", Type::B32 | Type::B64) => bits::and,
        ("or", Type::B32 | Type::B64) => bits::or,
        ("xor", Type::B32 | Type::B64) => bits::xor,
        ("exch", Type::B32 | Type::B64) => |_, b| b,
        ("inc", Type::U32) => integer::increment,
        ("dec", Type::U32) => integer::decrement,
        _ => return None,
    };
    Some(Update::With(f))
}
