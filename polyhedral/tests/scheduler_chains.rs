//! The acceptance cases of grouping statement chains (AC-22 to AC-25 of *Scheduling for PPCG*), by name: which statements become one,
//! and what the schedule looks like before and after their expansion. Constraints come from dependence analysis of the accesses.

use std::time::{Duration, Instant};

use crate::flow_support::*;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::flow::{AccessOrder, Accesses};
use tessera_polyhedral::schedule::{Node, ScheduleTree};
use tessera_polyhedral::scheduler::{Chains, Options, ScheduleConstraints, schedule, schedule_chains};

/// Value-based flow and false dependences as validity, proximity and coincidence, and the original schedule.
fn model(program: &Program<'_>) -> (ScheduleConstraints, ScheduleTree, Accesses) {
    let accesses = program.accesses();
    let flow = accesses.flow(&budget()).unwrap().may_dependence(&budget()).unwrap();
    let false_dependences = accesses.false_dependences(&budget()).unwrap().may_dependence(&budget()).unwrap();
    let all = flow.union(&false_dependences).unwrap().coalesce(&budget()).unwrap();
    let mut constraints = ScheduleConstraints::new(set(program.domain));
    constraints.validity = all.clone();
    constraints.proximity = all.clone();
    constraints.coincidence = all;
    let order = map(program.order).intersect_domain(&set(program.domain), &budget()).unwrap();
    (constraints, ScheduleTree::from_2d_plus_1(&order, &budget()).unwrap(), accesses)
}

/// The chains as lists of statements.
fn chains(constraints: &ScheduleConstraints, original: &ScheduleTree) -> Vec<Vec<String>> {
    let found = Chains::new(constraints, original, &budget()).unwrap();
    found.chains().iter().map(|c| c.steps.iter().flatten().map(|n| n.to_string()).collect()).collect()
}

/// Schedules with and without grouping; the grouped one must respect all memory-based dependences of the program.
fn check(constraints: &ScheduleConstraints, original: &ScheduleTree, accesses: &Accesses) -> ScheduleTree {
    let tree = schedule_chains(constraints, original, &Options::parallel(), &budget()).unwrap();
    assert!(tree.verify(&budget()).unwrap().is_empty(), "{tree}");
    let dependences = accesses.flow(&budget()).unwrap().may_dependence(&budget()).unwrap();
    assert!(legality(&tree, &dependences).is_legal(), "{tree}");
    assert!(legality(&tree, &constraints.validity).is_legal(), "{tree}");
    tree
}

/// Listing 23: the assignments that read `k` follow the one that writes it; the last two read only `alpha`.
#[test]
fn ac_22_deriche_scalars() {
    let (constraints, original, accesses) = model(&Program {
        domain: "{ S1[]; S2[]; S3[]; S4[]; S5[]; S6[]; S7[] }",
        reads: "{ S1[] -> alpha[]; S2[] -> k[]; S3[] -> k[]; S3[] -> alpha[]; S4[] -> k[]; S4[] -> alpha[]; S5[] -> k[]; \
                  S5[] -> alpha[]; S6[] -> alpha[]; S7[] -> alpha[] }",
        writes: "{ S1[] -> k[]; S2[] -> a1[]; S2[] -> a5[]; S3[] -> a2[]; S3[] -> a6[]; S4[] -> a3[]; S4[] -> a7[]; \
                   S5[] -> a4[]; S5[] -> a8[]; S6[] -> b1[]; S7[] -> b2[] }",
        order: "{ S1[] -> [0]; S2[] -> [1]; S3[] -> [2]; S4[] -> [3]; S5[] -> [4]; S6[] -> [5]; S7[] -> [6] }",
        ..NOTHING
    });
    assert_eq!(chains(&constraints, &original), [["S1", "S2", "S3", "S4", "S5"]]);
    check(&constraints, &original, &accesses);
}

