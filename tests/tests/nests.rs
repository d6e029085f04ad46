//! Exactly one remark about every outermost loop nest: over all programs and kernels, LLVM's own count of the loops that the
//! pass meets against the records it writes; and the same remarks through every switch that shows them.
//!
//! The count is taken by LLVM's printer of loops, put right before the pass into the textual pipeline of `default<O3>`.

use libtest_mimic::{Arguments, Trial};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tessera_tests::host::JARGON;
use tessera_tests::plugin::{Plugin, workspace};
use tessera_tests::process::{Failure, Run};
use tessera_tests::record::{Remark, remarks};

fn main() -> Result<std::process::ExitCode, Failure> {
    let arguments = Arguments::from_args();
    let plugin = Arc::new(Plugin::locate()?);
    let mut trials = Vec::new();
    for folder in ["programs/c", "programs/rust", "corpus/c99", "corpus/cpp", "corpus/flat", "corpus/rust", "reasons"] {
        for source in sources(folder)? {
            let plugin = plugin.clone();
            let name = format!("{folder}::{}", source.file_stem().unwrap_or_default().to_string_lossy());
            trials.push(Trial::test(name, move || one_for_each_nest(&plugin, &source).map_err(Into::into)));
        }
    }
    for (name, test) in [
        ("doors::clang", clang_doors as fn(&Plugin) -> Result<(), Failure>),
        ("doors::rustc", rustc_doors),
        ("doors::rustc_with_several_units", rustc_with_several_units),
    ] {
        let plugin = plugin.clone();
        trials.push(Trial::test(name, move || test(&plugin).map_err(Into::into)));
    }
    Ok(libtest_mimic::run(&arguments, trials).exit_code())
}

fn failure(what: impl Into<String>, error: impl std::fmt::Display) -> Failure {
    Failure::new(what, error.to_string())
}

fn sources(folder: &str) -> Result<Vec<PathBuf>, Failure> {
    let path = workspace().join("tests").join(folder);
    let entries = std::fs::read_dir(&path).map_err(|error| failure(path.display().to_string(), error))?;
    let mut sources: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    sources.retain(|path| {
        let is_source = path.extension().is_some_and(|e| ["c", "cpp", "rs"].iter().any(|known| e == *known));
        is_source && path.file_stem().is_some_and(|stem| stem != "check")
    });
    sources.sort();
    Ok(sources)
}

/// The IR of a program as the front end makes it, for -O3 but before any pass.
fn unoptimised(source: &Path, to: &Path) -> Result<(), Failure> {
    let clang = |program: &str, standard: &str| {
        Run::new(program)
            .args([standard, "-O3", "-Xclang", "-disable-llvm-passes", "-gline-tables-only", "-S", "-emit-llvm"])
            .arg(source)
            .arg("-o")
            .arg(to)
            .output()
    };
    match source.extension().and_then(|extension| extension.to_str()) {
        Some("c") => clang("clang-22", "-std=gnu17").map(drop),
        Some("cpp") => clang("clang++-22", "-std=c++23").map(drop),
        _ => {
            let text = std::fs::read_to_string(source).map_err(|error| failure(source.display().to_string(), error))?;
            let kind = if text.contains("fn main()") { "bin" } else { "lib" };
            Run::new("rustc")
                .args(["--edition=2024", "-Copt-level=3", "-Cno-prepopulate-passes", "-Ccodegen-units=1"])
                .args(["-Cdebuginfo=line-tables-only", "--emit=llvm-ir", "--crate-type", kind])
                .arg(source)
                .arg("-o")
                .arg(to)
                .output()
                .map(drop)
        }
    }
}

fn one_for_each_nest(plugin: &Plugin, source: &Path) -> Result<(), Failure> {
    let what = source.display().to_string();
    let folder = tempfile::tempdir().map_err(|error| failure("making a folder", error))?;
    let (input, record) = (folder.path().join("input.ll"), folder.path().join("record.yaml"));
    unoptimised(source, &input)?;
    let load = format!("-load-pass-plugin={}", plugin.path().display());
    let printed = Run::new("opt-22").args([&load, "-passes=default<O3>", "-print-pipeline-passes"]);
    let printed = printed.args(["-disable-output"]).arg(&input).output()?;
    let pipeline = String::from_utf8_lossy(&printed.stdout).trim().to_string();
    let counting = pipeline.replacen(",tessera,", ",print<loops>,tessera,", 1);
    if counting == pipeline {
        return Err(Failure::new(what, format!("the pass is not in the pipeline {pipeline}")));
    }
    let run = Run::new("opt-22").arg(&load).arg(format!("-passes={counting}"));
    let run = run.arg(format!("-pass-remarks-output={}", record.display())).arg("-pass-remarks-filter=tessera");
    let mut loops = outermost_loops(&run.arg("-disable-output").arg(&input).output()?.stderr);
    let text = std::fs::read_to_string(&input).map_err(|error| failure(&what, error))?;
    // The printer of loops also looks at functions that ask not to be optimised.
    for name in without_optimisation(&text) {
        loops.remove(name);
    }
    let record = std::fs::read_to_string(&record).map_err(|error| failure(&what, error))?;
    let remarks = remarks(&record);
    let mut said: BTreeMap<&str, usize> = BTreeMap::new();
    for remark in &remarks {
        *said.entry(&remark.function).or_default() += 1;
    }
    let said: BTreeMap<String, usize> = said.into_iter().map(|(name, count)| (name.to_string(), count)).collect();
    if loops.is_empty() {
        return Err(Failure::new(what, "no loop is left"));
    }
    if said != loops {
        return Err(Failure::new(what, format!("outermost loops: {loops:?}\nremarks: {said:?}\n{remarks:?}")));
    }
    for remark in &remarks {
        if let Some(word) = JARGON.iter().find(|word| remark.message.contains(**word)) {
            return Err(Failure::new(what, format!("`{word}` in {remark:?}")));
        }
        if remark.line == 0 {
            return Err(Failure::new(what, format!("no line: {remark:?}")));
        }
    }
    Ok(())
}

