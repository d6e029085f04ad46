//! Timing of every case of the corpus: our library against both builds of isl, in one process.
//!
//! Method. A case is run in rounds, and every round runs all three sides in turn. In a round a side first reads its
//! operands from text, `batch` times over, so that every timed call gets operands that nobody has looked at: isl keeps
//! samples, flags and normal forms inside shared objects, and a second call on the same object would measure the cache.
//! Then the clock runs over the `batch` calls. The operands stay alive (isl gets `isl_*_copy`, so it copies on writing;
//! we get references), and results are freed after the clock has stopped, on all sides. `batch` is chosen so that a
//! batch takes at least some tens of microseconds. The time of a side is the median over the rounds.
//!
//! The ratio of a case is the time of the faster build of isl divided by ours: above 1 we are faster. The ratio of a
//! class, and of all, is the geometric mean over its cases.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use tessera_polyhedral::budget::Budget;

use crate::corpus::{Case, Work};
use crate::isl::{self, Isl, Object};
use crate::operation::Answer;
use crate::value::Value;

/// Our budget per call.
pub const BUDGET: u64 = 500_000_000;
/// isl's limit on its own operations per call.
pub const ISL_LIMIT: u64 = 100_000_000;

/// How long to measure.
#[derive(Clone, Copy)]
pub struct Effort {
    /// Rounds per case, at most and if the case is not slow.
    pub rounds: usize,
    /// The time per case and side after which no further round starts.
    pub per_case: Duration,
}

/// The measured times of a case in nanoseconds: ours, then each build of isl.
pub struct Measurement<'a> {
    /// The case.
    pub case: &'a Case,
    /// Ours.
    pub ours: f64,
    /// Each build of isl.
    pub isl: Vec<f64>,
}

impl Measurement<'_> {
    /// The time of the fastest build of isl divided by ours.
    pub fn ratio(&self) -> f64 {
        self.isl.iter().copied().fold(f64::INFINITY, f64::min) / self.ours
    }
}

/// One side: a way to run a case `n` times on fresh operands.
pub trait Side {
    /// The time of `n` runs.
    fn run(&self, case: &Case, n: usize) -> Result<Duration, String>;
}

/// Our side.
pub struct Ours;

impl Side for Ours {
    fn run(&self, case: &Case, n: usize) -> Result<Duration, String> {
        let budget = Budget::new(BUDGET.saturating_mul(n as u64));
        let kinds = case.kinds();
        match case.work {
            Work::Parse(kind) => {
                let text = &case.operands[0];
                clocked(n, |_| Value::parse(kind, text, &budget).map_err(|e| e.to_string()))
            }
            _ => {
                let mut fresh: Vec<Vec<Value>> = Vec::with_capacity(n);
                for _ in 0..n {
                    let values =
                        kinds.iter().zip(&case.operands).map(|(&kind, text)| Value::parse(kind, text, &budget));
                    fresh.push(values.collect::<Result<_, _>>().map_err(|e| format!("parse: {e}"))?);
                }
                match case.work {
                    Work::Operation(operation) => {
                        clocked(n, |k| (operation.ours)(&fresh[k], &budget).map_err(|e| e.to_string()))
                    }
                    _ => clocked(n, |k| Ok(fresh[k][0].to_string())),
                }
            }
        }
    }
}

impl Side for Isl {
    fn run(&self, case: &Case, n: usize) -> Result<Duration, String> {
        let kinds = case.kinds();
        self.set_limit(ISL_LIMIT.saturating_mul(n as u64));
        match case.work {
            Work::Parse(kind) => {
                let text = &case.operands[0];
                clocked(n, |_| self.read(kind, text).map_err(|e| e.to_string()))
            }
            _ => {
                let mut fresh: Vec<Vec<Object<'_>>> = Vec::with_capacity(n);
                for _ in 0..n {
                    let objects = kinds.iter().zip(&case.operands).map(|(&kind, text)| self.read(kind, text));
                    fresh.push(objects.collect::<isl::Result<_>>().map_err(|e| format!("parse: {e}"))?);
                }
                match case.work {
                    Work::Operation(operation) => {
                        let operation = operation.bind(self).map_err(|e| e.to_string())?;
                        clocked(n, |k| operation.run(&fresh[k]).map_err(|e| e.to_string()))
                    }
                    _ => clocked(n, |k| Ok(Answer::Text(fresh[k][0].to_string()))),
                }
            }
        }
    }
}

