//! The acceptance cases of dependence analysis and of the legality of schedule trees ("High-Level Loop Transformations and Polyhedral
//! Compilation", 2017), by name.
//!
//! Here are the cases that dependence analysis and the legality of trees decide. AC-03, AC-04 and AC-12 (tiling, fusion) are edits of trees
//! (`schedule_operations.rs`), AC-24 is for the scheduler, AC-16 (dependences with run-time parameters), AC-17 (extraction), AC-19, AC-23,
//! AC-26 (models of calls and of structured dynamic control), AC-28 and AC-29 (devices) are for the parts of Tessera that make models and map
//! them. Deliberately different from isl: instances of one statement at one time do not hide each other (`flow_reordering.rs`).

use crate::flow_support::*;
use tessera_polyhedral::flow::{AccessOrder, Accesses};
use tessera_polyhedral::relation::UnionMap;
use tessera_polyhedral::schedule::ScheduleTree;

fn distribution() -> Program<'static> {
    Program {
        domain: "{ S[i] : 1 <= i < 100; T[i] : 1 <= i < 100 }",
        reads: "{ T[i] -> A[i]; T[i] -> A[i - 1] }",
        writes: "{ S[i] -> A[i]; T[i] -> B[i] }",
        order: "{ S[i] -> [i, 0]; T[i] -> [i, 1] }",
        ..NOTHING
    }
}

const FUSED: &str = "{ domain: \"{ S[i] : 1 <= i < 100; T[i] : 1 <= i < 100 }\", child: { schedule: \"[{ S[i] -> [(i)]; T[i] -> [(i)] }]\", \
                     child: { sequence: [ { filter: \"{ S[i] }\" }, { filter: \"{ T[i] }\" } ] } } }";

const DISTRIBUTED: &str = "{ domain: \"{ S[i] : 1 <= i < 100; T[i] : 1 <= i < 100 }\", child: { sequence: [ { filter: \"{ S[i] }\", child: { \
                           schedule: \"[{ S[i] -> [(i)] }]\" } }, { filter: \"{ T[i] }\", child: { schedule: \"[{ T[i] -> [(i)] }]\" } } ] } }";

#[test]
fn ac_01_distribution_legal() {
    let accesses = distribution().accesses();
    let [flow, anti, output] = accesses.memory_based(&budget()).unwrap();
    let (same, next) = ("S[i] -> T[i] : 1 <= i < 100", "S[i] -> T[i + 1] : 1 <= i and i + 1 < 100");
    assert_equal(&flow, &format!("{{ {same}; {next} }}"));
    assert!(anti.is_empty(&budget()).unwrap() && output.is_empty(&budget()).unwrap());
    assert_equal(accesses.flow(&budget()).unwrap().may_no_source(), "{ T[1] -> A[0] }");
    // The original tree.
    let report = legality(&tree(FUSED), &flow);
    assert!(report.is_legal());
    let band = report.at(&[0]).unwrap();
    assert_equal(&band.satisfied, &format!("{{ {same}; {next} }}"));
    assert_equal(&band.carried, &format!("{{ {next} }}"));
    assert_equal(&band.remaining, &format!("{{ {same} }}"));
    let sequence = report.at(&[0, 0]).unwrap();
    assert_equal(&sequence.satisfied, &format!("{{ {same} }}"));
    assert_equal(&sequence.carried, &format!("{{ {same} }}"));
    assert_equal(&sequence.remaining, "{ }");
    assert!(!tree(FUSED).true_flags(&flow, &flow, &budget()).unwrap()[0].coincident[0]);
    // The distributed one.
    let report = legality(&tree(DISTRIBUTED), &flow);
    assert!(report.is_legal());
    let sequence = report.at(&[0]).unwrap();
    assert_equal(&sequence.satisfied, &format!("{{ {same}; {next} }}"));
    assert_equal(&sequence.carried, &format!("{{ {same}; {next} }}"));
    for flags in tree(DISTRIBUTED).true_flags(&flow, &flow, &budget()).unwrap() {
        assert_eq!((flags.permutable, flags.coincident), (true, vec![true]));
    }
    let edited = tree(FUSED).cursor_at(&[0]).unwrap().distribute().unwrap().checked(&flow, &budget());
    assert!(edited.is_ok());
}

