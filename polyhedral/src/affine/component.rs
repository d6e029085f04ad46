//! [`Component`]: what one component of a tuple of functions is, a [`PwAff`] or a [`UnionPwAff`].
//!
//! The trait lets [`super::Multi`] exist once for both. It is sealed.

use std::fmt;

use crate::arith::{Int, Rational};
use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{self, Set, UnionSet};
use crate::space::Space;

use super::expression::{Expression, sealed::Sealed};
use super::{MultiAff, PwAff, UnionPwAff};

/// A partial function to one value: [`PwAff`], or [`UnionPwAff`]. Sealed.
///
/// Meaning, exactness and errors of the methods are those of the methods of the same name of the two types.
#[allow(missing_docs, reason = "the methods are those of the two types")]
pub trait Component: Clone + fmt::Debug + PartialEq + Eq + Sealed {
    /// The sets on which such a function can be defined.
    type Domain: Clone + fmt::Debug + PartialEq + Eq;

    /// Checks that a component can be part of a function in a given space.
    #[doc(hidden)]
    fn check(&self, space: &Space) -> Result<()>;
    /// The same for an explicit domain.
    #[doc(hidden)]
    fn check_domain(domain: &Self::Domain, space: &Space) -> Result<()>;
    #[doc(hidden)]
    fn domain_space_of(domain: &Self::Domain) -> &Space;
    #[doc(hidden)]
    fn align_domain(domain: &Self::Domain, params: &Space) -> Self::Domain;
    #[doc(hidden)]
    fn meet(a: &Self::Domain, b: &Self::Domain, budget: &Budget) -> Result<Self::Domain>;
    #[doc(hidden)]
    fn join(a: &Self::Domain, b: &Self::Domain) -> Result<Self::Domain>;
    #[doc(hidden)]
    fn without(a: &Self::Domain, b: &Self::Domain, budget: &Budget) -> Result<Self::Domain>;
    #[doc(hidden)]
    fn meet_params(a: &Self::Domain, params: &Set, budget: &Budget) -> Result<Self::Domain>;
    #[doc(hidden)]
    fn gist_domain(a: &Self::Domain, context: &Self::Domain, budget: &Budget) -> Result<Self::Domain>;
    #[doc(hidden)]
    fn gist_params_domain(a: &Self::Domain, context: &Set, budget: &Budget) -> Result<Self::Domain>;
    #[doc(hidden)]
    fn coalesce_domain(a: &Self::Domain, budget: &Budget) -> Result<Self::Domain>;
    #[doc(hidden)]
    fn equal_domains(a: &Self::Domain, b: &Self::Domain, budget: &Budget) -> Result<bool>;

    /// Whether a domain contains all points of its space.
    #[doc(hidden)]
    fn is_everything(domain: &Self::Domain, budget: &Budget) -> Result<bool>;

    fn params_space(&self) -> Space;
    fn align_params(&self, params: &Space) -> Self;
    fn domain(&self) -> Result<Self::Domain>;
    fn intersect_domain(&self, domain: &Self::Domain, budget: &Budget) -> Result<Self>;
    fn subtract_domain(&self, domain: &Self::Domain, budget: &Budget) -> Result<Self>;
    fn intersect_params(&self, params: &Set, budget: &Budget) -> Result<Self>;
    fn add(&self, other: &Self, budget: &Budget) -> Result<Self>;
    fn sub(&self, other: &Self, budget: &Budget) -> Result<Self>;
    fn union_add(&self, other: &Self, budget: &Budget) -> Result<Self>;
    fn scale_rational(&self, factor: &Rational) -> Self;
    fn floor(&self) -> Self;
    fn rem(&self, modulus: &Int) -> Result<Self>;
    fn gist(&self, context: &Self::Domain, budget: &Budget) -> Result<Self>;
    fn gist_params(&self, context: &Set, budget: &Budget) -> Result<Self>;
    fn coalesce(&self, budget: &Budget) -> Result<Self>;
    fn is_equal(&self, other: &Self, budget: &Budget) -> Result<bool>;
}

impl Sealed for PwAff {}
impl Sealed for UnionPwAff {}

