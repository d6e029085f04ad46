//! The internal form: what the interpreter executes.
//!
//! A function is a list of [`Instruction`]s over the slots of a frame. Registers, constants, special registers and
//! addresses of variables all are slots: operands are plain numbers, and a launch prepares one frame as a template
//! that every thread copies. `add.s32 %r1, %r2, 5;` becomes `Binary { f: add::<i32>, d: 7, a: 8, b: 3 }`, where slot 3
//! holds the five.
//!
//! Invariants: every operand is less than the number of slots of its function; every target of a jump is less than the
//! number of its instructions; the last instruction of a function leaves it.

use crate::arithmetic::convert::Conversion;
use crate::arithmetic::rounding::Rounding;
use crate::arithmetic::{Binary, Quaternary, Ternary, Unary};
use crate::syntax::Space;
use crate::types::Type;

/// A slot of a frame.
pub(crate) type Slot = u32;

/// The slot of the carry flag (`CC.CF`), which every frame has.
pub(crate) const CARRY: Slot = 0;

/// What a destination that is `_` has as its slot, and an instruction without a predicate as its guard.
pub(crate) const NONE: Slot = u32::MAX;

/// What a slot holds when a function begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SlotKind {
    Register(Type),
    Constant(u64),
    Special(Special),
    /// The address of a variable of the module, in its own state space, plus bytes.
    Address(usize, u64),
}

/// A special register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Special {
    Tid(usize),
    Ntid(usize),
    Ctaid(usize),
    Nctaid(usize),
    Laneid,
    Warpid,
    Nwarpid,
    LanemaskEq,
    LanemaskLe,
    LanemaskLt,
    LanemaskGe,
    LanemaskGt,
}

/// Where an access goes; `*Frame` says that the offset counts from the variables of the current function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Region {
    Generic,
    Global,
    Const,
    Shared,
    Local,
    LocalFrame,
    Param,
    ParamFrame,
}

/// One instruction.
#[derive(Debug)]
pub(crate) struct Instruction {
    /// The predicate, or [`NONE`].
    pub(crate) guard: Slot,
    /// The value of the predicate with which the instruction is executed.
    pub(crate) wanted: bool,
    pub(crate) op: Op,
}

/// A load or a store of one to eight elements in a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) region: Region,
    /// The slot of the address, or [`NONE`] for `offset` alone.
    pub(crate) address: Slot,
    pub(crate) offset: u64,
    /// Bytes of one element.
    pub(crate) bytes: u8,
    pub(crate) count: u8,
    /// For loads: sign-extended to this width of the destination register, if not zero.
    pub(crate) extend: u8,
    /// Volatile or relaxed or stronger: two such accesses are no race.
    pub(crate) strong: bool,
    /// `.nc`: nothing may write these bytes while the kernel runs.
    pub(crate) constant: bool,
}

/// What an atomic does to memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Update {
    /// The new value from the old one and the operand.
    With(Binary),
    /// The sum of singles, which flushes subnormal numbers in global memory only.
    AddSingle,
    /// The second operand, if the old value equals the first.
    CompareAndSwap,
}

#[derive(Clone, Debug)]
pub(crate) struct Atomic {
    pub(crate) access: Access,
    /// The old value, or [`NONE`] for `red`.
    pub(crate) d: Slot,
    pub(crate) a: Slot,
    pub(crate) b: Slot,
    pub(crate) update: Update,
}

/// The barriers of a block.
#[derive(Clone, Debug)]
pub(crate) struct Barrier {
    pub(crate) id: Slot,
    /// The number of threads, or [`NONE`] for all of the block.
    pub(crate) threads: Slot,
    /// All threads of a warp must execute the same barrier.
    pub(crate) aligned: bool,
    /// The thread does not wait (`bar.arrive`).
    pub(crate) arrive: bool,
    pub(crate) reduction: Option<(Reduction, Slot, Slot, bool)>,
}

