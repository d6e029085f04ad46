//! Memory-based dependences: known programs, and random ones against enumeration for small parameter values.

use std::collections::BTreeSet;

use crate::relation_support::{budget, in_map};
use proptest::prelude::*;
use tessera_polyhedral::flow::{Access, AccessKind, Dependence, carried_at, distance_bounds, memory_dependences};
use tessera_polyhedral::relation::{Map, UnionMap};

use AccessKind::{MayWrite, MustWrite, Read};

fn access(stmt: &str, kind: AccessKind, relation: &str) -> Access {
    Access { stmt: stmt.into(), relation: Map::parse(relation, &budget()).unwrap(), kind }
}

fn texts(list: &[Dependence]) -> Vec<String> {
    list.iter().map(|d| d.relation.to_string()).collect()
}

#[test]
fn a_recurrence() {
    let accesses = [
        access("S", Read, "[n] -> { S[i] -> A[i - 1] : 0 <= i < n }"),
        access("S", MustWrite, "[n] -> { S[i] -> A[i] : 0 <= i < n }"),
    ];
    let schedule: UnionMap = "{ S[i] -> [i] }".parse().unwrap();
    let found = memory_dependences(&accesses, &schedule, &budget()).unwrap();
    assert_eq!(texts(&found.flow), ["[n] -> { S[i] -> S[i' = i + 1] : 0 <= i <= n - 2 }"]);
    assert!(found.anti.is_empty() && found.output.is_empty());
    assert_eq!(
        distance_bounds(&found.flow[0].relation, &schedule, &budget()).unwrap(),
        [(Some(1.into()), Some(1.into()))]
    );
}

/// The matrix product: every dependence is carried by the innermost loop.
#[test]
fn matrix_product() {
    let domain = "0 <= i, j < n and 0 <= k < m";
    let c = format!("[n, m] -> {{ S[i, j, k] -> C[i, j] : {domain} }}");
    let accesses = [
        access("S", Read, &c),
        access("S", MustWrite, &c),
        access("S", Read, &format!("[n, m] -> {{ S[i, j, k] -> A[i, k] : {domain} }}")),
    ];
    let schedule: UnionMap = "{ S[i, j, k] -> [i, j, k] }".parse().unwrap();
    let found = memory_dependences(&accesses, &schedule, &budget()).unwrap();
    assert_eq!((found.flow.len(), found.anti.len(), found.output.len()), (1, 1, 1));
    for dependence in found.iter() {
        let carried: Vec<bool> = (0..3)
            .map(|k| !carried_at(&dependence.relation, &schedule, k, &budget()).unwrap().is_empty(&budget()).unwrap())
            .collect();
        assert_eq!(carried, [false, false, true]);
        let bounds = distance_bounds(&dependence.relation, &schedule, &budget()).unwrap();
        assert_eq!(bounds[0], (Some(0.into()), Some(0.into())));
        assert_eq!(bounds[2], (Some(1.into()), None));
    }
    assert_eq!(found.union(&budget()).unwrap().n_members(), 1);
}

#[test]
fn schedules_must_fit() {
    let accesses = [access("S", MustWrite, "{ S[i] -> A[0] }"), access("T", Read, "{ T[] -> A[0] }")];
    let uneven: UnionMap = "{ S[i] -> [0, i]; T[] -> [1] }".parse().unwrap();
    assert!(memory_dependences(&accesses, &uneven, &budget()).is_err());
    let partial: UnionMap = "{ S[i] -> [0, i] }".parse().unwrap();
    let found = memory_dependences(&accesses, &partial, &budget()).unwrap();
    assert!(found.flow.is_empty());
    assert_eq!(found.output.len(), 1);
}

/// (statement, kind, two-dimensional, coefficients of 1, i, j, n and of 1, i, j)
type Subscript = (usize, u8, bool, [i64; 4], [i64; 3]);

/// A random program: statements `S0[i, j]`, `S1[i, j]` over a triangle or a square, affine accesses to `A[x]` and
/// `B[x, y]`, a schedule with a common loop or one after the other.
#[derive(Clone, Debug)]
struct Program {
    triangular: [bool; 2],
    accesses: Vec<Subscript>,
    /// Shared outer loops: 0, 1 or 2; and whether the second statement interchanges its loops.
    fused: usize,
    interchanged: bool,
}

