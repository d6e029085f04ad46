//! Exact integer sets and relations, dependences, schedule trees and AST generation.
//!
//! The polyhedral library of Tessera: no compiler in it, usable on its own. Sets of integer points are described by affine
//! constraints with parameters, integer divisions and existentials; all operations are exact over the integers unless their
//! name says otherwise, and everything that can be expensive takes a [`Budget`](budget::Budget) and fails with an
//! error when it is used up.
//!
//! | module | holds |
//! | --- | --- |
//! | [`budget`] | the operation budget |
//! | [`arith`] | integers of any size, rationals, integer matrices |
//! | [`lp`] | simplex, integer emptiness, sampling, minimum |
//! | [`space`] | parameters, named tuples |
//! | [`relation`] | conjunctions, sets, maps and unions of them |
//! | [`count`] | numbers of points, enumeration |
//! | [`affine`] | quasi-affine functions |
//! | [`text`] | isl's notation |
//! | [`flow`] | memory-based dependences |
//! | [`schedule`] | schedule trees |
//! | [`ast`] | schedule tree to loops |
//!
//! # Example: is it legal to interchange two loops?
//!
//! `for i < n: for j < n: A[i][j] = A[i - 1][j + 1]` reads what an earlier `i` wrote at a later `j`.
//!
//! ```
//! use tessera_polyhedral::budget::Budget;
//! use tessera_polyhedral::relation::Map;
//!
//! let budget = Budget::new(1_000_000);
//! let parse = |text: &str| Map::parse(text, &budget);
//! let write = parse("[n] -> { S[i, j] -> A[i, j] : 0 <= i < n and 0 <= j < n }")?;
//! let read = parse("[n] -> { S[i, j] -> A[i - 1, j + 1] : 0 <= i < n and 0 <= j < n }")?;
//! let later = parse("{ S[i, j] -> S[k, l] : i < k or (i = k and j < l) }")?;
//! let flow = write.apply_range(&read.reverse(), &budget)?.intersect(&later, &budget)?;
//! assert_eq!(flow.to_string(), "[n] -> { S[i, j] -> S[i' = i + 1, j' = j - 1] : 0 <= i <= n - 2 and 1 <= j < n }");
//! // Interchanged, the sink of such a pair would run first.
//! let interchanged = parse("{ S[i, j] -> S[k, l] : j < l or (j = l and i < k) }")?;
//! assert!(!flow.is_subset(&interchanged.align_params(flow.space()), &budget)?);
//! # Ok::<(), tessera_polyhedral::Error>(())
//! ```

pub mod affine;
pub mod arith;
pub mod ast;
pub mod budget;
pub mod calc;
pub mod count;
pub mod error;
pub mod flow;
pub mod lp;
mod pip;
pub mod relation;
pub mod schedule;
pub mod space;
pub mod text;

pub use error::{Error, ParseError, Result};
