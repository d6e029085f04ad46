//! `scripts/bench scheduling`: our scheduler against that of isl; see `tessera_oracle::scheduling`.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use tessera_oracle::bench::geometric_mean;
use tessera_oracle::finish;
use tessera_oracle::isl::Isl;
use tessera_oracle::scheduling::{
    Input, OptionSet, Quality, kernels, option_sets, ours, synthetic, theirs, until_exhausted,
};
use tessera_polyhedral::scheduler::{Fusion, Options};

const HELP: &str = "scripts/bench scheduling [OPTIONS]
  --only NAME      only the inputs whose name contains NAME
  --rounds N       rounds per input and side (5)
  --sizes N,N,..   numbers of statements of the synthetic programs (10,25,50,100,200)
  --ours           do not run isl
  --loop SECONDS   run our side of the chosen inputs alone for so long, for a profiler
  --show           print the schedules where isl's has more coincident members or longer outer bands";

struct Arguments {
    only: Option<String>,
    rounds: usize,
    sizes: Vec<usize>,
    ours: bool,
    repeat: Option<u64>,
    show: bool,
}

fn arguments() -> Result<Arguments, String> {
    let mut result =
        Arguments { only: None, rounds: 5, sizes: vec![10, 25, 50, 100, 200], ours: false, repeat: None, show: false };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value\n{HELP}"));
        let number = |text: &str| text.parse::<usize>().map_err(|_| format!("`{text}` is not a number"));
        match arg.as_str() {
            "--only" => result.only = Some(value()?),
            "--rounds" => result.rounds = number(&value()?)?,
            "--sizes" => {
                result.sizes = value()?.split(',').filter(|s| !s.is_empty()).map(number).collect::<Result<_, _>>()?
            }
            "--ours" => result.ours = true,
            "--loop" => result.repeat = Some(number(&value()?)? as u64),
            "--show" => result.show = true,
            _ => return Err(HELP.into()),
        }
    }
    Ok(result)
}

/// Milliseconds.
fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn quality(q: &Quality) -> String {
    format!(
        "{:3} {:4} {:4} {:5} {:5} {:5}",
        q.bands, q.members, q.coincident, q.outer, q.outer_coincident, q.coefficient
    )
}

/// One table. Gives the number of inputs where isl's schedule is better in something that must not be worse.
fn table(isl: &Isl, inputs: &[Input], options: &OptionSet, arguments: &Arguments) -> usize {
    println!(
        "\n{} options (bands, members, coincident, outer depth, outer coincident, greatest coefficient)",
        options.name
    );
    println!("{:16} {:>10} {:>10} {:>7}  {:31}  {:31}", "", "ours ms", "isl ms", "ratio", "ours", "isl");
    let (mut ratios, mut worse) = (Vec::new(), 0);
    for input in inputs {
        let own = ours(input, &options.ours, arguments.rounds);
        let (tree, time) = match own {
            Ok(result) => result,
            Err(error) => {
                println!("{:16} {error}", input.name);
                continue;
            }
        };
        let q = Quality::of(&tree);
        if arguments.ours {
            println!("{:16} {:10.3} {:>10} {:>7}  {}", input.name, ms(time), "", "", quality(&q));
            continue;
        }
        match theirs(isl, input, options, arguments.rounds) {
            Ok((their_tree, their_time)) => {
                let p = Quality::of(&their_tree);
                let ratio = ms(their_time) / ms(time);
                ratios.push(ratio);
                let is_worse = q.coincident < p.coincident || q.outer < p.outer;
                worse += usize::from(is_worse);
                let mark = if is_worse { "  <" } else { "" };
                println!(
                    "{:16} {:10.3} {:10.3} {ratio:7.2}  {}  {}{mark}",
                    input.name,
                    ms(time),
                    ms(their_time),
                    quality(&q),
                    quality(&p)
                );
                if is_worse && arguments.show {
                    println!("{tree}\n{their_tree}");
                }
            }
            Err(error) => {
                println!("{:16} {:10.3} {:>10} {:>7}  {}  {error}", input.name, ms(time), "-", "", quality(&q))
            }
        }
    }
    if !ratios.is_empty() {
        let mean = geometric_mean(ratios.iter().copied());
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        println!(
            "geometric mean {mean:.2}, least {least:.2}; isl better in depth or coincidence on {worse} of {}",
            ratios.len()
        );
    }
    worse
}

fn run() -> Result<(), String> {
    let arguments = arguments()?;
    let isl = Isl::polly()?;
    let chosen = |input: &Input| arguments.only.as_ref().is_none_or(|name| input.name.contains(name.as_str()));
    let mut kernels = kernels()?;
    kernels.retain(chosen);
    let mut large = synthetic(&arguments.sizes);
    large.retain(chosen);
    if let Some(seconds) = arguments.repeat {
        let start = Instant::now();
        let mut runs = 0;
        while start.elapsed() < Duration::from_secs(seconds) {
            for input in kernels.iter().chain(&large) {
                ours(input, &option_sets()[0].ours, 1)?;
                runs += 1;
            }
        }
        println!("{runs} runs");
        return Ok(());
    }
    for options in option_sets() {
        table(&isl, &kernels, &options, &arguments);
        table(&isl, &large, &options, &arguments);
    }
    exhausted(&kernels, &large)
}

/// How long an exhausted budget takes to be noticed, at most over all inputs and fusion strategies.
fn exhausted(kernels: &[Input], large: &[Input]) -> Result<(), String> {
    println!("\nexhausted budgets: the longest time until the error");
    for budget in [10_000, 1_000_000, 50_000_000] {
        let (mut longest, mut whose, mut count) = (Duration::ZERO, "", 0);
        for input in kernels.iter().chain(large) {
            for fusion in [Fusion::Smart, Fusion::Max] {
                let options = Options::default().with_fusion(fusion);
                if let Some(time) = until_exhausted(input, &options, budget)? {
                    count += 1;
                    if time > longest {
                        (longest, whose) = (time, &input.name);
                    }
                }
            }
        }
        println!("{budget:>10} units: {count:3} inputs exhausted it, at most {:.1} ms ({whose})", ms(longest));
    }
    Ok(())
}

fn main() -> ExitCode {
    finish(run().map(|()| true))
}
