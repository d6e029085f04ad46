//! Numbers of points: known formulas, big sets, and random sets against the enumeration of a box.

use crate::relation_support::*;
use proptest::prelude::*;
use tessera_polyhedral::arith::{Int, Rational};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::error::Error;
use tessera_polyhedral::relation::{Map, Set, UnionMap, UnionSet};

fn card(text: &str) -> String {
    UnionSet::parse(text, &budget()).unwrap().card(&budget()).unwrap().to_string()
}

fn count(text: &str) -> String {
    parse_set(text).count(&budget()).unwrap().to_string()
}

#[test]
fn loop_nests_are_polynomials() {
    assert_eq!(card("[n] -> { S[i] : 0 <= i < n }"), "[n] -> { n : n >= 1 }");
    assert_eq!(card("[n] -> { S[i, j] : 0 <= i < n and 0 <= j <= i }"), "[n] -> { (1/2 * n + 1/2 * n^2) : n >= 1 }");
    assert_eq!(
        card("[n] -> { S[i, j, k] : 0 <= i < n and i <= j < n and j <= k < n }"),
        "[n] -> { (1/3 * n + 1/2 * n^2 + 1/6 * n^3) : n >= 1 }"
    );
    let tiles = parse_set("[n] -> { [t, i] : 32t <= i < 32t + 32 and 0 <= i < n }").card(&budget()).unwrap();
    for n in [-5, 0, 1, 31, 32, 33, 64, 1000] {
        assert_eq!(tiles.eval(&ints(&[n]), &budget()), Ok(Rational::from(n.max(0))));
    }
    assert_eq!(
        card("[n] -> { [t] : exists i : 32t <= i < 32t + 32 and 0 <= i < n }"),
        "[n] -> { floor((31 + n)/32) : n >= 1 }"
    );
    assert_eq!(
        card("[n, m] -> { S[i]: 0 <= i < n; T[i] : 0 <= i < n and n >= 0; U[] }"),
        "[n, m] -> { (1 + 2 * n) : n >= 1; 1 : n <= 0 }"
    );
    assert_eq!(card("{ S[i] : 0 <= i < 10 }"), "{ 10 }");
}

#[test]
fn images_are_counted_for_each_point() {
    let map = UnionMap::parse(
        "[n] -> { A[i] -> B[j] : 0 <= i <= j < n; A[i] -> C[] : 0 <= i < n; D[] -> B[j] : 0 <= j < n }",
        &budget(),
    );
    let text = map.unwrap().card(&budget()).unwrap().to_string();
    assert_eq!(text, "[n] -> { A[i] -> (1 + n - i) : 0 <= i < n; D[] -> n : n >= 1 }");
}

#[test]
fn big_sets_cost_what_their_shape_costs() {
    assert_eq!(count("{ [i, j] : 0 <= i < 1000000 and 0 <= j < 1000000 }"), "1000000000000");
    assert_eq!(count("{ [i, j, k] : 0 <= i <= j <= k < 1000000 }"), "166667166667000000");
    // (n + 1)(n + 2)/2 points.
    assert_eq!(count("{ [i, j] : i >= 0 and j >= 0 and i + j <= 1000000000 }"), "500000001500000001");
    assert_eq!(count("{ [i] : 0 <= i < 3000000000000 and i mod 3 = 1 }"), "1000000000000");
    assert_eq!(count("{ [i, j] : 0 <= i < 100000000000000000000 and 5j = i }"), "20000000000000000000");
    assert_eq!(count("{ [i, j] : 0 <= 3i <= 2j <= 10000000 and 5j <= 7i + 100000 }"), "2000080001");
}

#[test]
fn unbounded_sets_and_free_parameters_are_errors() {
    assert!(parse_set("{ [i] : i > 0 }").card(&budget()).is_err());
    assert!(parse_set("{ [i] : i > 0 }").points(&budget()).is_err());
    assert!(parse_set("[n] -> { [i] : 0 <= i < n }").count(&budget()).is_err());
    assert_eq!(parse_set("[n] -> { [i] : 0 <= i < n }").count_at(&[Int::from(7)], &budget()), Ok(Int::from(7)));
    assert!(parse_set("[n] -> { [i] : 0 <= i < n }").count_at(&[], &budget()).is_err());
    assert_eq!(parse_set("{ [i] : i > 0 and i < 0 }").count(&budget()), Ok(Int::zero()));
    assert_eq!(parse_set("{ [i, j] : 2i = 2j + 1 and i >= j }").count(&budget()), Ok(Int::zero()));
    let small = tessera_polyhedral::budget::Budget::new(10);
    assert!(parse_set("[n] -> { [i, j] : 0 <= i < n and 0 <= 3j <= i }").card(&small).is_err());
}

