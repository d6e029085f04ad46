//! Operations of [`UnionSet`] and [`UnionMap`] that move tuples around or compare points: products, factors, wrapped
//! maps, lexicographic orders.
//!
//! An operation that needs a certain structure applies to the members that have it and leaves the others out, as there
//! is no pair of points that it could say something about. Two operands meet in all pairs of members that fit.

use std::sync::Arc;

use crate::budget::Budget;
use crate::error::Result;
use crate::space::{DimKind, Space};

use super::{Lexicographic, Map, Set, UnionMap, UnionSet};

impl UnionSet {
    /// Applies `f` to the members that it fits and collects the maps.
    fn to_maps(&self, f: impl Fn(&Set) -> Result<Option<Map>>) -> Result<UnionMap> {
        let mut result = UnionMap::empty(self.params_space());
        for set in self.members() {
            if let Some(map) = f(set)? {
                result.insert(map)?;
            }
        }
        Ok(result)
    }

    /// All points of all spaces that have a member.
    pub fn universe(&self) -> UnionSet {
        let mut result = self.clone();
        for set in Arc::make_mut(&mut result.members).values_mut() {
            *set = Set::universe(set.space().clone());
        }
        result
    }

    /// All pairs of points, in the spaces `[A -> B]`.
    pub fn product(&self, other: &UnionSet, budget: &Budget) -> Result<UnionSet> {
        self.product_map(other, budget)?.wrap()
    }

    /// The pairs of a point here and a point of the same tuple in `other` that compare lexicographically in the given
    /// way.
    pub fn lex_order(&self, order: Lexicographic, other: &UnionSet, budget: &Budget) -> Result<UnionMap> {
        let (left, right) = self.aligned(other);
        left.to_maps(|a| match right.members.get(&super::union::key(a.space())) {
            Some(b) if a.space().is_set() => a.lex_order(order, b, budget).map(Some),
            _ => Ok(None),
        })
    }

    /// The map from each pair `[A -> B]` to its first point.
    pub fn wrapped_domain_map(&self) -> Result<UnionMap> {
        self.unwrap()?.domain_map()
    }

    /// The relation that takes every point to `[]`.
    pub fn to_map_from_domain(&self) -> Result<UnionMap> {
        self.to_maps(|set| Ok(Some(Map::from_domain(set))))
    }

    /// The relation from `[]` to every point.
    pub fn to_map_from_range(&self) -> Result<UnionMap> {
        self.to_maps(|set| Ok(Some(Map::from_range(set))))
    }

    /// The only member; nothing if there are none or more.
    pub fn as_set(&self) -> Option<&Set> {
        let mut members = self.members();
        members.next().filter(|_| self.n_members() == 1)
    }

    /// Whether a point `[params | dims]` of a space, with its parameters, belongs to the union. Exact.
    pub fn contains(&self, space: &Space, point: &[crate::arith::Int], budget: &Budget) -> Result<bool> {
        let set = Set::from_point(space, point)?;
        Ok(!UnionSet::from(set).is_disjoint(self, budget)?)
    }

    /// Whether there are only sets over parameters.
    pub fn is_params(&self) -> bool {
        self.members().all(Set::is_params)
    }
}

impl UnionMap {
    /// Applies `f` to the members that it fits.
    fn filter_map(&self, f: impl Fn(&Map) -> Result<Option<Map>>) -> Result<UnionMap> {
        let mut result = UnionMap::empty(self.params_space());
        for map in self.members() {
            if let Some(map) = f(map)? {
                result.insert(map)?;
            }
        }
        Ok(result)
    }

    /// Applies `f` to all pairs of members that satisfy `fits`.
    fn join_members(
        &self,
        other: &UnionMap,
        fits: impl Fn(&Space, &Space) -> bool,
        f: impl Fn(&Map, &Map) -> Result<Map>,
    ) -> Result<UnionMap> {
        let (left, right) = self.aligned(other);
        let mut result = UnionMap::empty(left.params_space());
        for a in left.members() {
            for b in right.members().filter(|b| fits(a.space(), b.space())) {
                result.insert(f(a, b)?)?;
            }
        }
        Ok(result)
    }

