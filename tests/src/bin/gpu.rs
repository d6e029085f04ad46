//! `scripts/bench gpu --build FOLDER`, then `gpu --run` in that folder on a machine with a device, which needs no compiler.
//!
//! Two tables. The thirty kernels of the corpus: the plain build against the build with code for a device, whose results must be the
//! same to the last bit; times that passed, with all copies and of the kernels alone. And `programs/gpu/speed.c`: products in operations
//! per second, stencils in bytes per second, beside those of a copy.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tessera_tests::host::{Compilation, Host, Product};
use tessera_tests::kernels::build::{Compiler, Kernel, Workshop};
use tessera_tests::kernels::measure::{geometric_mean, median};
use tessera_tests::kernels::{Class, Form, problems};
use tessera_tests::plugin::{Plugin, runtime};
use tessera_tests::process::{Failure, Run};

const HELP: &str = "scripts/bench gpu [OPTIONS]
  --build FOLDER   makes all programs in FOLDER, for any x86-64 processor with AVX2
  --run            measures those in the present folder (this program is there, too)
  --only KERNEL    only the kernels whose name contains KERNEL
  --sizes LIST     classes of sizes of the corpus, of mini,small,medium,large (medium,large)
  --options TEXT   options of the plugin beside gpu=force
  --rounds N       rounds of every measurement (3)
  --no-corpus      only the second table";

/// A machine on which all programs run that are carried to another one.
const MACHINE: [&str; 1] = ["-march=x86-64-v3"];

/// The kernels of the second table with their sizes.
const SPEED: [(&str, &[i64]); 6] = [
    ("product_f64", &[512, 1024, 2048, 4096]),
    ("product_f32", &[512, 1024, 2048, 4096, 8192]),
    ("copy", &[1 << 20, 1 << 24, 1 << 26]),
    ("jacobi_1d", &[1 << 20, 1 << 24, 1 << 26]),
    ("jacobi_2d", &[1300, 4000, 8000]),
    ("heat_3d", &[130, 250, 400]),
];

/// The steps of each stencil and copy in `speed.c`, twice per iteration.
const STEPS: f64 = 100.0;

struct Options {
    only: Vec<String>,
    classes: Vec<Class>,
    tessera: String,
    rounds: usize,
    corpus: bool,
}

/// What a program did on the device.
struct Measured {
    hash: String,
    /// Seconds that passed.
    seconds: f64,
    /// Those of its kernels, and how often nests ran on the device and on the host.
    kernels: f64,
    on_device: usize,
    on_host: Vec<String>,
}

fn main() -> Result<ExitCode, Failure> {
    let mut options = Options {
        only: Vec::new(),
        classes: vec![Class::Medium, Class::Large],
        tessera: String::new(),
        rounds: 3,
        corpus: true,
    };
    let wrong = || Failure::new("gpu", HELP.to_owned());
    let (mut build_in, mut runs) = (None, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(wrong);
        match argument.as_str() {
            "--build" => build_in = Some(PathBuf::from(value()?)),
            "--run" => runs = true,
            "--only" => options.only.push(value()?),
            "--options" => options.tessera = value()?,
            "--rounds" => options.rounds = value()?.parse().map_err(|_| wrong())?,
            "--no-corpus" => options.corpus = false,
            "--sizes" => {
                let classes = value()?.split(',').map(Class::named).collect::<Option<Vec<_>>>();
                options.classes = classes.ok_or_else(wrong)?;
            }
            _ => return Err(wrong()),
        }
    }
    match build_in {
        Some(folder) => build(&folder, &options)?,
        None if runs => run(&options)?,
        None => return Err(wrong()),
    }
    Ok(ExitCode::SUCCESS)
}

impl Options {
    fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| name.contains(only.as_str()))
    }
}

fn copied(from: &Path, to: &Path) -> Result<(), Failure> {
    std::fs::copy(from, to).map(|_| ()).map_err(|error| Failure::new(to.display().to_string(), error.to_string()))
}

/// Makes all programs.
fn build(folder: &Path, options: &Options) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::new(folder.display().to_string(), error.to_string()))?;
    let plugin = Plugin::locate()?;
    let gpu = format!("gpu=force;{}", options.tessera);
    let workshop = Workshop::open_for(&MACHINE)?;
    for problem in problems()?.iter().filter(|problem| options.corpus && options.wants(&problem.name)) {
        let kernel = Kernel { problem, form: Form::Flat, sizes: &[] };
        for (compiler, ending) in [(Compiler::Plain, "plain"), (Compiler::Tessera(&plugin, &gpu), "device")] {
            copied(&workshop.program(kernel, compiler)?, &folder.join(format!("{}.{ending}", problem.name)))?;
        }
        eprintln!("{}", problem.name);
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/gpu/speed.c");
    Compilation::plain(Host::Clang).flags(&MACHINE).compile(
        &source,
        Product::Executable,
        &folder.join("speed.plain"),
    )?;
    let with = Compilation::with(Host::Clang, &plugin, &gpu).flags(&MACHINE);
    with.compile(&source, Product::Executable, &folder.join("speed.device"))?;
    copied(runtime()?, &folder.join("libtessera_rt.so"))?;
    let own = std::env::current_exe().map_err(|error| Failure::new("gpu", error.to_string()))?;
    copied(&own, &folder.join("gpu"))
}

