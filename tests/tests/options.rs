//! The three doors of the options, and what a wrong option says, in real hosts.

use std::path::PathBuf;
use tessera_tests::host::{Compilation, Host, Product};
use tessera_tests::model;
use tessera_tests::plugin::{Plugin, workspace};
use tessera_tests::process::{Failure, Run};

fn source() -> PathBuf {
    workspace().join("tests/programs/c/vectors.c")
}

/// Asserts that a message names the unknown key and the nearest known one.
fn assert_names_nearest(text: &str) {
    assert!(text.contains("unknown option 'tiles'") && text.contains("'tile'"), "{text}");
}

#[test]
fn a_wrong_variable_is_reported_and_the_compilation_goes_on() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    for host in [Host::Clang, Host::Opt] {
        let build = Compilation::with(host, &plugin, "tiles=4");
        let log = build.compile(&source(), Product::Object, &folder.path().join("object.o"))?;
        assert_names_nearest(&log);
    }
    let rust = workspace().join("tests/programs/rust/loops.rs");
    let build = Compilation::with(Host::Rustc, &plugin, "tiles=4");
    assert_names_nearest(&build.compile(&rust, Product::Object, &folder.path().join("object.o"))?);
    Ok(())
}

#[test]
fn a_wrong_flag_is_an_error() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let build = Compilation::with(Host::Clang, &plugin, "").flags(&["-mllvm", "-tessera=tiles=4"]);
    let failure = build.compile(&source(), Product::Object, &folder.path().join("object.o"));
    assert_names_nearest(failure.expect_err("clang fails").stderr());
    Ok(())
}

#[test]
fn a_wrong_pass_parameter_is_an_error() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = folder.path().join("input.ll");
    model::canonical_ir(&source(), &input)?;
    let failure = model::opt(Some(&plugin), "", "tessera<tiles=4>", &input);
    assert_names_nearest(failure.expect_err("opt fails").stderr());
    Ok(())
}

/// The three doors give the same code, and later doors override earlier ones.
#[test]
fn all_doors_have_the_same_grammar() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = folder.path().join("input.ll");
    model::canonical_ir(&source(), &input)?;
    let variable = model::opt(Some(&plugin), "tile=5;unprofitable", "tessera", &input)?.stdout;
    let parameters = model::opt(Some(&plugin), "", "tessera<tile=5;unprofitable>", &input)?.stdout;
    assert!(variable == parameters, "TESSERA and the pass parameters give different code");
    let overridden = model::opt(Some(&plugin), "tile=9;unprofitable", "tessera<tile=5>", &input)?.stdout;
    assert!(variable == overridden, "the pass parameters do not override TESSERA");
    let flag = Run::new("opt-22")
        .arg(format!("-load-pass-plugin={}", plugin.path().display()))
        .args(["-tessera=tile=5;unprofitable", "-passes=tessera", "-S", "-o", "-"])
        .arg(&input)
        .output()?;
    assert!(variable == flag.stdout, "the flag and the variable give different code");
    Ok(())
}

/// What clang says about a source with some options and flags.
fn compiled(source: &str, options: &str, flags: &[&str]) -> Result<String, Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("source.c");
    std::fs::write(&path, source).expect("the source can be written");
    let build = Compilation::with(Host::Clang, &plugin, options).flags(flags);
    build.compile(&path, Product::Object, &folder.path().join("object.o"))
}

/// The second way of the condition is never taken, which only the model knows. (Internal errors fail a compilation of the tests.)
#[test]
fn what_never_executes_is_in_no_model() -> Result<(), Failure> {
    let source = "\
struct sizes { long n, m, ld; };
double never(int rounds, int times, const struct sizes *sizes, void *const *arrays) {
    unsigned long m = (unsigned long)sizes->m, ld = (unsigned long)sizes->ld;
    double *a = arrays[0], *b = arrays[1];
    for (int round = 0; round < rounds; round++)
        for (int time = 0; time < times; time++)
            for (unsigned long i = 2; i < m; i++)
                for (unsigned long j = 1; (long)j <= (long)m - 1; j++)
                    a[i * ld + j] -= (long)i + (long)j > (long)j ? b[j * ld + i] : b[(j + 1) * ld + i - 1];
    return 3;
}
";
    for options in ["unprofitable;min-work=0;tile=2;simplify=off;copies=off", "unprofitable;min-work=0;tile=2", ""] {
        compiled(source, options, &["-Os"])?;
    }
    Ok(())
}

/// LLVM counts every loop from zero, and makes two loops over `j` of the one in `triangle`: one for `i == n - 1`, where the innermost loop has
/// nothing to do. In the model `k` begins where it does in the program, and there are two nests.
#[test]
fn models_have_the_counters_of_the_program() -> Result<(), Failure> {
    let source = "\
void triangle(long n, double c[restrict n][n], double a[restrict n][n], double b[restrict n][n]) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            double sum = c[i][j];
            for (long k = i + 1; k < n; k++)
                sum += a[k][i] * b[k][j];
            c[i][j] = 2 * sum + a[i][j];
        }
}
";
    let log = compiled(source, "print", &["-O3", "-march=x86-64-v3"])?;
    for part in ["i0 < i2 < argument_1", "-> argument_3[a0 = i2, a1 = i0]", "-> argument_4[a0 = i2, a1 = i1]"] {
        assert!(log.contains(part), "`{part}` is not in\n{log}");
    }
    assert!(log.contains(", front = all)"), "no register tile of a triangle in\n{log}");
    Ok(())
}

#[test]
fn help_lists_the_options() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let build = Compilation::with(Host::Clang, &plugin, "help");
    let log = build.compile(&source(), Product::Object, &folder.path().join("object.o"))?;
    for key in ["tile", "min-work", "unprofitable", "budget", "disable"] {
        assert!(log.contains(key), "`{key}` is not in\n{log}");
    }
    assert!(!log.contains("fault="), "the hidden option is listed\n{log}");
    Ok(())
}
