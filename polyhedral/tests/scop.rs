//! SCoPs as text: round trips, places of errors, and the dependences that follow from them.

use tessera_polyhedral::Error;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::Map;
use tessera_polyhedral::scop::{DependenceKind, Element, Operation, Scop};

/// A SCoP in which every part occurs.
const ALL: &str = r#"scop: "all, line 3"
context: "[n, m] -> { : n >= 2 }"
arrays:
- { array: "A", element: f64, storage: memory, sizes: [ "[n, m] -> { m }", "[n, m] -> { n * m }" ] }
- { array: "R", element: f32x4, unit: 16, storage: rows, levels: 1, sizes: [] }
- { array: "s", element: bytes24, unit: 32, storage: scalar }
statements:
- statement: "S"
  domain: "[n, m] -> { S[i, j] : 0 < i < n and 0 <= j < m }"
  accesses:
  - { read: "{ S[i, j] -> A[i - 1, j, 0] }" }
  - { read: "{ S[i, j] -> R[i, j] }" }
  - { write: "{ S[i, j] -> A[i, j, 0] }" }
  operations: [ "add f64 times 2", "call my_function f64", "convert f64 from i32", "other shufflevector f32x4" ]
  chains:
  - { from: 0, to: 2, through: [ "mul f64", "add f64" ] }
- statement: "T"
  domain: "[n] -> { T[i] : 0 <= i < n }"
  accesses:
  - { read: "{ T[i] -> s[] }" }
  - { may-write: "{ T[i] -> s[] }" }
  operations: [ "add i32" ]
  reduction: { kind: "sum i32", read: 0, write: 1 }
  branches: 1
promises:
- { depth: 0, accesses: [ "S.0", "S.2" ] }
assumptions:
- { apart: [ "A", "R" ] }
- { value: "[n] -> { T[i] -> n * i : 0 <= i < n }", low: 0, high: 4294967295 }
- { value: "[n] -> { n * n : n >= 1 }", low: -5 }
- { protected: "the size", from: "A" }
- { rows: "R" }
schedule:
  domain: "[n, m] -> { S[i, j] : 0 < i < n and 0 <= j < m; T[i] : 0 <= i < n }"
  child:
    sequence:
    - filter: "[n, m] -> { S[i, j] }"
      child:
        schedule: "[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]"
    - filter: "[n] -> { T[i] }"
      child:
        schedule: "[{ T[i] -> [(i)] }]"
"#;

fn budget() -> Budget {
    Budget::new(50_000_000)
}

#[test]
fn what_is_printed_is_read() {
    let scop: Scop = ALL.parse().unwrap_or_else(|e| panic!("{e:#}"));
    let text = scop.to_string();
    let again: Scop = text.parse().unwrap_or_else(|e| panic!("{e:#}\n{text}"));
    assert_eq!(text, again.to_string());
    assert_eq!(scop, again);
    assert_eq!(scop.arrays[0].unit, 8, "the unit of an element is its size");
    assert_eq!(scop.statements[1].reduction.as_ref().map(|r| r.kind.as_str()), Some("sum i32"));
}

#[test]
fn several_in_one_text() {
    let text = format!("# a comment\n---\n{ALL}# more\n\n---\n{ALL}");
    assert_eq!(Scop::parse_all(&text, &budget()).unwrap().len(), 2);
    assert!(Scop::parse_all("# nothing\n---\n", &budget()).unwrap().is_empty());
    // Lines count from the start of all.
    let wrong = format!("{ALL}---\n{}", ALL.replace("storage: scalar", "storage: attic"));
    let Err(Error::Parse(error)) = Scop::parse_all(&wrong, &budget()) else { panic!("an error is expected") };
    assert_eq!(error.line, ALL.lines().count() + 1 + 6);
    assert_eq!(error.found, "attic");
}

#[test]
fn elements_and_operations() {
    for text in ["i1", "i32", "f16", "bf16", "f80", "f64", "ptr64", "bytes24", "f32x4", "i8x16"] {
        assert_eq!(Element::parse(text).map(|element| element.to_string()).as_deref(), Some(text));
    }
    for text in ["", "i", "f64x", "x4", "i32x0", "i03", "double", "bytes99999999999", "i+3", "f65", "bf32"] {
        assert_eq!(Element::parse(text), None, "{text}");
    }
    for text in
        ["add f64", "fma f32x8 times 12", "convert f64 from i32", "call sin f64", "compare ptr64", "other freeze i1"]
    {
        assert_eq!(Operation::parse(text).map(|operation| operation.to_string()).as_deref(), Some(text));
    }
    for text in
        ["", "add", "plus f64", "add f64 twice", "convert f64", "call f64", "add f64 times 0", "add f64 times 2 3"]
    {
        assert_eq!(Operation::parse(text), None, "{text}");
    }
}

