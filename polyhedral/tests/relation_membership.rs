//! Every operation on sets and maps against its definition, point by point over a small box, for random formulas with
//! parameters, divisions, negations and quantifiers.

use crate::relation_support::*;
use proptest::prelude::*;
use tessera_polyhedral::affine::Aff;
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::lp::IntOptimum;
use tessera_polyhedral::relation::{Map, Set};
use tessera_polyhedral::space::{DimKind, Space};

fn set(dims: usize) -> impl Strategy<Value = Sample> {
    formula().prop_map(move |f| Sample::set(f, dims))
}

fn map(n_in: usize, n_out: usize) -> impl Strategy<Value = Sample> {
    formula().prop_map(move |f| Sample::map(f, n_in, n_out))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn reading_means_what_it_says(s in set(2)) {
        let read = s.to_set();
        for p in box_points(3) {
            prop_assert_eq!(in_set(&read, &p), s.holds(&p), "at {:?} in {}", p, read);
        }
    }

    #[test]
    fn boolean_operations(a in set(2), b in set(2)) {
        let (x, y) = (a.to_set(), b.to_set());
        let union = x.union(&y).unwrap();
        let both = x.intersect(&y, &budget()).unwrap();
        let difference = x.subtract(&y, &budget()).unwrap();
        let complement = x.complement(&budget()).unwrap();
        for p in box_points(3) {
            let (in_a, in_b) = (a.holds(&p), b.holds(&p));
            prop_assert_eq!(in_set(&union, &p), in_a || in_b);
            prop_assert_eq!(in_set(&both, &p), in_a && in_b);
            prop_assert_eq!(in_set(&difference, &p), in_a && !in_b, "at {:?}: {}", p, difference);
            prop_assert_eq!(in_set(&complement, &p), !in_a);
        }
    }

    #[test]
    fn simplifications_keep_the_points(a in set(2), b in set(2)) {
        let whole = a.to_set().union(&b.to_set()).unwrap();
        let results = [
            whole.coalesce(&budget()).unwrap(),
            whole.remove_redundancies(&budget()).unwrap(),
            whole.make_divs_explicit(&budget()).unwrap(),
        ];
        prop_assert!(results[0].conjunctions().len() <= whole.conjunctions().len());
        prop_assert!(results[2].conjunctions().iter().all(|c| c.has_only_known_divs()));
        let hull = whole.overapproximate_hull(&budget()).unwrap();
        let wider = whole.overapproximate_existentials(&budget()).unwrap();
        prop_assert!(hull.conjunctions().len() <= 1);
        for p in box_points(3) {
            let expected = a.holds(&p) || b.holds(&p);
            for result in &results {
                prop_assert_eq!(in_set(result, &p), expected, "at {:?} in {}", p, result);
            }
            prop_assert!(!expected || (in_set(&hull, &p) && in_set(&wider, &p)));
        }
    }

    #[test]
    fn gist_agrees_inside_the_context(a in set(2), b in set(2), c in set(2)) {
        let context = b.to_set().union(&c.to_set()).unwrap();
        let gist = a.to_set().gist(&context, &budget()).unwrap();
        for p in box_points(3) {
            if b.holds(&p) || c.holds(&p) {
                prop_assert_eq!(in_set(&gist, &p), a.holds(&p), "at {:?}: {}", p, gist);
            }
        }
    }

    #[test]
    fn tests_of_bounded_sets(a in set(2), b in set(2)) {
        let (x, y) = (a.to_bounded_set(), b.to_bounded_set());
        let all = box_points(3);
        let empty = !all.iter().any(|p| a.holds(p));
        prop_assert_eq!(x.is_empty(&budget()).unwrap(), empty);
        prop_assert_eq!(x.is_subset(&y, &budget()).unwrap(), all.iter().all(|p| !a.holds(p) || b.holds(p)));
        prop_assert_eq!(x.is_equal(&y, &budget()).unwrap(), all.iter().all(|p| a.holds(p) == b.holds(p)));
        prop_assert_eq!(x.is_disjoint(&y, &budget()).unwrap(), !all.iter().any(|p| a.holds(p) && b.holds(p)));
        match x.sample(&budget()).unwrap() {
            None => prop_assert!(empty),
            Some(point) => {
                let point: Vec<i64> = point.iter().map(|v| v.to_i64().unwrap()).collect();
                prop_assert!(a.holds(&point));
            }
        }
    }

    #[test]
    fn projection(a in set(3)) {
        let projected = a.to_bounded_set().project_out(DimKind::Out, 1, 1, &budget()).unwrap();
        let params = a.to_bounded_set().params(&budget()).unwrap();
        let forgotten = a.to_bounded_set().forget_dims(DimKind::Out, 0, 2, &budget()).unwrap();
        let whole = a.to_set();
        prop_assert_eq!(forgotten.space(), whole.space());
        for p in box_points(3) {
            let expected = (LOW..=HIGH).any(|x| a.holds(&[p[0], p[1], x, p[2]]));
            prop_assert_eq!(in_set(&projected, &p), expected, "at {:?} in {}", p, projected);
        }
        for p in box_points(2) {
            let expected = box_points(2).iter().any(|q| a.holds(&[p[0], q[0], q[1], p[1]]));
            prop_assert_eq!(in_set(&forgotten, &[p[0], 77, -77, p[1]]), expected, "{}", forgotten);
        }
        for n in LOW..=HIGH {
            prop_assert_eq!(in_set(&params, &[n]), box_points(3).iter().any(|q| a.holds(&[n, q[0], q[1], q[2]])));
        }
    }

    #[test]
    fn bounds_of_functions(a in set(2), c in prop::array::uniform3(-3i64..4), d in 1i64..4) {
        let s = a.to_bounded_set();
        let space = s.space().clone();
        let aff = Aff::from_row(space, c.iter().map(|&x| Int::from(x)).collect::<Vec<_>>(), Int::one());
        let aff = aff.add(&Aff::var(s.space().clone(), 1).unwrap().scale(&Int::from(c[2])).floor_div(&Int::from(d))).unwrap();
        let value = |p: &[i64]| c[0] + c[1] * p[0] + c[2] * p[1] + (c[2] * p[2]).div_euclid(d);
        let values: Vec<i64> = box_points(3).iter().filter(|p| a.holds(p)).map(|p| value(p)).collect();
        let expected = |v: Option<&i64>| v.map_or(IntOptimum::Empty, |&v| IntOptimum::Bounded(Int::from(v)));
        prop_assert_eq!(s.min_aff(&aff, &budget()).unwrap(), expected(values.iter().min()));
        prop_assert_eq!(s.max_aff(&aff, &budget()).unwrap(), expected(values.iter().max()));
    }

    #[test]
    fn domain_range_reverse(a in map(1, 2)) {
        let m = a.to_bounded_map();
        let (domain, range, reverse) = (m.domain(&budget()).unwrap(), m.range(&budget()).unwrap(), m.reverse());
        for p in box_points(2) {
            prop_assert_eq!(in_set(&domain, &p), box_points(2).iter().any(|q| a.holds(&[p[0], p[1], q[0], q[1]])));
        }
        for p in box_points(3) {
            prop_assert_eq!(in_set(&range, &p), (LOW..=HIGH).any(|x| a.holds(&[p[0], x, p[1], p[2]])));
        }
        for p in box_points(4) {
            prop_assert_eq!(in_map(&reverse, &[p[0], p[2], p[3], p[1]]), a.holds(&p));
        }
        let single = box_points(2).iter().all(|p| {
            box_points(2).iter().filter(|q| a.holds(&[p[0], p[1], q[0], q[1]])).count() <= 1
        });
        prop_assert_eq!(m.is_single_valued(&budget()).unwrap(), single);
    }

    #[test]
    fn composition(a in map(1, 1), b in map(1, 1)) {
        let second = b.to_bounded_map().with_tuple_name(DimKind::In, "B").with_tuple_name(DimKind::Out, "C");
        let composed = a.to_bounded_map().apply_range(&second, &budget()).unwrap();
        for p in box_points(3) {
            let expected = (LOW..=HIGH).any(|y| a.holds(&[p[0], p[1], y]) && b.holds(&[p[0], y, p[2]]));
            prop_assert_eq!(in_map(&composed, &p), expected, "at {:?} in {}", p, composed);
        }
        let image = a.to_bounded_map().range(&budget()).unwrap().apply(&second, &budget()).unwrap();
        prop_assert!(image.is_equal(&composed.range(&budget()).unwrap(), &budget()).unwrap());
    }

    #[test]
    fn restriction_and_products(a in map(1, 1), b in map(1, 1), s in set(1)) {
        let (x, y) = (a.to_map(), b.to_map());
        let inner = x.intersect_domain(&s.to_set(), &budget()).unwrap();
        let target = s.to_set().with_tuple_name(DimKind::Out, "B");
        let outer = x.intersect_range(&target, &budget()).unwrap();
        let fewer = x.subtract_range(&target, &budget()).unwrap();
        let pairs = x.range_product(&y, &budget()).unwrap();
        for p in box_points(3) {
            prop_assert_eq!(in_map(&inner, &p), a.holds(&p) && s.holds(&p[..2]));
            prop_assert_eq!(in_map(&outer, &p), a.holds(&p) && s.holds(&[p[0], p[2]]));
            prop_assert_eq!(in_map(&fewer, &p), a.holds(&p) && !s.holds(&[p[0], p[2]]));
        }
        for p in box_points(4) {
            prop_assert_eq!(in_map(&pairs, &p), a.holds(&p[..3]) && b.holds(&[p[0], p[1], p[3]]));
        }
        prop_assert!(pairs.range_factor_domain(&budget()).unwrap().is_subset(&x, &budget()).unwrap());
        prop_assert!(pairs.uncurry().unwrap().curry().unwrap().is_plainly_equal(&pairs));
        prop_assert!(pairs.wrap().unwrap().unwrap().is_plainly_equal(&pairs));
    }

    #[test]
    fn differences(a in map(2, 2)) {
        let m = a.to_bounded_map().with_tuple_name(DimKind::Out, "A");
        let deltas = m.deltas(&budget()).unwrap();
        for n in [LOW, 0, HIGH] {
            for d in points(2, -2, 2) {
                let expected = box_points(2).iter().any(|p| {
                    let q = [p[0] + d[0], p[1] + d[1]];
                    q.iter().all(|x| (LOW..=HIGH).contains(x)) && a.holds(&[n, p[0], p[1], q[0], q[1]])
                });
                prop_assert_eq!(in_set(&deltas, &[n, d[0], d[1]]), expected, "at {:?} in {}", d, deltas);
            }
        }
    }
}

