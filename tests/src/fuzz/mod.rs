//! Random loop nests in C and in safe Rust, with the plain build as oracle.
//!
//! A [`Case`] is one kernel (small affine nests of depth 1 to 3, several statements, random subscripts, bounds, steps and types,
//! local scalars, conditions, early exits) and several calls of it (sizes around tile sizes, zero and one among them, leading
//! dimensions that fit and that do not, arrays that overlap and that do not, slices that are too short). In C the generator knows
//! an interval for every expression, so a case never reads or writes outside of its arrays, never overflows a signed
//! number, and every loop ends. One rule of C is broken, which LLVM does not have: a column subscript of a C99 array may
//! leave its row. In Rust everything is checked, and calls may fail: the panic, and what was written before, must be the same.
//! In every eighth case arrays have cells with fields, as an array of structures has: accesses of one iteration meet at some iterations
//! only (`generate/fields.rs`); in another eighth most nests are like products of matrices (`generate/product.rs`), or factorisations of one
//! (`generate/factorisation.rs`), or change all rows of one by one of them, step by step (`generate/elimination.rs`),
//! or sum over windows of an image (`generate/window.rs`); in
//! every sixteenth one of two nests in a loop may have nothing to do (`generate/uneven.rs`), in another sixteenth nests sweep over an array in
//! place (`generate/sweep.rs`), in one more, twice as often for a device, over many rows in a loop over time (`generate/stencil.rs`), in every 32nd,
//! and every eighth for a device, they reduce to an element (`generate/reduction.rs`). The last call of most cases has a size that is far
//! too large, where loops over it do not run (`generate/idle.rs`): new code must not count to it. A case is a function of its seed and back
//! end. Of every eight blocks of cases in C one is compiled for i386, one has arrays in another address space of the same memory, and one
//! calls every kernel with nothing to do on arrays and sizes that are undefined, under the memory sanitizer.
//!
//! A case in C runs with all of its memory, and with no more than it touches: pages end where it ends, and what it only reads is not
//! writable (`harness.c`). Memory that new code takes for copies ends at such a page, too, or cannot be had. Some of its loops have pragmas (`pragmas`), and a third of the programs goes through random passes before and
//! after Tessera's (`passes`).
//!
//! With the option `gpu=force` ([`Kind::Device`], and some blocks of [`Kind::Any`]) nests become kernels, which run in the emulator of the
//! run-time library. What it complains of (a race, an access out of bounds, an undefined value, a text that it cannot read) is a failure, as
//! other results are; a nest that does not become a kernel is none.
//!
//! Many cases are compiled and run as one program ([`Runner::check`]). One that fails is looked for and reduced by removing items and
//! calls as long as it still fails (`reduce`), and printed as one file without dependencies.

mod c;
pub mod csmith;
mod first;
mod generate;
mod options;
mod passes;
mod pragmas;
mod random;
mod reduce;
mod run;
mod rust;
mod tree;
mod walk;

pub use generate::generate;
pub use options::{block, blocks, option_sets};
pub use reduce::reduce;
pub use run::{Failed, OnDevice, Runner, WHOLE};
pub use tree::Case;

/// A back end of the generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackEnd {
    /// C17 for clang.
    C,
    /// Safe Rust.
    Rust,
}

impl BackEnd {
    /// The name of files.
    pub fn extension(self) -> &'static str {
        match self {
            BackEnd::C => "c",
            BackEnd::Rust => "rs",
        }
    }
}

/// What cases are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Everything.
    Any,
    /// Products of matrices, factorisations and sums over windows only, under options that cut them into register tiles and blocks of a few rows.
    Products,
    /// What a device can execute: elements of its types, no tables of pointers to rows, and seldom a value that is used behind a nest or
    /// an early exit.
    Device,
}

impl Kind {
    /// The kind that a word of the command line means.
    pub fn named(word: &str) -> Option<Kind> {
        match word {
            "products" => Some(Kind::Products),
            "gpu" => Some(Kind::Device),
            _ => None,
        }
    }
}

/// Cases as one file without dependencies.
pub fn program(cases: &[&Case], back_end: BackEnd) -> String {
    match back_end {
        BackEnd::C => c::program(cases, true),
        BackEnd::Rust => rust::program(cases, true),
    }
}
