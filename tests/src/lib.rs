//! Support code of the end-to-end tests: the real host compilers, the corpus of programs, the random loop nests.
//!
//! Everything here treats Tessera as its users meet it: a shared library given to `clang`, `opt` or `rustc`. The
//! untouched build of the same program is the oracle; results are compared bit for bit.

pub mod broken;
pub mod corpus;
pub mod emulated;
pub mod fuzz;
pub mod host;
pub mod kernels;
pub mod model;
pub mod modes;
pub mod plugin;
pub mod process;
pub mod ptx;
pub mod record;
pub mod sources;
