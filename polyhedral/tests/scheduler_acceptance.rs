//! The acceptance cases for the scheduler, by the names of the specification (AC-nn): kernels and constraint sets of
//! *Scheduling for PPCG* with the bands that must come out. All schedules are checked for legality by `schedule` itself.
//!
//! Elsewhere: AC-01 and AC-02 as dependence analysis (`flow_reordering.rs`), AC-03, AC-05, the original AC-19,
//! AC-27 and AC-32 (`scheduler_kernels.rs`), AC-22 to AC-25 (`scheduler_chains.rs`); in the
//! scheduler itself AC-11, AC-28 and AC-29 (`cone`, `sizes`), AC-12 (`independence`), AC-30 and AC-33 (`carry`). AC-16 is part of AC-09
//! (c) and (d). Not here: AC-06 to AC-08 map loops to devices. AC-34 is about alternatives that the scheduler does not have.

use crate::scheduling::shown::*;
use tessera_polyhedral::Error;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::UnionMap;
use tessera_polyhedral::schedule::Node;
use tessera_polyhedral::scheduler::{Fusion, Options, ScheduleConstraints, schedule, wavefront};

const MATMUL: (&str, &str) = (
    "[M, N, K] -> { S1[i, j] : 0 <= i < M and 0 <= j < N; S2[i, j, k] : 0 <= i < M and 0 <= j < N and 0 <= k < K }",
    "[M, N, K] -> { S1[i, j] -> S2[i, j, 0] : 0 <= i < M and 0 <= j < N and 0 < K; \
     S2[i, j, k] -> S2[i, j, k + 1] : 0 <= i < M and 0 <= j < N and 0 <= k < K - 1 }",
);

#[test]
fn ac_04_matmul() {
    let c = constraints(MATMUL.0, MATMUL.1);
    let tree = run(&c, &Options::parallel());
    assert_eq!(bands(&tree), ["S1:i S2:i / S1:j S2:j / S1:0 S2:k / permutable 110"]);
    let Node::Domain(_, child) = tree.root() else { panic!("{tree}") };
    let Node::Band(_, child) = &**child else { panic!("{tree}") };
    assert!(matches!(&**child, Node::Sequence(children) if children.len() == 2), "{tree}");
    // No fusion across components: S1 and S2 apart.
    let apart = run(&c, &Options::default().with_fusion(Fusion::None));
    assert_eq!(bands(&apart), ["S1:i / S1:j / permutable 11", "S2:i / S2:j / S2:k / permutable 110"]);
}

const JACOBI_2D: (&str, &str) = (
    "[T, N] -> { S[t, i, j] : 0 <= t < T and 1 <= i, j < N - 1; T[t, i, j] : 0 <= t < T and 1 <= i, j < N - 1 }",
    "[T, N] -> { S[t, i, j] -> T[t, i', j'] : 0 <= t < T and 1 <= i, j, i', j' < N - 1 and \
         ((i' = i and j - 1 <= j' <= j + 1) or (j' = j and i - 1 <= i' <= i + 1)); \
       T[t, i, j] -> S[t + 1, i', j'] : 0 <= t < T - 1 and 1 <= i, j, i', j' < N - 1 and \
         ((i' = i and j - 1 <= j' <= j + 1) or (j' = j and i - 1 <= i' <= i + 1)) }",
);

/// (a): not the row `2t+i+j` of the report, which is older than the objective it describes (erratum E-4).
#[test]
fn ac_09_jacobi_2d_a_bands() {
    let c = constraints(JACOBI_2D.0, JACOBI_2D.1);
    let tree = run(&c, &Options::default());
    assert_eq!(bands(&tree), ["S:t T:t / S:2t+i T:2t+i+1 / S:2t+j T:2t+j+1 / permutable 000"]);
}

#[test]
fn ac_09_jacobi_2d_c_plain_feautrier_row() {
    let c = constraints(JACOBI_2D.0, JACOBI_2D.1);
    let options = Options { split_scaled: false, carry_self_first: false, ..Options::parallel() };
    let tree = run(&c, &options);
    assert_eq!(bands(&tree)[0], "S:2t T:2t+1 / ordered 0", "{tree}");
}

