//! The acceptance cases of schedule trees ("Schedule Trees", IMPACT 2014), by name: conversions, order, queries, nodes,
//! verification.
//!
//! Deliberately different: AC-V1 to AC-V5 are refused (by the reader or by `verify`), where isl accepts the trees and
//! goes wrong later; a context is accepted above the domain (AC-V6), as in the paper. Code generation for guards,
//! extensions and inner contexts (AC-N11, AC-P1 to AC-P4, AC-P6) is not there yet: it is an error that names the node.

use std::cmp::Ordering;

use crate::schedule_support::*;
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{AstBuild, interpret};
use tessera_polyhedral::relation::{Set, UnionMap};
use tessera_polyhedral::schedule::{
    Cursor, EditError, ForestBand, Instances, Node, ScheduleTree, TileOptions, compare_relaxed, compare_strict, order,
};

#[test]
fn ac_r1_kelly_form() {
    let expected = tree(EXAMPLE);
    let domain = expected.domain().unwrap().to_union_set().unwrap();
    let kelly = map("{ T1[i] -> [0, i]; T2[i, j] -> [1, j, 0, i]; T3[i] -> [1, i - 1, 1] }");
    let found = ScheduleTree::from_kelly(&kelly.intersect_domain(&domain, &budget()).unwrap(), &budget()).unwrap();
    assert_eq!(found.to_string(), expected.to_string());
    assert!(found.verify(&budget()).unwrap().is_empty());
    let back = found.to_kelly(&budget()).unwrap();
    assert!(back.is_equal(&expected.to_map(&budget()).unwrap(), &budget()).unwrap());
}

#[test]
fn ac_r1_2d_plus_1_form() {
    let expected = tree(EXAMPLE);
    let domain = expected.domain().unwrap().to_union_set().unwrap();
    let rows = map("{ T1[i] -> [0, i, 0]; T2[i, j] -> [1, j, 0, i, 0]; T3[i] -> [1, i - 1, 1] }");
    let found = ScheduleTree::from_2d_plus_1(&rows.intersect_domain(&domain, &budget()).unwrap(), &budget()).unwrap();
    assert_eq!(found.to_string(), expected.to_string());
    let even = ScheduleTree::from_2d_plus_1(&map("{ S[i] -> [0, i] : 0 <= i < 5 }"), &budget());
    assert!(even.unwrap_err().to_string().contains("2d + 1"));
    let no_constant = ScheduleTree::from_2d_plus_1(&map("{ S[i] -> [i, i, 0] : 0 <= i < 5 }"), &budget());
    assert!(no_constant.unwrap_err().to_string().contains("no constant"));
    let leaf_and_loop = map("{ S[i] -> [0, i, 0] : 0 <= i < 5; T[i, j] -> [0, i, 0, j, 0] : 0 <= i, j < 5 }");
    assert!(ScheduleTree::from_2d_plus_1(&leaf_and_loop, &budget()).is_err());
}

#[test]
fn ac_r2_to_map_and_back() {
    let example = tree(EXAMPLE);
    assert_schedule(&example, EXAMPLE_MAP);
    let flat = ScheduleTree::from_map(&example.to_map(&budget()).unwrap(), &budget()).unwrap();
    assert_schedule(&flat, EXAMPLE_MAP);
    assert_eq!(flat.bands().len(), 1);
    assert!(flat.verify(&budget()).unwrap().is_empty());
}

#[test]
fn ac_r3_traces() {
    let example = tree(EXAMPLE);
    let two = "T1(0) T1(1) T3(0) T2(0,0) T2(1,0) T3(1) T2(0,1) T2(1,1)";
    assert_eq!(trace(&example, &[2]), two);
    assert_eq!(trace(&example, &[1]), "T1(0) T3(0) T2(0,0)");
    assert_eq!(trace(&example, &[0]), "");
    let flat = ScheduleTree::from_map(&example.to_map(&budget()).unwrap(), &budget()).unwrap();
    assert_eq!(trace(&flat, &[2]), two);
}

