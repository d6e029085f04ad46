//! Thirty numerical kernels under `tests/corpus`, each written in several ways, built by several compilers and run on the
//! same data by one driver.
//!
//! | where | what |
//! | --- | --- |
//! | `corpus/problems.txt` | the arguments of every kernel: sizes, scalars, arrays and what they hold ([`problem`]) |
//! | `corpus/flat` and a folder for every other form | the kernels, one function in one file each ([`form`]) |
//! | `corpus/driver` | the program around a kernel: data, time, hash of the results |
//!
//! A kernel is compiled alone; a small glue, written from `problems.txt`, lets the driver call it ([`glue`], [`root`],
//! [`build`]). [`record`] reads what the plugin says about a kernel, [`measure`] runs and times.

pub mod build;
pub mod form;
pub mod glue;
pub mod measure;
pub mod problem;
pub mod record;
pub mod root;

pub use form::{Form, Language};
pub use problem::{Problem, problems};
