//! The thirty kernels of `tests/corpus` in every form at small sizes: the same bits with the plugin as without, and without
//! it the same as the flat form in C.
//!
//! At these sizes the guards of the default options take the old loops, so the kernels are also built with every legal
//! nest transformed, in tiles of 32: no iteration, one, a tile less one, a tile, a tile and one, and more, different in
//! every dimension. Kernels that take pointers or views also get arrays that overlap, and Rust kernels arrays that are too
//! short, so that guards fail.

use libtest_mimic::{Arguments, Trial};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use tessera_tests::kernels::build::{Compiler, Kernel, Workshop};
use tessera_tests::kernels::measure::{Outcome, run};
use tessera_tests::kernels::{Form, Language, Problem, problems};
use tessera_tests::plugin::Plugin;
use tessera_tests::process::Failure;

/// All sizes of a kernel are the same one of these.
const SIZES: [i64; 5] = [0, 1, 31, 32, 33];

/// The first size where guards fail, and of kernels that know theirs; the other sizes are larger, each by one. Those kernels
/// are also compiled for a tile less one and more, and for 1: every time one more compilation.
const SMALL: i64 = 33;

/// The first of the large sizes, which are different for every dimension.
const LARGE: i64 = 70;

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

const OPTIONS: &str = "unprofitable=true;min-work=0;tile=32;trace";

/// Where a check fails although arrays lie apart and are long enough: an array that one loop takes as a single row, and two whose guards ask for
/// more than holds.
const OLD_LOOPS: [(Form, &str); 3] =
    [(Form::RustIter, "fdtd_2d"), (Form::RustIter, "gramschmidt"), (Form::RustUnchecked, "nussinov")];

/// What the programs say about the code that they run starts like this.
const TRACE: &str = "tessera: ";

/// The programs of the flat form of a kernel without the plugin, with and without fused multiply-add.
type References = Arc<OnceLock<Result<[PathBuf; 2], Failure>>>;

fn main() -> Result<std::process::ExitCode, Failure> {
    let arguments = Arguments::from_args();
    let workshop = Arc::new(OnceLock::new());
    let mut trials = Vec::new();
    for problem in problems()? {
        let references = References::default();
        for form in Form::ALL {
            let (problem, workshop, references) = (problem.clone(), workshop.clone(), references.clone());
            let name = format!("{}::{}", form.name(), problem.name);
            trials.push(Trial::test(name, move || {
                let workshop = workshop.get_or_init(Workshop::open).as_ref().map_err(Clone::clone)?;
                same_bits(workshop, &problem, form, &references).map_err(Into::into)
            }));
        }
    }
    Ok(libtest_mimic::run(&arguments, trials).exit_code())
}

/// Different sizes from `first` on: a row length that is taken for another one shows.
fn different(problem: &Problem, first: i64) -> Vec<i64> {
    (first..).take(problem.sizes.len()).collect()
}

fn same_bits(workshop: &Workshop, problem: &Problem, form: Form, references: &References) -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let sizes = different(problem, SMALL);
    let pair = Pair::build(workshop, Kernel { problem, form, sizes: &sizes }, &plugin)?;
    let (compared, outcome) = if form.is_constant() {
        for sizes in [problem.all(1), different(problem, SMALL - 2)] {
            Pair::build(workshop, Kernel { problem, form, sizes: &sizes }, &plugin)?.compare(&[], &sizes)?;
        }
        (sizes.clone(), pair.compare(&[], &sizes)?)
    } else {
        for size in SIZES {
            pair.compare(&[], &problem.all(size))?;
        }
        let large = different(problem, LARGE);
        (large.clone(), pair.compare(&[], &large)?)
    };
    let (outcome, trace) = outcome;
    new_code_runs(&pair, &trace)?;
    let reference = references.get_or_init(|| {
        let flat = Kernel { problem, form: Form::Flat, sizes: &sizes };
        let program = |fused| workshop.program(flat, Compiler::Reference { fused });
        Ok([program(true)?, program(false)?])
    });
    let reference = &reference.as_ref().map_err(Clone::clone)?[usize::from(form.language() == Language::Rust)];
    let expected = run(reference, &[], &compared)?.hash;
    if outcome.hash != expected {
        let what = format!("{} without the plugin at sizes {compared:?}", pair.kernel.source().display());
        return Err(Failure::new(what, format!("it gives `{}`, the flat form `{expected}`", outcome.hash)));
    }
    match form {
        Form::Flat | Form::C99 | Form::Constant | Form::Mdspan => overlaps(&pair),
        Form::Rust | Form::RustVecVec | Form::RustIter | Form::RustUnchecked => panics(&pair),
        // Vectors do not overlap, and arrays have the length of their type.
        Form::Cpp | Form::VecVec | Form::RustFixed => Ok(()),
    }
}

