//! Exact integer sets and relations, dependences, schedule trees and AST generation.

pub mod arith;
pub mod budget;
