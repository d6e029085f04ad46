//! Counts in the calculator: arithmetic, sums, values at points, quasi-polynomials as texts, generated loops.

use crate::relation_support::budget;
use tessera_polyhedral::arith::{Int, Rational};
use tessera_polyhedral::calc::Calculator;
use tessera_polyhedral::count::UnionPwQPolynomial;
use tessera_polyhedral::relation::{Map, Set};

fn run(text: &str) -> Result<Vec<String>, String> {
    let mut printed = Vec::new();
    let mut calculator = Calculator::new(50_000_000);
    calculator.run(text, &mut |line| printed.push(line)).map_err(|e| e.to_string())?;
    Ok(printed)
}

#[test]
fn arithmetic() {
    let triangle = "T := card [n] -> { [i, j] : 0 <= j <= i < n }; L := card [n] -> { [i] : 0 <= i < n };";
    for (text, expected) in [
        ("T + L", "[n] -> { (3/2 * n + 1/2 * n^2) : n >= 1 }"),
        ("T - L", "[n] -> { (-1/2 * n + 1/2 * n^2) : n >= 1 }"),
        ("L * L", "[n] -> { n^2 : n >= 1 }"),
        ("L % [n] -> { : n >= 1 }", "[n] -> { n }"),
        (
            "{ [i] -> i : 0 < i < 10; [i] -> 2 * i : 10 <= i < 20 } % { [i] : 0 < i < 15 }",
            "{ [i] -> i : i <= 9; [i] -> 2 * i : i >= 10 }",
        ),
        ("Q := { [i] -> i + 1 : i = 0; [i] -> 5 : i = 2 }; S := { [i] : i >= 0 }; (Q % S) * S = Q", "True"),
        ("T + T = 2 * T", "True"),
        ("2 * T - L = L * L", "True"),
        ("T = L", "False"),
        ("T != L", "True"),
        ("-L", "[n] -> { -n : n >= 1 }"),
        ("L - L", "[n] -> {  }"),
        ("L + 1", "[n] -> { (1 + n) : n >= 1; 1 : n <= 0 }"),
        ("L * [n] -> { : n <= 5 }", "[n] -> { n : 1 <= n <= 5 }"),
        ("T([n] -> { : n = 10 })", "{ 55 }"),
        ("T @ [n] -> { : n = 10 }", "{ 55 }"),
        ("dom T", "[n] -> { : n >= 1 }"),
        ("typeof T", "\"piecewise quasi-polynomial\""),
    ] {
        assert_eq!(run(&format!("{triangle} {text}")).map(|p| p.join("\n")), Ok(expected.into()), "{text}");
    }
}

#[test]
fn sums_over_points_and_images() {
    for (text, expected) in [
        ("sum { [i] -> i : 0 <= i <= 10 }", "{ 55 }"),
        ("sum [n] -> { [i] -> i^2 : 0 <= i <= n }", "[n] -> { (1/6 * n + 1/2 * n^2 + 1/3 * n^3) : n >= 0 }"),
        ("{ [i] -> i^2 } @ { [i] : 0 <= i < 4 }", "{ 14 }"),
        ("({ [i] -> i^2 })({ [7] })", "{ 49 }"),
        ("{ [n] -> [i] : 0 <= i < n } . { [i] -> i }", "{ [n] -> (-1/2 * n + 1/2 * n^2) : n >= 1 }"),
        ("({ A[n] -> [i] : 0 <= i < n })({ [i] -> 3; B[] -> 5 })", "{ A[n] -> 3 * n : n >= 1 }"),
        ("card [n, m] -> { [i] : m <= 3i <= n }", "[n, m] -> { (1 + floor((n)/3) - floor((2 + m)/3)) : m <= n }"),
        ("card { A[n] -> [i] : 0 <= 2i < n } = { A[n] -> floor((n + 1)/2) : n > 0 }", "True"),
    ] {
        assert_eq!(run(text).map(|p| p.join("\n")), Ok(expected.into()), "{text}");
    }
}

#[test]
fn what_is_printed_can_be_read() {
    for text in [
        "[n] -> { (1/2 * n + 1/2 * n^2) : n >= 1 }",
        "{ A[i] -> (1 + floor((1 + i)/3)^2 - 2/3 * i * floor((1 + i)/3)) : i >= 0; B[] -> 7 }",
        "[n, m] -> { -n * m; [i] -> (m - i)^3 : i < m }",
        "[n, m] -> { 2n m : n > 0 }",
        "[n] -> {  }",
        "{ [i] -> [i/2] + [(i + 1)/2] }",
        "{ [i] -> i : i > 0; [i] -> 1 : i > 5 }",
        "{ 0 }",
    ] {
        let first = UnionPwQPolynomial::parse(text, &budget()).unwrap();
        let printed = first.to_string();
        let second = UnionPwQPolynomial::parse(&printed, &budget()).unwrap();
        assert!(first.is_equal(&second, &budget()).unwrap(), "{text} is printed as {printed}");
    }
    let halves = UnionPwQPolynomial::parse("{ [i] -> [i/2] + [(i + 1)/2] }", &budget()).unwrap();
    for i in [-3, -2, 0, 5] {
        assert_eq!(halves.members()[0].eval(&[Int::from(i)], &budget()), Ok(Rational::from(i)));
    }
}