#[test]
fn ac_r5_band_forest() {
    let domain = "[n] -> { T1[i] : 0 <= i < n; T2[i, j] : 0 <= i, j < n; T3[i] : 0 <= i < n }";
    let band = |text: &str, children: Vec<ForestBand>| ForestBand { schedule: map(text), children };
    let inner = band("{ T2[i, j] -> [0]; T3[i] -> [1] }", vec![band("{ T2[i, j] -> [i] }", vec![])]);
    let second = band("{ T2[i, j] -> [j]; T3[i] -> [i - 1] }", vec![inner]);
    let root = band("{ T1[i] -> [0]; T2[i, j] -> [1]; T3[i] -> [1] }", vec![band("{ T1[i] -> [i] }", vec![]), second]);
    let found = ScheduleTree::from_band_forest(&set(domain), &[root], &budget()).unwrap();
    let example = tree(EXAMPLE);
    let n = [("n".into(), Int::from(3))];
    let points: [(&str, &[i64]); 8] = [
        ("T1", &[0]),
        ("T1", &[2]),
        ("T3", &[0]),
        ("T3", &[1]),
        ("T2", &[0, 0]),
        ("T2", &[2, 0]),
        ("T2", &[0, 1]),
        ("T2", &[1, 2]),
    ];
    assert!(found.verify(&budget()).unwrap().is_empty(), "{found}");
    for (a, p) in points {
        for (b, q) in points {
            let ask = |tree: &ScheduleTree| order(tree, &n, (a, &ints(p)), (b, &ints(q)), &budget()).unwrap();
            assert_eq!(ask(&found), ask(&example), "{a}{p:?} {b}{q:?}");
        }
    }
    assert!(found.same_order(&example, &budget()).unwrap());
}

#[test]
fn ac_r6_queries() {
    let example = tree(EXAMPLE);
    let second = at(&example, &[0, 1, 0]);
    assert_eq!(second.schedule_depth(), 0);
    let equal = |a: &UnionMap, b: &str| a.is_equal(&map(b), &budget()).unwrap();
    assert!(equal(&second.prefix_schedule(&budget()).unwrap(), "{ T3[i] -> []; T2[i, j] -> [] }"));
    let domain = "[n] -> { T2[i, j] : 0 <= i, j < n; T3[i] : 0 <= i < n }";
    assert!(second.domain(&budget()).unwrap().is_equal(&set(domain), &budget()).unwrap());
    let universe = second.universe_domain(&budget()).unwrap();
    assert!(universe.is_equal(&set("{ T2[i, j]; T3[i] }"), &budget()).unwrap());
    let below = second.subtree_schedule(&budget()).unwrap();
    assert!(equal(&below, "{ T2[i, j] -> [j, 0, i]; T3[i] -> [-1 + i, 1, 0] }"), "{below}");
    let inner = at(&example, &[0, 1, 0, 0, 0, 0]);
    assert!(matches!(inner.node(), Node::Band(..)));
    assert!(equal(&inner.prefix_schedule(&budget()).unwrap(), "{ T2[i, j] -> [j] }"));
    let relation = inner.prefix_relation(&budget()).unwrap();
    assert!(equal(&relation, "[n] -> { T2[i, j] -> [j] : 0 <= i, j < n }"), "{relation}");
    assert_eq!(inner.prefix_functions(&budget()).unwrap().components().len(), 1);
    assert_eq!(inner.prefix_points(&budget()).unwrap().n_members(), 1);
    // The cursor.
    assert_eq!(inner.depth(), 6);
    assert_eq!(inner.root().find(&mut |c| matches!(c.node(), Node::Band(..))).unwrap().path(), [0, 0, 0]);
    assert_eq!(inner.parent().unwrap().next_sibling().unwrap().path(), [0, 1, 0, 0, 1]);
    assert!(inner.parent().unwrap().previous_sibling().is_none());
    assert_eq!(inner.shared_ancestor(&at(&example, &[0, 1, 0, 0, 1])).path(), [0, 1, 0, 0]);
    assert_eq!(inner.ancestor(6).unwrap().path(), [0usize; 0]);
    assert!(inner.ancestor(7).is_none());
    let mut visited = 0;
    let marked = example.cursor().map_bottom_up(&mut |c| {
        visited += 1;
        if matches!(c.node(), Node::Band(..)) { c.insert_mark("b") } else { Ok(c) }
    });
    let marked = marked.unwrap();
    assert_eq!((visited, marked.path().len()), (13, 0));
    let marks = marked.tree().nodes().iter().filter(|(_, node)| matches!(node, Node::Mark(..))).count();
    assert_eq!(marks, 3);
}

