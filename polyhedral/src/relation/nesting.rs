//! Nested tuples: zip, curry, products and factors, the maps between a wrapped pair and its parts, flattening.
//!
//! Most operations here only rename tuples or permute columns and cost a pass over the constraints. Those that combine
//! two operands form one conjunction per pair of conjunctions; those that take a parameter `&Budget` and drop a tuple
//! project.

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::space::{DimKind, Space, Tuple};

use super::row;
use super::{Map, Relation, Set, mismatch};

/// The error for an operand of the wrong structure.
fn wrong_shape(operation: &'static str, space: &Space, expected: &'static str) -> Error {
    Error::WrongShape { operation, space: space.clone(), expected }
}

/// The columns `first..first + n`.
fn columns(first: usize, n: usize) -> std::ops::Range<usize> {
    first..first + n
}

impl Relation {
    /// The two factors of a tuple.
    fn factors_of(&self, operation: &'static str, kind: DimKind, expected: &'static str) -> Result<(Tuple, Tuple)> {
        let factors = self.space.tuple(kind).and_then(Tuple::factors);
        factors.ok_or_else(|| wrong_shape(operation, &self.space, expected))
    }

    /// Exchanges the factors of a nested tuple.
    fn exchange_factors(&self, operation: &'static str, kind: DimKind, expected: &'static str) -> Result<Relation> {
        let (a, b) = self.factors_of(operation, kind, expected)?;
        let space = self.space.with_tuple(kind, Tuple::nest(&b, &a));
        let start = self.space.offset(kind);
        let end = start + a.len() + b.len();
        let order: Vec<usize> = (0..start)
            .chain(columns(start + a.len(), b.len()))
            .chain(columns(start, a.len()))
            .chain(end..self.space.n_col())
            .collect();
        Ok(self.permuted(space, &order))
    }

    /// The same relation with another tuple of the same number of dimensions.
    fn with_tuple(&self, kind: DimKind, tuple: Tuple) -> Relation {
        self.with_space(self.space.with_tuple(kind, tuple))
    }

    /// The same relation with a flat, unnamed tuple.
    fn flattened(&self, kind: DimKind) -> Relation {
        match self.space.tuple(kind) {
            Some(tuple) => self.with_tuple(kind, tuple.flattened()),
            None => self.clone(),
        }
    }

    /// The pairs `(x, f(x))` for all points `x` of a set, where `f` gives some integer combinations of the dimensions:
    /// each component is a list of `(dimension, coefficient)`.
    fn to_graph(&self, domain: &Tuple, range: Tuple, components: &[Vec<(usize, i64)>]) -> Relation {
        let space = Space::map_of(&self.space, domain.clone(), range);
        let first = self.space.n_col();
        let start = space.offset(DimKind::In);
        let map: Vec<usize> = (0..first).collect();
        let parts = self.parts.iter().map(|part| {
            let mut c = part.remap_columns(space.clone(), &map);
            for (k, component) in components.iter().enumerate() {
                let mut row = row::zeros(space.n_col());
                row[first + k] -= 1;
                for &(dim, coefficient) in component {
                    row[start + dim] += coefficient;
                }
                c.add_eq(row);
            }
            c
        });
        Relation::from_parts(space.clone(), parts)
    }

    /// The points where the point made of some columns lies in `other`; `order[c]` is the column here of its column `c`
    /// after the parameters.
    fn intersect_columns(&self, other: &Relation, order: &[usize], budget: &Budget) -> Result<Relation> {
        let (left, right) = self.aligned(other);
        let start = left.space.offset(DimKind::In);
        let shift = start - self.space.offset(DimKind::In);
        let map: Vec<usize> = (0..start).chain(order.iter().map(|c| c + shift)).collect();
        left.intersect(&right.remap_columns(left.space.clone(), &map), budget)
    }
}

/// The components that copy the `n` dimensions from `first` on.
fn copies(first: usize, n: usize) -> Vec<Vec<(usize, i64)>> {
    columns(first, n).map(|d| vec![(d, 1)]).collect()
}

impl Map {
    /// `[A -> C] -> [B -> D]` of `[A -> B] -> [C -> D]`.
    pub fn zip(&self) -> Result<Map> {
        const EXPECTED: &str = "a map between wrapped maps";
        let (a, b) = self.0.factors_of("zip", DimKind::In, EXPECTED)?;
        let (c, d) = self.0.factors_of("zip", DimKind::Out, EXPECTED)?;
        let space = Space::map_of(self.space(), Tuple::nest(&a, &c), Tuple::nest(&b, &d));
        let start = self.space().offset(DimKind::In);
        let (b_at, c_at) = (start + a.len(), start + a.len() + b.len());
        let order: Vec<usize> = (0..b_at)
            .chain(columns(c_at, c.len()))
            .chain(columns(b_at, b.len()))
            .chain(c_at + c.len()..self.space().n_col())
            .collect();
        Ok(Map(self.0.permuted(space, &order)))
    }

