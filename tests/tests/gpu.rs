//! Nests on a device: the same bits as on the host, in the emulator of the run-time library, which also looks for races, accesses out of
//! bounds and undefined values; and without the library, without a driver, and where the library is told to use the host.
//!
//! `programs/gpu` are programs made for this, all of whose nests run on the device. The thirty kernels of the corpus are taken in three
//! forms; which of them stay on the host, and why, is written down here. Kernels of `kinds.c` are broken on purpose in some places, which must
//! be found; in all places, and those of the corpus, too, where it is asked for: `cargo test --release -p tessera-tests --test gpu -- --ignored broken`.

use libtest_mimic::{Arguments, Trial};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use tessera_tests::broken::{Breaker, Defect};
use tessera_tests::emulated::{Told, emulated, with_library};
use tessera_tests::host::{Compilation, Host, Product, Remarks};
use tessera_tests::kernels::build::{Compiler, Kernel, Workshop};
use tessera_tests::kernels::{Form, Problem, problems};
use tessera_tests::plugin::Plugin;
use tessera_tests::process::{Failure, Output, Run};
use tessera_tests::ptx::{ARCHITECTURES, Assembler, texts_in};

/// Code for a device wherever that is possible.
const FORCE: &str = "gpu=force";

/// What the library says of a nest that ran on the device.
const ON_DEVICE: &str = ": device: ";

/// The forms of the kernels: pointers in C, vectors in C++, slices in Rust.
const FORMS: [Form; 3] = [Form::Flat, Form::Cpp, Form::Rust];

/// Kernels of the corpus that do not run on the device in these forms, with the reason.
const ON_HOST: [(&[Form], &str, &str); 3] = [
    (&FORMS, "nussinov", "the guard asks for more than holds"),
    (&[Form::Flat, Form::Cpp], "cholesky", "sqrt may set errno"),
    (&[Form::Flat, Form::Cpp], "gramschmidt", "sqrt may set errno"),
];

fn main() -> Result<std::process::ExitCode, Failure> {
    let arguments = Arguments::from_args();
    let workshop = Arc::new(OnceLock::new());
    let mut trials = vec![
        Trial::test("kinds::clang", || kinds(Host::Clang).map_err(Into::into)),
        Trial::test("kinds::opt", || kinds(Host::Opt).map_err(Into::into)),
        Trial::test("conditional::clang", || conditional(Host::Clang).map_err(Into::into)),
        Trial::test("conditional::opt", || conditional(Host::Opt).map_err(Into::into)),
        Trial::test("sweeps::clang", || sweeps(Host::Clang).map_err(Into::into)),
        Trial::test("sweeps::opt", || sweeps(Host::Opt).map_err(Into::into)),
        Trial::test("reductions::clang", || {
            in_emulator(Host::Clang, "reductions.c", &["-ffast-math"], &PARTS).map_err(Into::into)
        }),
        Trial::test("reductions::opt", || {
            in_emulator(Host::Opt, "reductions.c", &["-ffast-math"], &PARTS).map_err(Into::into)
        }),
        Trial::test("orders::clang", || in_emulator(Host::Clang, "orders.c", &[], &ORDERS).map_err(Into::into)),
        Trial::test("orders::opt", || in_emulator(Host::Opt, "orders.c", &[], &ORDERS).map_err(Into::into)),
        Trial::test("copies::clang", || copies(Host::Clang).map_err(Into::into)),
        Trial::test("copies::opt", || copies(Host::Opt).map_err(Into::into)),
        Trial::test("remarks", || remarks().map_err(Into::into)),
        Trial::test("faults", || faults().map_err(Into::into)),
        Trial::test("broken::kinds", || broken(STEP).map_err(Into::into)),
        Trial::test("broken::kinds_everywhere", || broken(1).map_err(Into::into)).with_ignored_flag(true),
        Trial::test("printed", || printed().map_err(Into::into)),
        Trial::test("assembled", || assembled().map_err(Into::into)),
        Trial::test("off", || off().map_err(Into::into)),
    ];
    for problem in problems()? {
        for form in FORMS {
            let (workshop, problem) = (workshop.clone(), problem.clone());
            let name = format!("{}::{}", form.name(), problem.name);
            trials.push(Trial::test(name, move || {
                let workshop = workshop.get_or_init(Workshop::open).as_ref().map_err(Clone::clone)?;
                corpus(workshop, &problem, form).map_err(Into::into)
            }));
        }
        if ON_HOST.iter().all(|(forms, name, _)| *name != problem.name || !forms.contains(&Form::Flat)) {
            let workshop = workshop.clone();
            let trial = Trial::test(format!("broken::{}", problem.name), move || {
                let workshop = workshop.get_or_init(Workshop::open).as_ref().map_err(Clone::clone)?;
                broken_corpus(workshop, &problem).map_err(Into::into)
            });
            trials.push(trial.with_ignored_flag(true));
        }
    }
    Ok(libtest_mimic::run(&arguments, trials).exit_code())
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/gpu").join(name)
}