#[test]
fn ac_m5_order() {
    let example = tree(EXAMPLE);
    let n = [("n".into(), Int::from(3))];
    let ask = |tree: &ScheduleTree, a: (&str, &[i64]), b: (&str, &[i64])| {
        order(tree, &n, (a.0, &ints(a.1)), (b.0, &ints(b.1)), &budget()).unwrap()
    };
    for (a, b) in [
        (("T1", &[2][..]), ("T3", &[0][..])),
        (("T3", &[0]), ("T2", &[0, 0])),
        (("T2", &[2, 0]), ("T3", &[1])),
        (("T2", &[0, 0]), ("T3", &[1])),
    ] {
        assert_eq!(ask(&example, a, b), Some(Ordering::Less), "{a:?} {b:?}");
    }
    let unordered = tree(&EXAMPLE.replacen("sequence", "set", 1));
    assert_eq!(ask(&unordered, ("T1", &[2]), ("T3", &[0])), None);
}

#[test]
fn ac_n3b_filters_merge() {
    let tree = tree("{ domain: \"{ S[i] : 0 <= i <= 20 }\", child: { filter: \"{ S[i] : i >= 5 }\" } }");
    let edited = at(&tree, &[0]).insert_filter(&set("{ S[i] : i <= 9 }"), &budget()).unwrap();
    let Node::Filter(filter, child) = edited.node() else { panic!() };
    assert!(matches!(**child, Node::Leaf));
    let filter = filter.to_union_set().unwrap();
    assert!(filter.is_equal(&set("{ S[i] : 5 <= i <= 9 }"), &budget()).unwrap());
}

#[test]
fn ac_n6c_rational_band() {
    let tree = nest("{ S[i] : 0 <= i < 5 }", &["S[i] -> [(i/2)]"], "");
    assert_schedule(&tree, "{ S[i] -> [floor(i/2)] }");
    assert_eq!(trace(&tree, &[]), "S(0) S(1) S(2) S(3) S(4)");
}

#[test]
fn ac_n7_non_injective_leaf() {
    let tree = nest("{ S[i, j] : 0 <= i < 3 and 0 <= j < 2 }", &["S[i, j] -> [(i)]"], "");
    assert_eq!(trace(&tree, &[]), "S(0,0) S(0,1) S(1,0) S(1,1) S(2,0) S(2,1)");
}

