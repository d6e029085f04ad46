//! Hostile texts: mutations, deep nesting, huge numbers, huge lists. Everything is read, or refused with a place, in
//! bounded time.

use std::time::Instant;

use proptest::prelude::*;
use tessera_polyhedral::Error;
use tessera_polyhedral::affine::{Aff, MultiAff, PwAff};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::{Map, Set, UnionMap, UnionSet};

/// Valid texts of all kinds.
const TEXTS: [&str; 17] = [
    "[n = 0:9, m = 3:] -> { S[i = 0:n, 0:4] -> A[i // 2 : i > 0; 7 : i < 3] }",
    "{ [a, _] -> [(0:a), (a : a > 0; _ : a > 2 and a, 4 > _), 3:] }",
    "{ [a] -> [x = 2a // 3 : (a > 4 or not a < 3), *] : -7 // 2 < a }",
    "[n] -> { S[i, j] -> A[i + 1] : 0 <= i < n and exists (e : j = 2e) or not (floor(i/3) mod 4 = min(n, 2)); T[] -> B[0] }",
    "{ [i, j] : i, j >= 0 and [i, j] << [j, 2i] and (i > 3 ? 1 : 2) <= j }",
    "[n, m = 3] -> { A[[i] -> B[j]] : n > m implies i < j }",
    "{ C[0:4, *, k = 2^3] : k != 3 }",
    "{ [i] -> [(i + 2*floor((i)/32))] }",
    "{ S[i] -> [((i) : i > 2; (-i) : i <= 2)] }",
    "{ [i] : not exists (e0 = [(i)/2], e1: i = 2e0 + 3e1) && max(i, 4, -i) < ceild(i, 3) || 99999999999999999999 >= i }",
    "[n] -> { : exists k : n = 2k }",
    "{ [i] -> [i'] : i' > i; [i] -> [i - 1] : i mod 3 = 1 }",
    "{ A[i] -> B[(i + 1), (2i)] }",
    "{ [i] : i >= 0 and (i <= 3 or (i >= 7 and (i <= 9 or i % 5 = 2))) }",
    "{ [i, j] : 2 * (3i - j) / 3 <= floor((i + j)/2) < -(5 mod 3) + 3 * 2 i }",
    "{ N[A[] -> B[i]] -> [C[i] -> D[]] : i, 3 <= 5, 2 * i }",
    "# comment\n{ [a'] :\n a' >= [a'/2] # another\n}",
];

const LIMIT: u64 = 100_000;

/// Reads a text as everything and checks the places of errors.
fn read_all(text: &str) {
    let lines = text.split('\n').count();
    let place = |error: Error| {
        if let Error::Parse(e) = error {
            assert!(e.line >= 1 && e.line <= lines && e.column >= 1, "{e} in {text}");
            assert!(!e.expected.is_empty() && e.excerpt.contains('^'), "{e:#} in {text}");
        }
    };
    let b = || Budget::new(LIMIT);
    Set::parse(text, &b()).map(drop).unwrap_or_else(place);
    Map::parse(text, &b()).map(drop).unwrap_or_else(place);
    UnionSet::parse(text, &b()).map(drop).unwrap_or_else(place);
    UnionMap::parse(text, &b()).map(drop).unwrap_or_else(place);
    Aff::parse(text, &b()).map(drop).unwrap_or_else(place);
    MultiAff::parse(text, &b()).map(drop).unwrap_or_else(place);
    PwAff::parse(text, &b()).map(drop).unwrap_or_else(place);
}