/// `bar.red` combines the predicates of all threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reduction {
    Count,
    All,
    Any,
}

/// What the threads of a warp do together.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WarpKind {
    /// `bar.warp.sync`.
    Barrier,
    Shuffle(Shuffle),
    Vote(Vote),
    /// `redux.sync`.
    Reduce(Binary),
    /// `match.any.sync` and `match.all.sync`.
    Match {
        all: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vote {
    All,
    Any,
    Uniform,
    Ballot,
}

/// Operands of an instruction of a warp; which are used depends on the kind.
#[derive(Clone, Debug)]
pub(crate) struct Warp {
    pub(crate) kind: WarpKind,
    pub(crate) d: Slot,
    /// A second result, a predicate.
    pub(crate) p: Slot,
    pub(crate) a: Slot,
    pub(crate) b: Slot,
    pub(crate) c: Slot,
    /// The source predicate is negated.
    pub(crate) negated: bool,
    /// The threads that take part.
    pub(crate) mask: Slot,
}

/// One copy between the parameters of caller and callee: offsets in their frames of parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    pub(crate) caller: u32,
    pub(crate) callee: u32,
    pub(crate) bytes: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) function: usize,
    pub(crate) arguments: Vec<Transfer>,
    pub(crate) results: Vec<Transfer>,
}

/// What an instruction does.
#[derive(Debug)]
pub(crate) enum Op {
    Copy {
        d: Slot,
        a: Slot,
    },
    Unary {
        f: Unary,
        d: Slot,
        a: Slot,
    },
    Binary {
        f: Binary,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    /// Each bit of the result is one of the operand's, or its opposite, or always the same.
    Rewire {
        f: Unary,
        d: Slot,
        a: Slot,
    },
    /// Bit by bit, of so many bits.
    Bitwise {
        f: Binary,
        d: Slot,
        a: Slot,
        b: Slot,
        bits: u8,
    },
    /// To the left or to the right.
    Shift {
        f: Binary,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    /// Bytes of two values, chosen by a third one.
    Permute {
        f: Ternary,
        d: Slot,
        a: Slot,
        b: Slot,
        c: Slot,
    },
    Ternary {
        f: Ternary,
        d: Slot,
        a: Slot,
        b: Slot,
        c: Slot,
    },
    Quaternary(Box<(Quaternary, Slot, [Slot; 4])>),
    Select {
        d: Slot,
        a: Slot,
        b: Slot,
        p: Slot,
    },
    /// A comparison whose result is the last part or zero.
    Set(Box<(Binary, Slot, Slot, Slot, u64)>),
    /// `cvt.rn.f16x2.f32` and its kin.
    PackHalves(Box<(Type, Rounding, Slot, Slot, Slot)>),
    /// A division of integers; a divisor of zero gives an undefined value.
    Divide {
        f: Binary,
        d: Slot,
        a: Slot,
        b: Slot,
        bits: u8,
    },
    /// Result and carry from operands and carry.
    Carry {
        f: fn(u64, u64, u64) -> (u64, u64),
        d: Slot,
        a: Slot,
        b: Slot,
        reads: bool,
        writes: bool,
    },
    Compare(Box<Compare>),
    /// `setp.*.f16x2`: the comparisons of the low and of the high halves.
    ComparePair(Box<(Binary, Slot, Slot, Slot, Slot)>),
    Lop3 {
        d: Slot,
        a: Slot,
        b: Slot,
        c: Slot,
        table: u8,
    },
    Convert(Box<(Conversion, Slot, Slot)>),
    /// `d = {a, b, ...}`, the first in the low bits.
    Pack(Box<(Slot, Vec<Slot>, u32)>),
    Unpack(Box<(Vec<Slot>, Slot, u32)>),
    /// The address of a variable in local memory or of a parameter.
    FrameAddress {
        d: Slot,
        space: Space,
        offset: u64,
    },
    /// From the generic address to that of a state space (`cvta.to`), or back.
    ToSpace {
        d: Slot,
        a: Slot,
        space: Space,
    },
    ToGeneric {
        d: Slot,
        a: Slot,
        space: Space,
    },
    /// Whether a generic address is in a state space.
    IsSpace {
        d: Slot,
        a: Slot,
        space: Space,
    },
    Load {
        access: Access,
        d: Slot,
    },
    Store {
        access: Access,
        a: Slot,
    },
    LoadVector(Box<(Access, Vec<Slot>)>),
    StoreVector(Box<(Access, Vec<Slot>)>),
    Atomic(Box<Atomic>),
    Fence,
    Jump(u32),
    JumpTable(Box<(Slot, Vec<u32>)>),
    Call(Box<Call>),
    Return,
    Exit,
    Trap,
    Barrier(Box<Barrier>),
    Warp(Box<Warp>),
}

/// `setp` with all its parts.
#[derive(Clone, Debug)]
pub(crate) struct Compare {
    pub(crate) f: Binary,
    pub(crate) p: Slot,
    pub(crate) q: Slot,
    pub(crate) a: Slot,
    pub(crate) b: Slot,
    /// Combined with the comparison by `and`, `or` or `xor`; [`NONE`] for a plain one.
    pub(crate) c: Slot,
    pub(crate) negated: bool,
    pub(crate) combine: Binary,
}

/// A parameter of a kernel or a function: its place in the frame of parameters.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) offset: u32,
    pub(crate) bytes: u32,
}

/// A function or a kernel.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) is_kernel: bool,
    pub(crate) code: Vec<Instruction>,
    /// The line of every instruction.
    pub(crate) lines: Vec<u32>,
    pub(crate) slots: Vec<SlotKind>,
    /// The names of registers, in the order of their first slots: `(first slot, name, is numbered)`.
    pub(crate) names: Vec<(Slot, String, bool)>,
    /// The slots that every instruction reads and writes.
    pub(crate) reads: Vec<Vec<Slot>>,
    pub(crate) writes: Vec<Vec<Slot>>,
    pub(crate) local_bytes: u32,
    pub(crate) param_bytes: u32,
    /// Parameters that are copied to local memory at the beginning: from the frame of parameters to that of variables.
    pub(crate) moved: Vec<Transfer>,
    pub(crate) parameters: Vec<Parameter>,
    /// Variables of the module in `.shared` that it names.
    pub(crate) shared: Vec<usize>,
    pub(crate) callees: Vec<usize>,
    pub(crate) max_threads: Option<u64>,
    pub(crate) required_threads: Option<[u32; 3]>,
}

