//! What the host knows about the processor that will run the function: registers, lines, and what operations cost in its own units.
//!
//! These questions change nothing: they make types at most, and neither IR nor an analysis depends on them.

use super::analyses::Analyses;
use super::ffi;

/// The operations that the host can be asked about, in the order of the shim's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Addition.
    Add,
    /// Multiplication.
    Mul,
    /// Multiplication and addition as one, of floats.
    Fma,
    /// Division, of integers with their signs.
    Div,
    /// The square root of a float.
    Sqrt,
    /// The smaller one of two numbers.
    MinMax,
    /// Bitwise operations on integers.
    Logic,
    /// Shifts of integers.
    Shift,
    /// Comparisons.
    Compare,
    /// The choice between two values.
    Select,
}

/// How the lanes of a vector get to memory where that is not one piece of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneAccess {
    /// Some lanes are left out, of loads and of stores.
    Masked,
    /// Every lane is loaded from an address of its own.
    Gather,
    /// Every lane is stored to an address of its own.
    Scatter,
}

impl Analyses<'_> {
    /// The width in bits of the vector registers that the host prefers, which may be narrower than the widest ones; 0 when it has none.
    pub fn vector_bits(&self) -> u32 {
        // SAFETY: the context is live during the run.
        unsafe { ffi::tessera_vector_bits(self.context()) }
    }

    /// Whether there are registers for vectors of so many `float` (32 bits) or `double` (64 bits).
    pub fn has_vectors_of(&self, bits: u32, lanes: u32) -> bool {
        // SAFETY: the context is live during the run.
        unsafe { ffi::tessera_has_vectors_of(self.context(), bits, lanes) != 0 }
    }

    /// How many vector registers there are.
    pub fn vector_registers(&self) -> u32 {
        // SAFETY: the context is live during the run.
        unsafe { ffi::tessera_registers(self.context(), 1) }
    }

    /// How many registers for scalars there are.
    pub fn scalar_registers(&self) -> u32 {
        // SAFETY: the context is live during the run.
        unsafe { ffi::tessera_registers(self.context(), 0) }
    }

    /// The size of a cache line in bytes, when the host knows it.
    pub fn cache_line_bytes(&self) -> Option<u32> {
        // SAFETY: the context is live during the run.
        Some(unsafe { ffi::tessera_cache_line(self.context()) }).filter(|&size| size != 0)
    }

    /// Whether vectors of that width, with lanes of 64 bits, have such accesses. `false` for vectors without two lanes.
    pub fn has_lane_access(&self, access: LaneAccess, bits: u32) -> bool {
        // SAFETY: the context is live during the run; the vector has lanes.
        bits >= 128 && unsafe { ffi::tessera_lane_access(self.context(), access as i32, bits) != 0 }
    }

    /// What an operation on so many lanes costs where many of its kind follow each other, in the host's units: about 1 for what begins
    /// every cycle. Floats have 32 or 64 bits; `None` where the host cannot tell, or there is no such operation.
    pub fn operation_cost(&self, operation: Operation, is_float: bool, bits: u32, lanes: u32) -> Option<i64> {
        let exists = lanes > 0 && if is_float { matches!(bits, 32 | 64) } else { matches!(bits, 8 | 16 | 32 | 64) };
        if !exists {
            return None;
        }
        let number = operation as i32;
        // SAFETY: the context is live during the run; the type exists in every LLVM context.
        let cost = unsafe { ffi::tessera_operation_cost(self.context(), number, i32::from(is_float), bits, lanes) };
        Some(cost).filter(|&cost| cost >= 0)
    }
}
