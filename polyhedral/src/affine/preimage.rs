//! Preimages of sets and relations under piecewise functions, and functions over many spaces.

use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{self, Map, Set, UnionMap, UnionSet};
use crate::space::DimKind;

use super::{Expression, MultiAff, MultiPwAff, PwMultiAff, UnionPwMultiAff};

impl Set {
    /// The points that a piecewise function maps into this set. Exact. A function of only the parameters gives a set of
    /// parameters.
    pub fn preimage_pw(&self, function: &PwMultiAff, budget: &Budget) -> Result<Set> {
        if self.space().range_tuple() != function.space().range_tuple() || !self.space().is_set() {
            return Err(relation::mismatch("form the preimage", self.space(), function.space()));
        }
        let mut result = Set::empty(function.domain_space().align_params(self.space()));
        for (domain, piece) in function.pieces() {
            result = result.union(&self.preimage(piece, budget)?.intersect(domain, budget)?)?;
        }
        Ok(result)
    }

    /// The points that a function maps into this set. Exact; see [`Set::preimage_pw`].
    pub fn preimage_multi_pw(&self, function: &MultiPwAff, budget: &Budget) -> Result<Set> {
        self.preimage_pw(&function.to_pw_multi_aff(budget)?, budget)
    }
}

impl Map {
    /// The pairs `(x, y)` with `(function(x), y)` here. Exact.
    pub fn preimage_domain_pw(&self, function: &PwMultiAff, budget: &Budget) -> Result<Map> {
        self.preimage_pw(DimKind::In, function, budget)
    }

    /// The pairs `(x, y)` with `(x, function(y))` here. Exact.
    pub fn preimage_range_pw(&self, function: &PwMultiAff, budget: &Budget) -> Result<Map> {
        self.preimage_pw(DimKind::Out, function, budget)
    }

    /// The pairs `(x, y)` with `(function(x), y)` here. Exact.
    pub fn preimage_domain_multi_pw(&self, function: &MultiPwAff, budget: &Budget) -> Result<Map> {
        self.preimage_pw(DimKind::In, &function.to_pw_multi_aff(budget)?, budget)
    }

    /// The pairs `(x, y)` with `(x, function(y))` here. Exact.
    pub fn preimage_range_multi_pw(&self, function: &MultiPwAff, budget: &Budget) -> Result<Map> {
        self.preimage_pw(DimKind::Out, &function.to_pw_multi_aff(budget)?, budget)
    }

    fn preimage_pw(&self, kind: DimKind, function: &PwMultiAff, budget: &Budget) -> Result<Map> {
        let arguments = function.domain_space();
        if self.space().tuple(kind) != Some(function.space().range_tuple()) || !arguments.is_set() {
            return Err(relation::mismatch("form the preimage", self.space(), function.space()));
        }
        let space = self.space().align_params(&arguments).with_tuple(kind, arguments.range_tuple().clone());
        let mut result = Map::empty(space);
        for (domain, piece) in function.pieces() {
            let pairs = if kind == DimKind::In {
                self.preimage_domain(piece, budget)?.intersect_domain(domain, budget)?
            } else {
                self.preimage_range(piece, budget)?.intersect_range(domain, budget)?
            };
            result = result.union(&pairs)?;
        }
        Ok(result)
    }
}

/// One total function as a function over many spaces.
fn one(function: &MultiAff) -> UnionPwMultiAff {
    PwMultiAff::from_multi_aff(function.clone()).into()
}

impl UnionSet {
    /// The points that a total function maps into the set of its space. Exact.
    pub fn preimage(&self, function: &MultiAff, budget: &Budget) -> Result<UnionSet> {
        self.preimage_union(&one(function), budget)
    }

    /// The points that a piecewise function maps into the set of its space. Exact.
    pub fn preimage_pw(&self, function: &PwMultiAff, budget: &Budget) -> Result<UnionSet> {
        self.preimage_union(&function.into(), budget)
    }

    /// The points that a function maps into these sets, over all pairs of spaces that fit. Exact.
    pub fn preimage_union(&self, function: &UnionPwMultiAff, budget: &Budget) -> Result<UnionSet> {
        let mut result = UnionSet::empty(&self.params_space().align_params(function.params_space()));
        for member in function.members() {
            let set = self.extract(&member.space().range());
            if !set.is_plainly_empty() {
                result = result.add(&set.preimage_pw(member, budget)?)?;
            }
        }
        Ok(result)
    }
}

impl UnionMap {
    /// The pairs `(x, y)` with `(function(x), y)` here. Exact.
    pub fn preimage_domain(&self, function: &MultiAff, budget: &Budget) -> Result<UnionMap> {
        self.preimage_domain_union(&one(function), budget)
    }

    /// The pairs `(x, y)` with `(x, function(y))` here. Exact.
    pub fn preimage_range(&self, function: &MultiAff, budget: &Budget) -> Result<UnionMap> {
        self.preimage_range_union(&one(function), budget)
    }

    /// The pairs `(x, y)` with `(function(x), y)` here, over all pairs of spaces that fit. Exact.
    pub fn preimage_domain_union(&self, function: &UnionPwMultiAff, budget: &Budget) -> Result<UnionMap> {
        self.preimage_union(DimKind::In, function, budget)
    }

    /// The pairs `(x, y)` with `(x, function(y))` here, over all pairs of spaces that fit. Exact.
    pub fn preimage_range_union(&self, function: &UnionPwMultiAff, budget: &Budget) -> Result<UnionMap> {
        self.preimage_union(DimKind::Out, function, budget)
    }

    fn preimage_union(&self, kind: DimKind, function: &UnionPwMultiAff, budget: &Budget) -> Result<UnionMap> {
        let mut result = UnionMap::empty(&self.params_space().align_params(function.params_space()));
        for map in self.members() {
            for member in function.members() {
                let arguments = MultiAff::argument_space(member.space());
                if arguments.is_set() && map.space().tuple(kind) == Some(member.space().range_tuple()) {
                    result = result.add(&map.preimage_pw(kind, member, budget)?)?;
                }
            }
        }
        Ok(result)
    }
}
