//! YAML of schedule trees and of the other composite objects: both styles, round trips, places of errors.

use proptest::prelude::*;
use tessera_polyhedral::Error;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::flow::{AccessInfo, AccessOrder, FlowInfo};
use tessera_polyhedral::schedule::ScheduleTree;
use tessera_polyhedral::scheduler::ScheduleConstraints;

/// Trees in the form in which this library prints them.
const TREES: [&str; 5] = [
    "# plain\ndomain: { S[i] :\n  i > 0; T[] }\nchild:\n\tsequence:\n\t- filter: { S[i] } # c\n\t- filter:\n { T[] }\n",
    "{ domain: [n] -> { S[i] }, child: { schedule: L[{ S[i] -> [(i)] }], coincident: [1] } }",
    "domain: \"[n] -> { S[i, j] : 0 <= i < n and 0 <= j < n; T[i] : 0 <= i < n }\"\nchild:\n  context: \"[n] -> { : n >= 4 }\"\n  \
     child:\n    sequence:\n    - filter: \"{ S[i, j] }\"\n      child:\n        schedule: \"[{ S[i, j] -> [(floor((i)/32))] }, { S[i, j] -> [(j)] }]\"\n        \
     permutable: 1\n        coincident: [1, 0]\n    - filter: \"{ T[i] }\"\n      child:\n        mark: \"here\"\n        child:\n          \
     schedule: \"[n] -> [{ T[i] -> [(n - i)] }]\"\n",
    "context: \"[n] -> { : n >= 1 }\"\nchild:\n  domain: \"{ A[]; B[] }\"\n  child:\n    set:\n    - filter: \"{ A[] }\"\n    - filter: \"{ B[] }\"\n",
    "domain: \"{ S[i] : 0 <= i <= 9 }\"\nchild:\n  schedule: \"[{ S[i] -> [(i)] }]\"\n",
];

#[test]
fn trees_read_what_they_print() {
    for text in TREES {
        let tree: ScheduleTree = text.parse().unwrap_or_else(|e| panic!("{text}{e}"));
        assert_eq!(tree.to_yaml().parse::<ScheduleTree>().unwrap(), tree);
        assert!(tree.verify(&Budget::new(10_000_000)).is_ok());
    }
}

#[test]
fn flow_style_is_read() {
    let flow = "{ domain: \"{ S[i, j]; T[] }\", child: { sequence: [ { filter: \"{ T[] }\" }, { filter: \"{ S[i, j] }\", child: { \
                schedule: \"[{ S[i, j] -> [(i)] }, { S[i, j] -> [(i + j)] }]\", permutable: 1, coincident: [ 1, 0 ], child: leaf } } ] } }";
    let block = "domain: \"{ S[i, j]; T[] }\"\nchild:\n  sequence:\n  - filter: \"{ T[] }\"\n  - filter: \"{ S[i, j] }\"\n    child:\n      \
                 schedule: \"[{ S[i, j] -> [(i)] }, { S[i, j] -> [(i + j)] }]\"\n      permutable: 1\n      coincident: [1, 0]\n";
    assert_eq!(flow.parse::<ScheduleTree>().unwrap(), block.parse::<ScheduleTree>().unwrap());
    // A named tuple of members, as isl prints it for a band with a name.
    assert!("{ domain: \"{ S[i] }\", child: { schedule: \"L[{ S[i] -> [(i)] }]\" } }".parse::<ScheduleTree>().is_ok());
}

