//! The switches of AST generation: what each of them changes, and that the code still executes the same.

use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{AstBuild, AstError, AstOptions, AstUnit, SeparationBounds, interpret};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::{Set, UnionMap};
use tessera_polyhedral::schedule::ScheduleTree;

fn budget() -> Budget {
    Budget::new(1_000_000_000)
}

fn relation(schedule: &str, context: &str, loops: &str, options: AstOptions) -> Result<AstUnit, AstError> {
    let parse = |text: &str| UnionMap::parse(text, &budget()).unwrap_or_else(|e| panic!("{text}: {e:#}"));
    let loops = (!loops.is_empty()).then(|| parse(loops));
    let mut build = AstBuild::new().with_options(options);
    if !context.is_empty() {
        build = build.with_context(context.parse::<Set>().unwrap());
    }
    build.build_relation(&parse(schedule), loops.as_ref(), &budget())
}

fn trace(unit: &AstUnit, params: &[i64]) -> Vec<String> {
    let params: Vec<Int> = params.iter().map(|&x| Int::from(x)).collect();
    let events = interpret(unit, &params, &Budget::new(1_000_000)).unwrap();
    events.iter().map(|event| format!("{} {:?}", event.stmt, event.point)).collect()
}

/// The code with default options and with others, which execute the same in the same order for all values of up to two
/// parameters.
fn both(schedule: &str, context: &str, loops: &str, options: AstOptions) -> (String, String) {
    let plain = relation(schedule, context, loops, AstOptions::default()).unwrap();
    let other = relation(schedule, context, loops, options).unwrap();
    let known: Option<Set> = (!context.is_empty()).then(|| context.parse().unwrap());
    for a in -3..9 {
        for b in -3..9 {
            let values = &[a, b][..plain.params.len()];
            let inside = |set: &Set| {
                let names = set.space().param_names();
                let value = |name| plain.params.iter().position(|p| p == name).map_or(0, |k| values[k]);
                let fixed = names.iter().enumerate().try_fold(set.clone(), |set, (k, name)| {
                    set.fix(tessera_polyhedral::space::DimKind::Param, k, &Int::from(value(name)))
                });
                !fixed.unwrap().is_empty(&budget()).unwrap()
            };
            if known.as_ref().is_none_or(inside) {
                assert_eq!(trace(&plain, values), trace(&other, values), "{values:?}\n{plain}\n{other}");
            }
        }
    }
    (plain.to_string(), other.to_string())
}

#[test]
fn ac_08_exploit_nested_bounds() {
    let off = AstOptions { exploit_nested_bounds: false, ..AstOptions::default() };
    let text = "[m, n] -> { S[i, j] -> [i, j] : 0 <= i < m and 0 <= j < n }";
    let (on, off) = both(text, "", "", off);
    let nest = "for (int c0 = 0; c0 <= m - 1; c0 += 1)\n  for (int c1 = 0; c1 <= n - 1; c1 += 1)\n    S(c0, c1);\n";
    assert_eq!(on, nest);
    let indented: String = nest.lines().map(|line| format!("  {line}\n")).collect();
    assert_eq!(off, format!("if (n >= 1)\n{indented}"));
}

#[test]
fn invariant_conditions_outside() {
    let outside = || AstOptions { invariant_conditions_outside: true, ..AstOptions::default() };
    let code = |text: &str, loops: &str| both(text, "", loops, outside()).1;
    let nest = code("[m, n] -> { S[i, j] -> [i, j] : 0 <= i < m and 0 <= j < n }", "");
    assert!(nest.starts_with("if (n >= 1)\n  for (int c0 = 0; c0 <= m - 1; c0 += 1)\n    for"), "{nest}");
    // Each of two nests has its own condition.
    let nests = code(
        "[m, n] -> { S[i, j] -> [0, i, j] : 0 <= i < 9 and 0 <= j < m; T[i, j] -> [1, i, j] : 0 <= i < 9 and 0 <= j < n }",
        "",
    );
    assert!(nests.starts_with("if (m >= 1)\n  for") && nests.contains("\nif (n >= 1)\n  for"), "{nests}");
    // One of two statements in a loop is enough.
    let shared = "[m, n] -> { S[i, j] -> [i, 0, j] : 0 <= i < 9 and 0 <= j < m; T[i, j] -> [i, 1, j] : 0 <= i < 9 and 0 <= j < n }";
    let shared = code(shared, "");
    assert!(shared.starts_with("if (m >= 1 || n >= 1)\n  for (int c0 = 0; c0 <= 8; c0 += 1) {\n    for"), "{shared}");
    // What an outer iterator says is left to the inner loop.
    let triangle = "[m, n] -> { S[i, j] -> [i, j] : 0 <= i < m and i <= j < n }";
    let (plain, other) = both(triangle, "", "", outside());
    assert_eq!(plain, other);
}

