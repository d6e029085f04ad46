//! `scripts/bench lexopt`: lexicographic optima of random wide systems on our library and on two builds of isl.
//!
//! Every side runs in a process of its own that works through all systems and is ended and started again behind a
//! system that takes longer than the limit: such a system counts with the limit as its time. Times are processor times
//! of the optimum alone, the best of up to three runs on fresh operands. All answers are compared.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use tessera_oracle::bench::{self, geometric_mean};
use tessera_oracle::differential::random::Random;
use tessera_oracle::finish;
use tessera_oracle::isl::{Isl, Kind};
use tessera_oracle::wide::Wide;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::Set;

const HELP: &str = "scripts/bench lexopt [OPTIONS]
  --cases N      so many systems (200)
  --seed N       of this seed (1)
  --limit MS     milliseconds per system and side (2000)
  --only CLASS   only the classes whose name contains CLASS
  --worst N      list the N systems with the worst ratios (8)
  --show         print them";

/// Repetitions end after so much time.
const ENOUGH: Duration = Duration::from_millis(20);

struct Options {
    cases: u64,
    seed: u64,
    limit: u64,
    only: String,
    worst: usize,
    show: bool,
    side: Option<String>,
}

fn options() -> Result<Options, String> {
    let mut result =
        Options { cases: 200, seed: 1, limit: 2000, only: String::new(), worst: 8, show: false, side: None };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value\n{HELP}"));
        let number = |text: String| text.parse::<u64>().map_err(|_| format!("`{text}` is not a number"));
        match arg.as_str() {
            "--cases" => result.cases = number(value()?)?,
            "--seed" => result.seed = number(value()?)?,
            "--limit" => result.limit = number(value()?)?,
            "--only" => result.only = value()?,
            "--worst" => result.worst = number(value()?)? as usize,
            "--show" => result.show = true,
            "--side" => result.side = Some(value()?),
            _ => return Err(HELP.into()),
        }
    }
    Ok(result)
}

unsafe extern "C" {
    fn clock_gettime(clock: std::ffi::c_int, time: *mut [i64; 2]) -> std::ffi::c_int;
}

/// Linux's number of the clock of a thread's processor time.
const THREAD_CLOCK: std::ffi::c_int = 3;

/// The processor time of this thread.
fn thread_time() -> Duration {
    let mut time = [0i64; 2];
    // SAFETY: on 64-bit Linux the structure is two 64-bit integers: seconds and nanoseconds.
    unsafe { clock_gettime(THREAD_CLOCK, &raw mut time) };
    Duration::new(time[0].unsigned_abs(), u32::try_from(time[1]).unwrap_or_default())
}

/// The processor time of the first thread of a process, to some milliseconds (Linux's `schedstat`).
fn processor_time(process: &str) -> Duration {
    let text = std::fs::read_to_string(format!("/proc/{process}/schedstat")).unwrap_or_default();
    Duration::from_nanos(text.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or_default())
}

/// The best time of some runs and the last answer.
fn timed(mut run: impl FnMut() -> Result<(Duration, String), String>) -> Result<(Duration, String), String> {
    let start = Instant::now();
    let (mut best, mut answer) = run()?;
    for _ in 0..2 {
        if start.elapsed() > ENOUGH {
            break;
        }
        let (time, again) = run()?;
        (best, answer) = (best.min(time), again);
    }
    Ok((best, answer))
}

fn ours(text: &str, maximum: bool) -> Result<(Duration, String), String> {
    timed(|| {
        let budget = Budget::new(bench::BUDGET);
        let set = Set::parse(text, &budget).map_err(|e| e.to_string())?;
        let start = thread_time();
        let result = if maximum { set.lexmax(&budget) } else { set.lexmin(&budget) };
        let time = thread_time().saturating_sub(start);
        Ok((time, result.map_err(|e| e.to_string())?.to_string()))
    })
}