#[test]
fn errors_in_trees_have_places() {
    let mut wrong = Vec::new();
    for (text, message) in [
        ("", "line 1, column 1: expected a YAML mapping, found the end of the text"),
        (
            "domain: \"{ S[i] : k > 0 }\"",
            "line 1, column 19: expected a dimension, a quantified variable or a declared parameter, found `k`",
        ),
        (
            "domain: \"{ S[i] }\"\nchild:\n  group: \"{ : }\"",
            "line 3, column 3: expected one of the keys domain, context, guard, filter, sequence, set, schedule, mark, extension, expansion, contraction, child, permutable, coincident, options, leaf, found `group`",
        ),
        (
            "domain: \"{ S[i] }\"\nchild:\n  expansion: \"{ }\"",
            "line 3, column 3: expected the key contraction beside expansion, found `e`",
        ),
        (
            "{ domain: \"{ S[i] }\", child: { schedule: \"[{ S[i] -> [(i)] }]\", permutable: yes } }",
            "line 1, column 77: expected 0 or 1, found `yes`",
        ),
        (
            "{ domain: \"{ S[i] }\", child: { schedule: \"[{ S[i] -> [(i)] }]\", coincident: [1, 1] } }",
            "line 1, column 77: expected at most 1 flags, one per member, found `[`",
        ),
        ("filter: \"{ S[i] }\"", "line 1, column 1: expected a domain (or an extension) at the root, found `f`"),
        (
            "{ domain: \"{ S[i] }\", filter: \"{ S[i] }\" }",
            "line 1, column 23: expected only one kind of node (this is already a domain), found `filter`",
        ),
        (
            "{ domain: \"{ S[i] }\", child: { sequence: [ { mark: a } ] } }",
            "line 1, column 44: expected a filter, found `{`",
        ),
        (
            "{ domain: \"{ S[i] }\", permutable: 1 }",
            "line 1, column 23: expected one of the keys of a domain node: domain, child, found `permutable`",
        ),
        ("domain: &a \"{ S[i] }\"", "line 1, column 9: expected a node without anchor, alias or tag, found `&`"),
        ("{ domain: \"{ S[i] }\"", "line 1, column 21: expected `,` or `}`, found the end of the text"),
        (
            "domain: \"{ S[i] }\"\ndomain: \"{ S[i] }\"",
            "line 2, column 1: expected a key that does not yet occur, found `domain`",
        ),
    ] {
        let error = text.parse::<ScheduleTree>().unwrap_err().to_string();
        if !error.starts_with(message) {
            wrong.push(format!("{text}\n  {error}\n  {message}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let deep = format!("domain: \"{{ S[] }}\"\nchild: {}{}", "{ mark: m, child: ".repeat(1000), "}".repeat(1000));
    assert!(matches!(deep.parse::<ScheduleTree>(), Err(Error::Parse(_))));
    let deep = "[".repeat(100_000);
    assert!(matches!(deep.parse::<ScheduleTree>(), Err(Error::Parse(_))));
}

#[test]
fn composite_objects() {
    let text = "{ domain: \"[n] -> { T[]; S[i] : 0 <= i < n }\", context: \"[n] -> {  : n >= 4 }\", validity: \"[n] -> { S[i] -> \
                S[1 + i] : 0 <= i <= -2 + n }\", proximity: \"{ S[i] -> T[] }\" }";
    let constraints: ScheduleConstraints = text.parse().unwrap();
    assert_eq!(constraints.domain.n_members(), 2);
    assert!(constraints.coincidence.is_plainly_empty() && !constraints.validity.is_plainly_empty());
    assert_eq!(constraints.to_string().parse::<ScheduleConstraints>().unwrap(), constraints);

    let text = "{ sink: \"{ S[i] -> A[i] }\", must_source: \"{ T[i] -> A[i] : i >= 4 }\", kill: \"{ S[i] -> A[i] }\", schedule_map: \
                \"{ T[i] -> [0, i]; S[i] -> [1, i] }\" }";
    let accesses: AccessInfo = text.parse().unwrap();
    assert!(matches!(&accesses.order, AccessOrder::Map(map) if map.n_members() == 2));
    assert_eq!(accesses.to_string().parse::<AccessInfo>().unwrap(), accesses);
    let text = "{ sink: \"{ S[i] -> A[i] }\", schedule: { domain: \"{ S[i]; T[i] }\", child: { schedule: \"[{ S[i] -> [(i)]; T[i] \
                -> [(i)] }]\" } } }";
    let accesses: AccessInfo = text.parse().unwrap();
    assert!(matches!(&accesses.order, AccessOrder::Tree(_)));
    assert_eq!(accesses.to_string().parse::<AccessInfo>().unwrap(), accesses);

    let text = "{ must_dependence: \"{ T[i] -> [S[i' = i] -> A[i]] : i >= 4 }\", may_dependence: \"{ T[i] -> [S[i' = i] -> A[i]] : i >= \
                4 }\", must_no_source: \"{ S[i] -> A[i] : i <= 3 }\", may_no_source: \"{ S[i] -> A[i] : i <= 3 }\" }";
    let flow: FlowInfo = text.parse().unwrap();
    assert_eq!(flow.must_dependence, flow.may_dependence);
    assert_eq!(flow.to_string().parse::<FlowInfo>().unwrap(), flow);

    for (text, message) in [
        ("{ validity: \"{ }\" }", "line 1, column 1: expected the key domain, found `{`"),
        ("domain: \"{ S[i] }\"\nproximity: \"{ S[i] -> S[k }\"", "line 2, column 27: expected `]`, found `}`"),
        ("domain: \"{ S[i] }\"\nguard: \"\"", "line 2, column 1: expected one of the keys domain, context, validity"),
        ("domain: [1]", "line 1, column 10: expected `{`, found `1`"),
        ("domain: [[1]]", "line 1, column 10: expected a union of sets, found `[`"),
        ("domain: \"{ S[i] }\"\ncontext: \"{ S[i] }\"", "line 2, column 10: expected a set of only parameters"),
    ] {
        let error = text.parse::<ScheduleConstraints>().unwrap_err().to_string();
        assert!(error.starts_with(message), "{text}\n  {error}\n  {message}");
    }
    assert!("sink: \"{ }\"".parse::<AccessInfo>().is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn mutated_trees_are_read_or_refused(k in 0..TREES.len(), at in 0.0..1.0f64, cut in 0usize..5, insert in "[ \\[\\]{}:\"'\\-a0,\n#&*|>]{0,4}") {
        let text = TREES[k];
        let first = (text.len() as f64 * at) as usize;
        let last = (first + cut).min(text.len());
        let text = format!("{}{}{}", &text[..first], insert, &text[last..]);
        let lines = text.split('\n').count();
        if let Err(Error::Parse(e)) = ScheduleTree::from_yaml(&text, &Budget::new(200_000)) {
            prop_assert!(e.line >= 1 && e.column >= 1 && e.line <= lines, "{} of {}: {}", e.line, lines, text);
        }
        let _ = ScheduleConstraints::parse(&text, &Budget::new(200_000));
        let _ = AccessInfo::parse(&text, &Budget::new(200_000));
    }
}

/// What follows a nested list belongs to the mapping in whose column it stands.
#[test]
fn keys_after_nested_lists() {
    let text = "schedule:\n  domain: \"{ S[i]; T[] }\"\n  child:\n    sequence:\n    - filter: \"{ S[i] }\"\n      child:\n        schedule: \"[{ S[i] -> \
                [(i)] }]\"\n        coincident: [ 0 ]\n    - filter: \"{ T[] }\"\nmust_source: \"{ S[i] -> A[i] }\"\nsink: \"{ T[] -> A[0] }\"\n";
    let info = AccessInfo::parse(text, &Budget::new(10_000_000)).unwrap_or_else(|e| panic!("{e:#}"));
    assert!(matches!(&info.order, AccessOrder::Tree(tree) if tree.bands().len() == 1));
    assert!(!info.sink.is_plainly_empty() && !info.must_source.is_plainly_empty());
}
