//! Rational projection: what constraints say about the first columns of a system.
//!
//! [`shadow`] removes columns by substituting equalities and by Fourier-Motzkin elimination over the rationals. The result
//! contains the exact projection and may be larger: that is what outer loop bounds need, because everything that is lost
//! here is enforced by inner bounds or conditions. Redundant rows are dropped after every step by linear programming, which
//! keeps the quadratic growth of the method in check.

use crate::arith::Int;
use crate::budget::{Budget, Exhausted};
use crate::relation::{Row, add_scaled, negated, scale};

use super::system::{Plain, System};

/// The rational projection of a system on its first `keep` variables, simplified with the help of `context`, a system
/// over some of the first columns that is known to hold. Returns `None` where the system is plainly empty.
pub(super) fn shadow(
    system: &System,
    keep: usize,
    context: &System,
    budget: &Budget,
) -> Result<Option<System>, Exhausted> {
    Ok(projection(system, keep, context, budget)?.map(|(shadow, _)| shadow))
}

/// The same; false where integers may make the projection smaller than the shadow.
pub(super) fn projection(
    system: &System,
    keep: usize,
    context: &System,
    budget: &Budget,
) -> Result<Option<(System, bool)>, Exhausted> {
    let mut system = system.clone();
    let mut exact = true;
    loop {
        if system.equate() == Plain::Contradiction {
            return Ok(None);
        }
        if let Some((index, column)) = best_equality(&system, keep) {
            let pivot = system.eqs.swap_remove(index);
            exact = exact && pivot[column].is_unit();
            budget.spend((system.eqs.len() + system.ineqs.len()) as u64)?;
            for row in system.rows_mut() {
                eliminate(row, &pivot, column);
            }
            continue;
        }
        let Some(column) = cheapest_column(&system, keep) else { break };
        let (with, mut rows): (Vec<Row>, Vec<Row>) =
            std::mem::take(&mut system.ineqs).into_iter().partition(|row| !row[column].is_zero());
        let (lower, upper): (Vec<Row>, Vec<Row>) = with.into_iter().partition(|row| row[column].is_positive());
        budget.spend((lower.len() * upper.len()) as u64)?;
        let units = |rows: &[Row]| rows.iter().all(|row| row[column].is_unit());
        exact = exact && (units(&lower) || units(&upper));
        let grows = lower.len() * upper.len() > 2;
        for low in &lower {
            for up in &upper {
                rows.push(combine(low, up, column));
            }
        }
        system.ineqs = rows;
        if grows {
            if system.equate() == Plain::Contradiction {
                return Ok(None);
            }
            system.drop_implied(context, |_| true, budget)?;
        }
    }
    for row in system.rows_mut() {
        row.truncate(keep + 1);
    }
    system.n = keep;
    Ok(Some((system, exact)))
}

/// The equality and column to substitute next: a smallest coefficient of a column that has to go.
fn best_equality(system: &System, keep: usize) -> Option<(usize, usize)> {
    let mut best: Option<(Int, usize, usize)> = None;
    for (index, row) in system.eqs.iter().enumerate() {
        for (column, x) in row.iter().enumerate().skip(keep + 1) {
            if !x.is_zero() && best.as_ref().is_none_or(|(size, ..)| x.abs() < *size) {
                best = Some((x.abs(), index, column));
            }
        }
    }
    best.map(|(_, index, column)| (index, column))
}

/// Removes a column from a row by adding a multiple of an equality; the row is only scaled by a positive number.
pub(super) fn eliminate(row: &mut Row, equality: &[Int], column: usize) {
    if row[column].is_zero() {
        return;
    }
    let g = row[column].gcd(&equality[column]);
    let factor = equality[column].div_exact(&g).abs();
    let mut other = row[column].div_exact(&g);
    if !equality[column].is_negative() {
        other = -other;
    }
    scale(row, &factor);
    add_scaled(row, &other, equality);
}

/// The column whose elimination adds the fewest rows; nothing if no column is left to eliminate.
fn cheapest_column(system: &System, keep: usize) -> Option<usize> {
    (keep + 1..=system.n)
        .filter_map(|column| {
            let lower = system.ineqs.iter().filter(|row| row[column].is_positive()).count() as i64;
            let upper = system.ineqs.iter().filter(|row| row[column].is_negative()).count() as i64;
            (lower + upper > 0).then_some((lower * upper - lower - upper, column))
        })
        .min()
        .map(|(_, column)| column)
}

/// The consequence of a lower and an upper bound of a column that no longer mentions it.
fn combine(lower: &[Int], upper: &[Int], column: usize) -> Row {
    let g = lower[column].gcd(&upper[column]);
    let mut row = Row::from(lower);
    scale(&mut row, &(-upper[column].div_exact(&g)));
    add_scaled(&mut row, &lower[column].div_exact(&g), upper);
    row
}

/// The system with every equality as two inequalities.
pub(super) fn as_inequalities(system: &System) -> Vec<Row> {
    let mut rows = system.ineqs.clone();
    for row in &system.eqs {
        rows.push(row.clone());
        rows.push(negated(row));
    }
    rows
}