const COVARIANCE: Program<'static> = Program {
    domain: "[n, m] -> { M0[j] : 0 <= j < m; M1[j, i] : 0 <= j < m and 0 <= i < n; M2[j] : 0 <= j < m; \
      D[i, j] : 0 <= i < n and 0 <= j < m; C0[i, j] : 0 <= i <= j < m; C1[i, j, k] : 0 <= i <= j < m and 0 <= k < n; \
      C2[i, j] : 0 <= i <= j < m; C3[i, j] : 0 <= i <= j < m }",
    reads: "{ M1[j, i] -> mean[j]; M1[j, i] -> data[i, j]; M2[j] -> mean[j]; D[i, j] -> mean[j]; D[i, j] -> data[i, j]; \
      C1[i, j, k] -> cov[i, j]; C1[i, j, k] -> data[k, i]; C1[i, j, k] -> data[k, j]; C2[i, j] -> cov[i, j]; C3[i, j] -> cov[i, j] }",
    writes: "{ M0[j] -> mean[j]; M1[j, i] -> mean[j]; M2[j] -> mean[j]; D[i, j] -> data[i, j]; C0[i, j] -> cov[i, j]; \
      C1[i, j, k] -> cov[i, j]; C2[i, j] -> cov[i, j]; C3[i, j] -> cov[j, i] }",
    order: "{ M0[j] -> [0, j, 0, 0, 0, 0, 0]; M1[j, i] -> [0, j, 1, i, 0, 0, 0]; M2[j] -> [0, j, 2, 0, 0, 0, 0]; \
      D[i, j] -> [1, i, 0, j, 0, 0, 0]; C0[i, j] -> [2, i, 0, j, 0, 0, 0]; C1[i, j, k] -> [2, i, 0, j, 1, k, 0]; \
      C2[i, j] -> [2, i, 0, j, 2, 0, 0]; C3[i, j] -> [2, i, 0, j, 3, 0, 0] }",
    ..NOTHING
};

/// Listing 24: the last two statements are linked by `cov[i][j]`; no scalar is involved. The bands are as good as without grouping.
#[test]
fn ac_23_covariance() {
    let (constraints, original, accesses) = model(&COVARIANCE);
    assert_eq!(chains(&constraints, &original), [["C2", "C3"]]);
    let tree = check(&constraints, &original, &accesses);
    let without = schedule(&constraints, &Options::parallel(), &budget()).unwrap();
    let count = |tree: &ScheduleTree| -> usize {
        tree.bands().iter().map(|(_, b)| b.members().iter().filter(|m| m.coincident).count()).sum()
    };
    assert!(count(&tree) >= count(&without), "{tree}\n{without}");
}

const NUSSINOV: Program<'static> = Program {
    domain: "[n] -> { A[i, j] : 0 <= i < n and i < j < n and j >= 1; B[i, j] : 0 <= i < j < n and i + 1 < n; \
      C[i, j] : 0 <= i < j - 1 and j < n; D[i, j] : i >= 0 and j = i + 1 and j < n; E[i, j, k] : 0 <= i < k < j < n }",
    reads: "{ A[i, j] -> t[i, j]; A[i, j] -> t[i, j - 1]; B[i, j] -> t[i, j]; B[i, j] -> t[i + 1, j]; C[i, j] -> t[i, j]; \
      C[i, j] -> t[i + 1, j - 1]; D[i, j] -> t[i, j]; D[i, j] -> t[i + 1, j - 1]; E[i, j, k] -> t[i, j]; E[i, j, k] -> t[i, k]; \
      E[i, j, k] -> t[k + 1, j] }",
    writes: "{ A[i, j] -> t[i, j]; B[i, j] -> t[i, j]; C[i, j] -> t[i, j]; D[i, j] -> t[i, j]; E[i, j, k] -> t[i, j] }",
    order: "{ A[i, j] -> [0, -i, 0, j, 0, 0, 0]; B[i, j] -> [0, -i, 0, j, 1, 0, 0]; C[i, j] -> [0, -i, 0, j, 2, 0, 0]; \
      D[i, j] -> [0, -i, 0, j, 3, 0, 0]; E[i, j, k] -> [0, -i, 0, j, 4, k, 0] }",
    ..NOTHING
};

