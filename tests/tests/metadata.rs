//! What comes with instructions and loops: source lines, and the user's pragmas about loops, on new code and on the old loops.

use std::collections::BTreeMap;
use std::path::Path;
use tessera_tests::corpus;
use tessera_tests::host::Language;
use tessera_tests::plugin::{Plugin, workspace};
use tessera_tests::process::{Failure, Run};

/// Transforms everything and lets LLVM's clean-up not touch it: hoisted code loses its lines there.
const EVERYTHING: &str = "unprofitable;min-work=0;tile=3;cleanup=off";

/// The IR right after the pass in the default pipeline, from a C file, verified.
fn after_pass(source: &Path, options: &str, flags: &[&str]) -> Result<String, Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = folder.path().join("input.ll");
    Run::new("clang-22")
        .args([
            "-O3",
            "-std=gnu17",
            "-g",
            "-fno-discard-value-names",
            "-Xclang",
            "-disable-llvm-passes",
            "-S",
            "-emit-llvm",
        ])
        .args(flags)
        .arg(format!("-I{}", workspace().join("tests/programs/c").display()))
        .arg(source)
        .arg("-o")
        .arg(&input)
        .output()?;
    let load = format!("-load-pass-plugin={}", plugin.path().display());
    let printed = Run::new("opt-22").args([&load, "-passes=default<O3>", "-print-pipeline-passes", "-disable-output"]);
    let pipeline = String::from_utf8_lossy(&printed.arg(&input).output()?.stdout).into_owned();
    let (before, _) = pipeline.split_once(",tessera,").expect("the pass in the pipeline");
    let run = Run::new("opt-22").env("TESSERA", options).arg(&load).arg(format!("-passes={before},tessera),verify"));
    let output = run.args(["-S", "-o", "-"]).arg(&input).output()?;
    let log = output.stderr;
    assert!(!log.contains("invalid debug info"), "{}: {log}", source.display());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The lines of all blocks made by the pass.
fn new_lines(ir: &str) -> Vec<&str> {
    let mut inside = false;
    let mut lines = Vec::new();
    for line in ir.lines() {
        if line.ends_with('}') || line.is_empty() {
            continue;
        }
        if !line.starts_with(' ') {
            inside = line.starts_with("tessera.");
        } else if inside {
            lines.push(line.trim());
        }
    }
    lines
}

/// Every load, store, call and branch of new code has a line, where the program was compiled with `-g`.
#[test]
fn new_code_has_the_lines_of_the_source() -> Result<(), Failure> {
    let mut seen = 0;
    for program in corpus::programs()?.iter().filter(|program| program.language == Language::C) {
        let ir = after_pass(&program.source, EVERYTHING, &[])?;
        for line in new_lines(&ir) {
            let operation = line.split_once(" = ").map_or(line, |(_, operation)| operation);
            let words = ["load ", "store ", "call ", "tail call ", "br "];
            // Markers of scopes do nothing.
            if words.iter().any(|word| operation.starts_with(word)) && !operation.contains("@llvm.experimental.noalias")
            {
                seen += 1;
                assert!(line.contains("!dbg !"), "{}: no line: {line}", program.source.display());
            }
        }
    }
    assert!(seen > 1000, "only {seen} instructions were looked at");
    Ok(())
}

/// The line of a new access is that of the access that it stands for.
#[test]
fn an_access_keeps_its_own_line() -> Result<(), Failure> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("lines.c");
    let text = "void lines(long n, double *restrict A, double *restrict B) {\n  for (long i = 0; i < n; i++)\n    \
                for (long j = 0; j < n; j++)\n      A[j * n + i] =\n        B[j * n + i]\n        * 3.0;\n}\n";
    std::fs::write(&source, text).expect("the program can be written");
    let ir = after_pass(&source, EVERYTHING, &[])?;
    let line_of = |word: &str| {
        let line = new_lines(&ir).into_iter().find(|line| line.contains(word))?;
        let node = line.split_once("!dbg ")?.1.split(',').next()?;
        let location = ir.lines().find_map(|line| line.strip_prefix(&format!("{node} = ")))?;
        location.split_once("line: ")?.1.split(',').next()?.parse::<u32>().ok()
    };
    assert_eq!((line_of("load double"), line_of(" fmul "), line_of("store double")), (Some(5), Some(6), Some(4)));
    Ok(())
}