macro_rules! component {
    ($Type:ident, $Domain:ident) => {
        type Domain = $Domain;

        fn align_domain(domain: &$Domain, params: &Space) -> $Domain {
            domain.align_params(params)
        }
        fn join(a: &$Domain, b: &$Domain) -> Result<$Domain> {
            a.union(b)
        }
        fn without(a: &$Domain, b: &$Domain, budget: &Budget) -> Result<$Domain> {
            a.subtract(b, budget)
        }
        fn meet_params(a: &$Domain, params: &Set, budget: &Budget) -> Result<$Domain> {
            a.intersect_params(params, budget)
        }
        fn gist_domain(a: &$Domain, context: &$Domain, budget: &Budget) -> Result<$Domain> {
            a.gist(context, budget)
        }
        fn gist_params_domain(a: &$Domain, context: &Set, budget: &Budget) -> Result<$Domain> {
            a.gist_params(context, budget)
        }
        fn coalesce_domain(a: &$Domain, budget: &Budget) -> Result<$Domain> {
            a.coalesce(budget)
        }
        fn equal_domains(a: &$Domain, b: &$Domain, budget: &Budget) -> Result<bool> {
            a.is_equal(b, budget)
        }
        fn align_params(&self, params: &Space) -> $Type {
            $Type::align_params(self, params)
        }
        fn domain(&self) -> Result<$Domain> {
            $Type::domain(self)
        }
        fn intersect_domain(&self, domain: &$Domain, budget: &Budget) -> Result<$Type> {
            $Type::intersect_domain(self, domain, budget)
        }
        fn subtract_domain(&self, domain: &$Domain, budget: &Budget) -> Result<$Type> {
            $Type::subtract_domain(self, domain, budget)
        }
        fn intersect_params(&self, params: &Set, budget: &Budget) -> Result<$Type> {
            $Type::intersect_params(self, params, budget)
        }
        fn add(&self, other: &$Type, budget: &Budget) -> Result<$Type> {
            $Type::add(self, other, budget)
        }
        fn sub(&self, other: &$Type, budget: &Budget) -> Result<$Type> {
            $Type::sub(self, other, budget)
        }
        fn union_add(&self, other: &$Type, budget: &Budget) -> Result<$Type> {
            $Type::union_add(self, other, budget)
        }
        fn scale_rational(&self, factor: &Rational) -> $Type {
            $Type::scale_rational(self, factor)
        }
        fn floor(&self) -> $Type {
            $Type::floor(self)
        }
        fn rem(&self, modulus: &Int) -> Result<$Type> {
            $Type::rem(self, modulus)
        }
        fn gist(&self, context: &$Domain, budget: &Budget) -> Result<$Type> {
            $Type::gist(self, context, budget)
        }
        fn gist_params(&self, context: &Set, budget: &Budget) -> Result<$Type> {
            $Type::gist_params(self, context, budget)
        }
        fn coalesce(&self, budget: &Budget) -> Result<$Type> {
            $Type::coalesce(self, budget)
        }
        fn is_equal(&self, other: &$Type, budget: &Budget) -> Result<bool> {
            $Type::is_equal(self, other, budget)
        }
    };
}

impl Component for PwAff {
    component!(PwAff, Set);

    fn meet(a: &Set, b: &Set, budget: &Budget) -> Result<Set> {
        a.intersect(b, budget)
    }

    fn check(&self, space: &Space) -> Result<()> {
        let arguments = MultiAff::argument_space(space);
        if self.space().has_equal_tuples(&arguments) {
            return Ok(());
        }
        Err(relation::mismatch("form a function", space, self.space()))
    }

    fn check_domain(domain: &Set, space: &Space) -> Result<()> {
        if domain.space().has_equal_tuples(&MultiAff::argument_space(space)) {
            return Ok(());
        }
        Err(relation::mismatch("form a function", space, domain.space()))
    }

    fn domain_space_of(domain: &Set) -> &Space {
        domain.space()
    }

    fn is_everything(domain: &Set, budget: &Budget) -> Result<bool> {
        if domain.is_plainly_universe() { Ok(true) } else { domain.complement(budget)?.is_empty(budget) }
    }

    fn params_space(&self) -> Space {
        self.space().params_space()
    }
}

impl Component for UnionPwAff {
    component!(UnionPwAff, UnionSet);

    /// A domain of only parameters stands for all points under these conditions.
    fn meet(a: &UnionSet, b: &UnionSet, budget: &Budget) -> Result<UnionSet> {
        match (only_params(a), only_params(b)) {
            (None, Some(params)) => a.intersect_params(&params, budget),
            (Some(params), None) => b.intersect_params(&params, budget),
            _ => a.intersect(b, budget),
        }
    }

    fn check(&self, space: &Space) -> Result<()> {
        Self::check_domain(&UnionSet::empty(self.params_space()), space)
    }

    fn check_domain(domain: &UnionSet, space: &Space) -> Result<()> {
        if space.is_set() {
            return Ok(());
        }
        Err(relation::mismatch("form a function", space, domain.params_space()))
    }

    fn domain_space_of(domain: &UnionSet) -> &Space {
        domain.params_space()
    }

    fn is_everything(_domain: &UnionSet, _budget: &Budget) -> Result<bool> {
        // There is always one more space.
        Ok(false)
    }

    fn params_space(&self) -> Space {
        UnionPwAff::params_space(self).clone()
    }
}

/// The only member, if it constrains only parameters.
fn only_params(sets: &UnionSet) -> Option<Set> {
    let mut members = sets.members();
    members.next().filter(|set| set.space().is_params() && members.next().is_none()).cloned()
}
