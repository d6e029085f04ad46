//! Any set is a context: with divisions, existentials, dimensions, several disjuncts, empty, contradicting the domain.
//! For all values of the parameters that a context allows, the code in the context executes what the code without one
//! executes.

use std::collections::BTreeMap;

use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{AstBuild, AstUnit, interpret};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::{Set, UnionMap};
use tessera_polyhedral::schedule::ScheduleTree;

/// What was executed, in order.
type Instances = Vec<(String, Vec<Int>)>;

const SCHEDULES: [&str; 13] = [
    "[p, q] -> { S[i] -> [i] : 0 <= i <= 8 }",
    "[p, q] -> { S[i] -> [i] : 0 <= i < p }",
    "[p, q] -> { S[i, j] -> [j, i] : 0 <= i < p and i <= j < q }",
    "[p, q] -> { S[i] -> [2i] : 0 <= i < p; T[i] -> [2i + 1] : 0 <= i < q }",
    "[p, q] -> { S[i] -> [i] : p <= i <= q and i mod 2 = 0; T[i] -> [i] : q <= i <= p and i mod 3 = 1 }",
    "[p, q] -> { S[i] -> [i] : exists (e : 8e = i - 1 - p and q >= 1 and i >= 1 + q and i <= 16 and i >= 1 + p) }",
    "[p, q] -> { S[i] -> [i] : exists (e : 3e <= i - q <= 3e + 1 and 0 <= i < p) }",
    "[p, q] -> { S[i] -> [i] : exists (e, f : i = 4e + 6f + p and 0 <= e <= 2 and 0 <= f <= 2) }",
    "[p, q] -> { S[i] -> [floor((i + p)/4), i] : 0 <= i < q; T[i] -> [floor(i/4), i + 1] : 0 <= i < p }",
    "[p, q] -> { S[i, j] -> [i + j, i] : 0 <= i, j < 4 and 2i + 4j >= p }",
    "[p, q] -> { S[] -> [0] : p mod 2 = 0; T[] -> [1] : q mod 3 = 1 and p > q; U[] -> [2] }",
    "[p, q] -> { S[i] -> [i] : i = 2p or i = 3q or (0 <= i < 3) }",
    "[p, q] -> { S[i, j] -> [floor(i/2), floor(j/3), i, j] : 0 <= i < p and 1 <= j <= q }",
];

const CONTEXTS: [&str; 28] = [
    "[p, q] -> { : p mod 2 = 0 }",
    "[p, q] -> { : p mod 4 = 3 and q mod 2 = 1 }",
    "[p, q] -> { : exists (e : p - 15 <= 8e <= p - q) }",
    "[p, q] -> { : (p + q) mod 3 <= 1 }",
    "[p, q] -> { : p = 3q }",
    "[p, q] -> { : exists (e : p = 2e and q = 3e) }",
    "[p, q] -> { : exists (e, f : p = 2e + 3f and 0 <= e, f <= 2) }",
    "[p, q] -> { : exists (e : 2e <= p and 3e >= q) }",
    "[p, q] -> { : floor(p/2) >= floor(q/3) }",
    "[p, q] -> { : floor((p + floor(q/2))/3) = 1 }",
    "[p, q] -> { : p <= 3 or q <= 3 }",
    "[p, q] -> { : p <= 0 or p >= 5 }",
    "[p, q] -> { : p mod 2 = 0 or q mod 2 = 0 }",
    "[p, q] -> { : p mod 2 = 0 or p mod 3 = 0 or q = p }",
    "[p, q] -> { : p != q }",
    "[p, q] -> { : 2p = 3q or 3p = 2q }",
    "[p, q] -> { : 1 = 0 }",
    "[p, q] -> { : p < q < p }",
    "[p, q] -> { : p <= -1 and q <= -1 }",
    "[p, q] -> { : p = 4 and q = 5 }",
    "[p] -> { : p mod 2 = 1 }",
    "[q, r] -> { : q = 2r + 1 }",
    "[p, q] -> { C[x, y] : p = 2x and x <= q + y <= 3x and y mod 2 = 0 }",
    "[p, q] -> { [x] : 0 <= x <= 3 and p = x or p = 5 + 2x and x >= 0 }",
    "[p, q] -> { : p mod 2 = 0 and q mod 3 = 0 }",
    "[p, q] -> { : p mod 4 = 2 and (q - p) mod 3 = 1 }",
    "[p, q] -> { : 2p mod 3 = 0 and exists (e : 2q = 3e + p) }",
    "{ : }",
];

