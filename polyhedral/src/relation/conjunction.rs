//! [`Conjunction`]: one conjunction of linear equalities and inequalities over the integers, with local variables.
//!
//! Columns of a row: `[constant | params | in | out | locals]`. A local variable is either
//! - an integer division with a known definition, `x = floor(row / den)`, which other locals may use, or
//! - existentially quantified: the conjunction holds where some integer value satisfies the constraints.
//!
//! The two inequalities that define a known division, `0 <= row - den x <= den - 1`, are implicit: they are not in
//! [`Conjunction::ineqs`] but in [`Conjunction::solver_ineqs`]. A conjunction without locals is a polyhedron.
//!
//! Invariants after [`Conjunction::simplify`] (all conjunctions inside sets and maps):
//! - known divisions come first, each uses only earlier ones, so that their values are functions of parameters and
//!   dimensions; no division appears twice, none is unused;
//! - equalities are reduced against each other and substituted into everything else; every row is divided by its content,
//!   inequalities are tightened to integers; no two inequalities are parallel;
//! - existentials that integer-exact steps can remove are gone;
//! - the conjunction is [`Conjunction::is_plainly_empty`] if the cheap tests found a contradiction.

use crate::arith::Int;
use crate::budget::{Budget, Exhausted};
use crate::lp;
use crate::space::{DimKind, Space};

use super::facts::Facts;
use super::row::{self, Row};
use super::solved::Solved;

/// The definition of a known integer division: `floor(row / den)`, `den >= 1`, over the same columns as the constraints.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Div {
    /// The numerator.
    pub row: Row,
    /// The denominator, positive.
    pub den: Int,
}

/// A conjunction of constraints in one space; see the module documentation.
///
/// Equality of values is syntactic. Cost of every method here is linear in the size unless it says otherwise.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Conjunction {
    pub(super) space: Space,
    pub(super) locals: Vec<Option<Div>>,
    pub(super) eqs: Vec<Row>,
    pub(super) ineqs: Vec<Row>,
    pub(super) facts: Facts,
}

impl Conjunction {
    /// The conjunction of no constraints.
    pub fn universe(space: Space) -> Conjunction {
        Conjunction { space, locals: Vec::new(), eqs: Vec::new(), ineqs: Vec::new(), facts: Facts::default() }
    }

    /// The conjunction with one contradictory constraint.
    pub fn empty(space: Space) -> Conjunction {
        let mut result = Conjunction::universe(space);
        result.set_empty();
        result
    }

    pub(super) fn set_empty(&mut self) {
        self.locals.clear();
        self.ineqs.clear();
        let mut row = row::zeros(self.n_col());
        row[0] = Int::one();
        self.eqs = vec![row];
    }

    /// The space.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The number of columns of every row: constant, parameters, dimensions and locals.
    pub fn n_col(&self) -> usize {
        self.space.n_col() + self.locals.len()
    }

    /// The number of local variables.
    pub fn n_local(&self) -> usize {
        self.locals.len()
    }

    /// The column of local variable `pos`.
    pub fn local_column(&self, pos: usize) -> usize {
        self.space.n_col() + pos
    }

    /// The definition of local variable `pos`; nothing for an existential.
    pub fn div(&self, pos: usize) -> Option<&Div> {
        self.locals.get(pos)?.as_ref()
    }

    /// Whether every local variable is a division with known definition.
    pub fn has_only_known_divs(&self) -> bool {
        self.locals.iter().all(Option::is_some)
    }

    /// The equalities: each row is `== 0`.
    pub fn eqs(&self) -> &[Row] {
        &self.eqs
    }

    /// The inequalities: each row is `>= 0`. The definitions of divisions are not among them.
    pub fn ineqs(&self) -> &[Row] {
        &self.ineqs
    }

    /// The inequalities together with those that define the known divisions.
    pub fn solver_ineqs(&self) -> Vec<Row> {
        let mut rows = self.ineqs.clone();
        for pos in 0..self.locals.len() {
            rows.extend(self.div_rows(pos).into_iter().flatten());
        }
        rows
    }

    /// The rows `num - den x >= 0` and `den x + den - 1 - num >= 0` of a known division.
    pub(super) fn div_rows(&self, pos: usize) -> Option<[Row; 2]> {
        let div = self.locals[pos].as_ref()?;
        let column = self.local_column(pos);
        let mut lower = div.row.clone();
        lower[column] -= &div.den;
        let mut upper = row::negated(&lower);
        upper[0] += &div.den - 1;
        Some([lower, upper])
    }

    /// A row brought to the present number of columns.
    fn padded(&self, mut row: Row) -> Row {
        assert!(row.len() <= self.n_col(), "a row of {} columns in {} of {}", row.len(), self.space, self.n_col());
        row.resize(self.n_col(), Int::zero());
        row
    }

