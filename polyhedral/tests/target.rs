//! Targets as text: the built-in ones, round trips, places of errors, and what is looked up in them.

use tessera_polyhedral::scop::Element;
use tessera_polyhedral::target::{KINDS, Target};

fn builtin(name: &str) -> Target {
    Target::builtin(name)
        .unwrap_or_else(|| panic!("no target {name}"))
        .unwrap_or_else(|error| panic!("{name}: {error:#}"))
}

#[test]
fn what_is_printed_is_read() {
    for name in Target::builtins() {
        let target = builtin(name);
        assert_eq!(target.name, name);
        let text = target.to_string();
        let again: Target = text.parse().unwrap_or_else(|error| panic!("{error:#}\n{text}"));
        assert_eq!(again, target);
        assert_eq!(again.to_string(), text);
        for kind in KINDS {
            assert!(target.operations.iter().any(|cost| cost.operation == kind), "{name} has no costs for {kind}");
        }
    }
    assert!(Target::builtin("abacus").is_none());
    let example = include_str!("../../examples/targets/zen5.yaml");
    assert_eq!(Target::parse(example).unwrap_or_else(|error| panic!("{error:#}")).name, "zen5");
}

#[test]
fn the_first_entry_that_fits_counts() {
    let target = builtin("avx512");
    let cost = |kind: &str, element: &str| {
        let element = Element::parse(element).unwrap_or_else(|| panic!("{element}"));
        target.cost(kind, element)
    };
    assert_eq!(cost("add", "f64").latency, 4.0);
    assert_eq!(cost("add", "i32").latency, 1.0);
    assert_eq!(cost("add", "i24"), cost("add", "i32"), "the next wider type");
    assert_eq!(cost("add", "ptr64"), cost("add", "i64"));
    assert_eq!(cost("add", "f16"), cost("add", "f32"));
    assert_eq!(cost("div", "i32").vector, None);
    assert_eq!(cost("add", "f80").vector, None, "no lane is that wide");
}

/// What is changed in the text of avx2, and what the error says.
const MISTAKES: [(&str, &str, &str); 12] = [
    ("target: \"avx2\"", "machine: \"avx2\"", "line 3, column 1: expected one of the keys target, threads"),
    ("issue: 4\n", "", "expected the key issue"),
    ("issue: 4", "issue: four", "line 4, column 8: expected a number such as 4 or 0.5, found `four`"),
    ("issue: 4", "issue: 0", "a number that is greater than 0"),
    ("issue: 4", "issue: -4", "a number such as 4 or 0.5"),
    ("issue: 4", "issue: inf", "a number such as 4 or 0.5"),
    ("bytes: 32768", "bytes: 0", "an integer that is at least 1"),
    ("bytes: 524288", "bytes: 1024", "L2 holds no more than the cache before it"),
    ("cache: \"L2\"", "cache: \"L1\"", "two caches are called L1"),
    ("operation: fma", "operation: fmaa", "one of the kinds add, mul, fma"),
    ("[ f32, f64 ]", "[ f32, double ]", "an element such as f64 or i32"),
    ("fma: 1", "fma: yes", "expected 0 or 1, found `yes`"),
];

#[test]
fn errors_say_where_and_what() {
    let text = Target::builtin_text("avx2").unwrap();
    for (part, instead, expected) in MISTAKES {
        assert!(text.contains(part), "{part}");
        let changed = text.replacen(part, instead, 1);
        let error = Target::parse(&changed).err().unwrap_or_else(|| panic!("no error for {instead}"));
        assert!(error.to_string().contains(expected), "{instead}: {error}");
    }
    // Nothing that is cut off is a panic.
    for end in (0..text.len()).step_by(5).filter(|end| text.is_char_boundary(*end)) {
        let _ = Target::parse(&text[..end]);
    }
}
