//! Kernels that are broken on purpose: does the emulator, or a comparison of results, find every one?
//!
//! A library between the program and the run-time library (`programs/gpu/broken.c`) changes what one nest asks for: its text, what is copied,
//! how long an array is, how many blocks and threads there are. So a program is compiled once, and every defect is one run of it.
//!
//! ```text
//! bar.sync 0;                        ->  (nothing)                         barriers
//! ld.global.f64 %fd1, [%rd5+8];      ->  ld.global.f64 %fd1, [%rd5+16];    indices, one element too far and too near
//! st.global.f64 [%rd5], %fd1;        ->  (nothing)                         stores
//! copy in, copy out                  ->  (nothing)                         copies
//! the bytes of an array              ->  without its last byte, without its first eight       extents
//! blocks and threads of a launch     ->  one less, a thread more           launches; a block more has nothing to do
//! ```
//!
//! Some changes are no defects: a store that another one overwrites, a load whose value nobody uses. Where such a one is not found, all bits
//! of what is loaded or stored there are inverted instead, and threads end at a barrier that is not missed. If that is not found either, nothing
//! depends on the place; otherwise the defect was missed.

use crate::emulated::{Told, emulated};
use crate::fuzz::WHOLE;
use crate::plugin::runtime;
use crate::process::{Failure, Outcome, Run};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

/// Seconds that a broken program may run: one that does not end is found, too.
const LIMIT: u32 = 120;

/// The kinds of defects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A barrier is missing.
    Barrier,
    /// An access is one element off.
    Index,
    /// A store is missing.
    Store,
    /// A copy between host and device is missing.
    Copy,
    /// An array is too short on the device.
    Extent,
    /// A launch has another size.
    Launch,
}

/// A defect: its kind, what is told to `broken.c`, and what it is in words.
#[derive(Clone, Debug)]
pub struct Defect {
    /// Its kind.
    pub kind: Kind,
    /// The name of its nest.
    pub nest: String,
    /// The value of `BROKEN`.
    pub what: String,
    /// Another text for the nest's kernels.
    text: Option<String>,
    /// The text in which all bits of what is loaded or stored there are inverted, or threads end there.
    inverted: Option<String>,
    /// What was done.
    words: String,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} in {}: {}: {}", self.kind, self.nest, self.what, self.words)
    }
}

/// What became of some defects.
#[derive(Clone, Debug, Default)]
pub struct Verdicts {
    /// How many were found, by a complaint of the emulator and by results.
    pub found: BTreeMap<Kind, [u64; 2]>,
    /// How many were no defects, as nothing depends on the place.
    pub idle: BTreeMap<Kind, u64>,
    /// Those that were not found.
    pub missed: Vec<Defect>,
}

impl Verdicts {
    /// Adds others.
    pub fn add(&mut self, others: Verdicts) {
        for (kind, [complaints, differences]) in others.found {
            let found = self.found.entry(kind).or_default();
            found[0] += complaints;
            found[1] += differences;
        }
        for (kind, idle) in others.idle {
            *self.idle.entry(kind).or_default() += idle;
        }
        self.missed.extend(others.missed);
    }

    /// How many there were of a kind, and how many of them were not found.
    pub fn count(&self, kind: Kind) -> (u64, u64) {
        let missed = self.missed.iter().filter(|defect| defect.kind == kind).count() as u64;
        (self.found.get(&kind).map_or(0, |found| found.iter().sum()) + missed, missed)
    }
}

impl fmt::Display for Verdicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, [complaints, differences]) in &self.found {
            let (missed, idle) = (self.count(*kind).1, self.idle.get(kind).unwrap_or(&0));
            write!(f, "{kind:?}: {complaints} by complaints, {differences} by results, {missed} not found")?;
            writeln!(f, "; {idle} where nothing depends on the place")?;
        }
        self.missed.iter().try_for_each(|defect| writeln!(f, "not found: {defect}"))
    }
}

/// The library between, which is compiled once, and a folder for texts.
#[derive(Debug)]
pub struct Breaker {
    folder: tempfile::TempDir,
}

impl Breaker {
    /// Compiles it.
    pub fn new() -> Result<Breaker, Failure> {
        let folder = tempfile::tempdir().map_err(|error| Failure::new("a temporary folder", error.to_string()))?;
        let breaker = Breaker { folder };
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/gpu/broken.c");
        let run = Run::new("clang-22").args(["-O1", "-shared", "-fPIC"]).arg(source).arg("-o").arg(breaker.library());
        run.output()?;
        Ok(breaker)
    }

    fn library(&self) -> PathBuf {
        self.folder.path().join("libbroken.so")
    }

