//! Running cases against their plain build, many of them as one program.

use super::options::{Machine, block, is_for_device, machine};
use super::passes::Pipeline;
use super::tree::Case;
use super::{BackEnd, c, rust};
use crate::broken::{Breaker, Verdicts};
use crate::emulated::{Told, emulated};
use crate::host::{Compilation, Host, Product, Remarks};
use crate::plugin::Plugin;
use crate::process::{Failure, Outcome, Run, difference};
use crate::ptx::{Assembler, texts_in};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use tempfile::TempDir;

/// How blocks of C are compiled with the plugin, in turn: what reaches it differs, and what is made of its code.
const C_LEVELS: [&[&str]; 8] = [
    &["-O3"],
    &["-O1"],
    &["-O2", "-fno-vectorize", "-fno-slp-vectorize"],
    &["-Os", "-g"],
    &["-O2", "-fwrapv", "-fno-strict-aliasing"],
    &["-O3", "-fsanitize=signed-integer-overflow,shift,alignment,null", "-fsanitize-trap=all"],
    &["-Oz"],
    // The widest vectors that there are here. Nothing is fused, as by the judges.
    &["-O3", "-march=native", "-mprefer-vector-width=512", "-ffp-contract=off"],
];

/// The same for Rust.
const RUST_LEVELS: [&[&str]; 3] =
    [&["-Copt-level=3"], &["-Copt-level=2"], &["-Copt-level=3", "-Cno-vectorize-loops", "-Cno-vectorize-slp"]];

/// How a block is compiled.
#[derive(Clone, Debug)]
enum Level {
    /// By a compiler with these flags.
    Flags(&'static [&'static str]),
    /// By random passes.
    Passes(Pipeline),
}

impl Level {
    /// The one of a block: of three blocks of C, one goes through random passes, but for those that a sanitizer looks at.
    fn of(block: u64, back_end: BackEnd, machine: Machine) -> Level {
        let turn =
            |levels: &[&'static [&'static str]], at: u64| Level::Flags(levels[(at % levels.len() as u64) as usize]);
        match back_end {
            BackEnd::C if block % 3 == 2 && machine != Machine::Undefined => Level::Passes(Pipeline::of(block)),
            // Not in step with the options and tile sizes.
            BackEnd::C => turn(&C_LEVELS, block / 3 * 2 + block % 3 + block / 22),
            BackEnd::Rust => turn(&RUST_LEVELS, block),
        }
    }

    /// The quick judge of a block that is compiled so.
    fn quick(&self, back_end: BackEnd) -> Level {
        match self {
            Level::Flags(_) => Level::Flags(QUICK[back_end as usize]),
            Level::Passes(_) => Level::Flags(QUICK_PASSES),
        }
    }
}

/// How the plain build is compiled.
#[derive(Clone, Copy, Debug)]
enum Judge {
    /// As quickly as possible: no level of optimisation may change a bit.
    Quick,
    /// At the level of the build with the plugin: the last word, as the plain compiler's own levels do disagree now and then.
    SameLevel,
}

/// The flags of the quick judge. Rust's loops are made of so many small functions that it is quickest where none of them is optimised;
/// checks that only programs for debugging have are not among what is compared.
const QUICK: [&[&str]; 2] = [&["-O1"], &["-Copt-level=0", "-Cdebug-assertions=off"]];

/// The flags of programs whose kernels are broken.
const FOR_BREAKING: [&[&str]; 2] = [&["-O1"], &["-Copt-level=1"]];

/// Those for a program that goes through random passes: these are for any processor with 64 bits, which has no instruction that multiplies
/// and adds with one rounding.
const QUICK_PASSES: &[&str] = &["-O1", "-march=x86-64"];

/// The most bytes of memory for LLVM's passes in a random order: some orders double the code again and again.
const MEMORY: u64 = 6 << 30;

/// Seconds that a program of cases may run; it ends within one if it is right.
const TIME_LIMIT: u32 = 60;

/// The same where its nests run in the emulator. Some launch a million threads again and again, most of which have nothing to do.
const EMULATED_LIMIT: u32 = 900;

