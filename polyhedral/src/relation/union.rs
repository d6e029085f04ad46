//! [`UnionSet`] and [`UnionMap`]: sets and maps over many spaces at once.
//!
//! A union object keeps one set (map) per tuple (pair of tuples), all with the same parameters, in the order of the
//! tuples. Operations align the parameters of their operands and work space by space.

use std::sync::Arc;

use crate::budget::Budget;
use crate::error::Result;
use crate::space::{DimKind, Space};

use super::members::{Key, Members};
use super::{Map, Set};

pub(super) fn key(space: &Space) -> Key {
    (space.domain_tuple().cloned(), space.range_tuple().clone(), space.is_params())
}

macro_rules! union_methods {
    ($Union:ident, $Type:ident, $sets:literal) => {
        #[doc = concat!("No ", $sets, ", without parameters.")]
        impl Default for $Union {
            fn default() -> $Union {
                $Union::empty(&Space::params::<&str>(&[]))
            }
        }

        impl $Union {
            #[doc = concat!("No ", $sets, ", with the parameters of a space.")]
            pub fn empty(params: &Space) -> $Union {
                $Union { params: params.params_space(), members: Arc::default() }
            }

            #[doc = concat!("The union of some ", $sets, ".")]
            pub fn from_members(members: impl IntoIterator<Item = $Type>) -> Result<$Union> {
                let mut result = $Union::default();
                for member in members {
                    result.push(member)?;
                }
                Ok(result)
            }

            /// The space of the common parameters.
            pub fn params_space(&self) -> &Space {
                &self.params
            }

            #[doc = concat!("The ", $sets, ", one per space, in the order of their tuples.")]
            pub fn members(&self) -> impl Iterator<Item = &$Type> {
                self.members.values()
            }

            /// The number of spaces.
            pub fn n_members(&self) -> usize {
                self.members.len()
            }

            /// Whether no space has a conjunction left. Sound, not complete; see [`Self::is_empty`].
            pub fn is_plainly_empty(&self) -> bool {
                self.members.is_empty()
            }

            /// The member in the given space (parameters do not matter); empty if there is none.
            pub fn extract(&self, space: &Space) -> $Type {
                match self.members.get(&key(space)) {
                    Some(member) => member.clone(),
                    None => $Type::empty(space.with_params_of(&self.params)),
                }
            }

            /// The same union with at least the parameters of `params`, those of `params` first.
            pub fn align_params(&self, params: &Space) -> $Union {
                let all = params.params_space().align_params(&self.params);
                if all.has_equal_params(&self.params) {
                    return self.clone();
                }
                let members = self.members.map(|m| m.align_params(&all));
                $Union { params: all, members: Arc::new(members) }
            }

            pub(super) fn aligned(&self, other: &$Union) -> ($Union, $Union) {
                let left = self.align_params(&self.params.align_params(&other.params));
                let right = other.align_params(&left.params);
                (left, right)
            }

            /// With one more member.
            pub fn add(&self, member: &$Type) -> Result<$Union> {
                let mut result = self.clone();
                result.push(member.clone())?;
                Ok(result)
            }

            /// Adds one more member, with any parameters.
            fn push(&mut self, member: $Type) -> Result<()> {
                if member.space().has_equal_params(&self.params) {
                    return self.insert(member);
                }
                let all = self.params.align_params(member.space());
                *self = self.align_params(&all);
                self.insert(member.align_params(&all))
            }

            pub(super) fn insert(&mut self, member: $Type) -> Result<()> {
                if member.is_plainly_empty() {
                    return Ok(());
                }
                let key = key(member.space());
                let merged = match self.members.get(&key) {
                    Some(old) => old.union(&member)?,
                    None => member,
                };
                Arc::make_mut(&mut self.members).insert(key, merged);
                Ok(())
            }

            /// Applies an operation to every member; empty results disappear.
            pub fn map_members(&self, f: impl Fn(&$Type) -> Result<$Type>) -> Result<$Union> {
                let mut result = $Union::empty(&self.params);
                for member in self.members.values() {
                    result.push(f(member)?)?;
                }
                Ok(result)
            }

            /// Everything in either. Linear.
            pub fn union(&self, other: &$Union) -> Result<$Union> {
                let (mut left, right) = self.aligned(other);
                for member in Arc::unwrap_or_clone(right.members).into_values() {
                    left.insert(member)?;
                }
                Ok(left)
            }

            /// Everything in both. Exact.
            pub fn intersect(&self, other: &$Union, budget: &Budget) -> Result<$Union> {
                let (left, right) = self.aligned(other);
                let mut result = $Union::empty(&left.params);
                for (key, member) in left.members.iter() {
                    if let Some(other) = right.members.get(key) {
                        result.insert(member.intersect(other, budget)?)?;
                    }
                }
                Ok(result)
            }

            /// Everything in `self` and not in `other`. Exact.
            pub fn subtract(&self, other: &$Union, budget: &Budget) -> Result<$Union> {
                let (left, right) = self.aligned(other);
                let mut result = $Union::empty(&left.params);
                for (key, member) in left.members.iter() {
                    result.insert(match right.members.get(key) {
                        Some(other) => member.subtract(other, budget)?,
                        None => member.clone(),
                    })?;
                }
                Ok(result)
            }

            /// Whether there is no point. Exact.
            pub fn is_empty(&self, budget: &Budget) -> Result<bool> {
                for member in self.members.values() {
                    if !member.is_empty(budget)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }

            /// Whether everything is in `other` too. Exact.
            pub fn is_subset(&self, other: &$Union, budget: &Budget) -> Result<bool> {
                let (left, right) = self.aligned(other);
                for (key, member) in left.members.iter() {
                    let contained = match right.members.get(key) {
                        Some(other) => member.is_subset(other, budget)?,
                        None => member.is_empty(budget)?,
                    };
                    if !contained {
                        return Ok(false);
                    }
                }
                Ok(true)
            }

            /// Whether both have the same points. Exact.
            pub fn is_equal(&self, other: &$Union, budget: &Budget) -> Result<bool> {
                Ok(self.is_subset(other, budget)? && other.is_subset(self, budget)?)
            }

            /// Whether both have no point in common. Exact.
            pub fn is_disjoint(&self, other: &$Union, budget: &Budget) -> Result<bool> {
                self.intersect(other, budget)?.is_empty(budget)
            }

            /// Coalesces every member.
            pub fn coalesce(&self, budget: &Budget) -> Result<$Union> {
                if self.members.values().all(|m| m.conjunctions().len() <= 1) {
                    return Ok(self.clone());
                }
                self.map_members(|m| m.coalesce(budget))
            }

            /// Removes the redundant constraints of every member.
            pub fn remove_redundancies(&self, budget: &Budget) -> Result<$Union> {
                self.map_members(|m| m.remove_redundancies(budget))
            }

            /// The simple hull of every member; an approximation from above.
            pub fn simple_hull(&self, budget: &Budget) -> Result<$Union> {
                self.map_members(|m| m.simple_hull(budget))
            }

            /// The unshifted simple hull of every member; an approximation from above.
            pub fn unshifted_simple_hull(&self, budget: &Budget) -> Result<$Union> {
                self.map_members(|m| m.unshifted_simple_hull(budget))
            }

            /// The plain unshifted simple hull of every member; an approximation from above.
            pub fn plain_unshifted_simple_hull(&self, budget: &Budget) -> Result<$Union> {
                self.map_members(|m| m.plain_unshifted_simple_hull(budget))
            }

            /// The integer affine hull of every member. Exact.
            pub fn affine_hull(&self, budget: &Budget) -> Result<$Union> {
                self.map_members(|m| m.affine_hull(budget))
            }

            /// Writes the integer equalities of every member down. Exact.
            pub fn detect_equalities(&self, budget: &Budget) -> Result<$Union> {
                self.map_members(|m| m.detect_equalities(budget))
            }

            /// The polyhedral hull of every member; an approximation from above.
            pub fn polyhedral_hull(&self, budget: &Budget) -> Result<$Union> {
                self.map_members(|m| m.polyhedral_hull(budget))
            }

            /// The convex hull of every member; an approximation from above.
            pub fn convex_hull(&self, budget: &Budget) -> Result<$Union> {
                self.map_members(|m| m.convex_hull(budget))
            }

            /// Whether every member is bounded for every value of the parameters. Exact.
            pub fn is_bounded(&self, budget: &Budget) -> Result<bool> {
                for member in self.members.values() {
                    if !member.is_bounded(budget)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }

            /// Makes the local variables of every member explicit divisions. Exact.
            pub fn make_divs_explicit(&self, budget: &Budget) -> Result<$Union> {
                self.map_members(|m| m.make_divs_explicit(budget))
            }

            /// What lies in members whose parameters satisfy `params`.
            pub fn intersect_params(&self, params: &Set, budget: &Budget) -> Result<$Union> {
                self.map_members(|m| m.intersect_params(params, budget))
            }

            /// Simplifies every member in a context of the parameters.
            pub fn gist_params(&self, params: &Set, budget: &Budget) -> Result<$Union> {
                self.map_members(|m| m.gist_params(params, budget))
            }

            /// Simplifies every member in the member of `context` in its space; members without one become empty.
            pub fn gist(&self, context: &$Union, budget: &Budget) -> Result<$Union> {
                let (left, right) = self.aligned(context);
                let mut result = $Union::empty(&left.params);
                for (key, member) in left.members.iter() {
                    if let Some(other) = right.members.get(key) {
                        result.insert(member.gist(other, budget)?)?;
                    }
                }
                Ok(result)
            }

            /// The parameter values for which there is a point. Exact.
            pub fn params(&self, budget: &Budget) -> Result<Set> {
                let mut result = Set::empty(self.params.clone());
                for member in self.members.values() {
                    result = result.union(&member.params(budget)?)?;
                }
                Ok(result)
            }
        }

        impl From<$Type> for $Union {
            fn from(member: $Type) -> $Union {
                let mut result = $Union::empty(member.space());
                if !member.is_plainly_empty() {
                    Arc::make_mut(&mut result.members).insert(key(member.space()), member);
                }
                result
            }
        }
    };
}

/// A union of sets over any number of spaces. An immutable value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnionSet {
    params: Space,
    pub(super) members: Arc<Members<Set>>,
}

/// A union of maps over any number of spaces. An immutable value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnionMap {
    params: Space,
    pub(super) members: Arc<Members<Map>>,
}

