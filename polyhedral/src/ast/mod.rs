//! AST generation: from a schedule tree to loops, conditions and statement instances.
//!
//! [`AstBuild::build`] turns a [`ScheduleTree`](crate::schedule::ScheduleTree) into an [`AstUnit`] that executes every instance of
//! the domain exactly once, in an order that agrees with the tree. The AST is pure syntax ([`Ast`], [`Expr`], [`Cond`]) over the
//! mathematical integers. [`interpret`] executes it, as an independent check and as the definition of its meaning; the
//! `Display` of an [`AstUnit`] prints it in the style of C.
//!
//! # Example
//!
//! The domain `[n] -> { S[i, j] : 0 <= j <= i < n }` scheduled by the band `[j, i]` becomes
//!
//! ```text
//! for (int c0 = 0; c0 <= n - 1; c0 += 1)
//!   for (int c1 = c0; c1 <= n - 1; c1 += 1)
//!     S(c1, c0);
//! ```

mod attach;
mod bounds;
mod build;
mod components;
mod cond;
mod couple;
mod error;
mod expr;
mod full_tiles;
mod group;
mod guard;
mod iftree;
mod in_vain;
mod interpret;
mod isolate;
mod known_at;
mod lattice;
mod loops;
mod nested;
mod node;
mod options;
mod parting;
mod piece;
mod plan;
mod position;
mod print;
mod project;
mod relation;
mod remainder;
mod rivals;
mod same_quotient;
mod scope;
mod separate;
mod sets;
mod shift;
mod specialise;
mod stride;
mod system;
mod tidy;
mod translate;
mod unroll;
mod width;

pub use build::AstBuild;
pub use cond::Cond;
pub use error::AstError;
pub use expr::{Expr, IterId, Values};
pub use interpret::{Event, InterpretError, interpret};
pub use node::{Ast, AstUnit, For, MemberId};
pub use options::{AstOptions, SeparationBounds};
pub use position::{Access, AstHooks, Position};
pub use print::CStyle;
pub(crate) use print::{call_of, macros_of};
pub use width::{Range, Widths};
