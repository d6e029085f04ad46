//! Where conditions stand: hoisting over siblings, the tree of conditions, degenerate loops, modulo conditions of copy code.

use std::collections::BTreeSet;

use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{AstBuild, AstUnit, interpret};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::{Set, UnionMap};
use tessera_polyhedral::schedule::ScheduleTree;

fn budget() -> Budget {
    Budget::new(2_000_000_000)
}

fn relation(schedule: &str, context: &str, loops: &str) -> AstUnit {
    let parse = |text: &str| UnionMap::parse(text, &budget()).unwrap_or_else(|e| panic!("{text}: {e:#}"));
    let loops = (!loops.is_empty()).then(|| parse(loops));
    let mut build = AstBuild::new();
    if !context.is_empty() {
        build = build.with_context(context.parse::<Set>().unwrap());
    }
    build.build_relation(&parse(schedule), loops.as_ref(), &budget()).unwrap_or_else(|e| panic!("{e}"))
}

fn trace(unit: &AstUnit, params: &[i64]) -> Vec<(String, Vec<i64>)> {
    let params: Vec<Int> = params.iter().map(|&x| Int::from(x)).collect();
    let events = interpret(unit, &params, &Budget::new(10_000_000)).unwrap_or_else(|e| panic!("{e}\n{unit}"));
    let point = |point: &[Int]| point.iter().map(|x| x.to_i64().unwrap()).collect();
    events.iter().map(|event| (event.stmt.to_string(), point(&event.point))).collect()
}

/// The only value of the iterator is one function where n >= m and another one elsewhere.
#[test]
fn ac_07_degenerate_loop() {
    let text = "[n, m] -> { S[i] -> [i] : (i = n and n >= m and n >= 0) or (i = m and m > n and n >= 0) }";
    let unit = relation(text, "", "{ [i] -> atomic[x] }");
    for n in -3..5 {
        for m in -3..5 {
            let expected = if n >= 0 { vec![("S".to_owned(), vec![n.max(m)])] } else { Vec::new() };
            assert_eq!(trace(&unit, &[n, m]), expected, "n = {n}, m = {m}\n{unit}");
        }
    }
    fn degenerate(ast: &tessera_polyhedral::ast::Ast) -> usize {
        use tessera_polyhedral::ast::Ast;
        match ast {
            Ast::For(node) => usize::from(node.degenerate) + degenerate(&node.body),
            Ast::If { then, otherwise, .. } => degenerate(then) + otherwise.as_deref().map_or(0, degenerate),
            Ast::Block(parts) => parts.iter().map(degenerate).sum(),
            Ast::Mark(_, body) => degenerate(body),
            Ast::User { .. } => 0,
        }
    }
    let text = unit.to_string();
    assert_eq!(text.matches("for (").count(), degenerate(&unit.body), "every loop runs at most once\n{unit}");
    assert!(text.starts_with("if (n >= 0)"), "{unit}");
}

/// Siblings with conditions t <= 6, t >= 2, t >= 2; the first one's inner loop runs only where t >= 2.
#[test]
fn ac_21_hoisting_with_what_siblings_enforce() {
    let text =
        "[t] -> { A[i] -> [0, i] : 2 <= i <= t and t <= 6; B[] -> [1, 0] : 2 <= t <= 5; C[] -> [2, 0] : t >= 2 }";
    let unit = relation(text, "[t] -> { : 1 <= t <= 8 }", "");
    // The other conditions stay inside; that on B implies that on A, so B stands under it.
    let expected = "if (t >= 2) {\n  if (t <= 6) {\n    for (int c0 = 2; c0 <= t; c0 += 1)\n      A(c0);\n    if (t <= 5)\n      B();\n  \
                    }\n  C();\n}\n";
    assert_eq!(unit.to_string(), expected);
    for t in 1..=8 {
        let names: Vec<String> = trace(&unit, &[t]).into_iter().map(|(name, _)| name).collect();
        let count = |name: &str| names.iter().filter(|other| *other == name).count() as i64;
        let expected = (if t <= 6 { t - 1 } else { 0 }, i64::from((2..=5).contains(&t)), i64::from(t >= 2));
        assert_eq!((count("A"), count("B"), count("C")), expected, "t = {t}");
    }
}

