//! The operators on counts: piecewise quasi-polynomials, numbers as constant functions, sets as restrictions.

use crate::arith::{Int, Rational};
use crate::budget::Budget;
use crate::count::{PwQPolynomial, QPolynomial, UnionPwQPolynomial};
use crate::relation::{Set, UnionSet};
use crate::space::{DimKind, Space};

use super::operators::{Failure, only_params};
use super::value::Value;

/// A number as a constant function on the spaces of a count.
fn constant(value: &Int, like: &UnionPwQPolynomial, b: &Budget) -> Result<UnionPwQPolynomial, Failure> {
    let mut result = UnionPwQPolynomial::empty(like.params_space());
    let mut spaces: Vec<_> = like.members().iter().map(|m| m.space().clone()).collect();
    if spaces.is_empty() {
        spaces.push(like.params_space().clone());
    }
    for space in spaces {
        let everywhere = Set::universe(space.clone());
        let value = QPolynomial::constant(space, Rational::from(value.clone()));
        result = result.add(&PwQPolynomial::on(&everywhere, &value)?, b)?;
    }
    Ok(result)
}

/// The operands as counts, if one is a count and the other a count or a number.
fn operands(
    left: &Value,
    right: &Value,
    b: &Budget,
) -> Result<Option<(UnionPwQPolynomial, UnionPwQPolynomial)>, Failure> {
    Ok(match (left, right) {
        (Value::Count(x), Value::Count(y)) => Some((x.clone(), y.clone())),
        (Value::Count(x), Value::Number(y)) => Some((x.clone(), constant(y, x, b)?)),
        (Value::Number(x), Value::Count(y)) => Some((constant(x, y, b)?, y.clone())),
        _ => None,
    })
}

/// `left op right`, if one is a count and the operator is defined.
pub(super) fn binary(op: &str, left: &Value, right: &Value, b: &Budget) -> Result<Option<Value>, Failure> {
    if let (Value::Count(count), Value::Set(set)) = (left, right) {
        return Ok(match op {
            "*" => Some(Value::Count(restricted(count, set, b)?)),
            "%" => Some(Value::Count(simplified(count, set, b)?)),
            "@" => Some(total(count, set, b)?),
            _ => None,
        });
    }
    if let (Value::Map(map), Value::Count(count)) = (left, right) {
        return Ok(match op {
            "." | "before" => Some(Value::Count(map.sum_over_images(count, b)?)),
            _ => None,
        });
    }
    let Some((x, y)) = operands(left, right, b)? else { return Ok(None) };
    Ok(Some(match op {
        "+" => Value::Count(x.add_union(&y, b)?),
        "-" => Value::Count(x.sub(&y, b)?),
        "*" => Value::Count(x.mul(&y, b)?),
        "=" | "==" => x.is_equal(&y, b)?.into(),
        "!=" => (!x.is_equal(&y, b)?).into(),
        _ => return Ok(None),
    }))
}

fn simplified(count: &UnionPwQPolynomial, set: &UnionSet, b: &Budget) -> Result<UnionPwQPolynomial, Failure> {
    Ok(match only_params(set) {
        Some(params) => count.gist_params(&params, b)?,
        None => count.gist(set, b)?,
    })
}

fn restricted(count: &UnionPwQPolynomial, set: &UnionSet, b: &Budget) -> Result<UnionPwQPolynomial, Failure> {
    Ok(match only_params(set) {
        Some(params) => count.intersect_params(&params, b)?,
        None => count.intersect_domain(set, b)?,
    })
}

/// The sum of the values at the points of a set, or at the given values of the parameters.
pub(super) fn total(count: &UnionPwQPolynomial, set: &UnionSet, b: &Budget) -> Result<Value, Failure> {
    let restricted = restricted(count, set, b)?;
    // A function of the parameters has its value there, not a sum over infinitely many points.
    if let Some(params) = only_params(set)
        && count.members().iter().all(|m| m.space().is_params())
    {
        return at(&restricted, &params, b);
    }
    sum(&restricted, b)
}

/// The value where all parameters have one value each, otherwise the function for these parameters.
fn at(count: &UnionPwQPolynomial, params: &Set, b: &Budget) -> Result<Value, Failure> {
    let space = params.space().align_params(count.params_space());
    let params = params.align_params(&space);
    let mut point = Vec::new();
    for k in 0..space.dim(DimKind::Param) {
        match params.fixed_value(DimKind::Param, k, b)? {
            Some(value) => point.push(value),
            None => return Ok(Value::Count(count.clone())),
        }
    }
    let mut total = Rational::zero();
    for member in count.members() {
        total = &total + &member.align_params(&space).eval(&point, b)?;
    }
    let params = UnionPwQPolynomial::empty(&Space::params::<&str>(&[]));
    let value = QPolynomial::constant(params.params_space().clone(), total);
    let everywhere = Set::universe(params.params_space().clone());
    Ok(Value::Count(params.add(&PwQPolynomial::on(&everywhere, &value)?, b)?))
}

/// The sum over all points: a function of the parameters.
pub(super) fn sum(count: &UnionPwQPolynomial, b: &Budget) -> Result<Value, Failure> {
    Ok(Value::Count(UnionPwQPolynomial::empty(count.params_space()).add(&count.sum(b)?, b)?))
}