/// With arrays that lie apart and are long enough no check fails.
fn new_code_runs(pair: &Pair, trace: &str) -> Result<(), Failure> {
    let Kernel { problem, form, .. } = pair.kernel;
    let failed = trace.lines().find(|line| line.contains(": old loops: "));
    // The other way round, too: the list says exactly which kernels these are.
    match (failed, OLD_LOOPS.contains(&(form, problem.name.as_str()))) {
        (None, false) | (Some(_), true) => Ok(()),
        (Some(line), false) => Err(Failure::new(pair.kernel.source().display().to_string(), line)),
        (None, true) => Err(Failure::new(pair.kernel.source().display().to_string(), "no check failed")),
    }
}

/// Arrays in the same memory, at the same place and one row apart: the guards on overlap must fail, or be right.
fn overlaps(pair: &Pair) -> Result<(), Failure> {
    let Kernel { problem, sizes, .. } = pair.kernel;
    for (over, first) in problem.arrays.iter().enumerate() {
        for (under, second) in problem.arrays.iter().enumerate() {
            if over != under && first.element == second.element && !(first.read_only && second.read_only) {
                let row = first.extents.last().map_or(0, |&extent| sizes[extent]);
                for offset in [0, row] {
                    let numbers = [over.to_string(), under.to_string(), offset.to_string()];
                    pair.compare(&["--overlap", &numbers[0], &numbers[1], &numbers[2]], sizes)?;
                }
            }
        }
    }
    Ok(())
}

/// An array one element short, or with half of its elements: the same panic at the same moment, with the same stores before
/// it.
fn panics(pair: &Pair) -> Result<(), Failure> {
    let Kernel { problem, sizes, form } = pair.kernel;
    for (at, array) in problem.arrays.iter().enumerate() {
        let length: i64 = array.extents.iter().map(|&extent| sizes[extent]).product();
        for missing in [1, length / 2] {
            let (outcome, _) = pair.compare(&["--short", &at.to_string(), &missing.to_string()], sizes)?;
            let panicked = |message| outcome.hash.ends_with("panicked") && outcome.messages.contains(message);
            let never = missing == 1 && NEVER_PANICS.contains(&(problem.name.as_str(), at));
            // The other way round, too: the list says exactly which arrays these are.
            let right = match form {
                Form::RustUnchecked => panicked("assertion failed"),
                // An iterator ends where the slice ends.
                Form::RustIter => true,
                _ => panicked("index out of bounds") != never,
            };
            if !right {
                let what = format!("{} with array {at} short by {missing}", pair.kernel.source().display());
                return Err(Failure::new(what, format!("it gives `{}` `{}`", outcome.hash, outcome.messages)));
            }
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

    /// Runs both; the hashes and the messages must agree. Gives what the plain program did and what the other one says about its code.
    fn compare(&self, options: &[&str], sizes: &[i64]) -> Result<(Outcome, String), Failure> {
        let (expected, actual) = (run(&self.plain, options, sizes)?, run(&self.tessera, options, sizes)?);
        let (trace, messages): (Vec<&str>, Vec<&str>) =
            actual.messages.split_inclusive('\n').partition(|line| line.starts_with(TRACE));
        let trace = trace.concat();
        let actual = Outcome { messages: messages.concat(), ..actual };
        if (&expected.hash, &expected.messages) == (&actual.hash, &actual.messages) {
            return Ok((expected, trace));
        }
        let what =
            format!("{} {options:?} at sizes {sizes:?} with TESSERA='{OPTIONS}'", self.kernel.source().display());
        let text = |outcome: &Outcome| format!("`{}` `{}`", outcome.hash, outcome.messages);
        Err(Failure::new(what, format!("plain gives {}, Tessera {}", text(&expected), text(&actual))))
    }
}
