//! A system of constraints about some statement instances at once, for the checks of schedules.
//!
//! Its unknowns are the parameters, the loops of every instance and locals. It uses only constraint rows and the
//! solver, no operation on relations that a scheduler could have used.

use crate::affine::Aff;
use crate::arith::Int;
use crate::budget::Budget;
use crate::error::Result;
use crate::lp;
use crate::relation::{Conjunction, Row, add_scaled, negated, zeros};
use crate::space::{Name, Space};

use super::flat::FlatSchedule;

/// Rows over `[1 | params | instance 0 | instance 1 | .. | locals]`, parameters by name. Rows may be shorter than the
/// present number of columns.
#[derive(Clone)]
pub(super) struct System {
    /// The number of unknowns.
    n: usize,
    eqs: Vec<Row>,
    ineqs: Vec<Row>,
    params: Vec<Name>,
    /// The first column of each instance, and the first column behind all of them.
    starts: Vec<usize>,
    /// The columns that stand for rounded quotients: the dividend, without zeros at the end, the divisor and the column.
    floors: Vec<(Row, Int, usize)>,
}

/// The spaces of all that is in some schedules.
fn spaces<'s>(schedules: &'s [&FlatSchedule]) -> impl Iterator<Item = &'s Space> {
    let times = schedules.iter().flat_map(|schedule| schedule.time.iter().map(Aff::space));
    times.chain(schedules.iter().map(|schedule| schedule.domain.space()))
}

/// `y - x`, of any lengths.
pub(super) fn difference(y: &Row, x: &Row) -> Row {
    let mut result = y.clone();
    result.resize(y.len().max(x.len()), Int::zero());
    add_scaled(&mut result, &Int::from(-1), x);
    result
}

/// Moves columns: what is at entry `i` of the row is added to entry `map[i]` of a row of `n` columns.
fn moved(row: &[Int], map: &[usize], n: usize) -> Row {
    let mut result = zeros(n);
    for (x, &to) in row.iter().zip(map).filter(|(x, _)| !x.is_zero()) {
        result[to] += x;
    }
    result
}

impl System {
    /// The system of a relation whose dimensions are those of instances with `sizes` loops each, with room for the
    /// parameters of the schedules of these.
    pub(super) fn new(relation: &Conjunction, sizes: &[usize], schedules: &[&FlatSchedule]) -> System {
        let mut params: Vec<Name> = Vec::new();
        for space in spaces(schedules).chain([relation.space()]) {
            for name in space.param_names() {
                if !params.contains(name) {
                    params.push(name.clone());
                }
            }
        }
        let mut starts = vec![1 + params.len()];
        for size in sizes {
            starts.push(starts[starts.len() - 1] + size);
        }
        let end = starts[starts.len() - 1];
        let mut system = System { n: end - 1, eqs: Vec::new(), ineqs: Vec::new(), params, starts, floors: Vec::new() };
        let mut map = system.param_columns(relation.space());
        map.extend(system.starts[0]..end);
        system.add(relation, map);
        system
    }

    /// Whether the system has columns for all parameters of some schedules.
    pub(super) fn has_params_of(&self, schedules: &[&FlatSchedule]) -> bool {
        spaces(schedules).all(|space| space.param_names().iter().all(|name| self.params.contains(name)))
    }

    /// Whether no integer point satisfies all constraints.
    pub(super) fn is_empty(&mut self, budget: &Budget) -> Result<bool> {
        for row in self.eqs.iter_mut().chain(&mut self.ineqs) {
            row.resize(self.n + 1, Int::zero());
        }
        Ok(lp::is_empty_integer(self.n, &self.eqs, &self.ineqs, budget)?)
    }

    /// Whether a row is zero whatever the unknowns are.
    pub(super) fn is_zero(&self, row: &Row) -> bool {
        row.iter().all(Int::is_zero)
    }

    /// Whether some integer point makes the value of a row negative.
    pub(super) fn can_be_negative(&mut self, row: &Row, budget: &Budget) -> Result<bool> {
        self.require_positive(&negated(row));
        let is_empty = self.is_empty(budget)?;
        self.ineqs.pop();
        Ok(!is_empty)
    }

