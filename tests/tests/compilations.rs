//! Properties of compilations as a whole: the same bytes each time, nothing at -O0 and on `optnone`, nothing when disabled, nothing
//! twice. `determinism.rs` has the modes that cut programs into pieces.

use std::path::{Path, PathBuf};
use tessera_tests::host::{Compilation, Host, Language, Product, Remarks};
use tessera_tests::model;
use tessera_tests::plugin::{Plugin, workspace};
use tessera_tests::process::Failure;

const EVERYTHING: &str = "unprofitable=true;min-work=0";

fn source(language: Language) -> PathBuf {
    workspace().join("tests/programs").join(match language {
        Language::C => "c/matmul.c",
        Language::Cpp => "cpp/vectors.cpp",
        Language::Rust => "rust/matmul.rs",
    })
}

fn object(build: &Compilation, source: &Path) -> Result<Vec<u8>, Failure> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("program.o");
    build.compile(source, Product::Object, &path)?;
    Ok(std::fs::read(&path).expect("the object file can be read"))
}

#[test]
fn two_compilations_give_the_same_bytes() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    for host in [Host::Clang, Host::ClangCpp, Host::Opt, Host::Rustc] {
        for program in ["matmul", "stencil", "triangular", "loops", "vectors"] {
            let (folder, extension) = match host.language() {
                Language::C => ("c", "c"),
                Language::Cpp => ("cpp", "cpp"),
                Language::Rust => ("rust", "rs"),
            };
            let source = workspace().join(format!("tests/programs/{folder}/{program}.{extension}"));
            if !source.exists() {
                continue;
            }
            for options in ["", EVERYTHING] {
                let build = Compilation::with(host, &plugin, options);
                let same = object(&build, &source)? == object(&build, &source)?;
                assert!(same, "{}, {program}, TESSERA='{options}': two compilations differ", host.name());
            }
        }
    }
    Ok(())
}

#[test]
fn nothing_happens_without_optimisation() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    for (host, flag) in [(Host::Clang, "-O0"), (Host::Rustc, "-Copt-level=0")] {
        let source = source(host.language());
        let plain = object(&Compilation::plain(host).flags(&[flag]), &source)?;
        let tessera = object(&Compilation::with(host, &plugin, EVERYTHING).flags(&[flag]), &source)?;
        assert!(plain == tessera, "{} {flag}: the plugin changed the object file", host.name());
    }
    Ok(())
}

/// `-O1`, `-O2` and `-O3` transform; what is compiled for size is left alone, and told so.
#[test]
fn levels_of_optimisation() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("program.o");
    for (host, transforming, sizes) in [
        (Host::Clang, ["-O1", "-O2", "-O3"], ["-Os", "-Oz"]),
        (Host::Rustc, ["-Copt-level=1", "-Copt-level=2", "-Copt-level=3"], ["-Copt-level=s", "-Copt-level=z"]),
    ] {
        let source = source(host.language());
        for position in ["vectorizer", "early"] {
            let options = format!("position={position};min-work=0");
            let build = |flag| Compilation::with(host, &plugin, &options).flags(&[flag]).remarks(Remarks::All);
            let (transforming, sizes) = match position {
                "early" => (&transforming[2..], &sizes[..1]),
                _ => (&transforming[..], &sizes[..]),
            };
            for flag in transforming {
                let log = build(flag).compile(&source, Product::Object, &path)?;
                assert!(log.contains("loop nest transformed"), "{} {flag}, {position}: {log}", host.name());
            }
            for flag in sizes {
                let log = build(flag).compile(&source, Product::Object, &path)?;
                assert!(!log.contains("transformed: "), "{} {flag}, {position}: {log}", host.name());
                assert!(log.contains("compiled for size"), "{} {flag}, {position}: {log}", host.name());
            }
        }
    }
    Ok(())
}

#[test]
fn functions_that_ask_for_no_optimisation_are_left_alone() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let source = source(Language::C);
    let all_optnone = ["-DKERNEL=__attribute__((noinline,optnone))", "-Wno-macro-redefined"];
    for host in [Host::Clang, Host::Opt] {
        let text = std::fs::read_to_string(&source).expect("the program can be read");
        let folder = tempfile::tempdir().expect("a temporary folder");
        let copy = folder.path().join("optnone.c");
        let header = source.with_file_name("check.h").display().to_string();
        let text = text.replace("#include \"check.h\"", &format!("#include \"{header}\""));
        let text = text.replace("KERNEL void", "__attribute__((optnone)) KERNEL void");
        std::fs::write(&copy, text).expect("the copy can be written");
        let plain = object(&Compilation::plain(host).flags(&all_optnone), &copy)?;
        let tessera = object(&Compilation::with(host, &plugin, EVERYTHING).flags(&all_optnone), &copy)?;
        assert!(plain == tessera, "{}: an optnone function was changed", host.name());
    }
    Ok(())
}

#[test]
fn a_disabled_plugin_changes_nothing() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    for host in [Host::Clang, Host::Opt, Host::Rustc] {
        let source = source(host.language());
        let plain = object(&Compilation::plain(host), &source)?;
        let disabled = object(&Compilation::with(host, &plugin, "disable=true"), &source)?;
        assert!(plain == disabled, "{}: the disabled plugin changed the object file", host.name());
    }
    Ok(())
}

#[test]
fn a_second_run_of_the_pass_changes_nothing() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = folder.path().join("input.ll");
    model::canonical_ir(&source(Language::C), &input)?;
    let once = model::opt(Some(&plugin), "", "tessera", &input)?;
    let twice = model::opt(Some(&plugin), "", "tessera,tessera", &input)?;
    assert!(once.stdout == twice.stdout, "the second run changed the output of the first one");
    Ok(())
}