/// The functions of a module that are `optnone`.
fn without_optimisation(ir: &str) -> Vec<&str> {
    let groups = ir.lines().filter_map(|line| line.strip_prefix("attributes ")?.split_once(" = {"));
    let groups: Vec<&str> = groups.filter(|(_, all)| all.contains(" optnone ")).map(|(group, _)| group).collect();
    let is_without = |line: &str| line.split_whitespace().any(|word| groups.contains(&word));
    let definitions = ir.lines().filter(|line| line.starts_with("define ") && is_without(line));
    definitions.filter_map(|line| line.split_once('@')?.1.split('(').next()).collect()
}

/// How many outermost loops each function has, without those that have none, from what `print<loops>` prints.
fn outermost_loops(text: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let mut function = "";
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("Loop info for function '") {
            function = name.trim_end_matches("':");
        } else if line.trim_start_matches("Parallel ").starts_with("Loop at depth 1 ") {
            *counts.entry(function.to_string()).or_default() += 1;
        }
    }
    counts
}

/// Line and message of each remark, in order.
fn summary(remarks: &[Remark]) -> Vec<(u64, String)> {
    let mut summary: Vec<_> = remarks.iter().map(|remark| (remark.line, remark.message.clone())).collect();
    summary.sort();
    summary
}

/// Remarks that clang prints, from each of its switches, and those that it writes to a file: the same.
fn clang_doors(plugin: &Plugin) -> Result<(), Failure> {
    let source = workspace().join("tests/programs/c/exits.c");
    let folder = tempfile::tempdir().map_err(|error| failure("making a folder", error))?;
    let record = folder.path().join("record.yaml");
    let shown = |flags: &[&str]| -> Result<Vec<(u64, String)>, Failure> {
        let run = Run::new("clang-22").args(["-O3", "-std=gnu17", "-gline-tables-only", "-c"]).args(flags);
        let run = run.arg(format!("-fpass-plugin={}", plugin.path().display())).arg(&source);
        let log = run.arg("-o").arg(folder.path().join("object.o")).output()?.stderr;
        let mut shown = Vec::new();
        for line in log.lines() {
            let Some((place, message)) = line.split_once(": remark: ") else { continue };
            let (message, switch) = message.rsplit_once(" [-Rpass").unwrap_or((message, ""));
            if switch.ends_with("=tessera]") && !message.starts_with("steps: ") {
                let line = place.rsplit(':').nth(1).and_then(|line| line.parse().ok()).unwrap_or(0);
                shown.push((line, message.to_string()));
            }
        }
        shown.sort();
        Ok(shown)
    };
    let all = shown(&["-Rpass=tessera", "-Rpass-missed=tessera", "-Rpass-analysis=tessera"])?;
    let mut apart = shown(&["-Rpass=tessera"])?;
    let (passed, missed) = (apart.len(), shown(&["-Rpass-missed=tessera"])?);
    apart.extend(missed.iter().cloned());
    apart.sort();
    let analyses = shown(&["-Rpass-analysis=tessera"])?;
    let file = format!("-foptimization-record-file={}", record.display());
    let silent = shown(&["-fsave-optimization-record", "-foptimization-record-passes=tessera", &file])?;
    let text = std::fs::read_to_string(&record).map_err(|error| failure("reading a record", error))?;
    let written = summary(&remarks(&text));
    assert!(passed > 0 && !missed.is_empty() && silent.is_empty(), "{passed} {missed:?} {silent:?}");
    assert_eq!(all, apart, "all switches together, and one at a time");
    assert_eq!(all, analyses, "all switches together, and the one for analyses alone");
    assert_eq!(all, written, "what is printed, and what is written");
    Ok(())
}

fn rustc(plugin: &Plugin, folder: &Path, flags: &[&str]) -> Result<String, Failure> {
    let run = Run::new("rustc").env("RUSTC_BOOTSTRAP", "1").args(["--edition=2024", "-Copt-level=3"]);
    let run = run.arg(format!("-Zllvm-plugins={}", plugin.path().display())).args(flags);
    let run = run.args(["-Cremark=tessera", "-Cdebuginfo=line-tables-only"]);
    let source = workspace().join("tests/programs/rust/loops.rs");
    Ok(run.arg(source).arg("-o").arg(folder.join("program")).output()?.stderr)
}