    /// All pairs of points of all pairs of spaces that have a member.
    pub fn universe(&self) -> UnionMap {
        let mut result = self.clone();
        for map in Arc::make_mut(&mut result.members).values_mut() {
            *map = Map::universe(map.space().clone());
        }
        result
    }

    /// Every pair of a point of `domain` and a point of `range`.
    pub fn from_domain_and_range(domain: &UnionSet, range: &UnionSet, budget: &Budget) -> Result<UnionMap> {
        domain.product_map(range, budget)
    }

    /// The relation that takes every point of a set to `[]`.
    pub fn from_domain(set: &UnionSet) -> Result<UnionMap> {
        set.to_map_from_domain()
    }

    /// The relation from `[]` to every point of a set.
    pub fn from_range(set: &UnionSet) -> Result<UnionMap> {
        set.to_map_from_range()
    }

    /// The only member; nothing if there are none or more.
    pub fn as_map(&self) -> Option<&Map> {
        let mut members = self.members();
        members.next().filter(|_| self.n_members() == 1)
    }

    /// `[A -> C] -> [B -> D]` of all maps `A -> B` here and `C -> D` in `other`.
    pub fn product(&self, other: &UnionMap, budget: &Budget) -> Result<UnionMap> {
        self.join_members(other, |_, _| true, |a, b| a.product(b, budget))
    }

    /// `(A, C) -> (B, D)`: the product with flat, unnamed tuples.
    pub fn flat_product(&self, other: &UnionMap, budget: &Budget) -> Result<UnionMap> {
        self.join_members(other, |_, _| true, |a, b| a.flat_product(b, budget))
    }

    /// `[A -> B] -> C` of all maps `A -> C` here and `B -> C` in `other`.
    pub fn domain_product(&self, other: &UnionMap, budget: &Budget) -> Result<UnionMap> {
        self.join_members(other, |a, b| a.range_tuple() == b.range_tuple(), |a, b| a.domain_product(b, budget))
    }

    /// `(A, B) -> C`: the domain product with a flat, unnamed domain.
    pub fn flat_domain_product(&self, other: &UnionMap, budget: &Budget) -> Result<UnionMap> {
        self.join_members(other, |a, b| a.range_tuple() == b.range_tuple(), |a, b| a.flat_domain_product(b, budget))
    }

    /// `[A -> C] -> [B -> D]` of all `[A -> B] -> [C -> D]`.
    pub fn zip(&self) -> Result<UnionMap> {
        self.filter_map(|m| m.is_product().then(|| m.zip()).transpose())
    }

    /// `A -> [B -> C]` of all `[A -> B] -> C`.
    pub fn curry(&self) -> Result<UnionMap> {
        self.filter_map(|m| m.domain_is_wrapping().then(|| m.curry()).transpose())
    }

    /// `[A -> B] -> C` of all `A -> [B -> C]`.
    pub fn uncurry(&self) -> Result<UnionMap> {
        self.filter_map(|m| m.range_is_wrapping().then(|| m.uncurry()).transpose())
    }

    /// `A -> [B -> [C -> D]]` of all `A -> [[B -> C] -> D]`.
    pub fn range_curry(&self) -> Result<UnionMap> {
        self.filter_map(|m| m.space().range_tuple().curried().is_some().then(|| m.range_curry()).transpose())
    }

    /// `A -> [[B -> C] -> D]` of all `A -> [B -> [C -> D]]`.
    pub fn range_uncurry(&self) -> Result<UnionMap> {
        self.filter_map(|m| m.space().range_tuple().uncurried().is_some().then(|| m.range_uncurry()).transpose())
    }

