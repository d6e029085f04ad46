//! Every reason for leaving a nest alone has a stable name, a line in the manual, and a program in `tests/reasons` that gets
//! exactly one remark with this reason: `REASON.c`, or `REASON.ll` where clang itself would remove the loops first.
//!
//! Comments in a program: `// flags: ...` for clang, `// options: ...` for the plugin.

use std::path::{Path, PathBuf};
use tessera_tests::host::{Compilation, Host, JARGON, Product};
use tessera_tests::plugin::{Plugin, workspace};
use tessera_tests::process::{Failure, Run};
use tessera_tests::record::{Remark, remarks};

/// Names of remarks that are no reasons.
const OTHERS: [&str; 4] = ["LoopTransformed", "InnerLoopsTransformed", "InternalError", "WrongOption"];

/// Reasons whose sentences quote the compiler.
const QUOTING: [&str; 2] = ["Verifier", "Internal"];

fn read(path: &str) -> String {
    std::fs::read_to_string(workspace().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The variants of the enumeration `Reason`, from its source.
fn variants() -> Vec<String> {
    let text = read("plugin/src/reasons.rs");
    let (_, body) = text.split_once("pub enum Reason {\n").expect("the enumeration");
    let (body, _) = body.split_once("\n}\n").expect("its end");
    let lines = body.lines().filter_map(|line| line.strip_prefix("    "));
    let lines = lines.filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()));
    lines.map(|line| line.trim_end_matches([',', '{', ' ']).to_string()).collect()
}

#[test]
fn every_reason_has_its_own_name() {
    let variants = variants();
    assert!(variants.len() >= 22, "only {} variants were found", variants.len());
    let text = read("plugin/src/reasons.rs");
    for variant in &variants {
        let named = text.lines().any(|line| {
            let arm = line.trim().strip_prefix("Self::").and_then(|rest| rest.split_once(" => "));
            arm.is_some_and(|(pattern, name)| {
                pattern.trim_end_matches(" { .. }") == variant && name == format!("\"{variant}\",")
            })
        });
        assert!(named, "the name of the reason {variant} is not its variant's");
    }
}

#[test]
fn every_name_is_in_the_manual() {
    let manual = read("docs/manual.md");
    let (_, table) = manual.split_once("### Not transformed").expect("the section");
    let (table, _) = table.split_once("\n### ").expect("the next section");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .map(|row| row.split(" | ").next().unwrap_or("").split("`").filter(|name| !name.starts_with(',')).collect())
        .collect();
    for variant in variants() {
        let count = rows.iter().flatten().filter(|name| **name == variant).count();
        assert_eq!(count, 1, "lines about {variant} in the manual's table");
    }
    for name in OTHERS {
        assert!(manual.contains(&format!("`{name}`")), "{name} is not in the manual");
    }
}

/// The value of a comment at the start of a program.
fn comment(text: &str, key: &str) -> String {
    let lines = text.lines().take_while(|line| line.starts_with("//"));
    let values = lines.filter_map(|line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": "));
    values.collect::<Vec<_>>().join(" ")
}

/// Compiles a program and gives what the plugin says about it, and what a user sees.
fn said(source: &Path, plugin: &Plugin) -> Result<(Vec<Remark>, String), Failure> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let record = folder.path().join("record.yaml");
    let log = if source.extension().is_some_and(|extension| extension == "ll") {
        Run::new("opt-22")
            .arg(format!("-load-pass-plugin={}", plugin.path().display()))
            .args([
                "-passes=tessera",
                "-disable-output",
                "-pass-remarks-missed=tessera",
                "-pass-remarks-filter=tessera",
            ])
            .arg(format!("-pass-remarks-output={}", record.display()))
            .arg(source)
            .output()?
            .stderr
    } else {
        let text = std::fs::read_to_string(source).expect("the program can be read");
        let (flags, options) = (comment(&text, "flags"), comment(&text, "options"));
        let file = format!("-foptimization-record-file={}", record.display());
        let fixed =
            ["-g", "-Rpass-missed=tessera", "-fsave-optimization-record", "-foptimization-record-passes=tessera"];
        let build = Compilation::with(Host::Clang, plugin, &options).flags(&fixed).flags(&[&file]);
        build.flags(&flags.split_whitespace().collect::<Vec<_>>()).compile(
            source,
            Product::Object,
            &folder.path().join("object.o"),
        )?
    };
    let record =
        std::fs::read_to_string(&record).map_err(|error| Failure::new("reading a record", error.to_string()))?;
    Ok((remarks(&record), log))
}

#[test]
fn every_reason_is_given_by_a_program() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let mut wrong = Vec::new();
    for reason in variants() {
        let path = |extension: &str| workspace().join(format!("tests/reasons/{reason}.{extension}"));
        let Some(source) = ["c", "ll"].map(path).into_iter().find(|path| path.exists()) else {
            wrong.push(format!("{reason}: no program in tests/reasons"));
            continue;
        };
        let (remarks, log) = said(&source, &plugin)?;
        let [remark] = remarks.as_slice() else {
            wrong.push(format!("{reason}: {} remarks instead of one: {remarks:?}", remarks.len()));
            continue;
        };
        if remark.name != reason || remark.transformed {
            wrong.push(format!("{reason}: the remark is {remark:?}"));
        }
        if remark.line == 0 && source.extension().is_some_and(|extension| extension == "c") {
            wrong.push(format!("{reason}: the remark has no line"));
        }
        if let Some(word) = JARGON.iter().find(|word| remark.message.contains(**word))
            && !QUOTING.contains(&reason.as_str())
        {
            wrong.push(format!("{reason}: `{word}` in the sentence `{}`", remark.message));
        }
        // The record breaks long lines; the log does not.
        let log = log.split_whitespace().collect::<Vec<_>>().join(" ");
        if !log.contains(&remark.message) {
            wrong.push(format!("{reason}: the user does not see `{}` but\n{log}", remark.message));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// Every program of the folder is about a reason that there is.
#[test]
fn no_program_is_left_over() {
    let variants = variants();
    let folder = workspace().join("tests/reasons");
    for entry in std::fs::read_dir(&folder).expect("the folder can be listed") {
        let path: PathBuf = entry.expect("an entry").path();
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        assert!(variants.contains(&name), "{} is about no reason", path.display());
    }
}

/// Variables have the names of the source: with debug information the array, without it which argument it is.
#[test]
fn arrays_are_named_as_in_the_source() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let (remarks, _) = said(&workspace().join("tests/reasons/Access.c"), &plugin)?;
    assert!(remarks[0].message.contains("a subscript of A is"), "{remarks:?}");
    let (remarks, _) = said(&workspace().join("tests/reasons/Call.c"), &plugin)?;
    assert!(remarks[0].message.contains("the call to observe "), "{remarks:?}");
    Ok(())
}
