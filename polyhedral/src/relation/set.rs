//! [`Set`]: a set of integer points in one space.

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::space::{DimKind, Space};

use super::boolean::Bound;
use super::wrapper::common_methods;
use super::{Conjunction, Map, Relation, mismatch};

/// A set of integer points of one tuple (or of parameter values), as a union of conjunctions. An immutable value.
///
/// Example: `[n] -> { S[i] : 0 <= i < n }`. The dimensions have kind [`DimKind::Out`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set(pub(crate) Relation);

common_methods!(Set);

impl Set {
    /// The image under a map whose domain is the space of this set. Exact.
    pub fn apply(&self, map: &Map, budget: &Budget) -> Result<Set> {
        map.intersect_domain(self, budget)?.range(budget)
    }

    /// The identity relation on the points of this set.
    pub fn identity(&self) -> Result<Map> {
        Map::identity(self.space())?.intersect_domain(self, &Budget::unlimited())
    }

    /// The relation that a set of wrapped pairs `[A -> B]` stands for.
    pub fn unwrap(&self) -> Result<Map> {
        let space = self.space().unwrap().ok_or_else(|| Error::WrongShape {
            operation: "unwrap",
            space: self.space().clone(),
            expected: "a set of wrapped maps",
        })?;
        Ok(Map(self.0.with_space(space)))
    }

    /// All pairs of a point of `self` and a point of `other`, as a relation.
    pub fn product_map(&self, other: &Set, budget: &Budget) -> Result<Map> {
        Map::from_domain_and_range(self, other, budget)
    }

    /// All pairs of points, in the space `[A -> B]`.
    pub fn product(&self, other: &Set, budget: &Budget) -> Result<Set> {
        Ok(Map::from_domain_and_range(self, other, budget)?.wrap())
    }

    /// All pairs of points, concatenated to one unnamed flat tuple.
    pub fn flat_product(&self, other: &Set, budget: &Budget) -> Result<Set> {
        let pairs = self.product(other, budget)?;
        let flat = pairs.space().range_tuple().flattened();
        Ok(Set(pairs.0.with_space(pairs.space().with_tuple(DimKind::Out, flat))))
    }

    /// The set over the empty unnamed tuple turned into a set over only parameters; other sets: everything projected out.
    pub fn to_params(&self, budget: &Budget) -> Result<Set> {
        self.params(budget)
    }

    /// The same parameter constraints as a set over a given space (only parameters may be constrained in `self`).
    pub fn from_params(&self, space: &Space, budget: &Budget) -> Result<Set> {
        Set::universe(space.clone()).intersect_params(self, budget)
    }
}
