//! The thirty kernels of `tests/corpus` in every form at small sizes: the same bits with the plugin as without.
//!
//! At these sizes the guards of the default options take the old loops, so the kernels are also built with every legal
//! nest transformed, in tiles of 32: no iteration, one, a tile less one, a tile, a tile and one.

use libtest_mimic::{Arguments, Trial};
use std::sync::{Arc, OnceLock};
use tessera_tests::kernels::build::{Compiler, Kernel, Workshop};
use tessera_tests::kernels::measure::run;
use tessera_tests::kernels::{Form, Problem, problems};
use tessera_tests::plugin::Plugin;
use tessera_tests::process::Failure;

const SIZES: [i64; 5] = [0, 1, 31, 32, 33];

/// The one size of kernels that know theirs: each size is one more compilation.
const CONSTANT: [i64; 1] = [33];

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
    let compilers = [Compiler::Plain, Compiler::Tessera(&plugin, OPTIONS)];
    if form == Form::Constant {
        return CONSTANT.iter().try_for_each(|&size| {
            let sizes = problem.all(size);
            compare(workshop, Kernel { problem, form, sizes: &sizes }, compilers, &CONSTANT)
        });
    }
    compare(workshop, Kernel { problem, form, sizes: &[] }, compilers, &SIZES)
}

fn compare(workshop: &Workshop, kernel: Kernel, compilers: [Compiler; 2], sizes: &[i64]) -> Result<(), Failure> {
    let [plain, tessera] = compilers;
    let (plain, tessera) = (workshop.program(kernel, plain)?, workshop.program(kernel, tessera)?);
    for &size in sizes {
        let sizes = kernel.problem.all(size);
        let (expected, actual) = (run(&plain, &sizes)?.hash, run(&tessera, &sizes)?.hash);
        if expected != actual {
            let what = format!("{} at size {size} with TESSERA='{OPTIONS}'", kernel.source().display());
            return Err(Failure::new(what, format!("plain gives `{expected}`, Tessera `{actual}`")));
        }
    }
    Ok(())
}