    /// Adds `row == 0`. Missing columns at the end count as zero. Panics if there are too many columns.
    pub fn add_eq(&mut self, row: impl Into<Row>) {
        let row = self.padded(row.into());
        self.eqs.push(row);
    }

    /// Adds `row >= 0`. Missing columns at the end count as zero. Panics if there are too many columns.
    pub fn add_ineq(&mut self, row: impl Into<Row>) {
        let row = self.padded(row.into());
        self.ineqs.push(row);
    }

    /// Adds a local variable `floor(row / den)` and returns its column. The row may use all earlier columns.
    /// Panics if `den` is not positive or the row is too long.
    pub fn add_div(&mut self, row: impl Into<Row>, den: Int) -> usize {
        assert!(den.is_positive(), "the denominator of an integer division must be positive");
        let row = self.padded(row.into());
        self.push_local(Some(Div { row, den }))
    }

    /// Adds an existentially quantified variable and returns its column.
    pub fn add_existential(&mut self) -> usize {
        self.push_local(None)
    }

    fn push_local(&mut self, local: Option<Div>) -> usize {
        self.locals.push(local);
        let column = self.n_col() - 1;
        self.resize_rows();
        column
    }

    /// Appends locals, and rows over all columns then.
    pub(crate) fn extend(
        &mut self,
        locals: impl IntoIterator<Item = Option<Div>>,
        eqs: impl IntoIterator<Item = Row>,
        ineqs: impl IntoIterator<Item = Row>,
    ) {
        self.locals.extend(locals);
        self.resize_rows();
        self.eqs.extend(eqs);
        self.ineqs.extend(ineqs);
    }

    /// Gives every row the present number of columns (new ones at the end are zero).
    pub(super) fn resize_rows(&mut self) {
        let n = self.n_col();
        for row in self.all_rows_mut() {
            row.resize(n, Int::zero());
        }
    }

