//! More acceptance cases for the scheduler, by name: small dependence patterns ("Schedule Trees", AC-S1 to AC-S6), the schedules that
//! "High-Level Loop Transformations and Polyhedral Compilation" expects (its AC-24), and kernels of *Scheduling for PPCG* whose constraints
//! come from dependence analysis.

use crate::flow_support::{NOTHING, Program, map, set};
use crate::scheduling::shown::*;
use tessera_polyhedral::ast::{AstBuild, interpret};
use tessera_polyhedral::relation::UnionMap;
use tessera_polyhedral::schedule::{Node, ScheduleTree, TileOptions};
use tessera_polyhedral::scheduler::{Algorithm, Fusion, Options, ScheduleConstraints, schedule_map};

/// The kind of the node below the domain, and below the first band if that comes first.
fn kinds(tree: &ScheduleTree) -> Vec<&'static str> {
    let mut result = Vec::new();
    let mut node = &tree.root().children()[0];
    loop {
        result.push(node.kind());
        match &**node {
            Node::Band(_, child) => node = child,
            _ => return result,
        }
    }
}

#[test]
fn ac_s1_independent_statements() {
    let tree = run(&constraints("[n] -> { A[i] : 0 <= i < n; B[i] : 0 <= i < n }", "{ }"), &Options::default());
    assert_eq!(kinds(&tree), ["set"], "{tree}");
    assert_eq!(bands(&tree), ["A:i / permutable 1", "B:i / permutable 1"]);
}

/// isl's option `schedule_separate_components`: it is about points in time, not about the tree.
#[test]
fn components_are_separate_in_time_or_not() {
    let c = constraints("[n] -> { A[i] : 0 <= i < n; B[i] : 0 <= i < n }", "{ }");
    let of = |separate_components: bool| {
        let options = Options { separate_components, ..Options::default() };
        assert_eq!(run(&c, &options), run(&c, &Options::default()));
        schedule_map(&c, &options, &budget()).unwrap()
    };
    let same =
        |found: &UnionMap, expected: &str| assert!(found.is_equal(&map(expected), &budget()).unwrap(), "{found}");
    same(&of(true), "[n] -> { A[i] -> [0, i] : 0 <= i < n; B[i] -> [1, i] : 0 <= i < n }");
    same(&of(false), "[n] -> { A[i] -> [i] : 0 <= i < n; B[i] -> [i] : 0 <= i < n }");
}

#[test]
fn ac_s2_producer_and_consumer() {
    let c = constraints("[n] -> { A[i] : 0 <= i < n; B[i] : 0 <= i < n }", "[n] -> { A[i] -> B[i] : 0 <= i < n }");
    let tree = run(&c, &Options::default());
    assert_eq!((bands(&tree), kinds(&tree)), (vec!["A:i B:i / permutable 1".into()], vec!["band", "sequence"]));
    let apart = run(&c, &Options::default().with_fusion(Fusion::None));
    assert_eq!(bands(&apart), ["A:i / permutable 1", "B:i / permutable 1"]);
    assert_eq!(kinds(&apart), ["sequence"], "{apart}");
}

#[test]
fn ac_s3_reversed_consumer() {
    let c =
        constraints("[n] -> { A[i] : 0 <= i < n; B[i] : 0 <= i < n }", "[n] -> { A[i] -> B[n - 1 - i] : 0 <= i < n }");
    let tree = run(&c, &Options::default());
    // isl reverses the other statement; one of them must be.
    assert_eq!(bands(&tree), ["A:i+1 B:n-i / permutable 1"], "{tree}");
    assert_eq!(kinds(&tree), ["band", "sequence"]);
}

#[test]
fn ac_s5_jacobi_1d() {
    let c = constraints(
        "[T, N] -> { S[t, i] : 0 <= t < T and 0 <= i < N }",
        "[T, N] -> { S[t, i] -> S[t + 1, o] : 0 <= t < T - 1 and 0 <= i, o < N and i - 1 <= o <= i + 1 }",
    );
    assert_eq!(bands(&run(&c, &Options::default())), ["S:t / S:t+i / permutable 00"]);
}

