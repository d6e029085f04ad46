//! The ways in which every kernel is written.
//!
//! Invariant: a size that a kernel is not given ([`Form::sizes`]) is an extent of one of its arrays, and the type of that
//! array carries it: a view, a constant of the type, or the number of rows of a slice.

use super::problem::Problem;

/// A way in which a kernel is written and given its sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// C, pointers and `a[i * n + j]`.
    Flat,
    /// C, arguments `double a[n][m]`.
    C99,
    /// The same file with sizes known to the compiler.
    Constant,
    /// C++, `std::vector` by reference and `a[i * n + j]` with `int` counters.
    Cpp,
    /// C++, vectors of vectors by reference and `a[i][j]` with `int` counters.
    VecVec,
    /// C++, `std::span` and a class like `std::mdspan`: `a(i, j)` or `a[i][j]`, `a.extent(0)`, `std::size_t` counters.
    Mdspan,
    /// Safe Rust, slices with bounds checks and `a[i * n + j]`.
    Rust,
    /// Safe Rust, rows in vectors of their own: `&[Vec<f64>]` and `a[i][j]`.
    RustVecVec,
    /// Safe Rust, arrays `&[[f64; M]; N]` with constants of the compiler.
    RustFixed,
    /// Safe Rust, iterators over slices: `chunks_exact`, `zip`, `windows`, `enumerate`, `step_by`.
    RustIter,
    /// Rust, slices and `get_unchecked(i * n + j)`.
    RustUnchecked,
}

/// The language of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C.
    C,
    /// C++.
    Cpp,
    /// Rust.
    Rust,
}

impl Form {
    /// All forms, in the order of the tables.
    pub const ALL: [Form; 11] = [
        Form::Flat,
        Form::C99,
        Form::Constant,
        Form::Cpp,
        Form::VecVec,
        Form::Mdspan,
        Form::Rust,
        Form::RustVecVec,
        Form::RustFixed,
        Form::RustIter,
        Form::RustUnchecked,
    ];

    /// The name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Form::Flat => "flat",
            Form::C99 => "c99",
            Form::Constant => "constant",
            Form::Cpp => "cpp",
            Form::VecVec => "vecvec",
            Form::Mdspan => "mdspan",
            Form::Rust => "rust",
            Form::RustVecVec => "rust-vecvec",
            Form::RustFixed => "rust-fixed",
            Form::RustIter => "rust-iter",
            Form::RustUnchecked => "rust-unchecked",
        }
    }

    /// The form of that name.
    pub fn named(name: &str) -> Option<Form> {
        Form::ALL.into_iter().find(|form| form.name() == name)
    }

    /// The language it is written in.
    pub fn language(self) -> Language {
        match self {
            Form::Flat | Form::C99 | Form::Constant => Language::C,
            Form::Cpp | Form::VecVec | Form::Mdspan => Language::Cpp,
            Form::Rust | Form::RustVecVec | Form::RustFixed | Form::RustIter | Form::RustUnchecked => Language::Rust,
        }
    }

    /// The folder under `tests/corpus`.
    pub fn folder(self) -> &'static str {
        match self {
            Form::Constant => Form::C99.name(),
            form => form.name(),
        }
    }

    /// Whether a kernel is compiled for sizes that the compiler knows.
    pub fn is_constant(self) -> bool {
        matches!(self, Form::Constant | Form::RustFixed)
    }

    /// The sizes that a kernel of this form takes at run time, by their numbers.
    pub fn sizes(self, problem: &Problem) -> Vec<usize> {
        let is_extent = |size: usize| problem.arrays.iter().any(|array| array.extents.contains(&size));
        let is_inner = |size: usize| problem.arrays.iter().any(|array| array.extents[1..].contains(&size));
        let wanted = |&size: &usize| match self {
            Form::Constant => false,
            Form::Mdspan | Form::RustFixed => !is_extent(size),
            // A slice says how many rows it has once it is known how long they are.
            Form::RustIter => !is_extent(size) || is_inner(size),
            _ => true,
        };
        (0..problem.sizes.len()).filter(wanted).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::problems;

    #[test]
    fn sizes_that_types_carry_are_not_passed() {
        let problems = problems().expect("problems.txt is readable");
        let sizes = |name: &str, form: Form| {
            let problem = problems.iter().find(|problem| problem.name == name).expect("a kernel");
            form.sizes(problem).into_iter().map(|at| problem.sizes[at].0.as_str()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(sizes("gemm", Form::Rust), "ni nj nk");
        assert_eq!(sizes("gemm", Form::RustIter), "nj nk");
        assert_eq!(sizes("gemm", Form::Mdspan), "");
        assert_eq!(sizes("jacobi_1d", Form::RustIter), "steps");
        assert_eq!(sizes("jacobi_1d", Form::RustFixed), "steps");
        assert_eq!(sizes("jacobi_1d", Form::Constant), "");
    }

    #[test]
    fn names_are_distinct() {
        for form in Form::ALL {
            assert_eq!(Form::named(form.name()), Some(form));
        }
    }
}