union_methods!(UnionSet, Set, "sets");
union_methods!(UnionMap, Map, "maps");

impl UnionSet {
    /// The image under a union of maps. Exact.
    pub fn apply(&self, map: &UnionMap, budget: &Budget) -> Result<UnionSet> {
        map.intersect_domain(self, budget)?.range(budget)
    }

    /// The identity relation on every member.
    pub fn identity(&self) -> Result<UnionMap> {
        let mut result = UnionMap::empty(&self.params);
        for set in self.members.values() {
            result.insert(set.identity()?)?;
        }
        Ok(result)
    }

    /// Every pair of a point of `self` and a point of `other`.
    pub fn product_map(&self, other: &UnionSet, budget: &Budget) -> Result<UnionMap> {
        let (left, right) = self.aligned(other);
        let mut result = UnionMap::empty(&left.params);
        for a in left.members.values() {
            for b in right.members.values() {
                result.insert(Map::from_domain_and_range(a, b, budget)?)?;
            }
        }
        Ok(result)
    }

    /// The maps that the wrapped members `[A -> B]` stand for; other members are left out.
    pub fn unwrap(&self) -> Result<UnionMap> {
        let mut result = UnionMap::empty(&self.params);
        for set in self.members.values().filter(|s| s.space().unwrap().is_some()) {
            result.insert(set.unwrap()?)?;
        }
        Ok(result)
    }
}

