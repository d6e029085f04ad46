//! `fuzz N SEED`: N random loop nests from SEED on; each failing one is reduced and written to a file.
//! `fuzz print SEED`: the program of one seed.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use tessera_tests::fuzz::{self, Case};
use tessera_tests::plugin::Plugin;
use tessera_tests::process::Failure;

fn main() -> Result<ExitCode, Failure> {
    let mut arguments = std::env::args().skip(1).peekable();
    let print = arguments.next_if(|word| word == "print").is_some();
    let mut number = |otherwise: u64| match arguments.next() {
        None => Ok(otherwise),
        Some(text) => text.parse().map_err(|_| Failure::new("fuzz N SEED", format!("`{text}` is not a number"))),
    };
    if print {
        print!("{}", fuzz::generate(number(0)?).program());
        return Ok(ExitCode::SUCCESS);
    }
    let (count, first) = (number(1000)?, number(0)?);
    let plugin = Plugin::locate()?;
    let (next, failed) = (AtomicU64::new(0), AtomicU64::new(0));
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let done = next.fetch_add(1, Ordering::Relaxed);
                    if done >= count {
                        break;
                    }
                    if done % 100 == 0 && done > 0 {
                        eprintln!("{done} of {count}, {} failed", failed.load(Ordering::Relaxed));
                    }
                    let seed = first + done;
                    let case = fuzz::generate(seed);
                    if let Err(failure) = fuzz::check(&case, &plugin, &fuzz::options(seed)) {
                        failed.fetch_add(1, Ordering::Relaxed);
                        report(seed, case, &plugin, &failure);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner();
    println!("{count} random loop nests from seed {first}: {failed} failed");
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn report(seed: u64, case: Case, plugin: &Plugin, failure: &Failure) {
    let options = fuzz::options(seed);
    let reduced = fuzz::reduce(case, |case| fuzz::check(case, plugin, &options).is_err());
    let file = format!("fuzz-{seed}.c");
    match std::fs::write(&file, reduced.program()) {
        Ok(()) => println!("seed {seed}: {failure}\nreduced to {file}"),
        Err(error) => println!("seed {seed}: {failure}\n{file}: {error}\n{}", reduced.program()),
    }
}
