//! `scripts/bench corpus`: the kernels of `tests/corpus` in three tables: what the plugin transforms, what compilation
//! costs, how long the kernels run, against plain -O3 and against Polly.
//!
//! With `--sizes` there is one table instead: plain against Tessera at classes of sizes ([`classes`]).
//!
//! Every number is the median of rounds in which the compilers take turns, so that a change in the load of the machine
//! meets all of them. Times are processor times. Every run is at the sizes of `problems.txt`, and every hash of results
//! is compared with that of the plain build.

mod classes;

use std::process::ExitCode;
use tessera_tests::kernels::build::{Compiler, Kernel, POLLY_LIMIT, Workshop};
use tessera_tests::kernels::measure::{geometric_mean, median, positive_seconds, run};
use tessera_tests::kernels::record::{Verdict, remarks};
use tessera_tests::kernels::{Class, Collection, Form, Language, Problem, problems_of};
use tessera_tests::plugin::Plugin;
use tessera_tests::process::Failure;

const HELP: &str = "scripts/bench corpus [OPTIONS]
  --form FORM    only this form (may be given several times): flat, c99, constant; cpp, vecvec, mdspan;
                 rust, rust-vecvec, rust-fixed, rust-iter, rust-unchecked
  --only KERNEL  only the kernels whose name contains KERNEL (may be given several times)
  --table TABLE  only this table: found, compile, run (may be given several times)
  --rounds N     rounds of every measurement (5)
  --options TEXT the value of TESSERA for the tables of times, for instance tile=32
  --user         the small kernels of tests/corpus/user instead of the thirty (forms c99 and constant)
  --sizes LIST   instead of the tables: plain against Tessera at these classes of sizes, of mini,small,medium,large,
                 or numbers of rows between them (40,50); the two builds take turns in one process;
                 what is slower than 0.98x is measured again for longer, with the code at four places;
                 large also beside what was reached by hand
  --against FILE with --sizes: another build of the plugin instead of plain
  --seconds S    with --sizes: kernel time per measurement (0.4)
  --no-polly     without Polly, which takes up to a minute per file where sizes are parameters
  --polly-2nd-level  also Polly with tiles of tiles";

/// A kernel that takes longer with the plugin than this part of its plain time allows is named under the table.
const SLOWER: f64 = 0.95;

/// A compilation that takes so many seconds is not repeated.
const LONG: f64 = 5.0;

struct Options {
    forms: Vec<Form>,
    only: Vec<String>,
    tables: Vec<String>,
    rounds: usize,
    tessera: String,
    polly: bool,
    second_level: bool,
    collection: Collection,
    classes: Vec<Class>,
    seconds: f64,
    against: Option<Plugin>,
}

fn options() -> Result<Options, String> {
    let mut result = Options {
        forms: Vec::new(),
        only: Vec::new(),
        tables: Vec::new(),
        rounds: 5,
        tessera: String::new(),
        polly: true,
        second_level: false,
        collection: Collection::Kernels,
        classes: Vec::new(),
        seconds: 0.4,
        against: None,
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value\n{HELP}"));
        match arg.as_str() {
            "--form" => {
                let name = value()?;
                result.forms.push(Form::named(&name).ok_or_else(|| format!("no form is called {name}\n{HELP}"))?);
            }
            "--only" => result.only.push(value()?),
            "--table" => match value()? {
                name if ["found", "compile", "run"].contains(&name.as_str()) => result.tables.push(name),
                name => return Err(format!("no table is called {name}\n{HELP}")),
            },
            "--rounds" => {
                let text = value()?;
                let count = text.parse().ok().filter(|&count| count > 0);
                result.rounds = count.ok_or_else(|| format!("--rounds {text}: not a positive number\n{HELP}"))?;
            }
            "--against" => {
                let plugin = Plugin::at(std::path::Path::new(&value()?));
                result.against = Some(plugin.map_err(|failure| failure.to_string())?);
            }
            "--options" => result.tessera = value()?,
            "--user" => result.collection = Collection::User,
            "--sizes" => {
                for name in value()?.split(',') {
                    let class = Class::named(name);
                    result.classes.push(class.ok_or_else(|| format!("no class of sizes is called {name}\n{HELP}"))?);
                }
            }
            "--seconds" => {
                let seconds = positive_seconds("--seconds", &value()?);
                result.seconds = seconds.map_err(|message| format!("{message}\n{HELP}"))?;
            }
            "--no-polly" => result.polly = false,
            "--polly-2nd-level" => result.second_level = true,
            _ => return Err(HELP.to_string()),
        }
    }
    if result.forms.is_empty() {
        result.forms = result.collection.forms().to_vec();
    }
    if result.collection == Collection::User && result.forms.iter().any(|form| form.folder() != Form::C99.name()) {
        return Err(format!("--user: only --form c99 and constant\n{HELP}"));
    }
    Ok(result)
}

