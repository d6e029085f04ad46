//! The ways in which users compile besides a plain -O3: levels, debug information, profiles, coverage, link-time optimisation, threads
//! and sanitizers. A program built in a mode with the plugin does what it does when it is built in that mode without.
//!
//! Compared are the end of the program, what it prints, and how often a sanitizer complains; for profiles also the program that is
//! built with the profile of the first. Every complaint of a sanitizer about generated code shows as one more than before.

use crate::corpus::{Program, programs};
use crate::host::Language;
use crate::kernels::build::{Kernel, Workshop};
use crate::kernels::{Form, Problem};
use crate::plugin::Plugin;
use crate::process::{Failure, Outcome, Run, difference};
use std::path::{Path, PathBuf};

/// How the program comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// By the compiler alone.
    Plain,
    /// The linker loads the plugin, too.
    Link,
    /// Once with `-fprofile-generate`, then again with what the first program has counted.
    Profile,
}

/// One way of compiling.
#[derive(Clone, Copy, Debug)]
pub struct Mode {
    /// The name in lists.
    pub name: &'static str,
    flags: &'static [&'static str],
    way: Way,
}

const fn mode(name: &'static str, flags: &'static [&'static str], way: Way) -> Mode {
    Mode { name, flags, way }
}

/// All modes.
pub const MODES: [Mode; 19] = [
    mode("O1", &["-O1"], Way::Plain),
    mode("O2", &["-O2"], Way::Plain),
    mode("Os", &["-Os"], Way::Plain),
    mode("Oz", &["-Oz"], Way::Plain),
    mode("debug", &["-O3", "-g"], Way::Plain),
    mode("wrap", &["-O3", "-fwrapv", "-fno-strict-aliasing", "-fno-delete-null-pointer-checks"], Way::Plain),
    mode("trap", &["-O3", "-ftrapv", "-fstack-protector-all", "-fcf-protection"], Way::Plain),
    mode("instrumented", &["-O3", "-finstrument-functions"], Way::Plain),
    mode("profile", &["-O3"], Way::Profile),
    mode("coverage", &["-O3", "-fprofile-instr-generate", "-fcoverage-mapping"], Way::Plain),
    mode("gcov", &["-O3", "--coverage"], Way::Plain),
    mode("thin", &["-O3", "-flto=thin", "-fuse-ld=lld"], Way::Link),
    mode("full", &["-O3", "-flto", "-fuse-ld=lld"], Way::Link),
    mode("openmp", &["-O3", "-fopenmp"], Way::Plain),
    mode("address", &["-O3", "-g1", "-fsanitize=address", "-fsanitize-address-use-after-scope"], Way::Plain),
    mode("address-O1", &["-O1", "-g1", "-fsanitize=address", "-fsanitize-address-use-after-scope"], Way::Plain),
    mode("undefined", &["-O3", "-g1", "-fsanitize=undefined"], Way::Plain),
    mode("memory", &["-O3", "-g1", "-fsanitize=memory"], Way::Plain),
    mode("thread", &["-O3", "-g1", "-fsanitize=thread"], Way::Plain),
];

/// What sanitizers write when something is wrong.
const COMPLAINTS: [&str; 4] =
    ["runtime error:", "ERROR: AddressSanitizer", "WARNING: MemorySanitizer", "WARNING: ThreadSanitizer"];

/// Every legal nest gets new code that runs.
const OPTIONS: &str = "unprofitable=true;min-work=0";

/// Sources that make one program, with flags of their own and the arguments it is run with.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The name in messages.
    pub name: String,
    sources: Vec<PathBuf>,
    flags: Vec<String>,
    arguments: Vec<String>,
    is_cpp: bool,
}

impl Subject {
    fn of(program: &Program) -> Subject {
        let is_cpp = program.language == Language::Cpp;
        let flags = vec![if is_cpp { "-std=gnu++20" } else { "-std=gnu17" }.to_string()];
        Subject {
            name: program.name.clone(),
            sources: vec![program.source.clone()],
            flags,
            arguments: Vec::new(),
            is_cpp,
        }
    }

