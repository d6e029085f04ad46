//! Decoding of what threads do together: barriers of the block and instructions of a warp.

use super::{Decoded, Instr};
use crate::arithmetic::{Binary, bits, integer};
use crate::code::{Barrier, NONE, Op, Reduction, Shuffle, Slot, SlotKind, Vote, Warp, WarpKind};
use crate::syntax::Operand;
use crate::types::Type;

impl Instr<'_, '_, '_> {
    pub(super) fn warp(&mut self) -> Decoded {
        match self.syntax.opcode {
            "bar" if self.modifiers.accept("warp") => {
                self.modifiers.expect("sync")?;
                self.together(WarpKind::Barrier, [NONE; 5], false)
            }
            "bar" | "barrier" => self.barrier(),
            "shfl" => self.shuffle(),
            "vote" => self.vote(),
            "redux" => {
                self.modifiers.expect("sync")?;
                let operation = self.modifiers.take();
                let ty = self.modifiers.ty()?;
                let f: Binary = match (operation, ty) {
                    ("add", Type::U32 | Type::S32) => integer::add::<u32>,
                    ("min", Type::U32) => integer::min::<u32>,
                    ("min", Type::S32) => integer::min::<i32>,
                    ("max", Type::U32) => integer::max::<u32>,
                    ("max", Type::S32) => integer::max::<i32>,
                    ("and", Type::B32) => bits::and,
                    ("or", Type::B32) => bits::or,
                    ("xor", Type::B32) => bits::xor,
                    _ => return Err(self.unknown()),
                };
                let (d, a) = (self.destination(ty)?, self.source(ty)?);
                self.together(WarpKind::Reduce(f), [d, NONE, a, NONE, NONE], false)
            }
            _ => {
                let which = self.modifiers.expect_any(&["any", "all"])?;
                let all = which == "all";
                self.modifiers.expect("sync")?;
                let ty = self.modifiers.ty()?;
                if !matches!(ty, Type::B32 | Type::B64) {
                    return Err(self.unknown());
                }
                let (d, p) = if all { self.destination_pair(Type::B32)? } else { (self.destination(Type::B32)?, NONE) };
                let a = self.source(ty)?;
                self.together(WarpKind::Match { all }, [d, p, a, NONE, NONE], false)
            }
        }
    }

    /// An instruction with these slots; its last operand is the mask.
    fn together(&mut self, kind: WarpKind, slots: [Slot; 5], negated: bool) -> Decoded {
        let [d, p, a, b, c] = slots;
        let mask = self.source(Type::B32)?;
        Ok(Op::Warp(Box::new(Warp { kind, d, p, a, b, c, negated, mask })))
    }

    fn shuffle(&mut self) -> Decoded {
        self.modifiers.expect("sync")?;
        let kind = match self.modifiers.take() {
            "up" => Shuffle::Up,
            "down" => Shuffle::Down,
            "bfly" => Shuffle::Butterfly,
            "idx" => Shuffle::Index,
            _ => return Err(self.unknown()),
        };
        if self.modifiers.ty()? != Type::B32 {
            return Err(self.unknown());
        }
        let (d, p) = self.destination_pair(Type::B32)?;
        let (a, b, c) = (self.source(Type::B32)?, self.source(Type::B32)?, self.source(Type::B32)?);
        self.together(WarpKind::Shuffle(kind), [d, p, a, b, c], false)
    }

    fn vote(&mut self) -> Decoded {
        self.modifiers.expect("sync")?;
        let (kind, to) = match self.modifiers.take() {
            "all" => (Vote::All, Type::Pred),
            "any" => (Vote::Any, Type::Pred),
            "uni" => (Vote::Uniform, Type::Pred),
            "ballot" => (Vote::Ballot, Type::B32),
            _ => return Err(self.unknown()),
        };
        let ty = self.modifiers.ty()?;
        if ty != to {
            return Err(self.unknown());
        }
        let d = self.destination(to)?;
        let (a, negated) = self.predicate()?;
        self.together(WarpKind::Vote(kind), [d, NONE, a, NONE, NONE], negated)
    }

    /// `bar.sync`, `bar.arrive`, `bar.red`, and the same as `barrier{.cta}` with or without `.aligned`.
    fn barrier(&mut self) -> Decoded {
        let long = self.syntax.opcode == "barrier";
        self.modifiers.accept("cta");
        let kind = self.modifiers.take();
        let reduction = match kind {
            "sync" | "arrive" => None,
            "red" => Some(match self.modifiers.take() {
                "popc" => Reduction::Count,
                "and" => Reduction::All,
                "or" => Reduction::Any,
                _ => return Err(self.unknown()),
            }),
            _ => return Err(self.unknown()),
        };
        let aligned = self.modifiers.accept("aligned") || !long;
        let mut destination = NONE;
        if let Some(reduction) = reduction {
            let ty = self.modifiers.ty()?;
            let wanted = if reduction == Reduction::Count { Type::U32 } else { Type::Pred };
            if ty != wanted {
                return Err(self.unknown());
            }
            destination = self.destination(wanted)?;
        }
        let id = self.source(Type::U32)?;
        if let Some(&SlotKind::Constant(id)) = self.frame.slots().get(id as usize)
            && id > 15
        {
            return Err(self.error("there are 16 barriers, 0 to 15"));
        }
        let mut threads = NONE;
        // For `bar.red` the last operand is the predicate.
        if self.left() > usize::from(reduction.is_some()) {
            threads = self.source(Type::U32)?;
        } else if kind == "arrive" {
            return Err(self.error("the number of threads is missing"));
        }
        let reduction = match reduction {
            Some(reduction) => {
                if !matches!(self.syntax.operands.get(self.at), Some(Operand::Not(_) | Operand::Name(..))) {
                    return Err(self.error("expected a predicate"));
                }
                let (p, negated) = self.predicate()?;
                Some((reduction, destination, p, negated))
            }
            None => None,
        };
        Ok(Op::Barrier(Box::new(Barrier { id, threads, aligned, arrive: kind == "arrive", reduction })))
    }
}
