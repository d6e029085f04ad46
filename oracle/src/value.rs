//! The objects of our library as one type, read from and written to text.

use std::fmt;

use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::error::{Error, Result};
use tessera_polyhedral::relation::{Map, Set, UnionMap, UnionSet};

use crate::isl::Kind;

/// An operand or a result.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the library's own types")]
pub enum Value {
    Set(Set),
    Map(Map),
    UnionSet(UnionSet),
    UnionMap(UnionMap),
    Bool(bool),
}

macro_rules! conversions {
    ($($Type:ident $name:ident;)+) => {
        $(impl From<$Type> for Value {
            fn from(value: $Type) -> Value {
                Value::$Type(value)
            }
        })+

        impl Value {
            /// Reads an object.
            pub fn parse(kind: Kind, text: &str, budget: &Budget) -> Result<Value> {
                Ok(match kind {
                    $(Kind::$Type => Value::$Type($Type::parse(text, budget)?),)+
                })
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
                    Value::Bool(value) => value.fmt(f),
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
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

fn wrong_type(expected: &'static str) -> Error {
    Error::OutOfRange { operation: "use an operand", what: format!("it is not a {expected}") }
}