/// Tells the harness in C that a device reads all of an array between the first and the last byte that a kernel touches.
pub const WHOLE: &str = "FUZZ_WHOLE";

/// Makes the harness in C give what new code takes, and what it says of that at the end.
const WRAPPED: &str = "-Wl,--wrap=malloc,--wrap=free";
const PIECES: &str = "memory for kernels: ";

/// What clang is to warn about, and what it says then: new code takes at most 1 KiB of a frame, and what it keeps in registers. (Where the memory
/// sanitizer has a shadow for each value, that is more than twice as much.)
const FRAME_FLAG: &str = "-Wframe-larger-than=6000";
const SANITIZED_FRAME_FLAG: &str = "-Wframe-larger-than=16000";
const FRAME_WARNING: &str = "stack frame size";

/// Compiles and runs cases of one back end. The harness is compiled once.
#[derive(Debug)]
pub struct Runner<'p> {
    plugin: &'p Plugin,
    back_end: BackEnd,
    folder: TempDir,
    assembler: Option<Assembler>,
    counts: Counts,
}

/// What is counted while programs run.
#[derive(Debug, Default)]
struct Counts {
    transformed: AtomicU64,
    unjudged: AtomicU64,
    kernels: AtomicU64,
    in_parts: AtomicU64,
    only_back: AtomicU64,
    on_device: AtomicU64,
    sessions: AtomicU64,
    by_rows: AtomicU64,
    forked: AtomicU64,
    unreadable: AtomicU64,
    assembled: AtomicU64,
    pieces: AtomicU64,
    refused: AtomicU64,
}

/// What became of nests in programs that were compiled for a device, too, and ran in the emulator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OnDevice {
    /// Nests with code for a device.
    pub compiled: u64,
    /// Those with reductions in parts.
    pub in_parts: u64,
    /// Those with arrays that are only copied back.
    pub only_back: u64,
    /// Nests that ran there, over all programs.
    pub ran: u64,
    /// How often.
    pub sessions: u64,
    /// How often with an array copied by rows.
    pub by_rows: u64,
    /// How often a nest did not because its process was a fork of the one with the device.
    pub forked: u64,
    /// How often a nest did not because a part of an array that the program does not touch could not be read.
    pub unreadable: u64,
    /// The PTX texts that NVIDIA's assembler took for all generations, where it was asked.
    pub assembled: u64,
}

/// Cases whose results differ, or that cannot be compiled, under an option set: one, or more if none fails alone.
#[derive(Debug)]
pub struct Failed {
    /// The cases.
    pub cases: Vec<Case>,
    /// The value of `TESSERA`.
    pub options: String,
    /// What is wrong.
    pub failure: Failure,
}

fn failure(reason: impl Into<String>) -> Failure {
    Failure::new("random loop nests", reason)
}

impl<'p> Runner<'p> {
    /// A runner with its harness.
    pub fn new(plugin: &'p Plugin, back_end: BackEnd) -> Result<Self, Failure> {
        let folder = tempfile::tempdir().map_err(|error| failure(error.to_string()))?;
        let assembler = None;
        let runner = Runner { plugin, back_end, folder, assembler, counts: Counts::default() };
        let path = |name: &str| runner.folder.path().join(name);
        let (source, text) = match back_end {
            BackEnd::C => (path("harness.c"), c::HARNESS),
            BackEnd::Rust => (path("harness.rs"), rust::HARNESS),
        };
        std::fs::write(&source, text).map_err(|error| failure(error.to_string()))?;
        match back_end {
            BackEnd::C => {
                for machine in [Machine::Here, Machine::I386, Machine::Undefined] {
                    let to = runner.harness(machine);
                    let run = Run::new("clang-22").args(["-O2", "-DPLAIN=", "-c"]).args(flags(machine));
                    run.arg(&source).arg("-o").arg(to).output()?;
                }
            }
            BackEnd::Rust => {
                Run::new("rustc")
                    .args(["--edition=2024", "-Copt-level=3", "--crate-type=rlib", "--crate-name=harness"])
                    .arg(source)
                    .arg("-o")
                    .arg(runner.harness(Machine::Here))
                    .output()?;
            }
        }
        Ok(runner)
    }

