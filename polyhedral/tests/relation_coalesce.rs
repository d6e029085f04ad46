//! Coalescing: the classic cases by hand, and random unions against their points.

use crate::relation_support::*;
use proptest::prelude::*;
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::Set;

fn coalesced(pieces: &[&str]) -> Set {
    let mut whole = parse_set(pieces[0]);
    for piece in &pieces[1..] {
        whole = whole.union(&parse_set(piece)).unwrap();
    }
    let result = whole.coalesce(&budget()).unwrap();
    assert!(result.is_equal(&whole, &budget()).unwrap(), "{whole} became {result}");
    assert!(result.conjunctions().len() <= whole.conjunctions().len());
    result
}

/// A division of divisions whose own residue class the equalities fix, too.
#[test]
fn strides_within_strides_keep_their_points() {
    coalesced(&[
        "{ [i, j] : exists (e : j + 5 = 4e and (3e + 2i - 4) mod 4 < 1) }",
        "{ [i, j] : exists (e : j + 5 = 4e and (3e + 2i - 4) mod 4 > 1) }",
    ]);
}

#[test]
fn pieces_that_form_one_conjunction() {
    for (name, pieces, expected) in [
        ("empty part", vec!["{ [i] : 0 <= i <= 4 }", "{ [i] : 2i = 1 }"], "{ [i] : 0 <= i <= 4 }"),
        (
            "contained part",
            vec!["{ [i, j] : 2 <= i + j <= 3 and i = 1 }", "{ [i, j] : i >= 0 }"],
            "{ [i, j] : i >= 0 }",
        ),
        ("adjacent inequalities", vec!["{ [i] : 0 <= i <= 4 }", "{ [i] : 5 <= i <= 9 }"], "{ [i] : 0 <= i <= 9 }"),
        ("overlap", vec!["{ [i] : 0 <= i <= 4 }", "{ [i] : 3 <= i <= 9 }"], "{ [i] : 0 <= i <= 9 }"),
        (
            "sliding facet",
            vec!["{ [i, j] : 0 <= i <= 9 and 0 <= j <= 3 }", "{ [i, j] : 0 <= i <= 9 and j = 4 }"],
            "{ [i, j] : 0 <= i <= 9 and 0 <= j <= 4 }",
        ),
        (
            "parallel equalities",
            vec!["{ [i, j] : i = 2j and 0 <= j <= 5 }", "{ [i, j] : i = 2j + 1 and 0 <= j <= 5 }"],
            "{ [i, j] : 0 <= j <= 5 and 2j <= i <= 2j + 1 }",
        ),
        ("points", vec!["{ [2, 3] }", "{ [4, 5] }", "{ [3, 4] }"], "{ [i, j] : j = i + 1 and 2 <= i <= 4 }"),
        (
            "cut facets",
            vec!["{ [i, j] : 0 <= i <= j <= 10 }", "{ [i, j] : 0 <= j <= i <= 10 }"],
            "{ [i, j] : 0 <= i <= 10 and 0 <= j <= 10 }",
        ),
        (
            "wrapping around an equality",
            vec!["{ [i, j] : 0 <= i <= 10 and 0 <= j <= 4 }", "{ [i, j] : 1 <= i <= 9 and j = 5 }"],
            "{ [i, j] : 0 <= i <= 10 and 0 <= j <= 5 and j <= i + 4 and i + j <= 14 }",
        ),
        (
            "wrapping between segments",
            vec!["{ [i, 0] : 0 <= i <= 10 }", "{ [i, 1] : 1 <= i <= 9 }", "{ [i, 2] : 2 <= i <= 8 }"],
            "{ [i, j] : 0 <= j <= 2 and j <= i <= 10 - j }",
        ),
        (
            "the next point of a sloped segment",
            vec!["{ [i, j] : j = 2i and 0 <= i <= 4 }", "{ [5, 10] }", "{ [-1, -2] }"],
            "{ [i, j] : j = 2i and -1 <= i <= 5 }",
        ),
        (
            "a slope with a numerator and a denominator",
            vec!["{ [i, j] : 2j = 3i and 0 <= i <= 8 }", "{ [10, 15] }"],
            "{ [i, j] : 2j = 3i and 0 <= i <= 10 }",
        ),
        (
            "two pieces of one sloped line",
            vec![
                "[n] -> { [i, j, 3i] : i = n - 2j and 0 <= i <= 4 }",
                "[n] -> { [i, j, 3i] : i = n - 2j and 5 <= i <= 8 }",
            ],
            "[n] -> { [i, j, 3i] : i = n - 2j and 0 <= i <= 8 }",
        ),
        ("residues", vec!["{ [i] : i mod 2 = 0 }", "{ [i] : i mod 2 = 1 }"], "{ [i] }"),
        ("all residues", vec!["{ [i] : i mod 3 = 0 }", "{ [i] : i mod 3 = 2 }", "{ [i] : i mod 3 = 1 }"], "{ [i] }"),
        ("common residue", vec!["{ [i] : i mod 4 = 3 }", "{ [i] : i mod 4 = 1 }"], "{ [i] : i mod 2 = 1 }"),
        (
            "next multiple",
            vec!["{ [i] : i mod 4 = 0 and 0 <= i <= 8 }", "{ [12] }"],
            "{ [i] : i mod 4 = 0 and 0 <= i <= 12 }",
        ),
        (
            "a division of one part only",
            vec!["{ [i] : i mod 6 = 0 and 0 <= i <= 60 }", "{ [i] : i mod 3 = 0 and -3 <= i <= 70 }"],
            "{ [i] : i mod 3 = 0 and -3 <= i <= 70 }",
        ),
        (
            "shifted divisions",
            vec!["{ [i, j] : floor(i/4) <= j }", "{ [i, j] : floor((i + 1)/4) <= j }"],
            "{ [i, j] : floor(i/4) <= j }",
        ),
        (
            "a residue class and the rest",
            vec!["{ [i, j] : 0 <= j <= 5 and i mod 4 = 3 }", "{ [i, j] : 0 <= j <= 5 and (i + 1) mod 4 >= 1 }"],
            "{ [i, j] : 0 <= j <= 5 }",
        ),
        (
            "parametric",
            vec!["[n] -> { [i] : 0 <= i < n }", "[n] -> { [i] : i = n and n >= 0 }"],
            "[n] -> { [i] : 0 <= i <= n }",
        ),
    ] {
        let result = coalesced(&pieces);
        assert_eq!(result.conjunctions().len(), 1, "{name}: {result}");
        assert!(result.is_equal(&parse_set(expected), &budget()).unwrap(), "{name}: {result}");
    }
}

