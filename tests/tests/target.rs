//! The machine that the plugin takes a function to be for: what `target=print` prints, for processors of several architectures, and what
//! becomes of the option's other values. The library reads all that is printed.

use std::fs;
use std::path::Path;
use tessera_polyhedral::scop::Element;
use tessera_polyhedral::target::Target;
use tessera_tests::plugin::Plugin;
use tessera_tests::process::{Failure, Outcome, Run};

const SOURCE: &str = "
void first(float *a, int n) { for (int i = 0; i < n; i++) a[i] = a[i] * 3 + 1; }
void second(double *a, int n) { for (int i = 0; i < n; i++) a[i] = a[i] * 3 + 1; }
";

fn compile(folder: &Path, options: &str, flags: &[&str]) -> Outcome {
    let plugin = Plugin::locate().unwrap_or_else(|failure| panic!("{failure}"));
    let source = folder.join("loops.c");
    fs::write(&source, SOURCE).expect("the source can be written");
    Run::new("clang-22")
        .env("TESSERA", options)
        .args(["-O2", "-w", "-c", "-o"])
        .arg(folder.join("loops.o"))
        .args(flags)
        .arg(format!("-fpass-plugin={}", plugin.path().display()))
        .arg(&source)
        .outcome()
        .unwrap_or_else(|failure| panic!("{failure}"))
}

/// What is printed for both functions together is one target.
fn printed(flags: &[&str]) -> Target {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = compile(folder.path(), "target=print", flags).stderr;
    let target = Target::parse(&text).unwrap_or_else(|error| panic!("{flags:?}: {error:#}\n{text}"));
    assert_eq!(Target::parse(&target.to_string()), Ok(target.clone()));
    target
}

fn builtin(name: &str) -> Target {
    Target::builtin(name).expect("built in").expect("a right text")
}

fn kib(target: &Target) -> Vec<u64> {
    target.caches.iter().map(|cache| cache.bytes >> 10).collect()
}

/// How many operations on a vector begin per cycle.
fn vectors(target: &Target, operation: &str, element: &str) -> Option<f64> {
    target.cost(operation, Element::parse(element).expect("an element")).vector
}

#[test]
fn processors_without_a_name_are_the_built_in_ones() {
    assert_eq!(printed(&["--target=x86_64-linux-gnu", "-march=x86-64"]), builtin("generic"));
    // What the compiler does not use is no part of the machine.
    let mut avx2 = builtin("avx2");
    avx2.vectors.gather = None;
    assert_eq!(printed(&["--target=x86_64-linux-gnu", "-march=x86-64-v3"]), avx2);
    let neon = printed(&["--target=aarch64-linux-gnu"]);
    assert_eq!(neon, builtin("neon"));
    let wide = printed(&["--target=x86_64-linux-gnu", "-march=x86-64-v4", "-mprefer-vector-width=512"]);
    assert_eq!(wide, builtin("avx512"));
}

#[test]
fn haswell_has_avx2() {
    let target = printed(&["--target=x86_64-linux-gnu", "-march=haswell"]);
    assert_eq!((target.name.as_str(), kib(&target)), ("haswell", vec![32, 256, 8192]));
    let v = target.vectors;
    assert_eq!((v.bits, v.registers, v.fma, v.masks), (256, 16, true, false));
    assert_eq!(target.operations, builtin("avx2").operations);
    // The processor that is tuned for decides about caches, not about what there is.
    let tuned = printed(&["--target=x86_64-linux-gnu", "-march=x86-64", "-mtune=znver3"]);
    assert_eq!((tuned.name.as_str(), kib(&tuned)), ("znver3", vec![32, 512, 32768]));
    assert_eq!(tuned.vectors, builtin("generic").vectors);
}

