//! A few hundred random loop nests with fixed seeds. `scripts/fuzz` runs as many others as wanted.

use std::thread;
use tessera_tests::fuzz::{self, BackEnd, Runner};
use tessera_tests::plugin::Plugin;

/// Checks so many cases and returns how many nests got new code.
fn check(back_end: BackEnd, cases: u64) -> u64 {
    let plugin = Plugin::locate().unwrap_or_else(|failure| panic!("{failure}"));
    let runner = Runner::new(&plugin, back_end).unwrap_or_else(|failure| panic!("{failure}"));
    let workers = 2;
    let failures: Vec<String> = thread::scope(|scope| {
        let handles: Vec<_> = (0..workers)
            .map(|worker| {
                let runner = &runner;
                scope.spawn(move || {
                    let mine = fuzz::blocks(0, cases, back_end).into_iter().skip(worker).step_by(workers);
                    mine.flat_map(|seeds| {
                        let cases: Vec<_> = seeds.iter().map(|seed| fuzz::generate(*seed, back_end)).collect();
                        match runner.check(&cases, &fuzz::option_sets(fuzz::block(seeds[0], back_end))) {
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
    let hint = "To reduce: scripts/fuzz [c|rust] 1 SEED";
    assert!(failures.is_empty(), "{}\n{hint}", failures.join("\n"));
    runner.transformed()
}

#[test]
fn random_nests_in_c_keep_their_bits() {
    let transformed = check(BackEnd::C, 18 * 16);
    assert!(transformed > 136, "only {transformed} nests got new code");
}

#[test]
fn random_nests_in_rust_keep_their_bits_and_panics() {
    let transformed = check(BackEnd::Rust, 4 * 32);
    assert!(transformed > 24, "only {transformed} nests got new code");
}

#[test]
fn a_case_is_a_function_of_its_seed() {
    for back_end in [BackEnd::C, BackEnd::Rust] {
        for seed in 0..20 {
            let text = || fuzz::program(&[&fuzz::generate(seed, back_end)], back_end);
            assert_eq!(text(), text());
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