/// Unions by the rule of coalescing that makes them one conjunction, drawn at random: one line `rule: set` each.
#[test]
fn unions_of_every_rule_become_one() {
    let text = include_str!("coalesce_pairs.txt");
    let mut rules: Vec<&str> = Vec::new();
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let (rule, set) = line.split_once(": ").unwrap();
        let whole = parse_set(set);
        assert!(whole.conjunctions().len() > 1, "{line}");
        let result = whole.coalesce(&budget()).unwrap();
        assert_eq!(result.conjunctions().len(), 1, "{rule}: {set} became {result}");
        let n = whole.space().n_col() - 1;
        for p in points(n, -4, if n > 2 { 4 } else { 9 }) {
            assert_eq!(in_set(&result, &p), in_set(&whole, &p), "{rule}: {set} became {result}, at {p:?}");
        }
        rules.push(rule);
    }
    rules.dedup();
    assert!(rules.len() >= 20, "{rules:?}");
}

#[test]
fn pieces_that_do_not() {
    for pieces in [
        vec!["{ [i] : 0 <= i <= 4 }", "{ [i] : 6 <= i <= 9 }"],
        vec!["{ [i, j] : 0 <= i <= 9 and 0 <= j <= 3 }", "{ [i, j] : 0 <= i <= 8 and j = 5 }"],
        vec!["{ [i, j] : i >= 0 }", "{ [i, j] : j >= 0 }"],
        vec!["{ [i, j] : j = 2i and 0 <= i <= 4 }", "{ [6, 12] }"],
        vec!["{ [i, j] : j = 2i and 0 <= i <= 4 }", "{ [5, 11] }"],
        vec!["{ [i] : i mod 2 = 0 }", "{ [i] : i mod 3 = 0 }"],
        vec!["{ [i] : i mod 6 = 1 }", "{ [i] : i mod 6 = 4 and i >= 0 }"],
        vec!["{ [i] : i mod 4 = 0 }", "{ [i] : i mod 4 = 1 and i >= 0 }"],
    ] {
        assert_eq!(coalesced(&pieces).conjunctions().len(), 2);
    }
}

