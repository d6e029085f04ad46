//! The way back from a reduced [`System`]: every reduction leaves a [`Step`] in the trail of the system, and
//! [`System::lift`] walks the trail backwards to turn a point of the reduced system into a point of the original.

use crate::arith::{Int, Row, dot};
use crate::budget::{Budget, Exhausted};

use super::search::find_point;
use super::system::System;

/// One reduction, as needed for the way back. Positions count from 1, as in rows.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// The old variable `target` is the new one plus `factor` times variable `source`.
    Shear { target: usize, source: usize, factor: Int },
    /// Two variables were exchanged.
    Swap(usize, usize),
    /// Variable `at` had this value. The last variable took its place.
    Fix { at: usize, value: Int },
    /// Variable `at` can be chosen, when the others are known, within the bounds that these inequalities give. The
    /// last variable took its place.
    Choose { at: usize, bounds: Vec<Row> },
    /// The last variables were left out. For any values of the others these inequalities have a solution.
    Extend { n: usize, ineqs: Vec<Row> },
}

impl System {
    /// Turns a point `[1, x1, ..., xn]` of the reduced system into a point of the original one.
    pub(super) fn lift(&self, mut point: Vec<Int>, budget: &Budget) -> Result<Vec<Int>, Exhausted> {
        for step in self.trail.iter().rev() {
            match step {
                Step::Shear { target, source, factor } => {
                    let x = &point[*source] * factor;
                    point[*target] += x;
                }
                Step::Swap(j, k) => point.swap(*j, *k),
                Step::Fix { at, value } => insert(&mut point, *at, value.clone()),
                Step::Choose { at, bounds } => {
                    insert(&mut point, *at, Int::zero());
                    budget.spend(bounds.len() as u64)?;
                    point[*at] = choose(&point, *at, bounds);
                }
                Step::Extend { n, ineqs } => extend(&mut point, *n, ineqs, budget)?,
            }
        }
        Ok(point)
    }
}

/// Undoes the removal of the variable at a position, when the last variable had taken its place.
fn insert(point: &mut Vec<Int>, at: usize, value: Int) {
    point.push(value);
    let last = point.len() - 1;
    point.swap(at, last);
}

/// The least value of the variable at a position that satisfies its lower bounds; without lower bounds the greatest
/// that satisfies the upper ones. The variable is 0 in the point.
fn choose(point: &[Int], at: usize, bounds: &[Row]) -> Int {
    // a*x + r >= 0 says x >= ceil(-r/a) for a > 0 and x <= floor(r/(-a)) for a < 0.
    let lower =
        bounds.iter().filter(|row| row[at].is_positive()).map(|row| (-dot(row, point)).div_ceil(&row[at])).max();
    let upper =
        bounds.iter().filter(|row| row[at].is_negative()).map(|row| dot(row, point).div_floor(&-&row[at])).min();
    lower.or(upper).unwrap_or_default()
}

/// Appends values for the variables after the known ones, up to `n`.
fn extend(point: &mut Vec<Int>, n: usize, ineqs: &[Row], budget: &Budget) -> Result<(), Exhausted> {
    let known = point.len();
    budget.spend(ineqs.len() as u64)?;
    let rest: Vec<Row> = ineqs
        .iter()
        .map(|row| std::iter::once(dot(&row[..known], point)).chain(row[known..].iter().cloned()).collect())
        .collect();
    // By the recession cone argument (see `super::search`) this system always has a solution.
    let found = find_point(System::new(n + 1 - known, &[], &rest, true), budget)?;
    debug_assert!(found.is_some(), "a system with a full-dimensional recession cone has no integer point");
    point.extend(found.unwrap_or_else(|| vec![Int::zero(); n + 2 - known]).into_iter().skip(1));
    Ok(())
}
