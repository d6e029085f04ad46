//! Lines on the standard error.
//!
//! Every line begins with `tessera_rt: ` and is written by one call, so that lines of several threads do not mix. A standard error that
//! is closed is no reason to fail.

use std::fmt;
use std::io::Write;

/// Writes one line. Line feeds within the text become `; `, so that a log of the driver stays one line.
pub(crate) fn line(text: fmt::Arguments<'_>) {
    let text = text.to_string();
    let parts: Vec<&str> = text.lines().map(str::trim).filter(|part| !part.is_empty()).collect();
    let line = format!("tessera_rt: {}\n", parts.join("; "));
    // A line that cannot be written is lost: there is nowhere to say so.
    let _ = std::io::stderr().write_all(line.as_bytes());
}
