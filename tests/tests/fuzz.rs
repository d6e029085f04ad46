//! A few hundred random loop nests with fixed seeds. `scripts/fuzz` runs as many others as wanted.

use std::thread;
use tessera_tests::fuzz::{self, BackEnd, Runner};
use tessera_tests::plugin::Plugin;
use tessera_tests::process::{Failure, Run};

/// Checks so many cases from a seed on and returns how many nests got new code, and how many ran on a device.
fn check(back_end: BackEnd, (first, cases): (u64, u64), for_device: bool) -> (u64, u64) {
    let plugin = Plugin::locate().unwrap_or_else(|failure| panic!("{failure}"));
    let runner = Runner::new(&plugin, back_end).unwrap_or_else(|failure| panic!("{failure}"));
    let make = if for_device { fuzz::generate_for_device } else { fuzz::generate };
    let options = |block: u64| match for_device {
        true => fuzz::device_option_sets(block).to_vec(),
        false => fuzz::option_sets(block).to_vec(),
    };
    let workers = 2;
    let failures: Vec<String> = thread::scope(|scope| {
        let handles: Vec<_> = (0..workers)
            .map(|worker| {
                let (runner, options) = (&runner, &options);
                scope.spawn(move || {
                    let mine = fuzz::blocks(first, cases, back_end).into_iter().skip(worker).step_by(workers);
                    mine.flat_map(|seeds| {
                        let cases: Vec<_> = seeds.iter().map(|seed| make(*seed, back_end)).collect();
                        match runner.check(&cases, &options(fuzz::block(seeds[0], back_end))) {
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
    let hint = "To reduce: scripts/fuzz [gpu] [c|rust] 1 SEED";
    assert!(failures.is_empty(), "{}\n{hint}", failures.join("\n"));
    (runner.transformed(), runner.on_device().ran)
}

#[test]
fn random_nests_in_c_keep_their_bits() {
    let (transformed, _) = check(BackEnd::C, (0, 18 * 16), false);
    // A third of the programs goes through random passes, which leave few nests as they were.
    assert!(transformed > 100, "only {transformed} nests got new code");
}

#[test]
fn random_nests_in_rust_keep_their_bits_and_panics() {
    let (transformed, _) = check(BackEnd::Rust, (0, 5 * 32), false);
    assert!(transformed > 30, "only {transformed} nests got new code");
}

#[test]
fn random_nests_in_c_keep_their_bits_on_a_device() {
    let (_, ran) = check(BackEnd::C, (0, 4 * 16), true);
    assert!(ran > 15, "only {ran} nests ran on the device");
}

#[test]
fn random_nests_in_rust_keep_their_bits_on_a_device() {
    let (_, ran) = check(BackEnd::Rust, (64, 32), true);
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
        let right = fuzz::program(&[&fuzz::generate(seed, BackEnd::C)], BackEnd::C);
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
            for make in [fuzz::generate, fuzz::generate_for_device] {
                let text = || fuzz::program(&[&make(seed, back_end)], back_end);
                assert_eq!(text(), text());
            }
        }
    }
}

#[test]
fn reduction_keeps_what_fails() {
    let case = fuzz::generate(5, BackEnd::C);
    let text = |case: &fuzz::Case| fuzz::program(&[case], BackEnd::C);
    let fails = |case: &fuzz::Case| text(case).matches("for (").count() > 5;
    assert!(fails(&case));
    let reduced = fuzz::reduce(case.clone(), fails);
    assert!(fails(&reduced));
    assert!(text(&reduced).len() < text(&case).len());
}
