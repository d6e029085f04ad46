//! [`Piecewise`]: partial functions given by disjoint pieces, each a set with an expression.
//!
//! [`PwAff`] and [`PwMultiAff`] are two instances of one generic type; what both can do is here, what only one can do
//! is in [`super::pw_aff`] and [`super::pw_multi_aff`].
//!
//! Invariants: the sets of the pieces are disjoint and none is plainly empty; all of them and all expressions have
//! exactly the parameters of the space. Binary operations are defined where both operands are, except for those whose
//! name begins with `union`, which are defined where one of them is, and have its value there.

use crate::arith::{Int, Rational};
use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{self, Set};
use crate::space::Space;

use super::{Aff, Expression, MultiAff, PwMultiAff};

/// A partial function given by disjoint pieces, each a set with an expression. An immutable value.
///
/// Equality of values is syntactic; see [`Piecewise::is_equal`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piecewise<E: Expression> {
    space: Space,
    pieces: Vec<(Set, E)>,
}

/// A piecewise quasi-affine expression. Its space is the space of the arguments.
///
/// Example: `{ S[i] -> [(i)] : i >= 0; S[i] -> [(-i)] : i < 0 }`.
pub type PwAff = Piecewise<Aff>;

impl<E: Expression> Piecewise<E> {
    /// The function that is nowhere defined.
    pub fn empty(space: Space) -> Piecewise<E> {
        Piecewise { space, pieces: Vec::new() }
    }

    /// One expression on the whole space.
    pub(super) fn total(expression: E) -> Piecewise<E> {
        let space = expression.space().clone();
        Piecewise { pieces: vec![(Set::universe(E::argument_space(&space)), expression)], space }
    }

    /// One expression on a set. Error: the set is not in the space of the arguments.
    pub fn on(set: &Set, expression: &E) -> Result<Piecewise<E>> {
        let arguments = E::argument_space(expression.space());
        if !set.space().has_equal_tuples(&arguments) {
            return Err(relation::mismatch("restrict a function", expression.space(), set.space()));
        }
        let space = expression.space().align_params(set.space());
        let mut result = Piecewise::empty(space.clone());
        result.push(set.align_params(&space), expression.align_params(&space));
        Ok(result)
    }

    /// Adds a piece that is disjoint from the others and has the parameters of the space.
    pub(crate) fn push(&mut self, set: Set, expression: E) {
        debug_assert!(set.space().has_equal_params(&self.space) && expression.space().has_equal_params(&self.space));
        if !set.is_plainly_empty() {
            self.pieces.push((set, expression));
        }
    }

    /// The space: for a [`PwAff`] that of the arguments, for a [`PwMultiAff`] that of the function.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The space of the arguments.
    pub fn domain_space(&self) -> Space {
        E::argument_space(&self.space)
    }

    /// The pieces. Their sets are disjoint.
    pub fn pieces(&self) -> &[(Set, E)] {
        &self.pieces
    }