/// Listings 25 to 27: the guards of A and B are redundant, so they are one group with coordinates in execution order, `G_0[-i, j]`.
#[test]
fn ac_24_nussinov() {
    let (constraints, original, accesses) = model(&NUSSINOV);
    assert_eq!(chains(&constraints, &original), [["A", "B"]]);
    let found = Chains::new(&constraints, &original, &budget()).unwrap();
    let grouped = found.constraints();
    let expected = set("[n] -> { C[i, j] : i >= 0 and 2 + i <= j < n; E[i, j, k] : i >= 0 and j < n and i < k < j; \
         D[i, j] : j = 1 + i and 0 <= i <= -2 + n; G_0[i0, i1] : i0 <= 0 and -i0 < i1 < n }");
    assert!(grouped.domain.is_equal(&expected, &budget()).unwrap(), "{}", grouped.domain);
    let tree = schedule(grouped, &Options::parallel(), &budget()).unwrap();
    // The outer row carries; its inner band has two members, the first coincident.
    let bands = tree.bands();
    let outer = bands[0].1.members()[0].exprs().map(|(name, f)| (name.to_string(), f.to_string()));
    let outer: Vec<(String, String)> = outer.collect();
    let value = |name: &str| {
        let (_, text) = outer.iter().find(|(n, _)| n == name).unwrap();
        text.rsplit_once("->").unwrap().1.replace([' ', '{', '}', '(', ')', '[', ']'], "")
    };
    assert_eq!((value("D").as_str(), value("G_0").as_str()), ("1", "i0+i1"), "{tree}");
    assert_eq!((value("C").as_str(), value("E").as_str()), ("j-i", "j-i"), "{tree}");
    let flags: Vec<bool> = bands[1].1.members().iter().map(|m| m.coincident).collect();
    assert_eq!((bands.len(), bands[1].1.permutable, flags), (2, true, vec![true, false]), "{tree}");
    let full = check(&constraints, &original, &accesses);
    let expansions: Vec<_> = full.nodes().into_iter().filter(|(_, node)| matches!(node, Node::Expansion(..))).collect();
    let [(path, Node::Expansion(expansion, below))] = &expansions[..] else { panic!("{full}") };
    assert!(matches!(&**below, Node::Sequence(children) if children.len() == 2), "{path:?} {full}");
    let found = expansion.expansion.clone();
    let expected = map("[n] -> { G_0[i0, i1] -> A[i, j] : i = -i0 and j = i1 and 0 <= i < j < n; \
                  G_0[i0, i1] -> B[i, j] : i = -i0 and j = i1 and 0 <= i < j < n }");
    assert!(found.is_equal(&expected, &budget()).unwrap(), "{found}");
    // Through the YAML form and back.
    let again = ScheduleTree::from_yaml(&full.to_yaml(), &budget()).unwrap();
    assert!(again.same_order(&full, &budget()).unwrap());
}

