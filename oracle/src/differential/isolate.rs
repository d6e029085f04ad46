//! Cases in processes of their own: isl crashes in several operations when its limit is reached in the middle of them,
//! and there are inputs on which its limit does not end it in time.
//!
//! A child works through a batch of cases and writes one frame per case. A byte before each step tells the parent who
//! was at work if the child dies: isl's deaths count as giving up, ours as disagreements. The parent goes on behind
//! that case.

use std::ffi::{c_int, c_long};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::FromRawFd;
use std::time::Instant;

use super::verdict::{Limits, Verdict, judge_with};
use crate::isl::Isl;
use crate::operation::Operation;

/// After so many seconds of the processor for one case the child ends: other work on the machine does not count.
const SECONDS: u32 = 10;
/// The same where isl has no limit of its own.
const SECONDS_UNLIMITED: u32 = 3;

unsafe extern "C" {
    fn fork() -> c_int;
    fn pipe(ends: *mut c_int) -> c_int;
    fn waitpid(child: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn setitimer(which: c_int, new: *const Timer, old: *mut Timer) -> c_int;
    fn _exit(status: c_int) -> !;
}

/// The time that the process runs, in user space and in the kernel; the signal at its end is `SIGPROF`.
const ITIMER_PROF: c_int = 2;

/// `struct timeval`.
#[repr(C)]
struct Time {
    seconds: c_long,
    microseconds: c_long,
}

/// `struct itimerval`.
#[repr(C)]
struct Timer {
    interval: Time,
    value: Time,
}

/// Ends the process when it has run for so many seconds from now on; 0: never.
fn end_after(seconds: u32) {
    let time = |seconds| Time { seconds, microseconds: 0 };
    let timer = Timer { interval: time(0), value: time(c_long::from(seconds)) };
    // SAFETY: the timer has the layout of the C library and is only read. No handler is installed: the signal ends the process.
    unsafe { setitimer(ITIMER_PROF, &raw const timer, std::ptr::null_mut()) };
}

/// One case.
pub(super) type Task = (&'static Operation, Vec<String>);

/// The verdicts on some cases with the milliseconds that each took.
pub(super) fn judge(isl: &Isl, tasks: &[Task], limits: Limits) -> Vec<(Verdict, u64)> {
    let mut verdicts = Vec::with_capacity(tasks.len());
    while verdicts.len() < tasks.len() {
        let rest = &tasks[verdicts.len()..];
        let before = verdicts.len();
        match in_child(|to| work(isl, rest, limits, to)) {
            Ok(bytes) => {
                let mut frames: Vec<&[u8]> = bytes.split(|b| *b == 0).collect();
                // What follows the last separator is the frame during which the child died, or nothing.
                let last = frames.pop().unwrap_or_default();
                verdicts.extend(frames.into_iter().map(read_frame));
                if verdicts.len() < tasks.len() {
                    verdicts.push((death(last), u64::from(SECONDS) * 1000));
                }
            }
            Err(why) => verdicts.push((Verdict::Void(why.into()), 0)),
        }
        debug_assert!(verdicts.len() > before);
    }
    verdicts
}

/// Forks; gives what the child writes until it ends.
fn in_child(work: impl FnOnce(&mut File)) -> Result<Vec<u8>, &'static str> {
    let mut ends = [0; 2];
    // SAFETY: the array has room for two descriptors, each of which one file owns from here on.
    let (mut from, mut to) = unsafe {
        if pipe(ends.as_mut_ptr()) != 0 {
            return Err("no pipe");
        }
        (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1]))
    };
    // SAFETY: the child only works on memory of its own and leaves without running destructors.
    let child = unsafe { fork() };
    if child == 0 {
        work(&mut to);
        // SAFETY: ends the child at once.
        unsafe { _exit(0) };
    }
    drop(to);
    let mut bytes = Vec::new();
    let read = from.read_to_end(&mut bytes);
    let mut status = 0;
    if child > 0 {
        // SAFETY: waits for the child made above.
        unsafe { waitpid(child, &raw mut status, 0) };
    }
    if child < 0 || read.is_err() { Err("no process") } else { Ok(bytes) }
}

/// The child: one frame per case.
fn work(isl: &Isl, tasks: &[Task], limits: Limits, to: &mut File) {
    for (operation, texts) in tasks {
        let start = Instant::now();
        // isl's transitive closure does not survive its limit.
        let unlimited = operation.class == "transitive closure";
        let limits = if unlimited { Limits { isl: 0, ..limits } } else { limits };
        end_after(if unlimited || limits.isl == 0 { SECONDS_UNLIMITED } else { SECONDS });
        let verdict = judge_with(isl, operation, texts, limits, &mut |step| drop(to.write_all(&[step])));
        end_after(0);
        let (letter, why) = match verdict {
            Verdict::Agreed => ('a', String::new()),
            Verdict::OursGaveUp => ('o', String::new()),
            Verdict::IslGaveUp => ('i', String::new()),
            Verdict::BothRefused => ('b', String::new()),
            Verdict::Void(why) => ('v', why),
            Verdict::Contradicted(why) => ('c', why),
            Verdict::Disagreed(why) => ('d', why),
        };
        let frame = format!("{letter}{} {}\0", start.elapsed().as_millis(), why.replace('\0', " "));
        drop(to.write_all(frame.as_bytes()));
    }
}

fn read_frame(frame: &[u8]) -> (Verdict, u64) {
    let text = String::from_utf8_lossy(frame);
    let text = text.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let (head, why) = text.split_once(' ').unwrap_or((text, ""));
    let mut letters = head.chars();
    let verdict = match letters.next() {
        Some('a') => Verdict::Agreed,
        Some('o') => Verdict::OursGaveUp,
        Some('i') => Verdict::IslGaveUp,
        Some('b') => Verdict::BothRefused,
        Some('v') => Verdict::Void(why.into()),
        Some('c') => Verdict::Contradicted(why.into()),
        _ => Verdict::Disagreed(why.into()),
    };
    (verdict, letters.as_str().parse().unwrap_or_default())
}

/// The child died, and these were its last steps.
fn death(steps: &[u8]) -> Verdict {
    match steps.last() {
        Some(b'O') => Verdict::Disagreed(format!("we crash, or need more than {SECONDS_UNLIMITED} s")),
        _ => Verdict::IslGaveUp,
    }
}