#[test]
fn ac_22_tree_of_conditions() {
    let domain = "1 <= i and i <= ub and i <= j and j <= n and 1 <= lb and lb <= ub and ub <= n";
    let text = format!(
        "[n, lb, ub] -> {{ s0[i, j] -> [i, j, 0, 0] : {domain} and lb <= i and i + 1 <= j; s3[i, j] -> [i, j, 1, 0] : {domain} and i < lb; \
         s2[i, j] -> [i, j, 2, 0] : {domain} and lb <= i and i + 1 <= j and ub < n; \
         s1[i, j, k] -> [i, j, 3, k] : {domain} and lb <= k and i <= k and k <= ub }}"
    );
    let unit =
        relation(&text, "[n, lb, ub] -> { : 1 <= lb and lb <= ub and ub <= n }", "{ [a, b, c, d] -> atomic[x] }");
    let expected = "for (int c0 = 1; c0 <= ub; c0 += 1)\n  for (int c1 = c0; c1 <= n; c1 += 1) {\n    if (c1 >= c0 + 1 && c0 >= lb) {\n      \
                    s0(c0, c1);\n      if (n >= ub + 1)\n        s2(c0, c1);\n    } else if (c0 <= lb - 1) {\n      s3(c0, c1);\n    }\n    \
                    for (int c2 = max(c0, lb); c2 <= ub; c2 += 1)\n      s1(c0, c1, c2);\n  }\n";
    assert_eq!(unit.to_string(), expected);
    for n in 1..=5 {
        for ub in 1..=n {
            for lb in 1..=ub {
                let mut wanted = Vec::new();
                for i in 1..=ub {
                    for j in i..=n {
                        if lb <= i && i < j {
                            wanted.push(("s0".to_owned(), vec![i, j]));
                        }
                        if i < lb {
                            wanted.push(("s3".to_owned(), vec![i, j]));
                        }
                        if lb <= i && i < j && ub < n {
                            wanted.push(("s2".to_owned(), vec![i, j]));
                        }
                        wanted.extend((lb.max(i)..=ub).map(|k| ("s1".to_owned(), vec![i, j, k])));
                    }
                }
                assert_eq!(trace(&unit, &[n, lb, ub]), wanted, "n = {n}, lb = {lb}, ub = {ub}");
            }
        }
    }
}

/// The two stages of a schedule by residues, as in the problem with the fewest copies possible: full separation writes every statement
/// twice, without conditions on residues. (The input of the original case is not in the paper.)
#[test]
fn ac_26_separated_residues() {
    let text = "[n] -> { A[i, j] -> [i - j, i + j] : 0 <= i, j < n; B[i, j] -> [i - j, i + j + 1] : 0 <= i, j < n }";
    let unit = relation(text, "[n] -> { : n >= 2 }", "{ [a, b] -> separate[x] }");
    let text = unit.to_string();
    assert!(!text.contains('%') && !text.contains("mod("), "{unit}");
    assert!(text.matches("A(").count() <= 2 && text.matches("B(").count() <= 2, "{unit}");
    for n in 2..6 {
        let mut wanted: Vec<(i64, i64, String, Vec<i64>)> = Vec::new();
        for i in 0..n {
            for j in 0..n {
                wanted.push((i - j, i + j, "A".into(), vec![i, j]));
                wanted.push((i - j, i + j + 1, "B".into(), vec![i, j]));
            }
        }
        wanted.sort();
        let wanted: Vec<_> = wanted.into_iter().map(|(_, _, name, point)| (name, point)).collect();
        assert_eq!(trace(&unit, &[n]), wanted, "n = {n}\n{unit}");
    }
}

