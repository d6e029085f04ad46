//! Programs of csmith (Yang, Chen, Eide and Regehr, 2011) as a second source: random C with few loop nests and much of
//! everything else.

use super::{Kind, option_sets};
use crate::host::{Compilation, Host, Product};
use crate::plugin::Plugin;
use crate::process::{Failure, Outcome, Run, difference};

/// Seconds after which a program counts as endless.
const SECONDS: &str = "5";

/// What became of one program.
#[derive(Debug)]
pub enum Verdict {
    /// The same output under all option sets.
    Same,
    /// The plain build does not end in time.
    Endless,
    /// Something differs.
    Different(Failure),
}

/// The program of a seed.
pub fn program(seed: u64) -> Result<String, Failure> {
    let seed = seed.to_string();
    // Arrays and counted loops, no bit-fields and no volatile data, which end most of what Tessera can look at.
    let run = Run::new("csmith").args(["--seed", &seed, "--no-bitfields", "--no-volatiles", "--no-packed-struct"]);
    let run = run.args(["--max-array-dim", "3", "--max-array-len-per-dim", "12", "--max-pointer-depth", "2"]);
    let output = run.output().map_err(|failure| {
        Failure::new(
            "csmith",
            format!("{failure}\nIt is the Debian package csmith: apt-get install csmith libcsmith-dev"),
        )
    })?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Compiles and runs the program of a seed plain and under the option sets of the seed.
pub fn check(seed: u64, plugin: &Plugin) -> Result<Verdict, Failure> {
    let failure = |reason: String| Failure::new(format!("csmith --seed {seed}"), reason);
    let folder = tempfile::tempdir().map_err(|error| failure(error.to_string()))?;
    let (source, executable) = (folder.path().join("program.c"), folder.path().join("program"));
    std::fs::write(&source, program(seed)?).map_err(|error| failure(error.to_string()))?;
    let run = |build: Compilation| -> Result<Option<Outcome>, Failure> {
        build.flags(&["-w", "-fuse-ld=lld", "-I/usr/include/csmith"]).compile(
            &source,
            Product::Executable,
            &executable,
        )?;
        let outcome = Run::new("timeout").args(["--signal=KILL", SECONDS]).arg(&executable).outcome()?;
        Ok((!outcome.status.contains("137") && !outcome.status.contains("signal: 9")).then_some(outcome))
    };
    let Some(plain) = run(Compilation::plain(Host::Clang))? else { return Ok(Verdict::Endless) };
    for options in option_sets(Kind::Any, seed) {
        let different = match run(Compilation::with(Host::Clang, plugin, &options)) {
            Err(failure) => Some(failure.to_string()),
            Ok(None) => Some("the program does not end".to_string()),
            Ok(Some(actual)) if actual.status != plain.status => {
                Some(format!("{}, then {}", plain.status, actual.status))
            }
            Ok(Some(actual)) => difference(&plain.stdout, &actual.stdout),
        };
        if let Some(text) = different {
            return Ok(Verdict::Different(failure(format!("with TESSERA='{options}' {text}"))));
        }
    }
    Ok(Verdict::Same)
}
