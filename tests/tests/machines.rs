//! Other machines than this one, and what addresses are there.
//!
//! - The thirty kernels compiled for i386, with addresses of 32 bits, and run: the new code runs, with the bits of the plain compiler.
//! - The same kernels for targets whose programs cannot be run here: compiled, linked, and without a call that the plain
//!   compiler does not make.
//! - The programs of `tests/machines`: addresses that wrap around, counters wider than addresses, several address spaces, bases and
//!   sizes that are undefined where nothing looks at them. New code prints the same and calls nothing new. `// flags: ...` for clang;
//!   `// code: new|old|none|any`: which code runs, if there is new one at all; `// min-work: 0 1 64` where more than 0 is tried.

use libtest_mimic::{Arguments, Trial};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use tessera_tests::host::{Compilation, Host, Product, Remarks};
use tessera_tests::kernels::build::{Compiler, Kernel, Workshop};
use tessera_tests::kernels::measure::run;
use tessera_tests::kernels::{Form, Problem, problem, problems};
use tessera_tests::plugin::{Plugin, workspace};
use tessera_tests::process::{Failure, Run};

/// Programs of 32 bits, with the headers of the kernel where Debian has them.
const I386: [&str; 3] = ["-m32", "-idirafter", "/usr/include/x86_64-linux-gnu"];

const OPTIONS: &str = "unprofitable=true;min-work=0;tile=32;trace";

/// Kernels that are left alone on i386: their dependences exclude every order that would pay, or what would pay needs copies of scalars, for
/// which there is memory on 64-bit systems only.
const LEFT: [&str; 5] = ["cholesky", "durbin", "gesummv", "nussinov", "symm"];

/// Targets, their flags, and how many of the thirty kernels are transformed at least: none where code would need calls.
const TARGETS: [(&str, &[&str], usize); 12] = [
    ("i386-linux-gnu", &["-msse2"], 20),
    ("aarch64-linux-gnu", &[], 20),
    ("riscv64-linux-gnu", &[], 20),
    ("powerpc64le-linux-gnu", &[], 20),
    ("s390x-linux-gnu", &[], 20),
    ("nvptx64", &[], 20),
    ("wasm32", &[], 20),
    ("armv7-none-eabi", &[], 20),
    ("mips-linux-gnu", &[], 20),
    ("riscv32", &["-march=rv32imac", "-mabi=ilp32"], 20),
    ("avr", &["-mmcu=atmega328p"], 0),
    ("msp430", &[], 0),
];

/// Symbols that the linker defines: where constants are, and the stack.
const OF_THE_LINKER: [&str; 3] = ["_GLOBAL_OFFSET_TABLE_", ".TOC.", "__stack_pointer"];

/// What the kernels need of the C library.
const MATH: &str =
    "double sqrt(double); float sqrtf(float); double exp(double); float expf(float); double fabs(double);";

fn main() -> Result<std::process::ExitCode, Failure> {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    let workshop = Arc::new(OnceLock::new());
    for problem in problems()? {
        let workshop = workshop.clone();
        trials.push(Trial::test(format!("i386::{}", problem.name), move || {
            let workshop = workshop.get_or_init(|| Workshop::open_for(&I386)).as_ref().map_err(Clone::clone)?;
            on_i386(workshop, &problem).map_err(Into::into)
        }));
    }
    for (target, flags, least) in TARGETS {
        let check = move || links(target, flags, least).map_err(Into::into);
        trials.push(Trial::test(format!("targets::{target}"), check));
    }
    for source in programs()? {
        let name = source.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let is_ir = source.extension().is_some_and(|extension| extension == "ll");
        trials.push(Trial::test(format!("programs::{name}"), move || {
            if is_ir { inlined(&source) } else { same(&source) }.map_err(Into::into)
        }));
    }
    Ok(libtest_mimic::run(&arguments, trials).exit_code())
}

/// The programs of `tests/machines`, sorted.
fn programs() -> Result<Vec<PathBuf>, Failure> {
    let folder = workspace().join("tests/machines");
    let unreadable = |error: std::io::Error| Failure::new(folder.display().to_string(), error.to_string());
    let entries = std::fs::read_dir(&folder).map_err(unreadable)?;
    let mut sources =
        entries.map(|entry| Ok(entry.map_err(unreadable)?.path())).collect::<Result<Vec<_>, Failure>>()?;
    sources.sort();
    Ok(sources)
}

