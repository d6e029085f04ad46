//! Random programs scheduled under many options, every schedule judged by trying all instances for small parameters.
//!
//! `TESSERA_SCHEDULING_CASES` sets the number of programs (40), `TESSERA_SCHEDULING_SEED` the first seed (1);
//! `scripts/fuzz-scheduling` runs many.

use crate::scheduling::scop::{Random, Scop};
use tessera_polyhedral::Error;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::schedule::ScheduleTree;
use tessera_polyhedral::scheduler::{Algorithm, Fusion, Options, schedule};

/// The option sets that every program is scheduled under.
fn option_sets() -> Vec<(&'static str, Options)> {
    let d = Options::default;
    vec![
        ("default", d()),
        ("parallel", Options::parallel()),
        ("outer coincidence", Options { outer_coincidence: true, ..d() }),
        ("fusion none", d().with_fusion(Fusion::None)),
        ("fusion max", d().with_fusion(Fusion::Max)),
        ("fusion max, deep", Options { maximize_band_depth: true, ..d().with_fusion(Fusion::Max) }),
        ("feautrier", Options { algorithm: Algorithm::Feautrier, ..d() }),
        ("coalescing", Options { treat_coalescing: false, ..Options::parallel() }),
        ("bounded", Options { max_coefficient: Some(1), max_constant_term: Some(1), ..d() }),
        ("plain carrying", Options { carry_self_first: false, split_scaled: false, ..Options::parallel() }),
    ]
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Programs that once were refused although they have an order, since the rational polyhedra of their constraints were too large; and two
/// without an end: a row carried nothing after its division by a common factor; a point with denominators was taken for an integral one.
const HARD: [u64; 4] = [304_109, 1_010_389, 1_023_563, 2_047_595];

#[test]
fn every_schedule_of_random_programs_is_right() {
    let (cases, seed) = (number("TESSERA_SCHEDULING_CASES", 40), number("TESSERA_SCHEDULING_SEED", 1));
    let (mut schedules, mut gave_up, mut without) = (0u64, 0u64, 0u64);
    for case in HARD.into_iter().chain(seed..seed + cases) {
        let mut random = Random::new(case);
        let scop = Scop::random(&mut random);
        let flow_only = random.below(2) == 0;
        let live_ranges = random.below(2) == 0;
        let Ok(constraints) = scop.constraints(flow_only, live_ranges, &Budget::new(200_000_000)) else {
            without += 1;
            continue;
        };
        let sizes: &[i64] = if case % 4 == 0 { &[0, 1, 2, 4] } else { &[1, 3] };
        let facts: Vec<_> = sizes.iter().map(|&n| scop.facts(n, flow_only, live_ranges)).collect();
        // Many option sets give the same tree: it is judged once.
        let mut judged: Vec<ScheduleTree> = Vec::new();
        for (name, options) in option_sets() {
            match schedule(&constraints, &options, &Budget::new(300_000_000)) {
                Ok(tree) => {
                    schedules += 1;
                    if judged.contains(&tree) {
                        continue;
                    }
                    for f in &facts {
                        if let Some(complaint) = f.complaint(&tree) {
                            panic!("case {case}, {name}, {:?}: {complaint}\n{constraints}\n{tree}", f.params);
                        }
                    }
                    let defects = tree.verify(&Budget::new(300_000_000)).unwrap();
                    assert!(defects.is_empty(), "case {case}, {name}: {defects:?}");
                    judged.push(tree);
                }
                Err(Error::Exhausted(_)) => gave_up += 1,
                Err(error) => panic!("case {case}, {name}: {error}\n{constraints}"),
            }
        }
    }
    eprintln!(
        "{schedules} schedules of {} programs are right; {gave_up} times the budget was too small; {without} programs had no \
         constraints within the budget",
        cases + HARD.len() as u64 - without
    );
    assert!(without * 50 <= cases, "too many programs without constraints: {without} of {cases}");
    assert!(gave_up * 50 <= schedules, "the budget is too small too often: {gave_up} of {schedules}");
}

/// The statements in another order and with other names: the same schedule with the other names.
#[test]
fn schedules_do_not_depend_on_the_numbering() {
    let budget = Budget::new(2_000_000_000);
    for case in 1..40 {
        let scop = Scop::random(&mut Random::new(case));
        let Ok(constraints) = scop.constraints(false, case % 2 == 0, &budget) else { continue };
        let text = constraints.to_string();
        let renamed = (0..4).fold(text.clone(), |t, s| t.replace(&format!("S{s}["), &format!("T{}[", 9 - s)));
        for (name, options) in [("default", Options::default()), ("parallel", Options::parallel())] {
            let run = |text: &str| {
                let constraints = tessera_polyhedral::scheduler::ScheduleConstraints::parse(text, &budget).unwrap();
                schedule(&constraints, &options, &budget).unwrap()
            };
            let (first, second) = (run(&text), run(&renamed));
            // Compare member by member: the texts list statements by name.
            let functions = |tree: &ScheduleTree, back: bool| -> Vec<Vec<String>> {
                let bands = tree.bands();
                let all = bands.iter().map(|(_, band)| {
                    let mut list: Vec<String> = Vec::new();
                    for (position, member) in band.members().iter().enumerate() {
                        for (_, function) in member.exprs() {
                            let text = format!("{position} {} {function}", member.coincident);
                            let renamed =
                                (0..4).fold(text.clone(), |t, s| t.replace(&format!("T{}[", 9 - s), &format!("S{s}[")));
                            list.push(if back { renamed } else { text });
                        }
                    }
                    list.sort();
                    list
                });
                let mut all: Vec<Vec<String>> = all.collect();
                all.sort();
                all
            };
            assert_eq!(
                functions(&first, false),
                functions(&second, true),
                "case {case}, {name}\n{text}\n{first}\n{second}"
            );
        }
    }
}