    /// `A -> [C -> B]` of all `A -> [B -> C]`.
    pub fn range_reverse(&self) -> Result<UnionMap> {
        self.filter_map(|m| m.range_is_wrapping().then(|| m.range_reverse()).transpose())
    }

    /// `[B -> A] -> C` of all `[A -> B] -> C`.
    pub fn domain_reverse(&self) -> Result<UnionMap> {
        self.filter_map(|m| m.domain_is_wrapping().then(|| m.domain_reverse()).transpose())
    }

    /// The map `[A -> B] -> A` from each pair to its first point.
    pub fn domain_map(&self) -> Result<UnionMap> {
        self.filter_map(|m| Ok(Some(m.domain_map())))
    }

    /// The map `[A -> B] -> B` from each pair to its second point.
    pub fn range_map(&self) -> Result<UnionMap> {
        self.filter_map(|m| Ok(Some(m.range_map())))
    }

    /// The map `[A -> A] -> A` from each pair of points of one tuple to their difference.
    pub fn deltas_map(&self) -> Result<UnionMap> {
        self.filter_map(|m| is_endomorphic(m).then(|| m.deltas_map()).transpose())
    }

    /// `A -> B` of all `A -> [B -> C]`. Exact.
    pub fn range_factor_domain(&self, budget: &Budget) -> Result<UnionMap> {
        self.filter_map(|m| m.range_is_wrapping().then(|| m.range_factor_domain(budget)).transpose())
    }

    /// `A -> C` of all `A -> [B -> C]`. Exact.
    pub fn range_factor_range(&self, budget: &Budget) -> Result<UnionMap> {
        self.filter_map(|m| m.range_is_wrapping().then(|| m.range_factor_range(budget)).transpose())
    }

    /// `A -> C` of all `[A -> B] -> C`. Exact.
    pub fn domain_factor_domain(&self, budget: &Budget) -> Result<UnionMap> {
        self.filter_map(|m| m.domain_is_wrapping().then(|| m.domain_factor_domain(budget)).transpose())
    }

    /// `B -> C` of all `[A -> B] -> C`. Exact.
    pub fn domain_factor_range(&self, budget: &Budget) -> Result<UnionMap> {
        self.filter_map(|m| m.domain_is_wrapping().then(|| m.domain_factor_range(budget)).transpose())
    }

    /// `A -> B` of all `[A -> C] -> [B -> D]`. Exact.
    pub fn factor_domain(&self, budget: &Budget) -> Result<UnionMap> {
        self.filter_map(|m| m.is_product().then(|| m.factor_domain(budget)).transpose())
    }

    /// `C -> D` of all `[A -> C] -> [B -> D]`. Exact.
    pub fn factor_range(&self, budget: &Budget) -> Result<UnionMap> {
        self.filter_map(|m| m.is_product().then(|| m.factor_range(budget)).transpose())
    }

    fn intersect_factor(
        &self,
        factor: &UnionMap,
        kind: DimKind,
        first: bool,
        f: impl Fn(&Map, &Map) -> Result<Map>,
    ) -> Result<UnionMap> {
        let fits = |map: &Space, factor: &Space| {
            map.tuple(kind)
                .and_then(|t| t.factors())
                .is_some_and(|(a, b)| map.with_tuple(kind, if first { a } else { b }).has_equal_tuples(factor))
        };
        self.join_members(factor, fits, f)
    }

    /// The elements `([x -> y], z)` with `(x, z)` in `factor`.
    pub fn intersect_domain_factor_domain(&self, factor: &UnionMap, budget: &Budget) -> Result<UnionMap> {
        self.intersect_factor(factor, DimKind::In, true, |a, b| a.intersect_domain_factor_domain(b, budget))
    }

    /// The elements `([x -> y], z)` with `(y, z)` in `factor`.
    pub fn intersect_domain_factor_range(&self, factor: &UnionMap, budget: &Budget) -> Result<UnionMap> {
        self.intersect_factor(factor, DimKind::In, false, |a, b| a.intersect_domain_factor_range(b, budget))
    }