impl UnionMap {
    /// Every map with domain and range exchanged.
    pub fn reverse(&self) -> Result<UnionMap> {
        let mut result = UnionMap::empty(&self.params);
        for map in self.members.values() {
            result.insert(map.reverse())?;
        }
        Ok(result)
    }

    /// The domains. Exact.
    pub fn domain(&self, budget: &Budget) -> Result<UnionSet> {
        let mut result = UnionSet::empty(&self.params);
        for map in self.members.values() {
            result.insert(map.domain(budget)?)?;
        }
        Ok(result)
    }

    /// The ranges. Exact.
    pub fn range(&self, budget: &Budget) -> Result<UnionSet> {
        let mut result = UnionSet::empty(&self.params);
        for map in self.members.values() {
            result.insert(map.range(budget)?)?;
        }
        Ok(result)
    }

    /// The composition over all pairs of maps that fit. Exact.
    pub fn apply_range(&self, other: &UnionMap, budget: &Budget) -> Result<UnionMap> {
        let (left, right) = self.aligned(other);
        let mut result = UnionMap::empty(&left.params);
        for a in left.members.values() {
            for b in right.members.values().filter(|b| b.space().domain_tuple() == Some(a.space().range_tuple())) {
                result.insert(a.apply_range(b, budget)?)?;
            }
        }
        Ok(result)
    }