/// Listing 28 in small: a lattice Boltzmann step with boundary statements on the faces of the cube, one per face, that share the
/// scalar `g`, and a chain of `links` loads, one atomic collision and as many stores. With double buffering, the step is sequential and the
/// cube is parallel once the scalars are private.
fn lattice(links: usize) -> (ScheduleConstraints, ScheduleTree) {
    let cube = "0 <= s < N and 0 <= z, y, x < 128";
    let guards = ["x = 127", "x = 0", "y = 127", "y = 0", "z = 127", "z = 0"];
    let mut domain = vec![("I".to_string(), String::new())];
    domain.extend(guards.iter().enumerate().map(|(k, g)| (format!("B{k}"), format!(" and {g}"))));
    domain.extend((0..links).map(|k| (format!("F{k}"), String::new())));
    domain.push(("X".into(), String::new()));
    domain.extend((0..links).map(|k| (format!("W{k}"), String::new())));
    // The neighbours: along the axes and diagonals in turn.
    let steps = [
        (0, 0, 0),
        (0, 0, 1),
        (0, 0, -1),
        (0, 1, 0),
        (0, -1, 0),
        (1, 0, 0),
        (-1, 0, 0),
        (0, 1, 1),
        (0, -1, -1),
        (1, 1, 0),
    ];
    let (mut reads, mut writes, mut order, mut sets) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (position, (name, guard)) in domain.iter().enumerate() {
        let tuple = format!("{name}[s, z, y, x]");
        sets.push(format!("[{tuple} -> R[]] : {cube}{guard}"));
        sets.push(format!("[{tuple} -> W[]] : {cube}{guard}"));
        order.push(format!("{tuple} -> [0, s, 0, z, 0, y, 0, x, {position}]"));
        let access = |list: &mut Vec<String>, tag: &str, element: &str| {
            list.push(format!("[{tuple} -> {tag}[]] -> {element}"));
        };
        let digits = name[1..].parse::<usize>().unwrap_or(0);
        match &name[..1] {
            "I" => access(&mut writes, "W", "g[]"),
            "B" => {
                access(&mut reads, "R", "g[]");
                access(&mut writes, "W", "g[]");
            }
            "F" => {
                // A load reads the flags too: the chain begins here.
                access(&mut reads, "R", &format!("L[e, z, y, x, {digits}] : e = s mod 2"));
                if digits > 0 {
                    access(&mut reads, "R", &format!("f{}[]", digits - 1));
                }
                access(&mut writes, "W", &format!("f{digits}[]"));
            }
            "X" => {
                access(&mut reads, "R", "g[]");
                (0..links).for_each(|k| access(&mut reads, "R", &format!("f{k}[]")));
                (0..links).for_each(|k| access(&mut writes, "W", &format!("h{k}[]")));
            }
            _ => {
                let (dz, dy, dx) = steps[digits % steps.len()];
                access(&mut reads, "R", &format!("h{digits}[]"));
                access(&mut writes, "W", &format!("L[e, z + {dz}, y + {dy}, x + {dx}, {digits}] : e = (s + 1) mod 2"));
            }
        }
    }
    let union = |parts: &[String]| format!("[N] -> {{ {} }}", parts.join("; "));
    let budget = Budget::new(20_000_000_000);
    let inside = set(&union(&sets));
    let restricted = |text: &str| map(text).intersect_domain(&inside, &budget).unwrap();
    let scalars: Vec<String> =
        (0..links).flat_map(|k| [format!("f{k}"), format!("h{k}")]).chain(["g".to_string()]).collect();
    let kills: Vec<String> = scalars.iter().map(|s| format!("K[] -> {s}[]")).collect();
    let accesses = Accesses {
        reads: restricted(&union(&reads)),
        may_writes: map("{ }"),
        must_writes: restricted(&union(&writes)),
        kills: map(&union(&kills)),
        order: AccessOrder::Map(map(&format!("[N] -> {{ {}; K[] -> [1, 0, 0, 0, 0, 0, 0, 0, 0] }}", order.join("; ")))),
    };
    let plain: Vec<String> = domain.iter().map(|(name, guard)| format!("{name}[s, z, y, x] : {cube}{guard}")).collect();
    let plain = set(&union(&plain));
    let private: Vec<_> =
        scalars.iter().map(|s| set(&format!("{{ {s}[] }}")).members().next().unwrap().space().clone()).collect();
    let found = accesses.reordering(&budget).unwrap();
    let constraints = found.constraints(&plain, &private, &budget).unwrap();
    let order = map(&union(&order)).intersect_domain(&plain, &budget).unwrap();
    (constraints, ScheduleTree::from_2d_plus_1(&order, &budget).unwrap())
}

#[test]
fn ac_25_lattice_boltzmann() {
    let links = 7;
    let (constraints, original) = lattice(links);
    let groups = chains(&constraints, &original);
    // The loads, the collision and the stores are one group; the boundary statements are on their own.
    assert_eq!(groups.len(), 1, "{groups:?}");
    assert_eq!(groups[0].len(), 2 * links + 1, "{groups:?}");
    let start = Instant::now();
    let budget = Budget::new(20_000_000_000);
    let tree = schedule_chains(&constraints, &original, &Options::parallel(), &budget).unwrap();
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    // The step is sequential, all three dimensions of the cube are parallel; isl finds the same bands.
    let flags: Vec<Vec<bool>> =
        tree.bands().iter().map(|(_, b)| b.members().iter().map(|m| m.coincident).collect()).collect();
    assert_eq!(flags, [[false], [true], [true], [true]], "{tree}");
    assert!(tree.verify(&budget).unwrap().is_empty(), "{tree}");
}
