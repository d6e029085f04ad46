//! `scripts/bench ast`: our AST generator against that of isl; see `tessera_oracle::generation` and
//! `tessera_oracle::compiled`.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use tessera_oracle::bench::geometric_mean;
use tessera_oracle::compiled::{self, Case};
use tessera_oracle::finish;
use tessera_oracle::generation::{Input, kernels, ours, scanning, theirs};
use tessera_oracle::isl::Isl;

const HELP: &str = "scripts/bench ast [OPTIONS]
  --only NAME      only the inputs whose family or name contains NAME
  --rounds N       rounds per input and side (5)
  --ours           do not run isl
  --times          only generation times
  --compiled       only sizes and instruction counts
  --loop SECONDS   run our side of the chosen inputs alone for so long, for a profiler
  --show           print the code of both sides";

struct Arguments {
    only: Option<String>,
    rounds: usize,
    ours: bool,
    times: bool,
    compiled: bool,
    repeat: Option<u64>,
    show: bool,
}

fn arguments() -> Result<Arguments, String> {
    let mut result =
        Arguments { only: None, rounds: 5, ours: false, times: false, compiled: false, repeat: None, show: false };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value\n{HELP}"));
        let number = |text: &str| text.parse::<usize>().map_err(|_| format!("`{text}` is not a number"));
        match arg.as_str() {
            "--only" => result.only = Some(value()?),
            "--rounds" => result.rounds = number(&value()?)?,
            "--ours" => result.ours = true,
            "--times" => result.times = true,
            "--compiled" => result.compiled = true,
            "--loop" => result.repeat = Some(number(&value()?)? as u64),
            "--show" => result.show = true,
            _ => return Err(HELP.into()),
        }
    }
    Ok(result)
}

fn summarise(family: &str, ratios: &[f64]) {
    let mean = geometric_mean(ratios.iter().copied());
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    println!("{family:12} {:3} inputs: geometric mean {mean:.2}, least {least:.2}", ratios.len());
}

/// Milliseconds.
fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn times(isl: &Isl, inputs: &[Input], arguments: &Arguments) {
    println!("generation time, median of {} rounds", arguments.rounds);
    println!("{:12} {:40} {:>10} {:>10} {:>7}", "", "", "ours ms", "isl ms", "ratio");
    let mut ratios: Vec<(&str, f64)> = Vec::new();
    for input in inputs {
        let (unit, time) = match ours(input, arguments.rounds) {
            Ok(result) => result,
            Err(error) => {
                println!("{:12} {:40} {error}", input.family, input.name);
                continue;
            }
        };
        if arguments.show {
            println!("{unit}");
        }
        if arguments.ours {
            println!("{:12} {:40} {:10.3}", input.family, input.name, ms(time));
            continue;
        }
        match theirs(isl, input, arguments.rounds) {
            Ok((code, their_time)) => {
                let ratio = ms(their_time) / ms(time);
                ratios.push((input.family, ratio));
                println!("{:12} {:40} {:10.3} {:10.3} {ratio:7.2}", input.family, input.name, ms(time), ms(their_time));
                if arguments.show {
                    println!("{code}");
                }
            }
            Err(error) => println!("{:12} {:40} {:10.3} {:>10} {error}", input.family, input.name, ms(time), "-"),
        }
    }
    let mut families: Vec<&str> = ratios.iter().map(|(family, _)| *family).collect();
    families.dedup();
    for family in families {
        let some: Vec<f64> = ratios.iter().filter(|(other, _)| *other == family).map(|(_, ratio)| *ratio).collect();
        summarise(family, &some);
    }
    let all: Vec<f64> = ratios.iter().map(|(_, ratio)| *ratio).collect();
    summarise("all", &all);
}

/// The table of sizes and instruction counts. An error if the compiled programs disagree.
fn compiled(isl: &Isl, arguments: &Arguments) -> Result<(), String> {
    println!("\ncompiled code: size in bytes and executed instructions, ours and isl's");
    println!("{:34} {:24} {:>6} {:>6}  {:>9} {:>9}", "", "", "ours", "isl", "ours", "isl");
    let folder = std::env::temp_dir().join(format!("tessera-bench-ast-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let (mut cells, mut better, mut worse) = (0, 0, 0);
    let chosen = |case: &Case| arguments.only.as_ref().is_none_or(|name| case.input.name.contains(name.as_str()));
    for case in compiled::cases().iter().filter(|case| chosen(case)) {
        let (own, their) = compiled::codes(isl, case)?;
        if arguments.show {
            println!("{own}{their}");
        }
        for compiler in compiled::COMPILERS.iter().filter(|compiler| compiler.fits(case)) {
            let (a, result) = compiled::measure(case, &own, compiler, &folder)?;
            let (b, their_result) = compiled::measure(case, &their, compiler, &folder)?;
            if result != their_result {
                return Err(format!("{}: {} executes something else\n{own}{their}", case.input.name, compiler.name));
            }
            let mut mark = String::new();
            for (what, x, y) in [("size", a.size, b.size), ("instructions", a.instructions, b.instructions)] {
                cells += 1;
                better += usize::from(x < y);
                worse += usize::from(x > y);
                if x > y {
                    mark += &format!("  {what} worse");
                }
            }
            println!(
                "{:34} {:24} {:6} {:6}  {:9} {:9}{mark}",
                case.input.name, compiler.name, a.size, b.size, a.instructions, b.instructions
            );
        }
    }
    println!("of {cells} cells ours is better in {better}, equal in {}, worse in {worse}", cells - better - worse);
    std::fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))
}

fn run() -> Result<(), String> {
    let arguments = arguments()?;
    let isl = Isl::polly()?;
    let mut inputs = kernels()?;
    inputs.extend(scanning()?);
    inputs.sort_by_key(|input| {
        ["original", "tiled", "skewed", "unrolled", "scanning"].iter().position(|f| *f == input.family)
    });
    if let Some(name) = &arguments.only {
        inputs.retain(|input| input.name.contains(name.as_str()) || input.family == name);
    }
    if let Some(seconds) = arguments.repeat {
        let start = Instant::now();
        let mut runs = 0;
        while start.elapsed() < Duration::from_secs(seconds) {
            for input in &inputs {
                ours(input, 1)?;
                runs += 1;
            }
        }
        println!("{runs} runs");
        return Ok(());
    }
    if !arguments.compiled {
        times(&isl, &inputs, &arguments);
    }
    if !arguments.times && !arguments.ours { compiled(&isl, &arguments) } else { Ok(()) }
}

fn main() -> ExitCode {
    finish(run().map(|()| true))
}