#[test]
fn ac_s6_cycle_and_follower() {
    let c = constraints(
        "[n] -> { A[i] : 0 <= i < n; B[i] : 0 <= i < n; C[i] : 0 <= i < n }",
        "[n] -> { A[i] -> B[i] : 0 <= i < n; B[i] -> A[i + 1] : 0 <= i < n - 1; B[i] -> C[i] : 0 <= i < n }",
    );
    let tree = run(&c, &Options::default());
    assert_eq!((bands(&tree), kinds(&tree)), (vec!["A:i B:i C:i / permutable 0".into()], vec!["band", "sequence"]));
    let apart = run(&c, &Options::default().with_fusion(Fusion::None));
    assert_eq!(bands(&apart), ["A:i B:i / permutable 0", "C:i / permutable 1"], "{apart}");
}

/// The constraints of a program from exact dataflow and the false dependences that it does not imply.
fn from_accesses(program: &Program<'_>) -> ScheduleConstraints {
    let accesses = program.accesses();
    let flow = accesses.flow(&budget()).unwrap().may_dependence(&budget()).unwrap();
    let false_dependences = accesses.false_dependences(&budget()).unwrap().may_dependence(&budget()).unwrap();
    let all = flow.union(&false_dependences).unwrap().coalesce(&budget()).unwrap();
    let mut result = ScheduleConstraints::new(set(program.domain));
    result.validity = all.clone();
    result.proximity = all.clone();
    result.coincidence = all;
    result
}

/// The three columns of the table of AC-24: Pluto's method, forced outer coincidence, Feautrier's method.
fn three(c: &ScheduleConstraints) -> [ScheduleTree; 3] {
    let forced = Options { outer_coincidence: true, ..Options::default() };
    let feautrier = Options { algorithm: Algorithm::Feautrier, ..Options::default() };
    [run(c, &Options::default()), run(c, &forced), run(c, &feautrier)]
}

/// Widths and coincident members of all bands.
fn shapes(tree: &ScheduleTree) -> Vec<(usize, usize)> {
    let flags = |b: &tessera_polyhedral::schedule::Band| b.members().iter().filter(|m| m.coincident).count();
    tree.bands().iter().map(|(_, b)| (b.len(), flags(b))).collect()
}

/// Reading ahead by one (AC-01) is distributed if the outer member must be coincident; reading behind by one as well (AC-02) has
/// no parallelism; the rest as the table says.
#[test]
fn ac_24_of_the_lectures() {
    // AC-01: A[i] and A[i + 1] are read where B is computed; A is overwritten.
    let one = constraints(
        "{ S[i] : 0 <= i < 100; T[i] : 0 <= i < 100 }",
        "{ S[i] -> T[i] : 0 <= i < 100; S[i] -> T[i + 1] : 0 <= i < 99 }",
    );
    let [pluto, forced, _] = three(&one);
    assert_eq!(shapes(&pluto), [(1, 0)], "{pluto}");
    assert_eq!((shapes(&forced), kinds(&forced)), (vec![(1, 1), (1, 1)], vec!["sequence"]), "{forced}");
    // AC-02: a cycle between the statements.
    let two = constraints(
        "{ S[i] : 0 <= i < 100; T[i] : 0 <= i < 100 }",
        "{ S[i] -> T[i] : 0 <= i < 100; T[i] -> S[i + 1] : 0 <= i < 99 }",
    );
    for tree in three(&two) {
        assert!(shapes(&tree).iter().all(|s| s.1 == 0 || s.0 == 1), "{tree}");
        assert!(!tree.bands()[0].1.members()[0].coincident, "{tree}");
    }
    // AC-05: a stencil in time and space.
    let five = constraints(
        "[T, N] -> { S[t, i] : 0 <= t < T and 1 <= i < N - 1 }",
        "[T, N] -> { S[t, i] -> S[t + 1, o] : 0 <= t < T - 1 and 1 <= i, o < N - 1 and i - 1 <= o <= i + 1 }",
    );
    let [pluto, forced, feautrier] = three(&five);
    assert_eq!(bands(&pluto), ["S:t / S:t+i / permutable 00"]);
    assert_eq!(bands(&forced), ["S:t / ordered 0", "S:i / permutable 1"]);
    assert_eq!(bands(&feautrier), ["S:t / ordered 0", "S:i / permutable 1"]);
    // AC-10: skewing and interchange.
    let ten = constraints(
        "[n] -> { S[i, j] : 0 <= i, j < n }",
        "[n] -> { S[i, j] -> S[i + 1, j - 1] : 0 <= i < n - 1 and 1 <= j < n }",
    );
    let [pluto, forced, feautrier] = three(&ten);
    for tree in [&pluto, &forced] {
        assert_eq!(bands(tree), ["S:i+j / S:i / permutable 10"], "{tree}");
    }
    assert_eq!(bands(&feautrier), ["S:i / ordered 0", "S:j / permutable 1"]);
    // AC-20: an initialised diagonal.
    let twenty = constraints(
        "[n] -> { U[i] : 0 <= i < n; T[i, j] : 0 <= i < j < n }",
        "[n] -> { U[i] -> T[i, i + 1] : 0 <= i < n - 1; T[i, j] -> T[i, j + 1] : 0 <= i < j < n - 1 }",
    );
    let [pluto, forced, feautrier] = three(&twenty);
    for tree in [&pluto, &forced] {
        // isl's second member is T:j U:i: the same distance, the same sum of coefficients.
        assert_eq!(bands(tree), ["T:i U:i / T:j-i U:0 / permutable 10"], "{tree}");
    }
    assert_eq!(bands(&feautrier)[0], "T:j U:0 / ordered 0", "{feautrier}");
}