#[test]
fn ac_02_distribution_illegal() {
    let program = Program { reads: "{ T[i] -> A[i]; T[i] -> A[i + 1] }", ..distribution() };
    let accesses = program.accesses();
    let dependences = all(&accesses);
    assert_equal(&dependences, "{ S[i] -> T[i] : 1 <= i < 100; T[i] -> S[i + 1] : 1 <= i and i + 1 < 100 }");
    assert_equal(accesses.flow(&budget()).unwrap().may_no_source(), "{ T[i] -> A[i + 1] : 1 <= i <= 99 }");
    assert!(legality(&tree(FUSED), &dependences).is_legal());
    let report = legality(&tree(DISTRIBUTED), &dependences);
    let sequence = report.at(&[0]).unwrap();
    assert_equal(&sequence.satisfied, "{ S[i] -> T[i] : 1 <= i < 100 }");
    assert_equal(&sequence.violated, "{ T[i] -> S[i + 1] : 1 <= i and i + 1 < 100 }");
    let edited = tree(FUSED).cursor_at(&[0]).unwrap().distribute().unwrap().checked(&dependences, &budget());
    assert!(edited.unwrap_err().to_string().contains("T[i] -> S[i' = i + 1]"));
}

#[test]
fn ac_05_overview_stencil() {
    let program = Program {
        domain: "[T, N] -> { S[t, i] : 0 <= t < T and 1 <= i < N - 1 }",
        reads: "{ S[t, i] -> A[t mod 2, i - 1]; S[t, i] -> A[t mod 2, i + 1] }",
        writes: "{ S[t, i] -> A[(t + 1) mod 2, i] }",
        order: "{ S[t, i] -> [t, i] }",
        ..NOTHING
    };
    let flow = program.accesses().flow(&budget()).unwrap();
    let expected = "[T, N] -> { S[t, i] -> S[t + 1, i + 1] : 0 <= t <= T - 2 and 0 < i <= N - 3; S[t, i] -> S[t + 1, i - 1] : 0 <= t \
                    <= T - 2 and 2 <= i <= N - 2 }";
    assert_equal(&flow.must_dependence(&budget()).unwrap(), expected);
    assert_equal(&flow.may_dependence(&budget()).unwrap(), expected);
    let live_in = "[T, N] -> { S[t, 1] -> A[t mod 2, 0] : 0 <= t < T and N >= 3; S[t, i] -> A[t mod 2, N - 1] : i = N - 2 and 0 <= t < T \
                   and N >= 3; S[0, i] -> A[0, i - 1] : T > 0 and 1 <= i < N - 1; S[0, i] -> A[0, i + 1] : T > 0 and 1 <= i < N - 1 }";
    assert_equal(flow.may_no_source(), live_in);
}

#[test]
fn ac_06_reversed_consumer() {
    let program = Program {
        domain: "{ S[i] : 0 <= i < 3; T[i] : 0 <= i < 3 }",
        reads: "{ S[i] -> A[i]; T[i] -> B[2 - i] }",
        writes: "{ S[i] -> B[i]; T[i] -> C[i] }",
        order: "{ S[i] -> [0, i]; T[i] -> [1, i] }",
        ..NOTHING
    };
    let accesses = program.accesses();
    let flow = accesses.flow(&budget()).unwrap();
    assert_equal(&flow.must_dependence(&budget()).unwrap(), "{ S[i] -> T[2 - i] : 0 <= i < 3 }");
    assert_equal(flow.may_no_source(), "{ S[i] -> A[i] : 0 <= i < 3 }");
    let fused = |t: &str| {
        tree(&format!(
            "{{ domain: \"{{ S[i] : 0 <= i < 3; T[i] : 0 <= i < 3 }}\", child: {{ schedule: \"[{{ S[i] -> [(i)]; T[i] -> [({t})] }}]\", \
             child: {{ sequence: [ {{ filter: \"{{ S[i] }}\" }}, {{ filter: \"{{ T[i] }}\" }} ] }} }} }}"
        ))
    };
    let dependences = all(&accesses);
    assert!(legality(&fused("2 - i"), &dependences).is_legal());
    let report = legality(&fused("i"), &dependences);
    assert_equal(&report.violations().next().unwrap().violated, "{ S[2] -> T[0] }");
}

