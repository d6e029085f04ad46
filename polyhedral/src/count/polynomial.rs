//! Polynomials with rational coefficients in columns and in integer divisions of affine expressions of columns.

use std::collections::BTreeMap;

use crate::arith::{Int, Rational, Row, row};
use crate::budget::Budget;
use crate::error::Result;

/// What a polynomial is a polynomial in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Var {
    /// A parameter, dimension or variable, by its column.
    Column(usize),
    /// `floor(row / den)`, with the row over `[constant | columns]`, without common factor: the constant in `[0, den)`,
    /// the coefficients in `(-den/2, den/2]`, the first of them positive.
    Floor(Vec<Int>, Int),
}

/// A product of powers: the variables in order, each with its positive exponent.
pub(crate) type Monomial = Vec<(Var, u32)>;

/// A polynomial: monomials with coefficients that are not zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Polynomial {
    terms: BTreeMap<Monomial, Rational>,
}

impl Polynomial {
    pub(crate) fn constant(value: Rational) -> Polynomial {
        let mut result = Polynomial::default();
        result.add_term(Vec::new(), &value);
        result
    }

    pub(crate) fn integer(value: i64) -> Polynomial {
        Polynomial::constant(Rational::from(value))
    }

    pub(crate) fn variable(var: Var) -> Polynomial {
        let mut result = Polynomial::default();
        result.add_term(vec![(var, 1)], &Rational::from(1));
        result
    }

    /// The affine expression `row / den`.
    pub(super) fn affine(row: &[Int], den: &Int) -> Polynomial {
        let mut result = Polynomial::default();
        for (c, x) in row.iter().enumerate().filter(|(_, x)| !x.is_zero()) {
            let monomial = if c == 0 { Vec::new() } else { vec![(Var::Column(c), 1)] };
            result.add_term(monomial, &Rational::new(x.clone(), den.clone()));
        }
        result
    }

    /// `floor(row / den)`: the nearest integer of every coefficient moves out of the division, and of the two forms
    /// `floor(e / den)` and `-floor((den - 1 - e) / den)` the one that begins with a positive coefficient is taken. So
    /// divisions that differ by an affine expression or by their sign have one form.
    pub(crate) fn floor(numerator: &[Int], den: &Int) -> Polynomial {
        let mut rest: Row = numerator.iter().cloned().collect();
        let mut den = den.clone();
        let g = row::gcd(&rest[1..]).gcd(&den);
        if !g.is_one() && !g.is_zero() {
            rest[0] = rest[0].div_floor(&g);
            row::div_exact(&mut rest[1..], &g);
            den = den.div_exact(&g);
        }
        let mut result = Polynomial::affine(&moved_out(&mut rest, &den), &Int::one());
        if row::all_zero(&rest[1..]) {
            return result;
        }
        let mut sign = Rational::from(1);
        if rest[1..].iter().find(|x| !x.is_zero()).is_some_and(Int::is_negative) {
            sign = Rational::from(-1);
            row::negate(&mut rest);
            rest[0] += &den - 1;
            result.add_scaled(&Polynomial::affine(&moved_out(&mut rest, &den), &Int::one()), &sign);
        }
        while rest.last().is_some_and(Int::is_zero) {
            rest.truncate(rest.len() - 1);
        }
        result.add_term(vec![(Var::Floor(rest.to_vec(), den), 1)], &sign);
        result
    }

    /// The numerator over `[constant | columns]` and the denominator of a polynomial of degree at most one without
    /// divisions.
    pub(crate) fn as_affine(&self, n_col: usize) -> Option<(Row, Int)> {
        let mut den = Int::one();
        self.terms.values().for_each(|x| den = den.lcm(x.denominator()));
        let mut row = row::zeros(n_col);
        for (monomial, x) in &self.terms {
            let column = match monomial.as_slice() {
                [] => 0,
                [(Var::Column(c), 1)] if *c < n_col => *c,
                _ => return None,
            };
            row[column] = &den.div_exact(x.denominator()) * x.numerator();
        }
        Some((row, den))
    }

    pub(super) fn terms(&self) -> impl Iterator<Item = (&Monomial, &Rational)> {
        self.terms.iter()
    }

    pub(crate) fn n_terms(&self) -> usize {
        self.terms.len()
    }

    pub(super) fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    fn add_term(&mut self, monomial: Monomial, value: &Rational) {
        if value.is_zero() {
            return;
        }
        let sum = match self.terms.get(&monomial) {
            Some(old) => old + value,
            None => value.clone(),
        };
        if sum.is_zero() {
            self.terms.remove(&monomial);
        } else {
            self.terms.insert(monomial, sum);
        }
    }

    pub(crate) fn add_scaled(&mut self, other: &Polynomial, factor: &Rational) {
        for (monomial, value) in &other.terms {
            self.add_term(monomial.clone(), &(value * factor));
        }
    }

    pub(super) fn add(&mut self, other: &Polynomial) {
        self.add_scaled(other, &Rational::from(1));
    }