#[test]
fn errors_in_polynomials_have_places() {
    for (text, message) in [
        ("{ [i] -> (i + ) }", "line 1, column 15: expected a number, a name, `floor` or `(`, found `)`"),
        ("{ [i] -> j }", "line 1, column 10: expected a dimension or a declared parameter, found `j`"),
        ("\n { [i] -> i / 0 }", "line 2, column 15: expected a divisor other than zero, found `0`"),
        (
            "{ [i] -> floor(i^2/2) }",
            "line 1, column 16: expected an affine expression without divisions, divided by a number, found `i`",
        ),
        ("{ [i] -> i^2000 }", "line 1, column 12: expected an exponent of at most 1000, found `2000`"),
        (
            "{ [i] -> i :\n i > k }",
            "line 2, column 6: expected a dimension, a quantified variable or a declared parameter, found `k`",
        ),
        ("{ [i] -> i i ? 3 }", "line 1, column 14: expected an operator, `:`, `;` or `}`, found `?`"),
    ] {
        assert_eq!(run(text).unwrap_err(), message, "{text}");
    }
}

#[test]
fn sums_agree_with_enumeration() {
    let function = "[n] -> { [i, j] -> (i^2 * j - 3 * floor((i + j)/2) + n) : i <= j }";
    let sets = [
        "[n] -> { [i, j] : 0 <= i, j < n }",
        "[n] -> { [i, j] : 0 <= i < n and 2j = 3i - n and j <= 20 }",
        "[n] -> { [i, j] : 0 <= i < n and 0 <= j < 5 and (i + 2j) mod 3 = 1 }",
        "[n] -> { [i, j] : 0 <= 3i <= n and i <= 2j <= n + 1 }",
    ];
    let q = UnionPwQPolynomial::parse(function, &budget()).unwrap();
    for text in sets {
        let set = Set::parse(text, &budget()).unwrap();
        let total = q.intersect_domain(&set.clone().into(), &budget()).unwrap().sum(&budget()).unwrap();
        for n in [0, 1, 4, 7, 10] {
            let mut expected = Rational::zero();
            for i in -2i64..25 {
                for j in i..25 {
                    let point = [Int::from(n), Int::from(i), Int::from(j)];
                    if set.contains(&point, &budget()).unwrap() {
                        expected = &expected + &Rational::from(i * i * j - 3 * (i + j).div_euclid(2) + n);
                    }
                }
            }
            assert_eq!(total.eval(&[Int::from(n)], &budget()), Ok(expected), "{text} at {n}");
        }
    }
}

#[test]
fn sums_over_images_agree_with_enumeration() {
    let q = UnionPwQPolynomial::parse("[n] -> { [i] -> i^2 - floor((i + n)/3) : i <= 12 }", &budget()).unwrap();
    let map =
        Map::parse("[n] -> { [k] -> [i] : exists j : i = 2j + k and 0 <= j <= k and i <= n }", &budget()).unwrap();
    let total = map.sum_over_images(&q.members()[0], &budget()).unwrap();
    for n in [0i64, 3, 20] {
        for k in -1i64..9 {
            let values = (0..=k).map(|j| 2 * j + k).filter(|i| *i <= n && *i <= 12);
            let expected: i64 = values.map(|i| i * i - (i + n).div_euclid(3)).sum();
            let point = [Int::from(n), Int::from(k)];
            assert_eq!(total.eval(&point, &budget()), Ok(Rational::from(expected)), "{n} {k}");
        }
    }
}

#[test]
fn schedules_become_loops() {
    assert_eq!(
        run("codegen [n] -> { S[i] -> [i, 0] : 0 <= i < n; T[i] -> [i, 1] : 0 <= i < n }").unwrap().join("\n"),
        "for (int c0 = 0; c0 <= n - 1; c0 += 1) {\n  S(c0);\n  T(c0);\n}"
    );
    assert_eq!(run("codegen { S[] -> [] }").unwrap(), ["S();"]);
    assert!(run("codegen { S[i] -> [j] : 0 <= i, j < 3 }").unwrap_err().starts_with("line 1, column 1: "));
}

#[test]
fn what_is_missing_says_why() {
    for (text, start) in [
        ("schedule { [i] }", "line 1, column 1: `schedule` is not available yet"),
        ("vertices { [i] }", "line 1, column 1: `vertices` is not available yet"),
        ("ub { [i] -> i }", "line 1, column 1: `ub` is not available yet"),
        ("write \"file\"", "line 1, column 1: `write` is not available yet"),
        ("ub := 3", "line 1, column 1: `ub` is not available yet"),
    ] {
        let error = run(text).unwrap_err();
        assert!(error.starts_with(start), "{error}");
    }
}
