//! Programs on a device that is not there: they run with the run-time library, which executes their kernels in its emulator and says what
//! became of every nest.
//!
//! ```text
//! tessera_rt: nest cases.c:12: device: 1 launches, 2 arrays, 800 bytes in, 400 bytes out, 90.1 us      a nest that ran on the device
//! tessera_rt: nest cases.c:40: kernel kernel0, grid [1, 1, 1], ...: line 31, ...: a race ...           a fault
//! tessera_rt: nest cases.c:40: host, after 0 launches and 8.0 us on the device: ...                    the loops of the host take over
//! ```

use crate::plugin::runtime;
use crate::process::{Failure, Run};
use std::collections::BTreeSet;

/// What every sentence of the library begins with.
const LIBRARY: &str = "tessera_rt: ";

/// A run of a program with the library, which is told some words.
pub fn with_library(run: Run, words: &str) -> Result<Run, Failure> {
    let library = runtime()?.display().to_string();
    Ok(run.env("LD_PRELOAD", &library).env("TESSERA_RT", words))
}

/// A run of a program in the emulator.
pub fn emulated(run: Run) -> Result<Run, Failure> {
    with_library(run, "emulate,trace")
}

/// What the library said about a run in the emulator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The nests that ran on the device.
    pub nests: BTreeSet<String>,
    /// How often they did.
    pub sessions: u64,
    /// How often an array was copied by rows, without what lies between them.
    pub by_rows: u64,
    /// How often a nest ran on the host because its process was a fork of the one with the device.
    pub forked: u64,
    /// How often a nest ran on the host because the program does not touch all of an array, and the rest of it cannot be read.
    pub unreadable: u64,
    /// Everything that should not be: faults of kernels, arrays that overlap, texts that cannot be read.
    pub complaints: Vec<String>,
    /// The lines that are the program's own.
    pub rest: String,
}

impl Told {
    /// Takes a standard error apart.
    pub fn of(stderr: &str) -> Told {
        let mut told = Told::default();
        for line in stderr.lines() {
            let Some(sentence) = line.strip_prefix(LIBRARY) else {
                told.rest += line;
                told.rest.push('\n');
                continue;
            };
            if let Some((nest, what)) = sentence.split_once(": device: ") {
                told.sessions += 1;
                told.by_rows += u64::from(what.contains(" by rows), "));
                told.nests.insert(nest.to_owned());
            } else if sentence.contains("this process is a fork") {
                told.forked += 1;
            } else if sentence.contains(", of which the program may touch only a part, cannot be read") {
                told.unreadable += 1;
            } else if sentence.contains(": host: it failed before, and is tried again after ") {
                // Not for another reason than the first time.
            } else if !(sentence.starts_with("device PTX emulator: ") && sentence.ends_with(" bytes of memory")) {
                told.complaints.push(sentence.to_owned());
            }
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_of_the_library_are_told_from_the_rest() {
        let text = "tessera_rt: device PTX emulator: 16 bytes of memory\nmine\ntessera_rt: nest a: device: 1 launches\n\
                    tessera_rt: nest a: device: 2 launches, 3 arrays (1 by rows), 8 bytes in\ntessera_rt: nest b: host: this process is a fork of the one that uses the device\n\
                    tessera_rt: nest b: kernel k, grid [1, 1, 1]: a race\n";
        let told = Told::of(text);
        assert_eq!((told.sessions, told.by_rows, told.nests.len(), told.forked), (2, 1, 1, 1));
        assert_eq!((told.rest.as_str(), told.complaints.len()), ("mine\n", 1));
    }
}
