//! AST generation from schedule trees with all kinds of nodes: the executed instances, in order, are compared with
//! loops written by hand.

use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{AstBuild, AstError, AstUnit, interpret};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::schedule::ScheduleTree;

fn build(yaml: &str) -> Result<AstUnit, AstError> {
    let tree: ScheduleTree = yaml.parse().unwrap_or_else(|e| panic!("{e:#}\n{yaml}"));
    let unit = AstBuild::new().build(&tree, &Budget::new(2_000_000_000))?;
    if std::env::var_os("SHOW").is_some() {
        println!("{unit}");
    }
    Ok(unit)
}

/// What is executed for parameter values by name, as `S(1, 2)`.
fn trace(unit: &AstUnit, params: &[(&str, i64)]) -> Vec<String> {
    let value = |name: &str| params.iter().find(|(known, _)| *known == name).map_or(0, |(_, value)| *value);
    let values: Vec<Int> = unit.params.iter().map(|name| Int::from(value(name))).collect();
    let events = interpret(unit, &values, &Budget::new(5_000_000)).unwrap();
    let point = |point: &[Int]| point.iter().map(Int::to_string).collect::<Vec<_>>().join(", ");
    events.iter().map(|event| format!("{}({})", event.stmt, point(&event.point))).collect()
}

fn count(unit: &AstUnit, what: &str) -> usize {
    unit.to_string().matches(what).count()
}

const STRIP: &str = "{ domain: \"[m, n] -> { S[i] : m <= i < n }\", child: { schedule: \"[{ S[i] -> [(4*floor(i/4))] }]\", options: \
                     \"[m, n] -> { isolate[[] -> [t]] : m <= t and t + 3 < n }\", child: { schedule: \"[{ S[i] -> [(i)] }]\"";

#[test]
fn ac_15_isolated_strips() {
    for options in
        ["", ", options: \"[m, n] -> { isolate[[t] -> [i]] : m <= t and t + 3 < n; [isolate[] -> unroll[0]] }\""]
    {
        let unit = build(&format!("{STRIP}{options} }} }} }}")).unwrap();
        for m in -5..=5 {
            for n in -5..=14 {
                let expected: Vec<String> = (m..n).map(|i| format!("S({i})")).collect();
                assert_eq!(trace(&unit, &[("m", m), ("n", n)]), expected, "{unit}");
            }
        }
        if options.is_empty() {
            assert!(unit.to_string().contains("c1 <= c0 + 3; c1 += 1"), "{unit}");
        } else {
            assert!(unit.to_string().contains("S(c0 + 3);"), "{unit}");
        }
    }
}

#[test]
fn ac_16_isolated_register_tiles() {
    let unit = build(
        "{ domain: \"[n, m] -> { S[i, j] : 0 <= i < n and 0 <= j < m }\", child: { context: \"[n, m] -> { [] : n > 2 and m > 3 }\", \
         child: { schedule: \"[{ S[i, j] -> [(3*floor(i/3))] }, { S[i, j] -> [(4*floor(j/4))] }, { S[i, j] -> [(i)] }, { S[i, j] -> \
         [(j)] }]\", options: \"[n, m] -> { isolate[[] -> [a, b, c, d]] : 0 <= a and a + 2 < n and 0 <= b and b + 3 < m }\" } } }",
    )
    .unwrap();
    for n in 3..=9 {
        for m in 4..=10 {
            let mut expected = Vec::new();
            for a in (0..n).step_by(3) {
                for b in (0..m).step_by(4) {
                    for i in a..n.min(a + 3) {
                        for j in b..m.min(b + 4) {
                            expected.push(format!("S({i}, {j})"));
                        }
                    }
                }
            }
            assert_eq!(trace(&unit, &[("n", n), ("m", m)]), expected, "{unit}");
        }
    }
    let expected = "for (int c0 = 0; c0 <= n - 3; c0 += 3) {\n  for (int c1 = 0; c1 <= m - 4; c1 += 4)\n    for (int c2 = c0; c2 <= c0 + 2; \
                    c2 += 1)\n      for (int c3 = c1; c3 <= c1 + 3; c3 += 1)\n        S(c2, c3);\n  if (m % 4 >= 1)\n    for (int c1 = c0; \
                    c1 <= c0 + 2; c1 += 1)\n      for (int c2 = m - m % 4; c2 <= m - 1; c2 += 1)\n        S(c1, c2);\n}\nif (n % 3 >= \
                    1)\n  for (int c0 = 0; c0 <= m - 1; c0 += 4)\n    for (int c1 = n - n % 3; c1 <= n - 1; c1 += 1)\n      for (int c2 = \
                    c0; c2 <= min(m - 1, c0 + 3); c2 += 1)\n        S(c1, c2);\n";
    assert_eq!(unit.to_string(), expected);
}

