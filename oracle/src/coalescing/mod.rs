//! Pairs of conjunctions per rule of coalescing, and how many disjuncts both libraries make of them.
//!
//! A rule describes how two conjunctions can lie so that one conjunction has the points of both. [`draw`] draws pairs
//! that lie so, [`compare`] coalesces them with both libraries.

mod compare;
mod drawer;
mod points;
mod rules;

pub use compare::{Outcome, compare};
pub use rules::{RULES, draw};
