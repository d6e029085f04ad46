//! Files of cases: SCoPs as text with what the optimiser is to do, and what comes of it.
//!
//! ```text
//! # Elements are copied from the last one to the first.
//! == options
//! target = avx2
//! == script
//! reverse(S@0, member = 0)
//! == scop
//! scop: "copy"
//! ...
//! == log
//! reverse(S@0, member = 0)
//! == estimate
//! avx2     before after
//! compute  2.5e2  2.5e2
//! ...
//! == tree
//! band (permutable)
//!   S -> [-i]
//!   coincident [1]
//! ```
//!
//! A file is a comment and some *runs*. A run has the parts `options`, `script` (steps) or `strategy` (a text of its own instead of the
//! built-in strategy), and `scop`, which may be left out; then comes its result. Options and SCoP stay those of the run before
//! where a later one has none. A result are the parts `log`, `estimate`, `tree`, and `buffers` and `kernels` where there are some, with the number of the
//! SCoP behind the name if there are several; or the part `error`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The parts of a run that are given, in any order; all others are results.
const GIVEN: [&str; 4] = ["options", "script", "strategy", "scop"];

/// The parts of a result without their numbers.
const RESULTS: [&str; 6] = ["log", "estimate", "tree", "buffers", "kernels", "error"];

/// A name and lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// One run of the optimiser.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    /// The parts that are given, as they are in the file.
    given: Vec<Part>,
    /// Options and SCoPs, perhaps those of the run before.
    pub(crate) options: String,
    pub(crate) scop: String,
    /// What the file says comes of it.
    pub(crate) expected: Vec<Part>,
}

/// A file.
pub(crate) struct CaseFile {
    pub(crate) path: PathBuf,
    comment: String,
    pub(crate) runs: Vec<Run>,
}

/// The folder of all files.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/optimise")
}

impl Run {
    /// A part that is given, by name.
    pub(crate) fn given(&self, name: &str) -> Option<&str> {
        self.given.iter().find(|part| part.name == name).map(|part| part.text.as_str())
    }
}

impl CaseFile {
    /// Reads a file. One that is not made as the module says is a panic.
    pub(crate) fn read(path: &Path) -> CaseFile {
        let name = path.display();
        let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut file = CaseFile { path: path.to_owned(), comment: String::new(), runs: Vec::new() };
        let mut parts: Vec<Part> = Vec::new();
        for line in text.lines() {
            match (line.strip_prefix("== "), parts.last_mut()) {
                (Some(name), _) => parts.push(Part { name: name.to_owned(), text: String::new() }),
                (None, Some(part)) => part.text += &format!("{line}\n"),
                (None, None) => file.comment += &format!("{line}\n"),
            }
        }
        assert!(file.comment.starts_with("# "), "{name}: it begins with a comment that says what it shows");
        for part in parts {
            let word = part.name.split(' ').next().unwrap_or_default();
            let is_given = GIVEN.contains(&part.name.as_str());
            assert!(is_given || RESULTS.contains(&word), "{name}: there is no part {}", part.name);
            let is_new = match file.runs.last() {
                Some(run) => is_given && (!run.expected.is_empty() || run.given(&part.name).is_some()),
                None => true,
            };
            if is_new {
                let before = file.runs.last();
                let (options, scop) = before.map(|run| (run.options.clone(), run.scop.clone())).unwrap_or_default();
                file.runs.push(Run { options, scop, ..Run::default() });
            }
            let run = file.runs.last_mut().unwrap();
            match part.name.as_str() {
                "options" => run.options = part.text.clone(),
                "scop" => run.scop = part.text.clone(),
                _ => {}
            }
            if is_given { run.given.push(part) } else { run.expected.push(part) }
        }
        assert!(!file.runs.is_empty(), "{name}: no run");
        file
    }

    /// The file with other results, one list of parts per run.
    pub(crate) fn with_results(&self, results: &[Vec<Part>]) -> String {
        let mut text = self.comment.clone();
        for (run, result) in self.runs.iter().zip(results) {
            for Part { name, text: lines } in run.given.iter().chain(result) {
                let _ = write!(text, "== {name}\n{lines}");
            }
        }
        text
    }
}