/// One run with the library.
fn measured(program: &str, arguments: &[String], words: &str) -> Result<Measured, Failure> {
    let path = Path::new(".").join(program);
    let run = Run::new(&path).env("LD_PRELOAD", "./libtessera_rt.so").env("TESSERA_RT", words);
    let output = run.args(arguments).output()?;
    let (mut seconds, mut kernels) = (f64::NAN, 0.0);
    let (mut on_device, mut on_host) = (0, Vec::new());
    for line in output.stderr.lines() {
        if let Some(time) = line.strip_prefix("kernel seconds: ").or_else(|| line.strip_prefix("seconds: ")) {
            seconds = time.parse().unwrap_or(f64::NAN);
        } else if line.contains(": device: ") {
            on_device += 1;
            let time = line.split(", ").find_map(|part| part.strip_suffix(" us of them kernels"));
            kernels += time.and_then(|time| time.parse::<f64>().ok()).unwrap_or(f64::NAN) * 1e-6;
        } else if line.starts_with("tessera_rt: ") && line.contains("nest ") {
            on_host.push(line.to_owned());
        }
    }
    let hash = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok(Measured { hash, seconds, kernels, on_device, on_host })
}

/// Measures all programs in the present folder.
fn run(options: &Options) -> Result<(), Failure> {
    let (mut same, mut different) = (0, Vec::new());
    let mut judge = |name: String, plain: &Measured, device: &Measured| {
        if plain.hash == device.hash { same += 1 } else { different.push(name) }
    };
    for class in options.classes.iter().filter(|_| options.corpus) {
        println!(
            "{:16} {:>11} {:>11} {:>11} {:>8} {:>8}",
            class.name(),
            "plain ms",
            "device ms",
            "kernels ms",
            "x all",
            "x kernel"
        );
        let (mut all, mut alone) = (Vec::new(), Vec::new());
        for problem in problems()?.iter().filter(|problem| options.wants(&problem.name)) {
            let sizes: Vec<String> = class.sizes(problem).iter().map(i64::to_string).collect();
            let with = |first: &[&str]| -> Vec<String> {
                first.iter().map(ToString::to_string).chain(sizes.iter().cloned()).collect()
            };
            let (plain_name, device_name) = (format!("{}.plain", problem.name), format!("{}.device", problem.name));
            let (mut plains, mut devices, mut kernels, mut note) = (Vec::new(), Vec::new(), Vec::new(), "");
            for _ in 0..options.rounds {
                let plain = measured(&plain_name, &with(&["--wall"]), "host")?;
                // The first of two runs starts the driver.
                let device = measured(&device_name, &with(&["--wall", "--times", "3"]), "device")?;
                let traced = measured(&device_name, &with(&["--wall"]), "device,trace")?;
                judge(format!("{} {sizes:?}", problem.name), &plain, &device);
                judge(format!("{} {sizes:?}", problem.name), &plain, &traced);
                if traced.on_device == 0 || !traced.on_host.is_empty() {
                    note = " (host)";
                    traced.on_host.iter().for_each(|line| eprintln!("{line}"));
                }
                plains.push(plain.seconds);
                devices.push(device.seconds);
                kernels.push(traced.kernels);
            }
            let (plain, device, kernels) = (median(&plains), median(&devices), median(&kernels));
            let (with, without) = (plain / device, plain / kernels);
            if note.is_empty() {
                all.push(with);
                alone.push(without);
            }
            println!(
                "{:16} {:11.3} {:11.3} {:11.3} {with:8.2} {without:8.2}{note}",
                problem.name,
                plain * 1e3,
                device * 1e3,
                kernels * 1e3
            );
        }
        println!(
            "geometric mean of {}: {:.2}x with copies, {:.2}x kernels alone",
            all.len(),
            geometric_mean(all),
            geometric_mean(alone)
        );
    }
    println!("{:12} {:>10} {:>11} {:>11} {:>12}", "kernel", "n", "device ms", "kernels ms", "rate");
    for (name, sizes) in SPEED.iter().filter(|(name, _)| options.wants(name)) {
        for n in *sizes {
            let arguments = |times: i64| [(*name).to_owned(), n.to_string(), times.to_string()];
            let plain = if *n <= 1300 { Some(measured("speed.plain", &arguments(1), "host")?) } else { None };
            let device = measured("speed.device", &arguments(2), "device")?;
            let mut kernels = Vec::new();
            for _ in 0..options.rounds {
                let traced = measured("speed.device", &arguments(1), "device,trace")?;
                traced.on_host.iter().for_each(|line| eprintln!("{line}"));
                kernels.push(traced.kernels);
            }
            plain.iter().for_each(|plain| judge(format!("{name} {n}"), plain, &device));
            let kernels = median(&kernels);
            #[expect(clippy::cast_precision_loss, reason = "sizes are small")]
            let size = *n as f64;
            let rate = match *name {
                "product_f64" | "product_f32" => format!("{:9.1} GFLOP/s", 2.0 * size.powi(3) / kernels * 1e-9),
                _ => {
                    let rank = if *name == "heat_3d" {
                        3
                    } else if *name == "jacobi_2d" {
                        2
                    } else {
                        1
                    };
                    format!("{:9.1} GB/s", STEPS * 16.0 * size.powi(rank) / kernels * 1e-9)
                }
            };
            println!("{name:12} {n:10} {:11.3} {:11.3} {rate:>12}", device.seconds * 1e3, kernels * 1e3);
        }
    }
    println!("{same} results with the same bits, {} others: {different:?}", different.len());
    match different.is_empty() {
        true => Ok(()),
        false => Err(Failure::new("gpu", "results differ".to_owned())),
    }
}
