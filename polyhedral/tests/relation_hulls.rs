//! Hulls and boundedness against their definitions, point by point over a small box, and by hand.

use crate::relation_support::*;
use proptest::prelude::*;
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::relation::{Set, UnionSet};
use tessera_polyhedral::space::DimKind;

fn set(dims: usize) -> impl Strategy<Value = Sample> {
    formula().prop_map(move |f| Sample::set(f, dims))
}

/// Whether an affine form with small coefficients and a modulus (zero: equality) vanishes on all points.
fn vanishes(points: &[Vec<i64>], form: &[i64], modulus: i64) -> bool {
    let value = |p: &Vec<i64>| form[0] + form[1..].iter().zip(p).map(|(c, x)| c * x).sum::<i64>();
    points.iter().all(|p| if modulus == 0 { value(p) == 0 } else { value(p).rem_euclid(modulus) == 0 })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn hulls_contain_everything(a in set(2), b in set(2)) {
        let whole = a.to_bounded_set().union(&b.to_bounded_set()).unwrap();
        let simple = whole.simple_hull(&budget()).unwrap();
        let unshifted = whole.unshifted_simple_hull(&budget()).unwrap();
        let polyhedral = whole.polyhedral_hull(&budget()).unwrap();
        let hulls = [
            whole.affine_hull(&budget()).unwrap(),
            whole.plain_unshifted_simple_hull(&budget()).unwrap(),
            whole.convex_hull(&budget()).unwrap(),
            whole.box_hull(&budget()).unwrap(),
            simple.clone(),
            unshifted.clone(),
            polyhedral.clone(),
        ];
        for hull in &hulls {
            prop_assert!(hull.conjunctions().len() <= 1);
            for p in box_points(3).iter().filter(|p| a.holds(p) || b.holds(p)) {
                prop_assert!(in_set(hull, p), "{:?} is not in {}", p, hull);
            }
        }
        prop_assert!(simple.is_subset(&unshifted, &budget()).unwrap());
        prop_assert!(polyhedral.conjunctions().iter().all(|c| c.n_local() == 0));
        let again = polyhedral.polyhedral_hull(&budget()).unwrap();
        prop_assert!(again.is_equal(&polyhedral, &budget()).unwrap());
    }

    #[test]
    fn the_affine_hull_is_the_smallest_coset(a in set(2)) {
        let points: Vec<Vec<i64>> = box_points(3).into_iter().filter(|p| a.holds(p)).collect();
        let whole = a.to_bounded_set();
        let hull = whole.affine_hull(&budget()).unwrap();
        prop_assert_eq!(hull.is_plainly_empty(), points.is_empty());
        // A form that vanishes on all points vanishes on the hull.
        for m in 0..81i64 {
            let form = [0, m % 3 - 1, m / 3 % 3 - 1, m / 9 % 3 - 1];
            for modulus in [0, 2, 3, 4] {
                let Some(p) = points.first() else { break };
                let constant = -(0..3).map(|i| form[i + 1] * p[i]).sum::<i64>();
                let form = [constant, form[1], form[2], form[3]];
                if vanishes(&points, &form, modulus) {
                    let inside: Vec<Vec<i64>> = box_points(3).into_iter().filter(|p| in_set(&hull, p)).collect();
                    prop_assert!(vanishes(&inside, &form, modulus), "{:?} mod {} on {}", form, modulus, hull);
                }
            }
        }
        let with = whole.detect_equalities(&budget()).unwrap();
        prop_assert!(with.is_equal(&whole, &budget()).unwrap());
    }

    #[test]
    fn the_box_hull_is_tight(a in set(2)) {
        let points: Vec<Vec<i64>> = box_points(3).into_iter().filter(|p| a.holds(p)).collect();
        let hull = a.to_bounded_set().box_hull(&budget()).unwrap();
        for p in box_points(3) {
            let range = |k: usize| points.iter().map(|q| q[k]).fold(None, |r: Option<(i64, i64)>, x| {
                Some(r.map_or((x, x), |(a, b)| (a.min(x), b.max(x))))
            });
            let expected = (1..3).all(|k| range(k).is_some_and(|(low, high)| low <= p[k] && p[k] <= high));
            prop_assert_eq!(in_set(&hull, &p), expected);
        }
    }

    #[test]
    fn bounded_sets_are_bounded(a in set(2)) {
        prop_assert!(a.to_bounded_set().is_bounded(&budget()).unwrap());
        let whole = a.to_set();
        let bounded = whole.is_bounded(&budget()).unwrap();
        let sides = [0, 1].iter().all(|&k| {
            whole.has_lower_bound(DimKind::Out, k, &budget()).unwrap()
                && whole.has_upper_bound(DimKind::Out, k, &budget()).unwrap()
        });
        prop_assert_eq!(bounded, sides);
    }

    #[test]
    fn approximations_without_divisions(a in set(2)) {
        let whole = a.to_set();
        let above = whole.overapproximate_divs(&budget()).unwrap();
        let below = whole.underapproximate_divs(&budget()).unwrap();
        for c in above.conjunctions().iter().chain(below.conjunctions()) {
            prop_assert_eq!(c.n_local(), 0);
        }
        for p in box_points(3) {
            prop_assert!(!a.holds(&p) || in_set(&above, &p), "{:?} is not in {}", p, above);
            prop_assert!(a.holds(&p) || !in_set(&below, &p), "{:?} is in {}", p, below);
        }
    }

    #[test]
    fn plain_disjointness_is_sound(a in set(2), b in set(2)) {
        let (x, y) = (a.to_set(), b.to_set());
        prop_assert!(!x.is_plainly_disjoint(&y) || x.is_disjoint(&y, &budget()).unwrap());
    }
}

