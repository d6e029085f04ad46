//! Programs that end with a panic of a kernel of `tests/corpus`: the same message, the same exit status and the same output
//! before it with the plugin as without, whether panics unwind or abort.

use std::path::Path;
use tessera_tests::kernels::problem::folder;
use tessera_tests::kernels::root::rust_program;
use tessera_tests::kernels::{Form, problems};
use tessera_tests::plugin::Plugin;
use tessera_tests::process::{Failure, Run};

/// Kernels that panic in every form when their first array has only half of its elements.
const KERNELS: [&str; 3] = ["lu", "ludcmp", "trmm"];

const FORMS: [Form; 4] = [Form::Rust, Form::RustVecVec, Form::RustIter, Form::RustUnchecked];

const OPTIONS: &str = "unprofitable=true;min-work=0;tile=32";

#[test]
fn panics_unwind_at_the_same_moment() -> Result<(), Failure> {
    every_form("unwind", &["exit status: 101"])
}

#[test]
fn panics_abort_at_the_same_moment() -> Result<(), Failure> {
    // A signal, by the name that the shell or the kernel gives it.
    every_form("abort", &["exit status: 134", "signal: 6 (SIGABRT)", "signal: 6 (SIGABRT) (core dumped)"])
}

/// Builds and runs the programs; all must end with one of `statuses`.
fn every_form(strategy: &str, statuses: &[&str]) -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let place = tempfile::tempdir().map_err(|error| Failure::new("making a folder", error.to_string()))?;
    let problems = problems()?;
    for problem in problems.iter().filter(|problem| KERNELS.contains(&problem.name.as_str())) {
        for form in FORMS {
            let kernel = folder().join(form.folder()).join(&problem.name).with_extension("rs");
            let source = place.path().join("program.rs");
            std::fs::write(&source, rust_program(problem, form, &problem.all(40), 0, &kernel))
                .map_err(|error| Failure::new(source.display().to_string(), error.to_string()))?;
            let [plain, tessera] = [None, Some(&plugin)].map(|plugin| end(place.path(), &source, strategy, plugin));
            let what = format!("{} in a program, panic={strategy}", kernel.display());
            let ((plain, plain_code), (tessera, tessera_code)) = (plain?, tessera?);
            // The test is of nests that the plugin transforms: those with indices into slices.
            if form == Form::Rust && plain_code == tessera_code {
                return Err(Failure::new(what, "the plugin changes nothing"));
            }
            if plain != tessera {
                return Err(Failure::new(what, format!("plain ends with {plain:?}, Tessera with {tessera:?}")));
            }
            if !statuses.contains(&plain.0.as_str()) || plain.1 != "before\n" || !plain.2.starts_with("panicked at") {
                return Err(Failure::new(what, format!("it does not panic: {plain:?}")));
            }
        }
    }
    Ok(())
}

/// How a program ended: its exit status, its standard output, and its standard error from the panic on.
type End = (String, String, String);

/// How the program ends, and the bytes of its file.
fn end(place: &Path, source: &Path, strategy: &str, plugin: Option<&Plugin>) -> Result<(End, Vec<u8>), Failure> {
    let program = place.join("program");
    let mut rustc = Run::new("rustc").env("RUSTC_BOOTSTRAP", "1").env("TESSERA", OPTIONS);
    rustc = rustc.args(["--edition=2024", "-Copt-level=3", "-Ctarget-cpu=native", "-Ccodegen-units=1"]);
    rustc = rustc.arg(format!("-Cpanic={strategy}"));
    if let Some(plugin) = plugin {
        rustc = rustc.arg(format!("-Zllvm-plugins={}", plugin.path().display()));
    }
    rustc.arg(source).arg("-o").arg(&program).output()?;
    let code =
        std::fs::read(&program).map_err(|error| Failure::new(program.display().to_string(), error.to_string()))?;
    let outcome = Run::new(&program).env("RUST_BACKTRACE", "0").outcome()?;
    // Before that is the number of the process.
    let message = outcome.stderr.find("panicked at").map_or("", |at| &outcome.stderr[at..]);
    Ok(((outcome.status, String::from_utf8_lossy(&outcome.stdout).into_owned(), message.to_string()), code))
}