    /// `A -> [B -> [C -> D]]` of `A -> [[B -> C] -> D]`.
    pub fn range_curry(&self) -> Result<Map> {
        self.regrouped("curry the range", DimKind::Out, "a map to a wrapped map with a wrapped domain", Tuple::curried)
    }

    /// `A -> [[B -> C] -> D]` of `A -> [B -> [C -> D]]`.
    pub fn range_uncurry(&self) -> Result<Map> {
        self.regrouped(
            "uncurry the range",
            DimKind::Out,
            "a map to a wrapped map with a wrapped range",
            Tuple::uncurried,
        )
    }

    /// `[A -> [B -> C]] -> D` of `[[A -> B] -> C] -> D`.
    pub fn domain_curry(&self) -> Result<Map> {
        self.regrouped("curry the domain", DimKind::In, "a map of a wrapped map with a wrapped domain", Tuple::curried)
    }

    /// `[[A -> B] -> C] -> D` of `[A -> [B -> C]] -> D`.
    pub fn domain_uncurry(&self) -> Result<Map> {
        self.regrouped(
            "uncurry the domain",
            DimKind::In,
            "a map of a wrapped map with a wrapped range",
            Tuple::uncurried,
        )
    }

    fn regrouped(
        &self,
        operation: &'static str,
        kind: DimKind,
        expected: &'static str,
        f: impl Fn(&Tuple) -> Option<Tuple>,
    ) -> Result<Map> {
        let tuple =
            self.space().tuple(kind).and_then(f).ok_or_else(|| wrong_shape(operation, self.space(), expected))?;
        Ok(Map(self.0.with_tuple(kind, tuple)))
    }

    /// `A -> [C -> B]` of `A -> [B -> C]`.
    pub fn range_reverse(&self) -> Result<Map> {
        Ok(Map(self.0.exchange_factors("reverse the range", DimKind::Out, "a map with a wrapped range")?))
    }

    /// `[B -> A] -> C` of `[A -> B] -> C`.
    pub fn domain_reverse(&self) -> Result<Map> {
        Ok(Map(self.0.exchange_factors("reverse the domain", DimKind::In, "a map with a wrapped domain")?))
    }

    /// The map `[A -> B] -> A` from each pair of the relation to its first point.
    pub fn domain_map(&self) -> Map {
        let domain = self.space().domain_tuple().cloned().unwrap_or_default();
        self.wrap_to(domain.clone(), &copies(0, domain.len()))
    }

    /// The map `[A -> B] -> B` from each pair of the relation to its second point.
    pub fn range_map(&self) -> Map {
        let first = self.space().dim(DimKind::In);
        self.wrap_to(self.space().range_tuple().clone(), &copies(first, self.space().dim(DimKind::Out)))
    }

    /// The map `[A -> A] -> A` from each pair `(x, y)` of a relation between points of one tuple to `y - x`.
    pub fn deltas_map(&self) -> Result<Map> {
        let tuple = self.space().range_tuple();
        if self.space().domain_tuple() != Some(tuple) {
            return Err(mismatch("form the differences", &self.space().domain(), &self.space().range()));
        }
        let n = tuple.len();
        let components: Vec<_> = (0..n).map(|k| vec![(k, -1), (n + k, 1)]).collect();
        Ok(self.wrap_to(tuple.clone(), &components))
    }

    fn wrap_to(&self, range: Tuple, components: &[Vec<(usize, i64)>]) -> Map {
        let wrapped = self.0.with_space(self.space().wrap());
        Map(wrapped.to_graph(wrapped.space.range_tuple(), range, components))
    }

    /// The same pairs with both tuples flat and unnamed.
    pub fn flatten(&self) -> Map {
        self.flatten_domain().flatten_range()
    }

    /// The same pairs with a flat, unnamed domain tuple.
    pub fn flatten_domain(&self) -> Map {
        Map(self.0.flattened(DimKind::In))
    }

    /// The same pairs with a flat, unnamed range tuple.
    pub fn flatten_range(&self) -> Map {
        Map(self.0.flattened(DimKind::Out))
    }

