//! Quasi-polynomials over a set space or over parameters, piecewise, and unions of them over several spaces.

use crate::arith::{Int, Rational, Row, row};
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{Set, mismatch};
use crate::space::{DimKind, Space};

use super::polynomial::{Polynomial, Var};

/// A quasi-polynomial: a polynomial with rational coefficients in the parameters and dimensions of a space and in
/// integer divisions of affine expressions of them. An immutable value.
///
/// Example: `[n] -> { (1/2 * n + 1/2 * n^2) }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QPolynomial {
    pub(super) space: Space,
    pub(super) value: Polynomial,
}

impl QPolynomial {
    /// The constant zero.
    pub fn zero(space: Space) -> QPolynomial {
        QPolynomial { space, value: Polynomial::default() }
    }

    /// A polynomial in the columns of a space.
    pub(crate) fn from_parts(space: Space, value: Polynomial) -> QPolynomial {
        QPolynomial { space, value }
    }

    /// A constant.
    pub fn constant(space: Space, value: Rational) -> QPolynomial {
        QPolynomial { space, value: Polynomial::constant(value) }
    }

    /// A sum of products: every term is a coefficient and the columns of its factors, `[constant | params | dims]`. An
    /// error for a column that the space does not have.
    pub fn from_terms(space: Space, terms: impl IntoIterator<Item = (Vec<usize>, Rational)>) -> Result<QPolynomial> {
        let mut value = Polynomial::default();
        for (columns, coefficient) in terms {
            let mut term = Polynomial::constant(coefficient);
            for column in columns {
                if column >= space.n_col() {
                    let what = format!("column {column} of {}", space.n_col());
                    return Err(Error::OutOfRange { operation: "make a polynomial", what });
                }
                if column > 0 {
                    term = term.times(&Polynomial::variable(Var::Column(column)));
                }
            }
            value.add(&term);
        }
        Ok(QPolynomial { space, value })
    }

    /// The space of the arguments: a set space or a space of only parameters.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Whether it is the constant zero.
    pub fn is_zero(&self) -> bool {
        self.value.is_zero()
    }

    /// The value, if it is plainly a constant.
    pub fn constant_value(&self) -> Option<Rational> {
        let mut terms = self.value.terms();
        match (terms.next(), terms.next()) {
            (None, _) => Some(Rational::from(0)),
            (Some((monomial, coefficient)), None) if monomial.is_empty() => Some(coefficient.clone()),
            _ => None,
        }
    }

    /// The value at the point `[params | dims]`; nothing for a point of another length.
    pub fn eval(&self, point: &[Int]) -> Option<Rational> {
        (point.len() + 1 == self.space.n_col()).then(|| self.value.eval(point))
    }

    /// The divisions `floor(row / den)` that occur, over `[constant | params | dims]`; missing entries at the end are
    /// zero.
    pub fn divisions(&self) -> Vec<(Row, Int)> {
        self.value.floors()
    }

    /// The same function with at least the parameters of `params`, those of `params` first.
    pub fn align_params(&self, params: &Space) -> QPolynomial {
        let all = self.space.with_params_of(&params.align_params(&self.space));
        if self.space.has_equal_params(&all) {
            return self.clone();
        }
        let mut map = vec![0];
        map.extend(self.space.param_names().iter().map(|p| 1 + all.param_index(p).unwrap_or_default()));
        map.extend((0..self.space.dim(DimKind::Out)).map(|k| all.offset(DimKind::Out) + k));
        QPolynomial { value: self.value.remap(&map, all.n_col()), space: all }
    }

    /// The sum of two functions over one tuple.
    pub fn add(&self, other: &QPolynomial) -> Result<QPolynomial> {
        if !self.space.has_equal_tuples(&other.space) {
            return Err(mismatch("add", &self.space, &other.space));
        }
        let mut left = self.align_params(&self.space.align_params(&other.space));
        left.value.add(&other.align_params(&left.space).value);
        Ok(left)
    }