fn on_i386(workshop: &Workshop, problem: &Problem) -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let kernel = Kernel { problem, form: Form::Flat, sizes: &[] };
    let plain = workshop.program(kernel, Compiler::Plain)?;
    let tessera = workshop.program(kernel, Compiler::Tessera(&plugin, OPTIONS))?;
    let different = |first: i64| (first..).take(problem.sizes.len()).collect::<Vec<_>>();
    for sizes in [problem.all(0), problem.all(1), different(33), different(70)] {
        let (expected, actual) = (run(&plain, &[], &sizes)?, run(&tessera, &[], &sizes)?);
        let failure = |reason| Err(Failure::new(format!("{} for i386 at {sizes:?}", problem.name), reason));
        if expected.hash != actual.hash {
            return failure(format!("plain gives {}, Tessera {}", expected.hash, actual.hash));
        }
        let (new, old) = (actual.messages.contains(": new code"), actual.messages.contains(": old loops: "));
        let is_left = LEFT.contains(&problem.name.as_str());
        if sizes[0] == 70 && (new == is_left || old) {
            return failure(format!("other code runs: {}", actual.messages));
        }
    }
    Ok(())
}

/// All kernels in one object: nothing is undefined in it that is not in that of the plain compiler.
fn links(target: &str, flags: &[&str], least: usize) -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let failed = |reason: String| Failure::new(format!("the kernels for {target}"), reason);
    let folder = tempfile::tempdir().map_err(|error| failed(error.to_string()))?;
    let source = folder.path().join("kernels.c");
    let include = |problem: &Problem| {
        format!("#include \"{}\"\n", problem::folder().join("flat").join(&problem.name).with_extension("c").display())
    };
    let text: String = problems()?.iter().map(include).collect();
    std::fs::write(&source, text).map_err(|error| failed(error.to_string()))?;
    // There is no C library of these targets here.
    std::fs::write(folder.path().join("math.h"), MATH).map_err(|error| failed(error.to_string()))?;
    let system = format!("-isystem{}", folder.path().display());
    // Devices have no objects to link: the assembly names what it does not define.
    let is_device = target.starts_with("nvptx");
    let mut undefined = Vec::new();
    let mut transformed = 0;
    for (with, name) in [(false, "plain.o"), (true, "tessera.o")] {
        let object = folder.path().join(name);
        let mut run = Run::new("clang-22")
            .args(["-O3", "-ffreestanding", "-w", &format!("--target={target}"), &system])
            .args(flags);
        run = run.arg(if is_device { "-S" } else { "-c" });
        if with {
            run = run.arg(format!("-fpass-plugin={}", plugin.path().display())).env("TESSERA", "remarks");
        }
        let said = run.arg(&source).arg("-o").arg(&object).output()?.stderr;
        if said.contains("internal error") {
            return Err(failed(said));
        }
        transformed = said.lines().filter(|line| line.contains(" transformed: ")).count();
        undefined.push(if is_device { externals(&object)? } else { undefined_in(&object)? });
        if target.starts_with("wasm") {
            let linked = folder.path().join("linked.wasm");
            Run::new("wasm-ld-22")
                .args(["--no-entry", "--export-all", "--allow-undefined"])
                .arg(&object)
                .arg("-o")
                .arg(linked)
                .output()?;
        } else if !is_device {
            Run::new("ld.lld-22").arg("-r").arg(&object).arg("-o").arg(folder.path().join("linked.o")).output()?;
        }
    }
    let new: Vec<&String> = undefined[1].iter().filter(|symbol| !undefined[0].contains(symbol)).collect();
    if !new.is_empty() {
        return Err(failed(format!("new code calls {new:?}")));
    }
    if transformed < least || (least == 0 && transformed > 0) {
        return Err(failed(format!("{transformed} nests are transformed, {least} were expected")));
    }
    Ok(())
}

fn undefined_in(object: &Path) -> Result<Vec<String>, Failure> {
    let said = Run::new("llvm-nm-22").args(["-u", "--format=just-symbols"]).arg(object).output()?.stdout;
    let said = String::from_utf8_lossy(&said).into_owned();
    let symbols = said.lines().map(|line| line.trim().to_owned());
    Ok(symbols.filter(|symbol| !OF_THE_LINKER.contains(&symbol.as_str())).collect())
}

/// The declarations of an assembly file for devices.
fn externals(assembly: &Path) -> Result<Vec<String>, Failure> {
    let text = std::fs::read_to_string(assembly)
        .map_err(|error| Failure::new(assembly.display().to_string(), error.to_string()))?;
    Ok(text.lines().filter(|line| line.starts_with(".extern")).map(str::to_owned).collect())
}

fn comment<'t>(text: &'t str, key: &str) -> &'t str {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": "));
    lines.next().unwrap_or("")
}

