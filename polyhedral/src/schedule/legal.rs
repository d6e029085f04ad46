//! Legality: does a schedule tree respect dependences? An independent check of what a scheduler or an edit did.
//!
//! For a dependence from instance `x` to instance `y`, the time vector of `x` must be strictly smaller. The check looks for a
//! counterexample with an integer emptiness test: for every component `k`, dependent instances that agree on the components before
//! `k` where `x` comes later; and in the end instances that agree on everything. It uses only constraint rows and the solver, no
//! operation on relations that the scheduler itself could have used.

use std::fmt;

use crate::affine::Aff;
use crate::arith::Int;
use crate::budget::Budget;
use crate::error::Result;
use crate::lp;
use crate::relation::{Conjunction, Map, Row, add_scaled, negated, remap};
use crate::space::{DimKind, Name, Space};

use super::flat::{FlatSchedule, TimeDim};
use super::instances::statement_name;
use super::tree::ScheduleTree;

/// A dependence that a schedule does not respect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The position of the dependence in the list that was checked.
    pub dependence: usize,
    /// The component of the time vector where the order is reversed or left open by a set node; nothing if dependent
    /// instances are not ordered at all.
    pub dim: Option<usize>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dim {
            Some(dim) => write!(f, "dependence {} runs backwards in dimension {dim} of the schedule", self.dependence),
            None => write!(f, "dependence {} is between instances that the schedule does not order", self.dependence),
        }
    }
}

impl ScheduleTree {
    /// Whether every pair of every dependence (maps from earlier to later instances) is strictly ordered by the tree. Exact.
    pub fn is_legal(&self, deps: &[Map], budget: &Budget) -> Result<bool> {
        Ok(self.first_violation(deps, budget)?.is_none())
    }

    /// The first dependence that the tree does not respect, if there is one. Pairs with an instance that the tree does not
    /// execute are ignored. Exact; the cost is one integer emptiness test per conjunction of a dependence, pair of leaves and
    /// time component.
    pub fn first_violation(&self, deps: &[Map], budget: &Budget) -> Result<Option<Violation>> {
        let flat = self.flatten(budget)?;
        for (index, dep) in deps.iter().enumerate() {
            let source = statement_name(&dep.space().domain());
            let sink = statement_name(dep.space());
            for conjunction in dep.conjunctions() {
                for a in entries(&flat, &source) {
                    for b in entries(&flat, &sink) {
                        if let Some(dim) = violated(conjunction, a, b, budget)? {
                            return Ok(Some(Violation { dependence: index, dim }));
                        }
                    }
                }
            }
        }
        Ok(None)
    }
}

fn entries<'f>(flat: &'f [FlatSchedule], stmt: &'f Name) -> impl Iterator<Item = &'f FlatSchedule> {
    flat.iter().filter(move |entry| entry.stmt == *stmt)
}

/// The component (nothing for the end of the vector) at which some pair of a dependence is not in order.
fn violated(
    dep: &Conjunction,
    source: &FlatSchedule,
    sink: &FlatSchedule,
    budget: &Budget,
) -> Result<Option<Option<usize>>> {
    let times = source.time.iter().chain(&sink.time).map(Aff::space);
    let mut params: Vec<Name> = Vec::new();
    for space in times.chain([dep.space(), source.domain.space(), sink.domain.space()]) {
        for name in space.param_names() {
            if !params.contains(name) {
                params.push(name.clone());
            }
        }
    }
    for a in source.domain.conjunctions() {
        for b in sink.domain.conjunctions() {
            let mut pairs = Pairs::new(dep, &params);
            pairs.restrict(a, DimKind::In);
            pairs.restrict(b, DimKind::Out);
            for (dim, kind) in source.dims.iter().enumerate() {
                let x = pairs.value(&source.time[dim], DimKind::In);
                let y = pairs.value(&sink.time[dim], DimKind::Out);
                let mut distance = y;
                add_scaled(&mut distance, &Int::from(-1), &x);
                if distance.iter().all(Int::is_zero) {
                    continue;
                }
                let mut backwards = vec![distance.clone()];
                if *kind == TimeDim::Unordered && sink.dims[dim] == TimeDim::Unordered {
                    backwards.push(negated(&distance));
                }
                for row in backwards {
                    // distance <= -1.
                    let mut row = negated(&row);
                    row[0] -= 1;
                    pairs.ineqs.push(row);
                    if !pairs.is_empty(budget)? {
                        return Ok(Some(Some(dim)));
                    }
                    pairs.ineqs.pop();
                }
                pairs.eqs.push(distance);
            }
            if !pairs.is_empty(budget)? {
                return Ok(Some(None));
            }
        }
    }
    Ok(None)
}