/// A run of a program with the library, which is told that.
fn run(program: &Path, words: &str) -> Result<Run, Failure> {
    with_library(Run::new(program), words)
}

/// The sentences of the library about nests.
fn told(output: &Output) -> Vec<&str> {
    output.stderr.lines().filter(|line| line.starts_with("tessera_rt: ")).collect()
}

fn differs(program: &Path, how: &str, expected: &[u8], found: &[u8]) -> Result<(), Failure> {
    if expected == found {
        return Ok(());
    }
    let (expected, found) = (String::from_utf8_lossy(expected), String::from_utf8_lossy(found));
    let line = expected.lines().zip(found.lines()).find(|(a, b)| a != b);
    let what = match line {
        Some((a, b)) => format!("`{b}` instead of `{a}`"),
        None => format!("{found} instead of {expected}"),
    };
    Err(Failure::new(format!("{} {how}", program.display()), what))
}

/// Nests of many kinds: all run on the device, and give the bits of the plain build.
fn kinds(host: Host) -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [plain, device, chosen] = ["plain", "device", "chosen"].map(|name| folder.path().join(name));
    let flags = ["-fno-inline-functions"];
    Compilation::plain(host).flags(&flags).compile(&source("kinds.c"), Product::Executable, &plain)?;
    let build = Compilation::with(host, &plugin, FORCE).flags(&flags);
    build.compile(&source("kinds.c"), Product::Executable, &device)?;
    let expected = Run::new(&plain).output()?.stdout;
    let without = Run::new(&device).output()?;
    differs(&device, "without the library", &expected, &without.stdout)?;
    for words in ["host", "device", ""] {
        // There may be a device on this machine.
        differs(&device, words, &expected, &run(&device, words)?.output()?.stdout)?;
    }
    // Where code for the device is not forced, the guard may still ask for enough iterations.
    Compilation::with(host, &plugin, "gpu;min-work=100;min-bytes=0").flags(&flags).compile(
        &source("kinds.c"),
        Product::Executable,
        &chosen,
    )?;
    differs(&chosen, "without the library", &expected, &Run::new(&chosen).output()?.stdout)?;
    differs(&chosen, "in the emulator", &expected, &run(&chosen, "emulate")?.output()?.stdout)?;
    let output = run(&device, "emulate,trace")?.output()?;
    differs(&device, "in the emulator", &expected, &output.stdout)?;
    let lines = told(&output);
    let of = |what: &str| lines.iter().filter(|line| line.contains(what)).count();
    // A few without any iteration are for the old loops.
    if of(ON_DEVICE) < 100 || of(": host: ") > 0 {
        return Err(Failure::new(device.display().to_string(), lines.join("\n")));
    }
    Ok(())
}

/// Arrays that the program does not touch as a whole: where they cannot be read, the nest stays on the host, and nothing else is lost.
fn conditional(host: Host) -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [plain, device] = ["plain", "device"].map(|name| folder.path().join(name));
    Compilation::plain(host).compile(&source("conditional.c"), Product::Executable, &plain)?;
    Compilation::with(host, &plugin, FORCE).compile(&source("conditional.c"), Product::Executable, &device)?;
    let expected = Run::new(&plain).output()?.stdout;
    differs(&device, "without the library", &expected, &Run::new(&device).output()?.stdout)?;
    let output = emulated(Run::new(&device))?.output()?;
    differs(&device, "in the emulator", &expected, &output.stdout)?;
    let told = Told::of(&output.stderr);
    // A nest that failed rests for a while.
    if told.unreadable < 3 || told.sessions < 2 || !told.complaints.is_empty() {
        return Err(Failure::new(device.display().to_string(), output.stderr));
    }
    Ok(())
}