    /// Whether there is no piece. Sound, not complete; see [`Piecewise::is_empty`].
    pub fn is_plainly_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Whether the function is nowhere defined. Exact; integer programming.
    pub fn is_empty(&self, budget: &Budget) -> Result<bool> {
        for (set, _) in &self.pieces {
            if !set.is_empty(budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The expression, if there is one piece and it is the whole space. Sound, not complete; costs nothing.
    pub fn as_total(&self) -> Option<&E> {
        match self.pieces.as_slice() {
            [(set, expression)] if set.is_plainly_universe() => Some(expression),
            _ => None,
        }
    }

    /// The points where the function is defined.
    pub fn domain(&self) -> Result<Set> {
        self.pieces.iter().try_fold(Set::empty(self.domain_space()), |all, (set, _)| all.union(set))
    }

    /// The same function with at least the parameters of `params`, those of `params` first.
    pub fn align_params(&self, params: &Space) -> Piecewise<E> {
        let space = self.space.with_params_of(&params.params_space().align_params(&self.space));
        if space.has_equal_params(&self.space) {
            return self.clone();
        }
        let pieces = self.pieces.iter().map(|(set, e)| (set.align_params(&space), e.align_params(&space))).collect();
        Piecewise { space, pieces }
    }

    /// Calls `f` with both functions over one list of parameters; no copies if they have it already.
    pub(super) fn with_aligned<F: Expression, T>(
        &self,
        other: &Piecewise<F>,
        f: impl FnOnce(&Piecewise<E>, &Piecewise<F>) -> Result<T>,
    ) -> Result<T> {
        if self.space.has_equal_params(&other.space) {
            return f(self, other);
        }
        let left = self.align_params(&self.space.align_params(&other.space));
        let right = other.align_params(&left.space);
        f(&left, &right)
    }

    fn check_same(&self, operation: &'static str, other: &Piecewise<E>) -> Result<()> {
        if self.space.has_equal_tuples(&other.space) {
            return Ok(());
        }
        Err(relation::mismatch(operation, &self.space, &other.space))
    }

    /// The function on the points of `set`.
    pub fn intersect_domain(&self, set: &Set, budget: &Budget) -> Result<Piecewise<E>> {
        self.restricted(set, budget, Set::intersect)
    }

    /// The function on the points that are not in `set`.
    pub fn subtract_domain(&self, set: &Set, budget: &Budget) -> Result<Piecewise<E>> {
        self.restricted(set, budget, Set::subtract)
    }

    /// The function for the parameter values in `params`.
    pub fn intersect_params(&self, params: &Set, budget: &Budget) -> Result<Piecewise<E>> {
        self.restricted(params, budget, Set::intersect_params)
    }

    fn restricted(
        &self,
        set: &Set,
        budget: &Budget,
        f: impl Fn(&Set, &Set, &Budget) -> Result<Set>,
    ) -> Result<Piecewise<E>> {
        let this = self.align_params(&self.space.align_params(set.space()));
        let set = set.align_params(&this.space);
        let mut result = Piecewise::empty(this.space.clone());
        if this.pieces.is_empty() {
            // The check of the spaces.
            f(&Set::empty(this.domain_space()), &set, budget)?;
        }
        for (piece, expression) in this.pieces {
            let rest = f(&piece, &set, budget)?;
            if !rest.is_empty(budget)? {
                result.push(rest, expression);
            }
        }
        Ok(result)
    }

    /// The function of `self` where it is defined, of `other` elsewhere.
    pub fn or_else(&self, other: &Piecewise<E>, budget: &Budget) -> Result<Piecewise<E>> {
        self.check_same("combine functions", other)?;
        self.with_aligned(other, |left, right| {
            let mut result = left.clone();
            let rest = right.outside(left, budget)?;
            result.pieces.extend(rest.pieces);
            Ok(result)
        })
    }

    /// The function where `other`, with the same parameters, is not defined.
    fn outside(&self, other: &Piecewise<E>, budget: &Budget) -> Result<Piecewise<E>> {
        if other.pieces.is_empty() || self.pieces.is_empty() {
            return Ok(self.clone());
        }
        if other.pieces.iter().any(|(set, _)| set.is_plainly_universe()) {
            return Ok(Piecewise::empty(self.space.clone()));
        }
        self.subtract_domain(&other.domain()?, budget)
    }

    /// For every pair of pieces that meet, the pieces that `f` makes on the common set: an expression, on all of it or
    /// under a condition. The conditions must be disjoint.
    pub(super) fn pairwise<F: Expression, G: Expression>(
        &self,
        other: &Piecewise<F>,
        space: &Space,
        budget: &Budget,
        f: impl Fn(&E, &F) -> Result<Vec<(Option<Set>, G)>>,
    ) -> Result<Piecewise<G>> {
        self.with_aligned(other, |left, right| {
            let mut result = Piecewise::empty(space.with_params_of(&left.space));
            for (set_a, a) in &left.pieces {
                for (set_b, b) in &right.pieces {
                    let both = meet(set_a, set_b, budget)?;
                    if both.is_empty(budget)? {
                        continue;
                    }
                    for (condition, expression) in f(a, b)? {
                        match condition {
                            None => result.push(both.clone(), expression),
                            Some(condition) => {
                                let set = meet(&both, &condition, budget)?;
                                if !set.is_empty(budget)? {
                                    result.push(set, expression);
                                }
                            }
                        }
                    }
                }
            }
            Ok(result)
        })
    }

    /// The value of a binary operation where both are defined.
    pub(super) fn combined(
        &self,
        operation: &'static str,
        other: &Piecewise<E>,
        budget: &Budget,
        f: impl Fn(&E, &E) -> Result<E>,
    ) -> Result<Piecewise<E>> {
        self.check_same(operation, other)?;
        self.pairwise(other, &self.space, budget, |a, b| Ok(vec![(None, f(a, b)?)]))
    }

    /// `both` where both functions are defined, one of them elsewhere.
    pub(super) fn union_of(
        &self,
        operation: &'static str,
        other: &Piecewise<E>,
        budget: &Budget,
        both: impl Fn(&Piecewise<E>, &Piecewise<E>) -> Result<Piecewise<E>>,
    ) -> Result<Piecewise<E>> {
        self.check_same(operation, other)?;
        self.with_aligned(other, |left, right| {
            let mut result = both(left, right)?;
            result.pieces.extend(left.outside(right, budget)?.pieces);
            result.pieces.extend(right.outside(left, budget)?.pieces);
            Ok(result)
        })
    }

    /// The sum, where both are defined.
    pub fn add(&self, other: &Piecewise<E>, budget: &Budget) -> Result<Piecewise<E>> {
        self.combined("add", other, budget, E::add)
    }

    /// The difference, where both are defined.
    pub fn sub(&self, other: &Piecewise<E>, budget: &Budget) -> Result<Piecewise<E>> {
        self.combined("subtract", other, budget, E::sub)
    }

    /// The sum where both are defined, the value of one where only one is.
    pub fn union_add(&self, other: &Piecewise<E>, budget: &Budget) -> Result<Piecewise<E>> {
        self.union_of("add", other, budget, |a, b| a.add(b, budget))
    }

    /// Applies a function, which must keep the space, to every piece.
    pub(super) fn map_pieces(&self, f: impl Fn(&E) -> E) -> Piecewise<E> {
        let pieces = self.pieces.iter().map(|(set, e)| (set.clone(), f(e))).collect();
        Piecewise { space: self.space.clone(), pieces }
    }

    /// Applies a function to every piece; `space` is the space of the results.
    pub(super) fn try_map<G: Expression>(&self, space: Space, f: impl Fn(&E) -> Result<G>) -> Result<Piecewise<G>> {
        let mut result = Piecewise::empty(space);
        for (set, expression) in &self.pieces {
            result.push(set.clone(), f(expression)?);
        }
        Ok(result)
    }

    /// The negation.
    pub fn neg(&self) -> Piecewise<E> {
        self.scale(&Int::from(-1))
    }

    /// The product with an integer.
    pub fn scale(&self, factor: &Int) -> Piecewise<E> {
        self.scale_rational(&Rational::from(factor.clone()))
    }

    /// The product with a rational number.
    pub fn scale_rational(&self, factor: &Rational) -> Piecewise<E> {
        self.map_pieces(|e| e.scale_rational(factor))
    }

    /// The greatest integers that are at most the values.
    pub fn floor(&self) -> Piecewise<E> {
        self.map_pieces(E::floor)
    }

    /// The least integers that are at least the values.
    pub fn ceil(&self) -> Piecewise<E> {
        self.neg().floor().neg()
    }

    /// Whether both consist of the same pieces in the same order. Sound, not complete.
    pub fn is_plainly_equal(&self, other: &Piecewise<E>) -> bool {
        self == other
    }

    /// Whether both are defined at the same points and have the same values there. Exact. False for different tuples.
    pub fn is_equal(&self, other: &Piecewise<E>, budget: &Budget) -> Result<bool> {
        if !self.space.has_equal_tuples(&other.space) {
            return Ok(false);
        }
        if self == other {
            return Ok(true);
        }
        if !self.domain()?.is_equal(&other.domain()?, budget)? {
            return Ok(false);
        }
        self.with_aligned(other, |left, right| {
            for (set_a, a) in &left.pieces {
                for (set_b, b) in &right.pieces {
                    if a != b && !meet(set_a, set_b, budget)?.is_disjoint(&a.ne_set(b)?, budget)? {
                        return Ok(false);
                    }
                }
            }
            Ok(true)
        })
    }

    /// The union over pairs of pieces of the points where `f` of their expressions holds.
    pub(super) fn compared<F: Expression>(
        &self,
        other: &Piecewise<F>,
        budget: &Budget,
        f: impl Fn(&E, &F) -> Result<Set>,
    ) -> Result<Set> {
        self.with_aligned(other, |left, right| {
            let mut result = Set::empty(left.domain_space());
            for (set_a, a) in &left.pieces {
                for (set_b, b) in &right.pieces {
                    let both = meet(set_a, set_b, budget)?;
                    if !both.is_plainly_empty() {
                        result = result.union(&meet(&both, &f(a, b)?, budget)?)?;
                    }
                }
            }
            Ok(result)
        })
    }

    /// The composition `x -> self(function(x))`, defined where the value of `function` is an integer point at which
    /// `self` is defined. The range of `function` must be the tuple of the arguments.
    pub fn pullback(&self, function: &MultiAff, budget: &Budget) -> Result<Piecewise<E>> {
        self.pullback_pw(&PwMultiAff::from_multi_aff(function.clone()), budget)
    }

    /// The composition with a piecewise function; see [`Piecewise::pullback`].
    pub fn pullback_pw(&self, function: &PwMultiAff, budget: &Budget) -> Result<Piecewise<E>> {
        if function.space().range_tuple() != self.domain_space().range_tuple() || self.domain_space().is_params() {
            return Err(relation::mismatch("substitute", &self.space, function.space()));
        }
        self.with_aligned(function, |this, function| {
            let space = E::with_argument_space(&this.space, &function.domain_space());
            let mut result = Piecewise::empty(space);
            for (domain, inner) in &function.pieces {
                for (set, outer) in &this.pieces {
                    let set = meet(domain, &set.preimage(inner, budget)?, budget)?;
                    if !set.is_empty(budget)? {
                        result.push(set, outer.pullback(inner)?);
                    }
                }
            }
            Ok(result)
        })
    }

    /// The values at the point `[params | dims]`, which may be fractions; nothing outside of the domain.
    pub fn values(&self, point: &[Int], budget: &Budget) -> Result<Option<Vec<Rational>>> {
        for (set, expression) in &self.pieces {
            if set.contains(point, budget)? {
                return Ok(expression.values(point));
            }
        }
        Ok(None)
    }

    /// The same function in a space with the same numbers of parameters and dimensions, for instance other names.
    pub fn with_space(&self, space: &Space) -> Result<Piecewise<E>> {
        let arguments = E::argument_space(space);
        let mut result = Piecewise::empty(space.clone());
        if self.pieces.is_empty() {
            Set::empty(self.domain_space()).with_space(&arguments)?;
        }
        for (set, expression) in &self.pieces {
            result.push(set.with_space(&arguments)?, expression.with_space(space)?);
        }
        Ok(result)
    }

    /// Moves the columns of the arguments; `space` is the new space of the function.
    pub(super) fn remapped(&self, space: Space, map: &[Option<usize>]) -> Piecewise<E> {
        let arguments = E::argument_space(&space);
        let mut result = Piecewise::empty(space);
        for (set, expression) in &self.pieces {
            result.push(set.remap_unused(&arguments, map), expression.remap(&arguments, map));
        }
        result
    }
}

/// The intersection of two sets in one space with equal parameters, without work in the common cases.
pub(super) fn meet(a: &Set, b: &Set, budget: &Budget) -> Result<Set> {
    if a.is_plainly_universe() || (a == b && a.space() == b.space()) {
        return Ok(b.clone());
    }
    if b.is_plainly_universe() {
        return Ok(a.clone());
    }
    a.intersect(b, budget)
}
