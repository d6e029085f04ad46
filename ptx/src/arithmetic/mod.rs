//! What instructions compute: pure functions from the bits of operands to the bits of the result.
//!
//! Operands and results are the contents of registers, zero-extended to 64 bits; every function ignores the bits of
//! an operand above its width and returns none above that of its result. The decoder picks a function once, so that
//! the interpreter only calls it: `add.s32` is `integer::add::<i32>`.

pub(crate) mod bits;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod float;
pub(crate) mod half;
pub(crate) mod integer;
pub(crate) mod rounding;

/// A pure function of one operand.
pub(crate) type Unary = fn(u64) -> u64;
/// A pure function of two operands.
pub(crate) type Binary = fn(u64, u64) -> u64;
/// A pure function of three operands.
pub(crate) type Ternary = fn(u64, u64, u64) -> u64;
/// A pure function of four operands.
pub(crate) type Quaternary = fn(u64, u64, u64, u64) -> u64;