    /// The elements `(x, [y -> z])` with `(x, y)` in `factor`.
    pub fn intersect_range_factor_domain(&self, factor: &UnionMap, budget: &Budget) -> Result<UnionMap> {
        self.intersect_factor(factor, DimKind::Out, true, |a, b| a.intersect_range_factor_domain(b, budget))
    }

    /// The elements `(x, [y -> z])` with `(x, z)` in `factor`.
    pub fn intersect_range_factor_range(&self, factor: &UnionMap, budget: &Budget) -> Result<UnionMap> {
        self.intersect_factor(factor, DimKind::Out, false, |a, b| a.intersect_range_factor_range(b, budget))
    }

    /// The pairs `([x -> y], z)` with `x` in `set`.
    pub fn intersect_domain_wrapped_domain(&self, set: &UnionSet, budget: &Budget) -> Result<UnionMap> {
        self.intersect_wrapped_domain(set, DimKind::In, |m, s| m.intersect_domain_wrapped_domain(s, budget))
    }

    /// The pairs `(x, [y -> z])` with `y` in `set`.
    pub fn intersect_range_wrapped_domain(&self, set: &UnionSet, budget: &Budget) -> Result<UnionMap> {
        self.intersect_wrapped_domain(set, DimKind::Out, |m, s| m.intersect_range_wrapped_domain(s, budget))
    }

    fn intersect_wrapped_domain(
        &self,
        set: &UnionSet,
        kind: DimKind,
        f: impl Fn(&Map, &Set) -> Result<Map>,
    ) -> Result<UnionMap> {
        let all = self.params_space().align_params(set.params_space());
        let set = set.align_params(&all);
        self.align_params(&all).filter_map(|map| {
            let Some((first, _)) = map.space().tuple(kind).and_then(|t| t.factors()) else { return Ok(None) };
            let found = set.members().find(|s| s.space().is_set() && *s.space().range_tuple() == first);
            found.map(|set| f(map, set)).transpose()
        })
    }

    /// The pairs whose first point is not in `set`. Exact.
    pub fn subtract_domain(&self, set: &UnionSet, budget: &Budget) -> Result<UnionMap> {
        self.without(set, Space::domain, |m, s| m.subtract_domain(s, budget))
    }

    /// The pairs whose second point is not in `set`. Exact.
    pub fn subtract_range(&self, set: &UnionSet, budget: &Budget) -> Result<UnionMap> {
        self.without(set, Space::range, |m, s| m.subtract_range(s, budget))
    }

    fn without(
        &self,
        set: &UnionSet,
        side: impl Fn(&Space) -> Space,
        f: impl Fn(&Map, &Set) -> Result<Map>,
    ) -> Result<UnionMap> {
        let all = self.params_space().align_params(set.params_space());
        let set = set.align_params(&all);
        self.align_params(&all).filter_map(|map| {
            Ok(Some(match set.members.get(&super::union::key(&side(map.space()))) {
                Some(set) => f(map, set)?,
                None => map.clone(),
            }))
        })
    }

    /// Simplifies every map in a context that constrains only the domains; maps without a context become empty.
    pub fn gist_domain(&self, context: &UnionSet, budget: &Budget) -> Result<UnionMap> {
        self.intersected(context, Space::domain, |m, s| m.gist_domain(s, budget))
    }

    /// Simplifies every map in a context that constrains only the ranges; maps without a context become empty.
    pub fn gist_range(&self, context: &UnionSet, budget: &Budget) -> Result<UnionMap> {
        self.intersected(context, Space::range, |m, s| m.gist_range(s, budget))
    }

    fn intersected(
        &self,
        set: &UnionSet,
        side: impl Fn(&Space) -> Space,
        f: impl Fn(&Map, &Set) -> Result<Map>,
    ) -> Result<UnionMap> {
        let all = self.params_space().align_params(set.params_space());
        let set = set.align_params(&all);
        self.align_params(&all).filter_map(|map| {
            set.members.get(&super::union::key(&side(map.space()))).map(|set| f(map, set)).transpose()
        })
    }

