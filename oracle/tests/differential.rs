//! A bounded run of the differential fuzzer: `scripts/fuzz-polyhedral` runs as long as one likes.

use tessera_oracle::differential::{run::Run, verdict};
use tessera_oracle::isl::Isl;

/// About a minute in a debug build.
const CASES: u64 = 12_000;

#[test]
fn both_libraries_agree() {
    let isl = Isl::polly().unwrap_or_else(|error| panic!("{error}"));
    let second = Isl::debian().unwrap_or_else(|error| panic!("{error}"));
    verdict::silence_panics();
    let mut run = Run::new(&isl, Some(&second), 20_260_101, "");
    (0..CASES).for_each(|number| run.run(number));
    let total = run.total();
    let text: String = run.disagreements.iter().map(|d| d.to_string()).collect();
    // The hook swallows panics of this thread, the assertions' too: print first.
    println!("{}{text}", run.table());
    assert_eq!(total.cases, CASES);
    assert_eq!(total.disagreed, 0, "see the reproducers above");
    // Cases that say nothing must stay rare.
    assert!(total.agreed * 100 >= total.cases * 97, "too many cases without a verdict");
    assert!(total.ours_gave_up * 200 <= total.cases, "our budget runs out too often");
}

#[test]
fn both_builds_load_into_one_process() {
    let (polly, debian) = (Isl::polly(), Isl::debian());
    let (polly, debian) = (polly.unwrap_or_else(|e| panic!("{e}")), debian.unwrap_or_else(|e| panic!("{e}")));
    for isl in [&polly, &debian] {
        let set = isl.read(tessera_oracle::isl::Kind::Set, "[n] -> { [i] : 0 <= i < n }").unwrap();
        assert_eq!(set.to_string(), "[n] -> { [i] : 0 <= i < n }");
    }
}
