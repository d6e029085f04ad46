//! [`Multi`]: tuples of partial functions, each component with its own pieces.
//!
//! [`MultiPwAff`] and [`MultiUnionPwAff`] are two instances of one generic type; what only one can do is in
//! [`super::multi_pw_aff`] and [`super::multi_union_pw_aff`].
//!
//! The function is defined where all components are. A function without components has an explicit domain instead,
//! which can be absent: then it is defined everywhere. Invariants: there is no explicit domain if there are components;
//! all components and the explicit domain have the parameters of the space.

use crate::arith::{Int, Rational};
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{self, Set};
use crate::space::{DimKind, Space, Tuple};

use super::products::{range_factors, spliced, with_range};
use super::{Component, PwAff, UnionPwAff};

/// A tuple of partial functions. An immutable value. Equality of values is syntactic; see [`Multi::is_equal`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Multi<C: Component> {
    space: Space,
    components: Vec<C>,
    domain: Option<C::Domain>,
}

/// A tuple of piecewise expressions of one tuple of arguments, or of only the parameters.
///
/// Example: `{ S[i] -> A[((i) : i > 0; (0) : i <= 0), (1)] }`; without components `{ S[i] -> A[] : i > 0 }`.
pub type MultiPwAff = Multi<PwAff>;

/// A tuple of piecewise expressions over any number of spaces of arguments. Its space is the set space of the result.
///
/// Example: `A[{ S[i] -> [(i)]; T[j] -> [(j)] }, { S[i] -> [(0)]; T[j] -> [(1)] }]`; without components
/// `(A[] : { S[i] : i > 0; T[j] })`.
pub type MultiUnionPwAff = Multi<UnionPwAff>;

impl<C: Component> Multi<C> {
    /// The function with the given components. Parameters are aligned. Without components it is defined everywhere.
    /// Errors: not one component per dimension; other arguments than those of the space.
    pub fn new(space: Space, components: Vec<C>) -> Result<Multi<C>> {
        if components.len() != space.dim(DimKind::Out) || space.is_params() {
            let what = format!("{} components for {space}", components.len());
            return Err(Error::OutOfRange { operation: "form a function", what });
        }
        let mut space = space;
        for component in &components {
            component.check(&space)?;
            space = space.align_params(&component.params_space());
        }
        let components = components.iter().map(|c| c.align_params(&space)).collect();
        Ok(Multi { space, components, domain: None })
    }

    /// The function without components that is defined on a domain. Errors: a space with dimensions in the result; a
    /// domain that is not in the space of the arguments.
    pub fn from_domain(space: Space, domain: &C::Domain) -> Result<Multi<C>> {
        C::check_domain(domain, &space)?;
        let space = space.align_params(C::domain_space_of(domain));
        let mut result = Multi::new(space, Vec::new())?;
        result.domain = Some(C::align_domain(domain, &result.space));
        Ok(result)
    }

    /// The space: a map space, or a set space for functions of only the parameters or over many spaces.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The components.
    pub fn components(&self) -> &[C] {
        &self.components
    }

    /// Component number `pos`.
    pub fn get(&self, pos: usize) -> Option<&C> {
        self.components.get(pos)
    }

    /// The explicit domain of a function without components; nothing if it is defined everywhere.
    pub fn explicit_domain(&self) -> Option<&C::Domain> {
        self.domain.as_ref()
    }

    /// The points where all components are defined; nothing if there are no components and no explicit domain.
    pub(super) fn common_domain(&self, budget: &Budget) -> Result<Option<C::Domain>> {
        let Some((first, rest)) = self.components.split_first() else { return Ok(self.domain.clone()) };
        let mut domain = first.domain()?;
        for component in rest {
            domain = C::meet(&domain, &component.domain()?, budget)?;
        }
        Ok(Some(domain))
    }

    /// The function with another component number `pos`.
    pub fn with_component(&self, pos: usize, component: &C) -> Result<Multi<C>> {
        relation::check_dims("replace a component", &self.space, DimKind::Out, pos, 1)?;
        let mut components = self.components.clone();
        components[pos] = component.clone();
        Multi::new(self.space.clone(), components)
    }

