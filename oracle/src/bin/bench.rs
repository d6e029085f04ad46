//! `scripts/bench polyhedral`: the corpus on our library and on two builds of isl; see `tessera_oracle::bench`.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use tessera_polyhedral::budget::Budget;

use tessera_oracle::bench::{self, Effort, Measurement, Ours, Side};
use tessera_oracle::corpus::{self, Case, Work};
use tessera_oracle::differential::run::Run;
use tessera_oracle::finish;
use tessera_oracle::isl::{Isl, Object};
use tessera_oracle::memory;
use tessera_oracle::operation::Answer;
use tessera_oracle::value::Value;

const HELP: &str = "scripts/bench polyhedral [OPTIONS]
  --only CLASS     only the classes whose name contains CLASS
  --case NAME      only the cases whose name (`gemm/raw.12`) or operation contains NAME
  --worst N        list the N worst cases (10)
  --rounds N       rounds per case (11)
  --show           print the operands of the worst cases
  --loop SECONDS   run our side of the chosen cases alone for so long, for a profiler
  --fuzz N         also N random cases, in a table of their own (0)
  --memory         compare memory only: bytes that operands and results take, and the peak
  --parts          compare how many disjuncts the results have instead of time
  --list           print the chosen cases and stop";

struct Options {
    only: Option<String>,
    case: Option<String>,
    worst: usize,
    rounds: usize,
    show: bool,
    list: bool,
    repeat: Option<u64>,
    fuzz: u64,
    memory: bool,
    parts: bool,
    /// Which side this process is, when memory is compared.
    side: Option<String>,
}

fn options() -> Result<Options, String> {
    let mut result = Options {
        only: None,
        case: None,
        worst: 10,
        rounds: 11,
        show: false,
        list: false,
        repeat: None,
        fuzz: 0,
        memory: false,
        parts: false,
        side: None,
    };
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
            "--fuzz" => result.fuzz = number(value()?)?,
            "--memory" => result.memory = true,
            "--parts" => result.parts = true,
            "--side" => result.side = Some(value()?),
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

/// Random cases of all operations, named `fuzz/NUMBER`.
fn random_cases(isl: &Isl, n: u64) -> Vec<Case> {
    let run = Run::new(isl, None, 1, "");
    let cases = (0..n).filter_map(|number| {
        let (operation, operands) = run.case(number)?;
        // Here isl only hands its operand back.
        if ["text", "sample"].contains(&operation.class) || operation.name.ends_with(".text") {
            return None;
        }
        let operands = operands.iter().map(ToString::to_string).collect();
        Some(Case { name: format!("fuzz/{number}"), work: Work::Operation(operation), operands })
    });
    cases.collect()
}

/// The disjuncts of the results of every class: ours, isl's, and in how many cases which side has fewer.
fn compare_parts(cases: &[Case], isl: &Isl) -> Result<(), String> {
    let mut classes: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for case in cases {
        let Work::Operation(operation) = case.work else { continue };
        let budget = Budget::new(bench::BUDGET);
        let texts = || case.kinds().into_iter().zip(&case.operands);
        let values: Vec<Value> = texts().filter_map(|(k, t)| Value::parse(k, t, &budget).ok()).collect();
        isl.set_limit(bench::ISL_LIMIT);
        let objects: Vec<Object<'_>> = texts().filter_map(|(k, t)| isl.read(k, t).ok()).collect();
        let (Ok(ours), Ok(Answer::Object(theirs))) = ((operation.ours)(&values, &budget), operation.run_isl(&objects))
        else {
            continue;
        };
        let Ok(theirs) = theirs.n_disjuncts() else { continue };
        let ours = ours.n_disjuncts();
        let class = classes.entry(case.class()).or_default();
        class[0] += ours;
        class[1] += theirs;
        class[2] += usize::from(ours < theirs);
        class[3] += usize::from(ours > theirs);
        if ours > theirs {
            println!("{} {}: {ours} parts, isl {theirs}", case.name, case.operation());
        }
    }
    println!("{:24} {:>10} {:>10} {:>12} {:>12}", "disjuncts", "ours", "isl", "ours fewer", "isl fewer");
    for (class, [ours, theirs, fewer, more]) in classes {
        println!("{class:24} {ours:>10} {theirs:>10} {fewer:>12} {more:>12}");
    }
    Ok(())
}

fn run() -> Result<(), String> {
    let options = options()?;
    if let Some(side) = &options.side {
        return memory::measure_side(side);
    }
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
    if options.parts {
        return compare_parts(&cases, &polly);
    }
    let used = memory::measure(&cases)?;
    if options.memory {
        println!("{}\n{}", memory::report(&cases, &used), memory::worst(&cases, &used, options.worst));
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
    println!("{}", memory::report(&cases, &used));
    if options.show {
        measurements.sort_by(|a, b| a.ratio().total_cmp(&b.ratio()));
        for m in measurements.iter().take(options.worst) {
            println!("{} {}\n    {}", m.case.name, m.case.operation(), m.case.operands.join("\n    "));
        }
    }
    if options.fuzz > 0 {
        let mut cases = random_cases(&polly, options.fuzz);
        cases.retain(|c| chosen(c, &options));
        let effort = Effort { per_case: Duration::from_millis(15), ..effort };
        let random: Vec<Measurement<'_>> =
            cases.iter().filter_map(|case| bench::measure(case, &builds, effort).ok()).collect();
        println!("random cases\n{}", bench::report(&random, &[polly.name(), debian.name()], options.worst));
    }
    println!("{} cases could not be measured", failures.len());
    failures.iter().take(options.worst).for_each(|f| println!("  {f}"));
    Ok(())
}

fn main() -> ExitCode {
    finish(run().map(|()| true))
}
