//! [`Map`]: a relation between integer points of two tuples.

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::space::{DimKind, Space, Tuple};

use super::boolean::Bound;
use super::wrapper::common_methods;
use super::{Conjunction, Relation, Set, mismatch};

/// A relation between points of two tuples, as a union of conjunctions. An immutable value.
///
/// Example: `[n] -> { S[i] -> A[i + 1] : 0 <= i < n }`. Dimensions of the domain have kind [`DimKind::In`], those of the
/// range [`DimKind::Out`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map(pub(crate) Relation);

common_methods!(Map);

impl Map {
    /// The same relation to a tuple without a name, whose dimensions have none either.
    pub fn with_anonymous_range(&self) -> Result<Map> {
        let tuple = Tuple::anonymous(self.space().dim(DimKind::Out));
        self.with_space(&self.space().with_tuple(DimKind::Out, tuple))
    }

    /// The identity relation on a set space.
    pub fn identity(space: &Space) -> Result<Map> {
        Ok(Map(super::compose::identity(space)?))
    }

    /// All pairs of points of a set space with `x` lexicographically less than `y`. One conjunction per dimension.
    pub fn lex_lt(space: &Space) -> Result<Map> {
        Ok(Map(super::compose::lexicographic(space, false, false)?))
    }

    /// All pairs of points of a set space with `x` lexicographically less than or equal to `y`.
    pub fn lex_le(space: &Space) -> Result<Map> {
        Ok(Map(super::compose::lexicographic(space, false, true)?))
    }

    /// All pairs of points of a set space with `x` lexicographically greater than `y`.
    pub fn lex_gt(space: &Space) -> Result<Map> {
        Ok(Map(super::compose::lexicographic(space, true, false)?))
    }

    /// All pairs of points of a set space with `x` lexicographically greater than or equal to `y`.
    pub fn lex_ge(space: &Space) -> Result<Map> {
        Ok(Map(super::compose::lexicographic(space, true, true)?))
    }

    /// All pairs of a point of `domain` and a point of `range`.
    pub fn from_domain_and_range(domain: &Set, range: &Set, budget: &Budget) -> Result<Map> {
        let space = Space::map(domain.space(), range.space());
        Map::universe(space).intersect_domain(domain, budget)?.intersect_range(range, budget)
    }

    /// The relation with domain and range exchanged.
    pub fn reverse(&self) -> Map {
        Map(self.0.reverse())
    }

    /// The points that have an image. Exact.
    pub fn domain(&self, budget: &Budget) -> Result<Set> {
        Ok(Set(self.0.domain(budget)?))
    }

    /// The points that are an image. Exact.
    pub fn range(&self, budget: &Budget) -> Result<Set> {
        Ok(Set(self.0.reverse().domain(budget)?))
    }

    /// The composition: pairs `(x, z)` with `(x, y)` here and `(y, z)` in `other`. Exact.
    pub fn apply_range(&self, other: &Map, budget: &Budget) -> Result<Map> {
        Ok(Map(self.0.apply_range(&other.0, budget)?))
    }

    /// Pairs `(z, y)` with `(x, y)` here and `(x, z)` in `other`. Exact.
    pub fn apply_domain(&self, other: &Map, budget: &Budget) -> Result<Map> {
        Ok(self.reverse().apply_range(other, budget)?.reverse())
    }

    /// The pairs whose first point is in `set`.
    pub fn intersect_domain(&self, set: &Set, budget: &Budget) -> Result<Map> {
        Ok(Map(self.0.intersect_tuple(&set.0, DimKind::In, budget)?))
    }

    /// The pairs whose second point is in `set`.
    pub fn intersect_range(&self, set: &Set, budget: &Budget) -> Result<Map> {
        Ok(Map(self.0.intersect_tuple(&set.0, DimKind::Out, budget)?))
    }

    /// The pairs whose first point is not in `set`.
    pub fn subtract_domain(&self, set: &Set, budget: &Budget) -> Result<Map> {
        let all = Set::universe(self.space().range());
        self.subtract(&Map::from_domain_and_range(set, &all, budget)?, budget)
    }

    /// The pairs whose second point is not in `set`.
    pub fn subtract_range(&self, set: &Set, budget: &Budget) -> Result<Map> {
        let all = Set::universe(self.space().domain());
        self.subtract(&Map::from_domain_and_range(&all, set, budget)?, budget)
    }

    /// The differences `y - x` of all pairs, for a relation between points of one tuple. Exact.
    pub fn deltas(&self, budget: &Budget) -> Result<Set> {
        Ok(Set(self.0.deltas(budget)?))
    }