    /// The back end.
    pub fn back_end(&self) -> BackEnd {
        self.back_end
    }

    /// How many loop nests got new code so far, over all option sets.
    pub fn transformed(&self) -> u64 {
        self.counts.transformed.load(Ordering::Relaxed)
    }

    /// How often LLVM's own random passes failed without the plugin, or its sanitizer refused the plain program: nothing was compared.
    pub fn unjudged(&self) -> u64 {
        self.counts.unjudged.load(Ordering::Relaxed)
    }

    /// How many pieces of memory new code took, between pages that nobody may touch, and how many it asked for in vain: in C.
    pub fn pieces(&self) -> [u64; 2] {
        [&self.counts.pieces, &self.counts.refused].map(|counter| counter.load(Ordering::Relaxed))
    }

    /// Gives all PTX texts to an assembler from now on, if there is one. A text that it refuses is a failure.
    pub fn assemble(mut self, assembler: Option<Assembler>) -> Self {
        self.assembler = assembler;
        self
    }

    /// What became so far of nests that were compiled for a device.
    pub fn on_device(&self) -> OnDevice {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        OnDevice {
            compiled: of(&self.counts.kernels),
            in_parts: of(&self.counts.in_parts),
            only_back: of(&self.counts.only_back),
            ran: of(&self.counts.on_device),
            sessions: of(&self.counts.sessions),
            by_rows: of(&self.counts.by_rows),
            forked: of(&self.counts.forked),
            unreadable: of(&self.counts.unreadable),
            assembled: of(&self.counts.assembled),
        }
    }

    fn harness(&self, machine: Machine) -> PathBuf {
        self.folder.path().join(match (self.back_end, machine) {
            (BackEnd::C, Machine::I386) => "harness-i386.o",
            (BackEnd::C, Machine::Undefined) => "harness-sanitized.o",
            (BackEnd::C, Machine::Here | Machine::Spaces) => "harness.o",
            (BackEnd::Rust, _) => "libharness.rlib",
        })
    }

    /// Compiles and runs the cases plain and with each of `options`; gives what fails. An error says that the plain build does.
    pub fn check(&self, cases: &[Case], options: &[String]) -> Result<Vec<Failed>, Failure> {
        let all: Vec<&Case> = cases.iter().collect();
        let mut failed = Vec::new();
        for (options, _) in self.differences(&all, options, Judge::Quick)?.unwrap_or_default() {
            let whole = self.differences(&all, std::slice::from_ref(&options), Judge::SameLevel)?;
            // Most differences are between levels of the plain compiler.
            if whole.as_ref().is_some_and(Vec::is_empty) {
                continue;
            }
            let before = failed.len();
            if cases.len() > 1 {
                for case in cases {
                    if let Some((options, failure)) = self.difference(case, &options)? {
                        failed.push(Failed { cases: vec![case.clone()], options, failure });
                    }
                }
            }
            if failed.len() == before {
                let whole = whole.into_iter().flatten();
                failed.extend(whole.map(|(options, failure)| Failed { cases: cases.to_vec(), options, failure }));
            }
        }
        Ok(failed)
    }

    /// Whether a case fails under an option set; a case that cannot be compiled plain does not.
    pub fn fails(&self, case: &Case, options: &str) -> bool {
        self.difference(case, options).is_ok_and(|difference| difference.is_some())
    }

    /// Breaks the kernels of some cases on purpose, at every `step`th place, and looks whether that is found.
    pub fn broken(&self, cases: &[Case], breaker: &Breaker, step: usize) -> Result<Verdicts, Failure> {
        let all: Vec<&Case> = cases.iter().collect();
        let folder = tempfile::tempdir_in(self.folder.path()).map_err(|error| failure(error.to_string()))?;
        let source = self.source(&all, folder.path())?;
        let executable = folder.path().join("cases");
        let level = Level::Flags(FOR_BREAKING[self.back_end as usize]);
        let mode = (Machine::Here, self.mode(0, Machine::Here));
        self.run(Some("gpu=force"), &level, &mode, &source, &executable)?;
        let defects: Vec<_> = breaker.defects(&executable, &[])?.into_iter().step_by(step).collect();
        breaker.judge(&executable, &[], &defects)
    }

