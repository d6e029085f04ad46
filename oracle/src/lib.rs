//! Judging the polyhedral library by isl: differential tests and benchmarks. For development only; nothing that is
//! shipped depends on this crate.
//!
//! | module | holds |
//! | --- | --- |
//! | [`isl`] | two builds of isl in one process: loading, objects |
//! | [`value`] | the objects of our library as one type |
//! | [`operation`] | the table: for every operation how isl calls it and how we do |
//! | [`corpus`] | some thirty kernels, and the operands that arise when they are analysed and transformed |
//! | [`differential`] | random operands, both libraries, one verdict: `scripts/fuzz-polyhedral` |
//! | [`programs`] | random programs through both dependence analyses: `scripts/fuzz-flow` |
//! | [`scheduling`] | schedules of both sides: `scripts/bench scheduling` |
//! | [`coalescing`] | pairs per rule of coalescing, and the disjuncts that both sides make of them |
//! | [`wide`] | random wide systems for lexicographic optima: `scripts/bench lexopt` |
//! | [`bench`] | operation by operation against both builds of isl: `scripts/bench polyhedral` |
//! | [`memory`] | what that keeps and needs in bytes, likewise |
//! | [`generation`] | AST generation: `scripts/bench ast` |
//! | [`compiled`] | size and instruction counts of generated code, likewise |
//! | [`execution`] | generated code executed and its iterations counted: `scripts/fuzz-ast` |

pub mod bench;
pub mod coalescing;
pub mod compiled;
pub mod corpus;
pub mod cost;
pub mod differential;
pub mod execution;
pub mod generation;
pub mod isl;
pub mod memory;
pub mod operation;
pub mod programs;
pub mod scheduling;
pub mod value;
pub mod wide;

use std::fmt::Display;
use std::process::ExitCode;

/// How a program ends: with success if all was well, and with a failure if it was not, or after an error, which is
/// printed.
pub fn finish(outcome: Result<bool, impl Display>) -> ExitCode {
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
