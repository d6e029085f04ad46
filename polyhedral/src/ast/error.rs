//! Why no AST could be generated.

use std::fmt;

use crate::arith::Int;
use crate::budget::Exhausted;
use crate::error::Error;
use crate::space::Name;

/// The error of AST generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AstError {
    /// An operation on sets failed, or the budget ran out.
    Relation(Error),
    /// A loop would have no first iteration.
    Unbounded {
        /// The statement whose instances are unbounded.
        stmt: Name,
        /// Which loop: "member 1 of band 0", for instance.
        dimension: String,
        /// "lower".
        side: &'static str,
    },
    /// A loop of the type `unroll` has no lower bound from which a constant number of values counts.
    CannotUnroll {
        /// Which loop: "member 1 of band 0", for instance.
        dimension: String,
    },
    /// Unrolling a loop would lead to more copies of statements than
    /// [`AstOptions::max_copies`](super::AstOptions::max_copies) allows.
    TooManyCopies {
        /// Which loop: "member 1 of band 0", for instance.
        dimension: String,
        /// The number of additional copies.
        more: Int,
        /// The number that is left.
        spare: usize,
    },
    /// A band has no expression for a statement that reaches it.
    MissingExpression {
        /// The statement.
        stmt: Name,
        /// The number of the band in preorder.
        band: usize,
        /// The member.
        member: usize,
    },
    /// The tree has something that no AST can be generated for yet.
    Unsupported {
        /// What it is.
        what: String,
    },
    /// The tree is malformed.
    Malformed {
        /// What is wrong.
        what: String,
    },
}

impl fmt::Display for AstError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AstError::Relation(error) => error.fmt(f),
            AstError::Unbounded { stmt, dimension, side } => {
                write!(f, "{dimension} has no {side} bound for statement {stmt}; bound the domain of the statement")
            }
            AstError::CannotUnroll { dimension } => {
                write!(
                    f,
                    "cannot find lower bound for unrolling {dimension}: the number of its values depends on parameters or outer \
                     members; bound it by a constant, tile it, or leave the loop"
                )
            }
            AstError::TooManyCopies { dimension, more, spare } => write!(
                f,
                "unrolling {dimension} needs {more} more copies of statements, and the bound on copies leaves {spare}; raise the \
                 bound or leave the loop"
            ),
            AstError::MissingExpression { stmt, band, member } => {
                write!(
                    f,
                    "member {member} of band {band} has no expression for statement {stmt}, which reaches the band"
                )
            }
            AstError::Unsupported { what } => {
                write!(f, "AST generation does not know {what} yet; remove it from the tree")
            }
            AstError::Malformed { what } => write!(f, "malformed schedule tree: {what}"),
        }
    }
}

impl std::error::Error for AstError {}

impl From<Error> for AstError {
    fn from(error: Error) -> AstError {
        AstError::Relation(error)
    }
}

impl From<Exhausted> for AstError {
    fn from(error: Exhausted) -> AstError {
        AstError::Relation(Error::Exhausted(error))
    }
}
