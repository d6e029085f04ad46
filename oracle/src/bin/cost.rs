//! `scripts/bench cost`: estimates of time against the machine; see `tessera_oracle::cost`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use tessera_oracle::bench::geometric_mean;
use tessera_oracle::cost::{Kernel, rank_correlation};
use tessera_oracle::finish;
use tessera_polyhedral::target::Target;

const HELP: &str = "scripts/bench cost [OPTIONS]
  --target NAME|FILE   the target of the estimates (avx512)
  --only NAME          only the kernels whose name contains NAME
  --times FILE         measured times: read from the file if it exists, else written to it
  --parts              print the parts of every estimate
  --program NAME       print the C program of a kernel

For every kernel and size: measured and estimated time of every order relative to the order of the program, the rank correlation, and
the regret: the time of the order with the least estimate over the least time (the order of the program is kept unless the estimate
saves a tenth).";

/// An order must be estimated at less than this part of the time of the order of the program to be chosen.
const MARGIN: f64 = 0.9;

struct Arguments {
    target: String,
    only: String,
    times: Option<PathBuf>,
    parts: bool,
    program: Option<String>,
}

fn arguments() -> Result<Arguments, String> {
    let mut result =
        Arguments { target: "avx512".into(), only: String::new(), times: None, parts: false, program: None };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value\n{HELP}"));
        match arg.as_str() {
            "--target" => result.target = value()?,
            "--only" => result.only = value()?,
            "--times" => result.times = Some(value()?.into()),
            "--parts" => result.parts = true,
            "--program" => result.program = Some(value()?),
            _ => return Err(HELP.into()),
        }
    }
    Ok(result)
}

fn target(name: &str) -> Result<Target, String> {
    match Target::builtin(name) {
        Some(target) => target.map_err(|e| e.to_string()),
        None => {
            let text = std::fs::read_to_string(name).map_err(|e| format!("{name}: {e}"))?;
            Target::parse(&text).map_err(|e| format!("{name}: {e:#}"))
        }
    }
}

/// Times as lines `kernel sizes order nanoseconds`.
struct Times(Vec<(String, f64)>);

impl Times {
    fn read(path: &Path) -> Times {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let line = |line: &str| {
            let (key, value) = line.rsplit_once(' ')?;
            Some((key.to_owned(), value.parse().ok()?))
        };
        Times(text.lines().filter_map(line).collect())
    }

    fn get(&self, key: &str) -> Option<f64> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, time)| *time)
    }
}

fn run() -> Result<bool, String> {
    let arguments = arguments()?;
    let target = target(&arguments.target)?;
    let mut known = arguments.times.as_deref().map_or(Times(Vec::new()), Times::read);
    let folder = std::env::temp_dir().join(format!("tessera-cost-{}", std::process::id()));
    let (mut correlations, mut regrets, mut originals, mut spent) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for kernel in Kernel::all()?.iter().filter(|kernel| kernel.name.contains(&arguments.only)) {
        let drafts = kernel.drafts()?;
        if let Some(name) = &arguments.program {
            if *name == kernel.name {
                println!("{}", kernel.program(&drafts)?);
            }
            continue;
        }
        let key = |sizes: &str, order: &str| format!("{} {sizes} {order}", kernel.name);
        let all = kernel.sizes.iter().flat_map(|sizes| kernel.orders.iter().map(|(order, _)| key(sizes, order)));
        if all.into_iter().any(|key| known.get(&key).is_none()) {
            std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
            for (sizes, times) in kernel.sizes.iter().zip(kernel.measured(&drafts, &folder)?) {
                for ((order, _), time) in kernel.orders.iter().zip(times) {
                    known.0.push((key(sizes, order), time));
                }
            }
            if let Some(path) = &arguments.times {
                let lines: String = known.0.iter().map(|(key, time)| format!("{key} {time:.0}\n")).collect();
                std::fs::write(path, lines).map_err(|e| format!("{}: {e}", path.display()))?;
            }
        }
        for sizes in &kernel.sizes {
            let start = Instant::now();
            let estimates = kernel.estimates(&drafts, &target, sizes)?;
            spent.push(start.elapsed().as_secs_f64() * 1e6 / drafts.len().max(1) as f64);
            let estimated: Vec<f64> = estimates.iter().map(|estimate| estimate.total).collect();
            let times = kernel.orders.iter().map(|(order, _)| known.get(&key(sizes, order)));
            let times: Vec<f64> = times.collect::<Option<_>>().ok_or("times are missing")?;
            let least = times.iter().copied().fold(f64::INFINITY, f64::min);
            let smallest = estimated.iter().copied().fold(f64::INFINITY, f64::min);
            // The order of the program must be beaten by a margin.
            let best = estimated.iter().position(|e| *e <= smallest).unwrap_or(0);
            let chosen = if smallest < MARGIN * estimated[0] { best } else { 0 };
            let (correlation, regret) = (rank_correlation(&times, &estimated), times[chosen] / least);
            correlations.push(correlation);
            regrets.push(regret);
            originals.push(times[0] / least);
            println!("{} {sizes}: rank correlation {correlation:.2}, regret {regret:.2}", kernel.name);
            for (k, (order, _)) in kernel.orders.iter().enumerate() {
                let mark = if k == chosen { "*" } else { " " };
                let (time, cycles) = (times[k] / times[0], estimated[k] / estimated[0]);
                println!("  {mark} {order:24} measured {time:6.2}  estimated {cycles:6.2}  {:9.3e} ns", times[k]);
                if arguments.parts {
                    let parts: Vec<String> =
                        estimates[k].lines().map(|(name, cycles)| format!("{name} {cycles:.2e}")).collect();
                    println!("      {}", parts.join(", "));
                }
            }
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    if !correlations.is_empty() {
        let n = correlations.len() as f64;
        let largest = regrets.iter().copied().fold(1.0, f64::max);
        println!(
            "{n} cases: mean rank correlation {:.2}; regret {:.2} (geometric mean), {largest:.2} (largest); that of the order of the \
             program {:.2}; {:.0} us per estimate",
            correlations.iter().sum::<f64>() / n,
            geometric_mean(regrets.iter().copied()),
            geometric_mean(originals.iter().copied()),
            spent.iter().sum::<f64>() / n,
        );
    }
    Ok(true)
}

fn main() -> ExitCode {
    finish(run())
}
