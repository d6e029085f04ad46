//! Why there is no code for a device.

use std::fmt;

use crate::ast::AstError;
use crate::error::Error;

/// Why there is no code for a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceError {
    /// The marks of the tree break a rule.
    Marks {
        /// Which, where.
        what: String,
    },
    /// No code could be generated.
    Ast(AstError),
    /// An operation on sets failed, or the budget ran out.
    Relation(Error),
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceError::Marks { what } => write!(f, "the marks of the tree make no kernel: {what}"),
            DeviceError::Ast(error) => error.fmt(f),
            DeviceError::Relation(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DeviceError {}

impl From<Error> for DeviceError {
    fn from(error: Error) -> DeviceError {
        DeviceError::Relation(error)
    }
}

impl From<AstError> for DeviceError {
    fn from(error: AstError) -> DeviceError {
        DeviceError::Ast(error)
    }
}