    /// The product of two functions over one tuple.
    pub fn mul(&self, other: &QPolynomial, budget: &Budget) -> Result<QPolynomial> {
        if !self.space.has_equal_tuples(&other.space) {
            return Err(mismatch("multiply", &self.space, &other.space));
        }
        let left = self.align_params(&self.space.align_params(&other.space));
        let right = other.align_params(&left.space);
        Ok(QPolynomial { value: left.value.mul(&right.value, budget)?, space: left.space })
    }
}

/// A function given by disjoint pieces, each a set with a quasi-polynomial; zero outside of them. An immutable value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PwQPolynomial {
    pub(super) space: Space,
    pub(super) pieces: Vec<(Set, QPolynomial)>,
}

impl PwQPolynomial {
    /// The function that is zero everywhere.
    pub fn zero(space: Space) -> PwQPolynomial {
        PwQPolynomial { space, pieces: Vec::new() }
    }

    /// One quasi-polynomial on a set, zero elsewhere.
    pub fn on(set: &Set, value: &QPolynomial) -> Result<PwQPolynomial> {
        if !set.space().has_equal_tuples(value.space()) {
            return Err(mismatch("restrict a function", value.space(), set.space()));
        }
        let space = value.space().align_params(set.space());
        let mut result = PwQPolynomial::zero(space.clone());
        if !set.is_plainly_empty() && !value.is_zero() {
            result.pieces.push((set.align_params(&space), value.align_params(&space)));
        }
        Ok(result)
    }

    /// The space of the arguments: a set space or a space of only parameters.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The pieces. Their sets are disjoint.
    pub fn pieces(&self) -> &[(Set, QPolynomial)] {
        &self.pieces
    }

