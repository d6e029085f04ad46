//! Operations on functions over many spaces: arithmetic, comparison, composition, simplification.

use crate::arith::{Int, Rational};
use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{Set, UnionMap, UnionSet};
use crate::space::Space;

use super::{Aff, Expression, MultiAff, Piecewise, PwAff, PwMultiAff, UnionPiecewise, UnionPwAff, UnionPwMultiAff};

impl<E: Expression> UnionPiecewise<E> {
    /// The functions that `f` makes of the pairs of members; their domains must be disjoint.
    pub(super) fn pairs<F: Expression, G: Expression>(
        &self,
        other: &UnionPiecewise<F>,
        f: impl Fn(&Piecewise<E>, &Piecewise<F>) -> Result<Option<Piecewise<G>>>,
    ) -> Result<UnionPiecewise<G>> {
        let params = self.params_space().align_params(other.params_space());
        let mut result = UnionPiecewise::empty(&params);
        for a in self.members() {
            for b in other.members() {
                if let Some(member) = f(a, b)? {
                    result.insert_disjoint(member.align_params(&params));
                }
            }
        }
        Ok(result)
    }

    /// The members that satisfy a condition.
    pub(super) fn filtered(&self, f: impl Fn(&Piecewise<E>) -> bool) -> Result<UnionPiecewise<E>> {
        let mut result = UnionPiecewise::empty(self.params_space());
        self.members().filter(|m| f(m)).for_each(|m| result.insert_disjoint(m.clone()));
        Ok(result)
    }

    fn matching<F: Expression>(
        &self,
        other: &UnionPiecewise<F>,
        f: impl Fn(&Piecewise<E>, &Piecewise<F>) -> Result<Piecewise<E>>,
    ) -> Result<UnionPiecewise<E>> {
        self.pairs(other, |a, b| Ok(if a.space().has_equal_tuples(b.space()) { Some(f(a, b)?) } else { None }))
    }

    /// The sum, where both are defined with values in one space.
    pub fn add(&self, other: &UnionPiecewise<E>, budget: &Budget) -> Result<UnionPiecewise<E>> {
        self.matching(other, |a, b| a.add(b, budget))
    }

    /// The difference, where both are defined with values in one space.
    pub fn sub(&self, other: &UnionPiecewise<E>, budget: &Budget) -> Result<UnionPiecewise<E>> {
        self.matching(other, |a, b| a.sub(b, budget))
    }

    /// `both` of the members in one space, the member of one operand where the other has none. Error: both are defined
    /// at one point, with values in different spaces.
    fn union_with(
        &self,
        other: &UnionPiecewise<E>,
        budget: &Budget,
        both: impl Fn(&Piecewise<E>, &Piecewise<E>) -> Result<Piecewise<E>>,
    ) -> Result<UnionPiecewise<E>> {
        let params = self.params_space().align_params(other.params_space());
        let mut result = UnionPiecewise::empty(&params);
        for member in self.members() {
            let partner = other.extract(member.space());
            let member = if partner.is_plainly_empty() { member.clone() } else { both(member, &partner)? };
            result.insert_disjoint(member.align_params(&params));
        }
        for member in other.members() {
            if self.extract(member.space()).is_plainly_empty() {
                result = result.add_member(member, budget)?;
            }
        }
        Ok(result)
    }

    /// The sum where both are defined, the value of one where only one is. Error: both are defined at one point with
    /// values in different spaces.
    pub fn union_add(&self, other: &UnionPiecewise<E>, budget: &Budget) -> Result<UnionPiecewise<E>> {
        self.union_with(other, budget, |a, b| a.union_add(b, budget))
    }

    /// The function of `self` where it is defined, of `other` elsewhere.
    pub fn or_else(&self, other: &UnionPiecewise<E>, budget: &Budget) -> Result<UnionPiecewise<E>> {
        let rest = other.subtract_domain(&self.domain()?, budget)?;
        let mut result = self.align_params(&self.params_space().align_params(other.params_space()));
        for member in rest.members() {
            let member = member.align_params(result.params_space());
            result.insert_disjoint(member);
        }
        Ok(result)
    }

    fn map_values(&self, f: impl Fn(&Piecewise<E>) -> Piecewise<E>) -> UnionPiecewise<E> {
        let mut result = UnionPiecewise::empty(self.params_space());
        self.members().for_each(|m| result.insert_disjoint(f(m)));
        result
    }