/// Loops over time around sweeps over rows: many sweeps per launch, and the bits of the plain build; a launch per sweep where tiles of several
/// sweeps are not wanted.
fn sweeps(host: Host) -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [plain, device] = ["plain", "device"].map(|name| folder.path().join(name));
    Compilation::plain(host).compile(&source("sweeps.c"), Product::Executable, &plain)?;
    let expected = Run::new(&plain).output()?.stdout;
    let mut launches = Vec::new();
    for options in [FORCE, "gpu=force;time-tiling=off"] {
        Compilation::with(host, &plugin, options).compile(&source("sweeps.c"), Product::Executable, &device)?;
        let output = emulated(Run::new(&device))?.output()?;
        differs(&device, options, &expected, &output.stdout)?;
        let told = Told::of(&output.stderr);
        if !told.complaints.is_empty() {
            return Err(Failure::new(device.display().to_string(), output.stderr));
        }
        let of_session = |line: &&str| {
            let (_, rest) = line.split_once(ON_DEVICE)?;
            rest.split_once(" launches")?.0.parse::<u64>().ok()
        };
        launches.push(output.stderr.lines().filter_map(|line| of_session(&line)).sum::<u64>());
    }
    match launches[..] {
        [tiled, others] if tiled > 0 && 8 * tiled < others => Ok(()),
        _ => Err(Failure::new(device.display().to_string(), format!("{launches:?} launches"))),
    }
}

/// What is said about the nests of `reductions.c`, and how often: sums and the like are computed in parts.
const PARTS: [(&str, usize); 2] = [("1 reduction in parts", 11), ("2 reductions in parts", 2)];

/// What is said about the nests of `orders.c`: all orders of a product take tiles of registers, and no loop is left to the host.
const ORDERS: [(&str, usize); 3] =
    [("points = inside", 6), ("1 kernel for a device", 9), ("3 kernels for a device", 1)];

/// A program whose nests run in the emulator: the bits of the plain build, no complaint, no nest that stays on the host, and these words so often
/// in the remarks.
fn in_emulator(host: Host, name: &str, more: &[&str], expected: &[(&str, usize)]) -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [plain, device] = ["plain", "device"].map(|name| folder.path().join(name));
    let flags = [&["-fno-inline-functions", "-fno-unroll-loops"], more].concat();
    Compilation::plain(host).flags(&flags).compile(&source(name), Product::Executable, &plain)?;
    let build = Compilation::with(host, &plugin, FORCE).flags(&flags).remarks(Remarks::WithSteps);
    let log = build.compile(&source(name), Product::Executable, &device)?;
    for (words, times) in expected {
        let found = log.matches(words).count();
        if found != *times {
            return Err(Failure::new(*words, format!("{found} times and not {times} in\n{log}")));
        }
    }
    let output = emulated(Run::new(&device))?.output()?;
    differs(&device, "in the emulator", &Run::new(&plain).output()?.stdout, &output.stdout)?;
    let told = Told::of(&output.stderr);
    if !told.complaints.is_empty() || output.stderr.contains(": host: ") {
        return Err(Failure::new(device.display().to_string(), output.stderr));
    }
    Ok(())
}

/// The arrays of the calls in `copies.c`, how many of them are copied by rows, and the bytes to the device and back.
const COPIES: [(&str, usize, usize, usize, usize); 18] = [
    ("twice", 2, 2, 20 * 16 * 8, 20 * 16 * 8),
    ("twice", 2, 0, 20 * 64 * 8, 20 * 64 * 8),
    // Small gaps are copied where that changes nothing; what is overwritten has none.
    ("twice", 2, 1, (19 * 64 + 60) * 8, 20 * 60 * 8),
    // Rows are too short.
    ("twice", 2, 0, 2 * (19 * 64 + 4) * 8, (19 * 64 + 4) * 8),
    ("twice", 2, 0, 16 * 8, 16 * 8),
    ("add", 2, 1, (20 * 16 + 16) * 8, 20 * 16 * 8),
    ("add", 2, 1, (20 * 60 + 60) * 8, 20 * 60 * 8),
    ("triangle", 2, 1, (20 * 20 + 20) * 8, 20 * 20 * 8),
    ("triangle", 2, 0, (59 * 64 + 60 + 60) * 8, (59 * 64 + 60) * 8),
    ("product", 3, 3, 2 * 20 * 20 * 8, 20 * 20 * 8),
    ("cube", 2, 0, 5 * 64 * 8, 5 * 64 * 8),
    ("cube", 2, 2, 5 * 24 * 8, 5 * 24 * 8),
    // Planes have gaps between their rows.
    ("cube", 2, 2, 2 * 5 * 23 * 8, 5 * 23 * 8),
    ("positive", 2, 0, 2 * 100 * 8, 100 * 8),
    ("fields", 2, 0, (40 + 79) * 8, 79 * 8),
    ("exchange", 2, 0, 60 * 8, 2 * 60 * 8),
    ("twice", 2, 2, 5 * 512 * 8, 5 * 512 * 8),
    ("add", 2, 1, (5 * 512 + 512) * 8, 5 * 512 * 8),
];

