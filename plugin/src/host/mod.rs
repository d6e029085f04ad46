//! The host compiler as safe Rust: handles to its IR, its analyses, an editor with a journal, one run as a session.
//!
//! This is the only module with `unsafe`. Three things make the safe interface sound:
//! * handles live on the run's own thread and die with it (see `handles.rs`);
//! * nothing is freed during a run: what an undo takes out is detached and freed when the session is dropped;
//! * the editor checks types and positions before it calls LLVM, which checks nothing in release builds.
//!
//! Reading goes through methods on handles (facts of the IR itself) and through [`Analyses`] (what needs an analysis); changing
//! goes through [`Editor`] only.

mod analyses;
mod block;
mod buffer;
mod build;
mod bulk;
mod checked;
mod edit;
mod exports;
mod ffi;
mod function;
mod handles;
mod heap;
mod journal;
mod loops;
mod machine;
mod message;
mod metadata;
mod opcode;
mod overflow;
mod panics;
mod properties;
mod scev;
mod session;
mod switch;
mod types;
mod value;

pub use analyses::Analyses;
pub use build::IntOp;
pub use bulk::{BulkSource, BulkWrite};
pub use edit::{Checkpoint, Edit, EditError, Editor, Position};
pub use exports::{PassPluginLibraryInfo, llvmGetPassPluginInfo};
pub use handles::{Block, Function, Loop, Metadata, Scev, SourceLocation, Type, Value};
pub use heap::Heap;
pub use machine::{LaneAccess, Operation};
pub use metadata::LoopHint;
pub use opcode::{IntPredicate, Opcode};
pub use overflow::CheckedArithmetic;
pub use panics::Panic;
pub use properties::LoopProperty;
pub use scev::{ScevKind, WrapFlags};
pub use session::{Host, Session, print_error};
pub use switch::Switch;
pub use types::TypeKind;
pub use value::{AccessKind, ArithmeticFlags, MemoryAccess, Use};
