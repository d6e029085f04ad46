//! What only [`MultiUnionPwAff`] can do: conversions, composition, comparison at the pairs of a relation.

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{self, Map, Set, UnionMap, UnionSet};
use crate::space::{DimKind, Space};

use super::{Expression, Multi, MultiAff, MultiPwAff, MultiUnionPwAff, PwAff, PwMultiAff, UnionPwAff, UnionPwMultiAff};

impl MultiUnionPwAff {
    /// One expression as a function to the unnamed tuple of one dimension.
    pub fn from_union_pw_aff(function: &UnionPwAff) -> Result<MultiUnionPwAff> {
        let space = Space::set_of(function.params_space(), crate::space::Tuple::anonymous(1));
        Multi::new(space, vec![function.clone()])
    }

    /// Zero in every component on all points of a union of sets. `space` is the set space of the result.
    pub fn zero_on(space: Space, sets: &UnionSet) -> Result<MultiUnionPwAff> {
        let components = vec![UnionPwAff::zero_on(sets); space.dim(DimKind::Out)];
        Multi::from_parts(space, components, Some(sets.clone()))
    }

    /// A function of only the parameters on all points of a union of sets. Error: the function has other arguments.
    pub fn multi_aff_on(sets: &UnionSet, function: &MultiAff) -> Result<MultiUnionPwAff> {
        let components = function.affs().iter().map(|aff| UnionPwAff::aff_on(sets, aff)).collect::<Result<Vec<_>>>()?;
        if !function.space().is_set() {
            return Err(relation::mismatch("restrict a function", function.space(), sets.params_space()));
        }
        Multi::from_parts(function.space().clone(), components, Some(sets.clone()))
    }

    /// A function over one space of arguments.
    pub fn from_multi_pw_aff(function: &MultiPwAff) -> Result<MultiUnionPwAff> {
        let components = function.components().iter().map(UnionPwAff::from).collect::<Vec<_>>();
        let domain = match components.is_empty() {
            true => Some(match function.explicit_domain() {
                Some(domain) => UnionSet::from(domain.clone()),
                None => UnionSet::from(Set::universe(function.domain_space())),
            }),
            false => None,
        };
        Multi::from_parts(function.space().range(), components, domain)
    }

    /// The functions over all spaces of arguments. Error: they have different tuples as results, or there is none.
    pub fn from_union_pw_multi_aff(function: &UnionPwMultiAff) -> Result<MultiUnionPwAff> {
        let mut members = function.members();
        let Some(first) = members.next() else {
            return Err(Error::WrongShape {
                operation: "form a tuple of functions",
                space: function.params_space().clone(),
                expected: "the space of a function that is defined somewhere: the tuple of the result is unknown",
            });
        };
        let space = first.space().range();
        if let Some(other) = members.find(|m| m.space().range_tuple() != space.range_tuple()) {
            return Err(relation::mismatch("form a tuple of functions", first.space(), other.space()));
        }
        let n = space.dim(DimKind::Out);
        let components = (0..n).map(|k| function.component(k)).collect::<Result<Vec<_>>>()?;
        Multi::from_parts(space, components, Some(function.domain()?))
    }

    /// The function whose graphs are some relations. Errors: some point has two images; there are images in different
    /// spaces, or none at all.
    pub fn from_union_map(maps: &UnionMap, budget: &Budget) -> Result<MultiUnionPwAff> {
        MultiUnionPwAff::from_union_pw_multi_aff(&UnionPwMultiAff::from_union_map(maps, budget)?)
    }

    /// The points where all components are defined. Error: a function without components and explicit domain, which is
    /// defined everywhere, or with an explicit domain of only parameters.
    pub fn domain(&self, budget: &Budget) -> Result<UnionSet> {
        match self.common_domain(budget)? {
            Some(domain) => Ok(domain),
            None => Err(Error::WrongShape {
                operation: "take the domain",
                space: self.space().clone(),
                expected: "the space of a function with components or an explicit domain: it is defined everywhere",
            }),
        }
    }

    /// The function over one space of arguments: a set space or a space of only parameters.
    pub fn extract(&self, arguments: &Space) -> Result<MultiPwAff> {
        let arguments = arguments.with_params_of(self.space());
        let space = MultiAff::with_argument_space(self.space(), &arguments);
        let components: Vec<PwAff> = self.components().iter().map(|c| c.extract(&arguments)).collect();
        let domain = self.explicit_domain().map(|d| d.extract(&arguments));
        Multi::from_parts(space, components, domain)
    }

    /// The same function with pieces shared by all components. Exact. Error: see [`MultiUnionPwAff::domain`].
    pub fn to_union_pw_multi_aff(&self, budget: &Budget) -> Result<UnionPwMultiAff> {
        let mut result = UnionPwMultiAff::empty(self.space());
        for set in self.domain(budget)?.members() {
            let member = self.extract(set.space())?.to_pw_multi_aff(budget)?;
            result.insert_disjoint(member.align_params(self.space()));
        }
        Ok(result)
    }