    /// The function without `n` components from `first` on, defined where the others are.
    pub fn drop_components(&self, first: usize, n: usize) -> Result<Multi<C>> {
        relation::check_dims("drop components", &self.space, DimKind::Out, first, n)?;
        let mut components = self.components.clone();
        components.drain(first..first + n);
        let space = self.space.drop_dims(DimKind::Out, first, n);
        Ok(Multi { space, components, domain: self.domain.clone() })
    }

    /// The same function with at least the parameters of `params`, those of `params` first.
    pub fn align_params(&self, params: &Space) -> Multi<C> {
        let space = self.space.with_params_of(&params.params_space().align_params(&self.space));
        if space.has_equal_params(&self.space) {
            return self.clone();
        }
        Multi {
            components: self.components.iter().map(|c| c.align_params(&space)).collect(),
            domain: self.domain.as_ref().map(|d| C::align_domain(d, &space)),
            space,
        }
    }

    /// The same components with another tuple of the result of the same length.
    fn with_range_tuple(&self, tuple: Tuple) -> Multi<C> {
        Multi {
            space: with_range(&self.space, tuple),
            components: self.components.clone(),
            domain: self.domain.clone(),
        }
    }

    /// The same function with another name of the tuple of the result; an empty string removes the name.
    pub fn with_range_tuple_name(&self, name: &str) -> Multi<C> {
        self.with_range_tuple(self.space.range_tuple().with_name(name))
    }

    /// The same components as one unnamed flat tuple.
    pub fn flatten_range(&self) -> Multi<C> {
        self.with_range_tuple(self.space.range_tuple().flattened())
    }

    /// Applies a function to every component, and another to the explicit domain.
    pub(super) fn mapped(
        &self,
        f: impl Fn(&C) -> Result<C>,
        g: impl Fn(&C::Domain) -> Result<C::Domain>,
    ) -> Result<Multi<C>> {
        let components = self.components.iter().map(f).collect::<Result<Vec<_>>>()?;
        let mut result = Multi::new(self.space.clone(), components)?;
        if let Some(domain) = &self.domain {
            let domain = g(domain)?;
            result.space = result.space.align_params(C::domain_space_of(&domain));
            result.domain = Some(C::align_domain(&domain, &result.space));
        }
        Ok(result)
    }

    fn map_values(&self, f: impl Fn(&C) -> C) -> Multi<C> {
        let components = self.components.iter().map(f).collect();
        Multi { space: self.space.clone(), components, domain: self.domain.clone() }
    }

    fn zipped(
        &self,
        operation: &'static str,
        other: &Multi<C>,
        f: impl Fn(&C, &C) -> Result<C>,
        g: impl Fn(&C::Domain, &C::Domain) -> Result<Option<C::Domain>>,
        one: impl Fn(&C::Domain) -> Option<C::Domain>,
    ) -> Result<Multi<C>> {
        if !self.space.has_equal_tuples(&other.space) {
            return Err(relation::mismatch(operation, &self.space, &other.space));
        }
        let components = self.components.iter().zip(&other.components).map(|(a, b)| f(a, b)).collect::<Result<_>>()?;
        let mut result = Multi::new(self.space.align_params(&other.space), components)?;
        result.domain = match (&self.domain, &other.domain) {
            (Some(a), Some(b)) => g(a, b)?,
            (Some(a), None) | (None, Some(a)) => one(a),
            (None, None) => None,
        };
        result.domain = result.domain.map(|d| C::align_domain(&d, &result.space));
        Ok(result)
    }

    fn combined(
        &self,
        operation: &'static str,
        other: &Multi<C>,
        budget: &Budget,
        f: impl Fn(&C, &C, &Budget) -> Result<C>,
    ) -> Result<Multi<C>> {
        let both = |a: &C::Domain, b: &C::Domain| Ok(Some(C::meet(a, b, budget)?));
        self.zipped(operation, other, |a, b| f(a, b, budget), both, |a| Some(a.clone()))
    }

    /// The sum, component by component, where both are defined. Error: different tuples.
    pub fn add(&self, other: &Multi<C>, budget: &Budget) -> Result<Multi<C>> {
        self.combined("add", other, budget, C::add)
    }

    /// The difference, component by component, where both are defined. Error: different tuples.
    pub fn sub(&self, other: &Multi<C>, budget: &Budget) -> Result<Multi<C>> {
        self.combined("subtract", other, budget, C::sub)
    }

