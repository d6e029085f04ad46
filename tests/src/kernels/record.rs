//! What the plugin says about a kernel: optimisation records, summed up.

use super::Language;
use super::build::{Compiler, Kernel, Workshop, run_of};
use crate::plugin::Plugin;
use crate::process::Failure;
use crate::record::{self, Remark};

/// Compiles a kernel with line tables and gives the remarks about it, sorted by line.
pub fn remarks(workshop: &Workshop, kernel: Kernel, plugin: &Plugin) -> Result<Vec<Remark>, Failure> {
    let folder = tempfile::tempdir().map_err(|error| Failure::new("making a folder", error.to_string()))?;
    let mut words = workshop.command(kernel, Compiler::Tessera(plugin, ""), &workshop.file("recorded.o"))?;
    if kernel.form.language() == Language::Rust {
        words.extend(["-Cremark=tessera".into(), "-Cdebuginfo=line-tables-only".into()]);
        words.push(format!("-Zremark-dir={}", folder.path().display()));
    } else {
        words.extend(["-gline-tables-only", "-fsave-optimization-record=yaml"].map(String::from));
        words.push("-foptimization-record-passes=tessera".to_string());
        words.push(format!("-foptimization-record-file={}", folder.path().join("record.yaml").display()));
    }
    run_of(&words).output()?;
    let failure = |error: std::io::Error| Failure::new(folder.path().display().to_string(), error.to_string());
    let mut remarks = Vec::new();
    for entry in std::fs::read_dir(folder.path()).map_err(failure)? {
        let text = std::fs::read_to_string(entry.map_err(failure)?.path()).map_err(failure)?;
        remarks.extend(record::remarks(&text));
    }
    remarks.sort();
    Ok(remarks)
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
    fn sums_up() {
        let remark = |name: &str, transformed| Remark {
            line: 7,
            transformed,
            name: name.to_string(),
            function: "f".to_string(),
            message: String::new(),
        };
        assert_eq!(Verdict::of(&[remark("Call", false)]), Verdict::NotFound(vec!["Call".to_string()]));
        assert_eq!(Verdict::of(&[remark("Unprofitable", false)]), Verdict::NoGain);
        assert!(Verdict::of(&[remark("LoopTransformed", true), remark("Unprofitable", false)]).is_found());
    }
}
