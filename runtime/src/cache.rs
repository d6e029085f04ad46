//! The file in which measurements of a device are kept, so that the next process needs none.
//!
//! ```text
//! tessera costs 1
//! start 3.12e-1
//! ...
//! sum 8d1f2a60c7e3b954
//! ```
//!
//! One file per device and driver version, and one called `last` with what was measured last, from which a process learns
//! what starting the device costs before it starts it. The folder may be read-only, another process may write at the same
//! time, and a file may hold anything: a file that is not exactly what [`format()`] writes, with plausible numbers, does not
//! exist. A write goes to a file of its own which is then renamed. Nothing depends on a file that is there or not but the
//! time of a start.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use crate::decide::{COUNT, Costs};
use crate::driver::Facts;

/// The first line. The number changes whenever fields or their meaning change.
const HEADER: &str = "tessera costs 1";

/// More than a file of ours can have.
const LARGEST: u64 = 4096;

/// The file of what was measured last, whatever the device.
pub(crate) fn last(folder: &Path) -> PathBuf {
    folder.join("last")
}

/// The file of a device.
pub(crate) fn of_device(folder: &Path, facts: &Facts) -> PathBuf {
    let uuid: String = facts.uuid.iter().map(|byte| format!("{byte:02x}")).collect();
    folder.join(format!("{uuid}-{}", facts.driver_version))
}

/// The costs in a file; `None` where there is no such file or it is damaged.
pub(crate) fn read(path: &Path) -> Option<Costs> {
    let mut text = String::new();
    // A file that is no plain file, such as a pipe, could block for ever.
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    fs::File::open(path).ok()?.take(LARGEST).read_to_string(&mut text).ok()?;
    parse(&text)
}

/// Writes a file, or does nothing where that does not work.
pub(crate) fn write(path: &Path, costs: &Costs) {
    let Some(folder) = path.parent() else { return };
    let mut own = path.as_os_str().to_owned();
    own.push(format!(".{}", std::process::id()));
    let own = PathBuf::from(own);
    let written = fs::create_dir_all(folder)
        // A file of that name is left from a process that died; nobody else has our number.
        .and_then(|()| fs::File::create(&own))
        .and_then(|mut file| file.write_all(format(costs).as_bytes()))
        .and_then(|()| fs::rename(&own, path));
    if written.is_err() {
        // Nothing to be done where that fails too.
        let _ = fs::remove_file(&own);
    }
}

/// The text of a file.
fn format(costs: &Costs) -> String {
    let mut text = format!("{HEADER}\n");
    for (name, value) in costs.fields() {
        text.push_str(&format!("{name} {value:e}\n"));
    }
    let sum = sum(&text);
    text.push_str(&format!("sum {sum:016x}\n"));
    text
}

/// Reads what [`format()`] wrote.
fn parse(text: &str) -> Option<Costs> {
    let names = Costs::ASSUMED.fields().map(|(name, _)| name);
    let mut lines = text.lines().skip(1);
    let mut values = [0.0; COUNT];
    for (value, name) in values.iter_mut().zip(names) {
        *value = lines.next()?.strip_prefix(name)?.strip_prefix(' ')?.parse().ok()?;
    }
    let costs = Costs::from_values(values);
    (costs.plausible() && format(&costs) == text).then_some(costs)
}

/// FNV-1a, of 64 bits: against damage, not against enemies.
fn sum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::{format, parse, read, write};
    use crate::decide::Costs;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("tessera-cache-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn what_is_written_is_read() {
        let costs = Costs { upload: 1.234_567_890_123e10, session: 7.1e-6, ..Costs::ASSUMED };
        assert_eq!(parse(&format(&costs)), Some(costs));
    }

    #[test]
    fn every_damaged_byte_is_noticed() {
        let text = format(&Costs::ASSUMED);
        for place in 0..text.len() {
            for other in ["", "0", "9", "e", "-", "\n", "é"] {
                let damaged = format!("{}{other}{}", &text[..place], &text[place + 1..]);
                assert!(damaged == text || parse(&damaged).is_none(), "{damaged}");
            }
            assert_eq!(parse(&text[..place]), None);
        }
        assert_eq!(parse(&format!("{text}more\n")), None);
    }

    #[test]
    fn numbers_that_are_not_plausible_are_no_file() {
        for value in [f64::NAN, f64::INFINITY, 0.0, -1.0, 1e300] {
            assert_eq!(parse(&format(&Costs { memory: value, ..Costs::ASSUMED })), None);
        }
    }

    #[test]
    fn files_are_replaced_and_other_things_ignored() {
        let folder = folder("files");
        let path = folder.join("deep/last");
        assert_eq!(read(&path), None);
        write(&path, &Costs::ASSUMED);
        assert_eq!(read(&path), Some(Costs::ASSUMED));
        fs::write(&path, vec![0xff; 100_000]).unwrap();
        assert_eq!(read(&path), None);
        write(&path, &Costs::ASSUMED);
        assert_eq!(read(&path), Some(Costs::ASSUMED));
        assert_eq!(fs::read_dir(folder.join("deep")).unwrap().count(), 1);
        assert_eq!(read(&folder), None);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_folder_that_cannot_be_made_does_no_harm() {
        let folder = folder("file-in-the-way");
        fs::write(&folder, "a file").unwrap();
        write(&folder.join("last"), &Costs::ASSUMED);
        assert_eq!(read(&folder.join("last")), None);
        assert_eq!(fs::read_to_string(&folder).unwrap(), "a file");
        fs::remove_file(&folder).unwrap();
    }

    #[test]
    fn many_writers_leave_one_whole_file() {
        let folder = folder("race");
        let path = folder.join("last");
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    for round in 0..50 {
                        write(path, &Costs { upload: 1e9 + f64::from(writer * 100 + round), ..Costs::ASSUMED });
                    }
                });
            }
        });
        assert!(read(&path).is_some());
        fs::remove_dir_all(&folder).unwrap();
    }
}
