//! The structure of ScalarEvolution's expressions. Questions that need the analysis itself are in
//! [`Analyses`](super::Analyses).

use super::buffer;
use super::ffi;
use super::handles::{Loop, Scev, Value};
use super::value::signed;
use std::ptr;

/// The kind of an expression, in LLVM 22's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ScevKind {
    /// A constant integer.
    Constant,
    /// The run-time factor of scalable vectors.
    VScale,
    /// The low bits of the operand.
    Truncate,
    /// The operand as unsigned number in more bits.
    ZeroExtend,
    /// The operand as signed number in more bits.
    SignExtend,
    /// The sum of the operands.
    Add,
    /// The product of the operands.
    Mul,
    /// The unsigned quotient of two operands.
    UDiv,
    /// A polynomial recurrence of a loop: start, step, step of the step, ...
    AddRec,
    /// The largest operand, unsigned.
    UMax,
    /// The largest operand, signed.
    SMax,
    /// The smallest operand, unsigned.
    UMin,
    /// The smallest operand, signed.
    SMin,
    /// The smallest operand, unsigned, where operands after a zero are not evaluated.
    SequentialUMin,
    /// A pointer as integer.
    PtrToInt,
    /// A value that the analysis looks no further into.
    Unknown,
    /// No expression.
    CouldNotCompute,
}

/// What is known about overflow of an expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WrapFlags {
    /// The recurrence never passes its start again.
    pub nw: bool,
    /// No unsigned overflow.
    pub nuw: bool,
    /// No signed overflow.
    pub nsw: bool,
}

impl Scev {
    /// The kind. A kind that this library does not know reads as `CouldNotCompute`.
    pub fn kind(self) -> ScevKind {
        // SAFETY: a handle points to an expression that lives as long as the run's ScalarEvolution.
        match unsafe { ffi::tessera_scev_kind(self.raw()) } {
            0 => ScevKind::Constant,
            1 => ScevKind::VScale,
            2 => ScevKind::Truncate,
            3 => ScevKind::ZeroExtend,
            4 => ScevKind::SignExtend,
            5 => ScevKind::Add,
            6 => ScevKind::Mul,
            7 => ScevKind::UDiv,
            8 => ScevKind::AddRec,
            9 => ScevKind::UMax,
            10 => ScevKind::SMax,
            11 => ScevKind::UMin,
            12 => ScevKind::SMin,
            13 => ScevKind::SequentialUMin,
            14 => ScevKind::PtrToInt,
            15 => ScevKind::Unknown,
            _ => ScevKind::CouldNotCompute,
        }
    }

    /// Whether there is no expression.
    pub fn could_not_compute(self) -> bool {
        self.kind() == ScevKind::CouldNotCompute
    }

    /// The operands: start and steps for a recurrence, dividend and divisor for a division.
    pub fn operands(self) -> Vec<Scev> {
        // SAFETY: a handle points to a live expression.
        let raw = buffer::items(ptr::null(), |out, capacity| unsafe {
            ffi::tessera_scev_operands(self.raw(), out, capacity)
        });
        raw.into_iter().filter_map(Scev::from_raw).collect()
    }

    /// The value of a constant as a signed number; `None` for other kinds and for more than 128 bits.
    pub fn constant(self) -> Option<i128> {
        let mut words = [0u64; 2];
        // SAFETY: a handle points to a live expression; the buffer has room for the two words.
        let found = unsafe { ffi::tessera_scev_constant(self.raw(), words.as_mut_ptr()) };
        (found != 0).then(|| signed(words))
    }

    /// The value that an `Unknown` stands for.
    pub fn unknown_value(self) -> Option<Value> {
        // SAFETY: a handle points to a live expression.
        Value::from_raw(unsafe { ffi::tessera_scev_unknown(self.raw()) })
    }

    /// Whether it depends on how far some loop has come.
    pub fn has_recurrence(self) -> bool {
        self.kind() == ScevKind::AddRec || self.operands().into_iter().any(Self::has_recurrence)
    }

    /// The loop of a recurrence.
    pub fn recurrence_loop(self) -> Option<Loop> {
        // SAFETY: a handle points to a live expression.
        Loop::from_raw(unsafe { ffi::tessera_scev_loop(self.raw()) })
    }

    /// What is known about overflow; nothing for kinds without flags.
    pub fn wrap_flags(self) -> WrapFlags {
        // SAFETY: a handle points to a live expression.
        let bits = unsafe { ffi::tessera_scev_flags(self.raw()) };
        WrapFlags { nw: bits & 1 != 0, nuw: bits & 2 != 0, nsw: bits & 4 != 0 }
    }

    /// Whether it is an address.
    pub fn is_pointer(self) -> bool {
        // SAFETY: a handle points to a live expression.
        unsafe { ffi::tessera_scev_is_pointer(self.raw()) != 0 }
    }

    /// The expression as LLVM prints it.
    pub fn text(self) -> String {
        // SAFETY: a handle points to a live expression.
        buffer::text(|out, capacity| unsafe { ffi::tessera_scev_text(self.raw(), out, capacity) })
    }
}