    /// The negation.
    pub fn neg(&self) -> UnionPiecewise<E> {
        self.map_values(Piecewise::neg)
    }

    /// The product with an integer.
    pub fn scale(&self, factor: &Int) -> UnionPiecewise<E> {
        self.map_values(|m| m.scale(factor))
    }

    /// The product with a rational number.
    pub fn scale_rational(&self, factor: &Rational) -> UnionPiecewise<E> {
        self.map_values(|m| m.scale_rational(factor))
    }

    /// The greatest integers that are at most the values.
    pub fn floor(&self) -> UnionPiecewise<E> {
        self.map_values(Piecewise::floor)
    }

    /// The least integers that are at least the values.
    pub fn ceil(&self) -> UnionPiecewise<E> {
        self.map_values(Piecewise::ceil)
    }

    /// Coalesces every member; see [`Piecewise::coalesce`].
    pub fn coalesce(&self, budget: &Budget) -> Result<UnionPiecewise<E>> {
        self.map_members(|m| m.coalesce(budget))
    }

    /// A simpler function with the same values at the points of `context` where it is defined.
    pub fn gist(&self, context: &UnionSet, budget: &Budget) -> Result<UnionPiecewise<E>> {
        let params = self.params_space().align_params(context.params_space());
        let mut result = UnionPiecewise::empty(&params);
        for member in self.members() {
            let inside = context.extract(&member.domain_space());
            let simpler = member.gist(&inside, budget)?;
            // Outside of the context the simpler domains can overlap.
            result = match result.add_member(&simpler, budget) {
                Ok(all) => all,
                Err(crate::error::Error::OutOfRange { .. }) => {
                    let own = member.subtract_domain(&result.domain()?.extract(&member.domain_space()), budget)?;
                    result.add_member(&own, budget)?
                }
                Err(other) => return Err(other),
            };
        }
        Ok(result)
    }

    /// Like [`UnionPiecewise::gist`] with a context that only constrains the parameters.
    pub fn gist_params(&self, context: &Set, budget: &Budget) -> Result<UnionPiecewise<E>> {
        let mut all = UnionSet::empty(self.params_space());
        for member in self.members() {
            all = all.add(&Set::universe(member.domain_space()).intersect_params(context, budget)?)?;
        }
        self.gist(&all, budget)
    }

    /// The same function without the parameters that nothing uses.
    pub fn drop_unused_params(&self) -> UnionPiecewise<E> {
        let members: Vec<Piecewise<E>> = self.members().map(Piecewise::drop_unused_params).collect();
        let used = |name: &crate::space::Name| members.iter().any(|m| m.space().param_index(name).is_some());
        let names: Vec<&str> = self.params_space().param_names().iter().filter(|n| used(n)).map(|n| &**n).collect();
        let params = Space::params(&names);
        let mut result = UnionPiecewise::empty(&params);
        members.iter().for_each(|m| result.insert_disjoint(m.align_params(&params)));
        result
    }

    /// Whether both consist of the same pieces. Sound, not complete.
    pub fn is_plainly_equal(&self, other: &UnionPiecewise<E>) -> bool {
        self == other
    }