/// The pairs of a dependence under construction: rows over `[1 | params | source | sink | locals]`, parameters by name. Rows
/// may be shorter than the present number of columns.
struct Pairs<'p> {
    n: usize,
    eqs: Vec<Row>,
    ineqs: Vec<Row>,
    params: &'p [Name],
    n_in: usize,
    n_out: usize,
}

impl Pairs<'_> {
    fn new<'p>(dep: &Conjunction, params: &'p [Name]) -> Pairs<'p> {
        let (n_in, n_out) = (dep.space().dim(DimKind::In), dep.space().dim(DimKind::Out));
        let n = params.len() + n_in + n_out;
        let mut pairs = Pairs { n, eqs: Vec::new(), ineqs: Vec::new(), params, n_in, n_out };
        let mut map = pairs.param_columns(dep.space());
        map.extend((0..n_in + n_out).map(|k| 1 + params.len() + k));
        pairs.add(dep, map);
        pairs
    }

    /// Whether no integer point satisfies all constraints.
    fn is_empty(&mut self, budget: &Budget) -> Result<bool> {
        for row in self.eqs.iter_mut().chain(&mut self.ineqs) {
            row.resize(self.n + 1, Int::zero());
        }
        Ok(lp::is_empty_integer(self.n, &self.eqs, &self.ineqs, budget)?)
    }

    /// The columns of the constant and of the parameters of a space.
    fn param_columns(&self, space: &Space) -> Vec<usize> {
        let column = |name: &Name| 1 + self.params.iter().position(|p| p == name).unwrap_or(0);
        std::iter::once(0).chain(space.param_names().iter().map(column)).collect()
    }

    /// The columns of a space of one side.
    fn columns(&self, space: &Space, kind: DimKind) -> Vec<usize> {
        let mut map = self.param_columns(space);
        let (start, n) = if kind == DimKind::In { (0, self.n_in) } else { (self.n_in, self.n_out) };
        map.extend((0..n).map(|k| 1 + self.params.len() + start + k));
        map
    }

    /// Adds columns at the end.
    fn new_columns(&mut self, n: usize) -> std::ops::Range<usize> {
        let first = self.n + 1;
        self.n += n;
        first..first + n
    }

    /// Adds a conjunction whose columns without the locals go to the columns `map`.
    fn add(&mut self, conjunction: &Conjunction, map: Vec<usize>) {
        let mut map = map;
        map.extend(self.new_columns(conjunction.n_local()));
        let n_col = self.n + 1;
        self.eqs.extend(conjunction.eqs().iter().map(|row| remap(row, &map, n_col)));
        self.ineqs.extend(conjunction.solver_ineqs().iter().map(|row| remap(row, &map, n_col)));
    }

    fn restrict(&mut self, conjunction: &Conjunction, kind: DimKind) {
        let map = self.columns(conjunction.space(), kind);
        self.add(conjunction, map);
    }

    /// The floor of a quasi-affine expression of one side as a row; its divisions become columns.
    fn value(&mut self, aff: &Aff, kind: DimKind) -> Row {
        let aff = aff.floor();
        let mut map = self.columns(aff.space(), kind);
        let locals = self.new_columns(aff.divs().len());
        map.extend(locals.clone());
        let n_col = self.n + 1;
        for (column, div) in locals.zip(aff.divs()) {
            let mut lower = remap(&div.row, &map, n_col);
            lower[column] -= &div.den;
            let mut upper = negated(&lower);
            upper[0] += &div.den - 1;
            self.ineqs.push(lower);
            self.ineqs.push(upper);
        }
        remap(aff.row(), &map, n_col)
    }
}