#[test]
fn ac_09_jacobi_2d_d_outer_coincidence() {
    let c = constraints(JACOBI_2D.0, JACOBI_2D.1);
    let tree = run(&c, &Options::parallel());
    assert_eq!(bands(&tree), ["S:t T:t / ordered 0", "S:i / S:j / permutable 11", "T:i / T:j / permutable 11"]);
    assert_eq!(greatest_coefficient(&tree), 1);
}

/// Example 10: the dependences of `s += f(i, j)` need one group per disjunct.
#[test]
fn ac_11_groups_are_disjuncts() {
    let c = constraints(
        "[n] -> { S[i, j] : 0 <= i, j < n }",
        "[n] -> { S[i, j] -> S[i, j + 1] : 0 <= i < n and 0 <= j < n - 1; S[i, n - 1] -> S[i + 1, 0] : 0 <= i < n - 1 }",
    );
    let tree = run(&c, &Options::parallel());
    assert_eq!(bands(&tree), ["S:i / ordered 0", "S:j / ordered 0"]);
}

const SEIDEL: (&str, &str) = (
    "[T, N] -> { S[t, i, j] : 0 <= t < T and 1 <= i, j <= N - 2 }",
    "[T, N] -> { S[t, i, j] -> S[t', i', j'] : 0 <= t, t' < T and 1 <= i, j, i', j' <= N - 2 and \
      ((t' = t and i' = i and j' = j + 1) or (t' = t and i' = i + 1 and j - 1 <= j' <= j + 1) or \
       (t' = t + 1 and i - 1 <= i' <= i + 1 and j - 1 <= j' <= j + 1 and (i' < i or (i' = i and j' <= j)))) }",
);

#[test]
fn ac_12_seidel_2d_and_ac_18() {
    let tree = run(&constraints(SEIDEL.0, SEIDEL.1), &Options::parallel());
    assert_eq!(bands(&tree), ["S:4t+2i+j / ordered 0", "S:t / S:i / permutable 11"]);
    let tree = run(&constraints(SEIDEL.0, SEIDEL.1), &Options::default());
    assert_eq!(bands(&tree), ["S:t / S:t+i / S:2t+i+j / permutable 000"]);
}

/// Example 12: the search goes on after the first solution, `i`, because a better one, `j`, exists.
#[test]
fn ac_13_better_solutions_are_looked_for() {
    let mut c = constraints("{ S[i, j] : 0 <= i <= 10 and 0 <= j <= 10 }", "{ }");
    c.proximity = UnionMap::parse("{ S[i, j] -> S[i + 1, j] : 0 <= i <= 9 and 0 <= j <= 10 }", &budget()).unwrap();
    let tree = run(&c, &Options { treat_coalescing: false, ..Options::default() });
    assert_eq!(bands(&tree), ["S:j / S:i / permutable 11"]);
}

const SUM: (&str, &str) = (
    "{ S[i, j] : 0 <= i, j < 10000 }",
    "{ S[i, j] -> S[i, j + 1] : 0 <= i < 10000 and 0 <= j < 9999; S[i, 9999] -> S[i + 1, 0] : 0 <= i < 9999 }",
);

#[test]
fn ac_14_loop_coalescing() {
    let c = constraints(SUM.0, SUM.1);
    let expected = ["S:i / ordered 0", "S:j / ordered 0"];
    assert_eq!(bands(&run(&c, &Options::parallel())), expected);
    let without = run(&c, &Options { treat_coalescing: false, ..Options::parallel() });
    assert_eq!(bands(&without), ["S:10000i+j / ordered 0", "S:i / permutable 1"]);
    let pluto = run(&c, &Options::default());
    assert_eq!(greatest_coefficient(&pluto), 1, "{pluto}");
    let pluto_without = run(&c, &Options { treat_coalescing: false, ..Options::default() });
    assert_eq!(bands(&pluto_without), ["S:i / S:9999i+j / permutable 00"]);
}