    /// The file with some cases, in a folder.
    fn source(&self, cases: &[&Case], folder: &Path) -> Result<PathBuf, Failure> {
        let source = folder.join(format!("cases.{}", self.back_end.extension()));
        let text = match self.back_end {
            BackEnd::C => c::program(cases, false),
            BackEnd::Rust => rust::program(cases, false),
        };
        std::fs::write(&source, text).map_err(|error| failure(error.to_string()))?;
        Ok(source)
    }

    fn difference(&self, case: &Case, options: &str) -> Result<Option<(String, Failure)>, Failure> {
        let differences = self.differences(&[case], &[options.to_string()], Judge::SameLevel)?;
        Ok(differences.unwrap_or_default().pop())
    }

    /// What is different under some of the option sets; nothing at all where the plain program cannot be judged by.
    fn differences(
        &self,
        cases: &[&Case],
        options: &[String],
        judge: Judge,
    ) -> Result<Option<Vec<(String, Failure)>>, Failure> {
        let folder = tempfile::tempdir_in(self.folder.path()).map_err(|error| failure(error.to_string()))?;
        let source = self.source(cases, folder.path())?;
        let executable = folder.path().join("cases");
        let block = cases.first().map_or(0, |case| block(case.seed(), self.back_end));
        let machine = match self.back_end {
            BackEnd::C => cases.first().map_or(Machine::Here, |case| machine(case)),
            BackEnd::Rust => Machine::Here,
        };
        let mode = (machine, self.mode(block, machine));
        let level = Level::of(block, self.back_end, machine);
        let quick = level.quick(self.back_end);
        let judge = match judge {
            Judge::Quick => &quick,
            Judge::SameLevel => &level,
        };
        let plain = match (self.run(None, judge, &mode, &source, &executable), judge) {
            // LLVM cannot lower what it makes of some loops over other address spaces: `cannot lower memory intrinsic`.
            (Err(error), _)
                if matches!(judge, Level::Passes(_))
                    || machine == Machine::Spaces && error.to_string().contains("error in backend") =>
            {
                self.counts.unjudged.fetch_add(1, Ordering::Relaxed);
                return Ok(None);
            }
            (plain, _) => plain?,
        };
        let (plain, plain_frame) = plain;
        // What the sanitizer says of the plain program ends it in the middle, in words that name the process.
        if machine == Machine::Undefined && plain.stderr.contains("MemorySanitizer") {
            self.counts.unjudged.fetch_add(1, Ordering::Relaxed);
            return Ok(None);
        }
        let mut differences = Vec::new();
        for options in options {
            match self.run(Some(options), &level, &mode, &source, &executable) {
                // The plain program may be compiled through other passes.
                Err(error)
                    if machine == Machine::Spaces && error.to_string().contains("cannot lower memory intrinsic") =>
                {
                    self.counts.unjudged.fetch_add(1, Ordering::Relaxed);
                }
                Err(failure) => differences.push((options.clone(), failure)),
                Ok((actual, frame)) => {
                    // A loop that the program wants to be unrolled may take the room without new code, too.
                    let frame = frame.filter(|_| plain_frame.is_none());
                    if let Some(text) = compare(&plain, &actual).or(frame) {
                        let text = format!("with TESSERA='{options}' {text}");
                        differences.push((options.clone(), failure(text)));
                    }
                }
            }
        }
        Ok(Some(differences))
    }

    fn host(&self) -> Host {
        match self.back_end {
            BackEnd::C => Host::Clang,
            BackEnd::Rust => Host::Rustc,
        }
    }