/// Listing 19, reg_detect with only the last iteration of the time loop left: no member is the time.
#[test]
fn ac_19_reg_detect() {
    let c = from_accesses(&Program {
        domain: "[T, L, M] -> { S0[t, j, i, c] : t = T - 1 and 0 <= j <= i < M and 0 <= c < L; S1[t, j, i] : t = T - 1 and 0 <= j <= i < M; \
          S2[t, j, i, c] : t = T - 1 and 0 <= j <= i < M and 1 <= c < L; S3[t, j, i] : t = T - 1 and 0 <= j <= i < M; \
          S4[t, i] : t = T - 1 and 0 <= i < M; S5[t, j, i] : t = T - 1 and 1 <= j <= i < M }",
        reads: "[L] -> { S0[t, j, i, c] -> tang[j, i]; S1[t, j, i] -> diff[j, i, 0]; S2[t, j, i, c] -> sum[j, i, c - 1]; \
          S2[t, j, i, c] -> diff[j, i, c]; S3[t, j, i] -> sum[j, i, L - 1]; S4[t, i] -> mean[0, i]; S5[t, j, i] -> path[j - 1, i - 1]; \
          S5[t, j, i] -> mean[j, i] }",
        writes: "{ S0[t, j, i, c] -> diff[j, i, c]; S1[t, j, i] -> sum[j, i, 0]; S2[t, j, i, c] -> sum[j, i, c]; \
          S3[t, j, i] -> mean[j, i]; S4[t, i] -> path[0, i]; S5[t, j, i] -> path[j, i] }",
        order: "{ S0[t, j, i, c] -> [t, 0, j, i, 0, c]; S1[t, j, i] -> [t, 1, j, i, 0, 0]; S2[t, j, i, c] -> [t, 1, j, i, 1, c]; \
          S3[t, j, i] -> [t, 1, j, i, 2, 0]; S4[t, i] -> [t, 2, i, 0, 0, 0]; S5[t, j, i] -> [t, 3, j, i, 0, 0] }",
        ..NOTHING
    });
    let tree = run(&c, &Options::parallel());
    for (_, band) in tree.bands() {
        for member in band.members() {
            for (name, function) in member.exprs() {
                let aff = function.as_total().unwrap();
                let first = 1 + aff.space().param_names().len();
                assert!(aff.row()[first].is_zero(), "{name}: a member depends on the time\n{tree}");
            }
        }
    }
    // As isl: three nests; the last one with one coincident member.
    let mut found = shapes(&tree);
    found.sort_unstable();
    assert_eq!(found, [(2, 1), (3, 2), (3, 3)], "{tree}");
}