/// One or two dimensions that are combinations of three bounded quantified variables, within a box.
fn lattice() -> impl Strategy<Value = String> {
    let coefficients = prop::array::uniform3(-6i64..7);
    let bounds = prop::array::uniform3((-3i64..4, 0i64..5));
    let cut = prop::option::of((-3i64..4, -3i64..4, -8i64..20));
    (coefficients.clone(), coefficients, bounds, cut, any::<bool>()).prop_map(|(a, b, bounds, cut, flat)| {
        let form = |c: [i64; 3]| format!("{}e + {}f + {}g", c[0], c[1], c[2]);
        let mut text = format!("i = {}", form(a));
        if !flat {
            text += &format!(" and j = {}", form(b));
        }
        for (name, (low, width)) in ["e", "f", "g"].iter().zip(bounds) {
            text += &format!(" and {low} <= {name} <= {}", low + width);
        }
        if let Some((x, y, c)) = cut {
            text += &if flat { format!(" and {x}i <= {c}") } else { format!(" and {x}i + {y}j <= {c}") };
        }
        format!("{{ [{}] : exists (e, f, g : {text}) }}", if flat { "i" } else { "i, j" })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// Every facet contains a point, so that a single dimension lies between its least and greatest value.
    #[test]
    fn facets_of_sets_with_existentials_are_tight(text in lattice()) {
        let set = parse_set(&text);
        let hull = set.polyhedral_hull(&budget()).unwrap();
        prop_assert!(set.is_subset(&hull, &budget()).unwrap(), "{} is not inside {}", set, hull);
        // Some are polyhedra without existentials, which are hulls of themselves.
        prop_assume!(set.conjunctions().iter().any(|c| c.n_local() > 0));
        let points = set.points(&budget()).unwrap();
        let value = |row: &[Int], p: &[Int]| p.iter().zip(&row[1..]).fold(row[0].clone(), |sum, (x, c)| sum + x * c);
        prop_assert_eq!(hull.conjunctions().is_empty(), points.is_empty());
        for c in hull.conjunctions() {
            prop_assert_eq!(c.n_local(), 0);
            for row in c.ineqs() {
                prop_assert!(points.iter().any(|p| value(row, p).is_zero()), "{:?} is loose in {} of {}", row, hull, set);
            }
        }
    }
}

#[test]
fn hulls_of_combinations_of_existentials() {
    let polyhedral = |s: &Set| s.polyhedral_hull(&budget()).unwrap();
    for (text, expected) in [
        ("{ B[j] : exists e, f : j = 5e + 3f and 2 <= e <= 6 and 0 <= f <= 3 and j < 12 }", "{ B[10] }"),
        ("{ [j] : exists e, f : j = 6e + 10f and 0 <= e, f <= 9 and 1 <= j <= 13 }", "{ [j] : 6 <= j <= 12 }"),
        (
            "{ [j] : exists e, f : j = 5e + 3f and 2 <= e <= 60 and 0 <= f <= 30 and j < 290 }",
            "{ [j] : 10 <= j <= 289 }",
        ),
        (
            "{ [i, j] : exists e : i = 2e and 0 <= j <= 9 and 1 <= i + 2j <= 3 }",
            "{ [i, j] : i + 2j = 2 and 0 <= j <= 9 }",
        ),
        ("{ [i] : exists e : 3e <= i <= 3e + 1 and 2 <= i <= 11 }", "{ [i] : 3 <= i <= 10 }"),
        ("{ [i, j] : i mod 4 = 1 and j mod 3 = 2 and 0 <= i, j <= 100 }", "{ [i, j] : 1 <= i <= 97 and 2 <= j <= 98 }"),
        ("[n] -> { [i] : exists e : i = 4e and 1 <= i <= 30 and n <= i }", "[n] -> { [i] : 4 <= i <= 28 and n <= i }"),
        ("{ [i] : exists e : i = 2e and i >= 1 }", "{ [i] : i >= 2 }"),
        ("{ [i] : exists e, f : i = 4e + 6f and i mod 8 = 3 and 0 <= i <= 99 }", "{ [i] : false }"),
    ] {
        hull(text, polyhedral, expected);
    }
}

fn hull(text: &str, f: impl Fn(&Set) -> Set, expected: &str) {
    let result = f(&parse_set(text));
    assert!(result.is_equal(&parse_set(expected), &budget()).unwrap(), "{text}: {result}");
}

#[test]
fn affine_hulls() {
    let affine = |s: &Set| s.affine_hull(&budget()).unwrap();
    for (text, expected) in [
        ("{ [i, j] : i = 3 and j = 2 or i = 7 and j = 8 }", "{ [i, j] : 2j = 3i - 5 and i mod 4 = 3 }"),
        ("{ [i] : exists e : i = 2e and 0 <= e <= 10 }", "{ [i] : i mod 2 = 0 }"),
        ("{ [i] : i mod 4 = 0 or i mod 4 = 2 }", "{ [i] : i mod 2 = 0 }"),
        ("{ [i] : i mod 4 = 1 or i mod 6 = 3 }", "{ [i] : i mod 2 = 1 }"),
        ("{ [i] : 2 <= 3i <= 5 }", "{ [1] }"),
        ("{ [i, j] : 2j <= i <= 2j + 1 and i mod 2 = 0 }", "{ [i, j] : i = 2j }"),
        ("{ [i] : exists a, b : i = 4a + 6b }", "{ [i] : i mod 2 = 0 }"),
        ("[n] -> { [i] : i mod 2 = n }", "[n] -> { [i] : (i + n) mod 2 = 0 }"),
        ("{ [i, j] : 0 <= i, j <= 3 }", "{ [i, j] }"),
        ("{ [i] : 3 <= 2i <= 3 }", "{ [i] : false }"),
    ] {
        hull(text, affine, expected);
    }
}

#[test]
fn simple_hulls() {
    let simple = |s: &Set| s.simple_hull(&budget()).unwrap();
    let unshifted = |s: &Set| s.unshifted_simple_hull(&budget()).unwrap();
    let text = "{ [i, j] : 0 <= i <= 10 and j = 0 or j = 5 and 2 <= i <= 3 }";
    hull(text, simple, "{ [i, j] : 0 <= i <= 10 and 0 <= j <= 5 }");
    hull(text, unshifted, "{ [i, j] : 0 <= i <= 10 and 0 <= j <= 5 }");
    let text = "[n] -> { [i, j] : i >= 0 and i + j <= 4 and j <= n or 2 <= i and i + j <= 6 and j <= n }";
    hull(text, simple, "[n] -> { [i, j] : i >= 0 and i + j <= 6 and j <= n }");
    hull(text, unshifted, "[n] -> { [i, j] : i >= 0 and i + j <= 6 and j <= n }");
    // Each of the two has a constraint that no constant moves far enough.
    hull("{ [i, j] : i >= 0 or j >= 0 }", simple, "{ [i, j] }");
    let strides = "{ [i] : i mod 4 = 0 and 0 <= i <= 8 or i mod 4 = 2 and 2 <= i <= 20 }";
    hull(strides, simple, "{ [i] : i mod 2 = 0 and 0 <= i <= 18 }");
    let from = parse_set("{ [i] : 2 <= i <= 3 or i = 9 }");
    let list = [parse_set("{ [i] : i >= 0 or i <= 7 }"), parse_set("{ [i] : i >= 4 or i <= 12 }")];
    let result = from.unshifted_simple_hull_from(&list, &budget()).unwrap();
    assert!(result.is_equal(&parse_set("{ [i] : 0 <= i <= 12 }"), &budget()).unwrap(), "{result}");
    let other = parse_set("{ A[i] : i >= 0 }");
    assert!(from.unshifted_simple_hull_from(&[other], &budget()).is_err());
}

#[test]
fn convex_hulls() {
    let polyhedral = |s: &Set| s.polyhedral_hull(&budget()).unwrap();
    let convex = |s: &Set| s.convex_hull(&budget()).unwrap();
    let text = "{ [i, j] : 0 <= i <= 10 and j = 0 or j = 5 and 2 <= i <= 3 }";
    let expected = "{ [i, j] : 0 <= j <= 5 and 2j <= 5i and 7j <= 50 - 5i }";
    hull(text, polyhedral, expected);
    hull(text, convex, expected);
    hull("{ [i, j] : i >= 0 and j = 0 or i = 0 and j = 1 }", polyhedral, "{ [i, j] : i >= 0 and 0 <= j <= 1 }");
    hull("{ [i] : i mod 4 = 1 and 5 <= i <= 20 or i = 2 }", polyhedral, "{ [i] : 2 <= i <= 17 }");
    hull("{ [i, j] : i = j or i = j + 3 }", polyhedral, "{ [i, j] : j <= i <= j + 3 }");
    // A cube from its corners.
    let corners = "{ [i, j, k] : (i = 0 or i = 2) and (j = 0 or j = 2) and (k = 0 or k = 2) }";
    hull(corners, polyhedral, "{ [i, j, k] : 0 <= i, j, k <= 2 }");
    let residues = parse_set("{ [i] : i mod 3 = 0 or i mod 3 = 1 }").convex_hull(&budget()).unwrap();
    assert!(!in_set(&residues, &[2]) && in_set(&residues, &[4]));
}

#[test]
fn approximations() {
    let above = |s: &Set| s.overapproximate_divs(&budget()).unwrap();
    let below = |s: &Set| s.underapproximate_divs(&budget()).unwrap();
    hull("{ [i] : exists e : i = 2e and 0 <= e <= 10 }", above, "{ [i] : 0 <= i <= 20 }");
    hull("{ [i, j] : 2 floor(i/3) + j >= 5 }", above, "{ [i, j] : 2i + 3j >= 15 }");
    hull("{ [i, j] : 2 floor(i/3) + j >= 5 }", below, "{ [i, j] : 2i + 3j >= 19 }");
    hull("{ [i] : i mod 2 = 0 }", below, "{ [i] : false }");
}

#[test]
fn boundedness() {
    for (text, expected) in [
        ("[n] -> { [i] : 0 <= i <= n }", true),
        ("[n] -> { [i] : i <= n }", false),
        ("{ [i, j] : 0 <= i <= 3 and j = 2i }", true),
        ("{ [i, j] : 0 <= i + j <= 3 }", false),
        ("{ [i] : exists e : i = 2e }", false),
        ("{ [i] : i >= 0 and 2i = 1 }", true),
        ("{ [i] : exists e : 0 <= i - 3e <= 1 and 0 <= e <= 5 }", true),
        ("{ [] }", true),
    ] {
        assert_eq!(parse_set(text).is_bounded(&budget()).unwrap(), expected, "{text}");
    }
    let set = parse_set("[n] -> { [i] : n <= i <= 7 }");
    assert!(set.has_upper_bound(DimKind::Out, 0, &budget()).unwrap());
    assert!(set.has_lower_bound(DimKind::Out, 0, &budget()).unwrap());
    assert!(set.has_upper_bound(DimKind::Param, 0, &budget()).unwrap());
    assert!(!set.has_lower_bound(DimKind::Param, 0, &budget()).unwrap());
    assert!(parse_set("{ [i, j] : 0 <= i <= 3 and j = 7 }").is_plainly_box());
    assert!(!parse_set("{ [i, j] : 0 <= i <= j <= 3 }").is_plainly_box());
}

#[test]
fn unions_over_spaces() {
    let union = UnionSet::parse("{ A[i] : i mod 4 = 0 or i mod 4 = 2; B[i] : i = 3 or i = 8 }", &budget()).unwrap();
    let affine = union.affine_hull(&budget()).unwrap();
    let expected = UnionSet::parse("{ A[i] : i mod 2 = 0; B[i] : i mod 5 = 3 }", &budget()).unwrap();
    assert!(affine.is_equal(&expected, &budget()).unwrap());
    assert!(!union.is_bounded(&budget()).unwrap());
    let simple = union.simple_hull(&budget()).unwrap();
    assert!(union.is_subset(&simple, &budget()).unwrap());
    assert!(
        union.polyhedral_hull(&budget()).unwrap().is_subset(&union.convex_hull(&budget()).unwrap(), &budget()).is_ok()
    );
}

#[test]
fn exhausted_budgets_are_errors() {
    let set = parse_set("{ [i, j] : 0 <= i <= 7 and i <= j or 2j = 3i and i >= 1 or i = 5 }");
    let small = tessera_polyhedral::budget::Budget::new(5);
    assert!(set.simple_hull(&small).is_err());
    assert!(set.convex_hull(&small).is_err());
    assert!(set.polyhedral_hull(&small).is_err());
    assert!(set.affine_hull(&small).is_err());
    assert!(set.is_bounded(&small).is_err());
}

/// A division of divisions whose own residue class the equalities fix, too: `S[7]` at `n = 2` is a point.
#[test]
fn strides_within_strides_stay_inside_the_simple_hull() {
    let set = parse_set(
        "[n] -> { S[i] : exists (a, b : 7 - i = 5a and 2a + 3n + 6 = 2b and (2b + i + 4) mod 4 = 3); S[i] : 3i < n + 10 }",
    );
    let hull = set.simple_hull(&budget()).unwrap();
    assert!(set.is_subset(&hull, &budget()).unwrap(), "{hull}");
}