impl Function {
    /// The name of a register, for messages.
    pub(crate) fn register_name(&self, slot: Slot) -> String {
        let at = self.names.partition_point(|(first, _, _)| *first <= slot);
        match at.checked_sub(1).and_then(|i| self.names.get(i)) {
            Some((first, name, true)) => format!("{name}{}", slot - first),
            Some((_, name, false)) => name.clone(),
            None => "the carry flag".to_owned(),
        }
    }
}

impl Op {
    /// Whether it only computes: reads slots and writes slots.
    pub(crate) fn is_pure(&self) -> bool {
        match self {
            Op::Copy { .. }
            | Op::Unary { .. }
            | Op::Rewire { .. }
            | Op::Binary { .. }
            | Op::Bitwise { .. }
            | Op::Shift { .. }
            | Op::Ternary { .. }
            | Op::Permute { .. }
            | Op::Quaternary(_)
            | Op::Select { .. }
            | Op::Set(_)
            | Op::PackHalves(_)
            | Op::Divide { .. }
            | Op::Carry { .. }
            | Op::Compare(_)
            | Op::ComparePair(_)
            | Op::Lop3 { .. }
            | Op::Convert(_)
            | Op::Pack(_)
            | Op::Unpack(_)
            | Op::FrameAddress { .. }
            | Op::ToSpace { .. }
            | Op::ToGeneric { .. }
            | Op::IsSpace { .. } => true,
            Op::Load { .. }
            | Op::Store { .. }
            | Op::LoadVector(_)
            | Op::StoreVector(_)
            | Op::Atomic(_)
            | Op::Fence
            | Op::Jump(_)
            | Op::JumpTable(_)
            | Op::Call(_)
            | Op::Return
            | Op::Exit
            | Op::Trap
            | Op::Barrier(_)
            | Op::Warp(_) => false,
        }
    }