const DURBIN: Program<'static> = Program {
    domain: "[n] -> { A[]; B[]; C[]; D[k] : 0 < k < n; E[k] : 0 < k < n; F[k, i] : k < n and 0 <= i < k; G[k] : 0 < k < n; \
      H[k, i] : k < n and 0 <= i < k; I[k, i] : k < n and 0 <= i < k; J[k] : 0 < k < n }",
    reads: "{ D[k] -> alpha[]; D[k] -> beta[]; F[k, i] -> sum[]; F[k, i] -> r[k - i - 1]; F[k, i] -> y[i]; G[k] -> r[k]; G[k] -> sum[]; \
      G[k] -> beta[]; H[k, i] -> y[i]; H[k, i] -> alpha[]; H[k, i] -> y[k - i - 1]; I[k, i] -> z[i]; J[k] -> alpha[]; A[] -> r[0]; C[] -> r[0] }",
    writes: "{ A[] -> y[0]; B[] -> beta[]; C[] -> alpha[]; D[k] -> beta[]; E[k] -> sum[]; F[k, i] -> sum[]; G[k] -> alpha[]; \
      H[k, i] -> z[i]; I[k, i] -> y[i]; J[k] -> y[k] }",
    order: "{ A[] -> [0, 0, 0, 0]; B[] -> [1, 0, 0, 0]; C[] -> [2, 0, 0, 0]; D[k] -> [3, k, 0, 0]; E[k] -> [3, k, 1, 0]; \
      F[k, i] -> [3, k, 2, i]; G[k] -> [3, k, 3, 0]; H[k, i] -> [3, k, 4, i]; I[k, i] -> [3, k, 5, i]; J[k] -> [3, k, 6, 0] }",
    ..NOTHING
};

/// Listings 34 to 36: carrying dependences of statements on themselves first prevents a shift of I.
#[test]
fn ac_32_durbin() {
    let c = from_accesses(&DURBIN);
    let outer = |tree: &ScheduleTree| bands(tree).into_iter().find(|b| b.contains("I:")).unwrap();
    let first = run(&c, &Options::parallel());
    assert_eq!(outer(&first), "D:k E:k F:k G:k H:k I:k J:k / ordered 0", "{first}");
    let inner = bands(&first);
    for expected in ["F:i / permutable 0", "H:i / permutable 1", "I:i / permutable 1"] {
        assert!(
            inner.iter().any(|b| b == expected || b.replace("ordered", "permutable") == expected),
            "{expected}\n{first}"
        );
    }
    let all = run(&c, &Options { carry_self_first: false, ..Options::parallel() });
    assert_eq!(outer(&all), "D:k E:k F:k G:k H:k I:k+1 J:k / ordered 0", "{all}");
}

/// The constraints of a kernel of the benchmark.
fn from_corpus(text: &str) -> ScheduleConstraints {
    let mut entries: Vec<(&str, String)> = Vec::new();
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        match line.split_once(": ") {
            Some((key, rest)) if !line.starts_with(' ') => entries.push((key, rest.into())),
            _ => entries.last_mut().unwrap().1.push_str(line),
        }
    }
    let entry = |key: &str| entries.iter().find(|e| e.0 == key).map_or("{ }", |e| e.1.as_str());
    from_accesses(&Program {
        domain: entry("domain"),
        reads: entry("read"),
        writes: entry("write"),
        order: entry("schedule"),
        ..NOTHING
    })
}

/// The initialisation of one sweep of adi could be fused with either sweep; fused with the wrong one, that one loses its parallel
/// member. Four of the loops below the time loop are parallel whether coincidence is asked for or not.
#[test]
fn fusion_takes_the_partner_that_stays_parallel() {
    let c = from_corpus(include_str!("../../oracle/corpus/adi.txt"));
    for options in [Options::default(), Options::parallel()] {
        let tree = run(&c, &options);
        let found: usize = shapes(&tree).iter().map(|s| s.1).sum();
        assert_eq!(found, 4, "{tree}");
    }
}

/// Matrix multiplication with its initialisation.
const MATMUL: Program<'static> = Program {
    domain: "[M, N, K] -> { S1[i, j] : 0 <= i < M and 0 <= j < N; S2[i, j, k] : 0 <= i < M and 0 <= j < N and 0 <= k < K }",
    reads: "{ S2[i, j, k] -> C[i, j]; S2[i, j, k] -> A[i, k]; S2[i, j, k] -> B[k, j] }",
    writes: "{ S1[i, j] -> C[i, j]; S2[i, j, k] -> C[i, j] }",
    order: "{ S1[i, j] -> [0, i, 0, j, 0, 0, 0]; S2[i, j, k] -> [0, i, 0, j, 1, k, 0] }",
    ..NOTHING
};

