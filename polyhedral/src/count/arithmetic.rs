//! Arithmetic on piecewise quasi-polynomials: pointwise operations, restriction and equality.

use crate::arith::Rational;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{Set, UnionSet, mismatch};
use crate::space::DimKind;

use super::quasi::{PwQPolynomial, QPolynomial, UnionPwQPolynomial};

/// So many points are tried before the question whether a function vanishes is given up.
const TRIES: usize = 64;

impl PwQPolynomial {
    /// The function with all values multiplied by a number. Exact; no set operations.
    pub fn scale(&self, factor: &Rational) -> PwQPolynomial {
        let mut result = PwQPolynomial::zero(self.space.clone());
        if !factor.is_zero() {
            let scaled = |q: &QPolynomial| {
                let mut value = super::polynomial::Polynomial::default();
                value.add_scaled(&q.value, factor);
                QPolynomial { space: q.space.clone(), value }
            };
            result.pieces = self.pieces.iter().map(|(set, q)| (set.clone(), scaled(q))).collect();
        }
        result
    }

    /// The difference of two functions over one tuple. Exact; cost as [`PwQPolynomial::add`].
    pub fn sub(&self, other: &PwQPolynomial, budget: &Budget) -> Result<PwQPolynomial> {
        self.add(&other.scale(&Rational::from(-1)), budget)
    }

    /// The product of two functions over one tuple. Exact; one piece for each pair of pieces that overlap.
    pub fn mul(&self, other: &PwQPolynomial, budget: &Budget) -> Result<PwQPolynomial> {
        if !self.space.has_equal_tuples(&other.space) {
            return Err(mismatch("multiply", &self.space, &other.space));
        }
        let left = self.align_params(&self.space.align_params(&other.space));
        let right = other.align_params(&left.space);
        let mut result = PwQPolynomial::zero(left.space.clone());
        for (a, x) in &left.pieces {
            for (b, y) in &right.pieces {
                let both = a.intersect(b, budget)?;
                if !both.is_empty(budget)? {
                    result.pieces.push((both, x.mul(y, budget)?));
                }
            }
        }
        result.merge(budget)
    }

    /// The function that is zero outside of a set. Exact; one intersection for each piece.
    pub fn intersect_domain(&self, set: &Set, budget: &Budget) -> Result<PwQPolynomial> {
        if !self.space.has_equal_tuples(set.space()) {
            return Err(mismatch("restrict a function", &self.space, set.space()));
        }
        let mut result = self.align_params(&self.space.align_params(set.space()));
        let set = set.align_params(&result.space);
        let mut pieces = Vec::new();
        for (own, value) in std::mem::take(&mut result.pieces) {
            let both = own.intersect(&set, budget)?;
            if !both.is_empty(budget)? {
                pieces.push((both, value));
            }
        }
        result.pieces = pieces;
        Ok(result)
    }

    /// The function that is zero outside of some values of the parameters; `params` is a set of parameter values.
    /// Exact.
    pub fn intersect_params(&self, params: &Set, budget: &Budget) -> Result<PwQPolynomial> {
        let domain = Set::universe(self.space.clone()).intersect_params(params, budget)?;
        self.intersect_domain(&domain, budget)
    }

    /// A function with simpler pieces that has the same values inside a set; elsewhere it is any function. Exact
    /// inside; one gist for each piece, and a test of each pair whether they are still disjoint; otherwise the later
    /// piece stays as it is.
    pub fn gist(&self, set: &Set, budget: &Budget) -> Result<PwQPolynomial> {
        let inside = self.intersect_domain(set, budget)?;
        let set = set.align_params(&inside.space);
        let mut result = PwQPolynomial::zero(inside.space.clone());
        for (own, value) in &inside.pieces {
            let mut simpler = own.gist(&set, budget)?;
            for (before, _) in &result.pieces {
                if !before.is_disjoint(&simpler, budget)? {
                    // The piece itself lies inside the set, where the pieces before have not grown.
                    simpler = own.clone();
                    break;
                }
            }
            result.pieces.push((simpler, value.clone()));
        }
        Ok(result)
    }

    /// [`PwQPolynomial::gist`] for values of the parameters.
    pub fn gist_params(&self, params: &Set, budget: &Budget) -> Result<PwQPolynomial> {
        let domain = Set::universe(self.space.clone()).intersect_params(params, budget)?;
        self.gist(&domain, budget)
    }

