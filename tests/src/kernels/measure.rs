//! Running programs of the corpus: their hash and their time; the time of a compilation.

use super::build::run_of;
use crate::process::{Failure, Run};
use std::path::Path;

/// No kernel may be slower than this part of its plain speed.
pub const FLOOR: f64 = 0.98;

/// What is below the floor is measured again: where a linker puts a loop alone can make a tenth of its speed, so the code of
/// both builds is moved by so many bytes, for [`AGAIN`] times longer all together. The geometric mean counts.
pub const PLACES: [usize; 4] = [0, 80, 672, 2096];

/// How many times longer it is measured then.
pub const AGAIN: f64 = 6.0;

/// The time of a measurement that an option of a benchmark names.
pub fn positive_seconds(option: &str, text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|&seconds: &f64| seconds > 0.0 && seconds.is_finite());
    seconds.ok_or_else(|| format!("{option} {text}: not a positive number"))
}

/// What a program gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Its standard output: the hash of all arrays, and whether a Rust kernel panicked.
    pub hash: String,
    /// The rest of its standard error: the message of a panic.
    pub messages: String,
    /// Processor seconds of the kernel alone.
    pub seconds: f64,
}

/// Runs a program with these options of the driver at the sizes once.
pub fn run(program: &Path, options: &[&str], sizes: &[i64]) -> Result<Outcome, Failure> {
    let output =
        Run::new(program).env("RUST_BACKTRACE", "0").args(options).args(sizes.iter().map(i64::to_string)).output()?;
    let (mut seconds, mut messages) = (None, String::new());
    for line in output.stderr.lines() {
        match line.strip_prefix("kernel seconds: ") {
            Some(time) => seconds = time.parse().ok(),
            // `thread 'main' (PROCESS) panicked at FILE:LINE:COLUMN:`, then the message.
            None => {
                messages += line.split_once("panicked at").map_or(line, |(_, place)| place);
                messages.push('\n');
            }
        }
    }
    let seconds = seconds
        .ok_or_else(|| Failure::new(program.display().to_string(), "no kernel time on standard error".to_string()))?;
    Ok(Outcome { hash: String::from_utf8_lossy(&output.stdout).trim_end().to_string(), messages, seconds })
}

/// What two builds that took turns gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Turns {
    /// Median seconds of a call of the old and of the new build.
    pub seconds: [f64; 2],
    /// The median of the ratios old to new.
    pub ratio: f64,
    /// Whether the results are bit for bit the same.
    pub same: bool,
}

/// Lets two builds of a kernel, shared libraries, take turns for about so many seconds.
pub fn turns(program: &Path, libraries: [&Path; 2], seconds: f64, sizes: &[i64]) -> Result<Turns, Failure> {
    let run = Run::new(program).env("RUST_BACKTRACE", "0").args(libraries).arg(seconds.to_string());
    let output = run.args(sizes.iter().map(i64::to_string)).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let words: Vec<&str> = text.split_whitespace().collect();
    let read = || {
        let [old, new, ratio, _low, _high, _pairs, same] = words[..] else { return None };
        let number = |word: &str| word.parse::<f64>().ok();
        Some(Turns { seconds: [number(old)?, number(new)?], ratio: number(ratio)?, same: same == "same" })
    };
    read().ok_or_else(|| Failure::new(program.display().to_string(), format!("`{}` is no measurement", text.trim())))
}

/// Runs a compilation; gives its user seconds, from bash's `time`.
pub fn user_seconds(words: &[String]) -> Result<f64, Failure> {
    let mut timed: Vec<String> = ["bash", "-c", "TIMEFORMAT=%U; time \"$@\"", "bash"].map(String::from).to_vec();
    timed.extend_from_slice(words);
    let output = run_of(&timed).output()?;
    let last = output.stderr.lines().last().unwrap_or("").trim();
    last.parse().map_err(|_| Failure::new(words.join(" "), format!("`{last}` is not a time")))
}

/// The median; of an even number of values the upper one. Not a number for none.
pub fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The geometric mean; not a number for none.
pub fn geometric_mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) = values.into_iter().fold((0.0, 0), |(sum, count), value| (sum + value.ln(), count + 1));
    (sum / f64::from(count)).exp()
}