    pub(crate) fn mul(&self, other: &Polynomial, budget: &Budget) -> Result<Polynomial> {
        budget.spend(4 * (1 + self.terms.len() * other.terms.len()) as u64)?;
        Ok(self.times(other))
    }

    pub(super) fn times(&self, other: &Polynomial) -> Polynomial {
        let mut result = Polynomial::default();
        for (a, x) in &self.terms {
            for (b, y) in &other.terms {
                result.add_term(product(a, b), &(x * y));
            }
        }
        result
    }

    /// The coefficients of the powers of a variable, from the constant on.
    pub(super) fn coefficients(&self, var: &Var) -> Vec<Polynomial> {
        let mut result = vec![Polynomial::default()];
        for (monomial, value) in &self.terms {
            let exponent = monomial.iter().find(|(v, _)| v == var).map_or(0, |&(_, e)| e as usize);
            let rest = monomial.iter().filter(|(v, _)| v != var).cloned().collect();
            if result.len() <= exponent {
                result.resize(exponent + 1, Polynomial::default());
            }
            result[exponent].add_term(rest, value);
        }
        result
    }

    /// The polynomial with values in place of a variable.
    pub(super) fn substitute(&self, var: &Var, value: &Polynomial, budget: &Budget) -> Result<Polynomial> {
        let coefficients = self.coefficients(var);
        let mut result = Polynomial::default();
        for coefficient in coefficients.into_iter().rev() {
            result = result.mul(value, budget)?;
            result.add(&coefficient);
        }
        Ok(result)
    }

    /// The integer divisions in it.
    pub(super) fn floors(&self) -> Vec<(Row, Int)> {
        let mut result: Vec<(Row, Int)> = Vec::new();
        for (var, _) in self.terms.keys().flatten() {
            if let Var::Floor(row, den) = var
                && !result.iter().any(|(r, d)| **r == **row && d == den)
            {
                result.push((Row::from(row.as_slice()), den.clone()));
            }
        }
        result
    }

    /// The polynomial with `row / den` in place of a column that the row does not use, also inside the divisions;
    /// `row / den` must be an integer.
    pub(super) fn replace_column(&self, column: usize, row: &[Int], den: &Int, budget: &Budget) -> Result<Polynomial> {
        let value = Polynomial::affine(row, den);
        self.replace(column, &value, budget, |floor, d| {
            let mut inner = floor.clone();
            let factor = if inner.len() > column { std::mem::take(&mut inner[column]) } else { Int::zero() };
            inner.resize(inner.len().max(row.len()), Int::zero());
            row::scale(&mut inner, den);
            row::add_scaled(&mut inner, &factor, row);
            Polynomial::floor(&inner, &(d * den))
        })
    }

    /// The polynomial with `factor * x + offset` in place of a column `x`, also inside the divisions.
    pub(super) fn stretch_column(
        &self,
        column: usize,
        factor: &Int,
        offset: &Int,
        budget: &Budget,
    ) -> Result<Polynomial> {
        let mut value = Polynomial::constant(Rational::from(offset.clone()));
        value.add_scaled(&Polynomial::variable(Var::Column(column)), &Rational::from(factor.clone()));
        self.replace(column, &value, budget, |floor, d| {
            let mut inner = floor.clone();
            if inner.len() > column {
                let shift = &inner[column] * offset;
                inner[0] += &shift;
                inner[column] = &inner[column] * factor;
            }
            Polynomial::floor(&inner, d)
        })
    }

    /// Replaces a column outside of the divisions, and every division by what `f` says.
    fn replace(
        &self,
        column: usize,
        value: &Polynomial,
        budget: &Budget,
        f: impl Fn(&Row, &Int) -> Polynomial,
    ) -> Result<Polynomial> {
        // The divisions become placeholders behind all columns first, because the new ones can have affine parts.
        const PLACEHOLDER: usize = 1 << 40;
        let floors = self.floors();
        budget.spend(4 * ((1 + floors.len()) * (1 + self.terms.len())) as u64)?;
        let mut result = self.clone();
        for (k, (floor, den)) in floors.iter().enumerate() {
            let placeholder = Polynomial::variable(Var::Column(PLACEHOLDER + k));
            result = result.substitute(&Var::Floor(floor.to_vec(), den.clone()), &placeholder, budget)?;
        }
        result = result.substitute(&Var::Column(column), value, budget)?;
        for (k, (floor, den)) in floors.iter().enumerate() {
            result = result.substitute(&Var::Column(PLACEHOLDER + k), &f(floor, den), budget)?;
        }
        Ok(result)
    }

    /// The value at a point `[columns]`.
    pub(super) fn eval(&self, point: &[Int]) -> Rational {
        let mut sum = Rational::zero();
        for (monomial, coefficient) in &self.terms {
            let mut value = coefficient.clone();
            for (var, exponent) in monomial {
                let base = match var {
                    Var::Column(c) => point.get(c - 1).cloned().unwrap_or_default(),
                    Var::Floor(row, den) => row::eval(row, point).div_floor(den),
                };
                value = &value * &Rational::from(base.pow(*exponent));
            }
            sum = &sum + &value;
        }
        sum
    }

