//! [`UnionPiecewise`]: piecewise functions over many spaces at once.
//!
//! Like [`crate::relation::UnionSet`], a union keeps one function per space, all with the same parameters, in the order
//! of the tuples. Invariant: the domains of all functions together are disjoint, so that the union is a function: this
//! is checked where functions to different tuples come together.

use std::collections::BTreeMap;

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{Set, UnionSet};
use crate::space::{Space, Tuple};

use super::{Aff, Expression, MultiAff, Piecewise, PwAff, PwMultiAff};

/// The tuples of a space: the key of one member of a union.
pub(super) type Key = (Option<Tuple>, Tuple, bool);

pub(super) fn key(space: &Space) -> Key {
    (space.domain_tuple().cloned(), space.range_tuple().clone(), space.is_params())
}

/// Piecewise functions over any number of spaces. An immutable value. Equality of values is syntactic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnionPiecewise<E: Expression> {
    params: Space,
    members: BTreeMap<Key, Piecewise<E>>,
}

/// A piecewise quasi-affine expression over any number of spaces of arguments.
///
/// Example: `{ S[i] -> [(i)] : i >= 0; T[i, j] -> [(i + j)] }`.
pub type UnionPwAff = UnionPiecewise<Aff>;

/// Piecewise functions to tuples over any number of spaces of arguments and results.
///
/// Example: `{ S[i] -> A[(i)]; T[i, j] -> B[(i), (i + j)] }`.
pub type UnionPwMultiAff = UnionPiecewise<MultiAff>;

impl<E: Expression> UnionPiecewise<E> {
    /// The function that is nowhere defined, with the parameters of a space.
    pub fn empty(params: &Space) -> UnionPiecewise<E> {
        UnionPiecewise { params: params.params_space(), members: BTreeMap::new() }
    }

    /// The union of some functions with disjoint domains. Error: two domains meet.
    pub fn from_members(members: impl IntoIterator<Item = Piecewise<E>>, budget: &Budget) -> Result<UnionPiecewise<E>> {
        let mut result = UnionPiecewise::empty(&Space::params::<&str>(&[]));
        for member in members {
            result = result.add_member(&member, budget)?;
        }
        Ok(result)
    }

    /// The space of the common parameters.
    pub fn params_space(&self) -> &Space {
        &self.params
    }

    /// The functions, one per space, in the order of their tuples.
    pub fn members(&self) -> impl Iterator<Item = &Piecewise<E>> {
        self.members.values()
    }

    /// The number of spaces.
    pub fn n_members(&self) -> usize {
        self.members.len()
    }