fn build(schedule: &str, context: Option<&str>, options: Option<&str>) -> AstUnit {
    let budget = Budget::new(400_000_000);
    let map = UnionMap::parse(schedule, &budget).unwrap();
    let options = options.map(|text| UnionMap::parse(text, &budget).unwrap());
    let mut build = AstBuild::new();
    if let Some(text) = context {
        build = build.with_context(Set::parse(text, &budget).unwrap());
    }
    build.build_relation(&map, options.as_ref(), &budget).unwrap_or_else(|e| panic!("{schedule} {context:?}: {e}"))
}

/// What the code executes, sorted.
fn executed(unit: &AstUnit, p: i64, q: i64) -> Vec<(String, Vec<Int>)> {
    // The third parameter occurs in one context only: q = 2r + 1.
    let value = |name: &str| {
        Int::from(if name == "p" {
            p
        } else if name == "q" {
            q
        } else {
            (q - 1).div_euclid(2)
        })
    };
    let values: Vec<Int> = unit.params.iter().map(|name| value(name)).collect();
    let events = interpret(unit, &values, &Budget::new(3_000_000)).unwrap();
    let mut events: Vec<_> = events.into_iter().map(|event| (event.stmt.to_string(), event.point)).collect();
    events.sort();
    events
}

/// Whether values of the parameters are in a context.
fn allowed(context: &str, p: i64, q: i64) -> bool {
    let text = format!("[p, q, r] -> {{ : p = {p} and q = {q} }}");
    let (context, values): (Set, Set) = (context.parse().unwrap(), text.parse().unwrap());
    let budget = Budget::unlimited();
    let both = context.to_params(&budget).unwrap().intersect(&values, &budget).unwrap();
    !both.is_empty(&budget).unwrap()
}

#[test]
fn contexts_of_all_kinds() {
    let plain: Vec<AstUnit> = SCHEDULES.iter().map(|schedule| build(schedule, None, None)).collect();
    let mut known: BTreeMap<(usize, i64, i64), Instances> = BTreeMap::new();
    let mut compared = 0;
    for context in CONTEXTS {
        let all = (-3..=9).flat_map(|p| (-2..=8).map(move |q| (p, q)));
        let values: Vec<(i64, i64)> = all.filter(|&(p, q)| allowed(context, p, q)).collect();
        for (index, schedule) in SCHEDULES.iter().enumerate() {
            let unit = build(schedule, Some(context), None);
            for &(p, q) in &values {
                let expected = known.entry((index, p, q)).or_insert_with(|| executed(&plain[index], p, q));
                assert_eq!(executed(&unit, p, q), *expected, "{schedule} in {context}, p = {p}, q = {q}\n{unit}");
                compared += 1;
            }
        }
    }
    assert!(compared > 10_000, "{compared}");
}

#[test]
fn contexts_are_not_tested() {
    let code = |schedule: &str, context: &str| build(schedule, Some(context), None).to_string();
    let even = "[p] -> { : p mod 2 = 0 }";
    assert_eq!(code("[p] -> { S[] -> [0] : p mod 2 = 0 }", even), "S();\n");
    assert_eq!(code("[p] -> { S[] -> [0] : p mod 2 = 1 }", even), "");
    assert_eq!(code("[p] -> { S[i] -> [i] : 2i = p }", even), "S(p / 2);\n");
    let apart = "[p] -> { : p <= 0 or p >= 5 }";
    assert_eq!(code("[p] -> { S[] -> [0]; T[] -> [1] : 1 <= p <= 4 }", apart), "S();\n");
}