    /// `(A, C) -> (B, D)` of `A -> B` and `C -> D`: the product with both tuples flat and unnamed.
    pub fn flat_product(&self, other: &Map, budget: &Budget) -> Result<Map> {
        Ok(self.product(other, budget)?.flatten())
    }

    /// `(A, B) -> C` of `A -> C` and `B -> C`: the domain product with a flat, unnamed domain.
    pub fn flat_domain_product(&self, other: &Map, budget: &Budget) -> Result<Map> {
        Ok(self.domain_product(other, budget)?.flatten_domain())
    }

    /// `A -> B` of `[A -> C] -> [B -> D]`: the first factor of a product. Exact.
    pub fn factor_domain(&self, budget: &Budget) -> Result<Map> {
        self.domain_factor_domain(budget)?.range_factor_domain(budget)
    }

    /// `C -> D` of `[A -> C] -> [B -> D]`: the second factor of a product. Exact.
    pub fn factor_range(&self, budget: &Budget) -> Result<Map> {
        self.domain_factor_range(budget)?.range_factor_range(budget)
    }

    /// The elements `([x -> y], z)` of `[A -> B] -> C` with `(x, z)` in `factor`.
    pub fn intersect_domain_factor_domain(&self, factor: &Map, budget: &Budget) -> Result<Map> {
        self.intersect_factor(DimKind::In, true, factor, budget)
    }

    /// The elements `([x -> y], z)` of `[A -> B] -> C` with `(y, z)` in `factor`.
    pub fn intersect_domain_factor_range(&self, factor: &Map, budget: &Budget) -> Result<Map> {
        self.intersect_factor(DimKind::In, false, factor, budget)
    }

    /// The elements `(x, [y -> z])` of `A -> [B -> C]` with `(x, y)` in `factor`.
    pub fn intersect_range_factor_domain(&self, factor: &Map, budget: &Budget) -> Result<Map> {
        self.intersect_factor(DimKind::Out, true, factor, budget)
    }

    /// The elements `(x, [y -> z])` of `A -> [B -> C]` with `(x, z)` in `factor`.
    pub fn intersect_range_factor_range(&self, factor: &Map, budget: &Budget) -> Result<Map> {
        self.intersect_factor(DimKind::Out, false, factor, budget)
    }

    fn intersect_factor(&self, kind: DimKind, first: bool, factor: &Map, budget: &Budget) -> Result<Map> {
        const OPERATION: &str = "restrict a factor";
        let (a, b) = self.0.factors_of(OPERATION, kind, "a map with a wrapped tuple there")?;
        let (own, skip) = if first { (&a, 0) } else { (&b, a.len()) };
        if *factor.space() != self.space().with_tuple(kind, own.clone()).with_params_of(factor.space()) {
            return Err(mismatch(OPERATION, self.space(), factor.space()));
        }
        let mut order = Vec::with_capacity(factor.space().n_col());
        for part in [DimKind::In, DimKind::Out] {
            let start = self.space().offset(part);
            order.extend(if part == kind {
                columns(start + skip, own.len())
            } else {
                columns(start, self.space().dim(part))
            });
        }
        Ok(Map(self.0.intersect_columns(&factor.0, &order, budget)?))
    }

    /// The elements `([x -> y], z)` of `[A -> B] -> C` with `x` in `set`.
    pub fn intersect_domain_wrapped_domain(&self, set: &Set, budget: &Budget) -> Result<Map> {
        self.intersect_wrapped_domain(DimKind::In, set, budget)
    }

    /// The elements `(x, [y -> z])` of `A -> [B -> C]` with `y` in `set`.
    pub fn intersect_range_wrapped_domain(&self, set: &Set, budget: &Budget) -> Result<Map> {
        self.intersect_wrapped_domain(DimKind::Out, set, budget)
    }

    fn intersect_wrapped_domain(&self, kind: DimKind, set: &Set, budget: &Budget) -> Result<Map> {
        const OPERATION: &str = "restrict a factor";
        let (a, _) = self.0.factors_of(OPERATION, kind, "a map with a wrapped tuple there")?;
        if !set.space().is_set() || *set.space().range_tuple() != a {
            return Err(mismatch(OPERATION, self.space(), set.space()));
        }
        let order: Vec<usize> = columns(self.space().offset(kind), a.len()).collect();
        Ok(Map(self.0.intersect_columns(&set.0, &order, budget)?))
    }

    /// Whether the domain is a tuple `[A -> B]`.
    pub fn domain_is_wrapping(&self) -> bool {
        self.space().domain_tuple().is_some_and(Tuple::is_nested)
    }

