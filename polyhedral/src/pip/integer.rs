//! Optima without a domain: where no row of a problem uses a domain column, the values are numbers, and integer
//! programming finds them one after the other. Lattice search ends on dense systems of ten variables on which cuts go
//! on for long.

use crate::arith::Int;
use crate::budget::Budget;
use crate::lp::{self, IntOptimum};
use crate::relation::{self, Row};

use super::Failure;
use super::problem::Problem;

/// Whether the variables do not depend on the domain.
pub(super) fn applies(problem: &Problem) -> bool {
    let vars = problem.vars();
    let plain = |row: &Row| relation::all_zero(&row[1..vars.start]) && relation::all_zero(&row[vars.end..]);
    problem.ineqs.iter().chain(&problem.values).all(plain)
}

/// The least values of a reduced problem to which this [`applies`]; nothing if the variables have no solution. Exact.
pub(super) fn least(problem: &Problem, budget: &Budget) -> Result<Option<Vec<Int>>, Failure> {
    let vars = problem.vars();
    let plain = |row: &Row| -> Row { std::iter::once(&row[0]).chain(&row[vars.clone()]).cloned().collect() };
    let ineqs: Vec<Row> = problem.ineqs.iter().map(plain).collect();
    let mut eqs: Vec<Row> = Vec::with_capacity(problem.values.len());
    let mut values = Vec::with_capacity(problem.values.len());
    for (k, value) in problem.values.iter().enumerate() {
        let mut row = plain(value);
        match lp::min_integer(problem.n_var, &eqs, &ineqs, &row, budget)? {
            IntOptimum::Empty => return Ok(None),
            IntOptimum::Unbounded => return Err(Failure::Unbounded(k)),
            IntOptimum::Bounded(least) => {
                row[0] -= &least;
                eqs.push(row);
                values.push(least);
            }
        }
    }
    Ok(Some(values))
}