    /// Component by component, the sum where both are defined, the value of one where only one is. Error: different
    /// tuples.
    pub fn union_add(&self, other: &Multi<C>, budget: &Budget) -> Result<Multi<C>> {
        let either = |a: &C::Domain, b: &C::Domain| Ok(Some(C::join(a, b)?));
        self.zipped("add", other, |a, b| a.union_add(b, budget), either, |_| None)
    }

    /// Applies a binary operation component by component where both are defined.
    pub(super) fn each_with(
        &self,
        other: &Multi<C>,
        budget: &Budget,
        f: impl Fn(&C, &C, &Budget) -> Result<C>,
    ) -> Result<Multi<C>> {
        self.combined("combine functions", other, budget, f)
    }

    /// The negation.
    pub fn neg(&self) -> Multi<C> {
        self.scale(&Int::from(-1))
    }

    /// The product with an integer.
    pub fn scale(&self, factor: &Int) -> Multi<C> {
        self.scale_rational(&Rational::from(factor.clone()))
    }

    /// The product with a rational number.
    pub fn scale_rational(&self, factor: &Rational) -> Multi<C> {
        self.map_values(|c| c.scale_rational(factor))
    }

    fn each_by(&self, values: &[Int], f: impl Fn(&C, &Int) -> Result<C>) -> Result<Multi<C>> {
        if values.len() != self.components.len() {
            let what = format!("{} values for {}", values.len(), self.space);
            return Err(Error::OutOfRange { operation: "combine a function with values", what });
        }
        let components = self.components.iter().zip(values).map(|(c, v)| f(c, v)).collect::<Result<_>>()?;
        Ok(Multi { space: self.space.clone(), components, domain: self.domain.clone() })
    }

    /// The product of every component with an integer of its own. Error: not one factor per component.
    pub fn scale_components(&self, factors: &[Int]) -> Result<Multi<C>> {
        self.each_by(factors, |c, factor| Ok(c.scale_rational(&Rational::from(factor.clone()))))
    }

    /// The remainder of every component modulo a positive integer of its own. Errors: not one modulus per component, or
    /// one that is not positive.
    pub fn rem_components(&self, moduli: &[Int]) -> Result<Multi<C>> {
        self.each_by(moduli, C::rem)
    }

    /// The greatest integers that are at most the values.
    pub fn floor(&self) -> Multi<C> {
        self.map_values(C::floor)
    }

    /// The least integers that are at least the values.
    pub fn ceil(&self) -> Multi<C> {
        self.neg().floor().neg()
    }

    /// An absent explicit domain stands for all points: the restriction to `domain` is `domain`.
    fn restricted(
        &self,
        domain: &C::Domain,
        f: impl Fn(&C) -> Result<C>,
        g: impl Fn(&C::Domain) -> Result<C::Domain>,
    ) -> Result<Multi<C>> {
        C::check_domain(domain, &self.space)?;
        if self.components.is_empty() && self.domain.is_none() {
            return Multi::from_domain(self.space.clone(), domain);
        }
        self.mapped(f, g)
    }

    /// The function on the points of `domain`.
    pub fn intersect_domain(&self, domain: &C::Domain, budget: &Budget) -> Result<Multi<C>> {
        self.restricted(domain, |c| c.intersect_domain(domain, budget), |d| C::meet(d, domain, budget))
    }

    /// A simpler function with the same values at the points of `context` where it is defined.
    pub fn gist(&self, context: &C::Domain, budget: &Budget) -> Result<Multi<C>> {
        self.mapped(|c| c.gist(context, budget), |d| C::gist_domain(d, context, budget))
    }

    /// Like [`Multi::gist`] with a context that only constrains the parameters.
    pub fn gist_params(&self, context: &Set, budget: &Budget) -> Result<Multi<C>> {
        self.mapped(|c| c.gist_params(context, budget), |d| C::gist_params_domain(d, context, budget))
    }

    /// Coalesces every component; see [`super::Piecewise::coalesce`].
    pub fn coalesce(&self, budget: &Budget) -> Result<Multi<C>> {
        self.mapped(|c| c.coalesce(budget), |d| C::coalesce_domain(d, budget))
    }

