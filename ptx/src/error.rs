//! What is wrong with a PTX text.
//!
//! Every error of [`crate::Module::parse`] is one [`Error`]: a place in the text and a sentence. Nothing in a text is
//! skipped because it is not known; that an instruction is unknown is such an error too.
//!
//! ```
//! let error = tessera_ptx::Module::parse(".version 6.0\n.target sm_70\n.adress_size 64\n").unwrap_err();
//! assert_eq!(error.to_string(), "line 3, column 1: unknown directive `.adress_size`");
//! ```

use std::fmt;

/// A place in a PTX text. Both numbers begin with one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column, counted in characters.
    pub column: u32,
}

/// What is wrong with a PTX text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Where it is.
    pub place: Place,
    /// What was expected, or what is not known.
    pub message: String,
}

impl Error {
    /// An error at `place`.
    pub(crate) fn new(place: Place, message: impl Into<String>) -> Error {
        Error { place, message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.place.line, self.place.column, self.message)
    }
}

impl std::error::Error for Error {}
