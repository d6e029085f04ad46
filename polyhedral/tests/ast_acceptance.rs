//! The acceptance cases of AST generation, by name, from schedule relations: the code is interpreted for a box of
//! parameter values and compared, instances and order, with the points of the relation; then its shape is checked.

use std::collections::BTreeMap;

/// How often each statement instance occurs.
type Counts = BTreeMap<(String, Vec<Int>), usize>;

use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{AstBuild, AstError, AstUnit, interpret};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::{Set, UnionMap};
use tessera_polyhedral::space::DimKind;

fn budget() -> Budget {
    Budget::new(2_000_000_000)
}

struct Case {
    schedule: UnionMap,
    context: Option<Set>,
    unit: AstUnit,
    text: String,
}

fn build(schedule: &str, context: &str, options: &str) -> Result<Case, AstError> {
    let parse = |text: &str| UnionMap::parse(text, &budget()).unwrap_or_else(|e| panic!("{text}: {e:#}"));
    let schedule = parse(schedule);
    let context = (!context.is_empty()).then(|| context.parse::<Set>().unwrap_or_else(|e| panic!("{context}: {e:#}")));
    let options = (!options.is_empty()).then(|| parse(options));
    let mut build = AstBuild::new();
    if let Some(context) = &context {
        build = build.with_context(context.clone());
    }
    let unit = build.build_relation(&schedule, options.as_ref(), &budget())?;
    let text = unit.to_string();
    if std::env::var_os("SHOW").is_some() {
        println!("{text}");
    }
    Ok(Case { schedule, context, unit, text })
}

/// The code for a relation, context and options, checked for all values of the parameters from `low` to `high` in the
/// context.
fn checked(schedule: &str, context: &str, options: &str, low: i64, high: i64) -> Case {
    let case = build(schedule, context, options).unwrap_or_else(|e| panic!("{e}"));
    let params = &case.unit.params;
    let mut values = vec![low; params.len()];
    loop {
        check(&case, &values);
        let Some(k) = (0..values.len()).rev().find(|&k| values[k] < high) else { return case };
        values[k] += 1;
        values[k + 1..].fill(low);
    }
}

fn check(case: &Case, values: &[i64]) {
    let fixed = |names: &[tessera_polyhedral::space::Name]| -> Vec<i64> {
        let position = |name| case.unit.params.iter().position(|known| known == name);
        names.iter().map(|name| position(name).map_or(0, |k| values[k])).collect()
    };
    if let Some(context) = &case.context {
        let mut set = context.clone();
        for (k, value) in fixed(context.space().param_names()).into_iter().enumerate() {
            set = set.fix(DimKind::Param, k, &Int::from(value)).unwrap();
        }
        if set.is_empty(&budget()).unwrap() {
            return;
        }
    }
    let mut times: BTreeMap<Vec<Int>, Counts> = BTreeMap::new();
    for map in case.schedule.members() {
        let n = map.space().dim(DimKind::In);
        let name = map.space().tuple(DimKind::In).unwrap().name().unwrap().to_string();
        let mut set = map.wrap().flatten();
        let names = set.space().param_names().to_vec();
        for (k, value) in fixed(&names).into_iter().enumerate() {
            set = set.fix(DimKind::Param, k, &Int::from(value)).unwrap();
        }
        for point in set.points(&budget()).unwrap() {
            let (instance, time) = point[names.len()..].split_at(n);
            *times.entry(time.to_vec()).or_default().entry((name.clone(), instance.to_vec())).or_default() += 1;
        }
    }
    let params: Vec<Int> = values.iter().map(|&value| Int::from(value)).collect();
    let mut events = interpret(&case.unit, &params, &Budget::new(5_000_000)).unwrap().into_iter();
    for mut group in times.into_values() {
        for _ in 0..group.values().sum::<usize>() {
            let event = events.next().unwrap_or_else(|| panic!("{values:?}: missing {group:?}\n{}", case.text));
            match group.get_mut(&(event.stmt.to_string(), event.point.clone())) {
                Some(count) if *count > 0 => *count -= 1,
                _ => panic!("{values:?}: {event:?} instead of {group:?}\n{}", case.text),
            }
        }
    }
    assert_eq!(events.next(), None, "{values:?}\n{}", case.text);
}