    /// Whether two functions over one tuple have the same value everywhere.
    ///
    /// Where the difference is the zero polynomial, and where it is not zero at a point, the answer is exact; an error
    /// says if neither is found, which takes different texts of one function with integer divisions. Cost: as
    /// [`PwQPolynomial::sub`], and up to 64 sample points.
    pub fn is_equal(&self, other: &PwQPolynomial, budget: &Budget) -> Result<bool> {
        for (set, value) in self.sub(other, budget)?.pieces() {
            let mut rest = set.clone();
            for tries in 0.. {
                let Some(point) = rest.sample(budget)? else { break };
                if value.eval(&point).is_some_and(|v| !v.is_zero()) {
                    return Ok(false);
                }
                if tries == TRIES {
                    let what = format!("whether {value} is zero for all of {set} could not be decided");
                    return Err(Error::OutOfRange { operation: "compare counts", what });
                }
                let mut found = Set::universe(set.space().clone());
                for (column, v) in point.iter().enumerate() {
                    let n = set.space().dim(DimKind::Param);
                    let (kind, pos) = if column < n { (DimKind::Param, column) } else { (DimKind::Out, column - n) };
                    found = found.fix(kind, pos, v)?;
                }
                rest = rest.subtract(&found, budget)?;
            }
        }
        Ok(true)
    }
}

impl UnionPwQPolynomial {
    fn map_members(
        &self,
        f: impl Fn(&PwQPolynomial) -> Result<PwQPolynomial>,
        budget: &Budget,
    ) -> Result<UnionPwQPolynomial> {
        let mut result = UnionPwQPolynomial::empty(self.params_space());
        for member in self.members() {
            result = result.add(&f(member)?, budget)?;
        }
        Ok(result)
    }

    /// All values multiplied by a number. Exact.
    pub fn scale(&self, factor: &Rational) -> UnionPwQPolynomial {
        let mut result = self.clone();
        result.members.iter_mut().for_each(|m| *m = m.scale(factor));
        result.members.retain(|m| !m.is_zero());
        result
    }

    /// The sum of two functions, each zero in spaces where it is not given. Exact.
    pub fn add_union(&self, other: &UnionPwQPolynomial, budget: &Budget) -> Result<UnionPwQPolynomial> {
        let mut result = self.clone();
        for member in other.members() {
            result = result.add(member, budget)?;
        }
        Ok(result)
    }

    /// The difference of two functions. Exact.
    pub fn sub(&self, other: &UnionPwQPolynomial, budget: &Budget) -> Result<UnionPwQPolynomial> {
        self.add_union(&other.scale(&Rational::from(-1)), budget)
    }

    /// The product of two functions: zero in spaces where only one is given. Exact.
    pub fn mul(&self, other: &UnionPwQPolynomial, budget: &Budget) -> Result<UnionPwQPolynomial> {
        let mut result = UnionPwQPolynomial::empty(&self.params_space().align_params(other.params_space()));
        for a in self.members() {
            for b in other.members().iter().filter(|b| b.space().has_equal_tuples(a.space())) {
                result = result.add(&a.mul(b, budget)?, budget)?;
            }
        }
        Ok(result)
    }

    /// The function that is zero outside of some sets. Exact.
    pub fn intersect_domain(&self, sets: &UnionSet, budget: &Budget) -> Result<UnionPwQPolynomial> {
        self.map_members(|m| m.intersect_domain(&sets.extract(m.space()), budget), budget)
    }

    /// The function that is zero outside of some values of the parameters. Exact.
    pub fn intersect_params(&self, params: &Set, budget: &Budget) -> Result<UnionPwQPolynomial> {
        self.map_members(|m| m.intersect_params(params, budget), budget)
    }

    /// A function with simpler pieces that has the same values inside some sets; see [`PwQPolynomial::gist`].
    pub fn gist(&self, sets: &UnionSet, budget: &Budget) -> Result<UnionPwQPolynomial> {
        self.map_members(|m| m.gist(&sets.extract(m.space()), budget), budget)
    }

    /// [`UnionPwQPolynomial::gist`] for values of the parameters.
    pub fn gist_params(&self, params: &Set, budget: &Budget) -> Result<UnionPwQPolynomial> {
        self.map_members(|m| m.gist_params(params, budget), budget)
    }

    /// The points that lie in a piece: elsewhere the values are zero. No set operations.
    pub fn domain(&self) -> Result<UnionSet> {
        let mut result = UnionSet::empty(self.params_space());
        for member in self.members() {
            for (set, _) in member.pieces() {
                result = result.add(set)?;
            }
        }
        Ok(result)
    }

    /// Whether two functions have the same value everywhere. See [`PwQPolynomial::is_equal`].
    pub fn is_equal(&self, other: &UnionPwQPolynomial, budget: &Budget) -> Result<bool> {
        for member in self.sub(other, budget)?.members() {
            if !member.is_equal(&PwQPolynomial::zero(member.space().clone()), budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