#[test]
fn a_union_with_a_hole_stays_without_the_hole() {
    let rim = parse_set("{ [i, j] : 0 <= i, j <= 8 }").subtract(&parse_set("{ [4, 4] }"), &budget()).unwrap();
    let result = rim.coalesce(&budget()).unwrap();
    assert!(!in_set(&result, &[4, 4]));
    assert!(result.is_equal(&rim, &budget()).unwrap());
}

#[test]
fn an_exhausted_budget_is_an_error() {
    let set = parse_set("{ [i, j] : 0 <= i <= j <= 10 or 0 <= j <= i <= 10 or i + j = 3 }");
    assert!(set.coalesce(&Budget::new(20)).is_err());
}

#[test]
fn large_coefficients() {
    let big = "123456789012345678901234567890";
    let result = coalesced(&[&format!("{{ [i] : 0 <= i <= {big} }}"), &format!("{{ [i] : {big} < i <= 2 * {big} }}")]);
    assert_eq!(result.conjunctions().len(), 1);
}

/// A box, possibly cut by one more constraint and confined to a residue class.
fn piece() -> impl Strategy<Value = String> {
    let cut = prop::option::of((-2i64..3, -2i64..3, -2i64..6));
    let class = prop::option::of((0i64..2, 2i64..5, 0i64..4));
    (-3i64..3, 0i64..5, -3i64..3, 0i64..5, cut, class).prop_map(|(a, w, b, h, cut, class)| {
        let mut text = format!("{a} <= i <= {} and {b} <= j <= {}", a + w, b + h);
        if let Some((x, y, z)) = cut {
            text += &format!(" and {x} i + {y} j + {z} >= 0");
        }
        if let Some((x, d, r)) = class {
            text += &format!(" and (i + {x} j) mod {d} = {}", r % d);
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn unions_keep_their_points(pieces in prop::collection::vec(piece(), 1..6)) {
        let sets: Vec<Set> = pieces.iter().map(|p| parse_set(&format!("{{ [i, j] : {p} }}"))).collect();
        let mut whole = sets[0].clone();
        for set in &sets[1..] {
            whole = whole.union(set).unwrap();
        }
        let result = whole.coalesce(&budget()).unwrap();
        prop_assert!(result.conjunctions().len() <= whole.conjunctions().len());
        for p in points(2, -4, 9) {
            prop_assert_eq!(in_set(&result, &p), in_set(&whole, &p), "at {:?} in {}", p, result);
        }
        let again = result.coalesce(&budget()).unwrap();
        prop_assert!(again.conjunctions().len() <= result.conjunctions().len());
    }

    #[test]
    fn what_a_half_space_splits_grows_together(whole in piece(), c in prop::array::uniform3(-2i64..3)) {
        let set = parse_set(&format!("{{ [i, j] : {whole} }}"));
        let row: Vec<Int> = [c[2], c[0], c[1]].map(Int::from).to_vec();
        let other: Vec<Int> = [-c[2] - 1, -c[0], -c[1]].map(Int::from).to_vec();
        let split = set.add_ineq(&row).union(&set.add_ineq(&other)).unwrap();
        let result = split.coalesce(&budget()).unwrap();
        prop_assert!(result.is_equal(&set, &budget()).unwrap());
        // Elsewhere the common conjunction may need greater coefficients than the pieces have, which coalescing avoids.
        let primitive = c[0].abs() <= 1 && c[1].abs() <= 1 && !["mod", "2 i", "2 j"].iter().any(|w| whole.contains(w));
        prop_assert!(!primitive || result.conjunctions().len() <= 1, "{} from {}", result, split);
    }
}