/// The properties of each loop of a module, by whether the pass made it.
fn properties(ir: &str) -> (Vec<Vec<String>>, Vec<Vec<String>>) {
    let nodes: BTreeMap<&str, &str> =
        ir.lines().filter(|line| line.starts_with('!')).filter_map(|line| line.split_once(" = ")).collect();
    let operands = |node: &str| -> Vec<String> {
        let inside = nodes.get(node).and_then(|text| text.split_once('{')).map_or("", |(_, rest)| rest);
        inside.trim_end_matches('}').split(", ").map(String::from).collect()
    };
    let (mut new, mut old) = (Vec::new(), Vec::new());
    for line in ir.lines().filter(|line| line.starts_with("  br ")) {
        let Some((_, id)) = line.split_once("!llvm.loop ") else { continue };
        let parts = operands(id.split(',').next().unwrap_or(id));
        let texts = parts.iter().skip(1).map(|part| operands(part).join(" ")).filter(|text| text.starts_with("!\""));
        let is_new = line.contains("label %tessera.loop");
        (if is_new { &mut new } else { &mut old }).push(texts.collect());
    }
    (new, old)
}

fn has(properties: &[String], name: &str) -> bool {
    properties.iter().any(|property| property.starts_with(&format!("!\"{name}\"")))
}

/// What a pragma forbids is forbidden for the new innermost loop and for the old one; what it asks for is kept where the same loop is
/// innermost.
#[test]
fn pragmas_about_loops_are_kept() -> Result<(), Failure> {
    let nest = |pragma: &str, subscript: &str| {
        format!(
            "void pragmas(long n, double *restrict A, double *restrict B) {{\n  for (long i = 0; i < n; i++)\n    {pragma}\n    \
             for (long j = 0; j < n; j++)\n      A[{subscript}] = 2.0 * B[{subscript}];\n}}\n"
        )
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("pragmas.c");
    let loops = |text: &str, options: &str| -> Result<_, Failure> {
        std::fs::write(&source, text).expect("the program can be written");
        Ok(properties(&after_pass(&source, options, &["-Wno-pass-failed"])?))
    };
    let names = ["llvm.loop.unroll.disable", "llvm.loop.vectorize.width"];
    // Interchanged: the innermost new loop is the old outer one.
    let forbidding = nest("#pragma clang loop unroll(disable) vectorize(disable)", "j * n + i");
    let (new, old) = loops(&forbidding, "min-work=0")?;
    for name in names {
        assert!(new.iter().filter(|loop_| has(loop_, name)).count() == 2, "{name} on new loops: {new:?}");
        assert!(old.iter().any(|loop_| has(loop_, name)), "{name} on old loops: {old:?}");
    }
    // Without the pragma nothing of the kind is there.
    let (new, old) = loops(&nest("", "j * n + i"), "min-work=0")?;
    assert!(!new.iter().chain(&old).any(|loop_| has(loop_, names[1])), "{new:?} {old:?}");
    // The outer one of the two new loops is never unrolled.
    let not_unrolled = |loops: &[Vec<String>]| loops.iter().filter(|loop_| has(loop_, names[0])).count();
    assert_eq!((not_unrolled(&new), not_unrolled(&old)), (1, 0), "{new:?} {old:?}");
    // Asked for: kept where the loop stays innermost (tiled only), not where it becomes the outer one.
    let asking = "#pragma clang loop vectorize_width(2) interleave_count(4)";
    let (new, _) = loops(&nest(asking, "i * n + j"), "min-work=0;unprofitable;tile=8")?;
    assert!(new.iter().any(|loop_| has(loop_, "llvm.loop.interleave.count")), "{new:?}");
    let (new, old) = loops(&nest(asking, "j * n + i"), "min-work=0")?;
    assert!(!new.iter().any(|loop_| has(loop_, "llvm.loop.interleave.count")), "{new:?}");
    assert!(old.iter().any(|loop_| has(loop_, "llvm.loop.interleave.count")), "{old:?}");
    Ok(())
}

/// A loop that C says ends is counted; where the user takes that back, it is not.
#[test]
fn progress_is_what_the_source_promises() -> Result<(), Failure> {
    let source = workspace().join("tests/programs/c/promises.c");
    let transformed = |flags: &[&str]| -> Result<bool, Failure> {
        let ir = after_pass(&source, "", flags)?;
        let function = corpus::function_in_ir(&ir, "k_ends").expect("the kernel");
        Ok(corpus::has_tessera_blocks(function))
    };
    assert!(transformed(&[])?);
    assert!(!transformed(&["-fno-finite-loops"])?);
    Ok(())
}
