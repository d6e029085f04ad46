//! An [`Int`] as decimal digits, printed and read.

use std::fmt;
use std::str::FromStr;

use rug::Integer;

use super::Int;
use super::word::View::{Big, Small};

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.view() {
            Small(v) => fmt::Display::fmt(&v, f),
            Big(v) => fmt::Display::fmt(v, f),
        }
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The error of reading an [`Int`] from text: the text is not an optional sign followed by decimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseIntError {
    /// The text that was not understood.
    pub text: String,
}

impl fmt::Display for ParseIntError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected a decimal integer, found `{}`", self.text)
    }
}

impl std::error::Error for ParseIntError {}

impl FromStr for Int {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Ok(v) = text.parse::<i64>() {
            return Ok(Int::new(v));
        }
        let error = || ParseIntError { text: text.to_owned() };
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(error());
        }
        let magnitude = Integer::from_str_radix(digits, 10).map_err(|_| error())?;
        Ok(Self::from_big(if text.starts_with('-') { -magnitude } else { magnitude }))
    }
}
