//! Proofs that a superset of a transitive closure is exact.
//!
//! Let `T` contain the closure of `R`, and let every pair of `T` have a first step: `T` is contained in `R` joined with
//! `R` followed by `T`. Then a pair `(x, y)` of `T` is reached by steps of `R`, or there are infinitely many steps
//! `x, x1, x2, ...` with all `(xi, y)` in `T`. So `T` is exact if there are no such infinite paths:
//! - with the length of the path as a parameter, because each step shortens the rest;
//! - without it, if there are only finitely many points between any `x` and `y` and steps from a point to itself are
//!   left out: if `T` relates no two different points in both directions, the points of a path are different from each
//!   other, and they lie between.

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::Result;
use crate::relation::conjunction::Conjunction;
use crate::relation::row::{self, Row};
use crate::relation::{Comparison, Map, Relation};
use crate::space::DimKind;

use super::paths::{LENGTH, is_flat};

/// Whether `paths`, with the length as last parameter, contains only paths of `map`; it is known to contain all.
pub(super) fn paths_are_exact(map: &Map, paths: &Map, budget: &Budget) -> Result<bool> {
    let Some(pos) = paths.space().param_index(LENGTH) else { return Ok(false) };
    let single = paths.fix(DimKind::Param, pos, &Int::one())?;
    if !single.is_subset(map, budget)? {
        return Ok(false);
    }
    let longer = paths.lower_bound(DimKind::Param, pos, &Int::from(2))?;
    let step = map.apply_range(&shifted(paths, 1 + pos), budget)?;
    longer.is_subset(&step, budget)
}

/// The relation whose paths are longer by one: the column is replaced by itself minus one.
fn shifted(paths: &Map, column: usize) -> Map {
    let parts = paths.conjunctions().iter().map(|part| {
        let mut part = part.clone();
        for row in part.all_rows_mut() {
            let shift = row[column].clone();
            row[0] -= &shift;
        }
        part
    });
    Map(Relation::from_parts(paths.space().clone(), parts))
}

/// Whether `closure` is the closure of `map`; it is known to contain it.
pub(super) fn closure_is_exact(map: &Map, closure: &Map, budget: &Budget) -> Result<bool> {
    if !paths_are_finite(closure, budget)? {
        return Ok(false);
    }
    let steps = if has_loops(closure, budget)? {
        if !closure.intersect(&closure.reverse(), budget)?.is_identity(budget)? {
            return Ok(false);
        }
        map.subtract(&Map::identity(&map.space().domain())?, budget)?
    } else {
        map.clone()
    };
    closure.is_subset(&map.union(&steps.apply_range(closure, budget)?)?, budget)
}

/// Whether some point is related to itself.
fn has_loops(map: &Map, budget: &Budget) -> Result<bool> {
    let mut loops = map.clone();
    for d in 0..map.space().dim(DimKind::In) {
        loops = loops.compare_dims(DimKind::In, d, Comparison::Eq, DimKind::Out, d)?;
    }
    Ok(!loops.is_empty(budget)?)
}

/// Whether between any two points there are only finitely many: `y` with `(x, y)` and `(y, z)` in the relation. Sound:
/// looks at the rational points.
fn paths_are_finite(map: &Map, budget: &Budget) -> Result<bool> {
    for first in map.conjunctions() {
        for second in map.conjunctions() {
            if !middle_is_bounded(first, second, budget)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn middle_is_bounded(first: &Conjunction, second: &Conjunction, budget: &Budget) -> Result<bool> {
    let n = first.space().dim(DimKind::Out);
    let n_var = n + first.n_local() + second.n_local();
    let (mut eqs, mut ineqs) = (Vec::new(), Vec::new());
    for (c, kind, shift) in [(first, DimKind::Out, n), (second, DimKind::In, n + first.n_local())] {
        let start = c.space().offset(kind);
        let cone = |row: &Row| -> Row {
            let mut result = row::zeros(n_var + 1);
            result[1..=n].clone_from_slice(&row[start..start + n]);
            let locals = &row[c.space().n_col()..];
            result[1 + shift..1 + shift + locals.len()].clone_from_slice(locals);
            result
        };
        eqs.extend(c.eqs().iter().map(cone));
        ineqs.extend(c.solver_ineqs().iter().map(cone));
    }
    budget.spend((eqs.len() + ineqs.len()) as u64)?;
    is_flat(n_var, &eqs, &ineqs, n, budget)
}