#[test]
fn points_come_in_order() {
    let set =
        parse_set("{ [i, j] : 0 <= i <= 2 and i <= 2j <= 3 }").union(&parse_set("{ [i, j] : i = 1 and 0 <= j <= 1 }"));
    let points = set.unwrap().points(&budget()).unwrap();
    let expected: Vec<Vec<Int>> = [[0, 0], [0, 1], [1, 0], [1, 1], [2, 1]].iter().map(|p| ints(p)).collect();
    assert_eq!(points, expected);
    let mut seen = 0;
    parse_set("{ [i] : 0 <= i < 1000000 }")
        .foreach_point(&budget(), |_| {
            seen += 1;
            Ok(seen < 5)
        })
        .unwrap();
    assert_eq!(seen, 5);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn counts_of_random_sets(f in formula(), g in formula()) {
        let (a, b) = (Sample::set(f, 2), Sample::set(g, 2));
        let set = a.to_bounded_set().union(&b.to_bounded_set()).unwrap();
        // Sums with many residue classes are long; for fixed parameters and point by point they are always counted.
        let counts = match set.card(&Budget::new(3_000_000)) {
            Err(Error::Exhausted(_)) => None,
            counts => Some(counts.unwrap()),
        };
        let mut points = Vec::new();
        for n in LOW..=HIGH {
            let found: Vec<Vec<i64>> = box_points(2)
                .iter()
                .map(|p| vec![n, p[0], p[1]])
                .filter(|p| a.holds(p) || b.holds(p))
                .collect();
            if let Some(counts) = &counts {
                let value = counts.eval(&ints(&[n]), &budget()).unwrap();
                prop_assert_eq!(value, Rational::from(found.len() as i64), "n = {} in {}", n, counts);
            }
            prop_assert_eq!(set.count_at(&ints(&[n]), &budget()).unwrap(), Int::from(found.len() as i64));
            points.extend(found.iter().map(|p| ints(p)));
        }
        prop_assert_eq!(set.points(&budget()).unwrap(), points);
    }

    #[test]
    fn images_of_random_maps(f in formula()) {
        let a = Sample::map(f, 1, 2);
        let counts = a.to_bounded_map().card(&budget()).unwrap();
        for p in box_points(2) {
            let expected = box_points(2).iter().filter(|q| a.holds(&[p[0], p[1], q[0], q[1]])).count();
            prop_assert_eq!(counts.eval(&ints(&p), &budget()).unwrap(), Rational::from(expected as i64), "{:?} in {}", p, counts);
        }
    }

    /// Loop nests with two parameters: every bound is the least (greatest) of affine expressions, with strides and
    /// divisions.
    #[test]
    fn loop_nests(bounds in prop::collection::vec((-2i64..3, -2i64..3, -3i64..4, 1i64..4), 6), stride in 1i64..4) {
        let text = |k: usize, names: &str| {
            let (a, b, c, d) = bounds[k];
            let vars: Vec<&str> = names.split(' ').collect();
            (format!("{a}{} + {b}{} + {c}", vars[0], vars[1]), d)
        };
        let (l1, _) = text(0, "n m");
        let (u1, d1) = text(1, "n m");
        let (l2, d2) = text(2, "i n");
        let (u2, d3) = text(3, "i m");
        let set = parse_set(&format!(
            "[n, m] -> {{ [i, j] : 0 <= i and i <= n + 5 and {l1} <= i and {d1}i <= {u1} + 6 and 0 <= j <= m + i and
              {l2} <= {d2}j and {d3}j <= {u2} and i mod {stride} = 0 }}"
        ));
        let counts = set.card(&budget()).unwrap();
        let value = |k: usize, x: i64, y: i64| bounds[k].0 * x + bounds[k].1 * y + bounds[k].2;
        for n in -3..12 {
            for m in -3..8 {
                let mut expected = 0;
                for i in 0..=n + 5 {
                    for j in 0..=m + i {
                        let inside = value(0, n, m) <= i && d1 * i <= value(1, n, m) + 6
                            && value(2, i, n) <= d2 * j && d3 * j <= value(3, i, m) && i % stride == 0;
                        expected += i64::from(inside);
                    }
                }
                let found = counts.eval(&ints(&[n, m]), &budget()).unwrap();
                prop_assert_eq!(found, Rational::from(expected), "{:?} in {}: {}", (n, m), set, counts);
            }
        }
    }
}

#[test]
fn cardinalities_are_read_as_functions_of_the_domain() {
    let map = Map::parse("[n] -> { A[i] -> B[j, k] : 0 <= i < n and i <= j < n and 0 <= k < 3 }", &budget()).unwrap();
    let counts = map.card(&budget()).unwrap();
    assert_eq!(counts.space(), &map.space().domain());
    assert_eq!(counts.to_string(), "[n] -> { A[i] -> (3 * n - 3 * i) : 0 <= i < n }");
    assert_eq!(counts.eval(&ints(&[10, 4]), &budget()), Ok(Rational::from(18)));
    assert_eq!(counts.eval(&ints(&[10, 12]), &budget()), Ok(Rational::zero()));
    assert!(counts.eval(&ints(&[10]), &budget()).is_err());
    let twice = counts.add(&counts, &budget()).unwrap();
    assert_eq!(twice.eval(&ints(&[10, 4]), &budget()), Ok(Rational::from(36)));
    let empty = Set::parse("[n] -> { A[i] : false }", &budget()).unwrap().card(&budget()).unwrap();
    assert!(empty.is_zero());
}
