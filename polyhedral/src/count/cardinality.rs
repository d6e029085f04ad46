//! The numbers of points of sets and of images under maps.

use crate::arith::{Int, Rational, row};
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{Conjunction, Map, Set, UnionMap, UnionSet};
use crate::space::{DimKind, Space};

use super::polynomial::Polynomial;
use super::quasi::{PwQPolynomial, QPolynomial, UnionPwQPolynomial};
use super::sum::Piece;
use super::weighted::add_sum;

/// Disjoint conjunctions without existentials.
pub(super) fn disjoint_parts(set: &Set, budget: &Budget) -> Result<Vec<Conjunction>> {
    // Explicit pieces can overlap, and taking them apart can simplify a conjunction to one with an existential again.
    let mut result = set.clone();
    for _ in 0..8 {
        result = result.coalesce(budget)?.make_divs_explicit(budget)?.make_disjoint(budget)?;
        if result.conjunctions().iter().all(Conjunction::has_only_known_divs) {
            return Ok(result.conjunctions().to_vec());
        }
    }
    Err(Error::OutOfRange { operation: "count", what: format!("{set} cannot be written without existentials") })
}

/// The number of points of `set` for each value of the first columns, which are the columns of `domain`.
fn cardinality(set: &Set, domain: &Space, budget: &Budget) -> Result<PwQPolynomial> {
    let mut result = PwQPolynomial::zero(domain.clone());
    add_sum(&mut result, set, &Polynomial::integer(1), budget)?;
    result.merge(budget)
}

/// The set of the free columns and the value of a summed piece.
pub(super) fn piece_on(domain: &Space, piece: &Piece) -> (Set, QPolynomial) {
    let n = domain.n_col();
    let mut c = Conjunction::universe(domain.clone());
    let free = |r: &crate::arith::Row| -> crate::arith::Row { r.iter().take(n).cloned().collect() };
    piece.eqs.iter().for_each(|r| c.add_eq(free(r)));
    piece.ineqs.iter().for_each(|r| c.add_ineq(free(r)));
    for (guard, modulus) in &piece.guards {
        let mut numerator = free(guard);
        numerator.resize(c.n_col(), Int::zero());
        let column = c.add_div(numerator.clone(), modulus.clone());
        let mut eq = numerator;
        eq.resize(c.n_col(), Int::zero());
        eq[column] = -modulus;
        c.add_eq(eq);
    }
    (Set::from_conjunction(c), QPolynomial { space: domain.clone(), value: piece.value.clone() })
}

impl Set {
    /// The number of points for each value of the parameters, a piecewise quasi-polynomial of the parameters. Exact.
    ///
    /// An error if the set is not bounded for some parameters, or if the sum has a period of more than 4096. The cost
    /// depends on the shape of the set and not on the number of its points: each variable of a conjunction multiplies
    /// the number of pieces by the pairs of its bounds.
    ///
    /// ```
    /// use tessera_polyhedral::budget::Budget;
    /// use tessera_polyhedral::relation::Set;
    /// let budget = Budget::new(100_000_000);
    /// let triangle = Set::parse("[n] -> { S[i, j] : 0 <= i < n and 0 <= j <= i }", &budget)?;
    /// assert_eq!(triangle.card(&budget)?.to_string(), "[n] -> { (1/2 * n + 1/2 * n^2) : n >= 1 }");
    /// # Ok::<(), tessera_polyhedral::Error>(())
    /// ```
    pub fn card(&self, budget: &Budget) -> Result<PwQPolynomial> {
        cardinality(self, &self.space().params_space(), budget)
    }

    /// The number of points of a set that does not depend on parameters. Exact. An error if it does, or if the set is
    /// not bounded. Cost as [`Set::card`].
    pub fn count(&self, budget: &Budget) -> Result<Int> {
        let set = self.drop_unused_params();
        if !set.space().param_names().is_empty() {
            return Err(Error::OutOfRange {
                operation: "count",
                what: format!("{} depends on parameters; fix their values, or use the parametric count", set.space()),
            });
        }
        let mut total = Rational::zero();
        for part in disjoint_parts(&set, budget)? {
            if part.is_empty(budget)? {
                continue;
            }
            for piece in Piece::new(&part, 1, Polynomial::integer(1)).sum(budget)? {
                let holds = piece.eqs.iter().all(|r| r[0].is_zero())
                    && piece.guards.iter().all(|(guard, modulus)| modulus.divides(&guard[0]));
                debug_assert!(piece.guards.iter().all(|(guard, _)| row::all_zero(&guard[1..])));
                if holds {
                    total = &total + &piece.value.eval(&[]);
                }
            }
        }
        Ok(total.floor())
    }

    /// The number of points for one value of each parameter, in the order of the space. Exact; see [`Set::count`].
    pub fn count_at(&self, params: &[Int], budget: &Budget) -> Result<Int> {
        let n = self.space().dim(DimKind::Param);
        if params.len() != n {
            let what = format!("{} values for {n} parameters", params.len());
            return Err(Error::OutOfRange { operation: "count", what });
        }
        let mut set = self.clone();
        for (pos, value) in params.iter().enumerate() {
            set = set.fix(DimKind::Param, pos, value)?;
        }
        set.project_out_all_params(budget)?.count(budget)
    }
}

impl Map {
    /// The number of images of each point of the domain, a piecewise quasi-polynomial of the parameters and the
    /// dimensions of the domain. Exact. Errors and cost as [`Set::card`].
    pub fn card(&self, budget: &Budget) -> Result<PwQPolynomial> {
        cardinality(&self.wrap(), &self.space().domain(), budget)
    }
}

impl UnionSet {
    /// The number of points in all spaces together, for each value of the parameters. Exact; see [`Set::card`].
    pub fn card(&self, budget: &Budget) -> Result<PwQPolynomial> {
        let mut result = PwQPolynomial::zero(self.params_space().clone());
        for set in self.members() {
            result = result.add(&set.card(budget)?, budget)?;
        }
        Ok(result)
    }
}

impl UnionMap {
    /// The number of images, in all spaces together, of each point of the domain. Exact; see [`Map::card`].
    pub fn card(&self, budget: &Budget) -> Result<UnionPwQPolynomial> {
        let mut result = UnionPwQPolynomial::empty(self.params_space());
        for map in self.members() {
            result = result.add(&map.card(budget)?, budget)?;
        }
        Ok(result)
    }
}
