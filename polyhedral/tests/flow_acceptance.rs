//! The acceptance cases of dependence analysis and of the legality of schedule trees ("High-Level Loop Transformations and Polyhedral
//! Compilation", 2017), by name.

use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::flow::Accesses;
use tessera_polyhedral::relation::{UnionMap, UnionSet};
use tessera_polyhedral::schedule::{Legality, ScheduleTree};
use tessera_polyhedral::text::{AccessInfo, AccessOrder};

fn budget() -> Budget {
    Budget::new(1_000_000_000)
}

fn map(text: &str) -> UnionMap {
    UnionMap::parse(text, &budget()).unwrap_or_else(|e| panic!("{e:#}\n{text}"))
}

fn set(text: &str) -> UnionSet {
    UnionSet::parse(text, &budget()).unwrap()
}

fn tree(text: &str) -> ScheduleTree {
    ScheduleTree::from_yaml(text, &budget()).unwrap_or_else(|e| panic!("{e:#}\n{text}"))
}

#[track_caller]
fn assert_equal(found: &UnionMap, expected: &str) {
    assert!(found.is_equal(&map(expected), &budget()).unwrap(), "found    {found}\nexpected {expected}");
}

/// A program from its domain, accesses and schedule, all restricted to the domain.
struct Program<'p> {
    domain: &'p str,
    reads: &'p str,
    may_writes: &'p str,
    writes: &'p str,
    kills: &'p str,
    order: &'p str,
}

const NOTHING: Program<'static> =
    Program { domain: "{ }", reads: "{ }", may_writes: "{ }", writes: "{ }", kills: "{ }", order: "{ }" };

impl Program<'_> {
    fn accesses(&self) -> Accesses {
        let domain = set(self.domain);
        let inside = |text: &str| map(text).intersect_domain(&domain, &budget()).unwrap();
        Accesses {
            reads: inside(self.reads),
            may_writes: inside(self.may_writes),
            must_writes: inside(self.writes),
            kills: map(self.kills),
            order: AccessOrder::Map(map(self.order)),
        }
    }
}

/// All memory-based dependences.
fn all(accesses: &Accesses) -> UnionMap {
    let [flow, anti, output] = accesses.memory_based(&budget()).unwrap();
    flow.union(&anti).unwrap().union(&output).unwrap()
}

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

