//! Exact integer sets and relations, dependences, schedule trees and AST generation.

pub mod arith;
pub mod budget;
pub mod lp;
pub mod affine;
pub mod error;
pub mod relation;
pub mod space;

pub use error::{Error, ParseError, Result};
