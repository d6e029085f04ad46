//! What the tests of schedule trees share: reading, traces, the running example of the paper.

#![allow(unreachable_pub, missing_docs, reason = "test support")]

use tessera_polyhedral::affine::PwMultiAff;
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{AstBuild, interpret};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::{UnionMap, UnionSet};
use tessera_polyhedral::schedule::{Cursor, Node, ScheduleTree};

pub fn budget() -> Budget {
    Budget::new(1_000_000_000)
}

pub fn tree(text: &str) -> ScheduleTree {
    ScheduleTree::from_yaml(text, &budget()).unwrap_or_else(|e| panic!("{e:#}\n{text}"))
}

pub fn map(text: &str) -> UnionMap {
    UnionMap::parse(text, &budget()).unwrap_or_else(|e| panic!("{e:#}\n{text}"))
}

pub fn set(text: &str) -> UnionSet {
    UnionSet::parse(text, &budget()).unwrap_or_else(|e| panic!("{e:#}\n{text}"))
}

pub fn function(text: &str) -> PwMultiAff {
    PwMultiAff::parse(text, &budget()).unwrap_or_else(|e| panic!("{e:#}\n{text}"))
}

pub fn ints(values: &[i64]) -> Vec<Int> {
    values.iter().map(|&x| Int::from(x)).collect()
}

pub fn at(tree: &ScheduleTree, path: &[usize]) -> Cursor {
    tree.cursor_at(path).unwrap()
}

/// The relations are equal on the instances of the tree.
pub fn assert_schedule(tree: &ScheduleTree, expected: &str) {
    let found = tree.to_map(&budget()).unwrap();
    let domain = tree.domain().unwrap().to_union_set().unwrap();
    let expected = map(expected).intersect_domain(&domain, &budget()).unwrap();
    assert!(found.is_equal(&expected, &budget()).unwrap(), "{found}\n{expected}");
}

/// What the generated code executes.
pub fn trace(tree: &ScheduleTree, params: &[i64]) -> String {
    let ast = AstBuild::new().build(tree, &budget()).unwrap();
    let events = interpret(&ast, &ints(params), &budget()).unwrap();
    let texts = events.iter().map(|event| {
        let point: Vec<String> = event.point.iter().map(ToString::to_string).collect();
        format!("{}({})", event.stmt, point.join(","))
    });
    texts.collect::<Vec<_>>().join(" ")
}

pub const EXAMPLE: &str = r#"
domain: "[n] -> { T1[i] : 0 <= i < n; T2[i, j] : 0 <= i, j < n; T3[i] : 0 <= i < n }"
child:
  sequence:
  - filter: "{ T1[i] }"
    child:
      schedule: "[{ T1[i] -> [(i)] }]"
  - filter: "{ T2[i, j]; T3[i] }"
    child:
      schedule: "[{ T2[i, j] -> [(j)]; T3[i] -> [(i - 1)] }]"
      child:
        sequence:
        - filter: "{ T2[i, j] }"
          child:
            schedule: "[{ T2[i, j] -> [(i)] }]"
        - filter: "{ T3[i] }"
"#;

pub const EXAMPLE_MAP: &str = "{ T1[i] -> [0, i, 0, 0]; T2[i, j] -> [1, j, 0, i]; T3[i] -> [1, -1 + i, 1, 0] }";

/// A line of code for a domain and a band.
pub fn nest(domain: &str, members: &[&str], more: &str) -> ScheduleTree {
    let members: Vec<String> = members.iter().map(|m| format!("{{ {m} }}")).collect();
    tree(&format!("{{ domain: \"{domain}\", child: {{ schedule: \"[{}]\"{more} }} }}", members.join(", ")))
}

pub fn flags(tree: &ScheduleTree, path: &[usize]) -> (bool, Vec<bool>) {
    let Some(Node::Band(band, _)) = tree.node(path) else { panic!() };
    (band.permutable, band.members().iter().map(|m| m.coincident).collect())
}

pub const TWO: &str = r#"
domain: "[n] -> { S[i] : 0 <= i < n; T[i] : 0 <= i < n }"
child:
  sequence:
  - filter: "{ S[i] }"
    child: { schedule: "[{ S[i] -> [(i)] }]" }
  - filter: "{ T[i] }"
    child: { schedule: "[{ T[i] -> [(i)] }]" }
"#;

/// AC-P6's tree, with an extension.
pub fn copies() -> ScheduleTree {
    tree(
        r#"
domain: "[n] -> { S[i] : 0 <= i < n and i mod 64 >= 50 }"
child:
  schedule: "[{ S[i] -> [(32*floor(i/32))] }]"
  permutable: 1
  child:
    extension: "[n] -> { [T] -> in[a] : T <= a < T + 32; [T] -> out[a] : T <= a < T + 32 and 0 <= a < n and a mod 64 >= 50 }"
    child:
      sequence:
      - filter: "{ in[a] }"
      - filter: "{ S[i] }"
      - filter: "{ out[a] }"
"#,
    )
}
