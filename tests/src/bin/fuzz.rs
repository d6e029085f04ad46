//! `fuzz [c|rust] N SEED`: N random loop nests from SEED on; failing ones are reduced and written to files.
//! `fuzz products [c|rust] N SEED`: all of them products of matrices and factorisations, in blocks of a few rows.
//! `fuzz gpu [c|rust] N SEED`: the same with kernels for a device, in the emulator; where `TESSERA_PTXAS` names NVIDIA's assembler, it gets
//! all of them, too.
//! `fuzz broken [c|rust] N SEED`: kernels of N random programs are broken on purpose, which must be found.
//! `fuzz csmith N SEED`: N programs of csmith.
//! `fuzz print [products|gpu] [c|rust] SEED`: the program of one seed.
//! `FUZZ_JOBS` says how many run at once.

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;
use tessera_tests::broken::{Breaker, Verdicts};
use tessera_tests::fuzz::{self, BackEnd, Failed, Kind, Runner, csmith};
use tessera_tests::plugin::Plugin;
use tessera_tests::process::Failure;
use tessera_tests::ptx::Assembler;

/// What to make programs with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Generator(BackEnd),
    Csmith,
}

fn main() -> Result<ExitCode, Failure> {
    let mut arguments = std::env::args().skip(1).peekable();
    let print = arguments.next_if(|word| word == "print").is_some();
    let kind = arguments.peek().and_then(|word| Kind::named(word.trim_start_matches("--")));
    let kind = kind.inspect(|_| drop(arguments.next())).unwrap_or(Kind::Any);
    let broken = arguments.next_if(|word| word.trim_start_matches("--") == "broken").is_some();
    let source = match arguments.peek().map(|word| word.trim_start_matches("--")) {
        Some("rust") => Some(Source::Generator(BackEnd::Rust)),
        Some("c") => Some(Source::Generator(BackEnd::C)),
        Some("csmith") => Some(Source::Csmith),
        _ => None,
    };
    if source.is_some() {
        arguments.next();
    }
    let source = source.unwrap_or(Source::Generator(BackEnd::C));
    if (kind != Kind::Any || broken) && source == Source::Csmith {
        return Err(Failure::new("fuzz csmith", "programs of csmith are of no kind, and have no kernels"));
    }
    let mut number = |otherwise: u64| match arguments.next() {
        None => Ok(otherwise),
        Some(text) => text.parse().map_err(|_| {
            Failure::new("fuzz [products|gpu] [c|rust|csmith] N SEED", format!("`{text}` is not a number"))
        }),
    };
    if print {
        let seed = number(0)?;
        match source {
            Source::Generator(back_end) => {
                print!("{}", fuzz::program(&[&fuzz::generate(kind, seed, back_end)], back_end));
            }
            Source::Csmith => print!("{}", csmith::program(seed)?),
        }
        return Ok(ExitCode::SUCCESS);
    }
    let (count, first) = (number(1000)?, number(0)?);
    let plugin = Plugin::locate()?;
    let failed = match source {
        Source::Generator(back_end) if broken => broken_kernels(back_end, (count, first), &plugin)?,
        Source::Generator(back_end) => loop_nests(kind, back_end, (count, first), &plugin)?,
        Source::Csmith => programs_of_csmith(count, first, &plugin)?,
    };
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs `work` for each number below `count`, on several threads, until one fails.
fn in_parallel(count: usize, work: impl Fn(usize) -> Result<(), Failure> + Sync) -> Result<(), Failure> {
    let jobs = std::env::var("FUZZ_JOBS").ok().and_then(|jobs| jobs.parse().ok());
    let jobs = jobs.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    let next = AtomicUsize::new(0);
    let worker = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                return Ok(());
            }
            work(at)?;
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a worker does not panic"))
    })
}

