//! The operators: what `A op B`, `A(B)` and `A^k` mean for each pair of types.

use crate::arith::{Int, Rational};
use crate::budget::Budget;
use crate::error::Error;
use crate::relation::{Lexicographic, UnionMap, UnionSet};

use super::counts;
use super::value::Value;

/// Why an operation has no result.
pub(super) enum Failure {
    Library(Error),
    Message(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Library(error)
    }
}

impl From<crate::budget::Exhausted> for Failure {
    fn from(error: crate::budget::Exhausted) -> Failure {
        Failure::Library(error.into())
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure::Message(message)
    }
}

pub(super) type Outcome = Result<Value, Failure>;

/// The most bits of a number that is computed with.
const MAX_BITS: u32 = 1 << 17;

/// The greatest exponent of a power of a map.
const MAX_EXPONENT: i64 = 1_000_000;

fn order(op: &str) -> Option<Lexicographic> {
    Some(match op {
        "<<" => Lexicographic::Lt,
        "<<=" => Lexicographic::Le,
        ">>" => Lexicographic::Gt,
        ">>=" => Lexicographic::Ge,
        _ => return None,
    })
}

/// The operand as a map where the other one is: `{ }` is every kind of nothing.
fn promoted(value: &Value, other: &Value) -> Value {
    match value {
        Value::Set(set) if value.is_nothing() && matches!(other, Value::Map(_)) => {
            Value::Map(UnionMap::empty(set.params_space()))
        }
        _ => value.clone(),
    }
}

/// The one member over only parameters, if the set has no other.
pub(super) fn only_params(set: &UnionSet) -> Option<crate::relation::Set> {
    let mut members = set.members();
    let first = members.next()?;
    (members.next().is_none() && first.space().is_params()).then(|| first.clone())
}

/// `left op right`.
pub(super) fn binary(op: &str, left: &Value, right: &Value, b: &Budget) -> Outcome {
    let (left, right) = match op {
        "*" | "%" if matches!(left, Value::Map(_)) => (left.clone(), right.clone()),
        "cross" | "->" | "." | "before" | "@" => (left.clone(), right.clone()),
        _ => (promoted(left, right), promoted(right, left)),
    };
    if let Some(value) = counts::binary(op, &left, &right, b)? {
        return Ok(value);
    }
    let mismatch =
        || Failure::Message(format!("`{op}` is not defined for a {} and a {}", left.type_name(), right.type_name()));
    match (&left, &right) {
        (Value::Set(x), Value::Set(y)) => sets(op, x, y, b)?.ok_or_else(mismatch),
        (Value::Map(x), Value::Map(y)) => maps(op, x, y, b)?.ok_or_else(mismatch),
        (Value::Map(x), Value::Set(y)) => map_and_set(op, x, y, b)?.ok_or_else(mismatch),
        (Value::Number(x), Value::Number(y)) => numbers(op, x, y),
        (Value::Text(x), Value::Text(y)) if op == "+" => Ok(Value::Text(format!("{x}{y}"))),
        (Value::List(x), Value::List(y)) if op == "+" => Ok(Value::List([x.as_slice(), y].concat())),
        (x, y) if op == "=" || op == "==" => Ok(Value::Bool(equal(x, y, b)?)),
        (x, y) if op == "!=" => Ok(Value::Bool(!equal(x, y, b)?)),
        _ => Err(mismatch()),
    }
}

/// Whether two values are equal; values of different types are not.
fn equal(x: &Value, y: &Value, b: &Budget) -> Result<bool, Failure> {
    Ok(match (x, y) {
        (Value::Set(x), Value::Set(y)) => x.is_equal(y, b)?,
        (Value::Map(x), Value::Map(y)) => x.is_equal(y, b)?,
        (Value::Count(x), Value::Count(y)) => x.is_equal(y, b)?,
        (Value::List(x), Value::List(y)) => {
            if x.len() != y.len() {
                return Ok(false);
            }
            for (x, y) in x.iter().zip(y) {
                if !equal(x, y, b)? {
                    return Ok(false);
                }
            }
            true
        }
        _ => x == y,
    })
}

fn sets(op: &str, x: &UnionSet, y: &UnionSet, b: &Budget) -> Result<Option<Value>, Failure> {
    let params = if only_params(x).is_none() { only_params(y) } else { None };
    Ok(Some(match op {
        "+" => x.union(y)?.into(),
        "-" => x.subtract(y, b)?.into(),
        "*" => match params {
            Some(params) => x.intersect_params(&params, b)?.into(),
            None => x.intersect(y, b)?.into(),
        },
        "%" => match params {
            Some(params) => x.gist_params(&params, b)?.into(),
            None => x.gist(y, b)?.into(),
        },
        "cross" => x.product(y, b)?.into(),
        "->" => x.product_map(y, b)?.into(),
        "=" | "==" => x.is_equal(y, b)?.into(),
        "!=" => (!x.is_equal(y, b)?).into(),
        "<=" => x.is_subset(y, b)?.into(),
        ">=" => y.is_subset(x, b)?.into(),
        "<" => (x.is_subset(y, b)? && !y.is_subset(x, b)?).into(),
        ">" => (y.is_subset(x, b)? && !x.is_subset(y, b)?).into(),
        _ => match order(op) {
            Some(order) => x.lex_order(order, y, b)?.into(),
            None => return Ok(None),
        },
    }))
}

