//! Arithmetic of [`Aff`]: sums, multiples, divisions, rounding, remainders, substitution.
//!
//! Values are rational numbers. What isl calls `tdiv` is the quotient rounded towards zero, as in C.

use crate::arith::{Int, Rational};
use crate::error::{Error, Result};
use crate::relation::{self, Div, Row};
use crate::space::Space;

use super::{Aff, MultiAff};

impl Aff {
    /// The sum.
    pub fn add(&self, other: &Aff) -> Result<Aff> {
        self.combine("add", other, false)
    }

    /// The difference.
    pub fn sub(&self, other: &Aff) -> Result<Aff> {
        self.combine("subtract", other, true)
    }

    pub(super) fn combine(&self, operation: &'static str, other: &Aff, subtract: bool) -> Result<Aff> {
        if !self.space.has_equal_tuples(&other.space) {
            return Err(relation::mismatch(operation, &self.space, &other.space));
        }
        if !self.space.has_equal_params(&other.space) {
            let left = self.align_params(&self.space.align_params(&other.space));
            return left.combine(operation, &other.align_params(&left.space), subtract);
        }
        let mut result = self.clone();
        let moved;
        let right = if self.divs == other.divs || other.divs.is_empty() {
            &other.row
        } else {
            moved = result.adopt(other);
            &moved
        };
        let sign = if subtract { Int::from(-1) } else { Int::one() };
        if self.den == other.den {
            relation::add_scaled(&mut result.row, &sign, right);
        } else {
            result.den = self.den.lcm(&other.den);
            relation::scale(&mut result.row, &result.den.div_exact(&self.den));
            relation::add_scaled(&mut result.row, &(result.den.div_exact(&other.den) * &sign), right);
        }
        result.normalize();
        Ok(result)
    }

    /// Appends the divisions of another expression over the same arguments and returns its row over the new columns.
    fn adopt(&mut self, other: &Aff) -> Row {
        let (base, shift) = (self.space.n_col(), self.divs.len());
        let n = base + shift + other.divs.len();
        let map: Vec<usize> = (0..base).chain((0..other.divs.len()).map(|k| base + shift + k)).collect();
        for div in &mut self.divs {
            div.row.resize(n, Int::zero());
        }
        self.divs.extend(other.divs.iter().map(|d| Div { row: relation::remap(&d.row, &map, n), den: d.den.clone() }));
        self.row.resize(n, Int::zero());
        relation::remap(&other.row, &map, n)
    }

    /// The negation.
    pub fn neg(&self) -> Aff {
        self.scale(&Int::from(-1))
    }

    /// The product with an integer.
    pub fn scale(&self, factor: &Int) -> Aff {
        if factor.is_one() {
            return self.clone();
        }
        if factor.is_zero() {
            return Aff::zero(self.space.clone());
        }
        let mut result = self.clone();
        relation::scale(&mut result.row, factor);
        result.normalize();
        result
    }

    /// The quotient by a positive integer, as a rational value. Panics if `divisor` is not positive.
    pub fn scale_down(&self, divisor: &Int) -> Aff {
        assert!(divisor.is_positive(), "the divisor of an affine expression must be positive");
        let mut result = self.clone();
        result.den *= divisor;
        result.normalize();
        result
    }

    /// The product with a rational number.
    pub fn scale_rational(&self, factor: &Rational) -> Aff {
        let product = self.scale(factor.numerator());
        if factor.is_integer() { product } else { product.scale_down(factor.denominator()) }
    }

    /// The sum with an integer.
    pub fn add_constant(&self, value: &Int) -> Aff {
        let mut result = self.clone();
        result.row[0].add_mul(value, &self.den);
        result.normalize();
        result
    }

    /// The product, if one of the two is a constant. Error: neither is.
    pub fn mul(&self, other: &Aff) -> Result<Aff> {
        if !self.space.has_equal_tuples(&other.space) {
            return Err(relation::mismatch("multiply", &self.space, &other.space));
        }
        let (value, factor) = match (self.constant_rational(), other.constant_rational()) {
            (_, Some(factor)) => (self, factor),
            (Some(factor), _) => (other, factor),
            _ => return Err(not_constant("multiply", self, other, "one factor must be a constant")),
        };
        Ok(value.align_params(&self.space.align_params(&other.space)).scale_rational(&factor))
    }