/// Example 14: one bound for all proximity pairs is impossible if the parameters may be negative, unless it is known that they are not.
#[test]
fn ac_15_too_many_proximity_pairs() {
    let domain = "[n, m] -> { A[]; B[i] : 0 <= i < n; C[]; D[i] : 0 <= i < m }";
    let with = |known: &str| {
        let mut c = constraints(domain, "{ }");
        let pairs = format!("[n, m] -> {{ A[] -> B[i] : 0 <= i < n{known}; C[] -> D[i] : 0 <= i < m{known} }}");
        let more =
            format!("[n, m] -> {{ A[] -> B[i] : 0 <= i < n{known}; C[] -> D[i] : 0 <= i < m{known}; A[] -> C[] }}");
        c.proximity = UnionMap::parse(&pairs, &budget()).unwrap();
        c.validity = UnionMap::parse(&more, &budget()).unwrap();
        run(&c, &Options::default().with_fusion(Fusion::Max))
    };
    assert_eq!(bands(&with(" and n >= 0 and m >= 0")), ["A:0 B:i C:0 D:i / permutable 1"]);
    assert!(bands(&with("")).len() > 1);
}

const CHOLESKY: (&str, &str) = (
    "[N] -> { A[i, j, k] : 0 <= i < N and 0 <= j < i and 0 <= k < j; B[i, j] : 0 <= i < N and 0 <= j < i; \
       C[i, k] : 0 <= i < N and 0 <= k < i; D[i] : 0 <= i < N }",
    "[N] -> { A[i, j, k] -> A[i, j, k + 1] : i < N and j < i and 0 <= k < j - 1; \
       A[i, j, j - 1] -> B[i, j] : 0 < j < i < N; D[j] -> B[i, j] : 0 <= j < i < N; \
       B[i, k] -> A[i, j, k] : 0 <= k < j < i < N; B[j, k] -> A[i, j, k] : 0 <= k < j < i < N; \
       B[i, k] -> C[i, k] : 0 <= k < i < N; C[i, k] -> C[i, k + 1] : i < N and 0 <= k < i - 1; \
       C[i, i - 1] -> D[i] : 0 < i < N }",
);

#[test]
fn ac_10_and_17_cholesky() {
    let c = constraints(CHOLESKY.0, CHOLESKY.1);
    let plain = run(&c, &Options { carry_self_first: false, ..Options::parallel() });
    assert_eq!(bands(&plain)[0], "A:i+j+k B:i+2j C:2i+k D:3i / ordered 0");
    let tree = run(&c, &Options::parallel());
    assert_eq!(bands(&tree)[0], "A:k B:j C:k D:i / ordered 0");
    assert!(tree.bands().iter().any(|(_, b)| b.members().iter().filter(|m| m.coincident).count() == 2), "{tree}");
    // With constant bounds the rational solution is not integral; the result must not be scaled up.
    let fixed = |text: &str| text.replace("[N] -> ", "").replace('N', "2000");
    let c = constraints(&fixed(CHOLESKY.0), &fixed(CHOLESKY.1));
    let plain = run(&c, &Options { carry_self_first: false, ..Options::parallel() });
    assert!(greatest_coefficient(&plain) <= 3, "{plain}");
}

#[test]
fn ac_19_fixed_dimensions_are_no_members() {
    let c = constraints(
        "[T, n] -> { S[t, i, j] : t = T - 1 and 0 <= i, j < n; R[t, i] : t = T - 1 and 0 <= i < n }",
        "[T, n] -> { S[t, i, j] -> S[t, i, j + 1] : t = T - 1 and 0 <= i < n and 0 <= j < n - 1; \
           S[t, i, n - 1] -> R[t, i] : t = T - 1 and 0 <= i < n }",
    );
    let tree = run(&c, &Options::parallel());
    assert_eq!(bands(&tree), ["R:i S:i / R:n S:j / permutable 10"], "{tree}");
}

const TRMM: (&str, &str) = (
    "[n, m] -> { A[i, j, k] : i >= 0 and 0 <= j < n and i < k < m; B[i, j] : 0 <= i < m and 0 <= j < n }",
    "[n, m] -> { A[i, j, k] -> A[i, j, k + 1] : i >= 0 and 0 <= j < n and i < k < m - 1; \
       A[i, j, m - 1] -> B[i, j] : 0 <= i < m - 1 and 0 <= j < n; \
       A[i, j, m - 1] -> B[m - 1, j] : 0 <= i < m - 1 and 0 <= j < n; \
       A[i, j, k] -> A[k, j, k'] : i >= 0 and 0 <= j < n and i < k < m and k' = k + 1 and k' < m }",
);

