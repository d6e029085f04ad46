//! The thirty kernels of `tests/corpus` in every form at small sizes: the same bits with the plugin as without.
//!
//! At these sizes the guards of the default options take the old loops, so the kernels are also built with every legal
//! nest transformed, in tiles of 32: no iteration, one, a tile less one, a tile, a tile and one. C kernels also get arrays
//! that overlap, and Rust kernels arrays that are too short, so that guards fail.

use libtest_mimic::{Arguments, Trial};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use tessera_tests::kernels::build::{Compiler, Kernel, Workshop};
use tessera_tests::kernels::measure::{Outcome, run};
use tessera_tests::kernels::{Form, Problem, problems};
use tessera_tests::plugin::Plugin;
use tessera_tests::process::Failure;

const SIZES: [i64; 5] = [0, 1, 31, 32, 33];

/// The one size of kernels that know theirs, where each size is one more compilation, and of guards that fail.
const CONSTANT: i64 = 33;

/// Arrays of which a kernel does not use the last element.
const NEVER_PANICS: [(&str, usize); 9] = [
    ("durbin", 1),
    ("adi", 0),
    ("adi", 1),
    ("adi", 2),
    ("adi", 3),
    ("heat_3d", 0),
    ("heat_3d", 1),
    ("jacobi_2d", 0),
    ("jacobi_2d", 1),
];

const OPTIONS: &str = "unprofitable=true;min-work=0;tile=32";

fn main() -> Result<std::process::ExitCode, Failure> {
    let arguments = Arguments::from_args();
    let workshop = Arc::new(OnceLock::new());
    let mut trials = Vec::new();
    for problem in problems()? {
        for form in Form::ALL {
            let (problem, workshop) = (problem.clone(), workshop.clone());
            let name = format!("{}::{}", form.name(), problem.name);
            trials.push(Trial::test(name, move || {
                let workshop = workshop.get_or_init(Workshop::open).as_ref().map_err(Clone::clone)?;
                same_bits(workshop, &problem, form).map_err(Into::into)
            }));
        }
    }
    Ok(libtest_mimic::run(&arguments, trials).exit_code())
}

fn same_bits(workshop: &Workshop, problem: &Problem, form: Form) -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let sizes = problem.all(CONSTANT);
    let pair = Pair::build(workshop, Kernel { problem, form, sizes: &sizes }, &plugin)?;
    for size in SIZES {
        if form != Form::Constant || size == CONSTANT {
            pair.compare(&[], size)?;
        }
    }
    match form {
        Form::Flat | Form::C99 => overlaps(&pair),
        Form::Rust => panics(&pair),
        Form::Constant | Form::Cpp => Ok(()),
    }
}

/// Arrays in the same memory, at the same place and one row apart: the guards on overlap must fail, or be right.
fn overlaps(pair: &Pair) -> Result<(), Failure> {
    let arrays = &pair.kernel.problem.arrays;
    for (over, first) in arrays.iter().enumerate() {
        for (under, second) in arrays.iter().enumerate() {
            if over != under && first.element == second.element && !(first.read_only && second.read_only) {
                let [over, under, row] = [over, under, CONSTANT as usize].map(|number| number.to_string());
                for offset in ["0", &row] {
                    pair.compare(&["--overlap", &over, &under, offset], CONSTANT)?;
                }
            }
        }
    }
    Ok(())
}

/// An array one element short: the same panic at the same moment, with the same stores before it.
fn panics(pair: &Pair) -> Result<(), Failure> {
    for array in 0..pair.kernel.problem.arrays.len() {
        let outcome = pair.compare(&["--short", &array.to_string()], CONSTANT)?;
        let panicked = outcome.hash.ends_with("panicked") && outcome.messages.contains("index out of bounds");
        // The other way round, too: the list says exactly which arrays these are.
        if panicked == NEVER_PANICS.contains(&(pair.kernel.problem.name.as_str(), array)) {
            let what = format!("{} with array {array} short", pair.kernel.source().display());
            return Err(Failure::new(
                what,
                format!("it panics: {panicked}; `{}` `{}`", outcome.hash, outcome.messages),
            ));
        }
    }
    Ok(())
}

/// The programs of a kernel without and with the plugin.
struct Pair<'a> {
    kernel: Kernel<'a>,
    plain: PathBuf,
    tessera: PathBuf,
}

impl<'a> Pair<'a> {
    fn build(workshop: &Workshop, kernel: Kernel<'a>, plugin: &Plugin) -> Result<Self, Failure> {
        let plain = workshop.program(kernel, Compiler::Plain)?;
        let tessera = workshop.program(kernel, Compiler::Tessera(plugin, OPTIONS))?;
        Ok(Pair { kernel, plain, tessera })
    }

    /// Runs both; the hashes and the messages must agree.
    fn compare(&self, options: &[&str], size: i64) -> Result<Outcome, Failure> {
        let sizes = self.kernel.problem.all(size);
        let (expected, actual) = (run(&self.plain, options, &sizes)?, run(&self.tessera, options, &sizes)?);
        if (&expected.hash, &expected.messages) == (&actual.hash, &actual.messages) {
            return Ok(expected);
        }
        let what = format!("{} {options:?} at size {size} with TESSERA='{OPTIONS}'", self.kernel.source().display());
        let text = |outcome: &Outcome| format!("`{}` `{}`", outcome.hash, outcome.messages);
        Err(Failure::new(what, format!("plain gives {}, Tessera {}", text(&expected), text(&actual))))
    }
}
