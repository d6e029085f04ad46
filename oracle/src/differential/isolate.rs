//! A case in a process of its own, for operations in which isl can crash or run for ever.
//!
//! isl's transitive closure crashes when its limit on operations is reached in the middle, and without a limit it can
//! take minutes. The child gets no limit but a few seconds; a byte before each step tells the parent who was at work when
//! the child died.

use std::ffi::c_int;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::FromRawFd;

use super::verdict::{Limits, Verdict, judge_with};
use crate::isl::Isl;
use crate::operation::Operation;

/// Seconds per case.
const SECONDS: u32 = 3;

unsafe extern "C" {
    fn fork() -> c_int;
    fn pipe(ends: *mut c_int) -> c_int;
    fn waitpid(child: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn alarm(seconds: u32) -> u32;
    fn _exit(status: c_int) -> !;
}

/// The verdict on one case, from a child process.
pub(super) fn judge(isl: &Isl, operation: &Operation, texts: &[String], limits: Limits) -> Verdict {
    let mut ends = [0; 2];
    // SAFETY: the array has room for two descriptors, each of which one file owns from here on.
    let (mut from, mut to) = unsafe {
        if pipe(ends.as_mut_ptr()) != 0 {
            return Verdict::Void("no pipe".into());
        }
        (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1]))
    };
    // SAFETY: the child only works on memory of its own and leaves without running destructors.
    let child = unsafe { fork() };
    if child == 0 {
        // SAFETY: no handler is installed: the signal ends the child.
        unsafe { alarm(SECONDS) };
        let limits = Limits { isl: 0, ..limits };
        let verdict = judge_with(isl, operation, texts, limits, &mut |step| drop(to.write_all(&[step])));
        let text = match &verdict {
            Verdict::Agreed => "a".into(),
            Verdict::OursGaveUp => "o".into(),
            Verdict::IslGaveUp => "i".into(),
            Verdict::BothRefused => "b".into(),
            Verdict::Void(why) => format!("v{why}"),
            Verdict::Contradicted(why) => format!("c{why}"),
            Verdict::Disagreed(why) => format!("d{why}"),
        };
        drop(to.write_all(text.as_bytes()));
        // SAFETY: ends the child at once.
        unsafe { _exit(0) };
    }
    drop(to);
    let mut answer = Vec::new();
    let read = from.read_to_end(&mut answer);
    let mut status = 0;
    // SAFETY: waits for the child made above.
    unsafe { waitpid(child, &raw mut status, 0) };
    if child < 0 || read.is_err() {
        return Verdict::Void("no process".into());
    }
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let steps = answer.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let last = answer[..answer.len() - steps.len()].chars().last();
    let why = steps.get(1..).unwrap_or_default().to_string();
    match steps.chars().next() {
        Some('a') => Verdict::Agreed,
        Some('o') => Verdict::OursGaveUp,
        Some('i') => Verdict::IslGaveUp,
        Some('b') => Verdict::BothRefused,
        Some('v') => Verdict::Void(why),
        Some('c') => Verdict::Contradicted(why),
        Some(_) => Verdict::Disagreed(why),
        // The child died: in our part this is our fault, even if only the clock ended it.
        None if last == Some('O') => Verdict::Disagreed(format!("we crash or need {SECONDS} s (status {status})")),
        None => Verdict::IslGaveUp,
    }
}