fn loop_nests(kind: Kind, back_end: BackEnd, (count, first): (u64, u64), plugin: &Plugin) -> Result<u64, Failure> {
    // Only where it is asked for: it takes longer than everything else.
    let assembler =
        if kind == Kind::Device && std::env::var_os("TESSERA_PTXAS").is_some() { Assembler::locate() } else { None };
    let runner = Runner::new(plugin, back_end)?.assemble(assembler);
    let blocks = fuzz::blocks(first, count, back_end);
    let (done, failed, start) = (AtomicU64::new(0), AtomicU64::new(0), Instant::now());
    in_parallel(blocks.len(), |at| {
        let block = &blocks[at];
        let cases: Vec<_> = block.iter().map(|seed| fuzz::generate(kind, *seed, back_end)).collect();
        let sets = fuzz::option_sets(kind, fuzz::block(block[0], back_end));
        for failure in runner.check(&cases, &sets)? {
            failed.fetch_add(1, Ordering::Relaxed);
            report(&runner, failure);
        }
        let now = done.fetch_add(block.len() as u64, Ordering::Relaxed) + block.len() as u64;
        if now / 320 != (now - block.len() as u64) / 320 {
            let seconds = start.elapsed().as_secs();
            eprintln!("{now} of {count} after {seconds} s, {} failed", failed.load(Ordering::Relaxed));
        }
        Ok(())
    })?;
    let (failed, transformed, device) = (failed.into_inner(), runner.transformed(), runner.on_device());
    println!(
        "{count} random loop nests in {back_end:?} from seed {first}, {} s: new code for {transformed} nests, {failed} failed, {} times \
         LLVM's own passes, or its sanitizer on the plain program, did",
        start.elapsed().as_secs(),
        runner.unjudged()
    );
    println!(
        "{} nests were compiled for a device, {} of them with reductions in parts and {} with arrays that are only copied back; {} ran there in {} sessions, \
         {} of them with arrays copied by rows; {} times one stayed on the host because its process was a fork, {} \
         times because it could not read all of an array; ptxas took {} texts",
        device.compiled,
        device.in_parts,
        device.only_back,
        device.ran,
        device.sessions,
        device.by_rows,
        device.forked,
        device.unreadable,
        device.assembled
    );
    let [taken, refused] = runner.pieces();
    println!("new code took {taken} pieces of memory, and asked for {refused} in vain");
    Ok(failed)
}

/// One of so many places in kernels is broken.
const STEP: usize = 5;

/// Breaks kernels; how many defects were not found.
fn broken_kernels(back_end: BackEnd, (count, first): (u64, u64), plugin: &Plugin) -> Result<u64, Failure> {
    let runner = Runner::new(plugin, back_end)?;
    let blocks = fuzz::blocks(first, count, back_end);
    let all = Mutex::new(Verdicts::default());
    in_parallel(blocks.len(), |at| {
        let cases: Vec<_> = blocks[at].iter().map(|seed| fuzz::generate(Kind::Device, *seed, back_end)).collect();
        let verdicts = runner.broken(&cases, &Breaker::new()?, STEP)?;
        all.lock().expect("no worker panics").add(verdicts);
        Ok(())
    })?;
    let verdicts = all.into_inner().expect("no worker panics");
    println!(
        "{count} random loop nests in {back_end:?} from seed {first}, with kernels that are broken on purpose:\n{verdicts}"
    );
    Ok(verdicts.missed.len() as u64)
}

fn report(runner: &Runner<'_>, failed: Failed) {
    let Failed { mut cases, options, failure } = failed;
    let back_end = runner.back_end();
    if let [case] = &mut cases[..] {
        *case = fuzz::reduce(case.clone(), |case| runner.fails(case, &options));
    }
    let all: Vec<_> = cases.iter().collect();
    let text = fuzz::program(&all, back_end);
    let seed = cases.first().map_or(0, fuzz::Case::seed);
    let file = format!("fuzz-{seed}.{}", back_end.extension());
    match std::fs::write(&file, &text) {
        Ok(()) => println!("seed {seed}: {failure}\nTESSERA='{options}', reduced to {file}"),
        Err(error) => println!("seed {seed}: {failure}\nTESSERA='{options}'\n{file}: {error}\n{text}"),
    }
}

fn programs_of_csmith(count: u64, first: u64, plugin: &Plugin) -> Result<u64, Failure> {
    let (done, endless, failed) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    in_parallel(usize::try_from(count).unwrap_or(usize::MAX), |at| {
        match csmith::check(first + at as u64, plugin)? {
            csmith::Verdict::Same => {}
            csmith::Verdict::Endless => {
                endless.fetch_add(1, Ordering::Relaxed);
            }
            csmith::Verdict::Different(failure) => {
                failed.fetch_add(1, Ordering::Relaxed);
                println!("{failure}\nTo see the program: scripts/fuzz print csmith {}", first + at as u64);
            }
        }
        let now = done.fetch_add(1, Ordering::Relaxed) + 1;
        if now.is_multiple_of(50) {
            eprintln!("{now} of {count}, {} failed", failed.load(Ordering::Relaxed));
        }
        Ok(())
    })?;
    let (endless, failed) = (endless.into_inner(), failed.into_inner());
    println!(
        "{count} programs of csmith from seed {first}: {endless} skipped because they take too long, {failed} failed"
    );
    Ok(failed)
}
