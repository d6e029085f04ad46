//! Exact integer sets and relations, dependences, schedule trees and AST generation.
//!
//! The polyhedral library of Tessera: no compiler in it, usable on its own. Sets of integer points are described by affine
//! constraints with parameters, integer divisions and existentials; all operations are exact over the integers unless their
//! name says otherwise, and everything that can be expensive takes a [`Budget`](budget::Budget) and fails with an
//! error when it is used up.
//!
//! Each module uses only those above it in this table.
//!
//! | module | holds |
//! | --- | --- |
//! | [`budget`] | the operation budget |
//! | [`trace`] | phases as spans of the crate `tracing` |
//! | [`arith`] | integers of any size, rationals, integer matrices |
//! | [`space`] | parameters, named tuples |
//! | [`error`] | why there is no result |
//! | [`lp`] | simplex, integer emptiness, sampling, minimum |
//! | [`relation`] | conjunctions, sets, maps and unions of them; their points |
//! | [`affine`] | quasi-affine functions, minima of sets and maps |
//! | [`count`] | numbers of points, sums over them |
//! | [`text`] | isl's notation, and YAML |
//! | [`schedule`] | schedule trees |
//! | [`flow`] | dependence analysis |
//! | [`scheduler`] | schedule constraints to schedule trees |
//! | [`ast`] | schedule tree to loops |
//! | [`scop`] | static control parts as data and text |
//! | [`target`] | machines as data and text |
//! | [`cost`] | estimated time of an order on a target |
//! | [`transform`] | passes over SCoPs, and the check behind them |
//! | [`strategy`] | which passes, where |
//! | [`calc`] | a calculator in the syntax of iscc |
//!
//! # Guide: a dependence computation by hand
//!
//! The program below writes an array and reads it back in another order. Which write does each read see, which loops may run in
//! parallel, and may the loops be interchanged?
//!
//! ```text
//! for i in 0..n:
//!   for j in 0..n:
//! S:  A[i + j] = f(i, j)
//! for i in 0..2n - 1:
//! T:  B[i] = A[i]
//! ```
//!
//! **Instances and accesses.** A statement instance is a point of a named tuple. What is written and read is a relation between
//! instances and array elements. Sets and relations over several tuples are unions; everything is written in isl's notation.
//!
//! ```
//! # use tessera_polyhedral::budget::Budget;
//! # use tessera_polyhedral::relation::{UnionMap, UnionSet};
//! # let budget = Budget::new(50_000_000);
//! let domain = UnionSet::parse("[n] -> { S[i, j] : 0 <= i, j < n; T[i] : 0 <= i < 2n - 1 }", &budget)?;
//! let write = UnionMap::parse("{ S[i, j] -> A[i + j] }", &budget)?.intersect_domain(&domain, &budget)?;
//! let read = UnionMap::parse("{ T[i] -> A[i] }", &budget)?.intersect_domain(&domain, &budget)?;
//! # assert_eq!(domain.n_members(), 2);
//! # Ok::<(), tessera_polyhedral::Error>(())
//! ```
//!
//! The [`Budget`](budget::Budget) bounds the work: where it is used up, an operation returns an error instead of running on.
//!
//! **Order.** A schedule takes every instance to its point in time; earlier means lexicographically less. The pairs of instances of
//! which the first runs before the second:
//!
//! ```
//! # use tessera_polyhedral::budget::Budget;
//! # use tessera_polyhedral::relation::{Lexicographic, UnionMap, UnionSet};
//! # let budget = Budget::new(50_000_000);
//! # let domain = UnionSet::parse("[n] -> { S[i, j] : 0 <= i, j < n; T[i] : 0 <= i < 2n - 1 }", &budget)?;
//! let schedule = UnionMap::parse("{ S[i, j] -> [0, i, j]; T[i] -> [1, i, 0] }", &budget)?;
//! let schedule = schedule.intersect_domain(&domain, &budget)?;
//! let before = schedule.lex_order_of_images(Lexicographic::Lt, &schedule, &budget)?;
//! # assert_eq!(before.n_members(), 3);
//! # Ok::<(), tessera_polyhedral::Error>(())
//! ```
//!
//! **Memory-based dependences.** A write and a read touch the same element if the read is reached by going from the write to the
//! element and back from the element to the read: `write . read^-1`. What also runs in that order is a dependence. Here every `T[k]`
//! depends on all `S[i, j]` with `i + j = k`.
//!
//! ```
//! # use tessera_polyhedral::budget::Budget;
//! # use tessera_polyhedral::relation::Map;
//! # let budget = Budget::new(50_000_000);
//! let write = Map::parse("[n] -> { S[i, j] -> A[i + j] : 0 <= i, j < n }", &budget)?;
//! let read = Map::parse("[n] -> { T[i] -> A[i] : 0 <= i < 2n - 1 }", &budget)?;
//! // All of S runs before all of T, so every pair that meets is a dependence.
//! let memory = write.apply_range(&read.reverse(), &budget)?;
//! let expected = Map::parse("[n] -> { S[i, j] -> T[i + j] : 0 <= i, j < n }", &budget)?;
//! assert!(memory.is_equal(&expected, &budget)?);
//! # Ok::<(), tessera_polyhedral::Error>(())
//! ```
//!
//! **Dataflow.** Of all writes before a read, the last one is seen. That is a lexicographic maximum: of the pairs (read, point in time
//! of a write), the greatest image.
//!
//! ```
//! # use tessera_polyhedral::budget::Budget;
//! # use tessera_polyhedral::relation::Map;
//! # let budget = Budget::new(50_000_000);
//! let memory = Map::parse("[n] -> { S[i, j] -> T[i + j] : 0 <= i, j < n }", &budget)?;
//! // The schedule of S is (i, j) itself, so its tuple serves as time.
//! let last = memory.reverse().lexmax(&budget)?;
//! let expected = "[n] -> { T[k] -> S[k, 0] : 0 <= k < n; T[k] -> S[n - 1, k - n + 1] : n <= k < 2n - 1 }";
//! assert!(last.is_equal(&Map::parse(expected, &budget)?, &budget)?);
//! // Every read sees a write: nothing is left of the reads that have none.
//! let reads = Map::parse("[n] -> { T[i] -> A[i] : 0 <= i < 2n - 1 }", &budget)?.domain(&budget)?;
//! assert!(reads.subtract(&last.domain(&budget)?, &budget)?.is_empty(&budget)?);
//! # Ok::<(), tessera_polyhedral::Error>(())
//! ```
//!
//! **What the dependences allow.** Writes to one element depend on each other: `S[i, j]` comes before `S[i + k, j - k]`. The differences
//! of the pairs say which loop carries them.
//!
//! ```
//! # use tessera_polyhedral::budget::Budget;
//! # use tessera_polyhedral::relation::{Map, Set};
//! # let budget = Budget::new(50_000_000);
//! let write = Map::parse("[n] -> { S[i, j] -> A[i + j] : 0 <= i, j < n }", &budget)?;
//! let later = Map::parse("{ S[i, j] -> S[k, l] : [i, j] << [k, l] }", &budget)?;
//! let output = write.apply_range(&write.reverse(), &budget)?.intersect(&later, &budget)?;
//! let distances = output.deltas(&budget)?;
//! // The outer loop carries all of them; so for one i, all j may run in parallel.
//! let inner = Set::parse("{ S[0, j] }", &budget)?;
//! assert!(distances.is_disjoint(&inner, &budget)?);
//! // Interchanged, the loop over j would be the outer one, and run the target of a dependence first.
//! let interchanged = Map::parse("{ S[i, j] -> S[k, l] : [j, i] << [l, k] }", &budget)?;
//! assert!(!output.is_subset(&interchanged, &budget)?);
//! // The loop over j may be reversed and then be the outer one.
//! let reversed = Map::parse("{ S[i, j] -> S[k, l] : [-j, i] << [-l, k] }", &budget)?;
//! assert!(output.is_subset(&reversed, &budget)?);
//! # Ok::<(), tessera_polyhedral::Error>(())
//! ```
//!
//! The module [`flow`] does the first part for whole programs, [`schedule`] represents orders as trees, [`calc`] does all of this from
//! the command line:
//!
//! ```text
//! W := [n] -> { S[i, j] -> A[i + j] : 0 <= i, j < n };
//! R := [n] -> { T[i] -> A[i] : 0 <= i < 2n - 1 };
//! lexmax ((W . R^-1)^-1);
//! ```

pub mod affine;
pub mod arith;
pub mod ast;
pub mod budget;
pub mod calc;
pub mod cost;
pub mod count;
pub mod device;
pub mod error;
pub mod flow;
pub mod lp;
mod pip;
pub mod relation;
pub mod schedule;
pub mod scheduler;
pub mod scop;
pub mod space;
pub mod strategy;
pub mod target;
pub mod text;
pub mod trace;
pub mod transform;

pub use error::{Error, ParseError, Result};
