//! Exact arithmetic: integers that never overflow, rationals, integer matrices.
//!
//! Nothing in this library uses floating point or wrapping arithmetic to decide a question about a set. [`Int`] is one
//! machine word: it keeps a value in 63 bits while it fits and promotes it to a GMP integer when it does not, so the
//! common case costs one checked machine instruction and the rare case is still exact.

mod int;
mod matrix;
mod rational;
pub(crate) mod row;

pub(crate) use int::gcd_u64;
pub use int::{Int, ParseIntError};
pub use matrix::{Hermite, Matrix, dot, gcd_of};
pub use rational::Rational;
pub use row::Row;
