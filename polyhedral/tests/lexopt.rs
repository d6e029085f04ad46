//! Lexicographic and parametric optima against their definition, point by point over a small box, for random formulas
//! with parameters, divisions, negations and quantifiers; and cases worked out by hand.

use crate::relation_support::*;
use proptest::prelude::*;
use tessera_polyhedral::Error;
use tessera_polyhedral::affine::{MultiAff, PwAff, PwMultiAff};
use tessera_polyhedral::arith::{Int, Rational};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::lp::{IntOptimum, Optimum};
use tessera_polyhedral::relation::{Map, Set, UnionMap};

fn map(text: &str) -> Map {
    Map::parse(text, &budget()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn pw(text: &str) -> PwAff {
    PwAff::parse(text, &budget()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// A random relation with one parameter, one domain dimension and two range dimensions in the box.
fn sample() -> impl Strategy<Value = Sample> {
    formula().prop_map(|f| Sample::map(f, 1, 2))
}

fn in_box(s: &Sample) -> Map {
    let range = format!("{{ B[a, b] : {LOW} <= a <= {HIGH} and {LOW} <= b <= {HIGH} }}");
    s.to_map().intersect_range(&parse_set(&range), &budget()).unwrap()
}

/// The images of a domain point `[n, i]` in lexicographic order.
fn images(s: &Sample, at: &[i64]) -> Vec<Vec<i64>> {
    box_points(2).into_iter().filter(|p| s.holds(&[at, p].concat())).collect()
}

fn value(function: &PwMultiAff, at: &[i64]) -> Option<Vec<Int>> {
    function.eval(&ints(at), &budget()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn lexicographic_optima_are_the_extreme_images(s in sample()) {
        let m = in_box(&s);
        let (least, greatest) = (m.lexmin(&budget()).unwrap(), m.lexmax(&budget()).unwrap());
        let functions = [m.lexmin_pw_multi_aff(&budget()).unwrap(), m.lexmax_pw_multi_aff(&budget()).unwrap()];
        for at in box_points(2) {
            let images = images(&s, &at);
            for (k, optimum) in [&least, &greatest].into_iter().enumerate() {
                let expected = if k == 0 { images.first() } else { images.last() };
                for p in box_points(2) {
                    let is_optimum = expected == Some(&p);
                    prop_assert_eq!(in_map(optimum, &[&at[..], &p].concat()), is_optimum, "{:?} {:?} {}", at, p, optimum);
                }
                prop_assert_eq!(value(&functions[k], &at), expected.map(|p| ints(p)), "{:?}", at);
                // Disjoint pieces.
                let n = functions[k].pieces().iter().filter(|(set, _)| in_set(set, &at)).count();
                prop_assert_eq!(n, usize::from(expected.is_some()));
            }
        }
    }

    #[test]
    fn a_partial_optimum_says_where_there_is_none(s in sample(), d in formula()) {
        let m = in_box(&s);
        let domain = Sample::set(d, 1);
        let (optimum, rest) = m.partial_lexmin(&domain.to_set(), &budget()).unwrap();
        for at in box_points(2) {
            let images = images(&s, &at);
            let wanted = domain.holds(&at);
            prop_assert_eq!(in_set(&rest, &at), wanted && images.is_empty());
            for p in &images {
                let is_optimum = wanted && images.first() == Some(p);
                prop_assert_eq!(in_map(&optimum, &[&at[..], p].concat()), is_optimum);
            }
        }
    }

    #[test]
    fn extreme_values_of_dimensions(s in sample()) {
        let m = in_box(&s);
        let (least, greatest) = (m.dim_min(1, &budget()).unwrap(), m.dim_max(1, &budget()).unwrap());
        let set = Sample::set(s.formula.clone(), 2);
        let bounded = set.to_bounded_set();
        let of_set = bounded.dim_max(1, &budget()).unwrap();
        for at in box_points(2) {
            let values: Vec<i64> = images(&s, &at).iter().map(|p| p[1]).collect();
            prop_assert_eq!(least.eval(&ints(&at), &budget()).unwrap(), values.iter().min().map(|&x| Int::from(x)));
            prop_assert_eq!(greatest.eval(&ints(&at), &budget()).unwrap(), values.iter().max().map(|&x| Int::from(x)));
        }
        for n in LOW..=HIGH {
            let inside = box_points(2).into_iter().filter(|p| set.holds(&[&[n], &p[..]].concat()));
            let greatest = inside.map(|p| Int::from(p[1])).max();
            prop_assert_eq!(of_set.eval(&ints(&[n]), &budget()).unwrap(), greatest);
        }
    }

    #[test]
    fn extreme_values_of_functions(s in formula(), c in -4i64..5) {
        let sample = Sample::set(s, 2);
        let set = sample.to_bounded_set();
        let text = format!("[n] -> {{ A[i, j] -> [({c} * i + floor((n + j)/2))] : i >= j; A[i, j] -> [(j - {c})] : i < j }}");
        let f = pw(&text);
        let of = |p: &[i64]| if p[1] >= p[2] { c * p[1] + (p[0] + p[2]).div_euclid(2) } else { p[2] - c };
        let least = set.parametric_min(&f, &budget()).unwrap();
        let greatest = set.parametric_max(&f, &budget()).unwrap();
        let mut all = Vec::new();
        for n in LOW..=HIGH {
            let points = box_points(2).into_iter().map(|p| [&[n], &p[..]].concat()).filter(|p| sample.holds(p));
            let values: Vec<Int> = points.map(|p| Int::from(of(&p))).collect();
            prop_assert_eq!(least.eval(&ints(&[n]), &budget()).unwrap(), values.iter().min().cloned());
            prop_assert_eq!(greatest.eval(&ints(&[n]), &budget()).unwrap(), values.iter().max().cloned());
            all.extend(values);
        }
        let optimum = |value: Option<&Int>| value.map_or(IntOptimum::Empty, |v| IntOptimum::Bounded(v.clone()));
        prop_assert_eq!(set.min_pw_aff(&f, &budget()).unwrap(), optimum(all.iter().min()));
        prop_assert_eq!(set.max_pw_aff(&f, &budget()).unwrap(), optimum(all.iter().max()));
    }

    #[test]
    fn comparisons_at_images(s in formula()) {
        let m = Map::parse(&Sample::map(s.clone(), 1, 1).bounded_text().replace("B[", "A["), &budget()).unwrap();
        let f = MultiAff::parse("[n] -> { A[i] -> [(i mod 3), (i)] }", &budget()).unwrap();
        let f = PwMultiAff::from_multi_aff(f);
        let less = m.lex_lt_at(&f, &budget()).unwrap();
        let greater_or_equal = m.lex_ge_at(&f, &budget()).unwrap();
        let key = |i: i64| (i.rem_euclid(3), i);
        for p in box_points(3) {
            let holds = Sample::map(s.clone(), 1, 1).holds(&p);
            prop_assert_eq!(in_map(&less, &p), holds && key(p[1]) < key(p[2]));
            prop_assert_eq!(in_map(&greater_or_equal, &p), holds && key(p[1]) >= key(p[2]));
        }
    }
}

/// Checks an optimum of a set with parameters against enumeration.
fn check_set(text: &str, n_params: usize, params: (i64, i64), dims: (i64, i64)) {
    let set = parse_set(text);
    let (least, greatest) = (set.lexmin_pw_multi_aff(&budget()).unwrap(), set.lexmax_pw_multi_aff(&budget()).unwrap());
    let n = set.space().n_col() - 1 - n_params;
    for at in points(n_params, params.0, params.1) {
        let inside: Vec<Vec<i64>> =
            points(n, dims.0, dims.1).into_iter().filter(|p| in_set(&set, &[&at[..], p].concat())).collect();
        assert_eq!(value(&least, &at), inside.first().map(|p| ints(p)), "{text} at {at:?}");
        assert_eq!(value(&greatest, &at), inside.last().map(|p| ints(p)), "{text} at {at:?}");
    }
}

#[test]
fn the_example_of_feautrier() {
    // Two bounded variables with 2i + j fixed: the introductory example of parametric integer programming.
    let text = "[k, m, n] -> { [i, j] : 0 <= i <= m and 0 <= j <= n and 2i + j = 2m + n - k }";
    check_set(text, 3, (-1, 5), (0, 5));
}

#[test]
fn integer_programs_that_need_cuts() {
    check_set(
        "[n] -> { [x, y] : 3x + 5y >= n and 7x - 2y <= n and 0 <= x <= 12 and 0 <= y <= 12 }",
        1,
        (-3, 30),
        (0, 12),
    );
    check_set(
        "[n] -> { [x] : exists a, b : x = 6a + 10b - 15 and 0 <= a <= n and 0 <= b and x <= n + 3 }",
        1,
        (-2, 12),
        (-15, 15),
    );
    check_set(
        "[n, m] -> { [x] : exists e : 4x <= 3n - 2e + 1 and 3e >= m - x and 2e <= n and 0 <= x <= 9 }",
        2,
        (-2, 9),
        (0, 9),
    );
    check_set("[n] -> { [x, y] : 2x + 3y = n and 4x - y >= 3 and 0 <= y <= 9 and x <= 9 }", 1, (-5, 30), (-9, 9));
}

#[test]
fn existentials_without_bounds() {
    // With u = a - c and v = b - 2c the first set is the second: its cross-sections are triangles, with or without
    // points.
    let strip = "[n] -> { [x] : 0 <= x <= 9 and exists (a, b, c : 5a + 2b - 9c >= n + x and -3a + 4b - 5c >= 2 - x \
                 and -2a - 7b + 16c >= -9) }";
    let triangle = "[n] -> { [x] : 0 <= x <= 9 and exists (u, v : 5u + 2v >= n + x and -3u + 4v >= 2 - x \
                    and -2u - 7v >= -9) }";
    let (strip, triangle) = (parse_set(strip), parse_set(triangle));
    let (a, b) = (strip.lexmin(&budget()).unwrap(), triangle.lexmin(&budget()).unwrap());
    assert!(a.is_equal(&b, &budget()).unwrap());
    for n in -12..8 {
        let least = (0..=9).find(|&x| {
            let holds = |p: &Vec<i64>| {
                let (u, v) = (p[0], p[1]);
                5 * u + 2 * v >= n + x && -3 * u + 4 * v >= 2 - x && -2 * u - 7 * v >= -9
            };
            points(2, -20, 20).iter().any(holds)
        });
        for x in 0..=9 {
            assert_eq!(in_set(&a, &[n, x]), least == Some(x), "{n} {x}");
        }
    }
}

#[test]
fn simple_optima_are_one_piece() {
    let cases = [
        ("[n] -> { [i, j] : 0 <= i < n and i < j < n }", "[n] -> { [0, 1] : n >= 2 }"),
        ("[n] -> { [i, j] : 0 <= i < n and 0 <= j <= i }", "[n] -> { [0, 0] : n >= 1 }"),
        ("{ S[i, j] : 2 <= i < 10 and i + j = 12 }", "{ S[2, 10] }"),
    ];
    for (text, expected) in cases {
        let least = parse_set(text).lexmin(&budget()).unwrap();
        assert!(least.is_equal(&parse_set(expected), &budget()).unwrap(), "{least}");
        assert_eq!(least.conjunctions().len(), 1, "{least}");
    }
    let last = map("[n] -> { R[t, i] -> W[s, k] : 0 <= s < t and 0 <= k < n and i - 1 <= k <= i + 1 }");
    let last = last.lexmax_pw_multi_aff(&budget()).unwrap();
    assert_eq!(last.pieces().len(), 2, "the last write is at i + 1 or at n - 1");
}

#[test]
fn unions_take_the_better_value() {
    let set = parse_set("[M] -> { [0]; [i] : 0 <= i <= M }");
    let greatest = set.lexmax_pw_multi_aff(&budget()).unwrap();
    for m in -3..5 {
        assert_eq!(value(&greatest, &[m]), Some(ints(&[m.max(0)])));
    }
    let maps = "{ A[i] -> B[i]; A[i] -> B[5]; A[i] -> C[j] : 0 <= j < i }";
    let least = UnionMap::parse(maps, &budget()).unwrap().lexmin(&budget()).unwrap();
    let expected = "{ A[i] -> B[i] : i < 5; A[i] -> B[5] : i >= 5; A[i] -> C[0] : i > 0 }";
    assert!(least.is_equal(&UnionMap::parse(expected, &budget()).unwrap(), &budget()).unwrap());
}

#[test]
fn an_optimum_that_does_not_exist_is_an_error_with_the_dimension() {
    let check = |result: Result<Set, Error>, name: &str| match result {
        Err(Error::Unbounded { what, .. }) => assert!(what.contains(name), "{what}"),
        other => panic!("{other:?}"),
    };
    check(parse_set("{ [i] : i <= 5 }").lexmin(&budget()), "(i)");
    check(parse_set("{ [i, j] : i >= 0 and j >= i }").lexmax(&budget()), "(i)");
    check(parse_set("[n] -> { [i, j] : i >= 0 and j <= n }").lexmin(&budget()), "(j)");
    check(parse_set("{ [i, j] : exists e : i = 2e and e <= j and j <= 3e + 7 }").lexmax(&budget()), "(i)");
    // No points, no error.
    assert!(parse_set("{ [i] : i <= 5 and exists e : 2e = 2i + 1 }").lexmin(&budget()).unwrap().is_plainly_empty());
    assert!(
        parse_set("{ [i, j, k] : 1 <= 6i - 4j + 10k <= 1 }").lexmin(&budget()).unwrap().is_empty(&budget()).unwrap()
    );
    // Bounded below by nothing but the integers: the least i with j in a strip that is open on the other side.
    let strip = parse_set("{ [i, j] : 3j <= 2i <= 3j + 1 and i >= 0 }").lexmin(&budget()).unwrap();
    assert!(strip.is_equal(&parse_set("{ [0, 0] }"), &budget()).unwrap());
}

#[test]
fn coefficients_beyond_64_bits() {
    let big = "36893488147419103232"; // 2^65
    let text = format!("[n] -> {{ [x, y] : {big}x >= n and y >= 3x + {big} and 0 <= n <= {big}0 }}");
    let least = parse_set(&text).lexmin_pw_multi_aff(&budget()).unwrap();
    let b: Int = big.parse().unwrap();
    for (n, x) in [(Int::zero(), 0), (Int::one(), 1), (&b * &Int::from(7), 7), (&b * &Int::from(7) + 1, 8)] {
        let expected = Some(vec![Int::from(x), &b + Int::from(3 * x)]);
        assert_eq!(least.eval(&[n], &budget()).unwrap(), expected);
    }
    // 64 bits hold the input, not the pivots.
    let text = "[n] -> { [x, y] : 4611686018427387847x >= 4611686018427387761y + n and y >= n and 3x + 4611686018427387733y <= 4611686018427387733n + 9223372036854775000 }";
    let set = parse_set(text);
    let least = set.lexmin_pw_multi_aff(&budget()).unwrap();
    for n in [0i64, 1, 5, 1000] {
        let found = value(&least, &[n]).unwrap();
        let mut point = ints(&[n]);
        point.extend(found.iter().cloned());
        assert!(set.contains(&point, &budget()).unwrap());
        assert!(!set.contains(&[Int::from(n), &found[0] - 1, found[1].clone()], &budget()).unwrap());
    }
}

#[test]
fn extrema_of_several_components_and_over_the_rationals() {
    let set = parse_set("{ A[i, j] : 0 <= 3i <= 10 and j >= i }");
    let f = MultiAff::parse("{ A[i, j] -> [(i), (j), (i - j)] }", &budget()).unwrap();
    let int = |x: i64| Some(Int::from(x));
    assert_eq!(set.min_multi_aff(&f, &budget()).unwrap(), Some(vec![int(0), int(0), None]));
    assert_eq!(set.max_multi_aff(&f, &budget()).unwrap(), Some(vec![int(3), None, int(0)]));
    let empty = parse_set("{ A[i, j] : i > j and j > i }");
    assert_eq!(empty.max_multi_aff(&f, &budget()).unwrap(), None);
    let set = parse_set("{ A[i, j] : 2i + 3j >= 1 and 3j <= 2i and i <= 5 }");
    let quarter = Rational::new(1.into(), 4.into());
    assert_eq!(set.rational_min_aff(&f.affs()[0], &budget()).unwrap(), Optimum::Bounded(quarter));
    assert_eq!(set.min_aff(&f.affs()[0], &budget()).unwrap(), IntOptimum::Bounded(Int::one()));
    assert_eq!(set.rational_max_aff(&f.affs()[2], &budget()).unwrap(), Optimum::Bounded(8.into()));
}

/// A bounded system of 4 to 9 variables with coefficients of up to 255 around a point, and perhaps a parameter.
fn wide() -> impl Strategy<Value = (usize, String)> {
    (4usize..10, 0u8..3, any::<bool>(), prop::collection::vec(any::<u32>(), 200)).prop_map(|(n, kind, dense, words)| {
        let mut words = words.into_iter().cycle();
        let mut below = |m: u32| i64::from(words.next().unwrap_or_default() % m);
        let high = [4, 10, 50][below(3) as usize];
        let point: Vec<i64> = (0..n).map(|_| below(high as u32 + 1)).collect();
        let mut text: Vec<String> = (0..n).map(|k| format!("0 <= x{k} <= {high}")).collect();
        let (first, rows) = (usize::from(below(3) == 0), 2 + below(4) as usize);
        for r in 0..rows {
            let row: Vec<i64> = (0..n)
                .map(|_| {
                    let size = match kind {
                        0 => 1 + below(5),
                        1 => 1 + below(255),
                        _ => 200 + below(56),
                    };
                    if !dense && below(2) == 0 {
                        0
                    } else if below(2) == 0 {
                        size
                    } else {
                        -size
                    }
                })
                .collect();
            let value: i64 = row.iter().zip(&point).map(|(a, x)| a * x).sum();
            let left: Vec<String> = row.iter().enumerate().map(|(k, a)| format!("{a} * x{k}")).collect();
            let op = if r < first { "=" } else { ">=" };
            text.push(format!("{} {op} {}", left.join(" + "), if r < first { value } else { value - below(60) }));
        }
        let names: Vec<String> = (0..n).map(|k| format!("x{k}")).collect();
        (n, format!("{{ [{}] : {} }}", names.join(", "), text.join(" and ")))
    })
}

/// Whether a point is in a set and no point before it.
fn is_least(set: &Set, point: &[Int]) -> bool {
    let mut rest = set.clone();
    for (k, x) in point.iter().enumerate() {
        let mut below: Vec<Int> = vec![Int::zero(); point.len() + 1];
        (below[0], below[k + 1]) = (x - 1, Int::from(-1));
        if !rest.add_ineq(&below).is_empty(&budget()).unwrap() {
            return false;
        }
        rest = rest.fix(tessera_polyhedral::space::DimKind::Out, k, x).unwrap();
    }
    set.contains(point, &budget()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn optima_of_wide_systems((n, text) in wide()) {
        let set = parse_set(&text);
        let limited = Budget::new(20_000_000);
        match set.lexmin(&limited) {
            Ok(least) => {
                let point = least.sample(&budget()).unwrap().unwrap_or_default();
                prop_assert_eq!(point.len(), n, "no optimum of {}", text);
                prop_assert!(is_least(&set, &point), "{:?} of {}", point, text);
                let single = Set::from_point(set.space(), &point).unwrap();
                prop_assert!(least.is_equal(&single, &budget()).unwrap(), "{} of {}", least, text);
            }
            // Rare: the next test has systems that must not end like this.
            Err(error) => prop_assert!(matches!(error, Error::Exhausted(_)), "{}", error),
        }
    }
}

#[test]
fn the_budget_ends_every_search() {
    let text = "[n, m] -> { [x, y, z] : 3x + 5y - 7z >= n and 7x - 2y + 3z <= n + m and x + y + z >= m \
                and 0 <= 3x <= 31n and 0 <= 5y <= 29m and 0 <= 7z <= 23n }";
    let set = parse_set(text);
    let spent = Budget::unlimited();
    set.lexmin(&spent).unwrap();
    let all = spent.spent();
    assert!(all > 100, "not a search: {all}");
    for limit in [0, 10, all / 10, all / 2, all - 1] {
        let limited = Budget::new(limit);
        assert!(matches!(set.lexmin(&limited), Err(Error::Exhausted(_))), "{limit} of {all}");
        assert!(limited.spent() < 2 * limit + 10_000, "{limit}: {}", limited.spent());
    }
    assert!(set.lexmin(&Budget::new(all)).is_ok());
}