    /// Whether both are defined at the same points and have the same values there. Exact.
    pub fn is_equal(&self, other: &UnionPiecewise<E>, budget: &Budget) -> Result<bool> {
        for member in self.members() {
            let partner = other.extract(member.space());
            let (member, partner) = (member.align_params(partner.space()), partner.align_params(member.space()));
            if !member.is_equal(&partner, budget)? {
                return Ok(false);
            }
        }
        for member in other.members() {
            if self.extract(member.space()).is_plainly_empty() && !member.is_empty(budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The composition `x -> self(function(x))`, over all pairs of members that fit.
    pub fn pullback(&self, function: &UnionPwMultiAff, budget: &Budget) -> Result<UnionPiecewise<E>> {
        self.pairs(function, |outer, inner| {
            let arguments = outer.domain_space();
            let fits = arguments.is_set() && arguments.range_tuple() == inner.space().range_tuple();
            if fits { Ok(Some(outer.pullback_pw(inner, budget)?)) } else { Ok(None) }
        })
    }
}

impl UnionPwAff {
    /// A constant on all points of a union of sets.
    pub fn constant_on(sets: &UnionSet, value: &Rational) -> UnionPwAff {
        let mut result = UnionPwAff::empty(sets.params_space());
        sets.members().for_each(|set| result.insert_disjoint(PwAff::constant_on(set, value)));
        result
    }

    /// Zero on all points of a union of sets.
    pub fn zero_on(sets: &UnionSet) -> UnionPwAff {
        UnionPwAff::constant_on(sets, &Rational::zero())
    }

    /// An expression of only the parameters on all points of a union of sets. Error: the expression has other
    /// arguments.
    pub fn aff_on(sets: &UnionSet, aff: &Aff) -> Result<UnionPwAff> {
        if !aff.space().is_params() {
            return Err(crate::relation::mismatch("restrict a function", aff.space(), sets.params_space()));
        }
        let params = sets.params_space().align_params(aff.space());
        let (sets, aff) = (sets.align_params(&params), aff.align_params(&params));
        let mut result = UnionPwAff::empty(&params);
        for set in sets.members() {
            let map: Vec<Option<usize>> = (0..aff.space().n_col()).map(Some).collect();
            result.insert_disjoint(PwAff::on(set, &aff.remap(set.space(), &map))?);
        }
        Ok(result)
    }

    /// `self - modulus * floor(self / modulus)`, in `[0, modulus)`. Error: the modulus is not positive.
    pub fn rem(&self, modulus: &Int) -> Result<UnionPwAff> {
        self.map_members(|m| m.rem(modulus))
    }

    /// The smaller value where both are defined, the value of one where only one is.
    pub fn union_min(&self, other: &UnionPwAff, budget: &Budget) -> Result<UnionPwAff> {
        self.union_with(other, budget, |a, b| a.union_min(b, budget))
    }

    /// The greater value where both are defined, the value of one where only one is.
    pub fn union_max(&self, other: &UnionPwAff, budget: &Budget) -> Result<UnionPwAff> {
        self.union_with(other, budget, |a, b| a.union_max(b, budget))
    }

    /// The points where the value is zero.
    pub fn zero_set(&self, budget: &Budget) -> Result<UnionSet> {
        let mut result = UnionSet::empty(self.params_space());
        for member in self.members() {
            result = result.add(&member.zero_set(budget)?)?;
        }
        Ok(result)
    }

    /// The same function with a tuple of one unnamed dimension as result.
    pub fn to_union_pw_multi_aff(&self) -> Result<UnionPwMultiAff> {
        self.map_members(PwAff::to_pw_multi_aff)
    }
}

impl UnionPwMultiAff {
    /// The identity on the points of a union of sets.
    pub fn identity_on(sets: &UnionSet) -> Result<UnionPwMultiAff> {
        let mut result = UnionPwMultiAff::empty(sets.params_space());
        for set in sets.members() {
            result.insert_disjoint(PwMultiAff::on(set, &MultiAff::identity(set.space())?)?);
        }
        Ok(result)
    }

    /// The function of no components (to the empty unnamed tuple) that is defined on a union of sets.
    pub fn from_domain(sets: &UnionSet) -> Result<UnionPwMultiAff> {
        let mut result = UnionPwMultiAff::empty(sets.params_space());
        for set in sets.members() {
            result.insert_disjoint(PwMultiAff::from_domain(set)?);
        }
        Ok(result)
    }

    /// The image of the values of the first function under the second: `x -> other(self(x))`.
    pub fn apply(&self, other: &UnionPwMultiAff, budget: &Budget) -> Result<UnionPwMultiAff> {
        other.pullback(self, budget)
    }

    /// Component number `pos` of every member that has one.
    pub fn component(&self, pos: usize) -> Result<UnionPwAff> {
        self.filtered(|m| pos < m.n_components())?.map_members(|m| m.component(pos))
    }

    /// The graphs as relations. Functions of only the parameters are maps from the empty unnamed tuple.
    pub fn to_union_map(&self, budget: &Budget) -> Result<UnionMap> {
        let mut result = UnionMap::empty(self.params_space());
        for member in self.members() {
            result = result.add(&member.to_map(budget)?)?;
        }
        Ok(result)
    }
}
