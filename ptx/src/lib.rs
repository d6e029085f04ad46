//! A device without a device: reads PTX, as LLVM's NVPTX back end writes it, and executes it.
//!
//! Code for graphics processors is hard to trust on machines without one. This crate executes the PTX itself, block by
//! block and thread by thread, with exact arithmetic: every result has the bits that a device gives. It also looks for
//! what a device does not report: races, accesses out of bounds, barriers that not all threads reach, and use of
//! memory that nothing was written to.
//!
//! * [`Module::parse`] reads a text. What it does not know is an [`Error`] with its line: nothing is skipped or
//!   guessed. Approximations (`div.approx`, `.ftz`, `ex2.approx`) are errors too, as their results are not determined.
//! * [`Device`] has memory, loads modules and launches kernels.
//! * [`Fault`] says what went wrong in which kernel, line, block and thread.
//!
//! # How it works
//!
//! `lexer` and `parser` make a tree (`syntax`) of a text, `decode` makes the internal form (`code`) of it, in which an
//! operand is the number of a slot and an instruction holds the function that it computes (`arithmetic`). A `launch`
//! prepares one frame of slots per function; `block` runs the threads of a block in turns and lets barriers and warps
//! go on; `interpret` executes one thread, `access` its accesses to memory; `races` remembers who accessed what.
//!
//! # What is not modelled
//!
//! Time, caches and the order of blocks: blocks run one after the other. Floating-point atomics of several threads give
//! the sum in this order, which is one of those that a device may give. Data that is handed over by flags and fences is
//! reported as a race.

#![forbid(unsafe_code)]

mod access;
mod arithmetic;
mod block;
mod code;
mod decode;
mod device;
mod error;
mod fault;
mod interpret;
mod launch;
mod lexer;
mod memory;
mod module;
mod parser;
mod races;
mod syntax;
mod thread;
mod types;
mod warp;

pub use device::{Device, Limits, ModuleId};
pub use error::{Error, Place};
pub use fault::{AccessKind, Fault, FaultKind, MemoryKind, Origin};
pub use launch::{Checks, Configuration, Stats};
pub use memory::MemoryError;
pub use module::Module;