/// What rustc prints: line and message.
fn printed_by_rustc(log: &str) -> Vec<(u64, String)> {
    let notes = log.lines().filter_map(|line| line.strip_prefix("note: ")?.split_once(" tessera ("));
    let mut printed: Vec<(u64, String)> = notes
        .filter(|(_, message)| !message.contains("): steps: "))
        .map(|(place, message)| {
            let line = place.trim_end_matches(':').rsplit(':').nth(1).and_then(|line| line.parse().ok()).unwrap_or(0);
            (line, message.split_once("): ").map_or(message, |(_, sentence)| sentence).to_string())
        })
        .collect();
    printed.sort();
    printed
}

/// What rustc writes with `-Z remark-dir`, over all files.
fn written_by_rustc(plugin: &Plugin, flags: &[&str]) -> Result<Vec<(u64, String)>, Failure> {
    let folder = tempfile::tempdir().map_err(|error| failure("making a folder", error))?;
    let records = folder.path().join("records");
    let mut all = vec![format!("-Zremark-dir={}", records.display())];
    all.extend(flags.iter().map(|flag| (*flag).to_string()));
    rustc(plugin, folder.path(), &all.iter().map(String::as_str).collect::<Vec<_>>())?;
    let mut written = Vec::new();
    for entry in std::fs::read_dir(&records).map_err(|error| failure("listing records", error))? {
        let path = entry.map_err(|error| failure("listing records", error))?.path();
        written.extend(remarks(&std::fs::read_to_string(&path).map_err(|error| failure("reading a record", error))?));
    }
    Ok(summary(&written))
}

/// Remarks that rustc prints and those that it writes to files, with one code generation unit: the same.
fn rustc_doors(plugin: &Plugin) -> Result<(), Failure> {
    let folder = tempfile::tempdir().map_err(|error| failure("making a folder", error))?;
    let printed = printed_by_rustc(&rustc(plugin, folder.path(), &["-Ccodegen-units=1"])?);
    let written = written_by_rustc(plugin, &["-Ccodegen-units=1"])?;
    assert!(printed.len() > 2, "{printed:?}");
    assert_eq!(printed, written);
    Ok(())
}

/// With several code generation units and its default link-time optimisation rustc passes on no remarks (the manual says so; if it
/// does one day, the manual should change). The plugin's own option prints them all the same.
fn rustc_with_several_units(plugin: &Plugin) -> Result<(), Failure> {
    let folder = tempfile::tempdir().map_err(|error| failure("making a folder", error))?;
    let several = ["-Ccodegen-units=4"];
    assert!(printed_by_rustc(&rustc(plugin, folder.path(), &several)?).is_empty(), "rustc shows remarks now");
    assert!(written_by_rustc(plugin, &several)?.is_empty(), "rustc writes remarks now");
    let one = printed_by_rustc(&rustc(plugin, folder.path(), &["-Ccodegen-units=1"])?);
    let off = printed_by_rustc(&rustc(plugin, folder.path(), &["-Ccodegen-units=4", "-Clto=off"])?);
    let source = workspace().join("tests/programs/rust/loops.rs");
    let run = Run::new("rustc").env("RUSTC_BOOTSTRAP", "1").env("TESSERA", "remarks").args(["--edition=2024"]);
    let run = run.args(["-Copt-level=3", "-Cdebuginfo=line-tables-only", "-Ccodegen-units=4"]);
    let run = run.arg(format!("-Zllvm-plugins={}", plugin.path().display())).arg(&source);
    let log = run.arg("-o").arg(folder.path().join("program")).output()?.stderr;
    let mut echoed = Vec::new();
    for line in log.lines() {
        let parts = line.strip_suffix(" [tessera]").and_then(|line| line.split_once(": remark: "));
        let Some((place, message)) = parts else { continue };
        let line = place.rsplit(':').nth(1).and_then(|line| line.parse().ok()).unwrap_or(0);
        echoed.push((line, message.to_string()));
    }
    echoed.sort();
    // Inlining across units may differ, so what is inlined may be told of in other places; the kernels are not inlined. What has a
    // line behind the end of the source is from the standard library.
    let text = std::fs::read_to_string(&source).map_err(|error| failure("reading the source", error))?;
    let own = 1..=text.lines().count() as u64;
    let kernels = |mut all: Vec<(u64, String)>| {
        all.retain(|(line, message)| own.contains(line) && message.starts_with("loop nest transformed"));
        all.dedup();
        all
    };
    assert!(kernels(one.clone()).len() > 1, "{one:?}");
    assert_eq!(kernels(echoed), kernels(one.clone()), "TESSERA=remarks, and what rustc shows of one unit");
    assert_eq!(kernels(off), kernels(one), "without link-time optimisation, and of one unit");
    Ok(())
}
