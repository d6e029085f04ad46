//! Transitive closures, powers and path lengths: examples from the literature with their known results, and random
//! relations against the paths of their graphs.

use crate::relation_support::*;
use proptest::prelude::*;
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::relation::{Map, UnionMap};
use tessera_polyhedral::space::{DimKind, Space};

fn map(text: &str) -> Map {
    Map::parse(text, &budget()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn union_map(text: &str) -> UnionMap {
    UnionMap::parse(text, &budget()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn check(steps: &str, expected: &str) {
    let (closure, exact) = map(steps).transitive_closure(&budget()).unwrap();
    assert!(exact, "{steps}: {closure}");
    assert!(closure.is_equal(&map(expected), &budget()).unwrap(), "{steps}: {closure}");
}

#[test]
fn closures_of_one_conjunction() {
    check("[n] -> { S[i] -> S[i + 1] : 0 <= i < n }", "[n] -> { S[i] -> S[j] : 0 <= i < j <= n }");
    check("{ [i] -> [i + 3] }", "{ [i] -> [j] : j > i and (j - i) mod 3 = 0 }");
    check("{ [i, j] -> [i + 1, j - 2] : i >= 0 }", "{ [i, j] -> [k, l] : 0 <= i < k and l = j - 2k + 2i }");
    // The distance is an interval.
    check("{ [i] -> [j] : i + 1 <= j <= i + 2 }", "{ [i] -> [j] : j > i }");
    check("{ [i] -> [j] : i + 2 <= j <= i + 3 }", "{ [i] -> [j] : j > i + 1 }");
    // The distance depends on a coordinate that does not change.
    check("{ [i, j] -> [i, k] : j < k <= j + i }", "{ [i, j] -> [i, k] : j < k and i > 0 }");
    check("[n] -> { [i] -> [j] : i < j <= i + n }", "[n] -> { [i] -> [j] : i < j and n > 0 }");
    // Steps that end at once.
    check("{ A[i] -> A[j] : i < 0 and j > 0 }", "{ A[i] -> A[j] : i < 0 and j > 0 }");
    check("{ [i, j] -> [j, i] }", "{ [i, j] -> [j, i]; [i, j] -> [i, j] }");
    check("{ [i] -> [-i] : 0 <= i <= 5 }", "{ [i] -> [-i] : 0 <= i <= 5 }");
    check(
        "{ [i] -> [2i] : 0 < i < 10 }",
        "{ [i] -> [2i] : 0 < i < 10; [i] -> [4i] : 0 < i < 5; [i] -> [8i] : 0 < i < 3; [1] -> [16] }",
    );
    check("{ [] -> [] }", "{ [] -> [] }");
    // Points with themselves.
    check("{ [i] -> [j] : i <= j <= i + 1 }", "{ [i] -> [j] : i <= j }");
}

#[test]
fn closures_of_several_conjunctions() {
    check(
        "{ [i, j] -> [i + 1, j]; [i, j] -> [i, j + 1] }",
        "{ [i, j] -> [k, l] : k >= i and l >= j and k + l > i + j }",
    );
    // Kelly, Pugh, Rosser, Shpeisman: steps in two phases.
    check(
        "[n] -> { [i] -> [i + 2] : 0 <= i < n; [i] -> [i + 3] : i >= n + 7 }",
        "[n] -> { [i] -> [j] : 0 <= i and i < j < n + 2 and (j - i) mod 2 = 0; [i] -> [j] : i >= n + 7 and j > i and (j - i) mod 3 = 0 }",
    );
    // A cycle through two classes of points.
    check(
        "{ [i] -> [i + 100] : 0 <= i < 10; [i] -> [i - 99] : 100 <= i < 110 }",
        "{ [i] -> [j] : 0 <= i < 10 and i < j <= 10; [i] -> [j] : 0 <= i < 10 and i + 100 <= j < 110;
           [i] -> [j] : 100 <= i < 110 and i - 100 < j <= 10; [i] -> [j] : 100 <= i < j < 110 }",
    );
    // Verdoolaege, Cohen, Beletska: a step that only some points take.
    check(
        "[n] -> { [x, y] -> [1 + x, 1 + n - y] : 1 <= x < n and 1 <= y <= n }",
        "[n] -> { [x, y] -> [k, y] : 1 <= x < k <= n and 1 <= y <= n and (k - x) mod 2 = 0;
                  [x, y] -> [k, 1 + n - y] : 1 <= x < k <= n and 1 <= y <= n and (k - x) mod 2 = 1 }",
    );
}

#[test]
fn what_is_no_presburger_relation_is_overapproximated() {
    for text in ["{ [i] -> [2i] }", "{ [i, j] -> [i + j, j + 1] }", "[n] -> { [i] -> [i + n] }"] {
        let steps = map(text);
        let (closure, exact) = steps.transitive_closure(&budget()).unwrap();
        assert!(!exact, "{text}: {closure}");
        for k in 1..5 {
            assert!(steps.fixed_power(k, &budget()).unwrap().is_subset(&closure, &budget()).unwrap(), "{text}");
        }
    }
}

#[test]
fn powers() {
    let (power, exact) = map("{ A[i] -> A[i + 2] : 0 < i < 10 }").power(&budget()).unwrap();
    assert!(exact);
    assert!(power.is_equal(&map("{ [k] -> [A[i] -> A[i + 2k]] : k > 0 and 0 < i <= 11 - 2k }"), &budget()).unwrap());
    let (lengths, exact) = map("{ A[i] -> A[i + 2] : 0 < i < 10 }").reaching_path_lengths(&budget()).unwrap();
    assert!(exact);
    assert!(lengths.is_equal(&map("{ A[i] -> [k] : i <= 11 and 0 < 2k < i }"), &budget()).unwrap());
    let steps = map("[n] -> { [i] -> [i + 2] : i < n }");
    for (k, text) in [
        (3, "[n] -> { [i] -> [i + 6] : i < n - 4 }"),
        (0, "[n] -> { [i] -> [i] }"),
        (-2, "[n] -> { [i] -> [i - 4] : i < n + 2 }"),
        (1, "[n] -> { [i] -> [i + 2] : i < n }"),
    ] {
        let power = steps.fixed_power(k, &budget()).unwrap();
        assert!(power.is_equal(&map(text), &budget()).unwrap(), "{k}: {power}");
    }
    assert!(map("{ A[i] -> B[i] }").transitive_closure(&budget()).is_err());
    assert!(map("{ A[i] -> B[i] }").fixed_power(2, &budget()).is_err());
}

#[test]
fn unions() {
    let steps = union_map("{ A[i] -> B[i + 2] : 0 < i < 10; B[i] -> A[i]; B[i] -> C[] }");
    let (closure, exact) = steps.transitive_closure(&budget()).unwrap();
    assert!(exact);
    let expected = union_map(
        "{ A[i] -> B[j] : 0 < i and i + 2 <= j <= 11 and (j - i) mod 2 = 0;
           A[i] -> A[j] : 0 < i and i + 2 <= j <= 11 and (j - i) mod 2 = 0;
           B[i] -> B[j] : 0 < i and i + 2 <= j <= 11 and (j - i) mod 2 = 0;
           B[i] -> A[j] : 0 < i and i + 2 <= j <= 11 and (j - i) mod 2 = 0;
           B[i] -> A[i]; B[i] -> C[]; A[i] -> C[] : 0 < i < 10 }",
    );
    assert!(closure.is_equal(&expected, &budget()).unwrap(), "{closure}");
    let (power, exact) = union_map("{ A[i] -> B[i]; B[i] -> A[i + 1] : i >= 0 }").power(&budget()).unwrap();
    assert!(exact);
    let two = power
        .intersect_domain(&tessera_polyhedral::relation::UnionSet::parse("{ [2] }", &budget()).unwrap(), &budget())
        .unwrap();
    let expected = union_map("{ [2] -> [A[i] -> A[i + 1]] : i >= 0; [2] -> [B[i] -> B[i + 1]] : i >= 0 }");
    assert!(two.is_equal(&expected, &budget()).unwrap(), "{two}");
    let square = union_map("{ A[i] -> B[i]; B[i] -> A[i + 1] : i >= 0 }").fixed_power(2, &budget()).unwrap();
    let expected = union_map("{ A[i] -> A[i + 1] : i >= 0; B[i] -> B[i + 1] : i >= 0 }");
    assert!(square.is_equal(&expected, &budget()).unwrap());
    let identity = union_map("{ A[i] -> B[i] : i > 3 }").fixed_power(0, &budget()).unwrap();
    assert!(identity.is_equal(&union_map("{ A[i] -> A[i]; B[i] -> B[i] }"), &budget()).unwrap());
}

/// One conjunction of a random relation: bounds of the domain, the step, and a restriction of one dimension.
#[derive(Clone, Debug)]
struct Step {
    low: Vec<i64>,
    high: Vec<i64>,
    /// Whether the upper bound is relative to the parameter.
    parametric: bool,
    /// For each dimension: the least and the greatest difference; or the other dimension that is copied.
    moves: Vec<(i64, i64, bool)>,
    stride: i64,
}

impl Step {
    fn text(&self) -> String {
        let names = |letter: char| (0..self.low.len()).map(|k| format!("{letter}{k}")).collect::<Vec<_>>().join(", ");
        let mut conditions = Vec::new();
        for (k, &(least, most, copied)) in self.moves.iter().enumerate() {
            let bound = if self.parametric { format!("n + {}", self.high[k]) } else { self.high[k].to_string() };
            conditions.push(format!("{} <= x{k} <= {bound}", self.low[k]));
            let from = if copied { self.moves.len() - 1 - k } else { k };
            conditions.push(format!("{least} <= y{k} - x{from} <= {most}"));
        }
        if self.stride > 1 {
            conditions.push(format!("x0 mod {} = 0", self.stride));
        }
        format!("[{}] -> [{}] : {}", names('x'), names('y'), conditions.join(" and "))
    }

    fn holds(&self, n: i64, x: &[i64], y: &[i64]) -> bool {
        self.moves.iter().enumerate().all(|(k, &(least, most, copied))| {
            let high = if self.parametric { n + self.high[k] } else { self.high[k] };
            let from = if copied { self.moves.len() - 1 - k } else { k };
            self.low[k] <= x[k] && x[k] <= high && least <= y[k] - x[from] && y[k] - x[from] <= most
        }) && x[0].rem_euclid(self.stride) == 0
    }
}

fn step(dims: usize) -> impl Strategy<Value = Step> {
    let moves =
        prop::collection::vec((-1i64..3, prop_oneof![4 => Just(0i64), 1 => 0i64..2], prop::bool::weighted(0.15)), dims);
    (
        prop::collection::vec(-1i64..3, dims),
        prop::collection::vec(0i64..4, dims),
        any::<bool>(),
        moves,
        prop_oneof![4 => Just(1i64), 1 => Just(2i64)],
    )
        .prop_map(|(low, high, parametric, moves, stride)| Step {
            low,
            high,
            parametric,
            moves: moves.into_iter().map(|(least, width, copied)| (least, least + width, copied)).collect(),
            stride,
        })
}

fn relation() -> impl Strategy<Value = Vec<Step>> {
    prop_oneof![3 => 1usize..2, 2 => 2usize..3].prop_flat_map(|dims| prop::collection::vec(step(dims), 1..4))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn closures_are_the_paths_of_the_graph(steps in relation()) {
        let dims = steps[0].low.len();
        let text = format!("[n] -> {{ {} }}", steps.iter().map(Step::text).collect::<Vec<_>>().join("; "));
        let relation = map(&text);
        let (closure, exact) = relation.transitive_closure(&budget()).unwrap();
        let (power, power_exact) = relation.power(&budget()).unwrap();
        // Everything that a path reaches lies in the box: at most 7 in the domain, and one step more.
        let nodes = points(dims, -3, 9);
        for n in [0, 2, 3] {
            let index = |p: &[i64]| nodes.iter().position(|q| q == p);
            let next: Vec<Vec<usize>> = nodes
                .iter()
                .map(|x| (0..nodes.len()).filter(|&y| steps.iter().any(|s| s.holds(n, x, &nodes[y]))).collect())
                .collect();
            prop_assert!(index(&vec![0; dims]).is_some());
            for (from, x) in nodes.iter().enumerate() {
                let mut reached = vec![false; nodes.len()];
                let mut layer: Vec<usize> = next[from].clone();
                let mut second = vec![false; nodes.len()];
                for &a in &next[from] {
                    next[a].iter().for_each(|&b| second[b] = true);
                }
                while let Some(a) = layer.pop() {
                    if !reached[a] {
                        reached[a] = true;
                        layer.extend(&next[a]);
                    }
                }
                if dims == 2 && (x[0] + 2 * x[1]).rem_euclid(5) != 0 {
                    continue;
                }
                for (to, y) in nodes.iter().enumerate() {
                    let pair: Vec<i64> = [&[n][..], x, y].concat();
                    let found = in_map(&closure, &pair);
                    prop_assert!(found || !reached[to], "{:?} is missing in {} of {}", pair, closure, text);
                    prop_assert!(!exact || found == reached[to], "{:?} is wrong in {} of {}", pair, closure, text);
                    if dims == 1 {
                        let pair: Vec<i64> = [&[n, 2][..], x, y].concat();
                        let found = in_map(&power, &pair);
                        prop_assert!(found || !second[to], "{:?} is missing in {} of {}", pair, power, text);
                        prop_assert!(!power_exact || found == second[to], "{:?} is wrong in {} of {}", pair, power, text);
                    }
                }
            }
        }
    }
}

#[test]
fn an_exhausted_budget_is_an_error() {
    let steps = map("[n] -> { [i, j] -> [i + 1, j + 2] : 0 <= i < n; [i, j] -> [i - 1, j] : 0 <= j < n }");
    let small = tessera_polyhedral::budget::Budget::new(50);
    assert!(steps.transitive_closure(&small).is_err());
}

#[test]
fn spaces_are_kept() {
    let steps = map("[n, m] -> { [S[i] -> [A[j] -> B[k]]] -> [S[i + 1] -> [A[j] -> B[k]]] : i < n }");
    let space: &Space = steps.space();
    let (closure, exact) = steps.transitive_closure(&budget()).unwrap();
    assert!(exact && closure.space() == space);
    assert_eq!(closure.space().dim(DimKind::In), 3);
    let at = [5, 0, 1, 7, 8, 4, 7, 8].map(Int::from);
    assert!(closure.contains(&at, &budget()).unwrap());
}