fn maps(op: &str, x: &UnionMap, y: &UnionMap, b: &Budget) -> Result<Option<Value>, Failure> {
    Ok(Some(match op {
        "+" => x.union(y)?.into(),
        "-" => x.subtract(y, b)?.into(),
        "*" => x.intersect(y, b)?.into(),
        "%" => x.gist(y, b)?.into(),
        "." | "before" => x.apply_range(y, b)?.into(),
        "cross" => x.product(y, b)?.into(),
        "=" | "==" => x.is_equal(y, b)?.into(),
        "!=" => (!x.is_equal(y, b)?).into(),
        "<=" => x.is_subset(y, b)?.into(),
        ">=" => y.is_subset(x, b)?.into(),
        "<" => (x.is_subset(y, b)? && !y.is_subset(x, b)?).into(),
        ">" => (y.is_subset(x, b)? && !x.is_subset(y, b)?).into(),
        _ => match order(op) {
            Some(order) => x.lex_order_of_images(order, y, b)?.into(),
            None => return Ok(None),
        },
    }))
}

fn map_and_set(op: &str, map: &UnionMap, set: &UnionSet, b: &Budget) -> Result<Option<Value>, Failure> {
    let params = only_params(set);
    Ok(Some(match (op, params) {
        ("*", Some(params)) => map.intersect_params(&params, b)?.into(),
        ("*", None) => map.intersect_domain(set, b)?.into(),
        ("%", Some(params)) => map.gist_params(&params, b)?.into(),
        ("%", None) => map.gist_domain(set, b)?.into(),
        ("@", _) => set.apply(map, b)?.into(),
        _ => return Ok(None),
    }))
}

fn bits(x: &Int) -> u32 {
    if x.to_i64().is_some() { 64 } else { x.to_big().significant_bits() }
}

/// `-value`.
pub(super) fn negative(value: Value) -> Outcome {
    match value {
        Value::Number(number) => Ok(Value::Number(-number)),
        Value::Count(count) => Ok(Value::Count(count.scale(&Rational::from(-1)))),
        other => Err(Failure::Message(format!("`-` is not defined for a {}", other.type_name()))),
    }
}

fn numbers(op: &str, x: &Int, y: &Int) -> Outcome {
    if bits(x).saturating_add(bits(y)) > MAX_BITS {
        return Err(Failure::Message("the numbers are too great".into()));
    }
    Ok(match op {
        "+" => (x + y).into(),
        "-" => (x - y).into(),
        "*" => (x * y).into(),
        "/" | "%" if y.is_zero() => return Err(Failure::Message("division by zero".into())),
        "/" => x.div_floor(y).into(),
        "%" => x.rem_floor(y).into(),
        "=" | "==" => (x == y).into(),
        "!=" => (x != y).into(),
        "<=" => (x <= y).into(),
        "<" => (x < y).into(),
        ">=" => (x >= y).into(),
        ">" => (x > y).into(),
        _ => return Err(Failure::Message(format!("`{op}` is not defined for integers"))),
    })
}

/// `function(argument)`: the image of a set, or a map applied to the images of another map.
pub(super) fn apply(function: &Value, argument: &Value, b: &Budget) -> Outcome {
    match (function, argument) {
        (Value::Map(map), Value::Set(set)) => Ok(set.apply(map, b)?.into()),
        (Value::Map(map), Value::Map(inner)) => Ok(inner.apply_range(map, b)?.into()),
        (Value::Map(map), Value::Count(count)) => Ok(Value::Count(map.sum_over_images(count, b)?)),
        (Value::Count(count), Value::Set(set)) => counts::total(count, set, b),
        _ => {
            Err(Failure::Message(format!("a {} cannot be applied to a {}", function.type_name(), argument.type_name())))
        }
    }
}

/// `value^exponent`.
pub(super) fn power(value: &Value, exponent: &Int, b: &Budget) -> Outcome {
    let k = exponent.to_i64().filter(|k| (0..=MAX_EXPONENT).contains(k));
    let Some(k) = k else { return Err(Failure::Message(format!("the exponent must be at most {MAX_EXPONENT}"))) };
    match value {
        Value::Map(map) => Ok(map.fixed_power(k, b)?.into()),
        Value::Number(x) => {
            let exponent = u32::try_from(k).unwrap_or(u32::MAX);
            if !x.is_unit() && !x.is_zero() && bits(x).saturating_mul(exponent) > MAX_BITS {
                return Err(Failure::Message("the power is too great".into()));
            }
            Ok(x.pow(exponent).into())
        }
        _ => Err(Failure::Message(format!("`^` is not defined for a {}", value.type_name()))),
    }
}

/// The operand with domain and range exchanged, or the inverse of a number that has one.
pub(super) fn inverse(value: &Value) -> Outcome {
    match value {
        Value::Map(map) => Ok(map.reverse()?.into()),
        _ if value.is_nothing() => Ok(value.clone()),
        _ => Err(Failure::Message(format!("`^-1` is not defined for a {}", value.type_name()))),
    }
}

/// The transitive closure and whether it is exact.
pub(super) fn closure(value: &Value, b: &Budget) -> Outcome {
    match value {
        Value::Map(map) => {
            let (closure, exact) = map.transitive_closure(b)?;
            Ok(Value::List(vec![closure.into(), exact.into()]))
        }
        _ => Err(Failure::Message(format!("`^+` is not defined for a {}", value.type_name()))),
    }
}