fn matmul() -> Program<'static> {
    Program {
        domain: "[M, N, K] -> { S1[i, j] : 0 <= i < M and 0 <= j < N; S2[i, j, k] : 0 <= i < M and 0 <= j < N and 0 <= k < K }",
        reads: "{ S2[i, j, k] -> C[i, j]; S2[i, j, k] -> A[i, k]; S2[i, j, k] -> B[k, j] }",
        writes: "{ S1[i, j] -> C[i, j]; S2[i, j, k] -> C[i, j] }",
        order: "{ S1[i, j] -> [i, j, 0, 0]; S2[i, j, k] -> [i, j, 1, k] }",
        ..NOTHING
    }
}

#[test]
fn ac_07_matmul() {
    let accesses = matmul().accesses();
    let flow = accesses.flow(&budget()).unwrap();
    let domain = "0 <= i < M and 0 <= j < N";
    assert_equal(
        &flow.must_dependence(&budget()).unwrap(),
        &format!(
            "[M, N, K] -> {{ S1[i, j] -> S2[i, j, 0] : K > 0 and {domain}; S2[i, j, k] -> S2[i, j, k + 1] : 0 <= k <= K - 2 and {domain} }}"
        ),
    );
    assert_equal(
        flow.may_no_source(),
        &format!(
            "[M, N, K] -> {{ S2[i, j, k] -> A[i, k] : {domain} and 0 <= k < K; S2[i, j, k] -> B[k, j] : {domain} and 0 <= k < K }}"
        ),
    );
    assert_equal(
        &accesses.live_out(&budget()).unwrap(),
        &format!(
            "[M, N, K] -> {{ S2[i, j, k] -> C[i, j] : k = K - 1 and K > 0 and {domain}; S1[i, j] -> C[i, j] : K <= 0 and {domain} }}"
        ),
    );
}

const MATMUL_TREE: &str = r#"
domain: "[M, N, K] -> { S1[i, j] : 0 <= i < M and 0 <= j < N; S2[i, j, k] : 0 <= i < M and 0 <= j < N and 0 <= k < K }"
child:
  schedule: "[{ S1[i, j] -> [(i)]; S2[i, j, k] -> [(i)] }]"
  child:
    schedule: "[{ S1[i, j] -> [(j)]; S2[i, j, k] -> [(j)] }]"
    child:
      sequence:
      - filter: "{ S1[i, j] }"
      - filter: "{ S2[i, j, k] }"
        child:
          schedule: "[{ S2[i, j, k] -> [(k)] }]"
"#;

#[test]
fn ac_08_flattening() {
    let tree = tree(MATMUL_TREE);
    let at = |path: &[usize]| tree.cursor_at(path).unwrap().subtree_schedule(&budget()).unwrap();
    assert_equal(&at(&[0, 0, 0]), "{ S1[i, j] -> [0, 0]; S2[i, j, k] -> [1, k] }");
    assert_equal(&at(&[0, 0]), "{ S1[i, j] -> [j, 0, 0]; S2[i, j, k] -> [j, 1, k] }");
    assert_equal(&at(&[0]), "{ S1[i, j] -> [i, j, 0, 0]; S2[i, j, k] -> [i, j, 1, k] }");
    // The tree and the map give the same dependences.
    let by_tree = Accesses { order: AccessOrder::Tree(tree.clone()), ..matmul().accesses() };
    let found = by_tree.flow(&budget()).unwrap();
    let expected = matmul().accesses().flow(&budget()).unwrap();
    let equal = |a: &UnionMap, b: &UnionMap| assert!(a.is_equal(b, &budget()).unwrap(), "{a}\n{b}");
    equal(found.full_must_dependence(), expected.full_must_dependence());
    equal(found.may_no_source(), expected.may_no_source());
}

