//! `scripts/demo`: the example programs through the plain compiler and through the compiler with Tessera.
//!
//! Both builds of a program run in turns, so that a change in the load of the machine meets both; the table shows the
//! medians. What a program prints, and the bytes of its result, must be the same in every run of both builds.
//! Arguments are parts of program names; without one, everything runs.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tessera_tests::host::{Compilation, Host, Product, Remarks};
use tessera_tests::plugin::{Plugin, workspace};
use tessera_tests::process::{Failure, Run, difference};

/// The examples, each with the hosts that compile it.
const EXAMPLES: [(&str, &[Host]); 9] = [
    ("c/gemm.c", &[Host::Clang, Host::Opt]),
    ("c/gemm_c99.c", &[Host::Clang]),
    ("c/2mm.c", &[Host::Clang]),
    ("c/syrk.c", &[Host::Clang, Host::Opt]),
    ("c/matvec.c", &[Host::Clang]),
    ("c/jacobi2d.c", &[Host::Clang]),
    ("c/jacobi2d_columns.c", &[Host::Clang]),
    ("rust/gemm_array.rs", &[Host::Rustc]),
    ("rust/gemm_slice.rs", &[Host::Rustc, Host::RustcNightly]),
];

/// Each build runs at least this often ...
const MIN_RUNS: usize = 3;
/// ... and, where the times are short or close to each other, more often than that, up to this.
const MAX_RUNS: usize = 11;
/// What all runs of a plain build may take when the two builds are close.
const LONG_ENOUGH: f64 = 20.0;
/// What they take otherwise.
const ENOUGH: f64 = 3.0;
/// Builds whose medians have a ratio below this are close.
const CLOSE: f64 = 1.3;

fn main() -> Result<ExitCode, Failure> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().map_err(|error| Failure::new("making a folder", error.to_string()))?;
    println!(
        "{:<18} {:<8} {:>11} {:>10} {:>10} {:>7}",
        "program", "host", "transformed", "plain s", "tessera s", "ratio"
    );
    let mut all_remarks = Vec::new();
    let mut failures = Vec::new();
    for (example, hosts) in EXAMPLES {
        let source = workspace().join("examples").join(example);
        let name = source.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
        if !wanted.is_empty() && !wanted.iter().any(|part| name.contains(part.as_str())) {
            continue;
        }
        for &host in hosts {
            if !host.is_available() {
                println!("{name:<18} {:<8} (not installed)", host.name());
                continue;
            }
            match measure(&name, &source, host, &plugin, folder.path()) {
                Ok(row) => {
                    clear_progress();
                    println!("{row}");
                    all_remarks.extend(row.remarks.iter().map(|remark| format!("{name}, {}: {remark}", host.name())));
                }
                Err(failure) => {
                    clear_progress();
                    println!("{name:<18} {:<8} FAILED", host.name());
                    failures.push(failure);
                }
            }
        }
    }
    println!("\nwhat was transformed:");
    for remark in &all_remarks {
        println!("  {remark}");
    }
    if all_remarks.is_empty() {
        println!("  nothing");
    }
    for failure in &failures {
        println!("\n{failure}");
    }
    if failures.is_empty() {
        println!("\nevery output is the same, bit for bit");
        return Ok(ExitCode::SUCCESS);
    }
    Ok(ExitCode::FAILURE)
}

/// One line of the table.
struct Row {
    name: String,
    host: Host,
    remarks: Vec<String>,
    plain: f64,
    tessera: f64,
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Row { name, host, remarks, plain, tessera } = self;
        let transformed = match remarks.len() {
            0 => "-".to_string(),
            1 => "1 nest".to_string(),
            count => format!("{count} nests"),
        };
        let ratio = plain / tessera.max(1e-9);
        write!(f, "{name:<18} {:<8} {transformed:>11} {plain:>10.3} {tessera:>10.3} {ratio:>6.2}x", host.name())
    }
}

/// What one run of a program gives.
#[derive(PartialEq)]
struct Outcome {
    stdout: Vec<u8>,
    dump: Vec<u8>,
}