const MAPPED: &str = "{ domain: \"[N] -> { S[i] : 0 <= i < N }\", child: { context: \"[b0, t1] -> { [] : 0 <= b0 < 8 and 0 <= t1 < 32 \
                      }\", child: { filter: \"[b0, t1] -> { S[i] : floor(i/32) mod 8 = b0 and i mod 32 = t1 }\", child: { schedule: ";

#[test]
fn dc_01_mapping_to_blocks_and_threads() {
    for member in ["\"[{ S[i] -> [(i)] }]\"", "\"[{ S[i] -> [(floor(i/256))] }]\""] {
        let unit = build(&format!("{MAPPED}{member} }} }} }} }}")).unwrap();
        for n in [0, 1, 200, 300, 777] {
            for (b, t) in [(0, 0), (1, 5), (7, 31)] {
                let expected: Vec<String> =
                    (0..n).filter(|i| (i / 32) % 8 == b && i % 32 == t).map(|i| format!("S({i})")).collect();
                assert_eq!(trace(&unit, &[("N", n), ("b0", b), ("t1", t)]), expected, "{unit}");
            }
        }
        // No loop over blocks or threads, and no remainder of unknown sign.
        assert_eq!((count(&unit, "for ("), count(&unit, "mod(")), (1, 0), "{unit}");
    }
}

#[test]
fn dc_02_extension() {
    let unit = build(
        "{ domain: \"[N] -> { S[i] : 0 <= i < N }\", child: { schedule: \"[{ S[i] -> [(floor(i/32))] }]\", child: { extension: \"[N] -> \
         { [t] -> R[a] : 32t <= a < 32t + 32 and 0 <= a < N }\", child: { sequence: [ { filter: \"{ R[a] }\", child: { schedule: \"[{ \
         R[a] -> [(a)] }]\" } }, { filter: \"{ S[i] }\", child: { schedule: \"[{ S[i] -> [(i)] }]\" } } ] } } } }",
    )
    .unwrap();
    for n in [0, 1, 31, 32, 70] {
        let mut expected = Vec::new();
        for tile in (0..n).step_by(32) {
            for name in ["R", "S"] {
                expected.extend((tile..n.min(tile + 32)).map(|i| format!("{name}({i})")));
            }
        }
        assert_eq!(trace(&unit, &[("N", n)]), expected, "{unit}");
    }
    assert_eq!((count(&unit, "for ("), count(&unit, "if (")), (3, 0), "{unit}");
}

/// What an extension adds runs only where some instance runs: here for even `t`.
#[test]
fn extension_only_where_something_runs() {
    let unit = build(
        "{ domain: \"{ S[i, j] : 0 <= i < 6 and 0 <= 2j < 6 - i and i mod 2 = 0 }\", child: { schedule: \"[{ S[i, j] -> [(i)] }]\", \
         child: { extension: \"{ [t] -> R[] : 1 <= t <= 9 }\", child: { sequence: [ { filter: \"{ R[] }\" }, { filter: \"{ S[i, j] }\", \
         child: { schedule: \"[{ S[i, j] -> [(j)] }]\" } } ] } } } }",
    )
    .unwrap();
    let expected = ["S(0, 0)", "S(0, 1)", "S(0, 2)", "R()", "S(2, 0)", "S(2, 1)", "R()", "S(4, 0)"];
    assert_eq!(trace(&unit, &[]), expected, "{unit}");
}