    /// Whether there is no piece. Sound, not complete; see [`UnionPiecewise::is_empty`].
    pub fn is_plainly_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Whether the function is nowhere defined. Exact; integer programming.
    pub fn is_empty(&self, budget: &Budget) -> Result<bool> {
        for member in self.members.values() {
            if !member.is_empty(budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The member in the given space (parameters do not matter); nowhere defined if there is none.
    pub fn extract(&self, space: &Space) -> Piecewise<E> {
        match self.members.get(&key(space)) {
            Some(member) => member.clone(),
            None => Piecewise::empty(space.with_params_of(&self.params)),
        }
    }

    /// The same function with at least the parameters of `params`, those of `params` first.
    pub fn align_params(&self, params: &Space) -> UnionPiecewise<E> {
        let all = params.params_space().align_params(&self.params);
        if all.has_equal_params(&self.params) {
            return self.clone();
        }
        let members = self.members.iter().map(|(k, m)| (k.clone(), m.align_params(&all))).collect();
        UnionPiecewise { params: all, members }
    }

    /// With one more member, whose domain must be disjoint from that of the whole function. Error: it is not.
    pub fn add_member(&self, member: &Piecewise<E>, budget: &Budget) -> Result<UnionPiecewise<E>> {
        let mut result = self.align_params(&self.params.align_params(member.space()));
        let member = member.align_params(&result.params);
        if !member.is_plainly_empty() {
            result.check_disjoint(&member, budget)?;
            result.insert_disjoint(member);
        }
        Ok(result)
    }

    fn check_disjoint(&self, member: &Piecewise<E>, budget: &Budget) -> Result<()> {
        let arguments = member.domain_space();
        let mut domain = None;
        for other in self.members.values().filter(|m| m.domain_space().has_equal_tuples(&arguments)) {
            let domain = match &domain {
                Some(domain) => domain,
                None => domain.insert(member.domain()?),
            };
            if !other.domain()?.is_disjoint(domain, budget)? {
                let what = format!("two functions are defined at common points of {arguments}");
                return Err(Error::OutOfRange { operation: "form a union of functions", what });
            }
        }
        Ok(())
    }

    /// Adds a member with the parameters of the union whose domain is known to be disjoint from the others.
    pub(super) fn insert_disjoint(&mut self, member: Piecewise<E>) {
        debug_assert!(member.space().has_equal_params(&self.params));
        if member.is_plainly_empty() {
            return;
        }
        match self.members.entry(key(member.space())) {
            std::collections::btree_map::Entry::Vacant(place) => {
                place.insert(member);
            }
            std::collections::btree_map::Entry::Occupied(mut place) => {
                for (set, expression) in member.pieces() {
                    place.get_mut().push(set.clone(), expression.clone());
                }
            }
        }
    }

    /// Applies a function to every member; the results must have disjoint domains if the members have.
    pub(super) fn map_members<F: Expression>(
        &self,
        f: impl Fn(&Piecewise<E>) -> Result<Piecewise<F>>,
    ) -> Result<UnionPiecewise<F>> {
        let mut result = UnionPiecewise::empty(&self.params);
        for member in self.members.values() {
            let member = f(member)?;
            result = result.align_params(&result.params.align_params(member.space()));
            let member = member.align_params(&result.params);
            result.insert_disjoint(member);
        }
        Ok(result)
    }

    /// The points where the function is defined.
    pub fn domain(&self) -> Result<UnionSet> {
        let mut result = UnionSet::empty(&self.params);
        for member in self.members.values() {
            result = result.add(&member.domain()?)?;
        }
        Ok(result)
    }

    /// The set of `sets` in the space of the arguments of a member.
    fn domain_of(member: &Piecewise<E>, sets: &UnionSet) -> Set {
        sets.extract(&member.domain_space())
    }

    /// The function on the points of `sets`.
    pub fn intersect_domain(&self, sets: &UnionSet, budget: &Budget) -> Result<UnionPiecewise<E>> {
        self.map_members(|m| m.intersect_domain(&Self::domain_of(m, sets), budget))
    }

    /// The function on the points that are not in `sets`.
    pub fn subtract_domain(&self, sets: &UnionSet, budget: &Budget) -> Result<UnionPiecewise<E>> {
        self.map_members(|m| m.subtract_domain(&Self::domain_of(m, sets), budget))
    }

    /// The function for the parameter values in `params`.
    pub fn intersect_params(&self, params: &Set, budget: &Budget) -> Result<UnionPiecewise<E>> {
        self.map_members(|m| m.intersect_params(params, budget))
    }
}

impl<E: Expression> From<Piecewise<E>> for UnionPiecewise<E> {
    fn from(member: Piecewise<E>) -> UnionPiecewise<E> {
        let mut result = UnionPiecewise::empty(member.space());
        result.insert_disjoint(member);
        result
    }
}

impl From<&PwAff> for UnionPwAff {
    fn from(member: &PwAff) -> UnionPwAff {
        member.clone().into()
    }
}

impl From<&PwMultiAff> for UnionPwMultiAff {
    fn from(member: &PwMultiAff) -> UnionPwMultiAff {
        member.clone().into()
    }
}
