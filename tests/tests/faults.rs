//! A panic in any phase, in any host: the compilation goes on, the program is right, the function is as it was, and a
//! remark says what happened. The hidden option `fault=PHASE` makes the pass panic on entering a phase.

use std::path::PathBuf;
use tessera_tests::corpus::has_tessera_blocks;
use tessera_tests::host::{Compilation, Host, Language, Product, Remarks};
use tessera_tests::model;
use tessera_tests::plugin::{Plugin, workspace};
use tessera_tests::process::{Failure, Run};

const PHASES: [&str; 6] = ["detect", "model", "simplify", "optimise", "emit", "verify"];

fn source(language: Language) -> PathBuf {
    workspace().join("tests/programs").join(match language {
        Language::C => "c/matmul.c",
        Language::Cpp => "cpp/vectors.cpp",
        Language::Rust => "rust/matmul.rs",
    })
}

fn survives(host: Host) -> Result<(), Failure> {
    if !host.is_available() {
        println!("skipped: the host {} is not installed", host.name());
        return Ok(());
    }
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let executable = folder.path().join("program");
    let source = source(host.language());
    Compilation::plain(host).compile(&source, Product::Executable, &executable)?;
    let expected = Run::new(&executable).output()?;
    for phase in PHASES {
        let options = format!("fault={phase}");
        let build = Compilation::with(host, &plugin, &options).remarks(Remarks::All);
        let log = build.compile(&source, Product::Executable, &executable)?;
        assert_eq!(Run::new(&executable).output()?.stdout, expected.stdout, "{}, {options}", host.name());
        let remark = format!("internal error in phase {phase}");
        assert!(log.contains(&remark), "{}: no remark `{remark}` in\n{log}", host.name());
        assert!(!log.contains("stack backtrace"), "{}: a backtrace is shown to the user\n{log}", host.name());
    }
    Ok(())
}

#[test]
fn clang_survives_a_panic_in_every_phase() -> Result<(), Failure> {
    survives(Host::Clang)
}

#[test]
fn opt_survives_a_panic_in_every_phase() -> Result<(), Failure> {
    survives(Host::Opt)
}

#[test]
fn rustc_survives_a_panic_in_every_phase() -> Result<(), Failure> {
    survives(Host::Rustc)
}

#[test]
fn nightly_rustc_survives_a_panic_in_every_phase() -> Result<(), Failure> {
    survives(Host::RustcNightly)
}

/// With `internal-errors=print` the sentence is printed, with `error` the compilation fails, in every phase and after it.
#[test]
fn internal_errors_are_printed_or_fail_the_compilation() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let object = folder.path().join("object.o");
    for host in [Host::Clang, Host::Opt, Host::Rustc] {
        let source = source(host.language());
        for fault in ["model", "emission", "invalid-code"] {
            let print = format!("fault={fault};internal-errors=print");
            let log = Compilation::with(host, &plugin, &print).compile(&source, Product::Object, &object)?;
            assert!(log.contains("tessera: in function '") && log.contains("internal error"), "{}: {log}", host.name());
            let error = format!("fault={fault};internal-errors=error");
            let outcome = Compilation::with(host, &plugin, &error).compile(&source, Product::Object, &object);
            let log = match outcome {
                Err(failure) => failure.stderr().to_string(),
                // rustc does not always take an error of LLVM's for one of its own.
                Ok(log) if host == Host::Rustc => log,
                Ok(log) => panic!("{}: {options} does not fail: {log}", host.name(), options = error),
            };
            assert!(log.contains("internal error"), "{}: {log}", host.name());
        }
    }
    Ok(())
}

/// Every test fails on an internal error, whatever remarks it asks for.
#[test]
fn an_internal_error_fails_every_test() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let object = folder.path().join("object.o");
    for options in ["", "unprofitable", "internal-errors=remark"] {
        for fault in ["-tessera=fault=emission", "-tessera=fault=simplify"] {
            let build = Compilation::with(Host::Clang, &plugin, options).flags(&["-mllvm", fault]);
            let outcome = build.remarks(Remarks::All).compile(&source(Language::C), Product::Object, &object);
            assert!(outcome.is_err(), "TESSERA='{options}' {fault}");
        }
    }
    Ok(())
}

#[test]
fn a_panic_leaves_the_ir_byte_identical() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    for program in ["matmul", "stencil", "conditions"] {
        let input = folder.path().join("input.ll");
        model::canonical_ir(&workspace().join(format!("tests/programs/c/{program}.c")), &input)?;
        let untouched = model::opt(None, "", "verify", &input)?.stdout;
        for phase in PHASES {
            let output = model::opt(Some(&plugin), &format!("fault={phase}"), "tessera", &input)?;
            assert!(output.stdout == untouched, "{program}: a panic in {phase} left changes in the IR");
        }
        // New code that was built in part, and new code that the verifier rejects.
        for fault in ["emission", "invalid-code", "emission;trace", "invalid-code;trace"] {
            let output = model::opt(Some(&plugin), &format!("fault={fault}"), "tessera", &input)?;
            assert!(output.stdout == untouched, "{program}: the fault {fault} left changes in the IR");
        }
        // Without an analysis budget nothing can be decided, and nothing may change.
        let exhausted = model::opt(Some(&plugin), "budget=0", "tessera", &input)?;
        assert!(exhausted.stdout == untouched, "{program}: an exhausted budget left changes in the IR");
    }
    Ok(())
}

#[test]
fn without_a_fault_the_same_ir_is_transformed() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = folder.path().join("input.ll");
    model::canonical_ir(&source(Language::C), &input)?;
    let output = model::opt(Some(&plugin), "", "tessera", &input)?;
    assert!(has_tessera_blocks(&String::from_utf8_lossy(&output.stdout)), "{}", output.stderr);
    Ok(())
}
