//! From sets to [`Part`]s: rows over one list of parameters.

use crate::budget::Budget;
use crate::relation::{Conjunction, Row, Set, remap};
use crate::space::{DimKind, Name, Space};

use super::error::AstError;
use super::plan::Part;
use super::system::System;

/// The columns of the rows of a [`Plan`](super::plan::Plan): the parameters, for all alike, then the dimensions.
pub(super) struct Columns {
    pub(super) params: Vec<Name>,
}

impl Columns {
    pub(super) fn new(params: Vec<Name>) -> Columns {
        Columns { params }
    }

    /// Where the columns of a space with `n_local` locals go when the parameters are aligned, and the number of columns.
    pub(super) fn of(&self, space: &Space, n_local: usize) -> (Vec<usize>, usize) {
        let mut map = vec![0];
        for name in space.param_names() {
            map.push(1 + self.params.iter().position(|p| p == name).unwrap_or(0));
        }
        let rest = space.dim(DimKind::In) + space.dim(DimKind::Out) + n_local;
        map.extend((0..rest).map(|k| 1 + self.params.len() + k));
        (map, 1 + self.params.len() + rest)
    }

    fn part(&self, conjunction: &Conjunction) -> Part {
        let n_local = conjunction.n_local();
        let (map, n_col) = self.of(conjunction.space(), n_local);
        let translate = |rows: &[Row]| rows.iter().map(|row| remap(row, &map, n_col)).collect();
        let eqs = translate(conjunction.eqs());
        let ineqs = translate(&conjunction.solver_ineqs());
        Part { system: System { n: n_col - 1, eqs, ineqs }, n_local }
    }

    /// The set as disjoint conjunctions whose locals are all defined.
    pub(super) fn disjoint(&self, set: &Set, budget: &Budget) -> Result<Vec<Part>, AstError> {
        let explicit = set.make_divs_explicit(budget)?.coalesce(budget)?;
        let mut done: Option<Set> = None;
        let mut parts = Vec::new();
        for conjunction in explicit.conjunctions() {
            let one = Set::from_conjunction(conjunction.clone());
            let new = match &done {
                None => one.clone(),
                Some(done) => one.subtract(done, budget)?.make_divs_explicit(budget)?,
            };
            parts.extend(new.conjunctions().iter().map(|c| self.part(c)));
            done = Some(match done {
                None => one,
                Some(done) => done.union(&one)?,
            });
        }
        Ok(parts)
    }

    /// One conjunction without locals that contains the projection of the set on its first dimensions.
    pub(super) fn contiguous(&self, set: &Set, n_dim: usize, budget: &Budget) -> Result<System, AstError> {
        let n = set.space().dim(DimKind::Out);
        let projected = set.project_out(DimKind::Out, n_dim, n - n_dim, budget)?;
        let hull = projected.overapproximate_divs(budget)?.unshifted_simple_hull(budget)?;
        let parts: Vec<Part> = hull.conjunctions().iter().map(|c| self.part(c)).collect();
        match parts.as_slice() {
            [] => Ok(System::contradiction(self.params.len() + n_dim)),
            [part] if part.n_local == 0 => Ok(part.system.clone()),
            // Only strides are left, which a contiguous part does not have.
            [part, ..] => {
                let n = part.system.n - part.n_local;
                let plain = |rows: &[Row]| -> Vec<Row> {
                    let kept = rows.iter().filter(|row| crate::relation::all_zero(&row[n + 1..]));
                    kept.map(|row| Row::from(&row[..=n])).collect()
                };
                Ok(System { n, eqs: plain(&part.system.eqs), ineqs: plain(&part.system.ineqs) })
            }
        }
    }
}

impl Part {
    /// No constraints over `n` columns.
    pub(super) fn universe(n: usize) -> Part {
        Part { system: System::universe(n), n_local: 0 }
    }
}
