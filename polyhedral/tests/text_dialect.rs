//! The dialect of YAML and the notation of tuples: every shape of a file holds the same object, and every way to write an entry of a
//! tuple has the meaning of the formula that says the same. The crate `oracle` lets isl judge the same files and texts.

use crate::text_support::{Decoration, Doc, Kind, Layout, Quotes, Shape, accesses_with_tree, contents};

use tessera_polyhedral::Error;
use tessera_polyhedral::affine::{MultiPwAff, PwAff};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::flow::{AccessInfo, AccessOrder, FlowInfo};
use tessera_polyhedral::relation::{UnionMap, UnionSet};
use tessera_polyhedral::schedule::ScheduleTree;
use tessera_polyhedral::scheduler::ScheduleConstraints;

fn budget() -> Budget {
    Budget::new(100_000_000)
}

/// The object of a file, printed: equal objects of one origin print equal texts.
fn read(kind: Kind, text: &str) -> Result<String, Error> {
    Ok(match kind {
        Kind::Constraints => ScheduleConstraints::parse(text, &budget())?.to_string(),
        Kind::Accesses => AccessInfo::parse(text, &budget())?.to_string(),
        Kind::Tree => ScheduleTree::from_yaml(text, &budget())?.to_yaml(),
        Kind::Flow => FlowInfo::parse(text, &budget())?.to_string(),
    })
}

fn plainest() -> Shape {
    Shape { quotes: Quotes::Double, layout: Layout::Block, indent: "  ", decoration: Decoration::None }
}