#[test]
fn dc_03_guard_and_context() {
    let tree = |kind: &str| {
        format!(
            "{{ domain: \"[N] -> {{ S[i] : 0 <= i < N }}\", child: {{ {kind}: \"[N] -> {{ [] : N >= 10 }}\", child: {{ schedule: \
             \"[{{ S[i] -> [(i)] }}]\" }} }} }}"
        )
    };
    let guarded = build(&tree("guard")).unwrap();
    assert_eq!(guarded.to_string(), "if (N >= 10)\n  for (int c0 = 0; c0 <= N - 1; c0 += 1)\n    S(c0);\n");
    let assumed = build(&tree("context")).unwrap();
    assert_eq!(assumed.to_string(), "for (int c0 = 0; c0 <= N - 1; c0 += 1)\n  S(c0);\n");
}

#[test]
fn guard_on_outer_members() {
    let unit = build(
        "{ domain: \"[n] -> { S[i, j] : 0 <= i, j < n }\", child: { schedule: \"[{ S[i, j] -> [(i)] }]\", child: { guard: \"[n] -> { \
         [i] : i mod 3 = 1 or i >= 5 }\", child: { schedule: \"[{ S[i, j] -> [(j)] }]\" } } } }",
    )
    .unwrap();
    for n in 0..8 {
        let rows = (0..n).filter(|i| i % 3 == 1 || *i >= 5);
        let expected: Vec<String> = rows.flat_map(|i| (0..n).map(move |j| format!("S({i}, {j})"))).collect();
        assert_eq!(trace(&unit, &[("n", n)]), expected, "{unit}");
    }
}

#[test]
fn dc_04_expansion() {
    let unit = build(
        "{ domain: \"[n] -> { G[i] : 0 <= i < n }\", child: { schedule: \"[{ G[i] -> [(i)] }]\", child: { contraction: \"{ A[i] -> \
         G[(i)]; B[i] -> G[(i)] }\", expansion: \"{ G[i] -> A[i]; G[i] -> B[i] }\", child: { sequence: [ { filter: \"{ A[i] }\" }, { \
         filter: \"{ B[i] }\" } ] } } } }",
    )
    .unwrap();
    assert_eq!(unit.to_string(), "for (int c0 = 0; c0 <= n - 1; c0 += 1) {\n  A(c0);\n  B(c0);\n}\n");
}

/// One group of two instances each, below a band over groups.
#[test]
fn expansion_into_many() {
    let unit = build(
        "{ domain: \"{ G[g] : 0 <= g < 3 }\", child: { schedule: \"[{ G[g] -> [(-g)] }]\", child: { contraction: \"{ A[i] -> \
         G[(floor(i/2))] }\", expansion: \"{ G[g] -> A[i] : 2g <= i <= 2g + 1 }\", child: { schedule: \"[{ A[i] -> [(i)] }]\" } } } }",
    )
    .unwrap();
    assert_eq!(trace(&unit, &[]), ["A(4)", "A(5)", "A(2)", "A(3)", "A(0)", "A(1)"], "{unit}");
}

#[test]
fn dc_05_and_06_sets_and_marks() {
    let unit = build(
        "{ domain: \"[n] -> { A[i] : 0 <= i < n; B[i] : 0 <= i < n }\", child: { set: [ { filter: \"{ A[i] }\", child: { mark: \
         \"parallel\", child: { schedule: \"[{ A[i] -> [(i)] }]\" } } }, { filter: \"{ B[i] }\", child: { schedule: \"[{ B[i] -> [(i)] \
         }]\" } } ] } }",
    )
    .unwrap();
    assert_eq!((count(&unit, "for ("), count(&unit, "// parallel")), (2, 1), "{unit}");
    assert_eq!(trace(&unit, &[("n", 2)]).len(), 4);
}

#[test]
fn malformed_nodes_are_errors() {
    let twice = build(
        "{ domain: \"{ S[i] : 0 <= i < 4 }\", child: { extension: \"{ [] -> S[i] : 0 <= i < 2 }\", child: { schedule: \"[{ S[i] -> [(i)] \
         }]\" } } }",
    );
    assert!(matches!(twice, Err(AstError::Malformed { .. })), "{twice:?}");
    let deep = build(
        "{ domain: \"{ S[i] : 0 <= i < 4 }\", child: { guard: \"{ [t] : t >= 2 }\", child: { schedule: \"[{ S[i] -> [(i)] }]\" } } }",
    );
    assert!(matches!(deep, Err(AstError::Malformed { .. })), "{deep:?}");
}
