//! What can go wrong in a calculation, and where.

use std::fmt;

use crate::error::{Error, ParseError};

/// An error in a statement, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalcError {
    /// The name of the file that the place is in, if it was read by `source`, `read` or `parse_file`.
    pub file: Option<String>,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// The line of the text around the place, and under it a line that marks the place with `^`.
    pub excerpt: String,
}

impl std::error::Error for CalcError {}

/// One line; with `{:#}` followed by the excerpt.
impl fmt::Display for CalcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}: ")?;
        }
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)?;
        if f.alternate() { write!(f, "\n{}", self.excerpt) } else { Ok(()) }
    }
}

impl CalcError {
    /// An error at a range of bytes of a text.
    pub(super) fn at(text: &str, start: usize, end: usize, message: impl Into<String>) -> Box<CalcError> {
        let place = crate::text::place(text, start, end);
        Box::new(CalcError {
            file: None,
            line: place.line,
            column: place.column,
            message: message.into(),
            excerpt: place.excerpt,
        })
    }

    /// The error of an operation at a range of bytes. An error in an object that starts there is moved to its place.
    pub(super) fn of(text: &str, start: usize, end: usize, error: &Error) -> Box<CalcError> {
        let Error::Parse(inner) = error else { return CalcError::at(text, start, end, error.to_string()) };
        let outer = crate::text::place(text, start, end);
        let ParseError { line, column, expected, found, excerpt } = inner;
        let found = if found.is_empty() { "the end of the text".into() } else { format!("`{found}`") };
        let message = format!("expected {expected}, found {found}");
        if *line > 1 {
            let line = outer.line + line - 1;
            return Box::new(CalcError { file: None, line, column: *column, message, excerpt: excerpt.clone() });
        }
        // The place is in the first line of the object: show it in the line of the statement.
        let offset = text[start..].char_indices().nth(column - 1).map_or(end, |(k, _)| start + k);
        let length = inner.found.len().min(text.len().saturating_sub(offset));
        let stop = if text.is_char_boundary(offset + length) { offset + length } else { offset };
        CalcError::at(text, offset, stop, message)
    }
}