fn legality(tree: &ScheduleTree, dependences: &UnionMap) -> Legality {
    tree.legality(dependences, &budget()).unwrap()
}

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
fn ac_09_validity_restrictions() {
    // R(a)  W(a) -> R(a)  W(b) .. W(a): the instances are the statements L, W1, R1, W2.
    let order = "{ L[] -> [0]; W1[] -> [1]; R1[] -> [2]; W2[] -> [3]; E[] -> [4] }";
    let program = Program {
        domain: "{ L[]; W1[]; R1[]; W2[] }",
        reads: "{ L[] -> a[]; R1[] -> a[] }",
        writes: "{ W1[] -> a[]; W2[] -> a[] }",
        order,
        ..NOTHING
    };
    let reordering = program.accesses().reordering(&budget()).unwrap();
    assert_equal(&reordering.flow, "{ W1[] -> R1[] }");
    // A live-in read stays before all writes, the live-out write after all writes.
    assert_equal(&reordering.forced, "{ L[] -> W1[]; L[] -> W2[]; W1[] -> W2[] }");
    // No other write between the pair: an order dependence.
    assert_equal(&reordering.tagged_order, "{ L[] -> W1[]; L[] -> W2[]; R1[] -> W2[] }");
    // A temporary: killed before and after.
    let temporary = Program {
        kills: "{ B[] -> a[]; E[] -> a[] }",
        reads: "{ R1[] -> a[] }",
        order: "{ B[] -> [0]; W1[] -> [1]; R1[] -> [2]; W2[] -> [3]; E[] -> [4] }",
        ..program
    };
    let reordering = temporary.accesses().reordering(&budget()).unwrap();
    assert_equal(&reordering.forced, "{ }");
    assert_equal(&reordering.live_out, "{ }");
    assert_equal(&reordering.live_in, "{ }");
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

#[test]
fn ac_20_inlining_and_ac_21_calls() {
    let inlined = Program {
        domain: "[n] -> { U[i] : 0 <= i < n; T[i, j] : 0 <= i < j < n }",
        reads: "{ T[i, j] -> A[i, j]; T[i, j] -> A[i, j - 1] }",
        writes: "{ U[i] -> A[i, i]; T[i, j] -> A[i, j] }",
        order: "{ U[i] -> [0, i, 0]; T[i, j] -> [1, i, j] }",
        ..NOTHING
    };
    let flow = inlined.accesses().flow(&budget()).unwrap();
    assert_equal(
        &flow.must_dependence(&budget()).unwrap(),
        "[n] -> { U[i] -> T[i, i + 1] : 0 <= i < n - 1; T[i, j] -> T[i, j + 1] : 0 <= i < j < n - 1 }",
    );
    assert_equal(flow.may_no_source(), "[n] -> { T[i, j] -> A[i, j] : 0 <= i < j < n }");
    let call = Program {
        domain: "[n] -> { S[]; T[i, j] : 0 <= i < j < n }",
        writes: "[n] -> { S[] -> A[i, i] : 0 <= i < n; T[i, j] -> A[i, j] }",
        order: "{ S[] -> [0, 0, 0]; T[i, j] -> [1, i, j] }",
        ..inlined
    };
    let flow = call.accesses().flow(&budget()).unwrap();
    assert_equal(
        &flow.must_dependence(&budget()).unwrap(),
        "[n] -> { S[] -> T[i, i + 1] : 0 <= i < n - 1; T[i, j] -> T[i, j + 1] : 0 <= i < j < n - 1 }",
    );
}

#[test]
fn ac_22_structures() {
    let program = Program {
        domain: "{ S[]; T[]; U[i] : 0 <= i < 10 }",
        reads: "{ U[i] -> a_a[a[] -> a[]]; U[i] -> a_b[a[] -> b[]] }",
        writes: "{ S[] -> a_b[a[] -> b[]]; T[] -> a_a[a[] -> a[]]; U[i] -> b_a[b[i] -> a[]]; U[i] -> b_b[b[i] -> b[]] }",
        order: "{ S[] -> [0, 0]; T[] -> [1, 0]; U[i] -> [2, i] }",
        ..NOTHING
    };
    let accesses = program.accesses();
    let flow = accesses.flow(&budget()).unwrap();
    assert_equal(&flow.must_dependence(&budget()).unwrap(), "{ S[] -> U[i] : 0 <= i < 10; T[] -> U[i] : 0 <= i < 10 }");
    assert_equal(flow.may_no_source(), "{ }");
    assert_equal(&accesses.false_dependences(&budget()).unwrap().may_dependence(&budget()).unwrap(), "{ }");
}

fn tagged_scalar(kills: &'static str) -> Program<'static> {
    Program {
        domain: "[n] -> { [S[i] -> R[]] : 0 <= i < n; [S[i] -> W[]] : 0 <= i < n; [T[i] -> R[]] : 0 <= i < n; [T[i] -> W[]] : 0 <= i < n }",
        reads: "{ [S[i] -> R[]] -> A[i]; [T[i] -> R[]] -> t[] }",
        writes: "{ [S[i] -> W[]] -> t[]; [T[i] -> W[]] -> B[i] }",
        kills,
        order: "{ S[i] -> [0, i, 0]; T[i] -> [0, i, 1]; K[] -> [1, 0, 0] }",
        ..NOTHING
    }
}

#[test]
fn ac_25_kills() {
    let without = tagged_scalar("{ }").accesses().reordering(&budget()).unwrap();
    let with = tagged_scalar("{ K[] -> t[] }").accesses().reordering(&budget()).unwrap();
    for found in [&without, &with] {
        assert_equal(&found.flow, "[n] -> { S[i] -> T[i] : 0 <= i < n }");
        assert_equal(&found.tagged_flow, "[n] -> { [S[i] -> W[]] -> [T[i] -> R[]] : 0 <= i < n }");
        assert_equal(&found.tagged_order, "[n] -> { [T[i] -> R[]] -> [S[k] -> W[]] : 0 <= i < k < n }");
        assert_equal(
            &found.false_dependences,
            "[n] -> { S[i] -> S[i + 1] : 0 <= i < n - 1; T[i] -> S[i + 1] : 0 <= i < n - 1 }",
        );
    }
    assert_equal(&without.forced, "[n] -> { S[i] -> S[k] : k = n - 1 and 0 <= i < k }");
    assert_equal(&with.forced, "{ }");
    assert_equal(&with.live_out, "[n] -> { [T[i] -> W[]] -> B[i] : 0 <= i < n }");
    // The constraints of a scheduler: the order dependences of t keep the loop sequential unless t is private.
    let domain = set("[n] -> { S[i] : 0 <= i < n; T[i] : 0 <= i < n }");
    let t = set("{ t[] }").members().next().unwrap().space().clone();
    let private = with.constraints(&domain, &[t], &budget()).unwrap();
    let shared = with.constraints(&domain, &[], &budget()).unwrap();
    let fused = tree(
        "{ domain: \"[n] -> { S[i] : 0 <= i < n; T[i] : 0 <= i < n }\", child: { schedule: \"[{ S[i] -> [(i)]; T[i] -> [(i)] }]\", child: { \
         sequence: [ { filter: \"{ S[i] }\" }, { filter: \"{ T[i] }\" } ] } } }",
    );
    let coincident = |found: &tessera_polyhedral::text::ScheduleConstraints| {
        fused.true_flags(&found.validity, &found.coincidence, &budget()).unwrap()[0].coincident[0]
    };
    assert!(coincident(&private) && !coincident(&shared));
    let unkilled = without.constraints(&domain, &[set("{ t[] }").members().next().unwrap().space().clone()], &budget());
    assert!(!coincident(&unkilled.unwrap()));
}

#[test]
fn ac_27_live_ranges() {
    let program = Program {
        domain: "{ S1[]; S2[]; S3[]; S4[] }",
        reads: "{ S2[] -> a[]; S4[] -> a[] }",
        writes: "{ S1[] -> a[]; S3[] -> a[] }",
        order: "{ S1[] -> [0]; S2[] -> [1]; S3[] -> [2]; S4[] -> [3]; K[] -> [4] }",
        ..NOTHING
    };
    let found = program.accesses().reordering(&budget()).unwrap();
    assert_equal(&found.flow, "{ S1[] -> S2[]; S3[] -> S4[] }");
    assert_equal(&found.false_dependences, "{ S2[] -> S3[]; S1[] -> S3[] }");
    assert_equal(&found.tagged_order, "{ S2[] -> S3[] }");
    assert_equal(&found.forced, "{ S1[] -> S3[] }");
    let killed = Program { kills: "{ K[] -> a[] }", ..program }.accesses().reordering(&budget()).unwrap();
    assert_equal(&killed.forced, "{ }");
    assert_equal(&killed.tagged_order, "{ S2[] -> S3[] }");
}

/// F-DA1: "no kill before" is not "no source before".
#[test]
fn f_da1_may_no_source() {
    let analyse = |kill: &str| {
        let info = AccessInfo {
            sink: map("[n] -> { Q[i] -> t[] : 0 <= i < n }"),
            must_source: map("{ }"),
            may_source: map("[n] -> { P[i] -> t[] : 0 <= i < n }"),
            kill: map(kill),
            order: AccessOrder::Map(map("{ P[i] -> [i, 0]; Q[i] -> [i, 1] }")),
        };
        info.compute_flow(&budget()).unwrap()
    };
    let dependence = "[n] -> { P[i] -> Q[k] : 0 <= i <= k < n }";
    let without = analyse("{ }");
    assert_equal(&without.may_dependence(&budget()).unwrap(), dependence);
    assert_equal(without.may_no_source(), "[n] -> { Q[i] -> t[] : 0 <= i < n }");
    assert_equal(without.must_no_source(), "{ }");
    let with = analyse("[n] -> { P[0] -> t[] : n > 0 }");
    assert_equal(&with.may_dependence(&budget()).unwrap(), dependence);
    assert_equal(with.may_no_source(), "{ }");
}

/// Simultaneous instances are unordered, in maps and under set nodes; deliberately not as isl, which drops all but the last instance of
/// one statement at one time.
#[test]
fn simultaneous_instances_do_not_hide_each_other() {
    let info = AccessInfo {
        sink: map("{ K[] -> a[] }"),
        must_source: map("{ S[i] -> a[] : 0 <= i < 3 }"),
        may_source: map("{ }"),
        kill: map("{ }"),
        order: AccessOrder::Map(map("{ S[i] -> [0]; K[] -> [1] }")),
    };
    let flow = info.compute_flow(&budget()).unwrap();
    assert_equal(&flow.may_dependence(&budget()).unwrap(), "{ S[i] -> K[] : 0 <= i < 3 }");
    assert_equal(&flow.must_dependence(&budget()).unwrap(), "{ }");
}

#[test]
fn errors_say_what_to_mend() {
    let base = AccessInfo {
        sink: map("{ T[i] -> a[] : 0 <= i < 9 }"),
        must_source: map("{ S[i, j] -> a[] : 0 <= i < 9 }"),
        may_source: map("{ }"),
        kill: map("{ }"),
        order: AccessOrder::Map(map("{ S[i, j] -> [i, j]; T[i] -> [10, i] }")),
    };
    // The inner loop of the writes never ends: there is no last one.
    let error = base.compute_flow(&budget()).unwrap_err().to_string();
    assert!(error.contains("last instance of"), "{error}");
    let twice = AccessInfo {
        order: AccessOrder::Map(map("{ S[i, j] -> [i, j]; T[i] -> [i, k] : 0 <= k < 2 }")),
        ..base.clone()
    };
    assert!(twice.compute_flow(&budget()).unwrap_err().to_string().contains("several times"));
    let uneven = AccessInfo { order: AccessOrder::Map(map("{ S[i, j] -> [i, j]; T[i] -> [i] }")), ..base.clone() };
    assert!(uneven.compute_flow(&budget()).unwrap_err().to_string().contains("use one tuple"));
    assert!(base.compute_flow(&Budget::new(10)).unwrap_err().to_string().contains("budget"));
}