    /// All rows: equalities, inequalities, numerators of divisions.
    pub(super) fn all_rows_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        self.eqs
            .iter_mut()
            .chain(self.ineqs.iter_mut())
            .chain(self.locals.iter_mut().filter_map(|d| d.as_mut().map(|d| &mut d.row)))
    }

    /// Gives back the room for more constraints: a conjunction in a relation gets none. Rows are large.
    pub(super) fn shrink(&mut self) {
        self.eqs.shrink_to_fit();
        self.ineqs.shrink_to_fit();
        self.locals.shrink_to_fit();
    }

    /// Whether the conjunction is syntactically `false`. Sound, not complete: see [`Conjunction::is_empty`].
    pub fn is_plainly_empty(&self) -> bool {
        self.eqs.iter().any(|row| !row[0].is_zero() && row::all_zero(&row[1..]))
            || self.ineqs.iter().any(|row| row[0].is_negative() && row::all_zero(&row[1..]))
    }

    /// The sign of an expression over the columns of the space, if the equalities say that it has one value: -1, 0 or 1.
    pub(crate) fn sign_of(&self, row: &[Int]) -> Option<i32> {
        let mut row: Row = row.iter().cloned().collect();
        row.resize(self.n_col(), Int::zero());
        Solved::of(self.space.n_col(), &self.eqs).reduce(&mut row);
        let is_constant = row::all_zero(&row[1..]);
        is_constant.then(|| i32::from(row[0].is_positive()) - i32::from(row[0].is_negative()))
    }

    /// Whether there are no constraints at all.
    pub fn is_plainly_universe(&self) -> bool {
        self.eqs.is_empty() && self.ineqs.is_empty() && self.locals.iter().all(Option::is_some)
    }

    /// Whether no integer point satisfies the constraints, for any value of the parameters. Exact; solves an integer
    /// program unless a cheap test decides.
    pub fn is_empty(&self, budget: &Budget) -> Result<bool, Exhausted> {
        if self.is_plainly_empty() {
            return Ok(true);
        }
        if self.eqs.is_empty() && self.ineqs.len() <= 1 && self.has_only_known_divs() {
            let trivial = self.ineqs.iter().all(|row| {
                let local = self.space.n_col();
                row::all_zero(&row[local..]) && !row::all_zero(&row[1..local])
            });
            if trivial {
                return Ok(false);
            }
        }
        if self.locals.is_empty() {
            return lp::is_empty_integer(self.n_col() - 1, &self.eqs, &self.ineqs, budget);
        }
        let definitions: Vec<Row> = (0..self.locals.len()).filter_map(|pos| self.div_rows(pos)).flatten().collect();
        lp::is_empty_integer_of(self.n_col() - 1, &self.eqs, self.ineqs.iter().chain(&definitions), budget)
    }

    /// Some integer point `[params | in | out]`, or nothing if the conjunction is empty. Exact.
    pub fn sample(&self, budget: &Budget) -> Result<Option<Vec<Int>>, Exhausted> {
        if self.is_plainly_empty() {
            return Ok(None);
        }
        let point = lp::sample_integer(self.n_col() - 1, &self.eqs, &self.solver_ineqs(), budget)?;
        Ok(point.map(|mut p| {
            p.truncate(self.space.n_col() - 1);
            p
        }))
    }

    /// Whether the point `[params | in | out]` lies in the conjunction. Exact. Linear unless there are existentials.
    /// A point of another length lies in no conjunction.
    pub fn contains(&self, point: &[Int], budget: &Budget) -> Result<bool, Exhausted> {
        if point.len() + 1 != self.space.n_col() {
            return Ok(false);
        }
        budget.spend((self.eqs.len() + self.ineqs.len() + self.locals.len()) as u64)?;
        let mut values = point.to_vec();
        for local in &self.locals {
            match local {
                Some(div) => values.push(row::eval(&div.row, &values).div_floor(&div.den)),
                None => return self.contains_by_search(point, budget),
            }
        }
        Ok(self.eqs.iter().all(|r| row::eval(r, &values).is_zero())
            && self.ineqs.iter().all(|r| !row::eval(r, &values).is_negative()))
    }

    fn contains_by_search(&self, point: &[Int], budget: &Budget) -> Result<bool, Exhausted> {
        let fixed = point.len() + 1;
        let restrict = |row: &Row| {
            let mut result = Row::from([row::eval(&row[..fixed], point)]);
            result.extend_from_slice(&row[fixed..]);
            result
        };
        let eqs: Vec<Row> = self.eqs.iter().map(restrict).collect();
        let ineqs: Vec<Row> = self.solver_ineqs().iter().map(restrict).collect();
        Ok(!lp::is_empty_integer(self.locals.len(), &eqs, &ineqs, budget)?)
    }

    /// The same constraints in a space of the same number of columns per kind in sum (the columns keep their order).
    pub(crate) fn with_space(mut self, space: Space) -> Conjunction {
        debug_assert_eq!(self.space.n_col(), space.n_col());
        self.space = space;
        self
    }

    /// Moves the columns: column `c` of a space column becomes column `map[c]` in the new space; locals follow behind.
    pub(super) fn remap_columns(&self, space: Space, map: &[usize]) -> Conjunction {
        debug_assert_eq!(map.len(), self.space.n_col());
        let n_local = self.locals.len();
        let base = space.n_col();
        let mut full = map.to_vec();
        full.extend((0..n_local).map(|k| base + k));
        let n = base + n_local;
        let rows = |rows: &[Row]| rows.iter().map(|r| row::remap(r, &full, n)).collect();
        Conjunction {
            locals: self
                .locals
                .iter()
                .map(|d| d.as_ref().map(|d| Div { row: row::remap(&d.row, &full, n), den: d.den.clone() }))
                .collect(),
            eqs: rows(&self.eqs),
            ineqs: rows(&self.ineqs),
            space,
            facts: Facts::default(),
        }
    }

    /// The same conjunction with the parameters of `params`, which must contain all of its own.
    pub(crate) fn align_params(&self, params: &Space) -> Conjunction {
        if self.space.has_equal_params(params) {
            return self.clone();
        }
        let space = self.space.with_params_of(params);
        let mut map = vec![0];
        map.extend(self.space.param_names().iter().map(|p| 1 + params.param_index(p).unwrap_or(usize::MAX - 1)));
        let dims = self.space.dim(DimKind::In) + self.space.dim(DimKind::Out);
        let base = space.offset(DimKind::In);
        map.extend((0..dims).map(|k| base + k));
        self.remap_columns(space, &map)
    }

    /// Adds the locals and constraints of another conjunction, whose columns go where `map` says, in rows of `n` columns.
    pub(super) fn push_mapped(&mut self, other: &Conjunction, map: &[usize], n: usize) {
        let moved = |d: &Div| Div { row: row::remap(&d.row, map, n), den: d.den.clone() };
        self.locals.extend(other.locals.iter().map(|d| d.as_ref().map(moved)));
        self.eqs.extend(other.eqs.iter().map(|r| row::remap(r, map, n)));
        self.ineqs.extend(other.ineqs.iter().map(|r| row::remap(r, map, n)));
    }

    /// Adds the constraints of another conjunction over the same columns (its locals become new locals).
    pub(super) fn add_constraints_of(&mut self, other: &Conjunction) {
        debug_assert_eq!(self.space.n_col(), other.space.n_col());
        let base = self.space.n_col();
        let shift = self.locals.len();
        let n = base + shift + other.locals.len();
        let map: Vec<usize> = (0..base).chain(base + shift..n).collect();
        let mut rest = Conjunction::universe(self.space.clone());
        rest.push_mapped(other, &map, n);
        self.locals.append(&mut rest.locals);
        self.resize_rows();
        self.eqs.append(&mut rest.eqs);
        self.ineqs.append(&mut rest.ineqs);
    }
}