/// The time of `n` calls; their results are kept until the clock has stopped.
fn clocked<T>(n: usize, mut call: impl FnMut(usize) -> Result<T, String>) -> Result<Duration, String> {
    let mut results = Vec::with_capacity(n);
    let start = Instant::now();
    for k in 0..n {
        results.push(black_box(call(k)?));
    }
    Ok(start.elapsed())
}

/// Times one case on all sides. The error names the side that could not do it.
pub fn measure<'a>(case: &'a Case, builds: &[&Isl], effort: Effort) -> Result<Measurement<'a>, String> {
    let mut sides: Vec<(&str, &dyn Side)> = vec![("ours", &Ours)];
    sides.extend(builds.iter().map(|isl| (isl.name(), *isl as &dyn Side)));
    let mut batches = Vec::new();
    for (name, side) in &sides {
        // The first run warms up, the second one tells how many fill a batch.
        side.run(case, 1).map_err(|e| format!("{name}: {e}"))?;
        let once = side.run(case, 1).map_err(|e| format!("{name}: {e}"))?;
        let batch = Duration::from_micros(40).as_nanos() / once.as_nanos().max(1);
        batches.push(usize::try_from(batch).unwrap_or(1).clamp(1, 16));
    }
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); sides.len()];
    let start = Instant::now();
    while times[0].len() < effort.rounds && (times[0].len() < 3 || start.elapsed() < effort.per_case) {
        for (((name, side), &batch), times) in sides.iter().zip(&batches).zip(&mut times) {
            let time = side.run(case, batch).map_err(|e| format!("{name}: {e}"))?;
            times.push(time.as_secs_f64() * 1e9 / batch as f64);
        }
    }
    let mut medians = times.into_iter().map(median);
    let ours = medians.next().unwrap_or(f64::NAN).max(1.0);
    Ok(Measurement { case, ours, isl: medians.map(|t| t.max(1.0)).collect() })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The geometric mean; not a number if there are no values.
pub fn geometric_mean(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut n) = (0.0, 0.0);
    for value in values {
        sum += value.ln();
        n += 1.0;
    }
    f64::exp(sum / n)
}

/// The table, the overall mean, and the worst cases.
pub fn report(measurements: &[Measurement<'_>], names: &[&str], worst: usize) -> String {
    let mut classes: BTreeMap<&str, Vec<&Measurement<'_>>> = BTreeMap::new();
    for m in measurements {
        classes.entry(m.case.class()).or_default().push(m);
    }
    let mut text = format!("{:24} {:>6} {:>12}", "operation", "cases", "ours ns");
    for name in names {
        text += &format!(" {:>14}", format!("{name} ns"));
    }
    text += "   ratio\n";
    let mut slowest: Option<(f64, &str)> = None;
    for (class, all) in &classes {
        let ratio = geometric_mean(all.iter().map(|m| m.ratio()));
        text += &format!("{class:24} {:>6} {:>12.0}", all.len(), median(all.iter().map(|m| m.ours).collect()));
        for k in 0..names.len() {
            text += &format!(" {:>14.0}", median(all.iter().map(|m| m.isl[k]).collect()));
        }
        text += &format!(" {ratio:>6.2}x\n");
        if slowest.is_none_or(|(r, _)| ratio < r) {
            slowest = Some((ratio, class));
        }
    }
    let overall = geometric_mean(measurements.iter().map(Measurement::ratio));
    text += &format!("\nall: {} cases, geometric mean {overall:.2}x the faster isl", measurements.len());
    let by_class = geometric_mean(classes.values().map(|all| geometric_mean(all.iter().map(|m| m.ratio()))));
    text += &format!(" ({by_class:.2}x if every class counts the same)\n");
    if let Some((ratio, class)) = slowest {
        text += &format!("slowest class: {class}, {ratio:.2}x\n");
    }
    let mut sorted: Vec<&Measurement<'_>> = measurements.iter().collect();
    sorted.sort_by(|a, b| a.ratio().total_cmp(&b.ratio()));
    text += "\nworst cases:\n";
    for m in sorted.iter().take(worst) {
        let isl = m.isl.iter().copied().fold(f64::INFINITY, f64::min);
        text += &format!(
            "  {:6.3}x  ours {:>10.0} ns  isl {:>10.0} ns  {:24} {}\n",
            m.ratio(),
            m.ours,
            isl,
            m.case.operation(),
            m.case.name
        );
    }
    text
}
