//! Operations that move tuples and dimensions around: results by their text, and by their definition over small boxes.

use crate::relation_support::*;
use proptest::prelude::*;
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::relation::{Comparison, Lexicographic, Map, Set, UnionMap, UnionSet};
use tessera_polyhedral::space::{DimKind, Space};

fn map(text: &str) -> Map {
    Map::parse(text, &budget()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn union_map(text: &str) -> UnionMap {
    UnionMap::parse(text, &budget()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn union_set(text: &str) -> UnionSet {
    UnionSet::parse(text, &budget()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// The same tuples and the same points.
fn check_map(actual: &Map, expected: &str) {
    let expected = map(expected);
    assert_eq!(actual.space().params_space(), expected.space().params_space());
    assert_eq!(actual.space(), expected.space());
    assert!(actual.is_equal(&expected, &budget()).unwrap(), "{actual} instead of {expected}");
}

fn check_set(actual: &Set, expected: &str) {
    let expected = parse_set(expected);
    assert_eq!(actual.space(), expected.space());
    assert!(actual.is_equal(&expected, &budget()).unwrap(), "{actual} instead of {expected}");
}

fn check_union_map(actual: &UnionMap, expected: &str) {
    let expected = union_map(expected);
    assert!(actual.is_equal(&expected, &budget()).unwrap(), "{actual} instead of {expected}");
}

fn check_union_set(actual: &UnionSet, expected: &str) {
    let expected = union_set(expected);
    assert!(actual.is_equal(&expected, &budget()).unwrap(), "{actual} instead of {expected}");
}

const PAIRS: &str = "[n] -> { [A[i] -> B[j, k]] -> [C[l] -> D[m]] : 0 <= i < j and k = 2l and m < n + i }";

#[test]
fn tuples_are_regrouped() {
    let pairs = map(PAIRS);
    let budget = budget();
    check_map(
        &pairs.zip().unwrap(),
        "[n] -> { [A[i] -> C[l]] -> [B[j, k] -> D[m]] : 0 <= i < j and k = 2l and m < n + i }",
    );
    check_map(&pairs.zip().unwrap().zip().unwrap(), PAIRS);
    check_map(
        &pairs.range_reverse().unwrap(),
        "[n] -> { [A[i] -> B[j, k]] -> [D[m] -> C[l]] : 0 <= i < j and k = 2l and m < n + i }",
    );
    check_map(
        &pairs.domain_reverse().unwrap(),
        "[n] -> { [B[j, k] -> A[i]] -> [C[l] -> D[m]] : 0 <= i < j and k = 2l and m < n + i }",
    );
    check_map(&pairs.flatten(), "[n] -> { [i, j, k] -> [l, m] : 0 <= i < j and k = 2l and m < n + i }");
    let deep = map("{ A[i] -> [[B[j] -> C[k]] -> D[l]] : i < j < k < l }");
    check_map(&deep.range_curry().unwrap(), "{ A[i] -> [B[j] -> [C[k] -> D[l]]] : i < j < k < l }");
    check_map(
        &deep.range_curry().unwrap().range_uncurry().unwrap(),
        "{ A[i] -> [[B[j] -> C[k]] -> D[l]] : i < j < k < l }",
    );
    check_map(&deep.reverse().domain_curry().unwrap(), "{ [B[j] -> [C[k] -> D[l]]] -> A[i] : i < j < k < l }");
    check_map(
        &deep.reverse().domain_curry().unwrap().domain_uncurry().unwrap().reverse(),
        "{ A[i] -> [[B[j] -> C[k]] -> D[l]] : i < j < k < l }",
    );
    let wrapped = parse_set("{ [A[i] -> B[j]] : i < 2j }");
    check_set(&wrapped.wrapped_reverse().unwrap(), "{ [B[j] -> A[i]] : i < 2j }");
    check_map(&wrapped.wrapped_domain_map().unwrap(), "{ [A[i] -> B[j]] -> A[i] : i < 2j }");
    check_map(&wrapped.wrapped_range_map().unwrap(), "{ [A[i] -> B[j]] -> B[j] : i < 2j }");
    check_set(&wrapped.flatten(), "{ [i, j] : i < 2j }");
    check_map(&wrapped.flatten_map(), "{ [A[i] -> B[j]] -> [i, j] : i < 2j }");
    check_set(
        &wrapped.intersect_factor_domain(&parse_set("{ A[i] : i > 3 }"), &budget).unwrap(),
        "{ [A[i] -> B[j]] : 3 < i < 2j }",
    );
    check_set(
        &wrapped.intersect_factor_range(&parse_set("{ B[i] : i < 3 }"), &budget).unwrap(),
        "{ [A[i] -> B[j]] : j < 3 and i < 2j }",
    );
    assert!(map("{ A[i] -> B[j] }").zip().is_err());
    assert!(map("{ A[i] -> [B[j] -> C[]] }").range_curry().is_err());
}

#[test]
fn maps_from_pairs_to_their_parts() {
    let m = map("[n] -> { A[i] -> B[j, k] : i <= j < n and 2k = i }");
    check_map(&m.domain_map(), "[n] -> { [A[i] -> B[j, k]] -> A[i] : i <= j < n and 2k = i }");
    check_map(&m.range_map(), "[n] -> { [A[i] -> B[j, k]] -> B[j, k] : i <= j < n and 2k = i }");
    let step = map("{ A[i, j] -> A[k, l] : i < k and 2j = l }");
    check_map(&step.deltas_map().unwrap(), "{ [A[i, j] -> A[k, l]] -> A[k - i, j] : i < k and 2j = l }");
    assert!(m.deltas_map().is_err());
    check_map(
        &parse_set("{ A[i, j] : 0 <= i < 4 and j = 1 }").translation(),
        "{ A[i, j] -> A[k, j + 1] : i <= k < i + 4 }",
    );
}

#[test]
fn products_and_factors() {
    let budget = budget();
    let (a, b) = (map("{ A[i] -> B[i + 1] : i > 0 }"), map("{ C[j] -> D[2j] : j < 9 }"));
    check_map(&a.product(&b, &budget).unwrap(), "{ [A[i] -> C[j]] -> [B[i + 1] -> D[2j]] : i > 0 and j < 9 }");
    check_map(&a.flat_product(&b, &budget).unwrap(), "{ [i, j] -> [i + 1, 2j] : i > 0 and j < 9 }");
    let c = map("{ C[j] -> B[2j] : j < 9 }");
    check_map(
        &a.domain_product(&c, &budget).unwrap(),
        "{ [A[i] -> C[j]] -> B[i + 1] : i > 0 and j < 9 and i + 1 = 2j }",
    );
    check_map(&a.flat_domain_product(&c, &budget).unwrap(), "{ [i, j] -> B[i + 1] : i > 0 and j < 9 and i + 1 = 2j }");
    let pairs = map(PAIRS);
    check_map(&pairs.factor_domain(&budget).unwrap(), "[n] -> { A[i] -> C[l] : i >= 0 }");
    check_map(
        &pairs.factor_range(&budget).unwrap(),
        "[n] -> { B[j, k] -> D[m] : k mod 2 = 0 and j > 0 and m < n + j - 1 }",
    );
    check_map(
        &pairs.intersect_domain_factor_domain(&map("{ A[i] -> [C[l] -> D[m]] : i = 7 and l > m }"), &budget).unwrap(),
        "[n] -> { [A[7] -> B[j, k]] -> [C[l] -> D[m]] : 7 < j and k = 2l and m < n + 7 and l > m }",
    );
    check_map(
        &pairs.intersect_domain_factor_range(&map("{ B[j, k] -> [C[l] -> D[j]] }"), &budget).unwrap(),
        "[n] -> { [A[i] -> B[j, k]] -> [C[l] -> D[j]] : 0 <= i < j and k = 2l and j < n + i }",
    );
    check_map(
        &pairs.intersect_range_factor_domain(&map("[p] -> { [A[i] -> B[j, k]] -> C[p] }"), &budget).unwrap(),
        "[n, p] -> { [A[i] -> B[j, 2p]] -> [C[p] -> D[m]] : 0 <= i < j and m < n + i }",
    );
    check_map(
        &pairs.intersect_range_factor_range(&map("{ [A[i] -> B[j, k]] -> D[i] }"), &budget).unwrap(),
        "[n] -> { [A[i] -> B[j, k]] -> [C[l] -> D[i]] : 0 <= i < j and k = 2l and n > 0 }",
    );
    check_map(
        &pairs.intersect_domain_wrapped_domain(&parse_set("{ A[i] : i > 3 }"), &budget).unwrap(),
        "[n] -> { [A[i] -> B[j, k]] -> [C[l] -> D[m]] : 3 < i < j and k = 2l and m < n + i }",
    );
    check_map(
        &pairs.intersect_range_wrapped_domain(&parse_set("{ C[i] : i > 3 }"), &budget).unwrap(),
        "[n] -> { [A[i] -> B[j, k]] -> [C[l] -> D[m]] : l > 3 and 0 <= i < j and k = 2l and m < n + i }",
    );
}

#[test]
fn dimensions_move_and_compare() {
    let m = map("[n] -> { A[i, j] -> B[k] : i < j and k = n }");
    check_map(
        &m.move_dims(DimKind::Out, 0, DimKind::In, 0, 1).unwrap(),
        "[n] -> { A[j] -> B[i, k] : i < j and k = n }",
    );
    check_map(
        &m.move_dims(DimKind::Param, 0, DimKind::In, 1, 1).unwrap(),
        "[j, n] -> { A[i] -> B[k] : i < j and k = n }",
    );
    check_map(&m.move_dims(DimKind::In, 1, DimKind::Param, 0, 1).unwrap(), "{ A[i, n, j] -> B[k] : i < j and k = n }");
    check_map(&m.move_dims(DimKind::In, 1, DimKind::In, 0, 1).unwrap(), "[n] -> { A[j, i] -> B[k] : i < j and k = n }");
    assert!(m.move_dims(DimKind::In, 3, DimKind::Out, 0, 1).is_err());
    assert!(map("[i] -> { A[x] -> B[0] }").move_dims(DimKind::Param, 0, DimKind::Out, 0, 1).is_err());
    use Comparison::*;
    for (comparison, text) in [(Eq, "="), (Ne, "!="), (Lt, "<"), (Le, "<="), (Gt, ">"), (Ge, ">=")] {
        let compared = m.compare_dims(DimKind::In, 1, comparison, DimKind::Param, 0).unwrap();
        check_map(&compared, &format!("[n] -> {{ A[i, j] -> B[k] : i < j and k = n and j {text} n }}"));
    }
    check_map(
        &m.oppose(DimKind::In, 0, DimKind::Out, 0).unwrap(),
        "[n] -> { A[i, j] -> B[k] : i < j and k = n and i = -k }",
    );
    check_map(&m.add_dims(DimKind::Out, 2).unwrap(), "[n] -> { A[i, j] -> B[k, l, m] : i < j and k = n }");
    check_map(&m.project_out_param("n", &budget()).unwrap(), "{ A[i, j] -> B[k] : i < j }");
    check_map(&m.project_onto_dims(DimKind::In, 1, 1, &budget()).unwrap(), "[n] -> { A[j] -> B[k] : k = n }");
    assert!(m.involves_dims(DimKind::In, 0, 1).unwrap());
    assert!(!map("{ [i, j] -> [k] : k > j }").involves_dims(DimKind::In, 0, 1).unwrap());
    let s = parse_set("{ [i, j] : i = 3 and 0 <= j <= 1 }").union(&parse_set("{ [i, j] : i = 3 and j = 6 }")).unwrap();
    assert_eq!(s.plain_fixed(DimKind::Out, 0), Ok(Some(Int::from(3))));
    assert_eq!(s.plain_fixed(DimKind::Out, 1), Ok(None));
    let bounded = parse_set("[n] -> { [i, j] : i <= 7 and i <= 9 and j <= n }");
    let bounded = bounded.union(&parse_set("[n] -> { [i, j] : i <= 8 and j <= i and j >= 20 }")).unwrap();
    assert_eq!(bounded.plain_upper_bound(DimKind::Out, 0), Ok(Some(Int::from(8))));
    assert_eq!(bounded.plain_upper_bound(DimKind::Out, 1), Ok(None));
    assert_eq!(
        parse_set("{ [i, j] : 5 <= 2i <= 7 and i <= j <= i + 1 }").fixed_value(DimKind::Out, 0, &budget()),
        Ok(Some(Int::from(3)))
    );
    assert_eq!(parse_set("{ [i, j] : 5 <= 2i <= 8 }").fixed_value(DimKind::Out, 0, &budget()), Ok(None));
    check_set(
        &parse_set("{ [i, j] : i < 5 and j < i and j > 2 }").overapproximate_without(DimKind::Out, 0, 1).unwrap(),
        "{ [i, j] : j > 2 }",
    );
    check_set(
        &parse_set("{ [i, j] : i < 5 and j < i and j > 2 }").overapproximate_with_only(DimKind::Out, 0, 1).unwrap(),
        "{ [i, j] : i < 5 and j < i }",
    );
    check_set(
        &parse_set("{ [i, j] : 0 <= 2i - j <= 1 and 3j = 2i }")
            .overapproximate_elimination(DimKind::Out, 0, 1, &budget())
            .unwrap()
            .intersect(&parse_set("{ [i, j] : i = 9 }"), &budget())
            .unwrap(),
        "{ [9, 0] }",
    );
    assert!(parse_set("[n] -> { [n] }").is_singleton(&budget()).unwrap());
    assert!(!parse_set("[n] -> { [i] : n <= i <= n + 1 }").is_singleton(&budget()).unwrap());
    assert!(
        Set::nonnegative_orthant(parse_set("[n] -> { A[i, j] }").space().clone())
            .is_equal(&parse_set("[n] -> { A[i, j] : i >= 0 and j >= 0 }"), &budget())
            .unwrap()
    );
    assert_eq!(parse_set("{ [i, j] }").split_dims(DimKind::Out, 0, 2).unwrap().conjunctions().len(), 4);
}

#[test]
fn identities_and_translations() {
    let identity = |text: &str| map(text).is_identity(&budget()).unwrap();
    assert!(identity("{ A[i] -> A[i] : 0 < i < 5 }"));
    assert!(identity("{ A[i] -> A[j] : i <= j and 2j <= 2i + 1 }"));
    assert!(!identity("{ A[i] -> B[i] }") && !identity("{ A[i] -> A[j] : i <= j <= i + 1 }"));
    let translation = |text: &str| map(text).is_translation(&budget()).unwrap();
    assert!(translation("{ [i] -> [i + 1] : i = 1 or i = 3 }") && translation("[n] -> { A[i] -> B[i + n] }"));
    assert!(!translation("{ [i] -> [2i] }") && !translation("{ [i] -> [j] : i < j < i + 3 }"));
    assert!(union_map("{ A[i] -> A[i]; B[] -> B[] }").is_identity(&budget()).unwrap());
    assert!(!union_map("{ A[i] -> A[i]; B[] -> A[0] }").is_identity(&budget()).unwrap());
}

#[test]
fn unions_combine_the_members_that_fit() {
    let budget = budget();
    let m = union_map("{ A[i] -> B[i]; [A[i] -> B[j]] -> [C[i] -> D[j]]; E[i] -> [[A[i] -> B[j]] -> C[j]] }");
    check_union_map(&m.zip().unwrap(), "{ [A[i] -> C[i]] -> [B[j] -> D[j]] }");
    check_union_map(&m.curry().unwrap(), "{ A[i] -> [B[j] -> [C[i] -> D[j]]] }");
    check_union_map(&m.uncurry().unwrap(), "{ [[A[i] -> B[j]] -> C[i]] -> D[j]; [E[i] -> [A[i] -> B[j]]] -> C[j] }");
    check_union_map(&m.range_curry().unwrap(), "{ E[i] -> [A[i] -> [B[j] -> C[j]]] }");
    check_union_map(&m.range_factor_domain(&budget).unwrap(), "{ [A[i] -> B[j]] -> C[i]; E[i] -> [A[i] -> B[j]] }");
    check_union_map(&m.domain_factor_range(&budget).unwrap(), "{ B[j] -> [C[i] -> D[j]] }");
    check_union_map(
        &union_map("{ A[i] -> B[i]; A[i] -> A[2i] }").domain_map().unwrap(),
        "{ [A[i] -> B[i]] -> A[i]; [A[i] -> A[2i]] -> A[i] }",
    );
    check_union_map(&union_map("{ A[i] -> B[i]; A[i] -> A[2i] }").deltas_map().unwrap(), "{ [A[i] -> A[2i]] -> A[i] }");
    check_union_set(
        &union_set("{ A[i]; B[i, j] }").product(&union_set("{ A[0]; C[1] }"), &budget).unwrap(),
        "{ [A[i] -> A[0]]; [A[i] -> C[1]]; [B[i, j] -> A[0]]; [B[i, j] -> C[1]] }",
    );
    check_union_map(
        &union_set("{ A[i] : i < 3; B[i, j] }")
            .lex_order(Lexicographic::Lt, &union_set("{ A[i] : i < 2; C[i] }"), &budget)
            .unwrap(),
        "{ A[i] -> A[j] : i < j < 2 }",
    );
    check_union_map(
        &union_map("{ A[i] -> [i, 0]; B[i, j] -> [i, j] }")
            .lex_order_of_images(Lexicographic::Ge, &union_map("{ A[i] -> [i, 0]; C[] -> [0] }"), &budget)
            .unwrap(),
        "{ A[i] -> A[j] : j <= i; B[i, j] -> A[k] : k < i or (k = i and j >= 0) }",
    );
    check_union_map(
        &union_map("{ A[i] -> B[i]; C[i] -> B[i] }").subtract_domain(&union_set("{ A[3]; D[] }"), &budget).unwrap(),
        "{ A[i] -> B[i] : i != 3; C[i] -> B[i] }",
    );
    check_union_map(
        &union_map("{ A[i] -> B[i]; C[i] -> D[i] }").subtract_range(&union_set("{ B[3]; A[i] }"), &budget).unwrap(),
        "{ A[i] -> B[i] : i != 3; C[i] -> D[i] }",
    );
    check_union_set(&union_set("{ A[i] : i > 3; B[] }").universe(), "{ A[i]; B[] }");
    check_union_map(
        &UnionMap::from_range(&union_set("{ A[i] : i > 3; B[] }")).unwrap(),
        "{ [] -> A[i] : i > 3; [] -> B[] }",
    );
    check_union_map(
        &union_map("{ A[i] -> B[i] }").product(&union_map("{ C[] -> D[]; C[] -> E[] }"), &budget).unwrap(),
        "{ [A[i] -> C[]] -> [B[i] -> D[]]; [A[i] -> C[]] -> [B[i] -> E[]] }",
    );
    check_union_map(
        &union_map("{ A[i] -> B[i] }").domain_product(&union_map("{ C[] -> B[4]; C[] -> E[] }"), &budget).unwrap(),
        "{ [A[4] -> C[]] -> B[4] }",
    );
    check_union_map(
        &m.intersect_range_factor_domain(&union_map("{ E[3] -> [A[i] -> B[j]]; A[i] -> B[i] }"), &budget).unwrap(),
        "{ E[3] -> [[A[3] -> B[j]] -> C[j]] }",
    );
    check_union_map(
        &union_map("[n, m] -> { A[i] -> B[i] : n < i < m; C[] -> D[] : n > m }")
            .project_out_param("n", &budget)
            .unwrap(),
        "[m] -> { A[i] -> B[i] : i < m; C[] -> D[] }",
    );
    assert!(
        union_set("{ A[i] : i > 3; B[] }").contains(parse_set("{ A[i] }").space(), &[Int::from(4)], &budget).unwrap()
    );
}

#[test]
fn points_become_sets() {
    let space = Space::set(&Space::params(&["n"]), "A", &["i"]);
    let points = [ints(&[0, 1]), ints(&[0, 2]), ints(&[4, 2])];
    let set = Set::from_points(&space, points.iter().map(Vec::as_slice)).unwrap();
    check_set(&set, "[n] -> { A[i] : (n = 0 and 1 <= i <= 2) or (n = 4 and i = 2) }");
    assert!(Set::from_point(&space, &ints(&[1])).is_err());
}

fn sample(n_in: usize, n_out: usize) -> impl Strategy<Value = Sample> {
    formula().prop_map(move |f| Sample::map(f, n_in, n_out))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn orders_of_images(a in sample(1, 2), b in sample(1, 2)) {
        let (x, y) = (a.to_bounded_map(), b.to_bounded_map());
        let lt = x.lex_order_of_images(Lexicographic::Lt, &y, &budget()).unwrap();
        let images = |s: &Sample, n: i64, p: i64| -> Vec<Vec<i64>> {
            box_points(2).into_iter().filter(|q| s.holds(&[n, p, q[0], q[1]])).collect()
        };
        for n in [LOW, 0, HIGH] {
            for p in LOW..=HIGH {
                for q in LOW..=HIGH {
                    let expected = images(&a, n, p).iter().any(|u| images(&b, n, q).iter().any(|v| u < v));
                    prop_assert_eq!(in_map(&lt, &[n, p, q]), expected, "{}", lt);
                }
            }
        }
    }

    #[test]
    fn sums_and_negations(a in sample(1, 1), b in sample(1, 1)) {
        let (x, y) = (a.to_bounded_map(), b.to_bounded_map());
        let sum = x.sum(&y, &budget()).unwrap();
        let neg = x.neg();
        for p in box_points(2) {
            for z in 2 * LOW..=2 * HIGH {
                let expected = (LOW..=HIGH).any(|u| (LOW..=HIGH).contains(&(z - u))
                    && a.holds(&[p[0], p[1], u]) && b.holds(&[p[0], p[1], z - u]));
                prop_assert_eq!(in_map(&sum, &[p[0], p[1], z]), expected);
                let negated = (LOW..=HIGH).contains(&-z) && a.holds(&[p[0], p[1], -z]);
                prop_assert_eq!(in_map(&neg, &[p[0], p[1], z]), negated);
            }
        }
    }

    #[test]
    fn structure_of_dimensions(a in sample(2, 2)) {
        let m = a.to_map();
        let moved = m.move_dims(DimKind::Out, 1, DimKind::In, 0, 1).unwrap();
        let disjoint = m.make_disjoint(&budget()).unwrap();
        let split = m.split_dims(DimKind::In, 0, 2).unwrap();
        for p in box_points(5).into_iter().step_by(7) {
            let expected = a.holds(&p);
            prop_assert_eq!(in_map(&moved, &[p[0], p[2], p[3], p[1], p[4]]), expected);
            prop_assert_eq!(in_map(&split, &p), expected);
            let count = disjoint.parts().filter(|part| in_map(part, &p)).count();
            prop_assert_eq!(count, usize::from(expected));
        }
        let wider = m.overapproximate_elimination(DimKind::In, 0, 1, &budget()).unwrap();
        prop_assert!(!wider.involves_dims(DimKind::In, 0, 1).unwrap());
        prop_assert!(m.is_subset(&wider, &budget()).unwrap());
        let bounded = a.to_bounded_map();
        let identity = box_points(5).iter().all(|p| !a.holds(p) || (p[1] == p[3] && p[2] == p[4]));
        let bounded = bounded.with_tuple_name(DimKind::Out, "A");
        prop_assert_eq!(bounded.is_identity(&budget()).unwrap(), identity);
    }
}
