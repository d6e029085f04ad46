//! Sums of quasi-polynomials over the points of sets and over the images of points under maps.

use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{Map, Set, UnionMap, mismatch};
use crate::space::{DimKind, Space};

use super::cardinality::{disjoint_parts, piece_on};
use super::polynomial::Polynomial;
use super::quasi::{PwQPolynomial, UnionPwQPolynomial};
use super::sum::Piece;

/// Adds the sum of a polynomial in the columns of a set, for each value of the first columns, which are those of the
/// space of `result`.
pub(super) fn add_sum(result: &mut PwQPolynomial, set: &Set, value: &Polynomial, budget: &Budget) -> Result<()> {
    let domain = result.space().clone();
    for part in disjoint_parts(set, budget)? {
        if part.is_empty(budget)? {
            continue;
        }
        for piece in Piece::new(&part, domain.n_col(), value.clone()).sum(budget)? {
            let (set, value) = piece_on(&domain, &piece);
            result.add_piece(set, &value, budget)?;
        }
    }
    Ok(())
}

impl PwQPolynomial {
    /// The sum of the values at all points, for each value of the parameters: a function of the parameters. Exact.
    /// Errors and cost as [`Set::card`].
    pub fn sum(&self, budget: &Budget) -> Result<PwQPolynomial> {
        let mut result = PwQPolynomial::zero(self.space().params_space());
        for (set, value) in self.pieces() {
            add_sum(&mut result, set, &value.value, budget)?;
        }
        result.merge(budget)
    }
}

impl Map {
    /// The sum of the values of a function on the range over all images of each point of the domain: a function on the
    /// domain. Exact. Errors and cost as [`Map::card`].
    ///
    /// ```
    /// use tessera_polyhedral::budget::Budget;
    /// use tessera_polyhedral::relation::{Map, Set};
    /// let budget = Budget::new(100_000_000);
    /// let inner = Map::parse("{ [i] -> [j] : 0 <= j < i }", &budget)?;
    /// let outer = Map::parse("{ [n] -> [i] : 0 <= i < n }", &budget)?;
    /// let total = outer.sum_over_images(&inner.card(&budget)?, &budget)?;
    /// assert_eq!(total.to_string(), "{ [n] -> (-1/2 * n + 1/2 * n^2) : n >= 2 }");
    /// # Ok::<(), tessera_polyhedral::Error>(())
    /// ```
    pub fn sum_over_images(&self, function: &PwQPolynomial, budget: &Budget) -> Result<PwQPolynomial> {
        if !self.space().range().has_equal_tuples(function.space()) {
            return Err(mismatch("sum over the images", self.space(), function.space()));
        }
        let params = self.space().align_params(function.space());
        let (map, function) = (self.align_params(&params), function.align_params(&params));
        let (n_before, n_in) = (map.space().offset(DimKind::In), map.space().dim(DimKind::In));
        let columns: Vec<usize> =
            (0..function.space().n_col()).map(|c| if c < n_before { c } else { c + n_in }).collect();
        let mut result = PwQPolynomial::zero(map.space().domain());
        for (set, value) in function.pieces() {
            let pairs = map.intersect_range(set, budget)?.wrap();
            let value = value.value.remap(&columns, pairs.space().n_col());
            add_sum(&mut result, &pairs, &value, budget)?;
        }
        result.merge(budget)
    }
}

impl UnionPwQPolynomial {
    /// The sum of the values at all points of all spaces; see [`PwQPolynomial::sum`].
    pub fn sum(&self, budget: &Budget) -> Result<PwQPolynomial> {
        let mut result = PwQPolynomial::zero(self.params_space().clone());
        for member in self.members() {
            result = result.add(&member.sum(budget)?, budget)?;
        }
        Ok(result)
    }
}

impl UnionMap {
    /// The sum of the values of a function over all images, in all spaces, of each point of the domain; zero in spaces
    /// where the function is not given. See [`Map::sum_over_images`].
    pub fn sum_over_images(&self, function: &UnionPwQPolynomial, budget: &Budget) -> Result<UnionPwQPolynomial> {
        let params: Space = self.params_space().align_params(function.params_space());
        let mut result = UnionPwQPolynomial::empty(&params);
        for map in self.members() {
            let range = map.space().range();
            for member in function.members().iter().filter(|m| m.space().has_equal_tuples(&range)) {
                result = result.add(&map.sum_over_images(member, budget)?, budget)?;
            }
        }
        Ok(result)
    }
}