/// What is copied: arrays that are overwritten only back, rectangles without what lies between their rows, which in one case is no memory
/// of the program.
fn copies(host: Host) -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [plain, device] = ["plain", "device"].map(|name| folder.path().join(name));
    let flags = ["-fno-inline-functions", "-fno-unroll-loops"];
    Compilation::plain(host).flags(&flags).compile(&source("copies.c"), Product::Executable, &plain)?;
    let build = Compilation::with(host, &plugin, "gpu=force;gpu-rows=64").flags(&flags);
    build.compile(&source("copies.c"), Product::Executable, &device)?;
    let output = emulated(Run::new(&device))?.output()?;
    differs(&device, "in the emulator", &Run::new(&plain).output()?.stdout, &output.stdout)?;
    let told: Vec<&str> = output
        .stderr
        .lines()
        .filter_map(|line| line.split_once(" in ")?.1.split_once(" us"))
        .map(|(told, _)| told)
        .collect();
    if told.len() != COPIES.len() || !Told::of(&output.stderr).complaints.is_empty() {
        return Err(Failure::new(device.display().to_string(), output.stderr));
    }
    for (told, (function, arrays, by_rows, into, back)) in told.iter().zip(COPIES) {
        let by_rows = if by_rows > 0 { format!(" ({by_rows} by rows)") } else { String::new() };
        let expected =
            format!("{function}: device: 1 launches, {arrays} arrays{by_rows}, {into} bytes in, {back} bytes out, ");
        if !told.starts_with(&expected) {
            return Err(Failure::new(device.display().to_string(), format!("{told}\nand not\n{expected}")));
        }
    }
    Ok(())
}

/// NVIDIA's assembler takes all kernels for three generations, where it is there: `ptxas` on the path, or what `TESSERA_PTXAS` names.
fn assembled() -> Result<(), Failure> {
    let Some(assembler) = Assembler::locate() else {
        println!("skipped: there is no ptxas; set TESSERA_PTXAS");
        return Ok(());
    };
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let object = folder.path().join("object.o");
    let mut sources = vec![source("kinds.c")];
    sources.extend(problems()?.iter().map(|problem| Kernel { problem, form: Form::Flat, sizes: &[] }.source()));
    let mut count = 0;
    for source in sources {
        let build = Compilation::with(Host::Clang, &plugin, FORCE).flags(&["-fno-math-errno"]);
        build.compile(&source, Product::Object, &object)?;
        for text in texts_in(&object)? {
            let all = assembler.assemble(&text, folder.path())?;
            if all.len() != ARCHITECTURES.len() {
                return Err(Failure::new("ptxas", format!("{} of {} generations", all.len(), ARCHITECTURES.len())));
            }
            for (architecture, said) in ARCHITECTURES.iter().zip(all) {
                for line in said
                    .lines()
                    .filter(|line| line.contains(" bytes spill stores") && !line.contains(" 0 bytes spill stores"))
                {
                    println!("{} {architecture}: {}", source.display(), line.trim());
                }
            }
            count += 1;
        }
    }
    println!("{count} texts");
    if count < 50 { Err(Failure::new("ptxas", format!("{count} texts only"))) } else { Ok(()) }
}

