//! Integer sets and relations: unions of conjunctions ([`Conjunction`]) in one space ([`Set`], [`Map`]) or in many
//! ([`UnionSet`], [`UnionMap`]).
//!
//! All operations are exact over the integers; the few that approximate say so in their name. Operations that can be
//! expensive take a [`Budget`] as last argument. Binary operations align the parameters of their operands by name.
//!
//! A [`Set`] and a [`Map`] are thin typed wrappers around the internal `Relation`, so that every algorithm exists once.

mod affine_hull;
mod approximate;
mod boolean;
mod bounded;
mod closure;
mod coalesce;
mod compose;
mod conjunction;
mod convex_hull;
mod difference;
mod dims;
mod divs;
mod double_description;
mod eliminate;
mod existentials;
mod facts;
mod gauss;
mod hull;
mod lattice;
mod map;
mod members;
mod nesting;
mod orders;
mod parallel;
mod points;
mod print;
mod reduce;
mod set;
mod simplify;
mod solved;
mod union;
mod union_nesting;
mod wrapper;

use std::sync::Arc;

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::space::{DimKind, Space};

pub use crate::arith::Row;
use crate::arith::row;
pub use conjunction::{Conjunction, Div};
pub use dims::Comparison;
pub(crate) use divs::normalize_divs;
pub(crate) use double_description::generators;
use facts::Facts;
pub use map::Map;
pub use orders::Lexicographic;
pub(crate) use points::unbounded;
pub(crate) use print::{Columns, Printer, column_names, conditions, object, params};
pub(crate) use row::{add_scaled, all_zero, div_exact, eval, gcd, negated, remap, scale, zeros};
pub use set::Set;
pub use union::{UnionMap, UnionSet};

/// A union of simplified conjunctions in one space: what sets and maps have in common.
///
/// The parts are shared: cloning a relation copies pointers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Relation {
    space: Space,
    parts: Arc<Vec<Conjunction>>,
}

impl Relation {
    pub(crate) fn empty(space: Space) -> Relation {
        Relation { space, parts: Arc::default() }
    }

    pub(crate) fn universe(space: Space) -> Relation {
        Relation { parts: Arc::new(vec![Conjunction::universe(space.clone())]), space }
    }

    /// The union of parts as they are: simplified, none of them plainly empty.
    pub(crate) fn of_parts(space: Space, mut parts: Vec<Conjunction>) -> Relation {
        parts.iter_mut().for_each(|p| p.facts = Facts::default());
        Relation { space, parts: Arc::new(parts) }
    }

    /// The parts, as values of their own.
    pub(crate) fn into_parts(self) -> Vec<Conjunction> {
        Arc::unwrap_or_clone(self.parts)
    }

    /// Simplifies the parts and drops those that are plainly empty or repeated.
    pub(crate) fn from_parts(space: Space, parts: impl IntoIterator<Item = Conjunction>) -> Relation {
        let mut result = Relation::empty(space);
        for part in parts {
            result.push(part.simplify());
        }
        result
    }

    /// Adds a simplified part unless it is plainly empty or already there.
    pub(crate) fn push(&mut self, mut part: Conjunction) {
        part.facts = Facts::default();
        debug_assert_eq!(part.space, self.space);
        if part.is_plainly_empty() {
            return;
        }
        if part.is_plainly_universe() {
            self.parts = Arc::default();
        } else if self.parts.first().is_some_and(Conjunction::is_plainly_universe) || self.parts.contains(&part) {
            return;
        }
        part.shrink();
        let parts = Arc::make_mut(&mut self.parts);
        // Most relations have one part or few.
        if parts.len() < 4 {
            parts.reserve_exact(1);
        }
        parts.push(part.with_space(self.space.clone()));
    }

    pub(crate) fn space(&self) -> &Space {
        &self.space
    }

    pub(crate) fn parts(&self) -> &[Conjunction] {
        &self.parts
    }

    pub(crate) fn is_plainly_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub(crate) fn is_plainly_universe(&self) -> bool {
        self.parts().iter().any(Conjunction::is_plainly_universe)
    }

    /// This relation; the other one if both have the same parts, so that these are kept once. It gets to know what this one does.
    pub(crate) fn or_same(self, other: &Relation) -> Relation {
        if Arc::ptr_eq(&self.parts, &other.parts) || self != *other {
            return self;
        }
        other.parts.iter().zip(self.parts.iter()).for_each(|(kept, gone)| kept.facts.learn(&gone.facts));
        other.clone()
    }