/// Schedules that are not injective: the instance is recovered from its time by loops over what the schedule does not say. (The
/// inputs of the original cases are not in the paper.)
#[test]
fn ac_27_schedules_that_are_not_injective() {
    for text in [
        "[n] -> { S[i, j] -> [i + j] : 0 <= i, j < n }",
        "[n] -> { S[i, j] -> [floor((2i + 3j)/4)] : 0 <= i, j < n }",
        "[n] -> { S[i, j] -> [t] : 0 <= i, j < n and 3t <= i + 2j <= 3t + 2 }",
        "[n] -> { S[i, j] -> [0] : 0 <= i, j < n }",
    ] {
        let unit = relation(text, "", "");
        for n in -1..6 {
            let found = trace(&unit, &[n]);
            let all: BTreeSet<Vec<i64>> = found.iter().map(|(_, point)| point.clone()).collect();
            let wanted: BTreeSet<Vec<i64>> = (0..n).flat_map(|i| (0..n).map(move |j| vec![i, j])).collect();
            assert_eq!((found.len(), all), (wanted.len(), wanted), "n = {n}\n{unit}");
        }
    }
}

/// The copy code of hexagonal tiles as in the paper's Figure 1, as a relation; `q` is the subscript in the row of 128 elements.
const COPY: &str = "[t1] -> { S[c2, c3, c4] : 0 <= c2 <= 1 and 1 <= c3 <= 4 and (c4 - t1) mod 128 = 0 and \
                    c4 >= c3 - 2 and c4 >= 3 - c3 and c4 <= 128 + c3 + (c2 + c3) mod 2 and c4 <= 134 - c3 - (c2 + c3) mod 2 and \
                    (c3 + c4 >= 7 or (c4 = t1 and c3 + 2 >= t1 and t1 + c3 <= 6 and t1 + c3 >= 3 + (t1 + c2 + 1) mod 2 and \
                    t1 + 2 >= c3 + (t1 + c2 + 1) mod 2) or (c4 = t1 and c3 = 1 and 4 <= t1 <= 5)) }";

/// What Figure 1 executes, written down from its text.
fn figure_1(t1: i64) -> Vec<(String, Vec<i64>)> {
    let rem = |x: i64, d: i64| x.rem_euclid(d);
    let mut result = Vec::new();
    for c2 in 0..=1 {
        for c3 in 1..=4 {
            let low = (rem(t1 - c3 + 130, 128) + c3 - 2).max(rem(t1 + c3 + 125, 128) - c3 + 3);
            let high = (rem(c2 + c3, 2) + c3 + 128).min(-rem(c2 + c3, 2) - c3 + 134);
            let mut c4 = low;
            while c4 <= high {
                let parity = rem(t1 + c2 + 2 * c3 + 1, 2);
                let narrow = c4 == t1 && c3 + 2 >= t1 && t1 + c3 <= 6 && t1 + c3 >= parity + 3 && t1 + 2 >= parity + c3;
                if c3 + c4 >= 7 || narrow || (c4 == t1 && c3 == 1 && (4..=5).contains(&t1)) {
                    result.push(("S".to_owned(), vec![c2, c3, c4]));
                }
                c4 += 128;
            }
        }
    }
    result
}

#[test]
fn ac_32_copy_code_of_hexagonal_tiles() {
    for unrolled in [false, true] {
        let options = if unrolled { "options: \"{ unroll[0]; unroll[1]; unroll[2] }\", " } else { "" };
        let tree = format!(
            "{{ domain: \"{COPY}\", child: {{ context: \"[t1] -> {{ [] : 0 <= t1 < 128 }}\", child: {{ {options}schedule: \
             \"[{{ S[c2, c3, c4] -> [(c2)] }}, {{ S[c2, c3, c4] -> [(c3)] }}, {{ S[c2, c3, c4] -> [(c4)] }}]\" }} }} }}"
        );
        let tree = ScheduleTree::from_yaml(&tree, &budget()).unwrap_or_else(|e| panic!("{e:#}"));
        let unit = AstBuild::new().build(&tree, &budget()).unwrap();
        let text = unit.to_string();
        for t1 in 0..128 {
            assert_eq!(trace(&unit, &[t1]), figure_1(t1), "t1 = {t1}\n{unit}");
        }
        assert!(!text.contains("floord") && !text.contains("mod("), "{text}");
        if unrolled {
            assert!(!text.contains("for ("), "{text}");
            // Figure 2 has twelve copies, of which it executes eight always.
            assert!(text.matches("S(").count() <= 16, "{text}");
        }
    }
}
