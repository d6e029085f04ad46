//! New code that is built also runs: every kernel that is transformed executes its new code for some of the arguments of its
//! program, as far as the program says itself (option `trace`). A guard that never lets it run would go unnoticed otherwise.

use libtest_mimic::{Arguments, Trial};
use tessera_tests::corpus::{self, Expectation, Program};
use tessera_tests::host::{Compilation, Product};
use tessera_tests::plugin::Plugin;
use tessera_tests::process::{Failure, Run};

const OPTIONS: &str = "trace;min-work=0;unprofitable";

fn main() -> Result<std::process::ExitCode, Failure> {
    let arguments = Arguments::from_args();
    let trials = corpus::programs()?.into_iter().map(|program| {
        let name = format!("{}::{}", program.host().name(), program.name);
        Trial::test(name, move || check(&program).map_err(Into::into))
    });
    Ok(libtest_mimic::run(&arguments, trials.collect()).exit_code())
}

fn check(program: &Program) -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let failure = |reason: String| Failure::new(program.source.display().to_string(), reason);
    let folder = tempfile::tempdir().map_err(|error| failure(error.to_string()))?;
    let executable = folder.path().join("program");
    Compilation::with(program.host(), &plugin, OPTIONS).compile(&program.source, Product::Executable, &executable)?;
    let said = Run::new(&executable).output()?.stderr;
    let never: Vec<String> = program
        .kernels
        .iter()
        .filter(|kernel| kernel.transformed == Expectation::Yes)
        .filter(|kernel| !said.lines().any(|line| line.ends_with(&format!("in {}: new code", kernel.name))))
        .map(|kernel| {
            let why = said.lines().filter(|line| line.contains(&format!("in {}: ", kernel.name)));
            let why: std::collections::BTreeSet<&str> = why.collect();
            format!("{} never runs its new code: {why:#?}\n", kernel.name)
        })
        .collect();
    if never.is_empty() { Ok(()) } else { Err(failure(never.concat())) }
}