#[test]
fn lexicographic_orders() {
    let space = Space::set(&Space::params::<&str>(&[]), "", &["i", "j"]);
    let maps = [Map::lex_lt(&space), Map::lex_le(&space), Map::lex_gt(&space), Map::lex_ge(&space)].map(Result::unwrap);
    for p in points(4, 0, 2) {
        let (x, y) = (&p[..2], &p[2..]);
        let expected = [x < y, x <= y, x > y, x >= y];
        for (map, expected) in maps.iter().zip(expected) {
            assert_eq!(in_map(map, &p), expected, "{p:?} in {map}");
        }
    }
}

#[test]
fn operations_on_different_tuples_are_errors() {
    let (a, b) = (parse_set("{ A[i] : i > 0 }"), parse_set("{ B[i] : i > 0 }"));
    assert!(a.union(&b).is_err());
    assert!(a.intersect(&b, &budget()).is_err());
    assert!(a.subtract(&b, &budget()).is_err());
    assert!(!a.is_equal(&b, &budget()).unwrap());
    assert!(a.is_disjoint(&b, &budget()).unwrap());
    assert!(a.project_out(DimKind::Out, 1, 1, &budget()).is_err());
    assert!(a.fix(DimKind::Param, 0, &Int::zero()).is_err());
    assert!(a.unwrap().is_err());
    let message = a.union(&b).unwrap_err().to_string();
    assert_eq!(message, "cannot form the union: the spaces { A[i] } and { B[i] } do not match");
}