    /// The graph as relations. Error: see [`MultiUnionPwAff::domain`].
    pub fn to_union_map(&self, budget: &Budget) -> Result<UnionMap> {
        self.to_union_pw_multi_aff(budget)?.to_union_map(budget)
    }

    /// The function for the parameter values in `params`. Without components and explicit domain these become the
    /// explicit domain, as a set of only parameters.
    pub fn intersect_params(&self, params: &Set, budget: &Budget) -> Result<MultiUnionPwAff> {
        if self.components().is_empty() && self.explicit_domain().is_none() {
            let params = params.params(budget)?;
            return Multi::from_domain(self.space().clone(), &UnionSet::from(params));
        }
        self.with_params_restricted(params, budget)
    }

    /// The function on the points that are not in `sets`. Error: see [`MultiUnionPwAff::domain`].
    pub fn subtract_domain(&self, sets: &UnionSet, budget: &Budget) -> Result<MultiUnionPwAff> {
        if self.components().is_empty() {
            self.domain(budget)?;
        }
        self.with_domain_removed(sets, budget)
    }

    /// The function on the points whose value lies in a set. Error: a set in another space.
    pub fn intersect_range(&self, set: &Set, budget: &Budget) -> Result<MultiUnionPwAff> {
        if !self.space().has_equal_tuples(set.space()) {
            return Err(relation::mismatch("restrict", self.space(), set.space()));
        }
        if self.components().is_empty() && self.explicit_domain().is_none() {
            return self.intersect_params(&set.params(budget)?, budget);
        }
        let functions = self.to_union_pw_multi_aff(budget)?;
        let mut domain = UnionSet::empty(self.space());
        for member in functions.members() {
            domain = domain.add(&set.preimage_pw(member, budget)?)?;
        }
        self.intersect_domain(&domain, budget)
    }

    /// The points where all components are zero. Error: see [`MultiUnionPwAff::domain`].
    pub fn zero_set(&self, budget: &Budget) -> Result<UnionSet> {
        let mut domain = self.domain(budget)?;
        for component in self.components() {
            domain = domain.intersect(&component.zero_set(budget)?, budget)?;
        }
        Ok(domain)
    }

    /// The composition `x -> self(function(x))`, over all pairs of spaces that fit.
    pub fn pullback(&self, function: &UnionPwMultiAff, budget: &Budget) -> Result<MultiUnionPwAff> {
        let components = self.components().iter().map(|c| c.pullback(function, budget)).collect::<Result<Vec<_>>>()?;
        let domain = match self.explicit_domain() {
            Some(domain) => Some(domain.preimage_union(function, budget)?),
            None if components.is_empty() => Some(function.domain()?),
            None => None,
        };
        Multi::from_parts(self.space().clone(), components, domain)
    }

    /// The values of this function given to another: `x -> function(self(x))`. The result is defined where the value is
    /// an integer point at which `function` is defined. Error: `function` has other arguments; see also
    /// [`MultiUnionPwAff::domain`].
    pub fn apply(&self, function: &PwMultiAff, budget: &Budget) -> Result<MultiUnionPwAff> {
        if function.domain_space().range_tuple() != self.space().range_tuple() || !function.space().is_map() {
            return Err(relation::mismatch("compose", self.space(), function.space()));
        }
        let inner = self.to_union_pw_multi_aff(budget)?;
        let composed = inner.apply(&UnionPwMultiAff::from(function.clone()), budget)?;
        let space = function.space().range().align_params(composed.params_space());
        let n = space.dim(DimKind::Out);
        let components = (0..n).map(|k| composed.component(k)).collect::<Result<Vec<_>>>()?;
        Multi::from_parts(space, components, Some(composed.domain()?))
    }
}

macro_rules! at_methods {
    ($($name:ident, $map:ident, $text:literal;)*) => {
        impl UnionMap {$(
            #[doc = concat!("The pairs `(x, y)` with `function(x) ", $text, " function(y)`, where both are defined. Exact.")]
            pub fn $name(&self, function: &MultiUnionPwAff, budget: &Budget) -> Result<UnionMap> {
                self.related_by(function, budget, |a, b| a.$map(b, budget))
            }
        )*}
    };
}

at_methods! {
    eq_at, eq_map, "=";
    lex_lt_at, lex_lt_map, "< (lexicographically)";
    lex_le_at, lex_le_map, "<= (lexicographically)";
    lex_gt_at, lex_gt_map, "> (lexicographically)";
    lex_ge_at, lex_ge_map, ">= (lexicographically)";
}

impl UnionMap {
    fn related_by(
        &self,
        function: &MultiUnionPwAff,
        budget: &Budget,
        relate: impl Fn(&MultiPwAff, &MultiPwAff) -> Result<Map>,
    ) -> Result<UnionMap> {
        let mut result = UnionMap::empty(&self.params_space().align_params(function.space()));
        for map in self.members() {
            let (x, y) = (function.extract(&map.space().domain())?, function.extract(&map.space().range())?);
            result = result.add(&map.intersect(&relate(&x, &y)?, budget)?)?;
        }
        Ok(result)
    }
}