#[test]
fn the_texts_are_valid() {
    for text in TEXTS {
        let b = Budget::new(100_000_000);
        let ok = UnionSet::parse(text, &b).is_ok() || UnionMap::parse(text, &b).is_ok();
        assert!(ok, "{text}: {:?}", UnionMap::parse(text, &b));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn mutations_are_read_or_refused(
        k in 0..TEXTS.len(),
        edits in prop::collection::vec((0.0..1.0f64, 0usize..4, "[ \\[\\]{}():;,<>=!&|*/%^?+\\-0-9ijnae'#\n]{0,3}"), 1..4),
    ) {
        let mut text = TEXTS[k].to_owned();
        for (at, cut, insert) in edits {
            let first = (text.len() as f64 * at) as usize;
            let last = (first + cut).min(text.len());
            text.replace_range(first..last, &insert);
        }
        read_all(&text);
    }

    #[test]
    fn splices_are_read_or_refused(a in 0..TEXTS.len(), b in 0..TEXTS.len(), x in 0.0..1.0f64, y in 0.0..1.0f64) {
        let cut = |text: &str, at: f64| (text.len() as f64 * at) as usize;
        read_all(&format!("{}{}", &TEXTS[a][..cut(TEXTS[a], x)], &TEXTS[b][cut(TEXTS[b], y)..]));
    }

    #[test]
    fn random_characters_are_refused(text in "\\PC{0,40}") {
        read_all(&text);
        read_all(&format!("{{ [i] : i {text} }}"));
    }
}

fn refused(text: &str) {
    let start = Instant::now();
    let result = UnionSet::parse(text, &Budget::new(20_000_000));
    assert!(result.is_err(), "{}...", &text[..text.len().min(80)]);
    // Generous: the point is that it is not a hang.
    assert!(start.elapsed().as_secs() < 30, "{}...", &text[..text.len().min(80)]);
}

fn accepted(text: &str) {
    let start = Instant::now();
    UnionSet::parse(text, &Budget::new(200_000_000)).unwrap();
    assert!(start.elapsed().as_secs() < 30, "{}...", &text[..text.len().min(80)]);
}

#[test]
fn deep_nesting_is_refused() {
    let n = 100_000;
    for (open, inner, close) in [
        ("(", "i", ")"),
        ("(", "i > 0", ")"),
        ("[", "i", "]"),
        ("not ", "i > 0", ""),
        ("!(", "i > 0", ")"),
        ("floor(", "i", ")"),
        ("min(i, ", "i", ")"),
        ("(i > 0 ? 1 : ", "i", ")"),
        ("exists e : ", "i > 0", ""),
        ("exists (e = ", "i", " : i > 0)"),
        ("2(", "i", ")"),
        ("i > 0 implies ", "i > 0", ""),
        ("i > 0 ? 1 : ", "i", ""),
    ] {
        refused(&format!("{{ [i] : {}{inner}{} }}", open.repeat(n), close.repeat(n)));
        refused(&format!("{{ [i] : {}{inner}{} > 0 }}", open.repeat(n), close.repeat(n)));
        refused(&format!("{{ [i] : {}", open.repeat(n)));
    }
    refused(&format!("{{ {}[]{} }}", "[".repeat(n), " -> []]".repeat(n)));
    refused(&"{".repeat(n));
    refused(&"[".repeat(n));
    // Chains are no nesting.
    accepted(&format!("{{ [i] : i{} > 0 }}", " + 1".repeat(n)));
    accepted(&format!("{{ [i] : i{} > 0 }}", " * 1".repeat(n)));
    accepted(&format!("{{ [i] : {}i > 0 }}", "- ".repeat(n)));
    accepted(&format!("{{ [i] : i > 0{} }}", " and i > 0".repeat(1000)));
    accepted(&format!("{{ [i] : i > 0{} }}", " or i > 0".repeat(1000)));
    accepted(&format!("{{ [i] : i{} > 0 }}", " mod 5".repeat(100)));
}

#[test]
fn huge_numbers_and_lists_are_refused_or_read() {
    let n = 100_000;
    accepted(&format!("{{ [i] : i > {} }}", "9".repeat(5000)));
    refused(&format!("{{ [i] : i > {} }}", "9".repeat(1_000_000)));
    refused("{ [i] : i > 2 ^ 100000000 }");
    refused("{ [i] : i > 9 ^ 99 ^ 99 ^ 99 }");
    refused(&format!("{{ [i] : i > 1{} }}", format!(" * {}", "9".repeat(9000)).repeat(1000)));
    let names: Vec<String> = (0..n).map(|k| format!("e{k}")).collect();
    refused(&format!("{{ [i] : exists ({} : i > 0) }}", names.join(", ")));
    refused(&format!("{{ [{}] }}", names.join(", ")));
    refused(&format!("[{}] -> {{ [i] }}", names.join(", ")));
    refused(&format!("{{ [i] : i = 0{} }}", (0..20_000).map(|k| format!(" + floor(i/{})", k + 2)).collect::<String>()));
    // Formulas whose disjunctive form explodes.
    let or = |k: usize| format!("(x{k} > 3 or y{k} > 4 or x{k} + y{k} < 2)");
    let dims: Vec<String> = (0..60).map(|k| format!("x{k}, y{k}")).collect();
    let ors: Vec<String> = (0..60).map(or).collect();
    refused(&format!("{{ [{}] : {} }}", dims.join(", "), ors.join(" and ")));
    let maxima: Vec<String> = (0..60).map(|k| format!("max(x{k}, y{k}, 3)")).collect();
    refused(&format!("{{ [{}] : {} = 7 }}", dims.join(", "), maxima.join(" + ")));
    let conditions: Vec<String> = (0..60).map(|k| format!("(x{k} > y{k} ? x{k} : 2)")).collect();
    refused(&format!("{{ [{}] : {} = 7 }}", dims.join(", "), conditions.join(" + ")));
    let unequal: Vec<String> = (0..60).map(|k| format!("x{k} != y{k}")).collect();
    refused(&format!("{{ [{}] : {} }}", dims.join(", "), unequal.join(" and ")));
}