impl Case {
    /// Loops, conditions, statements.
    fn shape(&self) -> (usize, usize, usize) {
        let lines = |start: &str| self.text.lines().filter(|line| line.trim_start().contains(start)).count();
        let calls = self.text.lines().filter(|line| line.trim_end().ends_with(");")).count();
        (lines("for ("), lines("if ("), calls)
    }
}

#[test]
fn ac_01_basic_nest() {
    let case = checked(
        "[n] -> { S1[i] -> [i, 0, 0] : 0 <= i < n; S2[i, j] -> [i, 1, j] : 0 <= j < i < n; S3[i] -> [i, 2, 0] : 0 <= i < n }",
        "",
        "",
        -2,
        6,
    );
    assert_eq!(case.shape(), (2, 0, 3));
}

#[test]
fn ac_02_shifted() {
    let case = checked(
        "[n] -> { S1[i] -> [0, i, 0, 0] : 0 <= i < n; S2[i, j] -> [1, i, 1, j] : 0 <= j < i < n; S3[i] -> [1, i + 1, 0, 0] : \
         0 <= i < n }",
        "",
        "",
        -2,
        6,
    );
    assert_eq!(case.shape().2, 3);
}

#[test]
fn ac_03_existential_is_enforced_inside() {
    let case = checked(
        "[N] -> { S[t] -> [t] : exists (a : a >= -1 + t and 2a >= 1 + t and a <= t and 4a <= N + 2t) }",
        "",
        "",
        -6,
        16,
    );
    assert!(case.shape().0 <= 2, "{}", case.text);
}

#[test]
fn ac_04_division_of_the_iterator() {
    let case = checked("{ S[i] -> [i] : 3 * floor((i + 1) / 3) <= i and 0 <= i <= 3 }", "", "", 0, 0);
    assert!(!case.text.contains("floord") && !case.text.contains("mod("), "{}", case.text);
}

#[test]
fn ac_05_two_strides() {
    let case = checked(
        "[n, m] -> { S[i] -> [i] : exists (a, b : 0 <= i <= 100 and n - i + 6a = 0 and m - i + 10b = 0) }",
        "",
        "",
        -9,
        9,
    );
    assert_eq!(case.shape(), (1, 1, 1));
    assert!(case.text.contains("c0 += 30"), "{}", case.text);
}

#[test]
fn ac_06_eliminated() {
    let case = checked(
        "[n] -> { S[i] -> [i] : i >= 1 and n - 1 <= i <= n and 4 * floor((i - 2) / 4) = i - 2 }",
        "",
        "",
        -9,
        30,
    );
    assert_eq!(case.shape(), (0, 1, 1));
}

#[test]
fn ac_08_nested_bounds() {
    let case = checked("[m, n] -> { S[i, j] -> [i, j] : 0 <= i < m and 0 <= j < n }", "", "", -2, 4);
    assert_eq!(case.shape().0, 2);
}

#[test]
fn ac_09_implied_by_stride() {
    let case = checked("[n] -> { S[t] -> [t] : exists (a : 2t - n = 4a and 0 <= t <= 100) }", "", "", -20, 60);
    assert_eq!(case.shape(), (1, 1, 1));
}

const MISSING: &str = "[M] -> { S1[i] -> [i, 0] : 0 <= i <= M; S2[] -> [0, 1] }";

#[test]
fn ac_10_atomic() {
    let case = checked(MISSING, "", "{ [i, j] -> atomic[0] }", -4, 6);
    assert_eq!((case.shape().0, case.shape().2), (1, 2), "{}", case.text);
}

#[test]
fn ac_11_separate() {
    let case = checked(MISSING, "", "{ [i, j] -> separate[0] }", -4, 6);
    let (loops, _, calls) = case.shape();
    assert!(loops == 1 && calls <= 4, "{}", case.text);
}

