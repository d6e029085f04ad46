//! `scripts/bench polyhedral`: the corpus on our library and on two builds of isl; see `tessera_oracle::bench`.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use tessera_oracle::bench::{self, Effort, Measurement, Ours, Side};
use tessera_oracle::corpus::{self, Case};
use tessera_oracle::isl::Isl;

const HELP: &str = "scripts/bench polyhedral [OPTIONS]
  --only CLASS     only the classes whose name contains CLASS
  --case NAME      only the cases whose name (`gemm/raw.12`) or operation contains NAME
  --worst N        list the N worst cases (10)
  --rounds N       rounds per case (11)
  --show           print the operands of the worst cases
  --loop SECONDS   run our side of the chosen cases alone for so long, for a profiler
  --list           print the chosen cases and stop";

struct Options {
    only: Option<String>,
    case: Option<String>,
    worst: usize,
    rounds: usize,
    show: bool,
    list: bool,
    repeat: Option<u64>,
}

fn options() -> Result<Options, String> {
    let mut result = Options { only: None, case: None, worst: 10, rounds: 11, show: false, list: false, repeat: None };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value\n{HELP}"));
        let number = |text: String| text.parse::<u64>().map_err(|_| format!("`{text}` is not a number"));
        match arg.as_str() {
            "--only" => result.only = Some(value()?),
            "--case" => result.case = Some(value()?),
            "--worst" => result.worst = number(value()?)? as usize,
            "--rounds" => result.rounds = number(value()?)?.max(1) as usize,
            "--loop" => result.repeat = Some(number(value()?)?),
            "--show" => result.show = true,
            "--list" => result.list = true,
            _ => return Err(HELP.into()),
        }
    }
    Ok(result)
}

fn chosen(case: &Case, options: &Options) -> bool {
    options.only.as_ref().is_none_or(|c| case.class().contains(c.as_str()))
        && options.case.as_ref().is_none_or(|c| case.name.contains(c.as_str()) || case.operation().contains(c.as_str()))
}

fn run() -> Result<(), String> {
    let options = options()?;
    let polly = Isl::polly()?;
    let debian = Isl::debian()?;
    let mut cases = corpus::cases(&polly)?;
    cases.retain(|c| chosen(c, &options));
    if options.list {
        cases.iter().for_each(|c| println!("{} {} {}", c.name, c.operation(), c.operands.join(" ; ")));
        return Ok(());
    }
    if let Some(seconds) = options.repeat {
        let start = Instant::now();
        let mut runs = 0u64;
        while start.elapsed() < Duration::from_secs(seconds) {
            for case in &cases {
                Ours.run(case, 8).map_err(|e| format!("{}: {e}", case.name))?;
                runs += 8;
            }
        }
        println!("{runs} runs");
        return Ok(());
    }
    let builds = [&polly, &debian];
    let effort = Effort { rounds: options.rounds, per_case: Duration::from_millis(40) };
    let mut measurements: Vec<Measurement<'_>> = Vec::new();
    let mut failures = Vec::new();
    for case in &cases {
        match bench::measure(case, &builds, effort) {
            Ok(m) => measurements.push(m),
            Err(error) => failures.push(format!("{} {}: {error}", case.name, case.operation())),
        }
    }
    println!("{}", bench::report(&measurements, &[polly.name(), debian.name()], options.worst));
    if options.show {
        measurements.sort_by(|a, b| a.ratio().total_cmp(&b.ratio()));
        for m in measurements.iter().take(options.worst) {
            println!("{} {}\n    {}", m.case.name, m.case.operation(), m.case.operands.join("\n    "));
        }
    }
    println!("{} cases could not be measured", failures.len());
    failures.iter().take(options.worst).for_each(|f| println!("  {f}"));
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