#[test]
fn ac_12_upper_bound_as_a_conjunction() {
    let off = AstOptions { atomic_upper_bound: false, ..AstOptions::default() };
    let text = "[M, c1] -> { S[c3] -> [c3] : 0 <= c3 and M >= c3 + 1 and c1 >= 3*c3 + 8 }";
    let (single, conjunction) = both(text, "[M, c1] -> { : c1 >= -1 }", "", off.clone());
    // isl writes `c3 < min((c1 + 1) / 3 - 2, M)`.
    assert_eq!(single, "for (int c0 = 0; c0 <= min(M - 1, (c1 + 1) / 3 - 3); c0 += 1)\n  S(c0);\n");
    assert_eq!(conjunction, "for (int c0 = 0; c0 <= M - 1 && 3 * c0 <= c1 - 8; c0 += 1)\n  S(c0);\n");
    // Without the context the quotient may be one of a negative number.
    let (single, _) = both(text, "", "", off);
    assert!(single.contains("floord(c1 + 1, 3) - 3"), "{single}");
}

#[test]
fn prefer_pdiv() {
    let off = AstOptions { prefer_pdiv: false, ..AstOptions::default() };
    let (on, off) = both("[n] -> { S[i] -> [floor(i/4), i] : 0 <= i < n }", "[n] -> { : n >= 1 }", "", off);
    assert!(on.contains("(n - 1) / 4"), "{on}");
    assert!(off.contains("floord(n - 1, 4)") && !off.contains('/'), "{off}");
}

#[test]
fn scale_strides() {
    let off = AstOptions { scale_strides: false, ..AstOptions::default() };
    let (on, off) = both("[n] -> { S[i] -> [3i] : 0 <= i < n }", "", "", off);
    assert_eq!(on, "for (int c0 = 0; c0 <= n - 1; c0 += 1)\n  S(c0);\n");
    assert_eq!(off, "for (int c0 = 0; c0 <= 3 * n - 3; c0 += 3)\n  S(c0 / 3);\n");
}

#[test]
fn allow_else() {
    let off = AstOptions { allow_else: false, ..AstOptions::default() };
    let text = "[n, m] -> { A[] -> [0] : n >= m; B[] -> [1] : n < m }";
    let (on, off) = both(text, "", "", off);
    assert_eq!(on, "if (n >= m) {\n  A();\n} else {\n  B();\n}\n");
    assert_eq!(off, "if (n >= m)\n  A();\nif (m >= n + 1)\n  B();\n");
}

#[test]
fn allow_or() {
    let off = AstOptions { allow_or: false, ..AstOptions::default() };
    let text = "[n] -> { A[i] -> [i] : 0 <= i < 9 and (i < n or i > n + 3) }";
    let (on, off) = both(text, "", "{ [i] -> atomic[x] }", off);
    assert_eq!(on.matches("||").count(), 1, "{on}");
    assert!(!off.contains("||"), "{off}");
}