#[test]
fn ac_13_unroll_with_stride() {
    let case = checked("{ S[i] -> [i] : 0 <= i < 1024 and i mod 256 = 0 }", "", "{ [i] -> unroll[0] }", 0, 0);
    assert_eq!(case.text, "S(0);\nS(256);\nS(512);\nS(768);\n");
}

#[test]
fn ac_14_unroll_from_the_better_bound() {
    let case = checked("[N] -> { S[i] -> [i] : 0 <= i < 1000 and N <= i < N + 4 }", "", "{ [i] -> unroll[0] }", -6, 6);
    assert_eq!(case.shape(), (0, 4, 4));
}

#[test]
fn ac_19_components() {
    for options in ["", "{ [i] -> separate[0] }", "{ [i] -> atomic[0] }"] {
        let case = checked("{ S0[] -> [0]; S1[i] -> [i] : 0 <= i < 10 }", "", options, 0, 0);
        assert_eq!(case.shape(), (1, 0, 2), "{options}\n{}", case.text);
    }
}

#[test]
fn ac_20_shifted_strides() {
    let case = checked("{ A[i] -> [2i] : 0 <= i < 10; B[i] -> [2i + 1] : 0 <= i < 10 }", "", "", 0, 0);
    assert_eq!(case.text, "for (int c0 = 0; c0 <= 9; c0 += 1) {\n  A(c0);\n  B(c0);\n}\n");
    let three = checked(
        "{ A[i] -> [3i] : 0 <= i < 10; B[i] -> [3i + 1] : 0 <= i < 10; C[i] -> [3i + 5] : 0 <= i < 10 }",
        "",
        "",
        0,
        0,
    );
    assert_eq!((three.shape().0, three.shape().2), (1, 3), "{}", three.text);
}

#[test]
fn ac_24_strided_statements() {
    let case = checked(
        "[n] -> { S0[i] -> [i] : exists (a : 1 <= i <= n and i = 4a); S1[i] -> [i] : exists (a : 1 <= i <= n and i = 4a + 2) }",
        "",
        "{ [i] -> separate[0] }",
        -12,
        60,
    );
    let expected = "for (int c0 = 2; c0 <= n - 2; c0 += 4) {\n  S1(c0);\n  S0(c0 + 2);\n}\nif (n >= 2 && n % 4 >= 2)\n  \
                    S1(n + 2 - n % 4);\n";
    assert_eq!(case.text, expected);
}

#[test]
fn ac_25_youcefn() {
    let case = checked(
        "[n, m] -> { S0[i, j] -> [i, j, 0] : i = j and 1 <= i <= n; S1[i, j] -> [i, j, 1] : 1 <= i <= n and i <= j <= n; \
         S2[i, j] -> [i, j, 2] : 1 <= i <= m and j = n }",
        "[n, m] -> { : n >= 2 and m >= n }",
        "{ [i, j, k] -> separate[x] }",
        0,
        7,
    );
    assert_eq!(case.shape(), (3, 0, 4), "{}", case.text);
}

#[test]
fn ac_28_modulo_mappings() {
    let simple = checked(
        "[n] -> { S[i] -> [i] : exists (a : 0 <= i < 128 and i = n - 128a) }",
        "[n] -> { : n >= 0 }",
        "",
        0,
        300,
    );
    assert_eq!(simple.text, "S(n % 128);\n");
    let shifted = checked(
        "[t1] -> { S[i] -> [i] : 7 <= i <= 134 and i mod 128 = t1 }",
        "[t1] -> { : 0 <= t1 < 128 }",
        "",
        0,
        127,
    );
    assert_eq!(shifted.shape(), (0, 0, 1), "{}", shifted.text);
    assert!(!shifted.text.contains("mod(") && !shifted.text.contains("floord"), "{}", shifted.text);
    let conditional = checked(
        "[t1] -> { S[i] -> [i] : 7 <= i <= 130 and i mod 128 = t1 }",
        "[t1] -> { : 0 <= t1 < 128 }",
        "",
        0,
        127,
    );
    assert_eq!(conditional.shape(), (0, 1, 1), "{}", conditional.text);
}

