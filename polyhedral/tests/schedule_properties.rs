//! Random schedule trees: the report of legality and the true flags against the definition of the order, and edits that
//! must not change it.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::random_trees::{Random, case};
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::{UnionMap, UnionSet};
use tessera_polyhedral::schedule::{Cursor, EditError, Node, ScheduleTree, TileOptions, order};
use tessera_polyhedral::space::DimKind;

fn budget() -> Budget {
    Budget::new(2_000_000_000)
}

type Instance = (String, Vec<Int>);

/// The instances of a set for one value of `n`.
fn instances(set: &UnionSet, n: i64) -> Vec<Instance> {
    let mut result = Vec::new();
    for member in set.members() {
        let mut member = member.clone();
        if let Some(pos) = member.space().param_index("n") {
            member = member.fix(DimKind::Param, pos, &n.into()).unwrap();
        }
        let n_param = member.space().param_names().len();
        let name = member.space().range_tuple().name().unwrap().to_string();
        for point in member.points(&budget()).unwrap() {
            result.push((name.clone(), point[n_param..].to_vec()));
        }
    }
    result
}

/// The pairs of a relation for one value of `n`.
fn pairs(map: &UnionMap, n: i64) -> BTreeSet<(Instance, Instance)> {
    let mut result = BTreeSet::new();
    for member in map.members() {
        let space = member.space();
        let source = space.domain_tuple().unwrap();
        let names = [source.name().unwrap().to_string(), space.range_tuple().name().unwrap().to_string()];
        let mut set = member.wrap();
        if let Some(pos) = set.space().param_index("n") {
            set = set.fix(DimKind::Param, pos, &n.into()).unwrap();
        }
        let (n_param, n_in) = (set.space().param_names().len(), source.len());
        for point in set.points(&budget()).unwrap() {
            let (a, b) = point[n_param..].split_at(n_in);
            result.insert(((names[0].clone(), a.to_vec()), (names[1].clone(), b.to_vec())));
        }
    }
    result
}

fn ask(tree: &ScheduleTree, n: i64, a: &Instance, b: &Instance) -> Option<Ordering> {
    order(tree, &[("n".into(), n.into())], (&a.0, &a.1), (&b.0, &b.1), &budget()).unwrap()
}

/// Some relation between the instances of a tree.
fn dependences(random: &mut Random, tree: &ScheduleTree) -> UnionMap {
    let domain = tree.domain().unwrap().to_union_set().unwrap();
    let mut result = UnionMap::empty(domain.params_space());
    for source in domain.members() {
        for sink in domain.members() {
            if !random.chance(60) {
                continue;
            }
            let text = |tuple: &str, n: usize, letter: &str| {
                let names: Vec<String> = (0..n).map(|k| format!("{letter}{k}")).collect();
                (format!("{tuple}[{}]", names.join(", ")), names)
            };
            let name = |set: &tessera_polyhedral::relation::Set| set.space().range_tuple().name().unwrap().to_string();
            let (from, xs) = text(&name(source), source.space().dim(DimKind::Out), "x");
            let (to, ys) = text(&name(sink), sink.space().dim(DimKind::Out), "y");
            let mut conditions = vec!["0 <= 0".to_owned()];
            for (x, y) in xs.iter().zip(&ys) {
                if random.chance(70) {
                    conditions.push(format!("{y} = {x} + {}", random.range(-1, 1)));
                }
            }
            let map =
                UnionMap::parse(&format!("{{ {from} -> {to} : {} }}", conditions.join(" and ")), &budget()).unwrap();
            result = result.union(&map).unwrap();
        }
    }
    result.intersect_domain(&domain, &budget()).unwrap().intersect_range(&domain, &budget()).unwrap()
}

#[test]
fn legality_and_flags_are_what_enumeration_finds() {
    let mut violated = 0;
    for seed in 0..40 {
        let (_, tree) = case(seed);
        let mut random = Random(seed + 1000);
        let dependences = dependences(&mut random, &tree);
        let report = tree.legality(&dependences, &budget()).unwrap();
        let flags = tree.true_flags(&dependences, &dependences, &budget()).unwrap();
        let mut permutable: Vec<bool> = vec![true; flags.len()];
        let mut coincident: Vec<Vec<bool>> = flags.iter().map(|f| vec![true; f.coincident.len()]).collect();
        for n in [0, 1, 3] {
            let all = pairs(&dependences, n);
            let wrong: BTreeSet<_> =
                all.iter().filter(|(a, b)| ask(&tree, n, a, b) != Some(Ordering::Less)).cloned().collect();
            let mut found = BTreeSet::new();
            let mut carried = BTreeSet::new();
            for node in &report.nodes {
                found.extend(pairs(&node.violated, n));
                carried.extend(pairs(&node.carried, n));
                // What a node gets it violates, carries or leaves.
                let local = pairs(&node.local, n);
                let split: usize =
                    [&node.violated, &node.carried, &node.remaining].iter().map(|part| pairs(part, n).len()).sum();
                assert_eq!(local.len(), split, "seed {seed} n {n} {:?}\n{tree}", node.path);
                if let Some(position) = flags.iter().position(|f| f.path == node.path)
                    && let Some(Node::Band(band, _)) = tree.node(&node.path)
                {
                    for (a, b) in &local {
                        for (k, member) in band.members().iter().enumerate() {
                            let value = |(stmt, point): &Instance| {
                                let function = member.function(stmt).unwrap();
                                let mut values: Vec<Int> =
                                    function.space().param_names().iter().map(|_| Int::from(n)).collect();
                                values.extend(point.iter().cloned());
                                function.eval(&values, &budget()).unwrap().unwrap()
                            };
                            let (x, y) = (value(a), value(b));
                            permutable[position] &= x <= y;
                            coincident[position][k] &= x == y;
                        }
                    }
                }
            }
            assert_eq!(found, wrong, "seed {seed} n {n}\n{tree}\n{dependences}\n{report}");
            let right: BTreeSet<_> = all.difference(&wrong).cloned().collect();
            assert_eq!(carried, right, "seed {seed} n {n}\n{tree}\n{dependences}\n{report}");
            violated += wrong.len();
        }
        for (k, flags) in flags.iter().enumerate() {
            // Flags hold for all values of the parameter: true flags are true for these.
            assert!(!flags.permutable || permutable[k], "seed {seed}\n{tree}");
            for (claim, seen) in flags.coincident.iter().zip(&coincident[k]) {
                assert!(!claim || *seen, "seed {seed}\n{tree}");
            }
        }
        let truth = tree.with_true_flags(&dependences, &dependences, &budget()).unwrap();
        assert!(truth.verify_flags(&dependences, &dependences, &budget()).unwrap().is_empty());
    }
    assert!(violated > 50);
}

