//! The Tessera LLVM pass plugin: `libtessera.so`, loaded by opt, clang and rustc.
//!
//! The way of a function: `host -> detect -> model -> simplify -> optimise -> emit`. Analysis and planning never change IR;
//! new code is built beside the old one, verified, and switched in last. Only `host` and `exports` have `unsafe` code.

pub mod detect;
pub mod device;
pub mod emit;
pub mod entry;
pub mod exports;
pub mod formula;
pub(crate) mod host;
pub mod machine;
pub mod model;
pub mod optimise;
pub mod options;
pub mod phase;
pub mod pipeline;
pub mod position;
pub mod reasons;
pub mod report;
pub mod simplify;
pub mod times;