    /// Whether both consist of the same pieces. Sound, not complete.
    pub fn is_plainly_equal(&self, other: &Multi<C>) -> bool {
        self == other
    }

    /// Whether every component is defined at the same points and has the same values in both. Exact.
    pub fn is_equal(&self, other: &Multi<C>, budget: &Budget) -> Result<bool> {
        if !self.space.has_equal_tuples(&other.space) {
            return Ok(false);
        }
        for (a, b) in self.components.iter().zip(&other.components) {
            if !a.is_equal(b, budget)? {
                return Ok(false);
            }
        }
        match (&self.domain, &other.domain) {
            (Some(a), Some(b)) => C::equal_domains(a, b, budget),
            (None, None) => Ok(true),
            (Some(a), None) | (None, Some(a)) => C::is_everything(a, budget),
        }
    }

    fn joined(&self, other: &Multi<C>, pos: usize, tuple: Tuple, budget: &Budget) -> Result<Multi<C>> {
        let same =
            self.space.is_map() == other.space.is_map() && self.space.domain_tuple() == other.space.domain_tuple();
        if !same {
            return Err(relation::mismatch("form the range product", &self.space, &other.space));
        }
        let space = with_range(&self.space.align_params(&other.space), tuple);
        let (head, tail) = self.components.split_at(pos);
        let components: Vec<C> = head.iter().chain(&other.components).chain(tail).cloned().collect();
        let mut result = Multi::new(space, components)?;
        for domain in self.domain.iter().chain(&other.domain) {
            result = result.intersect_domain(domain, budget)?;
        }
        Ok(result)
    }

    /// `x -> [self(x) -> other(x)]`. Error: different arguments.
    pub fn range_product(&self, other: &Multi<C>, budget: &Budget) -> Result<Multi<C>> {
        let tuple = Tuple::nest(self.space.range_tuple(), other.space.range_tuple());
        self.joined(other, self.components.len(), tuple, budget)
    }

    /// The components of both as one unnamed flat tuple. Error: different arguments.
    pub fn flat_range_product(&self, other: &Multi<C>, budget: &Budget) -> Result<Multi<C>> {
        let tuple = self.space.range_tuple().concat(other.space.range_tuple());
        self.joined(other, self.components.len(), tuple, budget)
    }

    /// The components of `other` inserted before component `pos`, as one unnamed flat tuple. Errors: different
    /// arguments, no such position.
    pub fn splice(&self, pos: usize, other: &Multi<C>, budget: &Budget) -> Result<Multi<C>> {
        let tuple = spliced(&self.space, pos, other.space.range_tuple())?;
        self.joined(other, pos, tuple, budget)
    }

    /// The first factor of a function to `[B -> C]`. Error: the tuple of the result is not nested.
    pub fn range_factor_domain(&self) -> Result<Multi<C>> {
        let (first, second) = range_factors(&self.space)?;
        Ok(self.drop_components(first.len(), second.len())?.with_range_tuple(first))
    }

    /// The second factor of a function to `[B -> C]`. Error: the tuple of the result is not nested.
    pub fn range_factor_range(&self) -> Result<Multi<C>> {
        let (first, second) = range_factors(&self.space)?;
        Ok(self.drop_components(0, first.len())?.with_range_tuple(second))
    }

    /// The function in another space, for the instances of this type: components and explicit domain must fit.
    pub(super) fn from_parts(space: Space, components: Vec<C>, domain: Option<C::Domain>) -> Result<Multi<C>> {
        match domain {
            Some(domain) if components.is_empty() => Multi::from_domain(space, &domain),
            _ => Multi::new(space, components),
        }
    }

    /// The function for the parameter values in `params`. A function without components and explicit domain must be
    /// restricted by its type.
    pub(super) fn with_params_restricted(&self, params: &Set, budget: &Budget) -> Result<Multi<C>> {
        self.mapped(|c| c.intersect_params(params, budget), |d| C::meet_params(d, params, budget))
    }

    /// The function on the points that are not in `domain`, for functions with components or explicit domain.
    pub(super) fn with_domain_removed(&self, domain: &C::Domain, budget: &Budget) -> Result<Multi<C>> {
        C::check_domain(domain, &self.space)?;
        self.mapped(|c| c.subtract_domain(domain, budget), |d| C::without(d, domain, budget))
    }
}