#[test]
fn ac_29_two_existentials() {
    let text = "{ S[i] -> [i] : exists (a, b : i = 2a + 3b and 0 <= a < 3 and 0 <= b and 0 <= i < 8) }";
    let case = checked(text, "", "", 0, 0);
    assert_eq!(case.shape().0, 1, "{}", case.text);
    let unrolled = checked(text, "", "{ [i] -> unroll[0] }", 0, 0);
    assert_eq!(unrolled.shape(), (0, 0, 7), "{}", unrolled.text);
}

#[test]
fn ac_30_multiple_bounds() {
    let text = "[t1, t2] -> { S[i, j] -> [i, j] : exists (a, b : 0 <= i <= 1 and t1 = j + 128a and 0 <= j + 2b < 128 and 510 <= \
                t2 + 2b <= 514 and 0 <= 2b - t2 <= 5) }";
    let context = "[t1, t2] -> { : 0 <= t1 < 128 and 254 <= t2 <= 256 }";
    let case = build(text, context, "").unwrap();
    let unrolled = build(text, context, "{ [i, j] -> unroll[x] }").unwrap();
    for t1 in [0, 1, 63, 125, 126, 127] {
        for t2 in 254..=256 {
            check(&case, &[t1, t2]);
            check(&unrolled, &[t1, t2]);
        }
    }
    assert!(case.text.contains("+= 128") || !case.text.contains("c1 +="), "{}", case.text);
    assert_eq!(unrolled.shape().0, 0, "{}", unrolled.text);
}

#[test]
fn ac_31_index_set_splitting() {
    let text = "[T, N] -> { S[t, i] -> [t, i, 0] : 0 <= t < T and 0 <= i < N; S[t, i] -> [t, 2N - i - 1, 1] : 0 <= t < T and N <= \
                i < 2N }";
    let unrolled = checked(text, "", "{ [a, b, c] -> unroll[2] }", -1, 5);
    assert_eq!(unrolled.shape(), (2, 0, 2), "{}", unrolled.text);
    checked(text, "", "", -1, 5);
}

#[test]
fn dc_07_many_instances_at_one_time() {
    let case = checked("[N] -> { A[i] -> [0] : 0 <= i < N }", "", "", -2, 5);
    assert_eq!(case.shape(), (1, 0, 1));
}

#[test]
fn dc_08_to_10_missing_bounds() {
    let endless = build("{ A[i] -> [i] : i >= 0 }", "", "").unwrap();
    assert_eq!(endless.text, "for (int c0 = 0; 1; c0 += 1)\n  A(c0);\n");
    assert!(matches!(build("{ A[i] -> [i] : i <= 0 }", "", ""), Err(AstError::Unbounded { .. })));
    let unrolled = build("[N] -> { A[i] -> [i] : 0 <= i < N }", "", "{ [i] -> unroll[0] }");
    assert!(matches!(unrolled, Err(AstError::CannotUnroll { .. })));
}

#[test]
fn dc_11_reversal() {
    let case = checked("[n] -> { S[i] -> [-i] : 0 <= i < n }", "", "", -2, 6);
    assert_eq!(case.shape(), (1, 0, 1));
}

/// Disjoint parts whose order depends on a parameter cannot be sorted: they share a loop.
#[test]
fn cyclic_order_of_disjoint_parts() {
    checked(
        "[N, M] -> { A[i] -> [i] : N <= i <= N + 2; B[i] -> [i] : M <= i <= M + 2 }",
        "[N, M] -> { : N + 3 <= M or M + 3 <= N }",
        "",
        -5,
        5,
    );
}

/// Where n is known the dimension of A has one value, and whether there is an instance depends on the remainder of the
/// time by 3.
#[test]
fn conditions_that_conditions_determine() {
    let text = "[n] -> { A[x] -> [a, b] : -3 <= a <= 4 and 0 <= x <= n + 3 and (a - 2x) mod 3 = 1 and b = n + 4 and 0 <= b <= 6; \
                B[] -> [a, b] : -3 <= a <= 4 and 0 <= b <= 6 }";
    checked(text, "", "{ [a, b] -> unroll[1] }", -5, 3);
}