/// What is said about nests with and without code for a device.
fn remarks() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (file, ir) = (folder.path().join("nest.c"), folder.path().join("nest.ll"));
    let cases = [
        (
            "void f(long n, float *restrict x, float *restrict y) { for (long i = 0; i < n; i++) x[i] = y[i] * 2.0f; }",
            "1 kernel for a device (sm_70), 2 arrays copied, 1 of them only back",
        ),
        (
            "void f(int m, int n, float *restrict x, float *restrict y) { for (int t = 0; t < m; t++) {
                for (int i = 1; i < n - 1; i++) x[i] = y[i - 1] + y[i + 1];
                for (int i = 1; i < n - 1; i++) y[i] = x[i]; } }",
            "2 kernels for a device (sm_70) in tiles of 32 sweeps, 2 arrays copied",
        ),
        (
            "#include <math.h>\nvoid f(long n, double *restrict x) { for (long i = 0; i < n; i++) x[i] = sin(x[i]); }",
            "not compiled for a device: sin gives other results",
        ),
        (
            "void f(long n, double *x) { for (long i = 1; i < n; i++) x[i] = x[i - 1] * 0.5; }",
            "not compiled for a device: ",
        ),
        (
            "void f(long n, long double *restrict x) { for (long i = 0; i < n; i++) x[i] *= 2; }",
            "not compiled for a device: values of the type x86_fp80 are not the same on a device",
        ),
    ];
    for (text, expected) in cases {
        std::fs::write(&file, text).expect("the source can be written");
        let build = Compilation::with(Host::Clang, &plugin, FORCE).flags(&["-fno-math-errno"]).remarks(Remarks::All);
        let log = build.compile(&file, Product::Ir, &ir)?;
        if !log.contains(expected) {
            return Err(Failure::new(text, format!("no remark '{expected}' in\n{log}")));
        }
    }
    let build = Compilation::with(Host::Clang, &plugin, "gpu=sm_90;gpu=force").remarks(Remarks::All);
    std::fs::write(&file, cases[0].0).expect("the source can be written");
    let log = build.compile(&file, Product::Ir, &ir)?;
    let text = std::fs::read_to_string(&ir).expect("the module can be read");
    if !log.contains("(sm_90)") || !text.contains(".target sm_90") {
        return Err(Failure::new("gpu=sm_90", log));
    }
    Ok(())
}

/// What goes wrong behind the last kernel leaves the module as it was, with all that a device needs.
fn faults() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("object.o");
    let mut expected = None;
    for options in ["disable", "gpu=force;fault=emission", "gpu=force;fault=invalid-code", "gpu=force;fault=verify"] {
        // In IR names of values would differ, which LLVM numbers.
        Compilation::with(Host::Clang, &plugin, options).compile(&source("kinds.c"), Product::Object, &path)?;
        let object = std::fs::read(&path).expect("the object can be read");
        if *expected.get_or_insert_with(|| object.clone()) != object {
            return Err(Failure::new(options, "the object is not what it was"));
        }
    }
    Ok(())
}

/// Changes that are no defects, as nobody can tell what they change: by nest, what is done, and why it does not matter.
const EQUIVALENT: [(&str, &str, &str); 5] = [
    ("fill", " in: ", "every byte is overwritten, and nothing read"),
    ("chosen", "array 1 first: ", "the first element of b is one of those that are not written"),
    ("integers", "flags 0", "a scalar that each thread has for itself, so that nobody uses its place"),
    ("inner_edge", "flags 0", "a scalar that each thread has for itself"),
    ("far", " launch 0 1 0 1: ", "a thread more has no row"),
];

/// One of so many places in kernels is broken, where not all are.
const STEP: usize = 11;

/// Every kernel that is broken on purpose, in one of `step` places, is found: by the emulator, or because results differ.
fn broken(step: usize) -> Result<(), Failure> {
    let sizes = ["36", "70"].map(str::to_owned);
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("kinds");
    // Some barriers of tiles of time are for edges that the sizes here do not have; the library's tests take each of them out, too.
    let options = format!("{FORCE};time-tiling=off");
    let build = Compilation::with(Host::Clang, &plugin, &options).flags(&["-fno-inline-functions"]);
    build.compile(&source("kinds.c"), Product::Executable, &program)?;
    let breaker = Breaker::new()?;
    let defects: Vec<Defect> = breaker.defects(&program, &sizes)?.into_iter().step_by(step).collect();
    let mut verdicts = breaker.judge(&program, &sizes, &defects)?;
    println!("{verdicts}");
    let is_one = |defect: &Defect| {
        let mut known = EQUIVALENT.iter();
        known.any(|(nest, what, _)| defect.nest.ends_with(nest) && defect.to_string().contains(what))
    };
    verdicts.missed.retain(|defect| !is_one(defect));
    match verdicts.missed.is_empty() {
        true => Ok(()),
        false => Err(Failure::new("defects", verdicts.to_string())),
    }
}