#[test]
fn ac_10_skewing_and_interchange() {
    let program = Program {
        domain: "{ S[i, j] : 1 <= i < 6 and 0 <= j < 6 }",
        reads: "{ S[i, j] -> A[i - 1, j + 1] }",
        writes: "{ S[i, j] -> A[i, j] }",
        order: "{ S[i, j] -> [i, j] }",
        ..NOTHING
    };
    let dependences = all(&program.accesses());
    assert_equal(&dependences, "{ S[i, j] -> S[i + 1, j - 1] : 1 <= i and i + 1 < 6 and 0 < j and j < 6 }");
    let band = |a: &str, b: &str| {
        tree(&format!(
            "{{ domain: \"{{ S[i, j] : 1 <= i < 6 and 0 <= j < 6 }}\", child: {{ schedule: \"[{{ S[i, j] -> [({a})] }}, {{ S[i, j] -> [({b})] \
             }}]\" }} }}"
        ))
    };
    let flags = |tree: &ScheduleTree| tree.true_flags(&dependences, &dependences, &budget()).unwrap().remove(0);
    let original = flags(&band("i", "j"));
    assert_eq!((original.permutable, original.coincident), (false, vec![false, false]));
    // Inside i the loop over j is parallel: as a band of its own it is coincident.
    let split = band("i", "j").cursor_at(&[0]).unwrap().split(1).unwrap().into_tree();
    let inner = split.true_flags(&dependences, &dependences, &budget()).unwrap().remove(1);
    assert_eq!(inner.coincident, [true]);
    let skewed = flags(&band("i + j", "i"));
    assert_eq!((skewed.permutable, skewed.coincident), (true, vec![true, false]));
}

#[test]
fn ac_11_array_dataflow() {
    let program = Program {
        domain: "[N] -> { F[i, j] : 0 <= i < N and 0 <= j < N - i; G[i] : 0 <= i < N }",
        reads: "{ F[i, j] -> a[i + j]; G[i] -> a[i] }",
        writes: "{ F[i, j] -> a[i + j] }",
        order: "{ F[i, j] -> [0, i, j]; G[i] -> [1, i, 0] }",
        ..NOTHING
    };
    let accesses = program.accesses();
    let flow = accesses.flow(&budget()).unwrap();
    assert_equal(
        &flow.must_dependence(&budget()).unwrap(),
        "[N] -> { F[i, 0] -> G[i] : 0 <= i < N; F[i, j] -> F[i + 1, j - 1] : i >= 0 and 0 < j < N - i }",
    );
    assert_equal(flow.may_no_source(), "[N] -> { F[0, j] -> a[j] : 0 <= j < N }");
    let [memory, ..] = accesses.memory_based(&budget()).unwrap();
    let to_g = memory.intersect_range(&set("{ G[i] }"), &budget()).unwrap();
    assert_equal(&to_g, "[N] -> { F[i, j] -> G[i + j] : 0 <= i < N and 0 <= j < N - i }");
}

fn scalar() -> Program<'static> {
    Program {
        domain: "[n] -> { S[i] : 0 <= i < n; T[i] : 0 <= i < n }",
        reads: "{ S[i] -> A[i]; T[i] -> t[] }",
        writes: "{ S[i] -> t[]; T[i] -> B[i] }",
        order: "{ S[i] -> [i, 0]; T[i] -> [i, 1] }",
        ..NOTHING
    }
}

