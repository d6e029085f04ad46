//! The objects of our library as one type, read from and written to text.

use std::fmt;

use tessera_polyhedral::affine::{
    Aff, MultiAff, MultiPwAff, MultiUnionPwAff, PwAff, PwMultiAff, UnionPwAff, UnionPwMultiAff,
};
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::error::{Error, Result};
use tessera_polyhedral::relation::{Map, Set, UnionMap, UnionSet};
use tessera_polyhedral::space::Space;

use crate::isl::Kind;

/// An operand or a result.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the library's own types")]
#[allow(clippy::large_enum_variant, reason = "a box would be timed with the operation")]
pub enum Value {
    Set(Set),
    Map(Map),
    UnionSet(UnionSet),
    UnionMap(UnionMap),
    Aff(Aff),
    PwAff(PwAff),
    MultiAff(MultiAff),
    PwMultiAff(PwMultiAff),
    MultiPwAff(MultiPwAff),
    UnionPwAff(UnionPwAff),
    UnionPwMultiAff(UnionPwMultiAff),
    MultiUnionPwAff(MultiUnionPwAff),
    Int(Int),
    Bool(bool),
    /// An object, and whether it is exact.
    Flagged(Box<Value>, bool),
    /// A point of a space, or that there is none.
    Point(Space, Option<Vec<Int>>),
    /// Anything else.
    Text(String),
}

macro_rules! conversions {
    ($($Type:ident $name:ident;)+) => {
        $(impl From<$Type> for Value {
            fn from(value: $Type) -> Value {
                Value::$Type(value)
            }
        })+

        impl Value {
            /// The bytes of the object itself, without what it points to.
            pub fn size(&self) -> usize {
                match self {
                    $(Value::$Type(value) => size_of_val(value),)+
                    _ => 0,
                }
            }

            /// Reads an object.
            pub fn parse(kind: Kind, text: &str, budget: &Budget) -> Result<Value> {
                match kind {
                    $(Kind::$Type => Ok(Value::$Type($Type::parse(text, budget)?)),)+
                    Kind::Val => text.parse().map(Value::Int).map_err(|_| wrong_type("number")),
                }
            }

            $(#[doc = concat!("The operand as a ", stringify!($Type), "; an error for another type.")]
            pub fn $name(&self) -> Result<&$Type> {
                match self {
                    Value::$Type(value) => Ok(value),
                    _ => Err(wrong_type(stringify!($Type))),
                }
            })+
        }

        impl fmt::Display for Value {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Value::$Type(value) => value.fmt(f),)+
                    Value::Int(value) => value.fmt(f),
                    Value::Bool(value) => value.fmt(f),
                    Value::Flagged(value, _) => value.fmt(f),
                    Value::Point(space, point) => write!(f, "{space} at {point:?}"),
                    Value::Text(value) => value.fmt(f),
                }
            }
        }
    };
}

conversions! {
    Set set;
    Map map;
    UnionSet union_set;
    UnionMap union_map;
    Aff aff;
    PwAff pw_aff;
    MultiAff multi_aff;
    PwMultiAff pw_multi_aff;
    MultiPwAff multi_pw_aff;
    UnionPwAff union_pw_aff;
    UnionPwMultiAff union_pw_multi_aff;
    MultiUnionPwAff multi_union_pw_aff;
}

impl Value {
    /// The operand as an integer.
    pub fn int(&self) -> Result<&Int> {
        match self {
            Value::Int(value) => Ok(value),
            _ => Err(wrong_type("number")),
        }
    }

    /// A small number; 0 for anything else.
    pub fn number(&self) -> i64 {
        match self {
            Value::Int(value) => value.to_i64().unwrap_or_default(),
            _ => 0,
        }
    }

    /// The number of spaces of a union; one for other objects.
    pub fn n_members(&self) -> usize {
        match self {
            Value::UnionSet(union) => union.n_members(),
            Value::UnionMap(union) => union.n_members(),
            _ => 1,
        }
    }

    /// The number of conjunctions of a set, map or union.
    pub fn n_disjuncts(&self) -> usize {
        match self {
            Value::Set(set) => set.conjunctions().len(),
            Value::Map(map) => map.conjunctions().len(),
            Value::UnionSet(union) => union.members().map(|m| m.conjunctions().len()).sum(),
            Value::UnionMap(union) => union.members().map(|m| m.conjunctions().len()).sum(),
            _ => 1,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

impl From<Int> for Value {
    fn from(value: Int) -> Value {
        Value::Int(value)
    }
}

impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::Text(value)
    }
}

impl From<(Space, Option<Vec<Int>>)> for Value {
    fn from((space, point): (Space, Option<Vec<Int>>)) -> Value {
        Value::Point(space, point)
    }
}

impl<T: Into<Value>> From<(T, bool)> for Value {
    fn from((value, exact): (T, bool)) -> Value {
        Value::Flagged(Box::new(value.into()), exact)
    }
}

fn wrong_type(expected: &'static str) -> Error {
    Error::OutOfRange { operation: "use an operand", what: format!("it is not a {expected}") }
}