fn theirs(isl: &Isl, text: &str, maximum: bool) -> Result<(Duration, String), String> {
    timed(|| {
        let set = isl.read(Kind::Set, text).map_err(|e| e.to_string())?;
        let start = thread_time();
        // SAFETY: both functions take a set and give one.
        let result = unsafe { isl.give1(if maximum { "isl_set_lexmax" } else { "isl_set_lexmin" }, Kind::Set, &set) };
        let time = thread_time().saturating_sub(start);
        Ok((time, result.map_err(|e| e.to_string())?.to_string()))
    })
}

/// The child: one line `nanoseconds answer` or `- error` per line `min text` or `max text`.
fn work(side: &str) -> Result<(), String> {
    let isl = match side {
        "ours" => None,
        "polly" => Some(Isl::polly()?),
        _ => Some(Isl::debian()?),
    };
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|e| e.to_string())?;
        let (sense, text) = line.split_once(' ').ok_or("a line without a sense")?;
        let result = match &isl {
            None => ours(text, sense == "max"),
            Some(isl) => theirs(isl, text, sense == "max"),
        };
        match result {
            Ok((time, answer)) => println!("{} {answer}", time.as_nanos()),
            Err(error) => println!("- {}", error.replace('\n', " ")),
        }
    }
    Ok(())
}

/// What a side said to a system.
#[derive(Clone, Debug)]
enum Said {
    Answer(f64, String),
    Error(String),
    TooLong,
}

fn start(side: &str, cases: &[Wide]) -> Result<(Child, mpsc::Receiver<String>), String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut child = Command::new(program)
        .args(["--side", side])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let input: String =
        cases.iter().map(|c| format!("{} {}\n", if c.maximum { "max" } else { "min" }, c.operand)).collect();
    let (to, from) = (child.stdin.take(), child.stdout.take());
    if let Some(mut to) = to {
        // The child may be ended before it has read everything.
        std::thread::spawn(move || drop(to.write_all(input.as_bytes())));
    }
    let (send, receive) = mpsc::channel();
    if let Some(from) = from {
        std::thread::spawn(move || {
            for line in BufReader::new(from).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
    }
    Ok((child, receive))
}

fn run_side(side: &str, cases: &[Wide], limit: Duration) -> Result<Vec<Said>, String> {
    let mut said = Vec::with_capacity(cases.len());
    while said.len() < cases.len() {
        let (mut child, lines) = start(side, &cases[said.len()..])?;
        let process = child.id().to_string();
        let mut start = processor_time(&process);
        while said.len() < cases.len() {
            let line = lines.recv_timeout(Duration::from_millis(20));
            // Reading the text and up to two further runs come on top.
            let late = processor_time(&process).saturating_sub(start) > limit + ENOUGH;
            if matches!(line, Err(mpsc::RecvTimeoutError::Timeout)) && !late {
                continue;
            }
            start = processor_time(&process);
            match line {
                Ok(line) => said.push(match line.split_once(' ') {
                    Some(("-", error)) => Said::Error(error.into()),
                    Some((time, answer)) => Said::Answer(time.parse().unwrap_or(f64::NAN), answer.into()),
                    None => Said::Error(line),
                }),
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    said.push(Said::TooLong);
                    break;
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    said.push(Said::Error("the process died".into()));
                    break;
                }
            }
        }
        drop(child.kill());
        drop(child.wait());
    }
    Ok(said)
}

/// Whether two answers are the same set; nothing if this could not be found out.
fn same(isl: &Isl, a: &str, b: &str) -> Option<bool> {
    isl.set_limit(1_000_000);
    let (a, b) = (isl.read(Kind::Set, a).ok()?, isl.read(Kind::Set, b).ok()?);
    a.is_equal(&b).ok()
}

fn percentile(sorted: &[f64], p: usize) -> f64 {
    sorted.get((sorted.len().saturating_sub(1)) * p / 100).copied().unwrap_or(f64::NAN)
}

