//! One measurement: plain, Tessera, OpenBLAS and the peak take turns in one process (`tests/corpus/driver/products.c`).

use super::Options;
use super::openblas::OpenBlas;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use tessera_tests::kernels::build::{Compiler, Kernel, Workshop};
use tessera_tests::kernels::measure::{AGAIN, FLOOR, PLACES, geometric_mean};
use tessera_tests::kernels::{Collection, Form, Language, Problem, problems_of};
use tessera_tests::plugin::Plugin;
use tessera_tests::process::{Failure, Run};

/// What is needed for measurements.
pub(crate) struct Bench {
    pub(crate) options: Options,
    pub(crate) openblas: Option<OpenBlas>,
    pub(crate) problems: Vec<Problem>,
    plugin: Plugin,
    workshop: Workshop,
    program: PathBuf,
}

/// What takes turns; numbers are operations per nanosecond, and not a number where something did not take part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turns {
    pub(crate) plain: f64,
    pub(crate) tessera: f64,
    pub(crate) openblas: f64,
    /// The medians of Tessera's speed in parts of the others' in the same round.
    pub(crate) to_plain: f64,
    pub(crate) to_openblas: f64,
    pub(crate) to_peak: f64,
    /// The processor's peak: fused for C, unfused for Rust.
    pub(crate) peak: f64,
    same: bool,
}

/// Who takes part beside Tessera.
#[derive(Clone, Copy)]
struct Others {
    plain: bool,
    peers: bool,
}

impl Bench {
    pub(crate) fn open(options: Options, plugin: Plugin) -> Result<Bench, Failure> {
        let workshop = Workshop::open_on(options.target.name())?;
        let program = workshop.turns("products")?;
        let openblas = OpenBlas::locate(&program, options.target.openblas_core())?;
        let problems = problems_of(Collection::Products)?;
        Ok(Bench { options, openblas, problems, plugin, workshop, program })
    }

    /// Measures one size. What is below the floor is measured again with the code at several places, what misses another bar once
    /// more, both for longer.
    pub(crate) fn measure(&self, problem: &Problem, form: Form, size: i64) -> Result<Turns, Failure> {
        let seconds = self.options.seconds;
        let mut result = self.turns(problem, form, size, PLACES[0], seconds, Others { plain: true, peers: true })?;
        if result.to_plain < FLOOR {
            let seconds = seconds * AGAIN / PLACES.len() as f64;
            let others = Others { plain: true, peers: false };
            let again = PLACES.iter().map(|&place| self.turns(problem, form, size, place, seconds, others));
            let again = again.collect::<Result<Vec<_>, _>>()?;
            let mean = |of: fn(&Turns) -> f64| geometric_mean(again.iter().map(of));
            (result.plain, result.tessera) = (mean(|turns| turns.plain), mean(|turns| turns.tessera));
            result.to_plain = mean(|turns| turns.to_plain);
        }
        if super::bars::misses_peer(form, size, &result) {
            let others = Others { plain: false, peers: true };
            let again = self.turns(problem, form, size, PLACES[0], seconds * AGAIN, others)?;
            result = Turns { plain: result.plain, to_plain: result.to_plain, ..again };
        }
        Ok(result)
    }

    /// One process. Other results than plain's are a failure.
    fn turns(
        &self,
        problem: &Problem,
        form: Form,
        size: i64,
        place: usize,
        seconds: f64,
        others: Others,
    ) -> Result<Turns, Failure> {
        let kernel = Kernel { problem, form, sizes: &[size] };
        let library = |compiler| self.workshop.library(kernel, compiler, place);
        let is_rust = form.language() == Language::Rust;
        let none = || PathBuf::from("-");
        let plain = if others.plain { library(Compiler::Plain)? } else { none() };
        let tessera = library(Compiler::Tessera(&self.plugin, &self.options.tessera))?;
        let peak = if others.peers { self.workshop.peak(problem.scalar(), !is_rust)? } else { none() };
        // Rust does not fuse multiplications and additions: a library that does is no measure for it.
        let openblas = self.openblas.as_ref().filter(|_| others.peers && !is_rust);
        let mut run = Run::new(&self.program);
        if let Some(openblas) = openblas {
            run = openblas.environment(run);
        }
        let output = run
            .args([plain.as_path(), &tessera, openblas.map_or(Path::new("-"), |found| &found.path), &peak])
            .args([if is_rust { "rust" } else { "c" }, &seconds.to_string(), &size.to_string()].map(OsStr::new))
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let what = || format!("{}, {}, n = {size}", problem.name, form.name());
        let turns = read(&text).ok_or_else(|| Failure::new(what(), format!("`{}` is no measurement", text.trim())))?;
        if !turns.same {
            let reason = "the results are not those of the plain build, bit for bit: the plugin made wrong code; \
                          scripts/bench corpus and scripts/fuzz products may find a smaller case";
            return Err(Failure::new(what(), reason));
        }
        Ok(turns)
    }
}

/// Reads what the process says.
fn read(text: &str) -> Option<Turns> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [plain, tessera, openblas, peak, to_plain, to_openblas, to_peak, _rounds, same] = words[..] else {
        return None;
    };
    let number = |word: &str| word.parse::<f64>().ok();
    Some(Turns {
        plain: number(plain)?,
        tessera: number(tessera)?,
        openblas: number(openblas)?,
        to_plain: number(to_plain)?,
        to_openblas: number(to_openblas)?,
        to_peak: number(to_peak)?,
        peak: number(peak)?,
        same: same == "same",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_program_writes() {
        let turns = read("2.0 50.0 nan 58.0 25.0 nan 0.86 31 same\n").expect("a measurement");
        assert!(turns.same && turns.openblas.is_nan() && turns.to_openblas.is_nan());
        assert_eq!((turns.plain, turns.tessera, turns.peak), (2.0, 50.0, 58.0));
        assert_eq!((turns.to_plain, turns.to_peak), (25.0, 0.86));
        assert!(read("2.0 50.0 nan 58.0 25.0 nan 0.86 31 different").is_some_and(|turns| !turns.same));
        assert!(read("2.0 50.0 same").is_none());
        // Without OpenBLAS nothing misses its bar.
        assert!(!crate::bars::misses_peer(Form::Flat, 512, &turns));
        assert!(crate::bars::misses_peer(Form::Flat, 512, &Turns { to_openblas: 0.84, ..turns }));
        assert!(!crate::bars::misses_peer(Form::Flat, 100, &Turns { to_openblas: 0.1, ..turns }));
        assert!(!crate::bars::misses_peer(Form::Rust, 512, &turns));
        assert!(crate::bars::misses_peer(Form::Rust, 512, &Turns { to_peak: 0.84, ..turns }));
    }
}