struct Bench {
    options: Options,
    problems: Vec<Problem>,
    plugin: Plugin,
    workshop: Workshop,
    failures: Vec<Failure>,
}

fn main() -> Result<ExitCode, Failure> {
    let options = match options() {
        Ok(options) => options,
        Err(text) => {
            eprintln!("{text}");
            return Ok(ExitCode::FAILURE);
        }
    };
    let mut problems = problems_of(options.collection)?;
    problems.retain(|problem| {
        options.only.is_empty() || options.only.iter().any(|part| problem.name.contains(part.as_str()))
    });
    if problems.is_empty() {
        return Err(Failure::new("--only", "no kernel has such a name"));
    }
    let mut bench =
        Bench { options, problems, plugin: Plugin::locate()?, workshop: Workshop::open()?, failures: Vec::new() };
    if !bench.options.classes.is_empty() {
        bench.classes();
        return Ok(bench.end());
    }
    let wants = |bench: &Bench, table: &str| {
        bench.options.tables.is_empty() || bench.options.tables.iter().any(|wanted| wanted == table)
    };
    for language in [Language::C, Language::Cpp, Language::Rust] {
        let forms = bench.options.forms.iter().copied().filter(|form| form.language() == language).collect::<Vec<_>>();
        if wants(&bench, "found") && !forms.is_empty() {
            bench.found(&forms);
        }
    }
    for form in bench.options.forms.clone() {
        if wants(&bench, "compile") {
            bench.compile(form);
        }
    }
    for form in bench.options.forms.clone() {
        if wants(&bench, "run") {
            bench.run(form);
        }
    }
    Ok(bench.end())
}

impl Bench {
    /// What failed, at the end.
    fn end(&self) -> ExitCode {
        for failure in &self.failures {
            println!("FAILED: {failure}");
        }
        if self.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    /// The compilers for a form; plain is the first, Tessera the second.
    fn compilers(&self, form: Form) -> Vec<Compiler<'_>> {
        let mut compilers = vec![Compiler::Plain, Compiler::Tessera(&self.plugin, &self.options.tessera)];
        let levels = [(self.options.polly, false), (self.options.second_level, true)];
        let levels = levels.into_iter().filter(|(is_asked, _)| *is_asked);
        let levels = levels.map(|(_, second_level)| Compiler::Polly { second_level });
        compilers.extend(levels.filter(|polly| polly.compiles(form)));
        compilers
    }

    /// One table for the forms of one language.
    fn found(&mut self, forms: &[Form]) {
        println!(
            "What is found and transformed. yes: a nest is transformed and all are understood; partly: some are not;"
        );
        println!(
            "no gain: all are understood, and the cost model says that no order is faster; no order: all are understood,"
        );
        println!("and the dependences allow no better one; else the reasons.\n");
        print!("{:<16}", "kernel");
        forms.iter().for_each(|form| print!("{:<26}", form.name()));
        println!();
        let mut counts = vec![[0; 3]; forms.len()];
        let mut sentences = Vec::new();
        for problem in &self.problems {
            print!("{:<16}", problem.name);
            let mut missed: Vec<(String, Vec<&str>)> = Vec::new();
            for (&form, counts) in forms.iter().zip(&mut counts) {
                let kernel = Kernel { problem, form, sizes: &problem.large() };
                let found = match remarks(&self.workshop, kernel, &self.plugin) {
                    Ok(found) => found,
                    Err(failure) => {
                        print!("{:<26}", "FAILED");
                        self.failures.push(failure);
                        continue;
                    }
                };
                let verdict = Verdict::of(&found);
                print!("{:<26}", verdict.to_string());
                counts[0] += usize::from(verdict.is_found());
                counts[1] += usize::from(verdict.is_transformed());
                counts[2] += usize::from(verdict == Verdict::NoGain);
                for remark in found.iter().filter(|remark| !remark.transformed && remark.name != "Unprofitable") {
                    let message = remark.message.strip_prefix("loop nest left as it is: ").unwrap_or(&remark.message);
                    let sentence = format!("{}: {message}", remark.name);
                    match missed.iter_mut().find(|(known, _)| *known == sentence) {
                        Some((_, forms)) if forms.contains(&form.name()) => {}
                        Some((_, forms)) => forms.push(form.name()),
                        None => missed.push((sentence, vec![form.name()])),
                    }
                }
            }
            println!();
            for (sentence, forms) in missed {
                sentences.push(format!("  {} ({}): {sentence}", problem.name, forms.join(", ")));
            }
        }
        let of = self.problems.len();
        for (name, at) in [("all nests found", 0), ("transformed", 1), ("no gain", 2)] {
            print!("{name:<16}");
            counts.iter().for_each(|counts| print!("{:<26}", format!("{}/{of}", counts[at])));
            println!();
        }
        println!("\nReasons of nests that are not transformed, but for `no gain`:");
        sentences.iter().for_each(|sentence| println!("{sentence}"));
        println!();
    }