fn measure(name: &str, source: &Path, host: Host, plugin: &Plugin, folder: &Path) -> Result<Row, Failure> {
    progress(&format!("{name}, {}: compiling", host.name()));
    let executables = ["plain", "tessera"].map(|kind| folder.join(format!("{name}-{}-{kind}", host.name())));
    let [plain, tessera] = &executables;
    // Both builds ask for the same remarks, so that both have the same line tables.
    let plain_build = Compilation::plain(host).flags(flags(host)).remarks(Remarks::Passed);
    plain_build.compile(source, Product::Executable, plain)?;
    let tessera_build = Compilation::with(host, plugin, "").flags(flags(host)).remarks(Remarks::Passed);
    let log = tessera_build.compile(source, Product::Executable, tessera)?;

    let mut seconds = [Vec::new(), Vec::new()];
    let mut first: Option<Outcome> = None;
    while wants_more_runs(&seconds) {
        for (at, executable) in executables.iter().enumerate() {
            let kind = ["plain", "with Tessera"][at];
            progress(&format!("{name}, {}: run {} {kind}", host.name(), seconds[at].len() + 1));
            let (result, time) = run(executable, &folder.join("dump"))?;
            seconds[at].push(time);
            match &first {
                None => first = Some(result),
                Some(first) => same(name, kind, first, &result)?,
            }
        }
    }
    let [plain, tessera] = seconds.each_ref().map(|seconds| median(seconds));
    Ok(Row { name: name.to_string(), host, remarks: passed(host, &log), plain, tessera })
}

/// opt compiles for the generic CPU unless its front end is told otherwise.
fn flags(host: Host) -> &'static [&'static str] {
    if host == Host::Opt { &["-march=native"] } else { &[] }
}

fn run(executable: &PathBuf, dump: &Path) -> Result<(Outcome, f64), Failure> {
    let output = Run::new(executable).arg(dump).output()?;
    let failure = |reason: String| Failure::new(executable.display().to_string(), reason);
    let seconds = output.stderr.lines().find_map(|line| line.strip_prefix("kernel seconds: ")?.parse().ok());
    let seconds = seconds.ok_or_else(|| failure("no kernel time on standard error".to_string()))?;
    let bytes = std::fs::read(dump).map_err(|error| failure(format!("{}: {error}", dump.display())))?;
    Ok((Outcome { stdout: output.stdout, dump: bytes }, seconds))
}

fn same(name: &str, kind: &str, first: &Outcome, result: &Outcome) -> Result<(), Failure> {
    let what = format!("{name} {kind}");
    if let Some(text) = difference(&first.stdout, &result.stdout) {
        return Err(Failure::new(what, text));
    }
    match first.dump.iter().zip(&result.dump).position(|(one, other)| one != other) {
        Some(at) => Err(Failure::new(what, format!("the result differs from the plain one at byte {at}"))),
        None if first.dump.len() != result.dump.len() => Err(Failure::new(what, "the results differ in length")),
        None => Ok(()),
    }
}

/// The messages of the remarks about transformed nests, with their lines.
fn passed(host: Host, log: &str) -> Vec<String> {
    let message = |line: &str| match host {
        Host::Clang | Host::ClangCpp => {
            let (place, message) = line.strip_suffix("[-Rpass=tessera]")?.split_once(": remark: ")?;
            Some((place.to_string(), message.to_string()))
        }
        Host::Opt => {
            let (place, message) = line.strip_prefix("remark: ")?.split_once(": ")?;
            Some((place.to_string(), message.to_string()))
        }
        Host::Rustc | Host::RustcNightly => {
            let (place, message) = line.strip_prefix("note: ")?.split_once(" tessera (success): ")?;
            Some((place.to_string(), message.to_string()))
        }
    };
    log.lines()
        .filter_map(message)
        .map(|(place, message)| {
            let file = place.rsplit('/').next().unwrap_or(&place);
            format!("{file}: {}", message.trim())
        })
        .collect()
}

fn wants_more_runs(seconds: &[Vec<f64>; 2]) -> bool {
    let [plain, tessera] = seconds;
    if plain.len() < MIN_RUNS {
        return true;
    }
    let limit = if median(plain) < CLOSE * median(tessera) { LONG_ENOUGH } else { ENOUGH };
    plain.len() < MAX_RUNS && plain.iter().sum::<f64>() < limit
}

fn median(seconds: &[f64]) -> f64 {
    let mut seconds = seconds.to_vec();
    seconds.sort_by(f64::total_cmp);
    seconds.get(seconds.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Shows what is going on: one changing line on a terminal, one line each elsewhere.
fn progress(text: &str) {
    let mut stderr = std::io::stderr();
    let _ = if stderr.is_terminal() { write!(stderr, "\r\x1b[K{text}") } else { writeln!(stderr, "{text}") };
    let _ = stderr.flush();
}

fn clear_progress() {
    if std::io::stderr().is_terminal() {
        progress("");
    }
}