/// A program prints the same with the plugin as without, and runs the code that it says it does.
fn same(source: &Path) -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let failed = |reason: String| Failure::new(source.display().to_string(), reason);
    let text = std::fs::read_to_string(source).map_err(|error| failed(error.to_string()))?;
    let folder = tempfile::tempdir().map_err(|error| failed(error.to_string()))?;
    let flags: Vec<&str> = comment(&text, "flags").split_whitespace().collect();
    let plain = folder.path().join("plain");
    Compilation::plain(Host::Clang).flags(&flags).compile(source, Product::Executable, &plain)?;
    let expected = Run::new(&plain).output()?;
    // New code needs no function of the compiler's library (of which the sanitizer has many).
    if !flags.contains(&"-fsanitize=memory") {
        let objects = [folder.path().join("plain.o"), folder.path().join("tessera.o")];
        Compilation::plain(Host::Clang).flags(&flags).compile(source, Product::Object, &objects[0])?;
        // Without a trace, which writes.
        let build = Compilation::with(Host::Clang, &plugin, "min-work=0;unprofitable");
        build.flags(&flags).compile(source, Product::Object, &objects[1])?;
        let (known, needed) = (undefined_in(&objects[0])?, undefined_in(&objects[1])?);
        let is_heap = |symbol: &str| ["malloc", "free"].contains(&symbol);
        if let Some(new) = needed.iter().find(|symbol| !known.contains(symbol) && !is_heap(symbol)) {
            return Err(failed(format!("new code calls {new}")));
        }
    }
    let least: Vec<&str> = comment(&text, "min-work").split_whitespace().collect();
    for least in if least.is_empty() { vec!["0"] } else { least } {
        let tessera = folder.path().join("tessera");
        // Without a trace, all conditions are looked at together.
        let options = format!("min-work={least};unprofitable");
        for options in [options.clone(), format!("{options};trace")] {
            let build = Compilation::with(Host::Clang, &plugin, &options).remarks(Remarks::All);
            let said = build.flags(&flags).compile(source, Product::Executable, &tessera)?;
            if said.contains("internal error") {
                return Err(failed(said));
            }
            let actual = Run::new(&tessera).output()?;
            if expected.stdout != actual.stdout {
                let [expected, actual] =
                    [&expected.stdout, &actual.stdout].map(|printed| String::from_utf8_lossy(printed));
                return Err(failed(format!("with `{options}` plain prints {expected}, Tessera {actual}")));
            }
            let trace: Vec<&str> = actual.stderr.lines().filter(|line| line.contains(" in k: ")).collect();
            let runs = |code: &str| trace.iter().any(|line| line.contains(code));
            let right = match comment(&text, "code") {
                _ if !options.ends_with("trace") => true,
                "new" => runs(": new code"),
                "old" => runs(": old loops: ") && !runs(": new code"),
                "none" => trace.is_empty(),
                "any" => true,
                other => return Err(failed(format!("`{other}` is none of new, old, none, any"))),
            };
            if !right {
                return Err(failed(format!("with `{options}` the code that runs is another: {trace:?}\n{said}")));
            }
        }
    }
    Ok(())
}

/// A program whose nest is transformed before it is inlined: what is undefined there must not make the program undefined.
fn inlined(source: &Path) -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let failed = |reason: String| Failure::new(source.display().to_string(), reason);
    let folder = tempfile::tempdir().map_err(|error| failed(error.to_string()))?;
    let to = folder.path().join("optimised.ll");
    let optimise = |passes: &str| {
        let run = Run::new("opt-22").arg(format!("-load-pass-plugin={}", plugin.path().display()));
        let run = run.arg(format!("-passes=function(tessera),cgscc(inline),{passes}"));
        let run = run.args(["-inline-threshold=10000", "-S"]).env("TESSERA", "min-work=0;unprofitable;remarks");
        let said = run.arg(source).arg("-o").arg(&to).output()?.stderr;
        if said.contains("loop nest transformed") { Ok(()) } else { Err(failed(said)) }
    };
    optimise("function(instsimplify)")?;
    let text = std::fs::read_to_string(&to).map_err(|error| failed(error.to_string()))?;
    if let Some(branch) = text.lines().find(|line| line.contains("br i1 poison") || line.contains("br i1 undef")) {
        return Err(failed(format!("the guard decides on what is undefined: {branch}")));
    }
    optimise("function(instcombine,simplifycfg),default<O3>")?;
    let text = std::fs::read_to_string(&to).map_err(|error| failed(error.to_string()))?;
    let (_, body) = text.split_once("@main(").ok_or_else(|| failed(text.clone()))?;
    let body = body.split_once("\n}").map_or(body, |(body, _)| body);
    if body.contains("call void @k(") || body.contains("unreachable") {
        return Err(failed(body.to_owned()));
    }
    let printed = Run::new("lli-22").arg(&to).output()?.stdout;
    let printed = String::from_utf8_lossy(&printed);
    if printed == "fine\n" { Ok(()) } else { Err(failed(format!("it prints `{printed}`"))) }
}