#[test]
fn ac_20_trmm() {
    let c = constraints(TRMM.0, TRMM.1);
    let whole = run(&c, &Options { whole_component: true, ..Options::parallel() });
    assert_eq!(bands(&whole), ["A:j B:j / A:k B:m / A:i B:i / permutable 100"], "{whole}");
    let tree = run(&c, &Options::parallel());
    assert_eq!(bands(&tree), ["A:j / A:k / A:i / permutable 100", "B:i / B:j / permutable 11"], "{tree}");
}

#[test]
fn ac_21_2mm_is_not_fused_at_a_loss() {
    let c = constraints(
        "[p, q, r, s] -> { T0[i, j] : 0 <= i < p and 0 <= j < q; T1[i, j, k] : 0 <= i < p and 0 <= j < q and 0 <= k < r; \
           D0[i, j] : 0 <= i < p and 0 <= j < s; D1[i, j, k] : 0 <= i < p and 0 <= j < s and 0 <= k < q }",
        "[p, q, r, s] -> { T0[i, j] -> T1[i, j, 0] : 0 <= i < p and 0 <= j < q and r > 0; \
           T1[i, j, k] -> T1[i, j, k + 1] : 0 <= i < p and 0 <= j < q and 0 <= k < r - 1; \
           D0[i, j] -> D1[i, j, 0] : 0 <= i < p and 0 <= j < s and q > 0; \
           D1[i, j, k] -> D1[i, j, k + 1] : 0 <= i < p and 0 <= j < s and 0 <= k < q - 1; \
           T1[i, k, r - 1] -> D1[i, j, k] : 0 <= i < p and 0 <= k < q and 0 <= j < s and r > 0 }",
    );
    let tree = run(&c, &Options::parallel());
    assert_eq!(
        bands(&tree),
        ["T0:i T1:i / T0:j T1:j / T0:0 T1:k / permutable 110", "D0:i D1:i / D0:j D1:j / D0:0 D1:k / permutable 110"],
        "{tree}"
    );
    let fused = run(&c, &Options::default().with_fusion(Fusion::Max));
    assert_eq!(bands(&fused)[0], "D0:i D1:i T0:i T1:i / D0:0 D1:k T0:j T1:j / permutable 10", "{fused}");
}

/// Example 26, Latte: extents of 5 and 8 are no reason to write two loops as one.
#[test]
fn ac_26_latte() {
    let c = constraints(
        "{ S[l, m, n, p, i, j, k] : 0 <= l < 50 and 0 <= m < 64 and 0 <= n, p < 8 and 0 <= i < 16 and 0 <= j, k < 5 }",
        "{ S[l, m, n, p, i, j, k] -> S[l, m, n, p', i, j, k'] : 0 <= l < 50 and 0 <= m < 64 and 0 <= n < 8 and 0 <= p < 7 \
             and 0 <= i < 16 and 0 <= j < 5 and 1 <= k < 5 and p' = p + 1 and k' = k - 1; \
           S[l, m, n, p, i, j, k] -> S[l, m, n', p', i, j', k'] : 0 <= l < 50 and 0 <= m < 64 and 0 <= n < 7 and 0 <= p, p' < 8 \
             and 0 <= i < 16 and 1 <= j < 5 and 0 <= k, k' < 5 and n' = n + 1 and j' = j - 1 and p + k = p' + k' and \
             (p' = 0 or k' = 4) and (p = 7 or k = 0); \
           S[l, m, n, p, i, j, k] -> S[l, m + 1, n', p', i, j', k'] : 0 <= l < 50 and 0 <= m < 63 and 0 <= n, n', p, p' < 8 \
             and 0 <= i < 16 and 0 <= j, k, j', k' < 5 and n + j = n' + j' and p + k = p' + k' and \
             (n' = 0 or j' = 4) and (p' = 0 or k' = 4) and (n = 7 or j = 0) and (p = 7 or k = 0) }",
    );
    let tree = run(&c, &Options::parallel());
    assert!(greatest_coefficient(&tree) <= 2, "{tree}");
    assert_eq!(bands(&tree)[0], "S:l / S:n+j / S:p+k / S:i / S:m / permutable 11110", "{tree}");
}

