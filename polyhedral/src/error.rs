//! The one error type of the crate: every operation that can fail says what went wrong as a value.

use std::fmt;

use crate::budget::Exhausted;
use crate::space::Space;

/// What can go wrong in an operation on sets, relations, functions and schedules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The operation budget ran out; the answer is unknown.
    Exhausted(Exhausted),
    /// The operands live in spaces that the operation cannot combine.
    SpaceMismatch {
        /// The operation, as a verb: "intersect".
        operation: &'static str,
        /// The space of the left operand.
        left: Space,
        /// The space of the right operand.
        right: Space,
    },
    /// The operation needs a space of another shape than that of its operand, for instance a wrapped map.
    WrongShape {
        /// The operation, as a verb.
        operation: &'static str,
        /// The space of the operand.
        space: Space,
        /// What was expected: "a wrapped map".
        expected: &'static str,
    },
    /// A dimension, row length or divisor is out of range.
    OutOfRange {
        /// The operation, as a verb.
        operation: &'static str,
        /// Which value was wrong and what is allowed.
        what: String,
    },
    /// An optimum was asked for that does not exist.
    Unbounded {
        /// The operation, as a verb.
        operation: &'static str,
        /// What takes arbitrarily small (for a maximum, great) values.
        what: String,
    },
    /// A text could not be read.
    Parse(ParseError),
}

/// Where and why a text in isl notation could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// What would have been right here.
    pub expected: String,
    /// The offending text; empty at the end of the input.
    pub found: String,
    /// The line of the text around that place, and under it a line that marks the place with `^`.
    pub excerpt: String,
}

/// The result of an operation of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// One line; with `{:#}` followed by the excerpt.
impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: expected {}, found ", self.line, self.column, self.expected)?;
        if self.found.is_empty() {
            write!(f, "the end of the text")?;
        } else {
            write!(f, "`{}`", self.found)?;
        }
        if f.alternate() { write!(f, "\n{}", self.excerpt) } else { Ok(()) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Exhausted(e) => e.fmt(f),
            Error::SpaceMismatch { operation, left, right } => {
                write!(f, "cannot {operation}: the spaces {left} and {right} do not match")
            }
            Error::WrongShape { operation, space, expected } => {
                write!(f, "cannot {operation}: {space} is not {expected}")
            }
            Error::OutOfRange { operation, what } => write!(f, "cannot {operation}: {what}"),
            Error::Unbounded { operation, what } => write!(f, "cannot {operation}: {what} is unbounded"),
            Error::Parse(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for ParseError {}

impl std::error::Error for Error {}

impl From<Exhausted> for Error {
    fn from(e: Exhausted) -> Error {
        Error::Exhausted(e)
    }
}

impl From<ParseError> for Error {
    fn from(e: ParseError) -> Error {
        Error::Parse(e)
    }
}
