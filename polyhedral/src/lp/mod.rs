//! Linear constraints over rational and integer variables: emptiness, sample points, optima.
//!
//! A system has `n` variables; a constraint is a row `[c0, c1, ..., cn]`, the constant first, that stands for `c0 +
//! c1*x1 + ... + cn*xn = 0` or `>= 0`. Every answer is exact. Over the integers every question is decided for bounded
//! and for unbounded systems alike, with one exception to termination: the budget, which turns too much work into
//! [`Exhausted`].
//!
//! [`Tableau`] is the rational simplex method, incremental and with snapshots. The functions of this module decide
//! integer questions: a system is first reduced exactly (file `system.rs`), then searched (file `search.rs`).

mod basis;
mod lift;
mod quick;
pub(crate) mod rows;
mod search;
mod system;
mod tableau;

pub(crate) use search::always_zero;
pub use tableau::{Snapshot, Tableau};

use crate::arith::{Int, Rational, Row};
use crate::budget::{Budget, Exhausted};
use quick::Found;
use search::find_point;
use system::{System, Verdict};

/// The least value of a linear form over the rational points of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Optimum {
    /// The system has no rational point.
    Empty,
    /// The form takes arbitrarily small values.
    Unbounded,
    /// The least value; it is attained.
    Bounded(Rational),
}

/// The least or greatest value of a linear form over the integer points of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IntOptimum {
    /// The system has no integer point.
    Empty,
    /// The form takes arbitrarily small (or, for a maximum, great) values.
    Unbounded,
    /// The optimum; it is attained.
    Bounded(Int),
}

/// Whether a system has no integer point. Exact, for bounded and unbounded systems.
///
/// ```
/// use tessera_polyhedral::arith::{Int, Row};
/// use tessera_polyhedral::budget::Budget;
/// use tessera_polyhedral::lp::is_empty_integer;
/// // 2x = 2y + 1 has rational solutions but no integer ones.
/// let eq = Row::from([-1, 2, -2].map(Int::from));
/// assert_eq!(is_empty_integer(2, &[eq], &[], &Budget::unlimited()), Ok(true));
/// ```
pub fn is_empty_integer(n_var: usize, eqs: &[Row], ineqs: &[Row], budget: &Budget) -> Result<bool, Exhausted> {
    is_empty_integer_of(n_var, eqs, ineqs.iter(), budget)
}

/// As [`is_empty_integer`], for inequalities that are not in one vector.
pub(crate) fn is_empty_integer_of<'a>(
    n_var: usize,
    eqs: &'a [Row],
    ineqs: impl Iterator<Item = &'a Row> + Clone,
    budget: &Budget,
) -> Result<bool, Exhausted> {
    match quick::is_empty(n_var, eqs, ineqs.clone(), budget)? {
        Found::Empty(empty) => Ok(empty),
        Found::Left(system) => Ok(find_point(system, budget)?.is_none()),
        Found::Nothing => {
            Ok(find_point(System::from_rows(n_var, eqs.to_vec(), ineqs.cloned().collect()), budget)?.is_none())
        }
    }
}

/// An integer point of a system, one value per variable, or none if there is none. Exact, for bounded and unbounded
/// systems. Which point is found is deterministic and otherwise unspecified.
pub fn sample_integer(
    n_var: usize,
    eqs: &[Row],
    ineqs: &[Row],
    budget: &Budget,
) -> Result<Option<Vec<Int>>, Exhausted> {
    let found = find_point(System::new(n_var, eqs, ineqs, true), budget)?;
    Ok(found.map(|mut point| {
        point.remove(0);
        point
    }))
}

/// The least value of the form `objective` over the integer points of a system. Exact, for bounded and unbounded
/// systems.
///
/// The system is reduced first, together with the objective. Over a rational polyhedron with an integer point the
/// integer minimum is finite if and only if the rational one is. So the search starts between the rational minimum and
/// the value at some integer point, and shrinks the interval with one integer emptiness test per step.
pub fn min_integer(
    n_var: usize,
    eqs: &[Row],
    ineqs: &[Row],
    objective: &[Int],
    budget: &Budget,
) -> Result<IntOptimum, Exhausted> {
    let mut system = System::new(n_var, eqs, ineqs, false);
    system.objective = Some(Row::from(objective));
    if system.reduce(budget)? == Verdict::Empty {
        return Ok(IntOptimum::Empty);
    }
    let (n_var, ineqs) = (system.n, system.ineqs);
    let eqs: &[Row] = &[];
    let objective: &[Int] = &system.objective.unwrap_or_default();
    if objective[1..].iter().all(Int::is_zero) {
        let empty = n_var > 0 && is_empty_integer(n_var, eqs, &ineqs, budget)?;
        return Ok(if empty { IntOptimum::Empty } else { IntOptimum::Bounded(objective[0].clone()) });
    }
    let mut tableau = Tableau::from_system(n_var, eqs, &ineqs, budget)?;
    let rational = tableau.minimize(objective, budget)?;
    let evaluate = |point: &[Int]| &objective[0] + crate::arith::dot(&objective[1..], point);
    let mut low = match rational {
        Optimum::Empty => return Ok(IntOptimum::Empty),
        Optimum::Unbounded => {
            let empty = is_empty_integer(n_var, eqs, &ineqs, budget)?;
            return Ok(if empty { IntOptimum::Empty } else { IntOptimum::Unbounded });
        }
        Optimum::Bounded(value) => {
            // The sample point is where the minimum is attained.
            let vertex = tableau.sample().unwrap_or_default();
            if vertex.iter().all(Rational::is_integer) {
                return Ok(IntOptimum::Bounded(value.ceil()));
            }
            value.ceil()
        }
    };
    let Some(mut best) = sample_integer(n_var, eqs, &ineqs, budget)?.map(|point| evaluate(&point)) else {
        return Ok(IntOptimum::Empty);
    };
    // The minimum is in low..=best, and usually near the rational bound: intervals of doubling length are tried from
    // there, never more than half of what is left.
    let mut length = Int::one();
    let mut bounded = ineqs.to_vec();
    while low < best {
        let limit = (&low + &length - 1).min((&low + &best - 1).div_floor(&2.into()));
        let mut at_least = Row::from(objective);
        at_least[0] -= &low;
        let mut at_most: Row = objective.iter().map(|x| -x).collect();
        at_most[0] += &limit;
        bounded.truncate(ineqs.len());
        bounded.extend([at_least, at_most]);
        match sample_integer(n_var, eqs, &bounded, budget)? {
            Some(point) => best = evaluate(&point),
            None => low = limit + 1,
        }
        length += length.clone();
    }
    Ok(IntOptimum::Bounded(best))
}

