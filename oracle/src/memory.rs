//! Memory of the corpus: our library against both builds of isl, in bytes of the heap.
//!
//! Method. Each side runs in a process of its own, in which `heap.c` stands before the allocator of the C library;
//! Rust, isl and GMP all allocate there, so one counter sees all of them. A case is run three times:
//! - once, so that tables and caches that live on (the names of isl's context) are there;
//! - for the *peak*: the most bytes in use while operands are read, the operation runs and all is freed, above those
//!   before;
//! - for what is *kept*: the growth while operands are read and the operation runs, and operands and result stay.
//!
//! What was kept stays until the end, so that no later case gets its memory.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use libloading::os::unix::{Library, Symbol};
use tessera_polyhedral::budget::Budget;

use crate::bench::{BUDGET, ISL_LIMIT, Ours, Side};
use crate::corpus::{self, Case, Work};
use crate::isl::{Isl, Object};
use crate::value::Value;

/// The sides, by the names that processes get.
pub const SIDES: [&str; 3] = ["ours", "polly", "debian"];

/// What a case takes on one side, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Operands and result.
    pub kept: u64,
    /// The most at any time while it runs.
    pub peak: u64,
}

/// The counter of this process.
struct Heap {
    now: Symbol<unsafe extern "C" fn() -> u64>,
    peak: Symbol<unsafe extern "C" fn() -> u64>,
}

impl Heap {
    fn open() -> Result<Heap, String> {
        let this = Library::this();
        let missing = |_| "this process counts no allocations".to_owned();
        // SAFETY: both functions of `heap.c` have this type.
        unsafe {
            Ok(Heap {
                now: this.get(b"tessera_heap_now").map_err(missing)?,
                peak: this.get(b"tessera_heap_peak").map_err(missing)?,
            })
        }
    }

    fn now(&self) -> u64 {
        // SAFETY: it reads a counter.
        unsafe { (self.now)() }
    }

    fn peak(&self) -> u64 {
        // SAFETY: it reads a counter and sets it back.
        unsafe { (self.peak)() }
    }

    /// Measures every case; `keep` runs one and keeps its operands and its result, in room that is there already. It
    /// returns how many bytes of that they took, if they are more than pointers.
    fn measure(&self, side: &dyn Side, cases: &[Case], keep: &mut dyn FnMut(&Case) -> usize) -> Vec<Memory> {
        let measured = cases.iter().map(|case| {
            // A case that a side cannot do is reported by the measurement of times.
            let _ = side.run(case, 1);
            self.peak();
            let before = self.now();
            let _ = side.run(case, 1);
            let peak = self.peak().saturating_sub(before);
            let before = self.now();
            let own = keep(case) as u64;
            Memory { kept: self.now().saturating_sub(before) + own, peak }
        });
        measured.collect()
    }
}

/// The part of a side's process: cases on standard input, a line with two numbers for each on standard output.
pub fn measure_side(side: &str) -> Result<(), String> {
    let text = std::io::read_to_string(std::io::stdin()).map_err(|e| e.to_string())?;
    let cases: Vec<Case> = text.lines().filter_map(corpus::parse_line).collect();
    drop(text);
    let heap = Heap::open()?;
    let measured = if side == SIDES[0] {
        let mut kept: Vec<Value> = Vec::with_capacity(4 * cases.len());
        let mut keep = |case: &Case| {
            let budget = Budget::new(BUDGET);
            let texts = case.kinds().into_iter().zip(&case.operands);
            let values: Vec<Value> = texts.filter_map(|(k, t)| Value::parse(k, t, &budget).ok()).collect();
            let old = kept.len();
            if let Work::Operation(operation) = case.work {
                kept.extend((operation.ours)(&values, &budget));
            }
            kept.extend(values);
            kept[old..].iter().map(Value::size).sum()
        };
        heap.measure(&Ours, &cases, &mut keep)
    } else {
        let isl = if side == SIDES[1] { Isl::polly()? } else { Isl::debian()? };
        let mut kept: Vec<Object<'_>> = Vec::with_capacity(3 * cases.len());
        let mut answers = Vec::with_capacity(cases.len());
        let mut keep = |case: &Case| {
            isl.set_limit(ISL_LIMIT);
            let texts = case.kinds().into_iter().zip(&case.operands);
            let objects: Vec<Object<'_>> = texts.filter_map(|(k, t)| isl.read(k, t).ok()).collect();
            if let Work::Operation(operation) = case.work {
                answers.extend(operation.run_isl(&objects));
            }
            kept.extend(objects);
            0
        };
        heap.measure(&isl, &cases, &mut keep)
    };
    measured.iter().for_each(|m| println!("{} {}", m.kept, m.peak));
    Ok(())
}