    /// The pairs where dimension `a` of the domain equals dimension `b` of the range.
    pub fn equate(&self, a: usize, b: usize) -> Result<Map> {
        Ok(Map(self.0.compared(a, b, true)?))
    }

    /// The pairs where dimension `a` of the domain is less than dimension `b` of the range.
    pub fn order_lt(&self, a: usize, b: usize) -> Result<Map> {
        Ok(Map(self.0.compared(a, b, false)?))
    }

    /// `A -> [B -> C]` of all `(x, [y -> z])` with `(x, y)` here and `(x, z)` in `other`.
    pub fn range_product(&self, other: &Map, budget: &Budget) -> Result<Map> {
        let tuple = Tuple::nest(self.space().range_tuple(), other.space().range_tuple());
        Ok(Map(self.0.range_product(&other.0, tuple, budget)?))
    }

    /// Like [`Map::range_product`] with the two images concatenated to one unnamed flat tuple.
    pub fn flat_range_product(&self, other: &Map, budget: &Budget) -> Result<Map> {
        let tuple = self.space().range_tuple().concat(other.space().range_tuple());
        Ok(Map(self.0.range_product(&other.0, tuple, budget)?))
    }

    /// `[A -> B] -> C` of all `([x -> y], z)` with `(x, z)` here and `(y, z)` in `other`.
    pub fn domain_product(&self, other: &Map, budget: &Budget) -> Result<Map> {
        Ok(self.reverse().range_product(&other.reverse(), budget)?.reverse())
    }

    /// `[A -> C] -> [B -> D]` of a map `A -> B` and a map `C -> D`.
    pub fn product(&self, other: &Map, budget: &Budget) -> Result<Map> {
        Ok(Map(self.0.product(&other.0, budget)?))
    }

    /// `A -> B` of `A -> [B -> C]`: the first factor of the range. Exact.
    pub fn range_factor_domain(&self, budget: &Budget) -> Result<Map> {
        Ok(Map(self.0.factor(DimKind::Out, true, budget)?))
    }

    /// `A -> C` of `A -> [B -> C]`: the second factor of the range. Exact.
    pub fn range_factor_range(&self, budget: &Budget) -> Result<Map> {
        Ok(Map(self.0.factor(DimKind::Out, false, budget)?))
    }

    /// `A -> C` of `[A -> B] -> C`: the first factor of the domain. Exact.
    pub fn domain_factor_domain(&self, budget: &Budget) -> Result<Map> {
        Ok(Map(self.0.factor(DimKind::In, true, budget)?))
    }

    /// `B -> C` of `[A -> B] -> C`: the second factor of the domain. Exact.
    pub fn domain_factor_range(&self, budget: &Budget) -> Result<Map> {
        Ok(Map(self.0.factor(DimKind::In, false, budget)?))
    }

    /// `A -> [B -> C]` of `[A -> B] -> C`.
    pub fn curry(&self) -> Result<Map> {
        let (a, b) = self.factors(DimKind::In, "curry", "a map with a wrapped domain")?;
        let range = Tuple::nest(&b, self.space().range_tuple());
        Ok(Map(self.0.with_space(Space::map_of(self.space(), a, range))))
    }

    /// `[A -> B] -> C` of `A -> [B -> C]`.
    pub fn uncurry(&self) -> Result<Map> {
        let (b, c) = self.factors(DimKind::Out, "uncurry", "a map with a wrapped range")?;
        let domain = match self.space().domain_tuple() {
            Some(a) => Tuple::nest(a, &b),
            None => b,
        };
        Ok(Map(self.0.with_space(Space::map_of(self.space(), domain, c))))
    }

    fn factors(&self, kind: DimKind, operation: &'static str, expected: &'static str) -> Result<(Tuple, Tuple)> {
        let factors = self.space().tuple(kind).and_then(Tuple::factors);
        factors.ok_or_else(|| Error::WrongShape { operation, space: self.space().clone(), expected })
    }

    /// The set of the wrapped pairs `[A -> B]`.
    pub fn wrap(&self) -> Set {
        Set(self.0.with_space(self.space().wrap()))
    }

    /// Whether no point has two images. Exact.
    pub fn is_single_valued(&self, budget: &Budget) -> Result<bool> {
        self.0.is_single_valued(budget)
    }

    /// Whether no two points share an image. Exact.
    pub fn is_injective(&self, budget: &Budget) -> Result<bool> {
        self.0.reverse().is_single_valued(budget)
    }

    /// Whether it is single-valued and injective. Exact.
    pub fn is_bijective(&self, budget: &Budget) -> Result<bool> {
        Ok(self.is_single_valued(budget)? && self.is_injective(budget)?)
    }
}
