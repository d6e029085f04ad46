//! What only [`MultiPwAff`] can do: conversions, composition, products of arguments, comparison.

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{self, Map, Set};
use crate::space::{DimKind, Space};

use super::{Expression, Multi, MultiAff, MultiPwAff, PwAff, PwMultiAff};

impl MultiPwAff {
    /// Zero in every component, for a map space, or a set space (a function of only the parameters).
    pub fn zero(space: Space) -> Result<MultiPwAff> {
        MultiPwAff::from_multi_aff(&MultiAff::zero(space))
    }

    /// The identity on a set space.
    pub fn identity(space: &Space) -> Result<MultiPwAff> {
        MultiPwAff::from_multi_aff(&MultiAff::identity(space)?)
    }

    /// A total function, component by component.
    pub fn from_multi_aff(function: &MultiAff) -> Result<MultiPwAff> {
        let components = function.affs().iter().map(|aff| PwAff::from_aff(aff.clone())).collect();
        Multi::new(function.space().clone(), components)
    }

    /// One expression as a function to the unnamed tuple of one dimension.
    pub fn from_pw_aff(function: &PwAff) -> Result<MultiPwAff> {
        let space = function.to_pw_multi_aff()?.space().clone();
        Multi::new(space, vec![function.clone()])
    }

    /// The same function with the pieces of every component of its own.
    pub fn from_pw_multi_aff(function: &PwMultiAff) -> Result<MultiPwAff> {
        let n = function.n_components();
        if n == 0 {
            return Multi::from_domain(function.space().clone(), &function.domain()?);
        }
        let components = (0..n).map(|k| function.component(k)).collect::<Result<_>>()?;
        Multi::new(function.space().clone(), components)
    }

    /// The same function with pieces shared by all components. Exact; one piece per tuple of pieces that meet.
    pub fn to_pw_multi_aff(&self, budget: &Budget) -> Result<PwMultiAff> {
        let domain = match self.explicit_domain() {
            Some(domain) => domain.clone(),
            None => Set::universe(self.domain_space()),
        };
        // Built from left to right: the components so far as a function to a flat tuple.
        let mut result = PwMultiAff::from_domain(&domain)?;
        for component in self.components() {
            result = result.flat_range_product(&component.to_pw_multi_aff()?, budget)?;
        }
        result.with_space(self.space())
    }

    /// The space of the arguments.
    pub fn domain_space(&self) -> Space {
        MultiAff::argument_space(self.space())
    }

    /// The points where all components are defined.
    pub fn domain(&self, budget: &Budget) -> Result<Set> {
        Ok(self.common_domain(budget)?.unwrap_or_else(|| Set::universe(self.domain_space())))
    }

    /// The function with an explicit domain where it has no components.
    fn opened(&self) -> Result<MultiPwAff> {
        if self.components().is_empty() && self.explicit_domain().is_none() {
            return Multi::from_domain(self.space().clone(), &Set::universe(self.domain_space()));
        }
        Ok(self.clone())
    }

    /// The function for the parameter values in `params`.
    pub fn intersect_params(&self, params: &Set, budget: &Budget) -> Result<MultiPwAff> {
        self.opened()?.with_params_restricted(params, budget)
    }

    /// The function on the points that are not in `set`.
    pub fn subtract_domain(&self, set: &Set, budget: &Budget) -> Result<MultiPwAff> {
        self.opened()?.with_domain_removed(set, budget)
    }

    /// The smaller values, component by component, where both are defined. Error: different tuples.
    pub fn min(&self, other: &MultiPwAff, budget: &Budget) -> Result<MultiPwAff> {
        self.each_with(other, budget, PwAff::min)
    }

    /// The greater values, component by component, where both are defined. Error: different tuples.
    pub fn max(&self, other: &MultiPwAff, budget: &Budget) -> Result<MultiPwAff> {
        self.each_with(other, budget, PwAff::max)
    }

    /// Whether every piece of every component has a constant value, as far as the normal form shows.
    pub fn is_constant(&self) -> bool {
        self.components().iter().all(PwAff::is_constant)
    }

    /// The composition `x -> self(function(x))`; see [`PwAff::pullback`].
    pub fn pullback(&self, function: &MultiAff, budget: &Budget) -> Result<MultiPwAff> {
        self.pullback_pw(&PwMultiAff::from_multi_aff(function.clone()), budget)
    }

    /// The composition `x -> self(function(x))`. Without components: defined where the value is a point of the domain.
    pub fn pullback_pw(&self, function: &PwMultiAff, budget: &Budget) -> Result<MultiPwAff> {
        if !self.space().is_map() || self.space().domain_tuple() != Some(function.space().range_tuple()) {
            return Err(relation::mismatch("substitute", self.space(), function.space()));
        }
        let arguments = function.domain_space().align_params(self.space());
        let space = MultiAff::with_argument_space(self.space(), &arguments);
        let components =
            self.components().iter().map(|c| c.pullback_pw(function, budget)).collect::<Result<Vec<_>>>()?;
        let domain = match components.is_empty() {
            true => Some(self.domain(budget)?.preimage_pw(function, budget)?),
            false => None,
        };
        Multi::from_parts(space, components, domain)
    }

