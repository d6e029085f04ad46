//! Random loop nests in C, with the plain build as oracle.
//!
//! A [`Case`] is one kernel (small affine nests of depth 1 to 3, several statements, random subscripts, bounds, steps
//! and signedness, local scalars, conditions) and several calls of it (sizes around tile sizes, zero and one among
//! them, leading dimensions that fit and that do not, arrays that overlap and that do not). The generator knows an
//! interval for every expression, so a case never reads or writes outside of its arrays, never overflows a signed
//! number, and every loop ends. One rule of C is broken, which LLVM does not have: a column subscript of a C99 array may
//! leave its row. A case is a function of its seed.
//!
//! A failing case is reduced by removing items and calls as long as it still fails ([`reduce`]), and printed as one C
//! file without dependencies.

mod generate;
mod program;
mod random;
mod run;

pub use generate::generate;
pub use program::Case;
pub use run::{check, options, reduce};