#[test]
fn avx512_is_as_wide_as_the_compiler_likes() {
    let sky = printed(&["--target=x86_64-linux-gnu", "-march=skylake-avx512"]);
    assert_eq!((sky.name.as_str(), kib(&sky)), ("skylake-avx512", vec![32, 1024, 11264]));
    assert_eq!((sky.vectors.bits, sky.vectors.registers), (256, 32));
    // Half as wide, twice as often.
    assert_eq!((vectors(&sky, "add", "f64"), vectors(&builtin("avx512"), "add", "f64")), (Some(2.0), Some(1.0)));
    let zen = printed(&["--target=x86_64-linux-gnu", "-march=znver5"]);
    assert_eq!((zen.name.as_str(), kib(&zen)), ("znver5", vec![48, 1024, 32768]));
    assert_eq!((zen.vectors.bits, zen.vectors.registers, zen.scalar_registers), (512, 32, 16));
    assert!(zen.vectors.gather.is_some() && zen.vectors.scatter.is_some() && zen.vectors.masks);
    assert_eq!(vectors(&zen, "fma", "f32"), Some(2.0));
}

/// rustc names the processor and not what it has.
#[test]
fn the_name_of_a_processor_is_enough() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("loops.rs");
    let text = "#[unsafe(no_mangle)] pub fn first(a: &mut [f64]) { for x in a.iter_mut() { *x = *x * 3.0 + 1.0; } }";
    fs::write(&source, text).expect("the source can be written");
    for (cpu, name, base) in
        [("haswell", "haswell", "avx2"), ("x86-64-v3", "avx2", "avx2"), ("znver4", "znver4", "avx512")]
    {
        let run = Run::new("rustc").env("RUSTC_BOOTSTRAP", "1").env("TESSERA", "target=print");
        let run = run.args(["--edition=2024", "--crate-type=lib", "--emit=obj", "-Copt-level=3", "-Ccodegen-units=1"]);
        let run = run.arg(format!("-Ctarget-cpu={cpu}")).arg(format!("-Zllvm-plugins={}", plugin.path().display()));
        let text = run.arg(&source).arg("-o").arg(folder.path().join("loops.o")).output()?.stderr;
        let target = Target::parse(&text).unwrap_or_else(|error| panic!("{cpu}: {error:#}\n{text}"));
        assert_eq!((target.name.as_str(), &target.operations), (name, &builtin(base).operations), "{cpu}");
        assert_eq!(target.vectors.bits, builtin(base).vectors.bits, "{cpu}");
    }
    Ok(())
}

/// Vectors of 256 bits, but integers in two halves.
#[test]
fn avx_is_half_of_avx2() {
    let target = printed(&["--target=x86_64-linux-gnu", "-march=sandybridge"]);
    assert_eq!((target.vectors.bits, target.vectors.fma), (256, false));
    let (floats, integers) = (vectors(&target, "add", "f32"), vectors(&target, "add", "i32"));
    assert!(floats > integers && integers > Some(0.0), "{floats:?} {integers:?}");
}

#[test]
fn processors_of_arm_have_neon() {
    // As the compiler calls an M1.
    let apple = printed(&["--target=arm64-apple-macos", "-mcpu=apple-m1"]);
    assert_eq!((apple.name.as_str(), kib(&apple)), ("apple-a14", vec![128, 12288]));
    assert_eq!(apple.caches[1].line, 128);
    let a76 = printed(&["--target=aarch64-linux-gnu", "-mcpu=cortex-a76"]);
    assert_eq!((a76.name.as_str(), kib(&a76)), ("cortex-a76", vec![64, 512, 2048]));
    for target in [apple, a76] {
        let v = target.vectors;
        assert_eq!((v.bits, v.registers, v.fma, target.scalar_registers), (128, 32, true, 31), "{}", target.name);
        assert_eq!(target.operations, builtin("neon").operations, "{}", target.name);
    }
}

#[test]
fn unknown_architectures_have_what_the_compiler_knows() {
    let plain = printed(&["--target=riscv64-linux-gnu"]);
    assert_eq!((plain.name.as_str(), plain.vectors.bits, plain.vectors.registers), ("riscv64", 0, 0));
    assert!(plain.vectors.fma && plain.operations.iter().all(|cost| cost.vector.is_none()));
    assert_eq!(kib(&plain), kib(&builtin("generic")));
    let with = printed(&["--target=riscv64-linux-gnu", "-march=rv64gcv"]);
    assert!(with.vectors.bits >= 128 && with.vectors.registers == 32 && with.vectors.masks);
    assert!(vectors(&with, "mul", "i64").is_some() && vectors(&with, "fma", "f64").is_some());
    let plain = printed(&["--target=wasm32"]);
    assert_eq!((plain.name.as_str(), plain.vectors.bits, plain.vectors.fma), ("wasm32", 0, false));
    let with = printed(&["--target=wasm32", "-msimd128"]);
    assert_eq!((with.vectors.bits, with.vectors.fma, with.vectors.masks), (128, false, false));
    assert!(vectors(&with, "add", "f64").is_some() && vectors(&with, "div", "i32").is_none());
    let lines = printed(&["--target=powerpc64le-linux-gnu"]);
    assert!(lines.caches.iter().all(|cache| cache.line == 128));
}