    /// The quotient by a constant other than zero, as a rational value. Error: `other` is not such a constant.
    pub fn div(&self, other: &Aff) -> Result<Aff> {
        let inverse = self.inverse("divide", other)?;
        Ok(self.align_params(&self.space.align_params(&other.space)).scale_rational(&inverse))
    }

    fn inverse(&self, operation: &'static str, other: &Aff) -> Result<Rational> {
        if !self.space.has_equal_tuples(&other.space) {
            return Err(relation::mismatch(operation, &self.space, &other.space));
        }
        match other.constant_rational() {
            Some(divisor) if !divisor.is_zero() => {
                Ok(Rational::new(divisor.denominator().clone(), divisor.numerator().clone()))
            }
            _ => Err(not_constant(operation, self, other, "the divisor must be a constant other than zero")),
        }
    }

    /// The greatest integer that is at most the value.
    pub fn floor(&self) -> Aff {
        if self.den.is_one() {
            return self.clone();
        }
        let mut divs = self.divs.clone();
        divs.push(Div { row: self.row.clone(), den: self.den.clone() });
        let mut row = relation::zeros(self.row.len());
        row.push(Int::one());
        Aff::from_parts(self.space.clone(), divs, row, Int::one())
    }

    /// The least integer that is at least the value.
    pub fn ceil(&self) -> Aff {
        if self.den.is_one() { self.clone() } else { self.neg().floor().neg() }
    }

    /// `floor(self / divisor)`. Panics if `divisor` is not positive.
    pub fn floor_div(&self, divisor: &Int) -> Aff {
        self.scale_down(divisor).floor()
    }

    /// `ceil(self / divisor)`. Panics if `divisor` is not positive.
    pub fn ceil_div(&self, divisor: &Int) -> Aff {
        self.neg().floor_div(divisor).neg()
    }

    /// `self - modulus * floor(self / modulus)`, in `[0, modulus)`. Error: the modulus is not positive.
    pub fn rem(&self, modulus: &Int) -> Result<Aff> {
        if !modulus.is_positive() {
            let what = format!("the modulus {modulus} is not positive");
            return Err(Error::OutOfRange { operation: "take a remainder", what });
        }
        self.sub(&self.floor_div(modulus).scale(modulus))
    }

    /// The expression after the dimensions are replaced by the components of `function`. The range of `function` must
    /// be the tuple of this expression. Fractions are put in as they are.
    pub fn pullback(&self, function: &MultiAff) -> Result<Aff> {
        if self.space.is_params() || *function.space().range_tuple() != *self.space.range_tuple() {
            return Err(relation::mismatch("substitute", &self.space, function.space()));
        }
        let domain = function.domain_space().align_params(&self.space);
        let mut values: Vec<Aff> = Vec::with_capacity(self.row.len());
        values.push(Aff::constant(domain.clone(), &Int::one()));
        for name in self.space.param_names() {
            values.push(Aff::param_named(domain.clone(), name)?);
        }
        values.extend(function.affs().iter().map(|aff| aff.align_params(&domain)));
        for div in &self.divs {
            let value = linear_combination(&domain, &div.row, &values)?;
            values.push(value.floor_div(&div.den));
        }
        Ok(linear_combination(&domain, &self.row, &values)?.scale_down(&self.den))
    }
}

/// The sum of the values, each times its coefficient. There can be more coefficients, all zero.
fn linear_combination(domain: &Space, row: &[Int], values: &[Aff]) -> Result<Aff> {
    let mut sum = Aff::zero(domain.clone());
    for (coefficient, value) in row.iter().zip(values) {
        if !coefficient.is_zero() {
            sum = sum.add(&value.scale(coefficient))?;
        }
    }
    Ok(sum)
}

fn not_constant(operation: &'static str, left: &Aff, right: &Aff, why: &str) -> Error {
    Error::OutOfRange { operation, what: format!("{left} and {right}: {why}") }
}