    /// Whether the range is a tuple `[A -> B]`.
    pub fn range_is_wrapping(&self) -> bool {
        self.space().range_tuple().is_nested()
    }

    /// Whether both tuples are nested: the form of [`Map::product`] and of the operand of [`Map::zip`].
    pub fn is_product(&self) -> bool {
        self.domain_is_wrapping() && self.range_is_wrapping()
    }
}

impl Set {
    /// `[B -> A]` of a set of pairs `[A -> B]`.
    pub fn wrapped_reverse(&self) -> Result<Set> {
        Ok(Set(self.0.exchange_factors("reverse", DimKind::Out, "a set of wrapped maps")?))
    }

    /// The map `[A -> B] -> A` of a set of pairs `[A -> B]`.
    pub fn wrapped_domain_map(&self) -> Result<Map> {
        Ok(self.unwrap()?.domain_map())
    }

    /// The map `[A -> B] -> B` of a set of pairs `[A -> B]`.
    pub fn wrapped_range_map(&self) -> Result<Map> {
        Ok(self.unwrap()?.range_map())
    }

    /// Whether the tuple is `[A -> B]`.
    pub fn is_wrapping(&self) -> bool {
        self.space().range_tuple().is_nested()
    }

    /// The same points in a flat, unnamed tuple.
    pub fn flatten(&self) -> Set {
        Set(self.0.flattened(DimKind::Out))
    }

    /// The map from each point to the same point in a flat, unnamed tuple.
    pub fn flatten_map(&self) -> Map {
        let n = self.space().dim(DimKind::Out);
        Map(self.0.to_graph(self.space().range_tuple(), self.space().range_tuple().flattened(), &copies(0, n)))
    }

    /// The set `A` of the first points of a set of pairs `[A -> B]`. Exact.
    pub fn factor_domain(&self, budget: &Budget) -> Result<Set> {
        self.unwrap()?.domain(budget)
    }

    /// The set `B` of the second points of a set of pairs `[A -> B]`. Exact.
    pub fn factor_range(&self, budget: &Budget) -> Result<Set> {
        self.unwrap()?.range(budget)
    }

    /// The pairs of a set `[A -> B]` whose first point is in `factor`.
    pub fn intersect_factor_domain(&self, factor: &Set, budget: &Budget) -> Result<Set> {
        Ok(self.unwrap()?.intersect_domain(factor, budget)?.wrap())
    }

    /// The pairs of a set `[A -> B]` whose second point is in `factor`.
    pub fn intersect_factor_range(&self, factor: &Set, budget: &Budget) -> Result<Set> {
        Ok(self.unwrap()?.intersect_range(factor, budget)?.wrap())
    }

    /// The map `A -> (x_first, ..., x_first+n-1)` from each point to some of its coordinates, unnamed.
    pub fn project_onto_map(&self, first: usize, n: usize) -> Result<Map> {
        super::check_dims("project", self.space(), DimKind::Out, first, n)?;
        Ok(Map(self.0.to_graph(self.space().range_tuple(), Tuple::anonymous(n), &copies(first, n))))
    }

    /// The map `A -> B` for a set over `B` and a set space over `A`: every point of `A` goes to every point of the set.
    pub fn insert_domain(&self, domain: &Space, budget: &Budget) -> Result<Map> {
        Map::from_domain_and_range(&Set::universe(domain.clone()), self, budget)
    }

    /// The translations by the points of the set: `x -> x + d` for all `d` here and all `x` of the space.
    pub fn translation(&self) -> Map {
        let n = self.space().dim(DimKind::Out);
        let tuple = self.space().range_tuple();
        let pairs = Space::set_of(self.space(), Tuple::nest(tuple, tuple));
        let start = self.space().offset(DimKind::Out);
        let map: Vec<usize> = (0..start).chain(columns(start + n, n)).collect();
        let both = self.0.remap_columns(pairs, &map);
        let components: Vec<_> = (0..n).map(|k| vec![(k, 1), (n + k, 1)]).collect();
        let graph = both.to_graph(both.space.range_tuple(), tuple.clone(), &components);
        // Every equality defines a coordinate of the range; the difference is one of them too, so that it disappears.
        let space = Space::map_of(self.space(), tuple.clone(), tuple.clone());
        let keep: Vec<Option<usize>> = (0..start + 3 * n)
            .map(|c| match c {
                c if c < start + n => Some(c),
                c if c < start + 2 * n => None,
                c => Some(c - n),
            })
            .collect();
        let parts = graph.parts.iter().map(|p| p.existentialize(space.clone(), &keep));
        Map(Relation::from_parts(space.clone(), parts))
    }
}