    /// The pairs `(x, y)` such that an image of `x` here compares lexicographically in the given way to an image of
    /// `y`, of the same tuple, under `other`. Exact.
    pub fn lex_order_of_images(&self, order: Lexicographic, other: &UnionMap, budget: &Budget) -> Result<UnionMap> {
        let fits = |a: &Space, b: &Space| a.range_tuple() == b.range_tuple();
        self.join_members(other, fits, |a, b| a.lex_order_of_images(order, b, budget))
    }

    /// Whether every pair is a point with itself. Exact.
    pub fn is_identity(&self, budget: &Budget) -> Result<bool> {
        for map in self.members() {
            if !(is_endomorphic(map) && map.is_identity(budget)? || map.is_empty(budget)?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether it is single-valued and injective. Exact.
    pub fn is_bijective(&self, budget: &Budget) -> Result<bool> {
        Ok(self.is_single_valued(budget)? && self.is_injective(budget)?)
    }
}

/// Whether a map relates points of one tuple.
fn is_endomorphic(map: &Map) -> bool {
    map.space().domain_tuple() == Some(map.space().range_tuple())
}

macro_rules! common_union_methods {
    ($Union:ident, $Type:ident) => {
        impl $Union {
            /// Existentially quantifies the parameter of a name, if there is one. Exact.
            pub fn project_out_param(&self, name: &str, budget: &Budget) -> Result<$Union> {
                let Some(pos) = self.params_space().param_index(name) else { return Ok(self.clone()) };
                self.project_out_params(pos, 1, budget)
            }

            /// Existentially quantifies all parameters. Exact.
            pub fn project_out_all_params(&self, budget: &Budget) -> Result<$Union> {
                self.project_out_params(0, self.params_space().dim(DimKind::Param), budget)
            }

            fn project_out_params(&self, first: usize, n: usize, budget: &Budget) -> Result<$Union> {
                let mut result = $Union::empty(&self.params_space().drop_dims(DimKind::Param, first, n));
                for member in self.members() {
                    result.insert(member.project_out(DimKind::Param, first, n, budget)?)?;
                }
                Ok(result)
            }

            /// Without the parameters that no constraint uses.
            pub fn drop_unused_params(&self) -> Result<$Union> {
                $Union::from_members(self.members().map($Type::drop_unused_params))
            }

            /// Some point: the member that it is in and its values `[params | in | out]`. Exact, deterministic.
            pub fn sample(&self, budget: &Budget) -> Result<Option<(Space, Vec<crate::arith::Int>)>> {
                for member in self.members() {
                    if let Some(point) = member.sample(budget)? {
                        return Ok(Some((member.space().clone(), point)));
                    }
                }
                Ok(None)
            }

            /// Whether everything is in `other` and something of `other` is not here. Exact.
            pub fn is_strict_subset(&self, other: &$Union, budget: &Budget) -> Result<bool> {
                Ok(self.is_subset(other, budget)? && !other.is_subset(self, budget)?)
            }

            /// A single conjunction per space that contains all points; see the operation of the same name of a member.
            pub fn overapproximate_hull(&self, budget: &Budget) -> Result<$Union> {
                self.map_members(|m| m.overapproximate_hull(budget))
            }

            /// The same points as pairwise disjoint conjunctions. Exact.
            pub fn make_disjoint(&self, budget: &Budget) -> Result<$Union> {
                self.map_members(|m| m.make_disjoint(budget))
            }

            /// The members that satisfy a condition.
            pub fn filter(&self, condition: impl Fn(&$Type) -> bool) -> $Union {
                let mut result = self.clone();
                Arc::make_mut(&mut result.members).retain(|m| condition(m));
                result
            }
        }
    };
}

common_union_methods!(UnionSet, Set);
common_union_methods!(UnionMap, Map);