/// The greatest value of the form `objective` over the integer points of a system; as [`min_integer`].
pub fn max_integer(
    n_var: usize,
    eqs: &[Row],
    ineqs: &[Row],
    objective: &[Int],
    budget: &Budget,
) -> Result<IntOptimum, Exhausted> {
    let negated: Row = objective.iter().map(|x| -x).collect();
    Ok(match min_integer(n_var, eqs, ineqs, &negated, budget)? {
        IntOptimum::Bounded(value) => IntOptimum::Bounded(-value),
        other => other,
    })
}

/// Whether a system has no rational point. Exact over the rationals.
pub fn is_empty_rational(n_var: usize, eqs: &[Row], ineqs: &[Row], budget: &Budget) -> Result<bool, Exhausted> {
    Ok(Tableau::from_system(n_var, eqs, ineqs, budget)?.is_empty_rational())
}

/// Whether `row` is non-negative at every rational point of a system, and so also at every integer point. Exact over
/// the rationals.
pub fn is_implied_rational(
    n_var: usize,
    eqs: &[Row],
    ineqs: &[Row],
    row: &[Int],
    budget: &Budget,
) -> Result<bool, Exhausted> {
    Tableau::from_system(n_var, eqs, ineqs, budget)?.is_implied(row, budget)
}

/// Whether `row` is non-negative at every integer point of a system. Exact over the integers.
pub fn is_implied_integer(
    n_var: usize,
    eqs: &[Row],
    ineqs: &[Row],
    row: &[Int],
    budget: &Budget,
) -> Result<bool, Exhausted> {
    // Not implied if a point has row <= -1.
    let mut opposite: Row = row.iter().map(|x| -x).collect();
    opposite[0] -= 1;
    let mut extended = ineqs.to_vec();
    extended.push(opposite);
    is_empty_integer(n_var, eqs, &extended, budget)
}

/// Which inequalities follow over the rationals from the equalities and the inequalities that are not marked: all
/// marked ones can be left out together. They are tried from the last to the first, so of equivalent ones the first
/// stays. If the system is empty over the rationals, nothing is marked.
pub fn redundant_ineqs(n_var: usize, eqs: &[Row], ineqs: &[Row], budget: &Budget) -> Result<Vec<bool>, Exhausted> {
    let (mut tableau, unknowns) = tableau_with_unknowns(n_var, eqs, ineqs, budget)?;
    let mut redundant = vec![false; ineqs.len()];
    if !tableau.is_empty_rational() {
        for (i, &unknown) in unknowns.iter().enumerate().rev() {
            redundant[i] = tableau.drop_if_redundant(unknown, budget)?;
        }
    }
    Ok(redundant)
}

/// Which inequalities are 0 at every rational point of a system, or none if the system is empty over the rationals.
pub fn implicit_equalities(
    n_var: usize,
    eqs: &[Row],
    ineqs: &[Row],
    budget: &Budget,
) -> Result<Option<Vec<bool>>, Exhausted> {
    let (mut tableau, unknowns) = tableau_with_unknowns(n_var, eqs, ineqs, budget)?;
    if tableau.is_empty_rational() {
        return Ok(None);
    }
    search::always_zero(&mut tableau, &unknowns, budget).map(Some)
}

/// The tableau of a system and the unknowns of the inequalities that were added before it was found to be empty.
pub(crate) fn tableau_with_unknowns(
    n_var: usize,
    eqs: &[Row],
    ineqs: &[Row],
    budget: &Budget,
) -> Result<(Tableau, Vec<usize>), Exhausted> {
    let mut tableau = Tableau::from_system(n_var, eqs, &[], budget)?;
    let mut unknowns = Vec::with_capacity(ineqs.len());
    for row in ineqs {
        unknowns.extend(tableau.restrict(row, budget)?);
    }
    Ok((tableau, unknowns))
}