    /// A run of a program in the emulator with something broken.
    fn run(&self, program: &Path, arguments: &[String], what: &str) -> Result<Outcome, Failure> {
        let libraries = format!("{} {}", self.library().display(), runtime()?.display());
        let run = emulated(Run::within(LIMIT, program))?.args(arguments);
        run.env("LD_PRELOAD", &libraries).env("BROKEN", what).env(WHOLE, "1").outcome()
    }

    /// The defects of all nests of a program: of each part of a nest (an instruction, an array, a kernel) those of every kind.
    pub fn defects(&self, program: &Path, arguments: &[String]) -> Result<Vec<Defect>, Failure> {
        let list = self.run(program, arguments, &format!("list {}", self.folder.path().display()))?;
        let lines: Vec<&str> = list.stderr.lines().filter_map(|line| line.strip_prefix("broken: ")).collect();
        let named = lines.iter().filter_map(|line| line.split_once(" nest "));
        let names: BTreeMap<&str, String> = named.map(|(nest, name)| (nest, name.to_owned())).collect();
        let mut defects = Vec::new();
        let mut have = BTreeSet::new();
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            let nest = names.get(words[0]).cloned().unwrap_or_default();
            let mut add = |kind: Kind, what: String| {
                if have.insert(what.clone()) {
                    defects.push(Defect {
                        kind,
                        nest: nest.clone(),
                        what,
                        text: None,
                        inverted: None,
                        words: line.to_owned(),
                    });
                }
            };
            match words[..] {
                [number, "nest", ..] => {
                    let path = self.folder.path().join(format!("{number}.ptx"));
                    let text =
                        std::fs::read_to_string(&path).map_err(|e| Failure::new("reading PTX", e.to_string()))?;
                    let broken = self.folder.path().join("broken.ptx");
                    for Broken { kind, words, text, inverted } in broken_texts(&text) {
                        let what = format!("{number} text {}", broken.display());
                        defects.push(Defect { kind, nest: nest.clone(), what, text: Some(text), inverted, words });
                    }
                }
                [nest, "array", array, "flags", flags, "bytes", bytes] if bytes != "0" => {
                    let flags: u32 = flags.parse().unwrap_or(0);
                    let sides = [("in", flags & 1 != 0), ("out", flags & 2 != 0)];
                    sides.iter().filter(|(_, is)| *is).for_each(|(side, _)| {
                        add(Kind::Copy, format!("{nest} array {array} {side}"));
                    });
                    for side in ["last", "first"].iter().take(if flags == 0 { 1 } else { 2 }) {
                        add(Kind::Extent, format!("{nest} array {array} {side}"));
                    }
                }
                [nest, "kernel", kernel, "grid", .., "block", _, _, _] => {
                    for axis in 0..3 {
                        for more in ["-1 0", "0 -1", "0 1"] {
                            add(Kind::Launch, format!("{nest} launch {kernel} {axis} {more}"));
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(defects)
    }

    /// Tries some defects of a program.
    pub fn judge(&self, program: &Path, arguments: &[String], defects: &[Defect]) -> Result<Verdicts, Failure> {
        let right = self.run(program, arguments, "-1 nothing")?;
        let mut verdicts = Verdicts::default();
        for defect in defects {
            let mut by = self.found(program, arguments, (&defect.what, defect.text.as_deref()), &right)?;
            if by.is_none() && defect.inverted.is_some() {
                by = match self.found(program, arguments, (&defect.what, defect.inverted.as_deref()), &right)? {
                    None => Some(By::Nothing),
                    Some(_) => None,
                };
            }
            let found = verdicts.found.entry(defect.kind).or_default();
            match by {
                Some(By::Complaint) => found[0] += 1,
                Some(By::Results) => found[1] += 1,
                Some(By::Nothing) => *verdicts.idle.entry(defect.kind).or_default() += 1,
                None => verdicts.missed.push(defect.clone()),
            }
        }
        Ok(verdicts)
    }

    /// What shows that a nest is broken, if anything.
    fn found(
        &self,
        program: &Path,
        arguments: &[String],
        (what, text): (&str, Option<&str>),
        right: &Outcome,
    ) -> Result<Option<By>, Failure> {
        if let Some(text) = text {
            let path = self.folder.path().join("broken.ptx");
            std::fs::write(path, text).map_err(|error| Failure::new("writing PTX", error.to_string()))?;
        }
        Ok(match self.run(program, arguments, what) {
            // It does not end.
            Err(_) => Some(By::Results),
            Ok(outcome) if !Told::of(&outcome.stderr).complaints.is_empty() => Some(By::Complaint),
            Ok(outcome) if outcome.stdout != right.stdout || outcome.status != right.status => Some(By::Results),
            Ok(_) => None,
        })
    }
}

/// What shows that a kernel is broken.
enum By {
    Complaint,
    Results,
    /// It is not broken: nothing depends on what was changed.
    Nothing,
}

/// A text with a defect.
struct Broken {
    kind: Kind,
    words: String,
    text: String,
    /// The text without the defect in which all bits of what is loaded or stored at its place are inverted, or threads end there.
    inverted: Option<String>,
}

/// All texts that differ from one in one instruction.
fn broken_texts(text: &str) -> Vec<Broken> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let with = |other: &str| {
            let mut all = lines.clone();
            all[at] = other;
            all.join("\n") + "\n"
        };
        let mut add = |kind: Kind, other: &str, inverted: Option<&String>| {
            let words = format!("line {}: `{}` -> `{}`", at + 1, line.trim(), other.trim());
            found.push(Broken { kind, words, text: with(other), inverted: inverted.map(|inverted| with(inverted)) });
        };
        let Some(opcode) = line.split_whitespace().find(|word| !word.starts_with('@')) else { continue };
        let parts: Vec<&str> = opcode.split('.').collect();
        if opcode.starts_with("bar.") || opcode.starts_with("barrier.") {
            add(Kind::Barrier, "", Some(&"ret;".to_owned()));
        }
        let is_memory = parts.contains(&"global") || parts.contains(&"shared");
        if !is_memory || !matches!(parts[0], "ld" | "st") {
            continue;
        }
        let inverted = inverted(line);
        if parts[0] == "st" {
            add(Kind::Store, "", inverted.as_ref());
        }
        let bytes = parts.last().and_then(|ty| ty[1..].parse::<i64>().ok()).map(|bits| bits / 8);
        let (Some(bytes), Some(open), Some(close)) = (bytes, line.find('['), line.find(']')) else { continue };
        let address = &line[open + 1..close];
        let (base, offset) = match address.split_once('+') {
            Some((base, offset)) => (base, offset.parse().unwrap_or(0)),
            None => (address, 0i64),
        };
        for step in [bytes, -bytes] {
            let other = format!("{}[{base}+{}]{}", &line[..open], offset + step, &line[close + 1..]);
            add(Kind::Index, &other, inverted.as_ref());
        }
    }
    found
}

/// A load or store in which all bits of its value are inverted; nothing where the value is not one register.
fn inverted(line: &str) -> Option<String> {
    let outside = match line.split_once(']')? {
        (before, ";") => before.split_once('[')?.0,
        (_, after) => after,
    };
    let register = outside.split([' ', '\t', ',', ';', '{', '}']).rfind(|word| word.starts_with('%'))?;
    let bits = match register.trim_start_matches('%').trim_end_matches(|c: char| c.is_ascii_digit()) {
        "rs" => 16,
        "r" => 32,
        "rd" => 64,
        _ => return None,
    };
    let invert = format!("not.b{bits} {register}, {register};");
    Some(match outside.ends_with(';') {
        true => format!("{invert} {line} {invert}"),
        false => format!("{line} {invert}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_access_and_barrier_is_broken() {
        let text = "\tld.global.nc.f64 \t%fd1, [%rd5+8];\n\t@%p1 st.shared.b32 \t[%rd6], %r1;\n\tbar.sync 0;\n\tadd.s64 %rd1, %rd2, 8;\n";
        let broken = broken_texts(text);
        let kinds: Vec<Kind> = broken.iter().map(|broken| broken.kind).collect();
        assert_eq!(kinds, [Kind::Index, Kind::Index, Kind::Store, Kind::Index, Kind::Index, Kind::Barrier]);
        assert!(broken[0].text.starts_with("\tld.global.nc.f64 \t%fd1, [%rd5+16];\n"));
        assert!(broken[1].text.starts_with("\tld.global.nc.f64 \t%fd1, [%rd5+0];\n"));
        assert!(broken[4].text.contains("[%rd6+-4], %r1;"));
        assert!(!broken[5].text.contains("bar"));
    }

    #[test]
    fn what_is_loaded_or_stored_is_inverted() {
        let load = inverted("\tld.global.nc.b64 \t%rd1, [%rd5+8];");
        assert_eq!(load.as_deref(), Some("\tld.global.nc.b64 \t%rd1, [%rd5+8]; not.b64 %rd1, %rd1;"));
        let store = inverted("\tst.shared.b16 \t[%rd6], %rs1;");
        assert_eq!(store.as_deref(), Some("not.b16 %rs1, %rs1; \tst.shared.b16 \t[%rd6], %rs1; not.b16 %rs1, %rs1;"));
        assert_eq!(inverted("\tst.shared.b16 \t[%rd6], 7;"), None);
    }
}