fn program() -> impl Strategy<Value = Program> {
    let access =
        (0usize..2, 0u8..3, any::<bool>(), [-2i64..3, -1i64..2, -1i64..2, 0i64..1], [-1i64..2, -1i64..2, -1i64..2]);
    (any::<[bool; 2]>(), prop::collection::vec(access, 2..5), 0usize..3, any::<bool>())
        .prop_map(|(triangular, accesses, fused, interchanged)| Program { triangular, accesses, fused, interchanged })
}

impl Program {
    fn inside(&self, s: usize, n: i64, i: i64, j: i64) -> bool {
        0 <= i && i < n && 0 <= j && j < n && (!self.triangular[s] || j <= i)
    }

    fn time(&self, s: usize, i: i64, j: i64) -> [i64; 4] {
        let (a, b) = if s == 1 && self.interchanged { (j, i) } else { (i, j) };
        let s = s as i64;
        match self.fused {
            0 => [s, a, b, 0],
            1 => [a, s, b, 0],
            _ => [a, b, s, 0],
        }
    }

    fn schedule(&self) -> UnionMap {
        let map = |s: usize| {
            let (a, b) = if s == 1 && self.interchanged { ("j", "i") } else { ("i", "j") };
            let time = match self.fused {
                0 => format!("{s}, {a}, {b}, 0"),
                1 => format!("{a}, {s}, {b}, 0"),
                _ => format!("{a}, {b}, {s}, 0"),
            };
            format!("S{s}[i, j] -> [{time}]")
        };
        format!("{{ {}; {} }}", map(0), map(1)).parse().unwrap()
    }

    fn element(access: &Subscript, n: i64, i: i64, j: i64) -> Vec<i64> {
        let (x, y) = (access.3, access.4);
        let mut result = vec![x[0] + x[1] * i + x[2] * j + x[3] * n];
        if access.2 {
            result.push(y[0] + y[1] * i + y[2] * j);
        }
        result
    }

    fn relations(&self) -> Vec<Access> {
        self.accesses
            .iter()
            .map(|a| {
                let (x, y) = (a.3, a.4);
                let first = format!("{} + {}i + {}j + {}n", x[0], x[1], x[2], x[3]).replace("+ -", "- ");
                let second = format!("{} + {}i + {}j", y[0], y[1], y[2]).replace("+ -", "- ");
                let element = if a.2 { format!("B[{first}, {second}]") } else { format!("A[{first}]") };
                let triangle = if self.triangular[a.0] { " and j <= i" } else { "" };
                let text = format!("[n] -> {{ S{}[i, j] -> {element} : 0 <= i, j < n{triangle} }}", a.0);
                access(&format!("S{}", a.0), [Read, MayWrite, MustWrite][usize::from(a.1)], &text)
            })
            .collect()
    }
}

/// Two accesses, and the instances of both.
type Pair = (usize, usize, [i64; 2], [i64; 2]);

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn dependences_are_what_enumeration_finds(program in program()) {
        let found = memory_dependences(&program.relations(), &program.schedule(), &budget()).unwrap();
        for n in [0i64, 1, 3] {
            let instances: Vec<[i64; 2]> = (0..n).flat_map(|i| (0..n).map(move |j| [i, j])).collect();
            let mut expected: [BTreeSet<Pair>; 3] = Default::default();
            for (s, a) in program.accesses.iter().enumerate() {
                for (t, b) in program.accesses.iter().enumerate() {
                    let kind = match (a.1 > 0, b.1 > 0) {
                        (true, false) => 0,
                        (false, true) => 1,
                        (true, true) => 2,
                        (false, false) => continue,
                    };
                    if a.2 != b.2 {
                        continue;
                    }
                    for &p in instances.iter().filter(|p| program.inside(a.0, n, p[0], p[1])) {
                        for &q in instances.iter().filter(|q| program.inside(b.0, n, q[0], q[1])) {
                            if program.time(a.0, p[0], p[1]) < program.time(b.0, q[0], q[1])
                                && Program::element(a, n, p[0], p[1]) == Program::element(b, n, q[0], q[1])
                            {
                                expected[kind].insert((s, t, p, q));
                            }
                        }
                    }
                }
            }
            for (list, expected) in [&found.flow, &found.anti, &found.output].into_iter().zip(&expected) {
                let mut actual = BTreeSet::new();
                for d in list {
                    prop_assert!(!d.relation.is_empty(&budget()).unwrap());
                    for p in &instances {
                        for q in &instances {
                            if in_map(&d.relation, &[n, p[0], p[1], q[0], q[1]]) {
                                actual.insert((d.source, d.target, *p, *q));
                            }
                        }
                    }
                }
                prop_assert_eq!(&actual, expected, "n = {}", n);
            }
        }
    }
}