    /// Replaces the domains by their images under `other`. Exact.
    pub fn apply_domain(&self, other: &UnionMap, budget: &Budget) -> Result<UnionMap> {
        self.reverse()?.apply_range(other, budget)?.reverse()
    }

    /// The pairs whose first point is in `set`.
    pub fn intersect_domain(&self, set: &UnionSet, budget: &Budget) -> Result<UnionMap> {
        self.restrict(set, DimKind::In, budget)
    }

    /// The pairs whose second point is in `set`.
    pub fn intersect_range(&self, set: &UnionSet, budget: &Budget) -> Result<UnionMap> {
        self.restrict(set, DimKind::Out, budget)
    }

    fn restrict(&self, set: &UnionSet, kind: DimKind, budget: &Budget) -> Result<UnionMap> {
        let all = self.params.align_params(&set.params);
        let (maps, sets) = (self.align_params(&all), set.align_params(&all));
        let mut result = UnionMap::empty(&all);
        for map in maps.members.values() {
            let space = if kind == DimKind::In { map.space().domain() } else { map.space().range() };
            if let Some(set) = sets.members.get(&key(&space)) {
                result.insert(if kind == DimKind::In {
                    map.intersect_domain(set, budget)?
                } else {
                    map.intersect_range(set, budget)?
                })?;
            }
        }
        Ok(result)
    }

    /// The differences of all pairs of points of one tuple; maps between different tuples are left out. Exact.
    pub fn deltas(&self, budget: &Budget) -> Result<UnionSet> {
        let mut result = UnionSet::empty(&self.params);
        for map in self.members.values().filter(|m| m.space().domain_tuple() == Some(m.space().range_tuple())) {
            result.insert(map.deltas(budget)?)?;
        }
        Ok(result)
    }

    /// `A -> [B -> C]` of all maps `A -> B` here and `A -> C` in `other`.
    pub fn range_product(&self, other: &UnionMap, budget: &Budget) -> Result<UnionMap> {
        self.pairwise(other, |a, b| a.range_product(b, budget))
    }

    /// `A -> (B, C)` concatenated to one unnamed flat tuple.
    pub fn flat_range_product(&self, other: &UnionMap, budget: &Budget) -> Result<UnionMap> {
        self.pairwise(other, |a, b| a.flat_range_product(b, budget))
    }

    fn pairwise(&self, other: &UnionMap, f: impl Fn(&Map, &Map) -> Result<Map>) -> Result<UnionMap> {
        let (left, right) = self.aligned(other);
        let mut result = UnionMap::empty(&left.params);
        for a in left.members.values() {
            for b in right.members.values().filter(|b| b.space().domain_tuple() == a.space().domain_tuple()) {
                result.insert(f(a, b)?)?;
            }
        }
        Ok(result)
    }

    /// The set of the wrapped pairs.
    pub fn wrap(&self) -> Result<UnionSet> {
        let mut result = UnionSet::empty(&self.params);
        for map in self.members.values() {
            result.insert(map.wrap())?;
        }
        Ok(result)
    }

    /// Whether no point has two images, in one space or in different ones. Exact.
    pub fn is_single_valued(&self, budget: &Budget) -> Result<bool> {
        let maps: Vec<&Map> = self.members.values().collect();
        for (k, map) in maps.iter().enumerate() {
            if !map.is_single_valued(budget)? {
                return Ok(false);
            }
            for other in &maps[..k] {
                if other.space().domain_tuple() == map.space().domain_tuple()
                    && !other.domain(budget)?.is_disjoint(&map.domain(budget)?, budget)?
                {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether no two points share an image. Exact.
    pub fn is_injective(&self, budget: &Budget) -> Result<bool> {
        self.reverse()?.is_single_valued(budget)
    }
}