    /// The composition with a function whose components have pieces of their own.
    pub fn pullback_multi_pw(&self, function: &MultiPwAff, budget: &Budget) -> Result<MultiPwAff> {
        self.pullback_pw(&function.to_pw_multi_aff(budget)?, budget)
    }

    /// `[x -> y] -> [self(x) -> other(y)]`. Error: a function of only parameters.
    pub fn product(&self, other: &MultiPwAff, budget: &Budget) -> Result<MultiPwAff> {
        let (Some(_), Some(_)) = (self.space().domain_tuple(), other.space().domain_tuple()) else {
            return Err(relation::mismatch("form the product", self.space(), other.space()));
        };
        let pairs = Space::map(&self.domain_space(), &other.domain_space());
        let left = self.pullback(&MultiAff::domain_map(&pairs)?, budget)?;
        left.range_product(&other.pullback(&MultiAff::range_map(&pairs)?, budget)?, budget)
    }

    /// The same function in a space with the same numbers of parameters and dimensions, for instance other names.
    pub fn with_space(&self, space: &Space) -> Result<MultiPwAff> {
        let arguments = MultiAff::argument_space(space);
        let same = self.space().is_map() == space.is_map()
            && [DimKind::Param, DimKind::In, DimKind::Out].iter().all(|&k| space.dim(k) == self.space().dim(k));
        if !same || space.is_params() {
            return Err(relation::mismatch("rename", self.space(), space));
        }
        let components = self.components().iter().map(|c| c.with_space(&arguments)).collect::<Result<Vec<_>>>()?;
        let domain = self.explicit_domain().map(|d| d.with_space(&arguments)).transpose()?;
        Multi::from_parts(space.clone(), components, domain)
    }

    /// The graph as a relation. Error: a function of only the parameters; see [`MultiPwAff::to_set`].
    pub fn to_map(&self, budget: &Budget) -> Result<Map> {
        self.to_pw_multi_aff(budget)?.to_map(budget)
    }

    /// The set of the values of a function of only the parameters.
    pub fn to_set(&self, budget: &Budget) -> Result<Set> {
        self.to_pw_multi_aff(budget)?.to_set(budget)
    }

    /// The total function with the same values. Error: some component has conditions.
    pub fn to_multi_aff(&self) -> Result<MultiAff> {
        let affs = self.components().iter().map(PwAff::to_aff).collect::<Result<Vec<_>>>()?;
        if self.explicit_domain().is_some_and(|d| !d.is_plainly_universe()) {
            return Err(Error::WrongShape {
                operation: "form a total function",
                space: self.space().clone(),
                expected: "the space of a function without conditions",
            });
        }
        MultiAff::new(self.space().clone(), affs)
    }
}

impl MultiPwAff {
    /// The pairs of points with `self(x) = other(y)`, where both are defined.
    pub fn eq_map(&self, other: &MultiPwAff, budget: &Budget) -> Result<Map> {
        self.to_pw_multi_aff(budget)?.eq_map(&other.to_pw_multi_aff(budget)?, budget)
    }

    /// The pairs of points with `self(x) != other(y)`, where both are defined.
    pub fn ne_map(&self, other: &MultiPwAff, budget: &Budget) -> Result<Map> {
        self.to_pw_multi_aff(budget)?.ne_map(&other.to_pw_multi_aff(budget)?, budget)
    }

    fn lexicographic_map(&self, other: &MultiPwAff, greater: bool, or_equal: bool, budget: &Budget) -> Result<Map> {
        if self.space().range_tuple() != other.space().range_tuple() {
            return Err(relation::mismatch("compare", self.space(), other.space()));
        }
        // Where there are no components: all pairs of points of the explicit domains.
        let domain = |function: &MultiPwAff| match function.explicit_domain() {
            Some(domain) => domain.clone(),
            None => Set::universe(function.domain_space()),
        };
        let mut prefix = Map::from_domain_and_range(&domain(self), &domain(other), budget)?;
        let mut result = Map::empty(prefix.space().clone());
        for (a, b) in self.components().iter().zip(other.components()) {
            let strict = if greater { a.gt_map(b, budget)? } else { a.lt_map(b, budget)? };
            result = result.union(&prefix.intersect(&strict, budget)?)?;
            prefix = prefix.intersect(&a.eq_map(b, budget)?, budget)?;
        }
        if or_equal { result.union(&prefix) } else { Ok(result) }
    }
}

macro_rules! lexicographic_methods {
    ($($name:ident, $greater:literal, $or_equal:literal, $text:literal;)*) => {
        impl MultiPwAff {$(
            #[doc = concat!("The pairs of points with `self(x) ", $text, " other(y)` lexicographically. The components are compared one ")]
            /// after the other up to the first that differs; only these need to be defined.
            pub fn $name(&self, other: &MultiPwAff, budget: &Budget) -> Result<Map> {
                self.lexicographic_map(other, $greater, $or_equal, budget)
            }
        )*}
    };
}

lexicographic_methods! {
    lex_lt_map, false, false, "<";
    lex_le_map, false, true, "<=";
    lex_gt_map, true, false, ">";
    lex_ge_map, true, true, ">=";
}