/// What is changed in the text, and what the error says.
const MISTAKES: [(&str, &str, &str); 17] = [
    ("scop: \"all, line 3\"", "scope: \"all\"", "line 1, column 1: expected one of the keys scop, context"),
    ("schedule:\n  domain", "schedule:\n  domian", "one of the keys domain"),
    ("element: f64", "element: double", "line 4, column 26: expected an element such as f64"),
    ("element: f64", "element: f65", "line 4, column 26: expected an element such as f64"),
    ("element: bytes24, ", "", "expected the key element"),
    ("levels: 1, ", "", "expected the key levels"),
    ("storage: memory, ", "storage: memory, levels: 2, ", "levels only with storage: rows"),
    ("unit: 32", "unit: many", "expected a number, found `many`"),
    ("\"add i32\"", "\"add 32\"", "expected an operation such as"),
    ("{ S[i, j] -> A[i - 1, j, 0] }", "{ S[i, j] -> A[i - 1, j, 0 }", "line 11"),
    (
        "{ S[i, j] -> A[i - 1, j, 0] }",
        "{ S[i, j] -> A[i - 1, j] }",
        "line 11, column 5: expected another access (A has 3 dimensions and 2 subscripts in access 0 of S)",
    ),
    ("{ S[i, j] -> R[i, j] }", "{ S[i, j] -> Q[i, j] }", "access 1 of S leads to no array of the SCoP"),
    (
        "{ T[i] -> s[] }\" }\n  - { may",
        "{ T[i, j] -> s[] }\" }\n  - { may",
        "access 0 of T is one of another statement",
    ),
    ("statement: \"T\"", "statement: \"U\"", "the domain of U is one of another statement"),
    ("from: 0, to: 2", "from: 2, to: 0", "no read and write"),
    ("\"S.2\"", "\"S.7\"", "a promise is about access 7"),
    ("rows: \"R\"", "rows: \"Q\"", "an assumption is about Q"),
];

#[test]
fn errors_say_where_and_what() {
    for (part, instead, expected) in MISTAKES {
        assert!(ALL.contains(part), "{part}");
        let text = ALL.replacen(part, instead, 1);
        let error = text.parse::<Scop>().err().unwrap_or_else(|| panic!("no error for {instead}"));
        assert!(error.to_string().contains(expected), "{instead}: {error}");
    }
    // A schedule of other statements.
    let text =
        ALL.replace("; T[i] : 0 <= i < n }", " }").replace("    - filter: \"[n] -> { T[i] }\"\n      child:\n", "");
    assert!(text.parse::<Scop>().is_err());
    // Nothing that is cut off is a panic.
    for end in (0..ALL.len()).step_by(7).filter(|end| ALL.is_char_boundary(*end)) {
        let _ = ALL[..end].parse::<Scop>();
    }
}

fn is_equal(map: &Map, text: &str) -> bool {
    map.is_equal(&Map::parse(text, &budget()).unwrap(), &budget()).unwrap()
}

#[test]
fn dependences_follow() {
    let plain = ALL.replace("- { depth: 0, accesses: [ \"S.0\", \"S.2\" ] }\n", "").replace("promises:\n", "");
    let scop: Scop = plain.parse().unwrap();
    let found = scop.dependences(&budget()).unwrap();
    let flow: Vec<_> = found.pairs.iter().filter(|pair| pair.kind == DependenceKind::Flow).collect();
    assert_eq!(flow.len(), 2);
    let expected = "[n, m] -> { S[i, j] -> S[i + 1, j] : 0 < i < n - 1 and 0 <= j < m and n >= 2 }";
    assert_eq!((flow[0].array, flow[0].from, flow[0].to), (0, 2, 0));
    assert!(is_equal(&flow[0].dependence.map, expected), "{}", flow[0].dependence.map);
    // Sums may be added up in any order: they are kept apart, and only one relation is left for each pair of
    // statements.
    assert!(found.pairs.iter().filter(|pair| pair.array == 2).all(|pair| pair.dependence.reduction));
    let sums: Vec<_> = found.merged.iter().filter(|dependence| dependence.reduction).collect();
    assert_eq!(sums.len(), 1);
    let expected = "[n, m] -> { T[i] -> T[k] : 0 <= i < k < n and n >= 2 }";
    assert!(is_equal(&sums[0].map, expected), "{}", sums[0].map);
}

#[test]
fn promised_dependences_are_left_out() {
    let scop: Scop = ALL.parse().unwrap();
    let found = scop.dependences(&budget()).unwrap();
    assert!(found.pairs.iter().all(|pair| pair.array != 0), "the outer loop carries what there was");
    // A promise about the inner loop says nothing about the outer one.
    let inner: Scop = ALL.replace("depth: 0", "depth: 1").parse().unwrap();
    let found = inner.dependences(&budget()).unwrap();
    assert_eq!(found.pairs.iter().filter(|pair| pair.array == 0).count(), 1);
}
