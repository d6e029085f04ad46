//! What the plugin says about a kernel: the optimisation record that clang and rustc write, read and summed up.

use super::Form;
use super::build::{Compiler, Kernel, Workshop, run_of};
use crate::plugin::Plugin;
use crate::process::Failure;

/// One remark.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remark {
    /// The line in the kernel's source; 0 if the record has none.
    pub line: u64,
    /// Whether a nest was transformed.
    pub transformed: bool,
    /// The stable name of the reason.
    pub name: String,
    /// The sentence.
    pub message: String,
}

/// Compiles a kernel with line tables and gives the remarks about it, sorted by line.
pub fn remarks(workshop: &Workshop, kernel: Kernel, plugin: &Plugin) -> Result<Vec<Remark>, Failure> {
    let record = tempfile::tempdir().map_err(|error| Failure::new("making a folder", error.to_string()))?;
    let mut words = workshop.command(kernel, Compiler::Tessera(plugin, ""), &workshop.file("recorded.o"))?;
    if kernel.form == Form::Rust {
        words.extend(["-Cremark=tessera".into(), "-Cdebuginfo=line-tables-only".into()]);
        words.push(format!("-Zremark-dir={}", record.path().display()));
    } else {
        words.extend(["-gline-tables-only", "-fsave-optimization-record=yaml"].map(String::from));
        words.push("-foptimization-record-passes=tessera".to_string());
        words.push(format!("-foptimization-record-file={}", record.path().join("record.yaml").display()));
    }
    run_of(&words).output()?;
    let failure = |error: std::io::Error| Failure::new(record.path().display().to_string(), error.to_string());
    let mut remarks = Vec::new();
    for entry in std::fs::read_dir(record.path()).map_err(failure)? {
        let text = std::fs::read_to_string(entry.map_err(failure)?.path()).map_err(failure)?;
        remarks.extend(text.split("--- !").skip(1).filter_map(remark));
    }
    remarks.sort();
    Ok(remarks)
}

/// Reads one entry of a record; `None` when it is of another pass.
fn remark(entry: &str) -> Option<Remark> {
    let field = |name: &str| entry.lines().find_map(|line| Some(line.trim_start().strip_prefix(name)?.trim()));
    if field("Pass:") != Some("tessera") {
        return None;
    }
    let line = field("DebugLoc:").and_then(|place| place.split_once("Line: ")?.1.split(',').next()?.parse().ok());
    // A long sentence goes on in the next lines; the words are what counts.
    let arguments = entry.split_once("- String:").map_or("", |(_, rest)| rest);
    let words: Vec<&str> = arguments.split("\n...").next().unwrap_or("").split_whitespace().collect();
    let message = words.join(" ").trim_matches(['\'', '"']).replace("''", "'");
    Some(Remark {
        line: line.unwrap_or(0),
        transformed: entry.starts_with("Passed"),
        name: field("Name:").unwrap_or("").to_string(),
        message,
    })
}

/// What became of a kernel as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// At least one nest is transformed; the reasons of nests that could not be modelled, if any.
    Transformed(Vec<String>),
    /// All nests are understood, and the cost model says that nothing is gained.
    NoGain,
    /// All nests are understood, and for one the dependences allow no better order.
    NoOrder,
    /// No nest is transformed, and some could not be modelled: the reasons.
    NotFound(Vec<String>),
}

impl Verdict {
    /// The verdict of the remarks about a kernel.
    pub fn of(remarks: &[Remark]) -> Self {
        let understood = ["Unprofitable", "Dependences", "NoStatement"];
        let mut reasons: Vec<String> = Vec::new();
        for remark in remarks.iter().filter(|remark| !remark.transformed) {
            if !understood.contains(&remark.name.as_str()) && !reasons.contains(&remark.name) {
                reasons.push(remark.name.clone());
            }
        }
        if remarks.iter().any(|remark| remark.transformed) {
            Verdict::Transformed(reasons)
        } else if remarks.is_empty() {
            Verdict::NotFound(vec!["nothing said".to_string()])
        } else if !reasons.is_empty() {
            Verdict::NotFound(reasons)
        } else if remarks.iter().any(|remark| remark.name == "Dependences") {
            Verdict::NoOrder
        } else {
            Verdict::NoGain
        }
    }

    /// Whether every nest was understood.
    pub fn is_found(&self) -> bool {
        match self {
            Verdict::Transformed(reasons) => reasons.is_empty(),
            Verdict::NoGain | Verdict::NoOrder => true,
            Verdict::NotFound(_) => false,
        }
    }

    /// Whether a nest was transformed.
    pub fn is_transformed(&self) -> bool {
        matches!(self, Verdict::Transformed(_))
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = match self {
            Verdict::Transformed(reasons) if reasons.is_empty() => "yes".to_string(),
            Verdict::Transformed(_) => "partly".to_string(),
            Verdict::NoGain => "no gain".to_string(),
            Verdict::NoOrder => "no order".to_string(),
            Verdict::NotFound(reasons) => reasons.join(", "),
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_an_entry() {
        let entry = "Missed\nPass:            tessera\nName:            Call\nDebugLoc:        { File: 'a.c', Line: 7, \
                     Column: 5 }\nFunction:        f\nArgs:\n  - String:          'loop nest left as\n      it''s'\n...\n";
        let remark = remark(entry).expect("a remark");
        assert_eq!((remark.line, remark.transformed), (7, false));
        assert_eq!((remark.name.as_str(), remark.message.as_str()), ("Call", "loop nest left as it's"));
        assert_eq!(Verdict::of(&[remark]), Verdict::NotFound(vec!["Call".to_string()]));
        assert!(super::remark(&entry.replace("tessera", "licm")).is_none());
    }
}