#[test]
fn ac_v_structure() {
    let rules =
        |tree: &ScheduleTree| -> Vec<&'static str> { tree.verify(&budget()).unwrap().iter().map(|d| d.rule).collect() };
    let instances = |text: &str| Instances::from_union_set(&set(text)).unwrap();
    let domain = "{ S[i] : 0 <= i < 3 }";
    // V1.
    let one = nest(domain, &["S[i] -> [(i)]"], "");
    let wrong = ScheduleTree::new(instances(domain), Node::sequence(vec![one.node(&[0]).unwrap().clone()]));
    assert_eq!(rules(&wrong), ["V1"]);
    let text =
        format!("{{ domain: \"{domain}\", child: {{ sequence: [ {{ schedule: \"[{{ S[i] -> [(i)] }}]\" }} ] }} }}");
    assert!(text.parse::<ScheduleTree>().is_err());
    // V2, V3.
    let branches = |a: &str, b: &str| {
        tree(&format!(
            "{{ domain: \"{domain}\", child: {{ sequence: [ {{ filter: \"{{ S[i] : {a} }}\" }}, {{ filter: \"{{ S[i] : {b} }}\" }} ] }} }}"
        ))
    };
    let overlap = branches("i <= 1", "i >= 1");
    assert_eq!(rules(&overlap), ["V2"]);
    assert!(overlap.verify(&budget()).unwrap()[0].what.contains("S[1]"));
    let gap = branches("i = 0", "i = 2");
    assert_eq!(rules(&gap), ["V3"]);
    assert!(gap.verify(&budget()).unwrap()[0].what.contains("S[1]"));
    // V4.
    let partial = tree("{ domain: \"{ S[i] : 0 <= i <= 3 }\", child: { schedule: \"[{ S[i] -> [(i)] : i < 2 }]\" } }");
    assert_eq!(rules(&partial), ["V4"]);
    let missing = tree("{ domain: \"{ S[i] : 0 <= i <= 3; T[] }\", child: { schedule: \"[{ S[i] -> [(i)] }]\" } }");
    assert_eq!(rules(&missing), ["V4"]);
    // V5.
    assert_eq!(rules(&ScheduleTree::new(instances(domain), Node::sequence(Vec::new()))), ["V5", "V3"]);
    assert!(format!("{{ domain: \"{domain}\", child: {{ sequence: [] }} }}").parse::<ScheduleTree>().is_err());
    // V6.
    let inner = ScheduleTree::new(instances(domain), Node::domain(instances(domain), Node::leaf()));
    assert_eq!(rules(&inner), ["V6"]);
    let context = Set::parse("[n] -> { : n > 0 }", &budget()).unwrap();
    let root = ScheduleTree::from_root(Node::context(context, Node::domain(instances(domain), Node::leaf())));
    assert!(rules(&root).is_empty());
    // V9, and the same with a context.
    let filter = "{ filter: \"[b] -> { S[i] : i = b }\" }";
    let unbound = tree(&format!("{{ domain: \"{domain}\", child: {filter} }}"));
    assert_eq!(rules(&unbound), ["V9"]);
    let bound = format!("{{ domain: \"{domain}\", child: {{ context: \"[b] -> {{ : b >= 0 }}\", child: {filter} }} }}");
    assert!(rules(&tree(&bound)).is_empty());
    // V8, V10.
    assert!(rules(&copies()).is_empty());
    let again = copies().to_yaml().replace("in[a]", "S[a]");
    assert!(rules(&tree(&again)).contains(&"V10"));
    let depth = tree("{ domain: \"{ S[i] : 0 <= i < 3 }\", child: { guard: \"{ [i] : i > 1 }\" } }");
    assert_eq!(rules(&depth), ["V8"]);
}

#[test]
fn ac_v7_v8_anchored() {
    let tree = copies();
    let band = at(&tree, &[0]);
    let anchored =
        |edit: Result<Cursor, EditError>| assert!(matches!(edit, Err(EditError::Anchored { .. })), "{edit:?}");
    anchored(band.tile(&ints(&[4]), TileOptions::default()));
    anchored(band.delete());
    anchored(band.sink());
    anchored(band.scale(&ints(&[4])));
    let Node::Band(copy, _) = band.node() else { panic!() };
    anchored(band.insert_band(copy.clone()));
    assert!(band.split(0).is_ok());
    assert!(band.insert_mark("kernel").is_ok());
    assert!(band.insert_filter(&set("{ S[i] }"), &budget()).is_ok());
    assert!(band.is_anchored() && !at(&tree, &[0, 0, 0, 1]).is_anchored());
}

#[test]
fn ac_m4_relaxed_and_strict_order() {
    let relaxed = |a: &[i64], b: &[i64]| compare_relaxed(&ints(a), &ints(b));
    assert_eq!(relaxed(&[0, 5], &[1]), Some(Ordering::Less));
    assert_eq!(relaxed(&[1, 2], &[1, 2, 7]), None);
    assert_eq!(relaxed(&[1, 2], &[1, 3, -9]), Some(Ordering::Less));
    assert_eq!(relaxed(&[], &[0]), None);
    assert!(compare_strict(&ints(&[1, 2]), &ints(&[1, 2, 7])).is_err());
    assert_eq!(compare_strict(&ints(&[1, 2, 0]), &ints(&[1, 2, -3])).unwrap(), Ordering::Greater);
}