    fn compile(&mut self, form: Form) {
        let compilers = self.compilers(form);
        println!(
            "Compilation, {}: user seconds, median of {}, and how many times those of plain.\n",
            form.name(),
            self.options.rounds
        );
        header(&compilers, "");
        let mut totals = vec![0.0; compilers.len()];
        let mut worst = vec![(0.0, ""); compilers.len()];
        let mut failures = Vec::new();
        for problem in &self.problems {
            let kernel = Kernel { problem, form, sizes: &problem.large() };
            match self.compilation_times(kernel, &compilers) {
                Ok(times) => {
                    let mut line = format!("{:<16}", problem.name);
                    for (at, time) in times.iter().enumerate() {
                        line += &cell(*time, (at > 0).then(|| time / times[0]), "");
                        totals[at] += if time.is_finite() { *time } else { f64::from(POLLY_LIMIT) };
                        if time / times[0] > worst[at].0 {
                            worst[at] = (time / times[0], &problem.name);
                        }
                    }
                    println!("{line}");
                }
                Err(failure) => {
                    println!("{:<16}FAILED", problem.name);
                    failures.push(failure);
                }
            }
        }
        let mut line = format!("{:<16}", "total");
        for (at, time) in totals.iter().enumerate() {
            line += &cell(*time, (at > 0).then(|| time / totals[0]), "");
        }
        println!("{line}");
        for (compiler, (ratio, name)) in compilers.iter().zip(&worst).skip(1) {
            println!("worst file with {}: {name}, {ratio:.2}x", compiler.name());
        }
        println!();
        self.failures.extend(failures);
    }

    fn compilation_times(&self, kernel: Kernel, compilers: &[Compiler]) -> Result<Vec<f64>, Failure> {
        let mut seconds: Vec<Vec<f64>> = vec![Vec::new(); compilers.len()];
        for _ in 0..self.options.rounds {
            for (compiler, seconds) in compilers.iter().zip(&mut seconds) {
                if seconds.first().is_none_or(|&first| first < LONG) {
                    seconds.push(match (compiler, self.workshop.timed_object(kernel, *compiler)) {
                        (Compiler::Polly { .. }, Err(_)) => f64::INFINITY,
                        (_, time) => time?,
                    });
                }
            }
        }
        Ok(seconds.iter().map(|seconds| median(seconds)).collect())
    }

