//! A few hundred random loop nests with fixed seeds. `scripts/fuzz` runs as many others as wanted.

use std::thread;
use tessera_tests::fuzz::{self, BackEnd, Kind, Runner};
use tessera_tests::plugin::Plugin;
use tessera_tests::process::{Failure, Run};

/// How many nests got new code, how many ran on a device, and how many pieces of memory they took, and asked for in vain.
struct Counts {
    transformed: u64,
    ran: u64,
    pieces: [u64; 2],
}

/// Checks so many cases from a seed on.
fn check(kind: Kind, back_end: BackEnd, (first, cases): (u64, u64)) -> Counts {
    let plugin = Plugin::locate().unwrap_or_else(|failure| panic!("{failure}"));
    let runner = Runner::new(&plugin, back_end).unwrap_or_else(|failure| panic!("{failure}"));
    let workers = 2;
    let failures: Vec<String> = thread::scope(|scope| {
        let handles: Vec<_> = (0..workers)
            .map(|worker| {
                let runner = &runner;
                scope.spawn(move || {
                    let mine = fuzz::blocks(first, cases, back_end).into_iter().skip(worker).step_by(workers);
                    mine.flat_map(|seeds| {
                        let cases: Vec<_> = seeds.iter().map(|seed| fuzz::generate(kind, *seed, back_end)).collect();
                        match runner.check(&cases, &fuzz::option_sets(kind, fuzz::block(seeds[0], back_end))) {
                            Ok(failed) => failed.into_iter().map(|failed| failed.failure.to_string()).collect(),
                            Err(failure) => vec![failure.to_string()],
                        }
                    })
                    .collect::<Vec<_>>()
                })
            })
            .collect();
        handles.into_iter().flat_map(|handle| handle.join().expect("a worker does not panic")).collect()
    });
    let hint = "To reduce: scripts/fuzz [products|gpu] [c|rust] 1 SEED";
    assert!(failures.is_empty(), "{}\n{hint}", failures.join("\n"));
    Counts { transformed: runner.transformed(), ran: runner.on_device().ran, pieces: runner.pieces() }
}

#[test]
fn random_nests_in_c_keep_their_bits() {
    let Counts { transformed, .. } = check(Kind::Any, BackEnd::C, (0, 18 * 16));
    // A third of the programs goes through random passes, which leave few nests as they were.
    assert!(transformed > 100, "only {transformed} nests got new code");
}

#[test]
fn random_nests_in_rust_keep_their_bits_and_panics() {
    let Counts { transformed, .. } = check(Kind::Any, BackEnd::Rust, (0, 5 * 32));
    assert!(transformed > 30, "only {transformed} nests got new code");
}

/// In blocks of a few rows: buffers are between pages that nobody may touch, and in some calls there is none.
#[test]
fn random_products_in_c_keep_their_bits() {
    let Counts { transformed, pieces: [taken, refused], .. } = check(Kind::Products, BackEnd::C, (0, 6 * 16));
    assert!(transformed > 30, "only {transformed} nests got new code");
    assert!(taken > 100 && refused > 20, "only {taken} pieces of memory were taken and {refused} refused");
}

#[test]
fn random_nests_in_c_keep_their_bits_on_a_device() {
    let Counts { ran, .. } = check(Kind::Device, BackEnd::C, (0, 4 * 16));
    assert!(ran > 15, "only {ran} nests ran on the device");
}

#[test]
fn random_nests_in_rust_keep_their_bits_on_a_device() {
    let Counts { ran, .. } = check(Kind::Device, BackEnd::Rust, (32, 32));
    assert!(ran > 3, "only {ran} nests ran on the device");
}

/// A program in which the copy that tells what a kernel touches does not tell all stores, or tells of too few bytes: as if the kernel
/// touched more than the program.
#[test]
fn a_touch_too_many_is_seen() -> Result<(), Failure> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (source, program) = (folder.path().join("case.c"), folder.path().join("case"));
    let ends = |text: &str| -> Result<String, Failure> {
        std::fs::write(&source, text).map_err(|error| Failure::new("writing a case", error.to_string()))?;
        Run::new("clang-22").args(["-O1", "-w"]).arg(&source).arg("-o").arg(&program).arg("-lm").output()?;
        let outcome = Run::new(&program).outcome()?;
        Ok(format!("{}{}", outcome.status, String::from_utf8_lossy(&outcome.stdout)))
    };
    // In a sweep (seed 1) all that is touched may lie before that byte.
    for seed in [0, 2, 3, 6] {
        let right = fuzz::program(&[&fuzz::generate(Kind::Any, seed, BackEnd::C)], BackEnd::C);
        let touch = "mark[byte] |= (unsigned char)how";
        assert!(right.contains(touch));
        let seen = "touches what the program does not touch";
        assert!(!ends(&right)?.contains(seen), "seed {seed}");
        // As if stores were loads, and as if there were none behind some byte.
        assert!(ends(&right.replace(touch, "mark[byte] |= 1"))?.contains(seen), "stores, seed {seed}");
        assert!(
            ends(&right.replace(touch, "if (pool < in_use / 2 - 64) mark[byte] |= (unsigned char)how"))?.contains(seen),
            "seed {seed}"
        );
    }
    Ok(())
}

#[test]
fn a_case_is_a_function_of_its_seed() {
    for back_end in [BackEnd::C, BackEnd::Rust] {
        for seed in 0..20 {
            for kind in [Kind::Any, Kind::Products, Kind::Device] {
                let text = || fuzz::program(&[&fuzz::generate(kind, seed, back_end)], back_end);
                assert_eq!(text(), text());
            }
        }
    }
}

#[test]
fn reduction_keeps_what_fails() {
    let case = fuzz::generate(Kind::Any, 5, BackEnd::C);
    let text = |case: &fuzz::Case| fuzz::program(&[case], BackEnd::C);
    let fails = |case: &fuzz::Case| text(case).matches("for (").count() > 5;
    assert!(fails(&case));
    let reduced = fuzz::reduce(case.clone(), fails);
    assert!(fails(&reduced));
    assert!(text(&reduced).len() < text(&case).len());
}
