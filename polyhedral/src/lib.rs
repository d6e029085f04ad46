//! Exact integer sets and relations, dependences, schedule trees and AST generation.

pub mod arith;
pub mod budget;
pub mod lp;
pub mod affine;
pub mod ast;
pub mod error;
pub mod flow;
pub mod relation;
pub mod schedule;
pub mod space;
pub mod text;

pub use error::{Error, ParseError, Result};