/// Measures the cases on all sides: for every side in turn, one entry per case. `program` is one that calls
/// [`measure_side`] when it gets `--side NAME`.
pub fn measure(cases: &[Case]) -> Result<Vec<Vec<Memory>>, String> {
    let counter = env!("TESSERA_HEAP");
    if counter.is_empty() {
        return Err("memory is not compared: there was no C compiler when this was built".into());
    }
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let input: String = cases.iter().map(|c| corpus::line(c) + "\n").collect();
    let sides = SIDES.iter().map(|side| {
        let mut child = Command::new(&program)
            .args(["--side", side])
            .env("LD_PRELOAD", counter)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| e.to_string())?;
        if let Some(mut pipe) = child.stdin.take() {
            pipe.write_all(input.as_bytes()).map_err(|e| e.to_string())?;
        }
        let output = child.wait_with_output().map_err(|e| e.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout);
        let parse = |line: &str| {
            let (kept, peak) = line.split_once(' ')?;
            Some(Memory { kept: kept.parse().ok()?, peak: peak.parse().ok()? })
        };
        let measured: Vec<Memory> = text.lines().filter_map(parse).collect();
        let complete = output.status.success() && measured.len() == cases.len();
        complete.then_some(measured).ok_or(format!("the process for {side} failed"))
    });
    sides.collect()
}

/// The table: bytes per case on average, by class; what all cases keep, and the highest peak.
pub fn report(cases: &[Case], sides: &[Vec<Memory>]) -> String {
    let mut classes: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, case) in cases.iter().enumerate() {
        classes.entry(case.class()).or_default().push(at);
    }
    let heading = |what: &str| SIDES.iter().map(|s| format!(" {:>13}", format!("{what} {s}"))).collect::<String>();
    let ratio = |x: &[u64]| x[1] as f64 / x[0].max(1) as f64;
    let row = |name: &str, n: usize, kept: &[u64], peak: &[u64]| {
        let numbers = |x: &[u64]| x.iter().map(|x| format!(" {x:>13}")).collect::<String>();
        let (of_kept, of_peak) = (ratio(kept), ratio(peak));
        format!("{name:24} {n:>6}{}{} {of_kept:>6.2}x {of_peak:>6.2}x\n", numbers(kept), numbers(peak))
    };
    let mut text = format!(
        "{:24} {:>6}{}{} {:>7} {:>7}\n",
        "bytes per case",
        "cases",
        heading("kept"),
        heading("peak"),
        "kept",
        "peak"
    );
    for (class, at) in &classes {
        let mean = |get: fn(&Memory) -> u64| {
            let sum = |side: &Vec<Memory>| at.iter().map(|&k| get(&side[k])).sum::<u64>() / at.len() as u64;
            sides.iter().map(sum).collect::<Vec<u64>>()
        };
        text += &row(class, at.len(), &mean(|m| m.kept), &mean(|m| m.peak));
    }
    let all = |get: fn(&Memory) -> u64| -> Vec<u64> { sides.iter().map(|s| s.iter().map(get).sum()).collect() };
    let (kept, peak) = (all(|m| m.kept), all(|m| m.peak));
    text += &row("all, sum", cases.len(), &kept, &peak);
    let highest: Vec<u64> = sides.iter().map(|s| s.iter().map(|m| m.peak).max().unwrap_or_default()).collect();
    text += &format!(
        "\nall: what is kept takes {:.2} of what it takes in PollyISL, peaks {:.2}; the highest peak {} KiB, {} KiB, {} KiB\n",
        1.0 / ratio(&kept),
        1.0 / ratio(&peak),
        highest[0] / 1024,
        highest[1] / 1024,
        highest[2] / 1024
    );
    text
}

/// The cases that take more than in PollyISL, those with most bytes too much first.
pub fn worst(cases: &[Case], sides: &[Vec<Memory>], n: usize) -> String {
    let mut order: Vec<usize> = (0..cases.len()).collect();
    let more = |k: usize| sides[0][k].kept as i64 - sides[1][k].kept as i64;
    order.sort_by_key(|&k| -more(k));
    let mut text = String::from("most bytes more than PollyISL:\n");
    for &k in order.iter().take(n).filter(|&&k| more(k) > 0) {
        let (ours, polly) = (sides[0][k], sides[1][k]);
        text += &format!(
            "  kept {:>8} {:>8}  peak {:>8} {:>8}  {:24} {}\n",
            ours.kept,
            polly.kept,
            ours.peak,
            polly.peak,
            cases[k].operation(),
            cases[k].name
        );
    }
    text
}