#[test]
fn every_shape_holds_the_same_object() {
    let mut objects = contents();
    objects.push((Kind::Accesses, accesses_with_tree()));
    let (mut files, mut wrong) = (0, Vec::new());
    for (kind, doc) in &objects {
        let expected = read(*kind, &plainest().write(doc)).unwrap_or_else(|e| panic!("{}{e:#}", plainest().write(doc)));
        assert_eq!(read(*kind, &expected).unwrap(), expected, "what is printed reads back");
        for shape in Shape::all() {
            let text = shape.write(doc);
            files += 1;
            match read(*kind, &text) {
                Ok(object) if object == expected => {}
                Ok(object) => wrong.push(format!("{shape:?}\n{text}is\n{object}")),
                Err(error) => wrong.push(format!("{shape:?}\n{text}{error:#}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {files}:\n{}", wrong.len(), wrong[..wrong.len().min(3)].join("\n"));
    assert_eq!(files, objects.len() * Shape::all().len());
    assert!(files >= 5_000, "{files}");
}

/// Single files in shapes that no table makes.
#[test]
fn further_files_of_isl() {
    let a = "domain: \"{ A[i]; B[] }\"\nvalidity: \"{ A[i] -> B[] }\"\n";
    let expected = read(Kind::Constraints, a).unwrap();
    for text in [
        "domain: { A[i]; B[] } validity: { A[i] -> B[] }",
        "domain: { A[i]; B[] }\n  validity: { A[i] -> B[] }",
        "\tdomain: { A[i]; B[] }\n validity: { A[i] -> B[] }",
        "\tdomain: { A[i]; B[] }\n        validity: { A[i] -> B[] }",
        "domain\n:\n{ A[i]; B[] }validity:{ A[i]\n\n->\n# c\nB[]\n}",
        "domain: { C[] }\ndomain: { A[i]; B[] }\nvalidity: { A[i] -> B[] }",
        "domain: \"{ A[i]; \\\n  B[] }\" validity: \"{ A[i] -> B[] }\" # x",
        "---\ndomain: { A[i]; B[] }\nvalidity: { A[i] -> B[] }\n...\n",
        "\u{feff}domain: { A[i]; B[] }\nvalidity: { A[i] -> B[] }",
        "{domain:{A[i];B[]},validity:{A[i]->B[]}}",
        "{ domain: { A[i]; B[] }, validity: { A[i] -> B[] }, }",
        "domain:\n- { A[i] }\n- { B[] }\nvalidity:\n  - { A[i] -> B[] }\n",
        "domain: [ { A[i]; B[] } ]\nvalidity: { A[i] -> B[] }".replace("[ {", "[ \"{").replace("} ]", "}\" ]").as_str(),
    ] {
        let read = read(Kind::Constraints, text).unwrap_or_else(|e| panic!("{text}\n{e:#}"));
        assert_eq!(read, expected, "{text}");
    }
    // A list of relations is their union, and a list of functions the members of a band.
    let list = "domain: { A[i]; B[i] }\nvalidity:\n- [n] -> { A[i] -> B[i] : i < n }\n- { A[0] -> B[4] }\n";
    let one = "domain: { A[i]; B[i] }\nvalidity: [n] -> { A[i] -> B[i] : i < n; A[0] -> B[4] }\n";
    let (list, one) = (ScheduleConstraints::parse(list, &budget()), ScheduleConstraints::parse(one, &budget()));
    assert!(list.unwrap().validity.is_equal(&one.unwrap().validity, &budget()).unwrap());
    let band = "domain: \"[n] -> { S[i] }\"\nchild:\n  schedule: ";
    let one = read(Kind::Tree, &format!("{band}\"[n] -> [{{ S[i] -> [(i)] }}, {{ S[i] -> [(n)] }}]\"")).unwrap();
    for list in [
        "\n  - { S[i] -> [(i)] }\n  - [n] -> { S[i] -> [(n)] }",
        "[n] -> [{ S[i] -> [(i)] }, { S[i] -> [(n)] }]",
        "[ [n] -> { S[i] -> [(i)] }, [n] -> { S[i] -> [(n)] } ]",
    ] {
        assert_eq!(read(Kind::Tree, &format!("{band}{list}")).unwrap(), one, "{list}");
    }
    // The example of the manual.
    let example = include_str!("../../docs/polycalc.md")
        .split("many liberties:\n\n```\n")
        .nth(1)
        .and_then(|s| s.split("```").next());
    let example = ScheduleConstraints::parse(example.unwrap(), &budget()).unwrap();
    assert_eq!((example.domain.n_members(), example.validity.n_members(), example.proximity.n_members()), (2, 2, 1));
    // A band without members; flags that are missing; other numbers than 1.
    let tree = |rest: &str| read(Kind::Tree, &format!("domain: {{ S[i] }}\nchild:\n  {rest}\n")).unwrap();
    assert_eq!(tree("schedule: []"), tree("schedule: \"[]\""));
    let band = "schedule: [{ S[i] -> [(i)] }, { S[i] -> [(2i)] }]";
    assert_eq!(
        tree(&format!("{band} permutable: 1 coincident: [1]")),
        tree(&format!("{band}\n  permutable: 5\n  coincident:\n  - 1\n  - 0"))
    );
    assert_eq!(tree("leaf"), "domain: \"{ S[i] }\"\n");
    // The value of a key may begin in the column of the key, as for isl.
    assert_eq!(read(Kind::Tree, "domain: { S[i] }\nchild:\nmark: m\n").unwrap(), tree("mark: m"));
    // Of both orders the last counts.
    let accesses = "sink: { S[i] -> A[i] }\nschedule: { domain: { S[i] } }\nschedule_map: { S[i] -> [i] }";
    assert!(matches!(AccessInfo::parse(accesses, &budget()).unwrap().order, AccessOrder::Map(_)));
}

#[test]
fn what_is_no_file_is_refused_at_its_place() {
    let mut wrong = Vec::new();
    for (text, message) in [
        ("", "line 1, column 1: expected a YAML mapping, found the end of the text"),
        ("# only a comment\n", "line 2, column 1: expected a YAML mapping"),
        ("domain: { A[i] } x", "line 1, column 18: expected a key and a colon, found `x`"),
        // isl stops reading here without a word.
        ("  domain: { A[i] }\nvalidity: { }", "line 2, column 1: expected a key in the column of the first key"),
        ("domain: { A[i] ]\n", "line 1, column 16: expected `}`, found `]`"),
        ("domain: { A[i]\nvalidity: { }", "line 2, column 14: expected `}`, found the end of the text"),
        ("domain: [n] -> x\n", "line 1, column 16: expected `{`, found `x`"),
        ("domain: { A[i] : k > 0 }", "line 1, column 18: expected a dimension, a quantified variable"),
        ("domain: {\n A[i];\n B[i] : 2 > k }", "line 3, column 13: expected a dimension, a quantified variable"),
        ("domain: \"{ A[i] }", "line 1, column 9: expected text that ends with `\"`"),
        ("domain: \"\\q\"", "line 1, column 11: expected an escape"),
        ("domain: { A[i] }\n---\ndomain: { A[i] }", "line 2, column 1: expected only one document"),
        ("domain: { A[i] }\nvalidity:\n", "line 3, column 1: expected `{`"),
        ("domain: *a", "line 1, column 9: expected a node without anchor, alias or tag"),
        ("{ domain: { A[i] }", "line 1, column 19: expected `,` or `}`"),
        ("domain: { rat: A[i] }", "line 1, column 11: expected an integer object"),
        ("domain: @", "line 1, column 9: expected a value"),
        ("domain: { A[i] }\ncontext: { A[i] }", "line 2, column 10: expected a set of only parameters"),
    ] {
        match ScheduleConstraints::parse(text, &budget()) {
            Err(error) if error.to_string().starts_with(message) => {}
            other => wrong.push(format!("{text}\n  {other:?}\n  {message}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Long lines and many levels end quickly.
    for hostile in ["[", "{ a: ", "- ", "a: ", "( ", "{", "\"", "[[{", "'", "- a: ", "|\n "] {
        assert!(ScheduleTree::from_yaml(&hostile.repeat(50_000), &budget()).is_err(), "{hostile}");
        assert!(
            ScheduleTree::from_yaml(&format!("domain: {}", hostile.repeat(50_000)), &budget()).is_err(),
            "{hostile}"
        );
    }
    let doc = Doc::Map((0..200).map(|_| ("sink", Doc::Object("{ }"))).collect());
    assert!(AccessInfo::parse(&plainest().write(&doc), &budget()).is_err());
}

/// Pairs of a notation and the formula that says the same.
#[test]
fn entries_of_tuples() {
    let mut wrong = Vec::new();
    let check = |wrong: &mut Vec<String>, a: &str, b: &str, equal: Result<bool, Error>| match equal {
        Ok(true) => {}
        other => wrong.push(format!("{a} against {b}: {other:?}")),
    };
    for (text, plain) in [
        ("{ [i, _] : i > _ }", "{ [i, j] : i > j }"),
        // `_` is a name; `*` is a dimension without one.
        ("{ [_, _] }", "{ [i, i] }"),
        ("{ [*, *] }", "{ [i, j] }"),
        ("{ S[j = 0:64, 0:64] }", "{ S[j, k] : 0 <= j <= 64 and 0 <= k <= 64 }"),
        ("{ S[i = 0:9, j = 0:i, i + j] }", "{ S[i, j, k] : 0 <= i <= 9 and 0 <= j <= i and k = i + j }"),
        ("{ S[i = 3:] }", "{ S[i] : i >= 3 }"),
        ("{ S[i = (3:7), (0:i)] }", "{ S[i, j] : 3 <= i <= 7 and 0 <= j <= i }"),
        ("[s = 0:23] -> { [s] }", "[s] -> { [s] : 0 <= s <= 23 }"),
        ("[n, s = 0:n] -> { [s] }", "[n, s] -> { [s] : 0 <= s <= n }"),
        ("[n = 0:m, m] -> { [n] }", "[n, m] -> { [n] : 0 <= n <= m }"),
        ("[s = 3:] -> { : }", "[s] -> { : s >= 3 }"),
        ("[s = 3] -> { [s]; T[] }", "[s] -> { [s] : s = 3; T[] : s = 3 }"),
        ("{ [i] : i // 2 = 3 }", "{ [i] : 6 <= i <= 7 }"),
        ("{ [i] : -i // 3 = 2 }", "{ [i] : floor(i/3) = -2 }"),
        ("{ [i] : i = -7 // 2 }", "{ [-4] }"),
        ("{ [i, j] : 2i // 3 = j }", "{ [i, j] : j = 2*floor(i/3) }"),
        ("{ [i, j] : (2i) // 3 = j }", "{ [i, j] : j = floor(2i/3) }"),
        ("{ [i, i // 4 mod 3] }", "{ [i, j] : j = (floor(i/4)) mod 3 }"),
        ("{ [i, j] : i // 3 + j // 2 = 1 }", "{ [i, j] : floor(i/3) + floor(j/2) = 1 }"),
        ("{ [i, j] : i // -3 = j }", "{ [i, j] : j = floor(-i/3) }"),
        ("{ [i] : exists (: i > 4) and exists : i < 9 }", "{ [i] : 4 < i < 9 }"),
        ("{ [i, i : i > 4] }", "{ [i, i] : i > 4 }"),
    ] {
        let (a, b): (UnionSet, UnionSet) = match (text.parse(), plain.parse()) {
            (Ok(a), Ok(b)) => (a, b),
            other => {
                wrong.push(format!("{text}: {other:?}"));
                continue;
            }
        };
        check(&mut wrong, text, plain, a.is_equal(&b, &budget()));
    }
    for (text, plain) in [
        ("{ [a] -> [a - 1 : a > 0] }", "{ [a] -> [b] : b = a - 1 and a > 0 }"),
        ("{ [a] -> [a - 1 : a > 0; 5 : a <= 0] }", "{ [a] -> [b] : (b = a - 1 and a > 0) or (b = 5 and a <= 0) }"),
        ("{ [a] -> [b = a : a > 0, 7] }", "{ [a] -> [b] : b = a and a > 7 }"),
        ("{ [a] -> [b = a : (a > 0), 7] }", "{ [a] -> [b, c] : b = a and a > 0 and c = 7 }"),
        ("{ [a] -> [(a : a > 0), (0:a)] }", "{ [a] -> [b, c] : b = a and a > 0 and 0 <= c <= a }"),
        ("{ [a] -> [a : not (a = 3), 7] }", "{ [a] -> [a, 7] : a != 3 }"),
        ("{ [a] -> [0 : a, 0 : 3] }", "{ [a] -> [b, c] : 0 <= b <= a and 0 <= c <= 3 }"),
        ("{ [a] -> [2 : exists (b : a = 2b)] }", "{ [a] -> [2] : a mod 2 = 0 }"),
        ("{ [a] -> [2 : not (a = 2)] : a < 9 }", "{ [a] -> [2] : a < 9 and a != 2 }"),
        ("{ [a] -> [1 : (a + 1)] }", "{ [a] -> [b] : 1 <= b <= a + 1 }"),
        ("{ [a] -> B[[1 : a > 2] -> C[0:a]] }", "{ [a] -> B[[b] -> C[c]] : b = 1 and a > 2 and 0 <= c <= a }"),
        (
            "[n] -> { [[b = (1 : n > 0; 2 : n < 0), c] -> [d]] -> [] }",
            "[n] -> { [[b, c] -> [d]] -> [] : (b = 1 and n > 0) or (b = 2 and n < 0) }",
        ),
        // Where several conditions hold, the values are added.
        (
            "{ [a] -> [a - 1 : a > 0; a : a > 3] }",
            "{ [a] -> [b] : (0 < a <= 3 and b = a - 1) or (a > 3 and b = 2a - 1) }",
        ),
        (
            "{ [a] -> [(1 : a > 0; 2 : a > 1; 3 : a > 2)] }",
            "{ [a] -> [b] : (a = 1 and b = 1) or (a = 2 and b = 3) or (a > 2 and b = 6) }",
        ),
        (
            "{ [a] -> [((1 : a > 0) : a < 5; 7 : a < 3)] }",
            "{ [a] -> [b] : (0 < a <= 2 and b = 8) or (a <= 0 and b = 7) or (3 <= a <= 4 and b = 1) }",
        ),
        (
            "{ [a] -> [(a : a > 0 or a < 9; 1 : a mod 2 = 0)] }",
            "{ [a] -> [b] : (a mod 2 = 1 and b = a) or (a mod 2 = 0 and b = a + 1) }",
        ),
    ] {
        let (a, b): (UnionMap, UnionMap) = match (text.parse(), plain.parse()) {
            (Ok(a), Ok(b)) => (a, b),
            other => {
                wrong.push(format!("{text}: {other:?}"));
                continue;
            }
        };
        check(&mut wrong, text, plain, a.is_equal(&b, &budget()));
        // What is printed reads back.
        check(&mut wrong, text, &a.to_string(), a.to_string().parse().and_then(|c| a.is_equal(&c, &budget())));
    }
    for (text, plain) in [
        ("{ [a] -> [a - 1 : a > 0] }", "{ [a] -> [((a - 1) : a > 0)] }"),
        ("{ [a] -> [(a - 1 : a > 0; a : a > 3)] }", "{ [a] -> [((2a - 1) : a > 3; (a - 1) : 0 < a <= 3)] }"),
        ("{ [a] -> [a // 2 : a > 0] }", "{ [a] -> [(floor(a/2) : a > 0)] }"),
    ] {
        let read = |text: &str| MultiPwAff::parse(text, &budget());
        check(&mut wrong, text, plain, read(text).and_then(|a| a.is_equal(&read(plain)?, &budget())));
        let read = |text: &str| PwAff::parse(text, &budget());
        check(&mut wrong, text, plain, read(text).and_then(|a| a.is_equal(&read(plain)?, &budget())));
    }
    for text in [
        "{ [a] -> [1 : a > 0, b = 2] }",
        "{ [a] -> [1 : a > 0; 2] }",
        "{ [a] -> [(1:a) + 3] }",
        "{ [a] : a // 0 = 1 }",
        "{ [a, b] : a // b = 1 }",
        "{ S[0:9, j = 0:i] }",
    ] {
        if text.parse::<UnionMap>().is_ok() || text.parse::<UnionSet>().is_ok() {
            wrong.push(format!("{text} is read"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