    /// Flags of both builds. Loop strength reduction and unrolling take half of the time, and work on code that is there. Every
    /// eighth block of Rust is compiled with checks of overflow.
    fn mode(&self, block: u64, machine: Machine) -> Vec<&'static str> {
        match self.back_end {
            BackEnd::C => {
                let mut all = vec!["-fno-unroll-loops", "-mllvm", "-disable-lsr"];
                all.extend(flags(machine));
                // Addresses may wrap around, too.
                all.extend((machine == Machine::I386 && block % 16 == 3).then_some("-fno-strict-overflow"));
                all
            }
            BackEnd::Rust => {
                let checks = if block % 8 == 7 { "-Coverflow-checks=on" } else { "-Coverflow-checks=off" };
                vec!["-Cllvm-args=-disable-lsr", "-Ccodegen-units=1", "-Cstrip=debuginfo", checks]
            }
        }
    }

    /// Compiles, with the plugin if there are `options` for it, and runs: what the program did, and what the compiler says of a frame
    /// that is too large.
    fn run(
        &self,
        options: Option<&str>,
        level: &Level,
        (machine, mode): &(Machine, Vec<&'static str>),
        source: &Path,
        executable: &Path,
    ) -> Result<(Outcome, Option<String>), Failure> {
        // The library is for programs with 64 bits, and the memory sanitizer does not see what it writes.
        let is_emulated = options.is_some_and(is_for_device) && matches!(machine, Machine::Here | Machine::Spaces);
        let flags = match level {
            Level::Flags(flags) => flags,
            Level::Passes(pipeline) => {
                let log = self.passes(options, pipeline, (*machine, mode), source, executable)?;
                return self.executed(&log, executable, is_emulated);
            }
        };
        let build = match options {
            Some(options) => Compilation::with(self.host(), self.plugin, options).remarks(Remarks::Passed),
            None => Compilation::plain(self.host()),
        };
        let build = build.flags(flags);
        let harness = self.harness(*machine).display().to_string();
        let named = format!("harness={harness}");
        let more: &[&str] = match self.back_end {
            BackEnd::C => &["-fuse-ld=lld", WRAPPED, &harness],
            BackEnd::Rust => &["-Clinker=clang-22", "-Clink-arg=-fuse-ld=lld", "--extern", &named, "--cap-lints=allow"],
        };
        let build = build.flags(mode).flags(more);
        let log = build.compile(source, Product::Executable, executable)?;
        self.executed(&log, executable, is_emulated)
    }

    /// Compiles C through a pipeline of passes.
    fn passes(
        &self,
        options: Option<&str>,
        pipeline: &Pipeline,
        (machine, mode): (Machine, &[&str]),
        source: &Path,
        executable: &Path,
    ) -> Result<String, Failure> {
        let (unoptimised, optimised) = (executable.with_extension("input.bc"), executable.with_extension("output.bc"));
        let object = executable.with_extension("o");
        let front =
            Run::new("clang-22").args(["-O3", "-std=gnu17", "-w", "-Xclang", "-disable-llvm-passes"]).args(mode);
        front.args(["-emit-llvm", "-c"]).arg(source).arg("-o").arg(&unoptimised).output()?;
        let mut middle = Run::new("prlimit").arg(format!("--as={MEMORY}")).arg("opt-22");
        if let Some(options) = options {
            middle = middle.env("TESSERA", options);
            middle =
                middle.arg(format!("-load-pass-plugin={}", self.plugin.path().display())).arg("-pass-remarks=tessera");
        }
        // LLVM's new value numbering takes `phi (true, x of this iteration)` for `phi (true, x of the iteration before)`.
        middle = middle.arg("-enable-phi-of-ops=false");
        middle = middle.arg(format!("-passes={}", pipeline.text(options.is_some())));
        let log = middle.arg(&unoptimised).arg("-o").arg(&optimised).output()?.stderr;
        let back = Run::new("llc-22").args(["-O1", "-disable-lsr", "-filetype=obj", "-relocation-model=pic"]);
        back.arg(&optimised).arg("-o").arg(&object).output()?;
        let link = Run::new("clang-22").args(["-fuse-ld=lld", WRAPPED]).args(flags(machine));
        let link = link.arg(&object).arg(self.harness(machine));
        link.arg("-o").arg(executable).arg("-lm").output()?;
        Ok(log)
    }

    /// Runs a program; `log` is what was said when it was compiled, of which a complaint about a frame is handed on.
    fn executed(&self, log: &str, executable: &Path, is_emulated: bool) -> Result<(Outcome, Option<String>), Failure> {
        let transformed = log.matches("loop nest transformed").count() as u64;
        self.counts.transformed.fetch_add(transformed, Ordering::Relaxed);
        let frame = log.lines().find(|line| line.contains(FRAME_WARNING)).map(str::to_owned);
        let mut outcome = match is_emulated {
            true => self.emulated(log, executable)?,
            false => Run::within(TIME_LIMIT, executable).outcome()?,
        };
        self.count_pieces(&mut outcome.stderr);
        Ok((outcome, frame))
    }

    /// Takes what the harness in C says of memory for kernels out of what a program says: the plain program says nothing of it.
    fn count_pieces(&self, stderr: &mut String) {
        let numbers = |line: &str| {
            let (taken, refused) = line.strip_prefix(PIECES)?.strip_suffix(" refused")?.split_once(" pieces, ")?;
            Some((taken.parse::<u64>().ok()?, refused.parse::<u64>().ok()?))
        };
        let mut rest = String::new();
        for line in stderr.split_inclusive('\n') {
            match numbers(line.trim_end()) {
                Some((taken, refused)) => {
                    self.counts.pieces.fetch_add(taken, Ordering::Relaxed);
                    self.counts.refused.fetch_add(refused, Ordering::Relaxed);
                }
                None => rest += line,
            }
        }
        *stderr = rest;
    }

    /// Runs a program in the emulator. Whatever the library complains of is a failure: faults of kernels, and nests that it gives back to
    /// the host.
    fn emulated(&self, log: &str, executable: &Path) -> Result<Outcome, Failure> {
        let compiled = [" kernel for a device", " kernels for a device"].map(|text| log.matches(text).count() as u64);
        self.counts.kernels.fetch_add(compiled.iter().sum(), Ordering::Relaxed);
        self.counts.in_parts.fetch_add(log.matches(" in parts, ").count() as u64, Ordering::Relaxed);
        self.counts.only_back.fetch_add(log.matches(" of them only back").count() as u64, Ordering::Relaxed);
        if let Some(assembler) = &self.assembler {
            let folder = executable.parent().unwrap_or(Path::new("."));
            for text in texts_in(executable)? {
                assembler.assemble(&text, folder)?;
                self.counts.assembled.fetch_add(1, Ordering::Relaxed);
            }
        }
        let mut outcome = emulated(Run::within(EMULATED_LIMIT, executable))?.env(WHOLE, "1").outcome()?;
        let told = Told::of(&outcome.stderr);
        self.counts.on_device.fetch_add(told.nests.len() as u64, Ordering::Relaxed);
        self.counts.sessions.fetch_add(told.sessions, Ordering::Relaxed);
        self.counts.by_rows.fetch_add(told.by_rows, Ordering::Relaxed);
        self.counts.forked.fetch_add(told.forked, Ordering::Relaxed);
        self.counts.unreadable.fetch_add(told.unreadable, Ordering::Relaxed);
        if !told.complaints.is_empty() {
            return Err(failure(format!("in the emulator: {}", told.complaints.join("\n"))));
        }
        outcome.stderr = told.rest;
        Ok(outcome)
    }
}

/// What a machine needs in every compilation.
fn flags(machine: Machine) -> &'static [&'static str] {
    match machine {
        Machine::Here | Machine::Spaces => &[FRAME_FLAG],
        Machine::I386 => &[FRAME_FLAG, "-m32", "-msse2", "-mfpmath=sse", "-idirafter", "/usr/include/x86_64-linux-gnu"],
        Machine::Undefined => &[SANITIZED_FRAME_FLAG, "-fsanitize=memory"],
    }
}

fn compare(plain: &Outcome, actual: &Outcome) -> Option<String> {
    if let Some(text) = difference(&plain.stdout, &actual.stdout) {
        return Some(text);
    }
    (plain != actual).then(|| {
        format!(
            "the program ends differently: {} and {}\n--- plain\n{}\n--- tessera\n{}",
            plain.status, actual.status, plain.stderr, actual.stderr
        )
    })
}
