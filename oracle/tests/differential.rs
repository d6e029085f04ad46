//! A bounded run of the differential fuzzer: `scripts/fuzz-polyhedral` runs as long as one likes.

use tessera_oracle::differential::run::{LIMITS, Run};
use tessera_oracle::differential::verdict;
use tessera_oracle::isl::{Isl, Kind};
use tessera_oracle::operation;

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

/// isl's answers to these are wrong.
#[test]
fn the_definition_decides_where_isl_is_wrong() {
    let isl = Isl::polly().unwrap_or_else(|error| panic!("{error}"));
    for (name, operands) in [
        // No step leads to 4.
        (
            "map.fixed_power",
            vec![
                "[m] -> { [i0] -> [i1] : 0 <= i1 < m and i1 + i1 + 7 > 5*i1 + 1; \
                 [i0] -> [i1] : 0 <= i1 < m and ((i1 + 3m - 3) mod 3 < 1 or 4*m + m - 5 = -2m - 3) }",
                "1",
            ],
        ),
        // The function is -524291 at S[-1, 3] and less elsewhere; the first part is empty.
        (
            "set.max_aff",
            vec![
                "{ S[i0, i1] : 1180591620717411303424i1 + i0 + 4611686018427387905i1 - 6 = -4611686018427387906*i1 - \
                 4611686018427387906 and 8589934595i0 + 2*i0 + 7*i0 - 2 > 7i0 + 4 and \
                 5*i0 + 4611686018427387905*i1 - i1 + 7 <= i0; \
                 S[i0, i1] : exists (e0 : -5 <= i0 <= -1 and -i0 + 5 <= 3*i1 - 2) }",
                "{ S[i0, i1] -> [(7*i0 + 7 + floor((floor((2i0 - i1 - 2)/4) + -i1 - 1048576)/2))] }",
            ],
        ),
    ] {
        let operation = operation::find(name).unwrap();
        let texts: Vec<String> = operands.into_iter().map(String::from).collect();
        let limits = verdict::Limits { isl: 0, ..LIMITS };
        match verdict::judge(&isl, operation, &texts, limits) {
            verdict::Verdict::Contradicted(why) => assert!(why.contains("definition"), "{name}: {why}"),
            other => panic!("{name}: {other:?}"),
        }
    }
}

/// Whatever isl says about the exactness of its own answers.
#[test]
fn inexact_answers_are_judged_by_the_definition() {
    let isl = Isl::polly().unwrap_or_else(|error| panic!("{error}"));
    let text = "[n, m] -> { S[i0] -> S[i1] : 1 <= i0 <= 7 and i0 <= i1 <= 6 and 7n + 7m + i1 - 6 = 2n + 2 }";
    for name in ["map.reaching_path_lengths", "map.power", "map.transitive_closure"] {
        let operation = operation::find(name).unwrap();
        let limits = verdict::Limits { isl: 0, ..LIMITS };
        assert_eq!(verdict::judge(&isl, operation, &[text.into()], limits), verdict::Verdict::Agreed, "{name}");
    }
}

#[test]
fn both_builds_load_into_one_process() {
    for isl in [Isl::polly(), Isl::debian()] {
        let isl = isl.unwrap_or_else(|error| panic!("{error}"));
        let set = isl.read(Kind::Set, "[n] -> { [i] : 0 <= i < n }").unwrap();
        assert_eq!(set.to_string(), "[n] -> { [i] : 0 <= i < n }");
    }
}