    /// Whether there is no piece: the function is zero everywhere.
    pub fn is_zero(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The value at the point `[params | dims]`. An error for a point of another length.
    pub fn eval(&self, point: &[Int], budget: &Budget) -> Result<Rational> {
        if point.len() + 1 != self.space.n_col() {
            let what = format!("{} values for {} arguments", point.len(), self.space.n_col() - 1);
            return Err(Error::OutOfRange { operation: "evaluate", what });
        }
        for (set, value) in &self.pieces {
            if set.contains(point, budget)? {
                return Ok(value.value.eval(point));
            }
        }
        Ok(Rational::zero())
    }

    /// The same function with at least the parameters of `params`, those of `params` first.
    pub fn align_params(&self, params: &Space) -> PwQPolynomial {
        let space = self.space.with_params_of(&params.align_params(&self.space));
        let pieces = self.pieces.iter().map(|(s, q)| (s.align_params(&space), q.align_params(&space))).collect();
        PwQPolynomial { space, pieces }
    }

    /// The sum of two functions over one tuple. Exact; up to three pieces for a pair of pieces.
    pub fn add(&self, other: &PwQPolynomial, budget: &Budget) -> Result<PwQPolynomial> {
        if !self.space.has_equal_tuples(&other.space) {
            return Err(mismatch("add", &self.space, &other.space));
        }
        let mut result = self.align_params(&self.space.align_params(&other.space));
        let space = result.space.clone();
        for (set, value) in &other.pieces {
            result.add_piece(set.align_params(&space), &value.align_params(&space), budget)?;
        }
        result.merge(budget)
    }

    /// Adds a function on a set; the pieces stay disjoint. All have the same parameters.
    pub(super) fn add_piece(&mut self, set: Set, value: &QPolynomial, budget: &Budget) -> Result<()> {
        let mut rest = set;
        let mut pieces = Vec::with_capacity(self.pieces.len() + 1);
        for (own, old) in std::mem::take(&mut self.pieces) {
            let both =
                if rest.is_plainly_empty() { Set::empty(own.space().clone()) } else { own.intersect(&rest, budget)? };
            if both.is_empty(budget)? {
                pieces.push((own, old));
                continue;
            }
            let outside = own.subtract(&rest, budget)?;
            rest = rest.subtract(&own, budget)?;
            let sum = old.add(value)?;
            pieces.push((both, sum));
            if !outside.is_empty(budget)? {
                pieces.push((outside, old));
            }
        }
        if !rest.is_empty(budget)? {
            pieces.push((rest, value.clone()));
        }
        self.pieces = pieces;
        Ok(())
    }

    /// The same function with one piece for each quasi-polynomial, without zeros.
    pub(super) fn merge(&self, budget: &Budget) -> Result<PwQPolynomial> {
        let mut pieces: Vec<(Set, QPolynomial)> = Vec::new();
        for (set, value) in self.pieces.iter().filter(|(_, q)| !q.is_zero()) {
            match pieces.iter_mut().find(|(_, q)| q == value) {
                Some((own, _)) => *own = own.union(set)?,
                None => pieces.push((set.clone(), value.clone())),
            }
        }
        // A piece where another one has the same values, because of its equalities, joins that one.
        let mut k = 0;
        while k < pieces.len() {
            let mut host = None;
            for (j, (_, value)) in pieces.iter().enumerate().filter(|&(j, _)| j != k) {
                if agree_on(&pieces[k].0, &pieces[k].1, value, budget)? {
                    host = Some(j);
                    break;
                }
            }
            match host {
                Some(j) => {
                    pieces[j].0 = pieces[j].0.union(&pieces[k].0)?;
                    pieces.remove(k);
                }
                None => k += 1,
            }
        }
        for (set, _) in &mut pieces {
            *set = set.coalesce(budget)?;
        }
        Ok(PwQPolynomial { space: self.space.clone(), pieces })
    }
}

/// Whether two functions become the same polynomial when the equalities of each conjunction of a set are put in.
fn agree_on(set: &Set, a: &QPolynomial, b: &QPolynomial, budget: &Budget) -> Result<bool> {
    let n = a.space.n_col();
    for c in set.conjunctions() {
        let (mut left, mut right) = (a.value.clone(), b.value.clone());
        let mut reduced = false;
        for eq in c.eqs().iter().filter(|eq| row::all_zero(&eq[n..])) {
            // Simplified equalities are reduced: each has a column that no other one uses.
            let own = |col: usize| c.eqs().iter().filter(|other| !other[col].is_zero()).count() == 1;
            let Some(column) = (1..n).rev().find(|&col| eq[col].is_unit() && own(col)) else { continue };
            let mut value: Row = eq[..n].iter().cloned().collect();
            if value[column].is_positive() {
                row::negate(&mut value);
            }
            value[column] = Int::zero();
            left = left.replace_column(column, &value, &Int::one(), budget)?;
            right = right.replace_column(column, &value, &Int::one(), budget)?;
            reduced = true;
        }
        if !reduced || left != right {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Piecewise quasi-polynomials over several spaces, at most one per tuple, in the order of the tuples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnionPwQPolynomial {
    pub(super) params: Space,
    pub(super) members: Vec<PwQPolynomial>,
}

/// The function over one space.
impl From<PwQPolynomial> for UnionPwQPolynomial {
    fn from(member: PwQPolynomial) -> UnionPwQPolynomial {
        UnionPwQPolynomial { params: member.space.params_space(), members: vec![member] }
    }
}

impl UnionPwQPolynomial {
    /// No function.
    pub fn empty(params: &Space) -> UnionPwQPolynomial {
        UnionPwQPolynomial { params: params.params_space(), members: Vec::new() }
    }

    /// The space of the common parameters.
    pub fn params_space(&self) -> &Space {
        &self.params
    }

    /// The functions, one per tuple of arguments.
    pub fn members(&self) -> &[PwQPolynomial] {
        &self.members
    }

    /// The sum with one more function.
    pub fn add(&self, member: &PwQPolynomial, budget: &Budget) -> Result<UnionPwQPolynomial> {
        let params = self.params.align_params(member.space());
        let mut members: Vec<PwQPolynomial> = self.members.iter().map(|m| m.align_params(&params)).collect();
        let member = member.align_params(&params);
        match members.iter_mut().find(|m| m.space().has_equal_tuples(member.space())) {
            Some(own) => *own = own.add(&member, budget)?,
            None => members.push(member),
        }
        members.retain(|m| !m.is_zero());
        members.sort_by(|a, b| a.space.cmp(&b.space));
        Ok(UnionPwQPolynomial { params, members })
    }
}