#[test]
fn group_coscheduled() {
    let on = AstOptions { group_coscheduled: true, ..AstOptions::default() };
    let text = "[n] -> { A[i] -> [i] : 0 <= i < n; B[i] -> [i] : 0 <= i < n and i <= 3 }";
    let plain = relation(text, "", "", AstOptions::default()).unwrap().to_string();
    let grouped = relation(text, "", "", on.clone()).unwrap().to_string();
    assert_eq!(plain.matches("for").count(), 1, "{plain}");
    assert_eq!(grouped.matches("for").count(), 1, "{grouped}");
    // Instances at one time point come in any order: two loops, unless they are to stay together.
    let text = "[n] -> { A[i] -> [0, i] : 0 <= i < n; B[] -> [0, 0] : n >= 1 }";
    let plain = relation(text, "", "", AstOptions::default()).unwrap().to_string();
    let grouped = relation(text, "", "", on).unwrap().to_string();
    assert_eq!(plain, "if (n >= 1) {\n  B();\n  for (int c0 = 0; c0 <= n - 1; c0 += 1)\n    A(c0);\n}\n");
    let loops = "  for (int c0 = 0; c0 <= n - 1; c0 += 1) {\n    A(c0);\n    if (c0 == 0)\n      B();\n  }\n";
    assert_eq!(grouped, format!("if (n >= 1)\n{loops}"));
}

#[test]
fn separation_bounds() {
    let explicit = AstOptions { separation_bounds: SeparationBounds::Explicit, ..AstOptions::default() };
    // That i < m follows from the inner bounds of B only.
    let text = "[n, m] -> { A[i] -> [i, 0] : 0 <= i < n; B[i, j] -> [i, j] : 0 <= i < n and i < j < m }";
    let (implicit, explicit) = both(text, "", "{ [i, j] -> separate[0] }", explicit);
    assert_eq!(implicit.matches("A(").count(), 2, "{implicit}");
    assert_eq!(explicit.matches("A(").count(), 1, "{explicit}");
}

#[test]
fn copies_are_bounded() {
    let bound = |n: usize| AstOptions { max_copies: Some(n), ..AstOptions::default() };
    let text = "[n, m] -> { A[i] -> [i] : 0 <= i < n; B[i] -> [i] : 3 <= i < m }";
    let copies = |unit: &AstUnit| unit.to_string().matches(");\n").count();
    let context = "[n, m] -> { : n >= 5 and m >= 5 }";
    // Enough room: separated although nothing asks for it, because that removes the conditions from the loop.
    let (plain, wide) = both(text, context, "", bound(10));
    assert!(plain.contains("if (c0"), "{plain}");
    assert!(!wide.contains("if (c0"), "{wide}");
    // Not enough room, even where separation is asked for.
    for (most, loops) in [(2, ""), (3, "{ [i] -> separate[x] }")] {
        let unit = relation(text, context, loops, bound(most)).unwrap();
        assert!(copies(&unit) <= most, "{most}: {unit}");
    }
    let unrolled = relation("{ S[i] -> [i] : 0 <= i < 20 }", "", "{ [i] -> unroll[x] }", bound(10));
    assert!(matches!(unrolled, Err(AstError::TooManyCopies { .. })), "{unrolled:?}");
    let unrolled = relation("{ S[i] -> [i] : 0 <= i < 20 }", "", "{ [i] -> unroll[x] }", bound(20)).unwrap();
    assert_eq!(copies(&unrolled), 20);
}

/// A guard in several parts without disjunctions: the code once for each part.
#[test]
fn guards_without_disjunctions() {
    let tree = "{ domain: \"[n] -> { S[i] : 0 <= i < 5 }\", child: { guard: \"[n] -> { [] : n <= 2 or n >= 7 }\", child: { schedule: \
                \"[{ S[i] -> [(i)] }]\" } } }";
    let tree = ScheduleTree::from_yaml(tree, &budget()).unwrap();
    let plain = AstBuild::new().build(&tree, &budget()).unwrap();
    let options = AstOptions { allow_or: false, allow_else: false, ..AstOptions::default() };
    let other = AstBuild::new().with_options(options).build(&tree, &budget()).unwrap();
    assert!(plain.to_string().contains("||") && !other.to_string().contains("||"), "{plain}\n{other}");
    for n in 0..10 {
        assert_eq!(trace(&plain, &[n]), trace(&other, &[n]), "{n}\n{other}");
    }
}
