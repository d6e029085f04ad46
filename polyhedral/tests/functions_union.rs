//! Functions over many spaces: text, arithmetic, composition, comparison at the pairs of a relation.

use crate::relation_support::{budget, parse_set};
use tessera_polyhedral::affine::{
    Aff, MultiAff, MultiPwAff, MultiUnionPwAff, PwAff, PwMultiAff, UnionPwAff, UnionPwMultiAff,
};
use tessera_polyhedral::relation::{UnionMap, UnionSet};

fn schedule() -> MultiUnionPwAff {
    let text = "[n] -> [{ S[i, j] -> [(i)]; T[k] -> [(n)] }, { S[i, j] -> [(j)]; T[k] -> [(k)] : k >= 0 }]";
    MultiUnionPwAff::parse(text, &budget()).unwrap()
}

/// Every text prints as itself.
#[test]
fn texts() {
    let b = &budget();
    for text in ["{ A[i] -> [((i + 1)/3)] }", "[n] -> { [(n)] }", "{ [A[i] -> B[j]] -> [(i + j)] }"] {
        assert_eq!(Aff::parse(text, b).unwrap().to_string(), text);
    }
    for text in ["{ S[i] -> [A[(i)] -> B[(2i), (0)]] }", "[n] -> { A[(n), (n + 1)] }", "{ S[i] -> A[] }"] {
        assert_eq!(MultiAff::parse(text, b).unwrap().to_string(), text);
    }
    for text in ["{ S[i] -> [(i)] : (i <= -1) or (i >= 4); S[i] -> [(0)] : i = 0 }", "{ S[i] -> [(0)] : false }"] {
        assert_eq!(PwAff::parse(text, b).unwrap().to_string(), text);
    }
    for text in ["[n] -> { A[(n)] : n >= 1 }", "{ S[i] -> A[(i), (1)] : i >= 0; S[i] -> A[(0), (i)] : i <= -1 }"] {
        assert_eq!(PwMultiAff::parse(text, b).unwrap().to_string(), text);
    }
    for text in [
        "[n] -> { S[i] -> [((i) : i >= 1; (0) : i <= 0), (n)] }",
        "{ S[i] -> A[] : i >= 1 }",
        "{ S[i] -> A[((0) : false)] }",
        "[n] -> { A[] : n >= 3 }",
    ] {
        assert_eq!(MultiPwAff::parse(text, b).unwrap().to_string(), text);
    }
    for text in ["[n] -> { [(n)] : n >= 1; S[i] -> [(i)]; T[k] -> [(k + n)] : k <= n }", "{  }"] {
        let read = UnionPwAff::parse(text, b).unwrap();
        assert!(UnionPwAff::parse(&read.to_string(), b).unwrap().is_equal(&read, b).unwrap(), "{read}");
    }
    let text = "{ S[i] -> A[(i)] : i >= 1; S[i] -> B[(0), (i)] : i <= 0; T[k] -> A[(k)] }";
    assert_eq!(UnionPwMultiAff::parse(text, b).unwrap().to_string(), text);
    for text in [
        "[n] -> A[{ S[i] -> [(i)]; T[j] -> [(n)] }, { S[i] -> [(0)] : i >= 3; T[j] -> [(1)] }]",
        "[n] -> (A[] : { S[i] : i > n; T[] })",
        "[A[{ S[i] -> [(i)] }] -> B[{ S[i] -> [(0)] }]]",
        "[n] -> A[]",
        "[]",
    ] {
        assert_eq!(MultiUnionPwAff::parse(text, b).unwrap().to_string(), text);
    }
    // Where disjuncts overlap, values are added.
    let sum = PwAff::parse("{ [i] -> [(1)]; [i] -> [(i)] : i > 0 }", b).unwrap();
    let expected = PwAff::parse("{ [i] -> [(1)] : i <= 0; [i] -> [(i + 1)] : i > 0 }", b).unwrap();
    assert!(sum.is_equal(&expected, b).unwrap());
}

#[test]
fn texts_that_are_refused() {
    let b = &budget();
    for text in [
        "A[{ S[i] -> [(i)] }",
        "[n] -> [{ S[i] -> [(m)] }]",
        "[{ S[i] -> [(i), (i)] }]",
        "(A[] : )",
        "A[{ S[i] }]x",
        "",
    ] {
        assert!(MultiUnionPwAff::parse(text, b).is_err(), "{text}");
    }
    for text in ["{ S[i] -> A[(i)]; S[i] -> B[(i)] }", "{ S[i] -> A[*] }", "{ S[i] -> A[(1/0)] }"] {
        assert!(UnionPwMultiAff::parse(text, b).is_err(), "{text}");
    }
    assert!(PwMultiAff::parse("{ }", b).is_err());
    assert!(MultiPwAff::parse("{ S[i] -> A[(i)]; S[i] -> A[(i)] }", b).is_err());
}