#[test]
fn ac_13_false_dependences() {
    let accesses = scalar().accesses();
    let [flow, anti, output] = accesses.memory_based(&budget()).unwrap();
    assert_equal(&flow, "[n] -> { S[i] -> T[k] : 0 <= i <= k < n }");
    assert_equal(&anti, "[n] -> { T[i] -> S[k] : 0 <= i < k < n }");
    assert_equal(&output, "[n] -> { S[i] -> S[k] : 0 <= i < k < n }");
    let dataflow = accesses.flow(&budget()).unwrap();
    assert_equal(&dataflow.must_dependence(&budget()).unwrap(), "[n] -> { S[i] -> T[i] : 0 <= i < n }");
    let found = accesses.false_dependences(&budget()).unwrap().may_dependence(&budget()).unwrap();
    assert_equal(&found, "[n] -> { S[i] -> S[i + 1] : 0 <= i < n - 1; T[i] -> S[i + 1] : 0 <= i < n - 1 }");
    let live_out = accesses.live_out(&budget()).unwrap();
    assert_equal(&live_out, "[n] -> { T[i] -> B[i] : 0 <= i < n; S[i] -> t[] : i = n - 1 and n > 0 }");
    // Expanded.
    let expanded =
        Program { reads: "{ S[i] -> A[i]; T[i] -> t[i] }", writes: "{ S[i] -> t[i]; T[i] -> B[i] }", ..scalar() };
    assert_equal(&all(&expanded.accesses()), "[n] -> { S[i] -> T[i] : 0 <= i < n }");
}

#[test]
fn ac_14_approximate_dataflow() {
    let program = Program {
        domain: "[n] -> { S1[i] : 0 <= i < n; S2[i] : 0 <= i < n; S3[i] : 0 <= i < n; S5[i] : 0 <= i < n; S6[i] : 0 <= i < n }",
        reads: "{ S2[i] -> t[]; S6[i] -> t[] }",
        may_writes: "{ S5[i] -> t[] }",
        writes: "{ S1[i] -> t[]; S3[i] -> t[]; S2[i] -> A[i]; S6[i] -> B[i] }",
        order: "{ S1[i] -> [i, 0]; S2[i] -> [i, 1]; S3[i] -> [i, 2]; S5[i] -> [i, 3]; S6[i] -> [i, 4] }",
        ..NOTHING
    };
    let flow = program.accesses().flow(&budget()).unwrap();
    assert_equal(
        &flow.may_dependence(&budget()).unwrap(),
        "[n] -> { S1[i] -> S2[i] : 0 <= i < n; S3[i] -> S6[i] : 0 <= i < n; S5[i] -> S6[i] : 0 <= i < n }",
    );
    assert_equal(&flow.must_dependence(&budget()).unwrap(), "[n] -> { S1[i] -> S2[i] : 0 <= i < n }");
    // As must-write it hides S3; without must-writes everything earlier is seen (F-FD2).
    let certain = Program { may_writes: "{ }", writes: "{ S1[i] -> t[]; S3[i] -> t[]; S5[i] -> t[] }", ..program };
    let flow = certain.accesses().flow(&budget()).unwrap();
    assert_equal(
        &flow.may_dependence(&budget()).unwrap(),
        "[n] -> { S1[i] -> S2[i] : 0 <= i < n; S5[i] -> S6[i] : 0 <= i < n }",
    );
    let nothing_certain =
        Program { may_writes: "{ S1[i] -> t[]; S3[i] -> t[]; S5[i] -> t[] }", writes: "{ }", ..program };
    let accesses = nothing_certain.accesses();
    let [memory, ..] = accesses.memory_based(&budget()).unwrap();
    let found = accesses.flow(&budget()).unwrap().may_dependence(&budget()).unwrap();
    assert!(found.is_equal(&memory, &budget()).unwrap());
}

#[test]
fn ac_15_may_writes() {
    let program = Program {
        domain: "[N] -> { R0[]; T[]; R1[a] : 0 <= a < N }",
        reads: "{ R1[a] -> A[a] }",
        may_writes: "[N] -> { T[] -> A[a] : 0 <= a < N }",
        writes: "[N] -> { R0[] -> A[a] : 0 <= a < N }",
        order: "{ R0[] -> [0]; T[] -> [1]; R1[a] -> [2] }",
        ..NOTHING
    };
    let flow = program.accesses().flow(&budget()).unwrap();
    assert_equal(
        &flow.may_dependence(&budget()).unwrap(),
        "[N] -> { R0[] -> R1[a] : 0 <= a < N; T[] -> R1[a] : 0 <= a < N }",
    );
    assert_equal(&flow.must_dependence(&budget()).unwrap(), "{ }");
    assert_equal(flow.may_no_source(), "{ }");
}