    /// Calls `read` with every slot that it reads, and `write` with every one that it writes.
    pub(crate) fn slots(&self, mut read: impl FnMut(Slot), mut write: impl FnMut(Slot)) {
        match self {
            Op::Copy { d, a }
            | Op::Unary { d, a, .. }
            | Op::Rewire { d, a, .. }
            | Op::ToSpace { d, a, .. }
            | Op::ToGeneric { d, a, .. }
            | Op::IsSpace { d, a, .. } => {
                read(*a);
                write(*d);
            }
            Op::Binary { d, a, b, .. }
            | Op::Bitwise { d, a, b, .. }
            | Op::Shift { d, a, b, .. }
            | Op::Divide { d, a, b, .. } => {
                read(*a);
                read(*b);
                write(*d);
            }
            Op::Ternary { d, a, b, c, .. }
            | Op::Permute { d, a, b, c, .. }
            | Op::Lop3 { d, a, b, c, .. }
            | Op::Select { d, a, b, p: c } => {
                read(*a);
                read(*b);
                read(*c);
                write(*d);
            }
            Op::Carry { d, a, b, reads, writes, .. } => {
                read(*a);
                read(*b);
                if *reads {
                    read(CARRY);
                }
                write(*d);
                if *writes {
                    write(CARRY);
                }
            }
            Op::Compare(c) => {
                [c.a, c.b, c.c].into_iter().for_each(read);
                [c.p, c.q].into_iter().for_each(write);
            }
            Op::Quaternary(q) => {
                q.2.iter().for_each(|&a| read(a));
                write(q.1);
            }
            Op::Set(s) => {
                read(s.2);
                read(s.3);
                write(s.1);
            }
            Op::PackHalves(p) => {
                read(p.3);
                read(p.4);
                write(p.2);
            }
            Op::ComparePair(c) => {
                [c.3, c.4].into_iter().for_each(read);
                [c.1, c.2].into_iter().for_each(write);
            }
            Op::Convert(c) => {
                read(c.2);
                write(c.1);
            }
            Op::Pack(p) => {
                p.1.iter().for_each(|&a| read(a));
                write(p.0);
            }
            Op::Unpack(p) => {
                read(p.1);
                p.0.iter().for_each(|&d| write(d));
            }
            Op::FrameAddress { d, .. } => write(*d),
            Op::Load { access, d } => {
                read(access.address);
                write(*d);
            }
            Op::Store { access, a } => {
                read(access.address);
                read(*a);
            }
            Op::LoadVector(v) => {
                read(v.0.address);
                v.1.iter().for_each(|&d| write(d));
            }
            Op::StoreVector(v) => {
                read(v.0.address);
                v.1.iter().for_each(|&a| read(a));
            }
            Op::Atomic(a) => {
                [a.access.address, a.a, a.b].into_iter().for_each(read);
                write(a.d);
            }
            Op::JumpTable(t) => read(t.0),
            Op::Barrier(b) => {
                read(b.id);
                read(b.threads);
                if let Some((_, d, p, _)) = b.reduction {
                    read(p);
                    write(d);
                }
            }
            Op::Warp(w) => {
                [w.a, w.b, w.c, w.mask].into_iter().for_each(read);
                [w.d, w.p].into_iter().for_each(write);
            }
            Op::Fence | Op::Jump(_) | Op::Call(_) | Op::Return | Op::Exit | Op::Trap => {}
        }
    }
}
