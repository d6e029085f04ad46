//! Some programs of the corpus in every mode of compilation; `scripts/modes` takes all.

use libtest_mimic::{Arguments, Trial};
use tessera_tests::modes::{MODES, check, subjects};
use tessera_tests::plugin::Plugin;
use tessera_tests::process::Failure;

/// What is built in every mode: variables out of scope.
const ALWAYS: &str = "lifetimes";

/// One of these besides, but threads where there are some.
const IN_TURN: [&str; 7] = ["pragmas", "contradictions", "globals", "matmul_types", "scalars", "stencil", "copies"];

fn main() -> Result<std::process::ExitCode, Failure> {
    let arguments = Arguments::from_args();
    let all = subjects()?;
    let mut trials = Vec::new();
    for (turn, mode) in MODES.into_iter().enumerate() {
        let other = if mode.name == "openmp" { "openmp" } else { IN_TURN[turn % IN_TURN.len()] };
        for name in [ALWAYS, other] {
            let subject = all.iter().find(|subject| subject.name == name).cloned();
            trials.push(Trial::test(format!("{}::{name}", mode.name), move || {
                let subject = subject.ok_or_else(|| Failure::new(name, "no such program"))?;
                check(mode, &subject, &Plugin::locate()?).map_err(Into::into)
            }));
        }
    }
    Ok(libtest_mimic::run(&arguments, trials).exit_code())
}