/// Only in one of two disjuncts each bound is a constant.
#[test]
fn disjunctive_contexts_bound_what_is_unrolled() {
    let (schedule, options) = ("[n, m] -> { S[i] -> [i] : 0 <= i < n and i < m }", "{ [i] -> unroll[0] }");
    let unit = build(schedule, Some("[n, m] -> { : m <= 10 or n <= 10 }"), Some(options));
    assert_eq!(unit.n_iter, 0);
    for (n, m) in [(10, 99), (99, 10), (4, 7), (0, 3), (10, 10)] {
        let events = interpret(&unit, &[Int::from(n), Int::from(m)], &Budget::unlimited()).unwrap();
        let expected: Vec<Int> = (0..n.min(m)).map(Int::from).collect();
        assert_eq!(events.into_iter().map(|event| event.point[0].clone()).collect::<Vec<_>>(), expected, "{n} {m}");
    }
}

#[test]
fn contexts_in_trees() {
    let tree = |context: &str| {
        let text = format!(
            "{{ domain: \"[p, q] -> {{ S[i, j] : 0 <= i < p and 0 <= j < q }}\", child: {{ context: \"{context}\", child: {{ \
             schedule: \"[{{ S[i, j] -> [(floor((i)/4))] }}, {{ S[i, j] -> [(floor((j)/2))] }}]\", child: {{ \
             schedule: \"[{{ S[i, j] -> [(i)] }}, {{ S[i, j] -> [(j)] }}]\" }} }} }} }}"
        );
        ScheduleTree::from_yaml(&text, &Budget::unlimited()).unwrap_or_else(|e| panic!("{text}: {e}"))
    };
    for context in CONTEXTS.iter().filter(|text| text.starts_with("[p, q] -> { :")) {
        let unit = AstBuild::new().build(&tree(context), &Budget::new(400_000_000)).unwrap();
        for (p, q) in (-1..=8).flat_map(|p| (-1..=6).map(move |q| (p, q))).filter(|&(p, q)| allowed(context, p, q)) {
            let expected: Vec<(String, Vec<Int>)> =
                (0..p).flat_map(|i| (0..q).map(move |j| ("S".to_owned(), vec![i.into(), j.into()]))).collect();
            assert_eq!(executed(&unit, p, q), expected, "{context} p = {p}, q = {q}\n{unit}");
        }
    }
}

/// How many minima the code of a schedule has in a context.
fn minima(schedule: &str, context: &str) -> usize {
    let code = build(schedule, Some(context), None).to_string();
    code.lines().filter(|line| line.contains("for (")).map(|line| line.matches("min(").count()).sum()
}

/// A tile that begins inside of a size that it divides ends inside of it, too.
#[test]
fn tiles_that_divide_a_size_are_full() {
    let one = "[p, q] -> { S[i] -> [floor(i/32), i] : 0 <= i < p }";
    let two = "[p, q] -> { S[i, j] -> [floor(i/32), floor(j/8), i, j] : 0 <= i < p and 0 <= j < q }";
    let rest = "[p, q] -> { S[i] -> [floor(i/8), i] : 0 <= i < p - q }";
    for (schedule, context, expected) in [
        (one, "{ : }", 1),
        (one, "[p, q] -> { : p mod 32 = 0 }", 0),
        (one, "[p, q] -> { : p mod 64 = 0 }", 0),
        (one, "[p, q] -> { : exists (e : p = 96e) }", 0),
        (one, "[p, q] -> { : p = 32q }", 0),
        (one, "[p, q] -> { : p mod 16 = 0 }", 1),
        (one, "[p, q] -> { : p mod 32 = 1 }", 1),
        (one, "[p, q] -> { : p mod 48 = 0 }", 1),
        (two, "[p, q] -> { : p mod 32 = 0 }", 1),
        (two, "[p, q] -> { : p mod 32 = 0 and q mod 8 = 0 }", 0),
        (two, "[p, q] -> { : p mod 32 = 0 and (q - p) mod 8 = 0 }", 0),
        // Only the one of j is needed.
        (two, "[p, q] -> { : p mod 32 = 0 and (q - p) mod 8 = 1 }", 1),
        (rest, "[p, q] -> { : p mod 8 = 3 and q mod 8 = 3 }", 0),
        (rest, "[p, q] -> { : p mod 8 = 3 and q mod 8 = 5 }", 1),
        (rest, "[p, q] -> { : (p - q) mod 8 = 0 }", 0),
    ] {
        assert_eq!(minima(schedule, context), expected, "{schedule} in {context}");
    }
}
