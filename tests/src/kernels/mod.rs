//! Thirty numerical kernels under `tests/corpus`, each written in several ways, built by several compilers and run on the
//! same data by one driver.
//!
//! | where | what |
//! | --- | --- |
//! | `corpus/problems.txt` | the arguments of every kernel: sizes, scalars, arrays and what they hold ([`problem`]) |
//! | `corpus/flat`, `c99`, `rust`, `cpp` | the kernels, one function in one file each ([`Form`]) |
//! | `corpus/driver` | the program around a kernel: data, time, hash of the results |
//!
//! A kernel is compiled alone; a small glue, written from `problems.txt`, lets the driver call it ([`glue`], [`build`]).
//! [`record`] reads what the plugin says about a kernel, [`measure`] runs and times.

pub mod build;
pub mod glue;
pub mod measure;
pub mod problem;
pub mod record;

pub use problem::{Problem, problems};

/// A way in which a kernel is written and given its sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// C, pointers and `a[i * n + j]`.
    Flat,
    /// C, arguments `double a[n][m]`.
    C99,
    /// The same file with sizes known to the compiler.
    Constant,
    /// Safe Rust, slices with bounds checks and `a[i * n + j]`.
    Rust,
    /// C++, `std::vector` by reference and `a[i * n + j]` with `int` counters.
    Cpp,
}

impl Form {
    /// All forms, in the order of the tables.
    pub const ALL: [Form; 5] = [Form::Flat, Form::C99, Form::Constant, Form::Rust, Form::Cpp];

    /// The name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Form::Flat => "flat",
            Form::C99 => "c99",
            Form::Constant => "constant",
            Form::Rust => "rust",
            Form::Cpp => "cpp",
        }
    }

    /// The form of that name.
    pub fn named(name: &str) -> Option<Form> {
        Form::ALL.into_iter().find(|form| form.name() == name)
    }

    /// The folder under `tests/corpus` and the extension of its files.
    pub fn place(self) -> (&'static str, &'static str) {
        match self {
            Form::Flat => ("flat", "c"),
            Form::C99 | Form::Constant => ("c99", "c"),
            Form::Rust => ("rust", "rs"),
            Form::Cpp => ("cpp", "cpp"),
        }
    }
}
