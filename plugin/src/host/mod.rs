//! The host compiler as safe Rust: handles to its IR, its analyses, an editor with a journal, one run as a session.
//!
//! This is the only module with `unsafe` beside `exports`, the functions that the shim calls. Three things make the safe interface sound:
//! * handles are gone when a run ends (see `handles.rs`);
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
mod device;
mod edit;
mod ffi;
mod function;
mod handles;
mod heap;
mod intrinsic;
mod journal;
mod loops;
mod machine;
mod message;
mod metadata;
mod opcode;
mod overflow;
mod panics;
mod properties;
mod remark;
mod row_list;
mod runtime;
mod scev;
mod session;
mod switch;
mod types;
mod value;
mod vectors;

pub(crate) use analyses::Analyses;
pub(crate) use build::IntOp;
pub(crate) use bulk::BulkSource;
pub(crate) use device::KernelIndex;
pub(crate) use edit::{Edit, EditError, Editor};
pub(crate) use ffi::{ContextRef, tessera_register};
pub(crate) use handles::{Block, Loop, Metadata, Scev, SourceLocation, Type, Value};
pub(crate) use heap::Heap;
pub(crate) use machine::{LaneAccess, Operation};
pub(crate) use metadata::LoopHint;
pub(crate) use opcode::{IntPredicate, Opcode};
pub(crate) use overflow::CheckedArithmetic;
pub(crate) use panics::{catch, install_hook};
pub(crate) use properties::LoopProperty;
pub(crate) use remark::{Remark, RemarkLocation};
pub(crate) use row_list::RowFunction;
pub(crate) use runtime::{NestConstant, RuntimeFunction};
pub(crate) use scev::ScevKind;
pub(crate) use session::emit_error;
pub(crate) use session::{Host, Session, print_error};
pub(crate) use switch::Switch;
pub(crate) use types::TypeKind;
pub(crate) use value::Use;