#[test]
fn a_schedule_orders_pairs() {
    let b = &budget();
    let text = "[n] -> { S[i, j] -> S[i', j'] : 0 <= i, j, i', j' < n; S[i, j] -> T[k] : 0 <= i < n and 0 <= k }";
    let pairs = UnionMap::parse(text, b).unwrap();
    let before = pairs.lex_lt_at(&schedule(), b).unwrap();
    let text = "[n] -> { S[i, j] -> S[i', j'] : 0 <= i, j, i', j' < n and (i < i' or (i = i' and j < j')); \
                S[i, j] -> T[k] : 0 <= i < n and 0 <= k }";
    assert!(before.is_equal(&UnionMap::parse(text, b).unwrap(), b).unwrap(), "{before}");
    let same = pairs.eq_at(&schedule(), b).unwrap();
    let text = "[n] -> { S[i, j] -> S[i, j] : 0 <= i, j < n }";
    assert!(same.is_equal(&UnionMap::parse(text, b).unwrap(), b).unwrap(), "{same}");
    let (le, gt) = (pairs.lex_le_at(&schedule(), b).unwrap(), pairs.lex_gt_at(&schedule(), b).unwrap());
    assert!(le.is_equal(&before.union(&same).unwrap(), b).unwrap());
    assert!(le.is_disjoint(&gt, b).unwrap());
    assert!(le.union(&gt).unwrap().is_equal(&pairs, b).unwrap());
}

#[test]
fn conversions_and_composition() {
    let b = &budget();
    let function = schedule();
    let graph = function.to_union_map(b).unwrap();
    let text = "[n] -> { S[i, j] -> [i, j]; T[k] -> [n, k] : k >= 0 }";
    assert!(graph.is_equal(&UnionMap::parse(text, b).unwrap(), b).unwrap(), "{graph}");
    let again = MultiUnionPwAff::from_union_map(&graph, b).unwrap();
    assert!(again.to_union_map(b).unwrap().is_equal(&graph, b).unwrap());
    // Interchange of both dimensions.
    let swap = PwMultiAff::parse("{ [a, b] -> [(b), (a)] }", b).unwrap();
    let swapped = function.apply(&swap, b).unwrap().to_union_map(b).unwrap();
    let text = "[n] -> { S[i, j] -> [j, i]; T[k] -> [k, n] : k >= 0 }";
    assert!(swapped.is_equal(&UnionMap::parse(text, b).unwrap(), b).unwrap(), "{swapped}");
    let inside = function.intersect_range(&parse_set("{ [a, b] : a = b }"), b).unwrap().domain(b).unwrap();
    let text = "[n] -> { S[i, i]; T[n] : n >= 0 }";
    assert!(inside.is_equal(&UnionSet::parse(text, b).unwrap(), b).unwrap(), "{inside}");
    let access = UnionPwMultiAff::parse("{ U[x] -> S[(x), (2x)] : x > 3; V[] -> T[(7)] }", b).unwrap();
    let text = "[n] -> { U[x] -> [x, 2x] : x > 3; V[] -> [n, 7] }";
    let composed = function.pullback(&access, b).unwrap().to_union_map(b).unwrap();
    assert!(composed.is_equal(&UnionMap::parse(text, b).unwrap(), b).unwrap(), "{composed}");
    let sets = UnionSet::parse("{ S[i, j] : j = 0; T[k] }", b).unwrap();
    let back = sets.preimage_union(&access, b).unwrap();
    assert!(back.is_equal(&UnionSet::parse("{ V[] }", b).unwrap(), b).unwrap(), "{back}");
    let zero = function.zero_set(b).unwrap();
    let text = "[n] -> { S[0, 0]; T[0] : n = 0 }";
    assert!(zero.is_equal(&UnionSet::parse(text, b).unwrap(), b).unwrap(), "{zero}");
}

#[test]
fn laws() {
    let b = &budget();
    let f = UnionPwAff::parse("[n] -> { S[i, j] -> [(floor((i + n)/2))] : i > j; T[k] -> [(k/3)] }", b).unwrap();
    let g = UnionPwAff::parse("[n] -> { S[i, j] -> [(j)] : i > 0; U[] -> [(n)] }", b).unwrap();
    assert!(
        f.add(&g, b)
            .unwrap()
            .sub(&g, b)
            .unwrap()
            .is_equal(&f.intersect_domain(&g.domain().unwrap(), b).unwrap(), b)
            .unwrap()
    );
    assert!(f.union_add(&g, b).unwrap().is_equal(&g.union_add(&f, b).unwrap(), b).unwrap());
    assert!(f.neg().neg().is_equal(&f, b).unwrap());
    assert!(!f.is_equal(&f.floor(), b).unwrap());
    let rest = f.subtract_domain(&g.domain().unwrap(), b).unwrap();
    let both = f.intersect_domain(&g.domain().unwrap(), b).unwrap();
    assert!(rest.or_else(&both, b).unwrap().is_equal(&f, b).unwrap());
    assert!(UnionPwAff::zero_on(&f.domain().unwrap()).is_equal(&f.sub(&f, b).unwrap(), b).unwrap());
    let smaller = f.union_min(&g, b).unwrap();
    let greater = f.union_max(&g, b).unwrap();
    assert!(
        smaller
            .add(&greater, b)
            .unwrap()
            .intersect_domain(&both.domain().unwrap(), b)
            .unwrap()
            .is_equal(&f.add(&g, b).unwrap(), b)
            .unwrap()
    );
    let context = UnionSet::parse("[n] -> { S[i, j] : i > j and n = 2; T[k] }", b).unwrap();
    let simple = f.gist(&context, b).unwrap();
    assert_eq!(simple.to_string(), "[n] -> { S[i, j] -> [(floor((i)/2) + 1)]; T[k] -> [((k)/3)] }");
}