#[test]
fn an_exhausted_budget_is_an_error() {
    let s = parse_set("{ [i, j] : 0 <= i <= 9 and i <= 3j <= 2i + 7 }");
    let small = tessera_polyhedral::budget::Budget::new(3);
    assert!(s.complement(&small).is_err());
}

#[test]
fn parameters_are_aligned_by_name() {
    let (a, b) = (parse_set("[n, m] -> { A[i] : n <= i <= m }"), parse_set("[m, k] -> { A[i] : i = m + k }"));
    let both = a.intersect(&b, &budget()).unwrap();
    assert_eq!(both.space().param_names().join(" "), "n m k");
    assert!(in_set(&both, &[0, 3, -1, 2]));
    assert!(!in_set(&both, &[0, 3, 1, 4]));
    let reordered = both.align_params(&Space::params(&["k", "z"]));
    assert_eq!(reordered.space().param_names().join(" "), "k z n m");
    assert!(reordered.drop_unused_params().is_equal(&both, &budget()).unwrap());
}

#[test]
fn strides_survive_projection() {
    let tiles = parse_set("{ [t, i] : 32t <= i < 32t + 32 and 0 <= i < 1000 }");
    assert_eq!(tiles.project_out(DimKind::Out, 1, 1, &budget()).unwrap().to_string(), "{ [t] : 0 <= t <= 31 }");
    assert_eq!(tiles.project_out(DimKind::Out, 0, 1, &budget()).unwrap().to_string(), "{ [i] : 0 <= i <= 999 }");
    let even = parse_set("{ [i] : exists e : i = 2e }");
    assert_eq!(even.complement(&budget()).unwrap().to_string(), "{ [i] : (i) mod 2 = 1 }");
}

#[test]
fn coalescing_merges_adjacent_pieces() {
    for (pieces, expected) in [
        ("{ [i] : 0 <= i < 10 or 10 <= i < 20 or i = 20 }", "{ [i] : 0 <= i <= 20 }"),
        ("{ [i] : i mod 2 = 0 or i mod 2 = 1 }", "{ [i] }"),
        ("{ [i, j] : 0 <= i < 4 and j = 0 or 0 <= i < 4 and j = 1 }", "{ [i, j] : 0 <= i <= 3 and 0 <= j <= 1 }"),
        ("{ [i] : i > 3 or i > 5 }", "{ [i] : i >= 4 }"),
    ] {
        assert_eq!(parse_set(pieces).coalesce(&budget()).unwrap().to_string(), expected);
    }
}

#[test]
fn universe_and_empty() {
    let space = Space::set(&Space::params(&["n"]), "A", &["i"]);
    assert!(Set::universe(space.clone()).is_plainly_universe());
    assert!(Set::empty(space.clone()).is_plainly_empty());
    assert!(Set::universe(space.clone()).complement(&budget()).unwrap().is_plainly_empty());
    assert!(Set::empty(space.clone()).complement(&budget()).unwrap().is_plainly_universe());
    assert_eq!(Set::empty(space).to_string(), "[n] -> { A[i] : false }");
}
