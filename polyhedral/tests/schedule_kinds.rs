//! All kinds of nodes: read and printed as isl does, ordered, flattened; piecewise band members; options.

use tessera_polyhedral::ast::{AstBuild, interpret};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::UnionMap;
use tessera_polyhedral::schedule::{LoopType, Node, ScheduleTree, order};

fn budget() -> Budget {
    Budget::new(500_000_000)
}

fn tree(text: &str) -> ScheduleTree {
    text.parse().unwrap_or_else(|e| panic!("{e:#}\n{text}"))
}

fn flat(tree: &ScheduleTree) -> UnionMap {
    tree.to_map(&budget()).unwrap()
}

fn map(text: &str) -> UnionMap {
    UnionMap::parse(text, &budget()).unwrap()
}

/// AC-N8, AC-N11 and the forms of extension and context that refer to outer bands.
#[test]
fn every_kind_is_read_and_printed() {
    for text in [
        "domain: \"{ S[i] : 0 <= i <= 9 }\"\nchild:\n  mark: \"kernel\"\n  child:\n    schedule: \"[{ S[i] -> [(i)] }]\"\n",
        "domain: \"[n] -> { S[i] : 0 <= i < n }\"\nchild:\n  guard: \"[n] -> { [] : n >= 5 }\"\n  child:\n    schedule: \"[{ S[i] -> [(i)] }]\"\n    child:\n      guard: \"{ [i] : i >= 5 }\"\n",
        "domain: \"{ S[i] : 0 <= i <= 9 }\"\nchild:\n  schedule: \"[{ S[i] -> [(i)] }]\"\n  child:\n    context: \"[b] -> { [i] : i >= 0 and 0 <= b <= 3 }\"\n    child:\n      extension: \"{ [t] -> C[a] : t <= a <= 3 + t }\"\n      child:\n        sequence:\n        - filter: \"{ C[a] }\"\n        - filter: \"{ S[i] }\"\n",
        "domain: \"[n] -> { G[i] : 0 <= i < n }\"\nchild:\n  schedule: \"[{ G[i] -> [(i)] }]\"\n  child:\n    contraction: \"{ S[i] -> G[(i)]; T[i] -> G[(i)] }\"\n    expansion: \"{ G[i] -> S[i]; G[i] -> T[i] }\"\n    child:\n      sequence:\n      - filter: \"{ S[i] }\"\n      - filter: \"{ T[i] }\"\n",
        "domain: \"{ S[i, j] : 0 <= i, j <= 9 }\"\nchild:\n  schedule: \"[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]\"\n  permutable: 1\n  coincident: [ 1, 0 ]\n  options: \"{ separate[0]; unroll[1]; isolate[[] -> [a, b]] : a >= 2; [isolate[] -> unroll[0]] }\"\n",
    ] {
        let read = tree(text);
        let printed = read.to_yaml();
        assert_eq!(tree(&printed), read, "{printed}");
        assert!(!read.to_string().is_empty());
    }
}

#[test]
fn options_become_properties_of_the_members() {
    let read = tree(
        "{ domain: \"{ S[i, j] }\", child: { schedule: \"[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]\", options: \
         \"[n] -> { atomic[x] : x <= 0; unroll[1]; isolate[[] -> [a, b]] : a >= n; [isolate[] -> separate[x]] }\" } }",
    );
    let Some(Node::Band(band, _)) = read.node(&[0]) else { panic!() };
    let types: Vec<_> = band.members().iter().map(|m| (m.loop_type, m.isolate_loop_type)).collect();
    assert_eq!(types, [(LoopType::Atomic, LoopType::Separate), (LoopType::Unroll, LoopType::Separate)]);
    assert!(band.isolate.is_some());
    let bad = "{ domain: \"{ S[i] }\", child: { schedule: \"[{ S[i] -> [(i)] }]\", options: \"{ twist[0] }\" } }";
    assert!(bad.parse::<ScheduleTree>().unwrap_err().to_string().contains("twist"));
    let twice =
        "{ domain: \"{ S[i] }\", child: { schedule: \"[{ S[i] -> [(i)] }]\", options: \"{ unroll[0]; atomic[x] }\" } }";
    assert!(twice.parse::<ScheduleTree>().is_err());
}

/// AC-N10: what is below an expansion runs at the time of its representative.
#[test]
fn expansion() {
    let tree = tree(
        "{ domain: \"[n] -> { G[i] : 0 <= i < n }\", child: { schedule: \"[{ G[i] -> [(i)] }]\", child: { contraction: \
         \"{ S[i] -> G[(i)]; T[i] -> G[(i)] }\", expansion: \"{ G[i] -> S[i]; G[i] -> T[i] }\", child: { sequence: [ { \
         filter: \"{ S[i] }\" }, { filter: \"{ T[i] }\" } ] } } } }",
    );
    let expected = map("[n] -> { T[i0] -> [i0, 1] : 0 <= i0 < n; S[i0] -> [i0, 0] : 0 <= i0 < n }");
    assert!(flat(&tree).is_equal(&expected, &budget()).unwrap());
    let n = [("n".into(), 5.into())];
    let ask = |a: (&str, i64), b: (&str, i64)| {
        order(&tree, &n, (a.0, &[a.1.into()]), (b.0, &[b.1.into()]), &budget()).unwrap()
    };
    assert_eq!(ask(("S", 1), ("T", 1)), Some(std::cmp::Ordering::Less));
    assert_eq!(ask(("S", 2), ("T", 1)), Some(std::cmp::Ordering::Greater));
    assert_eq!(ask(("T", 2), ("T", 2)), None);
    let ast = AstBuild::new().build(&tree, &budget()).unwrap();
    let trace = interpret(&ast, &[3.into()], &budget()).unwrap();
    let executed: Vec<String> = trace.iter().map(|event| format!("{}{}", event.stmt, event.point[0])).collect();
    assert_eq!(executed, ["S0", "T0", "S1", "T1", "S2", "T2"]);
}

/// AC-O2e: a piecewise member splits the index set; the AST runs the parts one after the other.
#[test]
fn piecewise_member() {
    let tree = tree(
        "{ domain: \"[n] -> { S[i] : 0 <= i < n }\", child: { schedule: \"[{ S[i] -> [(0)] : i < 10; S[i] -> [(1)] : i >= \
         10 }, { S[i] -> [(i)] : i < 10; S[i] -> [(-i)] : i >= 10 }]\" } }",
    );
    let expected = map("[n] -> { S[i] -> [0, i] : 0 <= i < n and i < 10; S[i] -> [1, -i] : 10 <= i < n }");
    assert!(flat(&tree).is_equal(&expected, &budget()).unwrap());
    assert!(tree.verify(&budget()).unwrap().is_empty());
    let ast = AstBuild::new().build(&tree, &budget()).unwrap();
    let trace = interpret(&ast, &[13.into()], &budget()).unwrap();
    let values: Vec<String> = trace.iter().map(|event| event.point[0].to_string()).collect();
    assert_eq!(values, ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "12", "11", "10"]);
    let partial = "{ domain: \"{ S[i] : 0 <= i <= 3 }\", child: { schedule: \"[{ S[i] -> [(i)] : i <= 1 }]\" } }";
    assert_eq!(partial.parse::<ScheduleTree>().unwrap().verify(&budget()).unwrap().len(), 1);
}