/// The tree of a matrix transposition for a GPU can be written down, checked and read again at every stage.
#[test]
fn ac_p1_p5_kernel_tree() {
    let text = r#"
domain: "[n] -> { S[i, j] : 0 <= i, j < n }"
child:
  context: "[n] -> { [] : n >= 8102 }"
  child:
    context: "[n, b0, b1, t0, t1] -> { [] : 0 <= b0, b1 < 256 and 0 <= t0 < 32 and 0 <= t1 < 16 }"
    child:
      mark: "kernel"
      child:
        filter: "[n, b0, b1] -> { S[i, j] : b0 = (floor(i/32)) mod 256 and b1 = (floor(j/32)) mod 256 }"
        child:
          schedule: "[{ S[i, j] -> [(32*floor(i/32))] }, { S[i, j] -> [(32*floor(j/32))] }]"
          permutable: 1
          coincident: [ 1, 1 ]
          child:
            extension: "[n] -> { [T0, T1] -> read_A[a, b] : T0 <= a < T0 + 32 and T1 <= b < T1 + 32 and 0 <= a, b < n; [T0, T1] -> sync0[] }"
            child:
              sequence:
              - filter: "{ read_A[a, b] }"
                child:
                  filter: "[t0, t1] -> { read_A[a, b] : t0 = a mod 32 and t1 = b mod 16 }"
                  child:
                    schedule: "[{ read_A[a, b] -> [(a)] }, { read_A[a, b] -> [(b)] }]"
              - filter: "{ sync0[] }"
              - filter: "{ S[i, j] }"
                child:
                  filter: "[t0, t1] -> { S[i, j] : t0 = i mod 32 and t1 = j mod 16 }"
                  child:
                    schedule: "[{ S[i, j] -> [(i mod 32)] }, { S[i, j] -> [(j mod 32)] }]"
"#;
    let kernel = tree(text);
    assert!(kernel.verify(&budget()).unwrap().is_empty());
    assert_eq!(tree(&kernel.to_yaml()), kernel);
    // The inner context binds the identifiers of blocks and threads; without it they are unbound.
    let outside = tree(&text.replace(
        "b0, b1, t0, t1] -> { [] : 0 <= b0, b1 < 256 and 0 <= t0 < 32 and 0 <= t1 < 16 }",
        "m] -> { [] : m >= 0 }",
    ));
    assert!(outside.verify(&budget()).unwrap().iter().all(|defect| defect.rule == "V9"));
    // The copies run once per tile: they have a prefix relation, and no function.
    let copy = at(&kernel, &[0, 0, 0, 0, 0, 0, 0, 0]);
    let relation = copy.prefix_relation(&budget()).unwrap();
    assert!(relation.members().any(|map| !map.is_single_valued(&budget()).unwrap()));
    // Block (1, 0) and thread (3, 2): two tiles, each of which reads before the barrier and computes after it.
    let unit = AstBuild::new().build(&kernel, &budget()).unwrap();
    let values = |name: &str| match name {
        "n" => Int::from(8200),
        "b0" => Int::from(1),
        "t0" => Int::from(3),
        "t1" => Int::from(2),
        _ => Int::zero(),
    };
    let params: Vec<Int> = unit.params.iter().map(|name| values(name)).collect();
    let events = interpret(&unit, &params, &budget()).unwrap();
    let seen: Vec<String> = events.iter().map(|e| format!("{}{:?}", e.stmt, e.point)).collect();
    let expected = [
        "read_A[35, 2]",
        "read_A[35, 18]",
        "sync0[]",
        "S[35, 2]",
        "S[35, 18]",
        "read_A[35, 8194]",
        "sync0[]",
        "S[35, 8194]",
    ];
    assert_eq!(seen, expected);
}