#[test]
fn a_file_or_a_name_takes_the_place_of_all_that() -> Result<(), Failure> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("machine.yaml");
    fs::write(&file, builtin("neon").to_string()).expect("the file can be written");
    for value in ["neon", &file.display().to_string(), "auto"] {
        let outcome = compile(folder.path(), &format!("target={value}"), &[]);
        assert_eq!((outcome.status.as_str(), outcome.stderr.as_str()), ("exit status: 0", ""), "{value}");
    }
    // A later door takes it back.
    let options = format!("target={};target=print", file.display());
    let said = compile(folder.path(), &options, &["--target=x86_64-linux-gnu", "-march=haswell"]).stderr;
    assert!(said.starts_with("target: \"haswell\""), "{said}");
    Ok(())
}

/// A strategy has numbers for every machine but one, which has no bytes left when 16 are taken from its vectors.
#[test]
fn strategies_are_read_for_the_machine() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("mine.strategy");
    fs::write(&file, "permute()\ntile(sizes = [64,\n  vector - 16])\n").expect("the strategy can be written");
    let options = format!("strategy={}", file.display());
    for (march, is_right) in [("x86-64", false), ("x86-64-v3", true)] {
        let flags = ["--target=x86_64-linux-gnu", &format!("-march={march}"), "-Rpass-missed=tessera"];
        let outcome = compile(folder.path(), &options, &flags);
        assert!(folder.path().join("loops.o").exists(), "{march}: {}", outcome.stderr);
        let expected = "option 'strategy' says nothing for this machine (target=print shows it): line 2, column 6: \
                        expected sizes = a list of numbers from 1 to 1048576, instead of [64, 0], found `sizes = [64,";
        assert_eq!(outcome.stderr.contains(expected), !is_right, "{march}: {}", outcome.stderr);
        assert_eq!(outcome.stderr.matches("tessera: option 'strategy'").count(), usize::from(!is_right), "once");
    }
}

#[test]
fn wrong_files_are_told_with_the_place() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("machine.yaml");
    let option = format!("target={}", file.display());
    for (from, to, expected) in [
        ("issue: 4", "issue: many", "line 2, column 8: expected a number such as 4 or 0.5, found `many`"),
        ("issue: 4", "isue: 4", "line 2, column 1: expected"),
        ("window", "# window", "expected the key window"),
        ("operation: add", "operation: ad", "expected one of the kinds add, mul"),
        ("{ cache", "[ cache", "expected"),
        ("bytes: 262144", "bytes: 1", "L2 holds no more than the cache before it"),
    ] {
        let text = builtin("generic").to_string().replacen(from, to, 1);
        fs::write(&file, text).expect("the file can be written");
        let environment = compile(folder.path(), &option, &[]);
        let line = environment.stderr.lines().next().unwrap_or_default();
        assert!(line.contains(&format!("option 'target' cannot be '{}'", file.display())), "{to}: {line}");
        assert!(line.contains(expected) && line.contains("nothing is optimized"), "{to}: {line}");
        assert_eq!(environment.status, "exit status: 0");
        let asked = compile(folder.path(), "", &["-mllvm", &format!("-tessera={option}")]);
        assert!(asked.status != "exit status: 0" && asked.stderr.contains(expected), "{}", asked.stderr);
    }
    fs::write(&file, b"\xff\xfe").expect("the file can be written");
    for value in [file.display().to_string(), folder.path().display().to_string(), "avx3".into(), String::new()] {
        let said = compile(folder.path(), &format!("target={value}"), &[]).stderr;
        assert!(said.contains("it is none of generic, avx2, avx512, neon, auto and print, and no file"), "{said}");
    }
}
