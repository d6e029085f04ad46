//! Remarks: every kernel of the corpus that has a loop gets at least one, with a line of its own source, in words for
//! people who do not know LLVM.

use tessera_tests::corpus::{self, Program};
use tessera_tests::host::{Compilation, Host, JARGON, Product, Remarks};
use tessera_tests::plugin::Plugin;
use tessera_tests::process::Failure;

/// Kernels of which no loop is left when the pass meets them, or whose loop has two entries and is none for LLVM.
const NO_LOOP: [&str; 3] = ["k_empty_inner", "k_fixed_small", "k_two_entries"];

/// The lines of each kernel: its name, its first line and its last one.
fn line_ranges(text: &str) -> Vec<(String, usize, usize)> {
    let mut ranges: Vec<(String, usize, usize)> = Vec::new();
    let mut open: Option<(String, usize)> = None;
    for (number, line) in text.lines().enumerate() {
        let is_kernel = line.starts_with("KERNEL ") || line.contains(" fn k_");
        if let (true, Some(at)) = (is_kernel, line.find(" k_")) {
            let name = line[at + 1..].split('(').next().unwrap_or("").to_string();
            open = Some((name, number + 1));
        } else if line == "}"
            && let Some((name, first)) = open.take()
        {
            ranges.push((name, first, number + 1));
        }
    }
    ranges
}

/// The line and the message of a remark about `file`.
fn remark<'a>(host: Host, file: &str, line: &'a str) -> Option<(usize, &'a str)> {
    let (place, message) = match host {
        Host::Rustc => line.strip_prefix("note: ")?.split_once(" tessera (")?,
        _ => line.split_once(": remark: ")?,
    };
    let mut parts = place.rsplit('/').next()?.split(':');
    (parts.next() == Some(file)).then(|| parts.next()?.parse().ok()).flatten().map(|line| (line, message))
}

fn check(program: &Program, host: Host) -> Result<Vec<String>, Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = Compilation::with(host, &plugin, "").remarks(Remarks::All).compile(
        &program.source,
        Product::Object,
        &folder.path().join("object.o"),
    )?;
    let text = std::fs::read_to_string(&program.source).expect("the program can be read");
    let file = program.source.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let remarks: Vec<(usize, &str)> = log.lines().filter_map(|line| remark(host, &file, line)).collect();
    let mut wrong = Vec::new();
    for (name, first, last) in line_ranges(&text) {
        let body: Vec<&str> = text.lines().skip(first - 1).take(last + 1 - first).collect();
        let has_loop =
            body.iter().any(|line| line.contains("for (") || line.contains("while (") || line.contains("for "));
        if has_loop
            && !NO_LOOP.contains(&name.as_str())
            && !remarks.iter().any(|(line, _)| (first..=last).contains(line))
        {
            wrong.push(format!("{file}: no remark about {name}, lines {first} to {last}"));
        }
    }
    for (line, message) in remarks {
        if let Some(word) = JARGON.iter().find(|word| message.contains(**word)) {
            wrong.push(format!("{file}:{line}: `{word}` in the remark `{message}`"));
        }
    }
    Ok(wrong)
}

fn check_all(host: Host) -> Result<(), Failure> {
    let mut wrong = Vec::new();
    for program in corpus::programs()?.iter().filter(|program| program.language == host.language()) {
        wrong.extend(check(program, host)?);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

#[test]
fn clang_explains_every_kernel() -> Result<(), Failure> {
    check_all(Host::Clang)
}

#[test]
fn clang_explains_every_kernel_in_cpp() -> Result<(), Failure> {
    check_all(Host::ClangCpp)
}

#[test]
fn rustc_explains_every_kernel() -> Result<(), Failure> {
    check_all(Host::Rustc)
}
