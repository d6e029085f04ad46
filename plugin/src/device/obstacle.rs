//! Why a nest is not compiled for a device: one sentence per reason.

use crate::reasons::Reason;
use std::fmt;

/// Why a nest is not compiled for a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// Where the program runs there is no run-time library, or perhaps no library at all.
    Host,
    /// The function depends on an environment that a device does not have.
    Environment {
        /// Which.
        what: &'static str,
    },
    /// A value that is used behind the nest is no number.
    LiveOut {
        /// Its type, as IR spells it.
        ty: String,
    },
    /// A scalar is carried between statements.
    Scalar,
    /// Rows behind a table of pointers.
    Rows {
        /// The array as the user knows it.
        array: String,
    },
    /// A type that has other numbers on a device, or none.
    Type {
        /// As IR spells it.
        ty: String,
    },
    /// A call that may set `errno`.
    Errno {
        /// The function.
        callee: String,
    },
    /// A call that gives other bits on a device, or none.
    Call {
        /// The function.
        callee: String,
    },
    /// Another operation.
    Operation {
        /// What it is.
        what: &'static str,
    },
    /// Which bytes of an array the nest touches cannot be said with two addresses.
    Extent {
        /// The array as the user knows it.
        array: String,
    },
    /// No loop can be shared by threads.
    NotParallel,
    /// Most of the nest would be executed by a single thread.
    Sequential,
    /// More parameters than a launch should have.
    Parameters,
    /// The library has no kernels for the order.
    Mapping {
        /// What it says.
        what: String,
    },
    /// The part of the budget that was there for this is used up.
    Budget,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host => {
                f.write_str("devices are used from programs with a C library, on Linux, on x86-64 and AArch64")
            }
            Self::Environment { what } => write!(f, "{what}, which a device knows nothing of"),
            Self::LiveOut { ty } => write!(f, "a value of the type {ty} that it computes is used behind it"),
            Self::Scalar => f.write_str("a value is carried from one of its statements to another"),
            Self::Rows { array } => write!(f, "{array} is rows behind a table of pointers"),
            Self::Type { ty } => write!(f, "values of the type {ty} are not the same on a device"),
            Self::Errno { callee } => {
                write!(
                    f,
                    "{callee} may set errno, which a device cannot; compile with -fno-math-errno if nobody looks at it"
                )
            }
            Self::Call { callee } => write!(f, "{callee} gives other results on a device, or is not known there"),
            Self::Operation { what } => write!(f, "{what} is not supported on a device"),
            Self::Extent { array } => {
                write!(f, "the bytes of {array} that it touches are not all those between two known addresses")
            }
            Self::NotParallel => f.write_str("no loop has iterations that can run side by side"),
            Self::Sequential => f.write_str("most of it would be done by a single thread"),
            Self::Parameters => f.write_str("it depends on too many values from before it"),
            Self::Mapping { what } => write!(f, "it has no kernels in this order ({what})"),
            Self::Budget => f.write_str("the work limit per function was reached; raise it with budget=N"),
        }
    }
}

impl From<Reason> for Obstacle {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::Budget { .. } => Self::Budget,
            other => Self::Mapping { what: other.to_string() },
        }
    }
}

impl From<tessera_polyhedral::Error> for Obstacle {
    fn from(error: tessera_polyhedral::Error) -> Self {
        match error {
            tessera_polyhedral::Error::Exhausted(_) => Self::Budget,
            other => Self::Mapping { what: other.to_string() },
        }
    }
}

impl From<tessera_polyhedral::ast::AstError> for Obstacle {
    fn from(error: tessera_polyhedral::ast::AstError) -> Self {
        match error {
            tessera_polyhedral::ast::AstError::Relation(error) => error.into(),
            other => Self::Mapping { what: other.to_string() },
        }
    }
}