    /// The polynomial with the columns moved: column `c` becomes `map[c]`.
    pub(super) fn remap(&self, map: &[usize], n: usize) -> Polynomial {
        let mut result = Polynomial::default();
        for (monomial, value) in &self.terms {
            // In another order of the columns a division can have the other sign.
            let mut term = Polynomial::constant(value.clone());
            for (var, exponent) in monomial {
                let var = match var {
                    Var::Column(c) => Polynomial::variable(Var::Column(map[*c])),
                    Var::Floor(row, den) => Polynomial::floor(&row::remap(row, map, n), den),
                };
                for _ in 0..*exponent {
                    term = term.times(&var);
                }
            }
            result.add(&term);
        }
        result
    }
}

/// Takes the nearest integers of all coefficients, divided by `den`, out of a row, and what then makes the constant lie
/// in `[0, den)`.
fn moved_out(row: &mut Row, den: &Int) -> Row {
    let mut outside = row::zeros(row.len());
    for (k, (x, out)) in row.iter_mut().zip(outside.iter_mut()).enumerate() {
        let mut rest = x.rem_floor(den);
        if k > 0 && &(&rest + &rest) > den {
            rest -= den;
        }
        *out = (&*x - &rest).div_exact(den);
        *x = rest;
    }
    outside
}

fn product(a: &Monomial, b: &Monomial) -> Monomial {
    let mut result = a.clone();
    for (var, exponent) in b {
        match result.binary_search_by(|(v, _)| v.cmp(var)) {
            Ok(at) => result[at].1 += exponent,
            Err(at) => result.insert(at, (var.clone(), *exponent)),
        }
    }
    result
}

/// Faulhaber's polynomials: `sums(k)[j]` has the coefficients, from the constant on, of `F(n) = 1^j + ... + n^j` for
/// `j <= k`. `F(b) - F(a - 1)` is the sum from `a` to `b` for all integers with `a <= b + 1`.
///
/// From `(n + 1)^(j + 1) - 1 = sum over i <= j of binomial(j + 1, i) F_i(n)`.
pub(super) fn power_sums(k: usize) -> Vec<Vec<Rational>> {
    let mut result: Vec<Vec<Rational>> = Vec::with_capacity(k + 1);
    for j in 0..=k {
        let binomials = binomials(j + 1);
        let mut sum: Vec<Rational> = binomials.iter().map(|b| Rational::from(b.clone())).collect();
        sum[0] = Rational::zero();
        for (lower, binomial) in result.iter().zip(&binomials) {
            let factor = Rational::from(-binomial);
            for (x, y) in sum.iter_mut().zip(lower) {
                *x = &*x + &(&factor * y);
            }
        }
        let inverse = Rational::new(Int::one(), Int::from(j as u64 + 1));
        result.push(sum.iter().map(|x| x * &inverse).collect());
    }
    result
}

/// The coefficients of `(1 + x)^n`.
fn binomials(n: usize) -> Vec<Int> {
    let mut row = vec![Int::one()];
    for _ in 0..n {
        let mut next = vec![Int::one()];
        next.extend(row.windows(2).map(|pair| &pair[0] + &pair[1]));
        next.push(Int::one());
        row = next;
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_powers() {
        for (j, polynomial) in power_sums(6).iter().enumerate() {
            let mut sum = Int::zero();
            for n in 0..10i64 {
                sum += if n > 0 { Int::from(n).pow(j as u32) } else { Int::zero() };
                let mut value = Rational::zero();
                for (e, c) in polynomial.iter().enumerate() {
                    value = &value + &(c * &Rational::from(Int::from(n).pow(e as u32)));
                }
                assert_eq!(value, Rational::from(sum.clone()), "{n}^{j}");
            }
        }
    }

    #[test]
    fn floors_are_normal() {
        let row: Row = [7, 9, -4].map(Int::from).into_iter().collect();
        let floor = Polynomial::floor(&row, &Int::from(3));
        let again: Row = [1, 3, -1].map(Int::from).into_iter().collect();
        let mut expected = Polynomial::floor(&[1, 0, -1].map(Int::from), &Int::from(3));
        expected.add(&Polynomial::affine(&[2, 3, -1].map(Int::from), &Int::one()));
        assert_eq!(floor, expected);
        // floor((2x + 1)/3) = x - floor((x + 1)/3), and floor(-x/3) = -floor((x + 2)/3).
        let third = |c: i64, x: i64| Polynomial::floor(&[c, x].map(Int::from), &Int::from(3));
        let mut sum = third(1, 2);
        sum.add(&third(1, 1));
        assert_eq!(sum, Polynomial::variable(Var::Column(1)));
        let mut sum = third(0, -1);
        sum.add(&third(2, 1));
        assert!(sum.is_zero());
        assert_eq!(Polynomial::floor(&again, &Int::one()), Polynomial::affine(&again, &Int::one()));
    }
}
