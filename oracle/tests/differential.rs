//! A bounded run of the differential fuzzer: `scripts/fuzz-polyhedral` runs as long as one likes.

use tessera_oracle::differential::{run::Run, verdict};
use tessera_oracle::isl::{Isl, Kind};

/// The operations whose name contains `only`. All tests together take about a minute in a debug build.
fn agree(only: &str, seed: u64, cases: u64) {
    let isl = Isl::polly().unwrap_or_else(|error| panic!("{error}"));
    let second = Isl::debian().unwrap_or_else(|error| panic!("{error}"));
    verdict::silence_panics();
    let mut run = Run::new(&isl, Some(&second), seed, only);
    (0..cases).step_by(100).for_each(|first| drop(run.run(first..cases.min(first + 100), u64::MAX)));
    // The assertions' own texts are swallowed with the panics of the library: everything is printed first.
    let total = run.total();
    let text: String = run.disagreements.iter().map(|d| d.to_string()).collect();
    println!("{}{text}", run.table());
    assert_eq!(total.cases, cases);
    assert_eq!(total.disagreed, 0, "see the reproducers above");
    // Cases that say nothing must stay rare.
    assert!(total.agreed * 100 >= total.cases * 95, "too many cases without a verdict");
    assert!(total.ours_gave_up * 200 <= total.cases, "our budget runs out too often");
}

#[test]
fn sets_agree() {
    agree("set.", 20_260_101, 5_000);
}

#[test]
fn maps_agree() {
    agree("map.", 20_260_102, 5_000);
}

#[test]
fn functions_agree() {
    agree("aff.", 20_260_103, 3_000);
}

#[test]
fn tuples_and_unions_of_functions_agree() {
    agree("a.", 20_260_104, 3_000);
}

#[test]
fn both_builds_load_into_one_process() {
    for isl in [Isl::polly(), Isl::debian()] {
        let isl = isl.unwrap_or_else(|error| panic!("{error}"));
        let set = isl.read(Kind::Set, "[n] -> { [i] : 0 <= i < n }").unwrap();
        assert_eq!(set.to_string(), "[n] -> { [i] : 0 <= i < n }");
    }
}
