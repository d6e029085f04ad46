//! The values of a calculation.

use std::fmt;

use crate::arith::Int;
use crate::count::UnionPwQPolynomial;
use crate::relation::{Set, UnionMap, UnionSet};

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A union of sets, possibly of parameter values.
    Set(UnionSet),
    /// A union of maps.
    Map(UnionMap),
    /// A truth value.
    Bool(bool),
    /// Numbers of points, as piecewise quasi-polynomials.
    Count(UnionPwQPolynomial),
    /// An integer.
    Number(Int),
    /// A string.
    Text(String),
    /// A program, in the style of C.
    Code(String),
    /// Several values.
    List(Vec<Value>),
}

impl Value {
    /// The name of the type, as `typeof` gives it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Set(_) => "set",
            Value::Map(_) => "map",
            Value::Bool(_) => "bool",
            Value::Count(_) => "piecewise quasi-polynomial",
            Value::Number(_) => "integer",
            Value::Text(_) => "string",
            Value::Code(_) => "program",
            Value::List(_) => "list",
        }
    }

    /// Whether this is a set without points or spaces, which fits wherever a map is expected.
    pub(super) fn is_nothing(&self) -> bool {
        matches!(self, Value::Set(set) if set.is_plainly_empty())
    }
}

/// Prints sets and maps in isl's notation, truth values as `True` and `False`, lists as `(a, b)`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Set(set) => set.fmt(f),
            Value::Map(map) => map.fmt(f),
            Value::Bool(true) => write!(f, "True"),
            Value::Bool(false) => write!(f, "False"),
            Value::Count(count) => count.fmt(f),
            Value::Number(number) => number.fmt(f),
            Value::Text(text) => write!(f, "\"{text}\""),
            Value::Code(text) => f.write_str(text.trim_end()),
            Value::List(list) => {
                write!(f, "(")?;
                for (k, value) in list.iter().enumerate() {
                    let comma = if k == 0 { "" } else { ", " };
                    write!(f, "{comma}{value}")?;
                }
                write!(f, ")")
            }
        }
    }
}

impl From<Set> for Value {
    fn from(set: Set) -> Value {
        Value::Set(set.into())
    }
}

impl From<UnionSet> for Value {
    fn from(set: UnionSet) -> Value {
        Value::Set(set)
    }
}

impl From<UnionMap> for Value {
    fn from(map: UnionMap) -> Value {
        Value::Map(map)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

impl From<Int> for Value {
    fn from(value: Int) -> Value {
        Value::Number(value)
    }
}
