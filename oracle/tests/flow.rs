//! A bounded run of random programs through both dependence analyses: `scripts/fuzz-flow` runs as many as one likes.

use tessera_oracle::isl::Isl;
use tessera_oracle::programs::Tally;

#[test]
fn dependences_of_random_programs_agree() {
    let isl = Isl::polly().unwrap_or_else(|error| panic!("{error}"));
    let tally = Tally::of(&isl, 1..=250);
    assert!(tally.different.is_empty(), "{tally}\n{:?}", tally.different.first());
    // Programs that say nothing must stay rare.
    assert!(tally.agreed * 100 >= tally.programs * 95, "{tally}");
}
