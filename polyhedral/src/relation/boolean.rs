//! Union, intersection, restriction to parameter values and to sets, bounds.

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::Result;
use crate::space::DimKind;

use super::conjunction::{Conjunction, Div};
use super::row::{self, Row};
use super::{Relation, facts, mismatch};

/// How a value bounds a dimension.
pub(super) enum Bound {
    Lower,
    Upper,
    Equal,
}

impl Conjunction {
    /// The conjunction of both, simplified.
    pub(super) fn intersect(&self, other: &Conjunction, budget: &Budget) -> Result<Conjunction> {
        budget.spend(self.weight() + other.weight())?;
        if self.is_plainly_universe() {
            return Ok(other.clone());
        }
        if other.is_plainly_universe() {
            return Ok(self.clone());
        }
        if self.plainly_implies(other) {
            return Ok(self.clone());
        }
        if other.plainly_implies(self) {
            return Ok(other.clone().with_space(self.space.clone()));
        }
        let mut result = self.clone();
        result.add_constraints_of(other);
        Ok(result.simplify())
    }

    /// Whether another simplified conjunction has only inequalities, each of them parallel to one of `self` that says as much. Then
    /// simplification would find nothing but what is in `self`.
    fn plainly_implies(&self, other: &Conjunction) -> bool {
        other.eqs.is_empty()
            && other.locals.is_empty()
            && other.ineqs.len() <= self.ineqs.len()
            && other.ineqs.iter().all(|row| {
                let (constant, coefficients) = (&row[0], &row[1..]);
                let is_parallel = |own: &&Row| own[1..row.len()] == *coefficients && row::all_zero(&own[row.len()..]);
                self.ineqs.iter().any(|own| own[0] <= *constant && is_parallel(&own))
            })
    }

    /// The price of simplifying the conjunction: a simplification visits every row about eight times.
    pub(crate) fn weight(&self) -> u64 {
        8 * (1 + self.eqs.len() + self.ineqs.len() + 2 * self.locals.len()) as u64
    }

    /// `self` with the locals of `other` added, and the constraints of `other` over these columns.
    pub(super) fn joined(&self, other: &Conjunction) -> (Conjunction, Vec<Row>, Vec<Row>) {
        let base = self.space.n_col();
        let shift = self.locals.len();
        if shift == 0 && other.locals.is_empty() {
            return (self.clone(), other.eqs.clone(), other.ineqs.clone());
        }
        let n = base + shift + other.locals.len();
        let map: Vec<usize> = (0..base).chain((0..other.locals.len()).map(|k| base + shift + k)).collect();
        let move_rows = |rows: &[Row]| rows.iter().map(|r| row::remap(r, &map, n)).collect();
        let mut result = self.clone();
        let moved = |d: &Div| Div { row: row::remap(&d.row, &map, n), den: d.den.clone() };
        result.locals.extend(other.locals.iter().map(|d| d.as_ref().map(moved)));
        result.resize_rows();
        (result, move_rows(&other.eqs), move_rows(&other.ineqs))
    }
}

impl Relation {
    pub(crate) fn union(&self, other: &Relation) -> Result<Relation> {
        let (mut left, right) = self.aligned_same("form the union", other)?;
        if left.is_plainly_empty() {
            return Ok(Relation { space: left.space, ..right });
        }
        for part in right.parts() {
            left.push(part.clone());
        }
        Ok(left)
    }

    pub(crate) fn intersect(&self, other: &Relation, budget: &Budget) -> Result<Relation> {
        let (left, right) = self.aligned_same("intersect", other)?;
        left.intersect_aligned(&right, budget)
    }

    /// Intersection of relations in one space with equal parameters.
    fn intersect_aligned(&self, other: &Relation, budget: &Budget) -> Result<Relation> {
        let mut result = Relation::empty(self.space.clone());
        for a in self.parts() {
            for b in other.parts() {
                result.push(a.intersect(b, budget)?);
            }
        }
        Ok(result.or_same(self))
    }

    pub(crate) fn is_empty(&self, budget: &Budget) -> Result<bool> {
        for part in self.parts() {
            if part.facts.has(facts::NOT_EMPTY) {
                return Ok(false);
            }
            if part.facts.has(facts::EMPTY) {
                continue;
            }
            let empty = part.is_empty(budget)?;
            part.facts.note(if empty { facts::EMPTY } else { facts::NOT_EMPTY });
            if !empty {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The set over parameters as a relation in the space of `self` (both with the same parameters).
    fn embedded_params(&self, params: &Relation) -> Relation {
        let map: Vec<usize> = (0..params.space.n_col()).collect();
        params.remap_columns(self.space.clone(), &map)
    }

    pub(crate) fn intersect_params(&self, params: &Relation, budget: &Budget) -> Result<Relation> {
        let (left, right) = self.with_params("intersect the parameters", params)?;
        left.intersect_aligned(&right, budget)
    }

    pub(crate) fn gist_params(&self, params: &Relation, budget: &Budget) -> Result<Relation> {
        let (left, right) = self.with_params("simplify in a context", params)?;
        left.gist(&right, budget)
    }

    fn with_params(&self, operation: &'static str, params: &Relation) -> Result<(Relation, Relation)> {
        if params.space.dim(DimKind::In) + params.space.dim(DimKind::Out) > 0 {
            return Err(mismatch(operation, &self.space, &params.space));
        }
        let (left, right) = self.aligned(params);
        let right = left.embedded_params(&right);
        Ok((left, right))
    }

    /// The pairs whose point of a kind is in `set`.
    pub(crate) fn intersect_tuple(&self, set: &Relation, kind: DimKind, budget: &Budget) -> Result<Relation> {
        if self.space.tuple(kind) != Some(set.space.range_tuple()) || set.space.is_map() {
            return Err(mismatch("restrict", &self.space, &set.space));
        }
        if set.is_plainly_universe() {
            return Ok(self.align_params(&self.space.align_params(&set.space)));
        }
        let (left, set) = self.aligned(set);
        let params = left.space.offset(DimKind::In);
        let dims = left.space.dim(kind);
        let offset = left.space.offset(kind);
        let map: Vec<usize> = (0..params).chain(offset..offset + dims).collect();
        left.intersect_aligned(&set.remap_columns(left.space.clone(), &map), budget)
    }

    pub(super) fn bounded(&self, kind: DimKind, pos: usize, value: &Int, bound: Bound) -> Result<Relation> {
        let column = self.column("bound a dimension", kind, pos)?;
        let mut row = row::zeros(self.space.n_col());
        row[0] = -value;
        row[column] = Int::one();
        Ok(match bound {
            Bound::Equal => self.constrained(&row, true),
            Bound::Lower => self.constrained(&row, false),
            Bound::Upper => self.constrained(&row::negated(&row), false),
        })
    }
}