/// Listing 32: with the bounds of the instances there is a schedule; without them the constraints contradict each other.
#[test]
fn ac_31_constraints_outside_the_domain() {
    let domain = "{ A[i] : 0 <= i <= 9; B[i] : 0 <= i <= 9 }";
    let tree = run(
        &constraints(domain, "{ A[0] -> B[i] : 0 <= i <= 9; B[i] -> A[1 + i] : 0 <= i <= 8 }"),
        &Options::parallel(),
    );
    assert!(!tree.bands().is_empty());
    let contradiction = constraints(domain, "{ A[0] -> B[i]; B[i] -> A[1 + i] }");
    match schedule(&contradiction, &Options::parallel(), &budget()) {
        Err(Error::OutOfRange { what, .. }) => assert!(what.contains("contradict"), "{what}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn ac_35_maximize_coincidence() {
    let c = constraints(
        "[n] -> { P[i, j, k] : 0 <= i, j, k < n; Q[i, j, k] : 0 <= i, j, k < n }",
        "[n] -> { P[i, j, k] -> Q[i, k, j] : 0 <= i, j, k < n; P[i, j, k] -> P[i, j, k + 1] : 0 <= i, j, k < n and k + 1 < n; \
           Q[i, j, k] -> Q[i, j, k + 1] : 0 <= i, j, k < n and k + 1 < n }",
    );
    let off = run(&c, &Options { maximize_coincidence: false, ..Options::parallel() });
    assert_eq!(bands(&off), ["P:i Q:i / P:j Q:k / P:k Q:j / permutable 100"], "{off}");
    let on = run(&c, &Options::parallel());
    assert_eq!(bands(&on), ["P:i / P:j / P:k / permutable 110", "Q:i / Q:j / Q:k / permutable 110"], "{on}");
}

/// Live ranges of one scalar: `S: t = A[i]; U: B[i] = t; V: t = C[i]; W: D[i] = t`.
fn live_ranges(reordering: bool) -> ScheduleConstraints {
    let parse = |text: &str| UnionMap::parse(text, &budget()).unwrap();
    let domain = "[n] -> { S[i] : 0 <= i < n; U[i] : 0 <= i < n; V[i] : 0 <= i < n; W[i] : 0 <= i < n }";
    let flow = "[n] -> { S[i] -> U[i] : 0 <= i < n; V[i] -> W[i] : 0 <= i < n }";
    let mut c = constraints(domain, flow);
    let order = "[n] -> { U[i] -> V[j] : 0 <= i <= j < n; W[i] -> V[j] : 0 <= i < j < n; U[i] -> S[j] : 0 <= i < j < n; \
                   W[i] -> S[j] : 0 <= i < j < n }";
    if reordering {
        c.condition = parse(
            "[n] -> { [S[i] -> s[]] -> [U[i] -> u[]] : 0 <= i < n; [V[i] -> v[]] -> [W[i] -> w[]] : 0 <= i < n }",
        );
        c.conditional_validity = parse(
            "[n] -> { [U[i] -> u[]] -> [V[j] -> v[]] : 0 <= i <= j < n; [W[i] -> w[]] -> [V[j] -> v[]] : 0 <= i < j < n; \
               [U[i] -> u[]] -> [S[j] -> s[]] : 0 <= i < j < n; [W[i] -> w[]] -> [S[j] -> s[]] : 0 <= i < j < n }",
        );
    } else {
        let all = parse(flow).union(&parse(order)).unwrap();
        c.validity = all.clone();
        c.coincidence = all.clone();
        c.proximity = all;
    }
    c
}

#[test]
fn ac_02_and_36_live_range_reordering() {
    let options = Options { outer_coincidence: true, whole_component: true, ..Options::default() };
    let tree = run(&live_ranges(true), &options);
    for (_, band) in tree.bands() {
        assert!(band.permutable && band.members().iter().all(|m| m.coincident), "{tree}");
    }
    let without = run(&live_ranges(false), &options);
    assert_eq!(bands(&without)[0], "S:i U:i V:i W:i / ordered 0", "{without}");
}

/// A band that starts again: the first try moves the ends of a live range apart, which an order constraint forbids.
#[test]
fn conditions_become_local_when_a_band_violates_their_constraints() {
    let parse = |text: &str| UnionMap::parse(text, &budget()).unwrap();
    let mut c = constraints("[n] -> { W[i] : 0 <= i < n; R[i] : 0 <= i < n }", "{ }");
    // R[i] reads what W[i] wrote; nothing but the condition ties them, proximity pulls R[i] to W[i + 2].
    c.validity = parse("[n] -> { W[i] -> R[i] : 0 <= i < n }");
    c.proximity = parse("[n] -> { W[i] -> R[i - 2] : 2 <= i < n }");
    c.condition = parse("[n] -> { W[i] -> R[i] : 0 <= i < n }");
    c.conditional_validity = parse("[n] -> { R[i] -> W[j] : 0 <= i < j < n }");
    let tree = run(&c, &Options { whole_component: true, ..Options::default() });
    let (_, band) = tree.bands()[0];
    let values: Vec<String> = band.members()[0].exprs().map(|(_, aff)| text(aff.as_total().unwrap())).collect();
    assert_eq!(values, ["i", "i"], "{tree}");
}

#[test]
fn an_exhausted_budget_is_an_error() {
    let c = constraints(JACOBI_2D.0, JACOBI_2D.1);
    for limit in [0, 10, 100, 1_000] {
        match schedule(&c, &Options::parallel(), &Budget::new(limit)) {
            Err(Error::Exhausted(e)) => assert_eq!(e.limit, limit),
            other => panic!("{limit}: {other:?}"),
        }
    }
}

/// AC-09 (b): the sum of the members outside, the last two inside, both coincident.
#[test]
fn ac_09_jacobi_2d_b_wavefront() {
    let c = constraints(JACOBI_2D.0, JACOBI_2D.1);
    let tree = run(&c, &Options::default());
    let front = wavefront(&tree, &[0], 3, &c, &budget()).unwrap();
    assert_eq!(bands(&front), ["S:5t+i+j T:5t+i+j+2 / ordered 0", "S:2t+i T:2t+i+1 / S:2t+j T:2t+j+1 / permutable 11"]);
    assert!(wavefront(&front, &[0], 2, &c, &budget()).is_err(), "not permutable any more");
    assert!(wavefront(&tree, &[0], 4, &c, &budget()).is_err() && wavefront(&tree, &[], 2, &c, &budget()).is_err());
    let two = wavefront(&tree, &[0], 2, &c, &budget()).unwrap();
    assert_eq!(bands(&two)[1], "S:2t+i T:2t+i+1 / S:2t+j T:2t+j+1 / permutable 10");
}

/// A condition whose ends come to different children of a sequence is not local: the constraints that touch it hold.
#[test]
fn conditions_across_a_sequence_impose_their_constraints() {
    let parse = |text: &str| UnionMap::parse(text, &budget()).unwrap();
    let mut c = constraints("[n] -> { A[]; R[i] : 0 <= i < n; W[] }", "[n] -> { A[] -> R[i] : 0 <= i < n }");
    c.validity = parse("[n] -> { A[] -> R[i] : 0 <= i < n; R[i] -> R[i + 1] : 0 <= i < n - 1 }");
    c.condition = parse("[n] -> { A[] -> R[i] : 0 <= i < n }");
    c.conditional_validity = parse("[n] -> { R[i] -> W[] : 0 <= i < n }");
    for options in
        [Options::default(), Options { maximize_band_depth: true, whole_component: true, ..Options::default() }]
    {
        let tree = run(&c, &options);
        for n in 1..4i64 {
            for i in 0..n {
                let point = [tessera_polyhedral::arith::Int::from(i)];
                let params = [("n".into(), n.into())];
                let found = tessera_polyhedral::schedule::order(&tree, &params, ("R", &point), ("W", &[]), &budget());
                assert_eq!(found.unwrap(), Some(std::cmp::Ordering::Less), "{tree}");
            }
        }
    }
}
