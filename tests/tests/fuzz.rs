//! Forty random loop nests with fixed seeds. `scripts/fuzz N SEED` runs as many others as wanted.

use std::thread;
use tessera_tests::fuzz;
use tessera_tests::plugin::Plugin;

const CASES: u64 = 40;

#[test]
fn random_nests_keep_their_bits() {
    let plugin = Plugin::locate().unwrap_or_else(|failure| panic!("{failure}"));
    let workers = 2;
    let failures: Vec<String> = thread::scope(|scope| {
        let handles: Vec<_> = (0..workers)
            .map(|worker| {
                let plugin = &plugin;
                scope.spawn(move || {
                    let seeds = (0..CASES).filter(|seed| seed % workers == worker);
                    seeds
                        .filter_map(|seed| {
                            let case = fuzz::generate(seed);
                            let failure = fuzz::check(&case, plugin, &fuzz::options(seed)).err()?;
                            Some(format!("seed {seed}: {failure}\nTo reduce it: scripts/fuzz 1 {seed}\n"))
                        })
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        handles.into_iter().flat_map(|handle| handle.join().expect("a worker does not panic")).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_case_is_a_function_of_its_seed() {
    for seed in 0..20 {
        assert_eq!(fuzz::generate(seed).program(), fuzz::generate(seed).program());
    }
}

#[test]
fn reduction_keeps_what_fails() {
    let case = fuzz::generate(5);
    let fails = |case: &fuzz::Case| case.program().contains("for (");
    let reduced = fuzz::reduce(case.clone(), fails);
    assert!(fails(&reduced));
    assert!(reduced.program().len() < case.program().len());
}