    /// The same relation in a space with the same columns.
    pub(crate) fn with_space(&self, space: Space) -> Relation {
        if self.space.is_same(&space) {
            return self.clone();
        }
        let parts = self.parts().iter().map(|p| p.clone().with_space(space.clone())).collect();
        Relation { space, parts: Arc::new(parts) }
    }

    /// The same relation with at least the parameters of `params`, those of `params` first.
    pub(crate) fn align_params(&self, params: &Space) -> Relation {
        let all = params.align_params(&self.space);
        if self.space.has_equal_params(&all) {
            return self.clone();
        }
        let parts = self.parts().iter().map(|p| p.align_params(&all)).collect();
        Relation { space: self.space.with_params_of(&all), parts: Arc::new(parts) }
    }

    /// Both operands with the same parameters.
    pub(crate) fn aligned(&self, other: &Relation) -> (Relation, Relation) {
        if self.space.has_equal_params(&other.space) {
            return (self.clone(), other.clone());
        }
        let left = self.align_params(&self.space.align_params(&other.space));
        let right = other.align_params(&left.space);
        (left, right)
    }

    /// Both operands with the same parameters, after the check that they live in the same space.
    pub(crate) fn aligned_same(&self, operation: &'static str, other: &Relation) -> Result<(Relation, Relation)> {
        if !self.space.has_equal_tuples(&other.space) {
            return Err(mismatch(operation, &self.space, &other.space));
        }
        Ok(self.aligned(other))
    }

    /// Moves the columns of every part, see [`Conjunction::remap_columns`].
    pub(crate) fn remap_columns(&self, space: Space, map: &[usize]) -> Relation {
        if map.is_sorted_by(|a, b| a < b) {
            // The same columns in the same order, with others between them: what is simplified stays so.
            let mut result = Relation::empty(space.clone());
            self.parts().iter().for_each(|part| result.push(part.remap_columns(space.clone(), map)));
            return result;
        }
        Relation::from_parts(space.clone(), self.parts().iter().map(|p| p.remap_columns(space.clone(), map)))
    }

    /// Adds one constraint to every part.
    pub(crate) fn constrained(&self, row: &[Int], equality: bool) -> Relation {
        let parts = self.parts().iter().map(|p| {
            let mut p = p.clone();
            if equality {
                p.add_eq(Row::from(row))
            } else {
                p.add_ineq(Row::from(row))
            }
            p
        });
        Relation::from_parts(self.space.clone(), parts)
    }

    /// The column of a dimension, checked.
    pub(crate) fn column(&self, operation: &'static str, kind: DimKind, pos: usize) -> Result<usize> {
        check_dims(operation, &self.space, kind, pos, 1)?;
        Ok(self.space.offset(kind) + pos)
    }

    /// Inserts unconstrained dimensions before `pos`.
    pub(crate) fn insert_dims(&self, kind: DimKind, pos: usize, n: usize) -> Result<Relation> {
        if kind == DimKind::Param || self.space.tuple(kind).is_none() || pos > self.space.dim(kind) {
            return Err(out_of_range("insert dimensions", &self.space, kind, pos));
        }
        let space = self.space.insert_dims(kind, pos, n);
        let at = self.space.offset(kind) + pos;
        let map: Vec<usize> = (0..self.space.n_col()).map(|c| if c < at { c } else { c + n }).collect();
        Ok(self.remap_columns(space, &map))
    }

    pub(crate) fn contains(&self, point: &[Int], budget: &Budget) -> Result<bool> {
        for part in self.parts() {
            if part.contains(point, budget)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(crate) fn sample(&self, budget: &Budget) -> Result<Option<Vec<Int>>> {
        for part in self.parts() {
            if let Some(point) = part.sample(budget)? {
                return Ok(Some(point));
            }
        }
        Ok(None)
    }
}

/// The error for operands in different spaces.
pub(crate) fn mismatch(operation: &'static str, left: &Space, right: &Space) -> Error {
    Error::SpaceMismatch { operation, left: left.clone(), right: right.clone() }
}

/// The error for a dimension that does not exist.
pub(crate) fn out_of_range(operation: &'static str, space: &Space, kind: DimKind, pos: usize) -> Error {
    Error::OutOfRange { operation, what: format!("{space} has no dimension {pos} of kind {kind:?}") }
}

/// Checks that `n` dimensions of a kind exist from `first` on.
pub(crate) fn check_dims(operation: &'static str, space: &Space, kind: DimKind, first: usize, n: usize) -> Result<()> {
    if kind == DimKind::Local || first.checked_add(n).is_none_or(|end| end > space.dim(kind)) {
        return Err(out_of_range(operation, space, kind, first + n.saturating_sub(1)));
    }
    Ok(())
}
