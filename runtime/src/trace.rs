//! Lines on the standard error.
//!
//! Every line begins with `tessera_rt: ` and is written by one call, so that lines of several threads do not mix. A
//! standard error that is closed is no reason to fail.

#![expect(unsafe_code, reason = "a file descriptor by its number")]

use std::fmt;
use std::fs::File;
use std::io::Write;
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;

/// Writes one line. Line feeds within the text become `; `, so that a log of the driver stays one line.
pub(crate) fn line(text: fmt::Arguments<'_>) {
    let text = text.to_string();
    let parts: Vec<&str> = text.lines().map(str::trim).filter(|part| !part.is_empty()).collect();
    let line = format!("tessera_rt: {}\n", parts.join("; "));
    // Not `std::io::stderr`, which has a lock: another thread may hold it while this process is forked.
    // SAFETY: the file is never closed here, so it does not matter who owns the descriptor, nor whether it is open.
    let mut file = ManuallyDrop::new(unsafe { File::from_raw_fd(2) });
    // A line that cannot be written is lost: there is nowhere to say so.
    let _ = file.write_all(line.as_bytes());
}