fn line(name: &str, ratios: &mut [f64], lost: [usize; 3]) {
    ratios.sort_by(f64::total_cmp);
    let mean = geometric_mean(ratios.iter().copied());
    let at = |p| percentile(ratios, p);
    println!(
        "{name:24} {:>6} {:>8} {:>8} {:>8} {mean:>9.2} {:>9.3} {:>9.2} {:>9.2} {:>9.2} {:>9.1}",
        ratios.len(),
        lost[0],
        lost[1],
        lost[2],
        at(0),
        at(10),
        at(50),
        at(90),
        at(100)
    );
}

fn run() -> Result<bool, String> {
    let options = options()?;
    if let Some(side) = &options.side {
        return work(side).map(|()| true);
    }
    let limit = Duration::from_millis(options.limit);
    let mut random = Random::new(options.seed);
    let mut cases: Vec<Wide> = (0..options.cases).map(|_| Wide::draw(&mut random, 4, 12)).collect();
    cases.retain(|c| c.class.contains(&options.only));
    let ours = run_side("ours", &cases, limit)?;
    let polly = run_side("polly", &cases, limit)?;
    let debian = run_side("debian", &cases, limit)?;
    let isl = Isl::polly()?;
    let most = options.limit as f64 * 1e6;
    let time = |s: &Said| if let Said::Answer(t, _) = s { t.max(1.0) } else { most };
    let mut classes: BTreeMap<String, (Vec<f64>, [usize; 3])> = BTreeMap::new();
    let (mut wrong, mut unknown, mut worst) = (0, 0, Vec::new());
    for (k, case) in cases.iter().enumerate() {
        let sides = [&ours[k], &polly[k], &debian[k]];
        let lost = sides.map(|s| usize::from(!matches!(s, Said::Answer(..))));
        match &ours[k] {
            Said::Error(error) => println!("case {k}: we fail: {error}"),
            Said::TooLong if options.show => println!("case {k} takes us too long: {}", case.operand),
            _ => {}
        }
        for other in [&polly[k], &debian[k]] {
            if let (Said::Answer(_, a), Said::Answer(_, b)) = (&ours[k], other) {
                match same(&isl, a, b) {
                    Some(true) => {}
                    Some(false) => {
                        wrong += 1;
                        println!("case {k}: different answers\n  {}\n  ours {a}\n  isl {b}", case.operand);
                    }
                    None => unknown += 1,
                }
            }
        }
        let size = if case.n <= 6 {
            "4-6"
        } else if case.n <= 9 {
            "7-9"
        } else {
            "10-12"
        };
        for name in [case.class.clone(), format!("variables {size}"), "~ all".into()] {
            let class = classes.entry(name).or_default();
            if lost != [1, 1, 1] {
                class.0.push(time(&polly[k]).min(time(&debian[k])) / time(&ours[k]));
            }
            (0..3).for_each(|i| class.1[i] += lost[i]);
        }
        if lost != [1, 1, 1] {
            let isl = time(&polly[k]).min(time(&debian[k]));
            worst.push((isl / time(&ours[k]), time(&ours[k]), isl, k));
        }
    }
    println!("time of the faster isl / ours, over the systems that a side can do; a limit of {} ms", options.limit);
    println!(
        "{:24} {:>6} {:>8} {:>8} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "class", "cases", "ours -", "polly -", "debian -", "mean", "least", "10 %", "median", "90 %", "most"
    );
    for (name, (ratios, lost)) in &mut classes {
        line(name, ratios, *lost);
    }
    worst.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (ratio, ours, isl, k) in worst.iter().take(options.worst) {
        println!(
            "  case {k}: {ratio:.4}x ours {:.3} ms isl {:.3} ms, {} variables, {}",
            ours / 1e6,
            isl / 1e6,
            cases[*k].n,
            cases[*k].class
        );
        if options.show {
            println!("    {} {}", if cases[*k].maximum { "lexmax" } else { "lexmin" }, cases[*k].operand);
        }
    }
    println!("{} systems, {wrong} different answers, {unknown} not compared", cases.len());
    Ok(wrong == 0)
}

fn main() -> ExitCode {
    finish(run())
}
