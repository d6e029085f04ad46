//! Parametric integer programming: the lexicographic minimum of some variables of a conjunction as a piecewise
//! quasi-affine function of the others.
//!
//! # The question
//!
//! A conjunction has *domain columns* (parameters and, for a relation, input dimensions), *variables* to be minimised
//! in lexicographic order, and further variables that only have to exist. Wanted are disjoint *pieces*: a condition on
//! the domain with explicit integer divisions, and for each optimised variable a quasi-affine function of the domain,
//! such that a domain point lies in a piece exactly if the variables have a solution there, and the functions give the
//! least one.
//!
//! # Method
//!
//! 1. [`problem`]: what needs no simplex. Equalities are solved by unimodular changes of variables; a variable that
//!    only has to exist is projected out where that is exact; an optimised variable with a single lower bound takes it.
//!    Most questions of practice end here, with one piece.
//! 2. [`solve`]: the method of Feautrier, a lexicographic dual simplex whose constants are affine in the domain
//!    ([`tableau`]). The sign of a constant is decided in a [`context`] of what is known about the domain; where it is
//!    not the same everywhere, the context is split in two. Fractional solutions are cut off by Gomory cuts, whose
//!    constants need new integer divisions of domain columns.
//! 3. [`integer`]: where the variables do not depend on the domain, the values are numbers. Once the cuts have cost
//!    much, integer programming gets as much again to find them, and so on with doubled amounts: the cheaper of the two
//!    methods decides.
//!
//! Variables may have any sign. Each is written as `x = t - M` (or `M - t`) with `t >= 0` and a symbolic `M` larger
//! than everything and divisible by everything. If the optimum keeps an `M`, there is none: the problem is unbounded.
//!
//! # Completeness
//!
//! The answer is exact over the integers. Contexts always contain an integer point, so every branch is the run of the
//! method for some domain point. As usual for Gomory cuts, a problem that is unbounded in the variables can need cuts
//! without end where it has rational but no integer solutions; from time to time the search therefore asks whether the
//! branch has a solution at all. What remains ends with the budget.
//!
//! Sources: P. Feautrier, *Parametric Integer Programming*, RAIRO Recherche opérationnelle 22(3), 1988; R. Gomory, *An
//! Algorithm for Integer Solutions to Linear Programs*, 1963; A. Schrijver, *Theory of Linear and Integer Programming*,
//! chapters 4 and 23.

mod context;
mod integer;
mod problem;
mod solve;
mod tableau;

use crate::budget::{Budget, Exhausted};
use crate::error::Error;
use crate::relation::{Div, Row};

pub(crate) use problem::Problem;

/// A part of the domain on which the optimum is one quasi-affine function. Rows are over `[1 | domain | divs]`.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// Integer divisions, each of earlier columns.
    pub(crate) divs: Vec<Div>,
    /// Equalities that hold on the part.
    pub(crate) eqs: Vec<Row>,
    /// Inequalities that hold on the part.
    pub(crate) ineqs: Vec<Row>,
    /// The optimum: one integer-valued expression per optimised variable.
    pub(crate) values: Vec<Row>,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The budget ran out.
    Exhausted(Exhausted),
    /// The optimised variable of this number has no least value.
    Unbounded(usize),
}

impl From<Exhausted> for Failure {
    fn from(e: Exhausted) -> Failure {
        Failure::Exhausted(e)
    }
}

impl Failure {
    /// The error of an operation; `name` describes an optimised variable by its number.
    pub(crate) fn into_error(self, operation: &'static str, name: impl Fn(usize) -> String) -> Error {
        match self {
            Failure::Exhausted(e) => Error::Exhausted(e),
            Failure::Unbounded(k) => Error::Unbounded { operation, what: name(k) },
        }
    }
}

/// The pieces of the lexicographic minimum, disjoint. No piece: the conjunction is empty.
pub(crate) fn lexmin(mut problem: Problem, budget: &Budget) -> Result<Vec<Piece>, Failure> {
    if !problem.reduce(budget)? {
        return Ok(Vec::new());
    }
    if problem.is_solved() {
        return Ok(vec![problem.into_piece()]);
    }
    solve::solve(&problem, budget)
}