/// The same for a kernel of the corpus. What is not found is printed only: nobody has looked whether it is a defect.
fn broken_corpus(workshop: &Workshop, problem: &Problem) -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let sizes: Vec<i64> = (33..).take(problem.sizes.len()).collect();
    let kernel = Kernel { problem, form: Form::Flat, sizes: &sizes };
    let program = workshop.program(kernel, Compiler::Tessera(&plugin, FORCE))?;
    let sizes: Vec<String> = sizes.iter().map(i64::to_string).collect();
    let breaker = Breaker::new()?;
    let defects: Vec<Defect> = breaker.defects(&program, &sizes)?.into_iter().step_by(STEP).collect();
    let verdicts = breaker.judge(&program, &sizes, &defects)?;
    println!("{}\n{verdicts}", problem.name);
    match defects.len() - verdicts.missed.len() {
        0 => Err(Failure::new(problem.name.clone(), "nothing was found")),
        _ => Ok(()),
    }
}

/// The printed model has the code of kernels.
fn printed() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let build = Compilation::with(Host::Clang, &plugin, "gpu=force;print;only=product");
    let log = build.compile(&source("kinds.c"), Product::Ir, &folder.path().join("module.ll"))?;
    match log.contains("# device: 1 kernel for a device (sm_70)") && log.contains("#   __global__ void kernel0(") {
        true => Ok(()),
        false => Err(Failure::new("print", log)),
    }
}

/// Without the option nothing of a device is in the code.
fn off() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [bare, off] = ["bare.ll", "off.ll"].map(|name| folder.path().join(name));
    for (options, to) in [("unprofitable", &bare), ("unprofitable;gpu=force;gpu=off", &off)] {
        Compilation::with(Host::Clang, &plugin, options).compile(&source("kinds.c"), Product::Ir, to)?;
    }
    let [bare, off] = [bare, off].map(|path| std::fs::read_to_string(path).expect("the module can be read"));
    match bare == off && !bare.contains("tessera_rt") {
        true => Ok(()),
        false => Err(Failure::new("gpu=off", "the code is another one")),
    }
}

/// Kernels whose threads take a tile of registers: a block has 64 x 128 elements, which sizes have to exceed.
const WIDE: [&str; 8] = ["gemm", "mm2", "mm3", "syrk", "syr2k", "trmm", "symm", "covariance"];

/// A kernel of the corpus at sizes that are all different, and smaller and larger than a tile.
fn corpus(workshop: &Workshop, problem: &Problem, form: Form) -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let sizes_from = |first: i64| -> Vec<i64> { (first..).take(problem.sizes.len()).collect() };
    let known = sizes_from(33);
    let kernel = Kernel { problem, form, sizes: &known };
    let plain = workshop.program(kernel, Compiler::Plain)?;
    let device = workshop.program(kernel, Compiler::Tessera(&plugin, FORCE))?;
    let mut ran = 0;
    let wide = (form == Form::Flat && WIDE.contains(&problem.name.as_str())).then_some(130);
    let sizes = if form.is_constant() { vec![33] } else { vec![0, 3, 33] };
    for first in sizes.into_iter().chain(wide) {
        let sizes: Vec<String> = sizes_from(first).iter().map(i64::to_string).collect();
        let expected = Run::new(&plain).args(&sizes).output()?.stdout;
        let output = run(&device, "emulate,trace")?.args(&sizes).output()?;
        differs(&device, &format!("in the emulator with {sizes:?}"), &expected, &output.stdout)?;
        let lines = told(&output);
        ran += lines.iter().filter(|line| line.contains(ON_DEVICE)).count();
        if let Some(line) = lines.iter().find(|line| line.contains(": host: ")) {
            return Err(Failure::new(device.display().to_string(), *line));
        }
    }
    let stays = ON_HOST.iter().find(|(forms, name, _)| *name == problem.name && forms.contains(&form));
    match (ran, stays) {
        (1.., None) | (0, Some(_)) => Ok(()),
        (0, None) => Err(Failure::new(device.display().to_string(), "nothing ran on the device")),
        (_, Some((.., why))) => Err(Failure::new(device.display().to_string(), format!("it ran on the device: {why}"))),
    }
}
