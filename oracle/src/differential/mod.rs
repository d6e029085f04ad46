//! Random operands, both libraries, one verdict.
//!
//! | module | holds |
//! | --- | --- |
//! | [`random`] | a generator of pseudo-random numbers |
//! | [`operand`] | a random operand as a structure that can be printed and reduced |
//! | [`generate`] | how operands are drawn |
//! | [`verdict`] | one operation on one list of operands, judged by isl |
//! | `definition` | what the definition of an operation says about an answer |
//! | [`run`] | many cases, counts, reduction of disagreements |

mod definition;
pub mod generate;
mod isolate;
pub mod operand;
pub mod random;
pub mod run;
pub mod verdict;