/// Listing 4, Figure 5: the tree of the original order, a band per loop and a sequence per compound statement.
#[test]
fn ac_03_original_tree() {
    let order = map(MATMUL.order).intersect_domain(&set(MATMUL.domain), &budget()).unwrap();
    let tree = ScheduleTree::from_2d_plus_1(&order, &budget()).unwrap();
    let expected = format!(
        "{{ domain: \"{}\", child: {{ schedule: \"[{{ S1[i, j] -> [(i)]; S2[i, j, k] -> [(i)] }}]\", child: {{ \
         schedule: \"[{{ S1[i, j] -> [(j)]; S2[i, j, k] -> [(j)] }}]\", child: {{ sequence: [ {{ filter: \"{{ S1[i, j] }}\" }}, \
         {{ filter: \"{{ S2[i, j, k] }}\", child: {{ schedule: \"[{{ S2[i, j, k] -> [(k)] }}]\" }} }} ] }} }} }} }}",
        MATMUL.domain
    );
    let expected = ScheduleTree::from_yaml(&expected, &budget()).unwrap();
    let kinds = |tree: &ScheduleTree| tree.nodes().iter().map(|(path, n)| (path.clone(), n.kind())).collect::<Vec<_>>();
    assert_eq!(kinds(&tree), kinds(&expected), "{tree}");
    assert_eq!(bands(&tree), bands(&expected), "{tree}");
}

/// Listing 7: the band of three members tiled by 32. Whatever K is, every instance runs once, initialisation first; also for K <= 0, where
/// the published code forgets the initialisation.
#[test]
fn ac_05_tiling_matmul() {
    let c = from_accesses(&MATMUL);
    let tree = run(&c, &Options::parallel());
    let sizes = [32, 32, 32].map(tessera_polyhedral::arith::Int::from);
    let tiled = tree
        .cursor_at(&[0])
        .unwrap()
        .tile(&sizes, TileOptions { scale_tiles: false, shift_points: false })
        .unwrap()
        .into_tree();
    assert!(tiled.is_legal(&c.validity.members().cloned().collect::<Vec<_>>(), &budget()).unwrap(), "{tiled}");
    let unit = AstBuild::new().build(&tiled, &budget()).unwrap();
    for (m, n, k) in [(3, 2, 0), (2, 3, -1), (33, 2, 34), (0, 5, 3)] {
        let value = |name: &str| [("M", m), ("N", n), ("K", k)].iter().find(|v| v.0 == name).unwrap().1;
        let params: Vec<_> = unit.params.iter().map(|p| tessera_polyhedral::arith::Int::from(value(p))).collect();
        let events = interpret(&unit, &params, &budget()).unwrap();
        let count = |name: &str| events.iter().filter(|e| e.stmt.as_ref() == name).count() as i64;
        assert_eq!((count("S1"), count("S2")), (m * n, m * n * k.max(0)), "M = {m}, N = {n}, K = {k}");
    }
}

/// Example 28: intersection with the context makes bounds fixed. Deliberately different: isl's simplification does so too; ours keeps the
/// parametric bounds, so that no fixed extent gets into the constraints. Both are the same relation in the context.
#[test]
fn ac_27_intersection_and_gist_with_the_context() {
    let relation = map("[n] -> { S[i, j] -> S[i + 1, j] : 0 <= i, i + 1, j < n }");
    let context = tessera_polyhedral::relation::Set::parse("[n] -> { : n = 1024 }", &budget()).unwrap();
    let same = |found: &UnionMap, expected: &str| {
        assert!(found.is_equal(&map(expected), &budget()).unwrap(), "{found}");
    };
    let fixed = "[n] -> { S[i, j] -> S[i + 1, j] : 0 <= i and i + 1 < 1024 and 0 <= j < 1024 and n = 1024 }";
    let inside = relation.intersect_params(&context, &budget()).unwrap();
    same(&inside, fixed);
    let gist = relation.gist_params(&context, &budget()).unwrap();
    same(&gist.intersect_params(&context, &budget()).unwrap(), fixed);
    // From the fixed relation, the context itself is simplified away: (97).
    let gist = inside.gist_params(&context, &budget()).unwrap();
    same(&gist, "{ S[i, j] -> S[i + 1, j] : 0 <= i and i + 1 < 1024 and 0 <= j < 1024 }");
}
