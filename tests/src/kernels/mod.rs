//! Thirty numerical kernels under `tests/corpus`, each written in several ways, built by several compilers and run on the
//! same data by one driver.
//!
//! | where | what |
//! | --- | --- |
//! | `corpus/problems.txt` | the arguments of every kernel: sizes, scalars, arrays and what they hold ([`problem`]) |
//! | `corpus/by_hand.txt` | what code written by hand reached for some of them ([`by_hand`]) |
//! | `corpus/flat` and a folder for every other form | the kernels, one function in one file each ([`form`]) |
//! | `corpus/driver` | the program around a kernel: data, time, hash of the results; others in which builds take turns |
//! | `corpus/user` | small kernels as users write them, in C only, with arguments of their own |
//! | `corpus/products` | products of square matrices for `scripts/bench products`, in three forms |
//!
//! A kernel is compiled alone; a small glue, written from `problems.txt`, lets the driver call it ([`glue`], [`root`],
//! [`build`]). [`record`] reads what the plugin says about a kernel, [`measure`] runs and times, also at [`classes`] of sizes.

pub mod build;
pub mod by_hand;
pub mod classes;
pub mod form;
pub mod glue;
pub mod measure;
pub mod problem;
pub mod record;
pub mod root;

pub use classes::Class;
pub use form::{Form, Language};
pub use problem::{Collection, Problem, problems, problems_of};
