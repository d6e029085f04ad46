//! The acceptance cases of live-range reordering, kills, calls and filters, by name; see `flow_acceptance.rs`.

use crate::flow_support::*;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::flow::{AccessInfo, AccessOrder, Filter};

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

/// The test of `t(a)` contradicts that of `a = h()`, so `t` sees only `a = g()`.
#[test]
fn ac_18_filters_disprove_dataflow() {
    let filter = |name: &str, condition: &str| Filter {
        accesses: vec![map(&format!("{{ {name}[i] -> [N[i] -> n[]] }}"))],
        values: map(&format!("{{ {name}[i] -> [n] : i >= 0 and {condition} }}")),
    };
    let (h, t) = (filter("H", "n < 100"), filter("T", "n > 200"));
    let program = Program {
        domain: "{ N[i] : i >= 0; H[i] : i >= 0; T[i] : i >= 0 }",
        reads: "{ T[i] -> a[] }",
        may_writes: "{ H[i] -> a[] }",
        writes: "{ N[i] -> a[] }",
        order: "{ N[i] -> [i, 0]; H[i] -> [i, 1]; T[i] -> [i, 2] }",
        ..NOTHING
    };
    let flow = program.accesses().flow(&budget()).unwrap().may_dependence(&budget()).unwrap();
    assert_equal(&flow, "{ N[i] -> T[i] : i >= 0; H[i] -> T[i] : i >= 0 }");
    let from_h = flow.intersect_domain(&set("{ H[i] }"), &budget()).unwrap().reverse().unwrap();
    let excluded = t.excluded(&h, &from_h, &budget()).unwrap();
    assert_equal(&excluded, "{ T[i] -> H[i] : i >= 0 }");
    let rest = flow.subtract(&excluded.reverse().unwrap(), &budget()).unwrap();
    assert_equal(&rest, "{ N[i] -> T[i] : i >= 0 }");
    // Conditions that can hold together, and values of different iterations, exclude nothing.
    assert_equal(&t.excluded(&filter("H", "n < 300"), &from_h, &budget()).unwrap(), "{ }");
    let earlier = map("{ T[i] -> H[i - 1] : i >= 1 }");
    assert_equal(&t.excluded(&h, &earlier, &budget()).unwrap(), "{ }");
    let none = Filter { accesses: Vec::new(), values: map("{ H[i] -> [] }") };
    assert!(t.excluded(&none, &from_h, &budget()).is_err());
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
    let coincident = |found: &tessera_polyhedral::scheduler::ScheduleConstraints| {
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
    assert_equal(&without.must_no_source(&budget()).unwrap(), "{ }");
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

/// Instances of an extension have the time of the tile that introduces them: a copy before each tile, and one after it.
#[test]
fn extensions_have_times() {
    let of = |extension: &str| {
        let order = format!(
            "{{ domain: \"{{ S[i] : 0 <= i < 16 }}\", child: {{ schedule: \"[{{ S[i] -> [(floor(i/4))] }}]\", child: {{ \
             extension: \"{extension}\", child: {{ sequence: [ {{ filter: \"{{ In[t, e] }}\" }}, {{ filter: \"{{ S[i] }}\", child: {{ \
             schedule: \"[{{ S[i] -> [(i)] }}]\" }} }}, {{ filter: \"{{ Out[t, e] }}\" }} ] }} }} }} }}"
        );
        let tree = tree(&order);
        let info = AccessInfo {
            sink: map("{ S[i] -> L[i]; Out[t, e] -> L[e] }"),
            must_source: map("{ In[t, e] -> L[e]; S[i] -> L[i] }")
                .intersect_domain(&set("{ In[t, e]; S[i] : i mod 2 = 0 }"), &budget())
                .unwrap(),
            may_source: map("{ }"),
            kill: map("{ }"),
            order: AccessOrder::Tree(tree),
        };
        info.compute_flow(&budget())
    };
    let tiles =
        "{ [t] -> In[t, e] : 0 <= t < 4 and 4t <= e <= 4t + 3; [t] -> Out[t, e] : 0 <= t < 4 and 4t <= e <= 4t + 3 }";
    let flow = of(tiles).unwrap().must_dependence(&budget()).unwrap();
    assert_equal(
        &flow,
        "{ In[t, e] -> S[e] : 0 <= e < 16 and t = floor(e/4); S[e] -> Out[t, e] : 0 <= e < 16 and t = floor(e/4) and e mod 2 = 0; \
           In[t, e] -> Out[t, e] : 0 <= e < 16 and t = floor(e/4) and e mod 2 = 1 }",
    );
    // One instance in every tile: it has no one time.
    let several = "{ [t] -> In[u, e] : 0 <= t, u < 4 and 4u <= e <= 4u + 3; [t] -> Out[t, e] : 0 <= t < 4 and 4t <= e <= 4t + 3 }";
    let error = of(several).unwrap_err().to_string();
    assert!(error.contains("In several times"), "{error}");
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
