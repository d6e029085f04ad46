//! What is transformed: the kernels of the corpus against their `// transformed:` comments, at the default options.
//!
//! A kernel counts as transformed when a block named `tessera.*` is in its optimised IR. C and C++ are checked through
//! clang, Rust through stable rustc.

use libtest_mimic::{Arguments, Trial};
use tessera_tests::corpus::{self, Expectation, Program, function_in_ir, has_tessera_blocks};
use tessera_tests::host::{Compilation, Product, Remarks};
use tessera_tests::plugin::Plugin;
use tessera_tests::process::Failure;

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
    let path = folder.path().join("program.ll");
    let remarks = Compilation::with(program.host(), &plugin, "").remarks(Remarks::All).compile(
        &program.source,
        Product::Ir,
        &path,
    )?;
    let ir = std::fs::read_to_string(&path).map_err(|error| failure(error.to_string()))?;
    let mut wrong = String::new();
    for kernel in &program.kernels {
        let Some(function) = function_in_ir(&ir, &kernel.name) else {
            wrong += &format!("{}: not in the IR\n", kernel.name);
            continue;
        };
        match (kernel.transformed, has_tessera_blocks(function)) {
            (Expectation::Yes, false) => wrong += &format!("{}: not transformed, but should be\n", kernel.name),
            (Expectation::No, true) => wrong += &format!("{}: transformed, but should not be\n", kernel.name),
            _ => {}
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(failure(format!("{wrong}--- remarks\n{remarks}"))) }
}
