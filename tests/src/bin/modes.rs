//! `scripts/modes [MODE...]`: all programs of `tests/programs` in C and C++, and the kernels of `tests/corpus` in C, built in every mode
//! (or in these) with the plugin and without.

use std::process::ExitCode;
use tessera_tests::kernels::build::Workshop;
use tessera_tests::kernels::{Form, problems};
use tessera_tests::modes::{MODES, Subject, check, subjects};
use tessera_tests::plugin::Plugin;
use tessera_tests::process::Failure;

/// The kernels' sizes begin here: a little more than a tile of the default options' smallest.
const SIZE: i64 = 40;

fn main() -> Result<ExitCode, Failure> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if let Some(name) = wanted.iter().find(|name| MODES.iter().all(|mode| mode.name != **name)) {
        let names: Vec<&str> = MODES.iter().map(|mode| mode.name).collect();
        return Err(Failure::new(name, format!("there are the modes {}", names.join(", "))));
    }
    let (plugin, workshop) = (Plugin::locate()?, Workshop::open()?);
    let mut all = subjects()?;
    for problem in problems()? {
        for form in [Form::Flat, Form::C99, Form::Constant] {
            all.push(Subject::kernel(&workshop, &problem, form, SIZE)?);
        }
    }
    let mut failed = 0;
    for mode in MODES.into_iter().filter(|mode| wanted.is_empty() || wanted.iter().any(|name| name == mode.name)) {
        let before = failed;
        for subject in &all {
            if let Err(failure) = check(mode, subject, &plugin) {
                failed += 1;
                println!("FAILED: {failure}");
            }
        }
        println!("{}: {} programs, {} failed", mode.name, all.len(), failed - before);
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