    fn run(&mut self, form: Form) {
        let compilers = self.compilers(form);
        println!(
            "Run time, {}: processor seconds of the kernel, median of {}, and how many times faster than plain.",
            form.name(),
            self.options.rounds
        );
        println!("`=` marks the same object file as plain, which is not run again; `!` other results than plain's.\n");
        header(&compilers, "sizes");
        let mut ratios: Vec<Vec<(f64, &str)>> = vec![Vec::new(); compilers.len()];
        let mut failures = Vec::new();
        for problem in &self.problems {
            let kernel = Kernel { problem, form, sizes: &problem.large() };
            match self.run_times(kernel, &compilers) {
                Ok(times) => {
                    let mut line = format!("{:<16}", problem.name);
                    for (at, (time, same)) in times.iter().enumerate() {
                        let ratio = times[0].0 / time;
                        line += &cell(
                            *time,
                            (at > 0).then_some(ratio),
                            match same {
                                Results::Same => "",
                                Results::Different => "!",
                                Results::SameCode => "=",
                            },
                        );
                        if ratio.is_finite() {
                            ratios[at].push((ratio, &problem.name));
                        }
                        if *same == Results::Different && matches!(compilers[at], Compiler::Tessera(..)) {
                            let what = format!("{}, {}", problem.name, form.name());
                            failures.push(Failure::new(what, "the results are not those of the plain build"));
                        }
                    }
                    let sizes = kernel.sizes.iter().map(i64::to_string).collect::<Vec<_>>().join(" ");
                    println!("{line}   {sizes}");
                }
                Err(failure) => {
                    println!("{:<16}FAILED", problem.name);
                    failures.push(failure);
                }
            }
        }
        for (compiler, ratios) in compilers.iter().zip(&ratios).skip(1) {
            let mean = geometric_mean(ratios.iter().map(|(ratio, _)| *ratio));
            let mut slower: Vec<_> = ratios.iter().filter(|(ratio, _)| *ratio < SLOWER).collect();
            slower.sort_by(|one, other| one.0.total_cmp(&other.0));
            let slower = slower.iter().map(|(ratio, name)| format!("{name} {ratio:.2}x")).collect::<Vec<_>>();
            println!(
                "{}: geometric mean {mean:.2}x; below {SLOWER}x: {}",
                compiler.name(),
                match slower.len() {
                    0 => "none".to_string(),
                    count => format!("{count} ({})", slower.join(", ")),
                }
            );
        }
        println!();
        self.failures.extend(failures);
    }

    /// The median times, and how the results compare with those of plain.
    fn run_times(&self, kernel: Kernel, compilers: &[Compiler]) -> Result<Vec<(f64, Results)>, Failure> {
        let mut programs = Vec::new();
        let plain = self.code(kernel, Compiler::Plain)?;
        for &compiler in compilers {
            programs.push(match (compiler, self.code(kernel, compiler)) {
                (Compiler::Polly { .. }, Err(_)) => None,
                (Compiler::Tessera(..), Ok(code)) if code == plain => None,
                (_, code) => code.and_then(|_| self.workshop.program(kernel, compiler)).map(Some)?,
            });
        }
        let mut seconds = vec![Vec::new(); compilers.len()];
        let mut same = vec![Results::Same; compilers.len()];
        let mut expected = None;
        for _ in 0..self.options.rounds {
            for (at, program) in programs.iter().enumerate() {
                let Some(program) = program else {
                    continue;
                };
                let outcome = run(program, &[], kernel.sizes)?;
                seconds[at].push(outcome.seconds);
                if *expected.get_or_insert_with(|| outcome.hash.clone()) != outcome.hash {
                    same[at] = Results::Different;
                }
            }
        }
        let mut times: Vec<_> = seconds.iter().map(|seconds| median(seconds)).zip(same).collect();
        if let [plain, tessera, ..] = &mut times[..]
            && programs[1].is_none()
        {
            *tessera = (plain.0, Results::SameCode);
        }
        Ok(times)
    }

    fn code(&self, kernel: Kernel, compiler: Compiler) -> Result<Vec<u8>, Failure> {
        let object = self.workshop.object(kernel, compiler)?;
        std::fs::read(&object).map_err(|error| Failure::new(object.display().to_string(), error.to_string()))
    }
}

/// How the results of a program compare with those of the plain one.
#[derive(Clone, Copy, PartialEq)]
enum Results {
    Same,
    Different,
    /// The object file is the same, so there is nothing to run.
    SameCode,
}

fn header(compilers: &[Compiler], last: &str) {
    let mut line = format!("{:<16}", "kernel");
    for (at, compiler) in compilers.iter().enumerate() {
        line += &format!("{:>9}{}", compiler.name(), if at > 0 { " ".repeat(9) } else { String::new() });
    }
    println!("{}", format!("{line}   {last}").trim_end());
}

fn cell(seconds: f64, ratio: Option<f64>, mark: &str) -> String {
    match ratio {
        // Infinite: the compiler was stopped; not a number: so there is nothing to run.
        Some(_) if !seconds.is_finite() => format!("{:>9}{:9}", "stopped", ""),
        None => format!("{seconds:>9.3}"),
        Some(ratio) => format!("{seconds:>9.3} {ratio:>6.2}x{mark:<1}"),
    }
}