    /// Adds the constraint that the value of a row is positive.
    pub(super) fn require_positive(&mut self, row: &Row) {
        let mut row = row.clone();
        row[0] -= 1;
        self.ineqs.push(row);
    }

    /// Adds the constraint that the value of a row is zero.
    pub(super) fn equate(&mut self, row: Row) {
        self.eqs.push(row);
    }

    /// Loop `dim` of an instance as a row.
    pub(super) fn unknown(&self, instance: usize, dim: usize) -> Row {
        let column = self.starts[instance] + dim;
        let mut row = zeros(column + 1);
        row[column] = Int::one();
        row
    }

    /// The columns of the constant and of the parameters of a space.
    fn param_columns(&self, space: &Space) -> Vec<usize> {
        let column = |name: &Name| 1 + self.params.iter().position(|p| p == name).unwrap_or(0);
        // Room for instances and locals.
        let mut columns = Vec::with_capacity(self.n + 8);
        columns.push(0);
        columns.extend(space.param_names().iter().map(column));
        columns
    }

    /// The columns of a space of one instance.
    fn columns(&self, space: &Space, instance: usize) -> Vec<usize> {
        let mut map = self.param_columns(space);
        map.extend(self.starts[instance]..self.starts[instance + 1]);
        map
    }

    /// Adds a column at the end.
    fn new_column(&mut self) -> usize {
        self.n += 1;
        self.n
    }

    /// The column of a rounded quotient, whose dividend is over the columns `map`. The same quotient has one column, wherever it is met: the
    /// numbers of tiles are in the bounds of instances and in every component of their times.
    fn floor(&mut self, dividend: &Row, den: &Int, map: &[usize]) -> usize {
        let mut row = moved(dividend, map, self.n + 1);
        row.truncate(row.iter().rposition(|coefficient| !coefficient.is_zero()).map_or(0, |last| last + 1));
        if let Some((.., column)) = self.floors.iter().find(|(other, by, _)| *other == row && by == den) {
            return *column;
        }
        let column = self.new_column();
        let mut lower = row.clone();
        lower.resize(column + 1, Int::zero());
        lower[column] -= den;
        let mut upper = negated(&lower);
        upper[0] += den - 1;
        self.ineqs.push(lower);
        self.ineqs.push(upper);
        self.floors.push((row, den.clone(), column));
        column
    }

    /// Adds a conjunction whose columns without the locals go to the columns `map`.
    fn add(&mut self, conjunction: &Conjunction, map: Vec<usize>) {
        let (mut map, mut is_defined) = (map, true);
        for local in 0..conjunction.n_local() {
            let column = match conjunction.div(local) {
                // What it is about is in front of it.
                Some(div) if div.row.iter().skip(map.len()).all(Int::is_zero) => self.floor(&div.row, &div.den, &map),
                div => {
                    is_defined = is_defined && div.is_none();
                    self.new_column()
                }
            };
            map.push(column);
        }
        let n_col = self.n + 1;
        let ineqs = if is_defined { conjunction.ineqs().to_vec() } else { conjunction.solver_ineqs() };
        self.eqs.extend(conjunction.eqs().iter().map(|row| moved(row, &map, n_col)));
        self.ineqs.extend(ineqs.iter().map(|row| moved(row, &map, n_col)));
    }

    /// Adds that an instance lies in a set.
    pub(super) fn restrict(&mut self, conjunction: &Conjunction, instance: usize) {
        let map = self.columns(conjunction.space(), instance);
        self.add(conjunction, map);
    }

    /// The floor of a quasi-affine expression of one instance as a row; its divisions become columns.
    pub(super) fn value(&mut self, aff: &Aff, instance: usize) -> Row {
        let floor;
        let aff = if aff.denominator().is_one() {
            aff
        } else {
            floor = aff.floor();
            &floor
        };
        let mut map = self.columns(aff.space(), instance);
        for div in aff.divs() {
            let column = self.floor(&div.row, &div.den, &map);
            map.push(column);
        }
        moved(aff.row(), &map, self.n + 1)
    }
}