/// A bound in which a division by two is exact: what is left of it is a constant that is not zero.
#[test]
fn exact_divisions_in_bounds() {
    let text = "{ S[x] -> [a, b] : -2 <= x <= 3 and 0 <= a <= 1 and (a - x) mod 2 = 0 and exists e, f : 3 + 2x + b = 2e + 5f and 0 <= \
                e <= 3 and 0 <= f <= 1 }";
    checked(text, "", "{ [a, b] -> separate[1] : b mod 2 = 0 }", 0, 0);
}

#[test]
fn several_times_per_instance() {
    let case = checked("{ S[i] -> [t] : 0 <= i <= 3 and i <= t <= i + 2; T[i] -> [2i] : 0 <= i <= 3 }", "", "", 0, 0);
    assert_eq!(case.shape().2, 2, "{}", case.text);
    checked("{ S[] -> [t] : 0 <= t <= 3 and t mod 2 = 0; S[] -> [7] }", "", "{ [t] -> unroll[0] }", 0, 0);
}

/// The ranges contain what the interpreter computes, and C's `int` is enough for parameters that fit into it with room.
#[test]
fn widths_of_iterators() {
    use tessera_polyhedral::ast::Range;
    let case = build("[n] -> { S[i, j] -> [i + j, j] : 0 <= i, j < n }", "", "").unwrap();
    let bound = |high: i64| [Range::new(Int::from(0), Int::from(high))];
    let widths = case.unit.widths(&bound(10));
    assert_eq!(widths.iters[0], Some(Range::new(Int::from(0), Int::from(19))));
    assert_eq!(widths.all.unwrap().bits(), 6);
    assert_eq!(case.unit.widths(&bound(1 << 29)).all.unwrap().bits(), 32);
    assert_eq!(case.unit.widths(&bound((1 << 31) - 1)).all.unwrap().bits(), 33);
    let endless = build("{ A[i] -> [i] : i >= 0 }", "", "").unwrap();
    assert_eq!(endless.unit.widths(&[]).all, None);
}

/// Statements with different strides: where only one of them has iterations its loop has its stride. The number of
/// visited nodes bounds the iterations.
#[test]
fn loops_of_different_strides_run_only_where_they_meet() {
    let visited = |schedule: &str, n: i64| {
        let case = checked(schedule, "", "", -1, 20);
        let budget = Budget::new(1_000_000);
        interpret(&case.unit, &vec![Int::from(n); case.unit.params.len()], &budget).unwrap();
        (budget.spent(), case.text)
    };
    // The relation, a value of the parameter, the most nodes.
    for (schedule, n, most) in [
        // 2 and 1000 / 8 iterations.
        ("[n] -> { S[i] -> [i] : 0 <= i <= 1; T[i] -> [8i] : 0 <= 8i < n }", 1000, 300),
        ("[n] -> { S[i] -> [i] : 7 <= i <= 9; T[i] -> [4i] : 0 <= 4i < n }", 1000, 600),
        ("[n] -> { S[i] -> [2i] : 0 <= i <= 1; T[i] -> [6i + 1] : 0 <= 6i < n }", 1000, 500),
        ("[n] -> { S[i] -> [0, i] : 0 <= i <= 3; T[i, j] -> [i, 5j] : 0 <= i <= 3 and 0 <= 5j < n }", 1000, 2000),
        // All values are needed anyway.
        ("[n] -> { S[i] -> [i] : 0 <= i < n; T[i] -> [4i] : 0 <= 4i < n }", 1000, 4000),
        // A division with one value, two divisions with one residue.
        ("{ S[i] -> [i, t] : 0 <= i <= 1 and -2 <= t <= 3 and t mod 5 <= 2 }", 0, 20),
        ("{ S[] -> [t] : exists (e, f : 1 + t = 2e + 5f and 0 <= e, f <= 1) and (-t) mod 5 <= 1 }", 0, 8),
    ] {
        let (spent, text) = visited(schedule, n);
        assert!(spent <= most, "{spent} nodes\n{text}");
    }
}