    /// A kernel of `tests/corpus` at sizes around `size`, all of its program built in the mode.
    pub fn kernel(workshop: &Workshop, problem: &Problem, form: Form, size: i64) -> Result<Subject, Failure> {
        let sizes: Vec<i64> = (size..).take(problem.sizes.len()).collect();
        let kernel = Kernel { problem, form, sizes: &sizes };
        let mut flags = vec![format!("-I{}", workshop.driver("").display())];
        if form == Form::Constant {
            flags.push("-DCONSTANT".to_string());
            flags.extend(problem.sizes.iter().zip(&sizes).map(|((name, _), size)| format!("-D{name}={size}")));
        }
        Ok(Subject {
            name: format!("{}-{}", problem.name, form.name()),
            sources: vec![workshop.driver("driver.c"), workshop.glue(kernel)?, kernel.source()],
            flags,
            arguments: sizes.iter().map(i64::to_string).collect(),
            is_cpp: false,
        })
    }
}

/// The programs of `tests/programs` in C and C++.
pub fn subjects() -> Result<Vec<Subject>, Failure> {
    Ok(programs()?.iter().filter(|program| program.language != Language::Rust).map(Subject::of).collect())
}

/// Builds a program in a mode with the plugin and without, runs both, and says how they differ.
pub fn check(mode: Mode, subject: &Subject, plugin: &Plugin) -> Result<(), Failure> {
    let what = format!("{} in mode {} ({})", subject.name, mode.name, mode.flags.join(" "));
    let failure = |reason: String| Failure::new(&what, reason);
    let folder = tempfile::tempdir().map_err(|error| failure(error.to_string()))?;
    let expected = outcomes(mode, subject, None, folder.path())?;
    let actual = outcomes(mode, subject, Some(plugin), folder.path())?;
    for (plain, tessera) in expected.iter().zip(&actual) {
        if let Some(text) = difference(&plain.stdout, &tessera.stdout) {
            return Err(failure(text));
        }
        if plain.status != tessera.status {
            return Err(failure(format!("{}, then {}: {}", plain.status, tessera.status, tessera.stderr)));
        }
        let (before, after) = (complaints(plain), complaints(tessera));
        // What is undefined in a program may be complained about once, or not, depending on the order of its loops.
        if before == 0 && after > 0 {
            return Err(failure(format!("{after} complaints of the sanitizer: {}", tessera.stderr)));
        }
    }
    Ok(())
}

fn complaints(outcome: &Outcome) -> usize {
    outcome.stderr.lines().filter(|line| COMPLAINTS.iter().any(|complaint| line.contains(complaint))).count()
}

/// How the programs of a mode end.
fn outcomes(mode: Mode, subject: &Subject, plugin: Option<&Plugin>, folder: &Path) -> Result<Vec<Outcome>, Failure> {
    let program = folder.join("program");
    if mode.way != Way::Profile {
        build(mode, subject, plugin, &[], &program)?;
        return Ok(vec![run(subject, &program, folder)?]);
    }
    let (raw, profile) = (folder.join("default.profraw"), folder.join("default.profdata"));
    build(mode, subject, plugin, &["-fprofile-generate"], &program)?;
    let counting = run(subject, &program, folder)?;
    Run::new("llvm-profdata-22").arg("merge").arg(&raw).arg("-o").arg(&profile).output()?;
    let using = format!("-fprofile-use={}", profile.display());
    build(mode, subject, plugin, &[&using], &program)?;
    Ok(vec![counting, run(subject, &program, folder)?])
}

fn build(mode: Mode, subject: &Subject, plugin: Option<&Plugin>, more: &[&str], to: &Path) -> Result<(), Failure> {
    let mut compiler = Run::new(if subject.is_cpp { "clang++-22" } else { "clang-22" });
    compiler = compiler.args(["-march=native", "-w"]).args(mode.flags).args(more).args(&subject.flags);
    if let Some(plugin) = plugin {
        compiler = compiler.env("TESSERA", OPTIONS).arg(format!("-fpass-plugin={}", plugin.path().display()));
        if mode.way == Way::Link {
            compiler = compiler.arg(format!("-Wl,--load-pass-plugin={}", plugin.path().display()));
        }
    }
    compiler.args(&subject.sources).arg("-o").arg(to).arg("-lm").output().map(|_| ())
}

fn run(subject: &Subject, program: &Path, folder: &Path) -> Result<Outcome, Failure> {
    let profile = folder.join("default.profraw");
    let run = Run::new(program).args(&subject.arguments).env("OMP_NUM_THREADS", "3");
    run.env("LLVM_PROFILE_FILE", &profile.display().to_string())
        .env("GCOV_PREFIX", &folder.display().to_string())
        .env("ASAN_OPTIONS", "detect_stack_use_after_return=1")
        .outcome()
}