/// Edits that keep the order of all instances, where they are possible.
fn harmless(random: &mut Random, cursor: &Cursor) -> Result<Cursor, EditError> {
    let n = if let Node::Band(band, _) = cursor.node() { band.len() } else { 0 };
    let size = Int::from(random.range(1, 4));
    match (random.range(0, 7), cursor.node()) {
        (0, Node::Band(..)) => cursor.split(random.range(0, n as i64) as usize),
        (1, Node::Band(..)) => cursor.combine(),
        (2, Node::Band(..)) if n == 1 => {
            let options = TileOptions { scale_tiles: random.chance(50), shift_points: random.chance(50) };
            cursor.tile(&[size], options)
        }
        (3, Node::Band(..)) => cursor.scale(&vec![size; n]),
        (4, Node::Sequence(_) | Node::Set(_)) => cursor.splice_child(0, &budget()),
        (5, _) => cursor.gist(&cursor.domain(&budget())?, &budget()),
        (6, _) => cursor.insert_filter(&cursor.universe_domain(&budget())?, &budget()),
        _ => cursor.insert_mark("m"),
    }
}

#[test]
fn edits_that_keep_the_order_keep_it() {
    let mut edits = 0;
    for seed in 0..60 {
        let (_, tree) = case(seed);
        let mut random = Random(seed + 5000);
        for _ in 0..4 {
            let cursors = tree.cursors();
            let cursor = random.pick(&cursors).clone();
            let Ok(edited) = harmless(&mut random, &cursor) else { continue };
            edits += 1;
            assert!(edited.tree().verify(&budget()).unwrap().is_empty(), "seed {seed}\n{tree}\n{}", edited.tree());
            let domain = tree.domain().unwrap().to_union_set().unwrap();
            let all = instances(&domain, 3);
            for a in all.iter().step_by(1 + all.len() / 12) {
                for b in all.iter().step_by(1 + all.len() / 12) {
                    let before = ask(&tree, 3, a, b);
                    let after = ask(edited.tree(), 3, a, b);
                    assert_eq!(before, after, "seed {seed} {a:?} {b:?}\n{tree}\n{}", edited.tree());
                }
            }
        }
    }
    assert!(edits > 80, "{edits}");
}

#[test]
fn splitting_by_a_filter_puts_it_first() {
    for seed in 0..40 {
        let (_, tree) = case(seed);
        let mut random = Random(seed + 9000);
        let bands = tree.bands();
        let Some((path, _)) = bands.first() else { continue };
        let cursor = tree.cursor_at(path).unwrap();
        let domain = cursor.domain(&budget()).unwrap();
        let Some(one) = domain.members().next() else { continue };
        if one.space().dim(DimKind::Out) == 0 {
            continue;
        }
        let half = one.upper_bound(DimKind::Out, 0, &random.range(-1, 2).into()).unwrap();
        let filter = UnionSet::from_members([half]).unwrap();
        let edited = cursor.order_before(&filter, &budget()).unwrap();
        assert!(edited.tree().verify(&budget()).unwrap().is_empty(), "seed {seed}\n{}", edited.tree());
        let chosen = instances(&domain.intersect(&filter, &budget()).unwrap(), 3);
        let others = instances(&domain.subtract(&filter, &budget()).unwrap(), 3);
        for a in chosen.iter().take(6) {
            for b in others.iter().take(6) {
                // Above the band something else may have decided.
                let above = ask(&tree, 3, a, b);
                let found = ask(edited.tree(), 3, a, b);
                assert!(found == Some(Ordering::Less) || found == above, "seed {seed} {a:?} {b:?}\n{}", edited.tree());
            }
        }
    }
}

#[test]
fn normal_forms_keep_the_order() {
    for seed in 0..60 {
        let (_, tree) = case(seed);
        let normal = tree.normalized(&budget()).unwrap();
        assert!(normal.verify(&budget()).unwrap().is_empty(), "seed {seed}\n{tree}\n{normal}");
        assert!(normal.nodes().len() <= tree.nodes().len(), "seed {seed}\n{tree}\n{normal}");
        let all = instances(&tree.domain().unwrap().to_union_set().unwrap(), 3);
        for a in all.iter().step_by(1 + all.len() / 10) {
            for b in all.iter().step_by(1 + all.len() / 10) {
                let (before, after) = (ask(&tree, 3, a, b), ask(&normal, 3, a, b));
                assert_eq!(before, after, "seed {seed} {a:?} {b:?}\n{tree}\n{normal}");
            }
        }
    }
}
