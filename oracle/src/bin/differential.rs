//! `scripts/fuzz-polyhedral`: random cases of every operation, judged by isl; see `tessera_oracle::differential`.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use tessera_oracle::differential::run::Run;
use tessera_oracle::differential::verdict;
use tessera_oracle::finish;
use tessera_oracle::isl::Isl;

const HELP: &str = "scripts/fuzz-polyhedral [CASES | SECONDSs] [SEED] [OPTIONS]
  --only NAME    only the operations whose name contains NAME
  --print K      print the operands of case number K and stop
  --slow MS      print the cases that take longer than so many milliseconds
  --quiet        no running counts";

/// So many cases run in one child process.
const BATCH: u64 = 200;

struct Options {
    cases: u64,
    time: Option<Duration>,
    seed: u64,
    only: String,
    print: Option<u64>,
    slow: Option<u64>,
    quiet: bool,
}

fn options() -> Result<Options, String> {
    let mut result =
        Options { cases: 20_000, time: None, seed: 1, only: String::new(), print: None, slow: None, quiet: false };
    let mut args = std::env::args().skip(1);
    let mut position = 0;
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value\n{HELP}"));
        let number = |text: &str| text.parse::<u64>().map_err(|_| format!("`{text}` is not a number\n{HELP}"));
        match arg.as_str() {
            "--only" => result.only = value()?,
            "--print" => result.print = Some(number(&value()?)?),
            "--slow" => result.slow = Some(number(&value()?)?),
            "--quiet" => result.quiet = true,
            text if !text.starts_with('-') && position == 0 => {
                position = 1;
                match text.strip_suffix('s') {
                    Some(seconds) => {
                        (result.cases, result.time) = (u64::MAX, Some(Duration::from_secs(number(seconds)?)));
                    }
                    None => result.cases = number(text)?,
                }
            }
            text if !text.starts_with('-') && position == 1 => {
                position = 2;
                result.seed = number(text)?;
            }
            _ => return Err(HELP.into()),
        }
    }
    Ok(result)
}

fn run() -> Result<bool, String> {
    let options = options()?;
    let (isl, second) = (Isl::polly()?, Isl::debian()?);
    verdict::silence_panics();
    let mut run = Run::new(&isl, Some(&second), options.seed, &options.only);
    if let Some(number) = options.print {
        let (operation, operands) = run.case(number).ok_or("no operation of that name")?;
        println!("{}", operation.name);
        operands.iter().for_each(|o| println!("    {o}"));
        return Ok(true);
    }
    let start = Instant::now();
    let mut shown = (Instant::now(), 0);
    let mut number = 0;
    while number < options.cases && options.time.is_none_or(|t| start.elapsed() < t) {
        let end = options.cases.min(number + BATCH);
        for (slow, milliseconds) in run.run(number..end, options.slow.unwrap_or(u64::MAX)) {
            if let Some((operation, operands)) = run.case(slow) {
                println!("case {slow}, {milliseconds} ms: {}", operation.name);
                operands.iter().for_each(|o| println!("    {o}"));
            }
        }
        for disagreement in &run.disagreements[shown.1..] {
            print!("{disagreement}");
        }
        shown.1 = run.disagreements.len();
        number = end;
        if !options.quiet && shown.0.elapsed() > Duration::from_secs(20) {
            shown.0 = Instant::now();
            let total = run.total();
            let rate = total.cases as f64 / start.elapsed().as_secs_f64();
            println!("{} cases, {rate:.0} per second, {} disagreements", total.cases, total.disagreed);
        }
    }
    print!("{}", run.table());
    for (name, why) in &run.void {
        println!("void: {name}: {why}");
    }
    for contradiction in &run.contradictions {
        print!("isl is wrong: {contradiction}");
    }
    let total = run.total();
    println!(
        "{} cases with seed {} in {:.0} s, {} disagreements",
        total.cases,
        options.seed,
        start.elapsed().as_secs_f64(),
        total.disagreed
    );
    Ok(total.disagreed == 0)
}

fn main() -> ExitCode {
    finish(run())
}
