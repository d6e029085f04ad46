//! The calculator: statements in the syntax of iscc, as a library and as the program `polycalc`.

use proptest::prelude::*;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::calc::{Calculator, Files, functions, is_complete};
use tessera_polyhedral::relation::{UnionMap, UnionSet};

fn run(text: &str) -> Result<Vec<String>, String> {
    let mut printed = Vec::new();
    let mut calculator = Calculator::new(50_000_000);
    calculator.run(text, &mut |line| printed.push(line)).map_err(|e| e.to_string())?;
    Ok(printed)
}

/// Whether two printed values are the same: as text, or as sets or maps.
fn same(printed: &str, expected: &str) -> bool {
    let budget = Budget::new(50_000_000);
    if printed == expected {
        return true;
    }
    if let (Ok(a), Ok(b)) = (UnionSet::parse(printed, &budget), UnionSet::parse(expected, &budget)) {
        return a.is_equal(&b, &budget).unwrap();
    }
    match (UnionMap::parse(printed, &budget), UnionMap::parse(expected, &budget)) {
        (Ok(a), Ok(b)) => a.is_equal(&b, &budget).unwrap(),
        _ => false,
    }
}

#[test]
fn operators() {
    for (text, expected) in [
        ("{ [i] : 0 <= i < 9 } + { [i] : 9 <= i < 12 }", "{ [i] : 0 <= i < 12 }"),
        ("{ A[i] } + { B[] }", "{ A[i]; B[] }"),
        ("{ [i] : i >= 0 } - { [i] : i > 4 }", "{ [i] : 0 <= i <= 4 }"),
        ("{ [i] : i >= 0 } * { [i] : i <= 4 }", "{ [i] : 0 <= i <= 4 }"),
        ("{ [i] -> [i + 1] } * { [i] : i > 4 }", "{ [i] -> [i + 1] : i > 4 }"),
        ("[n] -> { A[i] : i < n } * [n] -> { : n > 4 }", "[n] -> { A[i] : i < n and n > 4 }"),
        ("{ [i] -> [i + 1] } . { [i] -> [2i] }", "{ [i] -> [2i + 2] }"),
        ("{ [i] -> [i + 1] } before { [i] -> [2i] }", "{ [i] -> [2i + 2] }"),
        ("{ [i] -> [i + 1] }^-1", "{ [i] -> [i - 1] }"),
        ("{ [i] -> [i + 1] }^-12", "{ [i] -> [i - 12] }"),
        ("{ [i] -> [i + 1] }^-1^-1", "{ [i] -> [i + 1] }"),
        ("{ [i] -> [i + 1] }^5", "{ [i] -> [i + 5] }"),
        ("{ [i] -> [i + 1] : 0 <= i <= 3 }^0", "{ [i] -> [i] }"),
        ("{ [i] -> [i + 1] }({ [3] })", "{ [4] }"),
        ("({ [i] -> [i + 1] })({ [i] -> [2i] })", "{ [i] -> [2i + 1] }"),
        ("{ [i] -> [i + 1] } @ { [3] }", "{ [4] }"),
        ("{ A[i] } cross { B[j] }", "{ [A[i] -> B[j]] }"),
        ("{ A[i] -> B[i] } cross { C[j] -> D[j] }", "{ [A[i] -> C[j]] -> [B[i] -> D[j]] }"),
        ("{ A[i] : i > 0 } -> { B[j] }", "{ A[i] -> B[j] : i > 0 }"),
        (
            "{ [i, j] : 0 <= i, j < 2 } << { [i, j] : 0 <= i, j < 2 }",
            "{ [i, j] -> [k, l] : 0 <= i, j, k, l < 2 and (i < k or i = k and j < l) }",
        ),
        ("{ [i] } >>= { [i] }", "{ [i] -> [j] : i >= j }"),
        ("{ A[i] -> [i] } << { B[i] -> [2i] }", "{ A[i] -> B[j] : i < 2j }"),
        ("{ [i] : 0 <= i <= 9 } % { [i] : i >= 0 }", "{ [i] : i <= 9 }"),
        ("{ [i] -> [i] : i >= 0 } % { [i] : i >= 0 }", "{ [i] -> [i] }"),
        ("{ [i] : i >= 2 } = { [i] : 2i >= 3 }", "True"),
        ("{ [i] : i >= 2 } != { [i] : 2i >= 3 }", "False"),
        ("{ [i] : i >= 2 } < { [i] : i >= 2 }", "False"),
        ("{ [i] : i >= 2 } <= { [i] : i >= 2 }", "True"),
        ("{ [i] -> [i] } > { [i] -> [i] : i > 0 }", "True"),
        ("{ [1] } + { [2] } = { [i] : 1 <= i <= 2 }", "True"),
        ("{ } = { [i] -> [i] : false }", "True"),
        ("1 + 2 * 3", "9"),
        ("7 / 2 + -7 % 4", "0"),
        ("2 ^ 100", "1267650600228229401496703205376"),
        ("\"a\" + \"b\"", "\"ab\""),
        ("(1, { [i] }, \"x\")", "(1, { [i] }, \"x\")"),
        ("(1, 2)[1]", "2"),
        ("(1, 2) + (3, 4)", "(1, 2, 3, 4)"),
    ] {
        let printed = run(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(printed.len(), 1, "{text}");
        assert!(same(&printed[0], expected), "{text} is {}, not {expected}", printed[0]);
    }
}

#[test]
fn functions_of_one_argument() {
    for (text, expected) in [
        ("dom { A[i] -> B[i + 1] : i > 0 }", "{ A[i] : i > 0 }"),
        ("domain { A[i] -> B[i + 1] : i > 0 }", "{ A[i] : i > 0 }"),
        ("ran { A[i] -> B[i + 1] : i > 0 }", "{ B[i] : i > 1 }"),
        ("domain_map { A[i] -> B[j] : j > i }", "{ [A[i] -> B[j]] -> A[i] : j > i }"),
        ("range_map { A[i] -> B[j] : j > i }", "{ [A[i] -> B[j]] -> B[j] : j > i }"),
        ("wrap { A[i] -> B[j] }", "{ [A[i] -> B[j]] }"),
        ("unwrap wrap { A[i] -> B[j] }", "{ A[i] -> B[j] }"),
        ("zip { [A[i] -> B[j]] -> [C[i] -> D[j]] }", "{ [A[i] -> C[i]] -> [B[j] -> D[j]] : true }"),
        ("curry { [A[i] -> B[j]] -> C[i] }", "{ A[i] -> [B[j] -> C[i]] }"),
        ("uncurry { A[i] -> [B[j] -> C[i]] }", "{ [A[i] -> B[j]] -> C[i] }"),
        ("deltas { [i] -> [i + 2] }", "{ [2] }"),
        ("deltas_map { [i] -> [i + 2] }", "{ [[i] -> [i + 2]] -> [2] }"),
        ("identity { A[i] : i > 3 }", "{ A[i] -> A[i] : i > 3 }"),
        ("universe { A[i] : i > 3 }", "{ A[i] }"),
        ("complement { A[i] : i > 3 }", "{ A[i] : i <= 3 }"),
        ("params [n] -> { [i] : 0 <= i < n }", "[n] -> { : n > 0 }"),
        ("coalesce { [i] : 0 <= i < 4; [4] }", "{ [i] : 0 <= i <= 4 }"),
        ("sample { A[i] : 3 <= i <= 3 }", "{ A[3] }"),
        ("sample { A[i] -> B[j] : 3 <= i <= 3 and j = 7 }", "{ A[3] -> B[7] }"),
        ("sample { A[i] : 3 <= i <= 2 }", "{ }"),
        ("lexmin [n] -> { A[i, j] : 0 <= i <= j < n }", "[n] -> { A[0, 0] : n > 0 }"),
        ("lexmax { [i] -> [j] : 0 <= j <= i }", "{ [i] -> [i] : i >= 0 }"),
        ("affine hull { [i, j] : i = j and 0 <= i < 9 }", "{ [i, i] }"),
        ("aff { [i] : exists k : i = 2k and 0 <= k < 9 }", "{ [i] : i mod 2 = 0 }"),
        ("poly_hull { [i] : i = 0 or i = 4 }", "{ [i] : 0 <= i <= 4 }"),
        ("convex hull { [i] : i = 0 or i = 4 }", "{ [i] : 0 <= i <= 4 }"),
        ("simple hull { [i] : 0 <= i <= 2 or 4 <= i <= 6 }", "{ [i] : 0 <= i <= 6 }"),
        ("is_bounded [n] -> { [i] : 0 <= i < n }", "True"),
        ("scan { [i, j] : 0 <= i <= j < 2 }", "{ [0, 0]; [0, 1]; [1, 1] }"),
        ("scan { A[i] -> [2i] : 0 <= i < 2 }", "{ A[0] -> [0]; A[1] -> [2] }"),
        ("is_empty { A[i] : 3 <= i <= 2 }", "True"),
        ("is_single_valued { A[i] -> B[j] : 2j = i }", "True"),
        ("is_injective { A[i] -> B[0] }", "False"),
        ("is_bijective { A[i] -> B[i] }", "True"),
        ("typeof { [i] -> [i] }", "\"map\""),
        ("typeof typeof 3", "\"string\""),
    ] {
        let printed = run(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(printed.len(), 1, "{text}");
        let equal = match text.split(' ').next() {
            Some("zip") => same(&printed[0], "{ [A[i] -> C[i]] -> [B[j] -> D[j]] }"),
            _ => same(&printed[0], expected),
        };
        assert!(equal, "{text} is {}, not {expected}", printed[0]);
    }
}

#[test]
fn statements() {
    let text = "# a comment\nA := { [i] : 0 <= i < 10 };\nB := A * { [i] : i >= 5 }\nprint B; B = A\nC := A\n  - B\nC;";
    assert_eq!(run(text).unwrap(), ["{ [i] : 5 <= i <= 9 }", "False", "{ [i] : 0 <= i <= 4 }"]);
    // A statement ends with the line only where it can.
    assert_eq!(run("X := (1 +\n 2)\nX\n(3)").unwrap(), ["3", "3"]);
    assert_eq!(run("R := { [i] ->\n [i + 1] }\nR\n. R").unwrap(), ["{ [i] -> [i + 2] }"]);
    assert!(run("help").unwrap()[0].contains("coalesce"));
    assert!(run("help deltas").unwrap()[0].contains("map -> set"));
    assert!(functions().iter().all(|f| run(&format!("help {}", f.name)).is_ok()));
    assert!(functions().windows(2).all(|w| w[0].name < w[1].name));
}

#[test]
fn the_manual_lists_every_function() {
    let manual = include_str!("../../docs/polycalc.md");
    for f in functions() {
        assert!(manual.contains(&format!("| `{}` | {} | {} |", f.name, f.signature, f.help)), "{}", f.name);
    }
}

#[test]
fn errors_have_places() {
    for (text, message) in [
        ("A := { [i] : i > }", "line 1, column 18: expected an expression, found `}`"),
        (
            "1;\n  A := { [i] :\n i > j }",
            "line 3, column 6: expected a dimension, a quantified variable or a declared parameter, found `j`",
        ),
        ("X + 1", "line 1, column 1: `X` has no value"),
        ("dmo := 1; dom2 := dmo; domm", "line 1, column 24: `domm` has no value; did you mean `dom2`?"),
        ("dom := 1", "line 1, column 1: expected a name that is not that of a function, found `dom`"),
        ("1 +", "line 1, column 4: expected a set, a map, a name or `(`, found the end of the text"),
        ("{ [i] : i > 0", "line 1, column 1: this `{` has no `}`"),
        ("{ [i] } $ 3", "line 1, column 9: `$` does not belong here"),
        ("{ [i] } . 3", "line 1, column 9: `.` is not defined for a set and a integer"),
        ("dom 3", "line 1, column 1: expected a map, found a integer"),
        ("1 2", "line 1, column 3: expected an operator, `;` or the end of the line, found `2`"),
        ("(1, 2)[2]", "line 1, column 7: the list has 2 entries, counted from 0"),
        ("1 / 0", "line 1, column 3: division by zero"),
        ("1 = 2 = 3", "line 1, column 7: expected parentheses around one of two comparisons, found `=`"),
        ("source \"x\"", "line 1, column 8: cannot read x: files cannot be read here"),
        ("wrap \"", "line 1, column 6: this string has no end: `\"` is missing"),
        (
            "{ rat: [i] : 2i = 1 }",
            "line 1, column 3: expected an integer object: rational sets and relations (`rat:`) are not supported, found `rat`",
        ),
        ("2 ^ 1000000", "line 1, column 3: the power is too great"),
    ] {
        assert_eq!(run(text).unwrap_err(), message, "{text}");
    }
    let mut calculator = Calculator::new(1000);
    let error = calculator.run(
        "{ [i] : 0 <= i < 9 }\n complement { [i, j] : i mod 7 > 3 and j mod 5 > 2 and (i > 3 or j > 4) }",
        &mut |_| {},
    );
    assert!(error.unwrap_err().to_string().starts_with("line 2, column "));
}

#[test]
fn deep_and_long_texts_are_refused_or_read() {
    for text in [
        "(".repeat(100_000),
        format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000)),
        "dom ".repeat(100_000),
        "- ".repeat(100_000),
        format!("{{ [i] }}{}", "[0]".repeat(100_000)),
        format!("2{}", " ^ 1000".repeat(10_000)),
        format!("{}1", "1 = ".repeat(10_000)),
        "9".repeat(1_000_000),
    ] {
        assert!(run(&text).is_err());
    }
    assert_eq!(run(&format!("1{}", " + 1".repeat(100_000))).unwrap(), ["100001"]);
    assert!(run(&format!("{{ [i] -> [-i] }}{}", "^-1".repeat(10_000))).is_ok());
}

#[test]
fn completeness_of_lines() {
    assert!(is_complete("A := { [i] }") && is_complete("A") && is_complete("R^-1") && is_complete(""));
    assert!(!is_complete("A := { [i] :") && !is_complete("A +") && !is_complete("(A") && !is_complete("\"x"));
    assert!(is_complete("A ) $"));
}

struct OneFile;

impl Files for OneFile {
    fn read(&mut self, name: &str) -> Result<String, String> {
        match name {
            "set" => Ok("{ [i] : i > 0 }".into()),
            "two" => Ok("{ [i] }\n{ [i] -> [i] }".into()),
            "program" => Ok("X := { [3] };\nX;".into()),
            "loop" => Ok("source \"loop\"".into()),
            "wrong" => Ok("\n { [i] : k }".into()),
            _ => Err("no such file".into()),
        }
    }
}

#[test]
fn files() {
    let run = |text: &str| {
        let mut printed = Vec::new();
        let mut calculator = Calculator::new(1_000_000).with_files(OneFile);
        calculator.run(text, &mut |line| printed.push(line)).map(|()| printed).map_err(|e| e.to_string())
    };
    assert_eq!(run("read \"set\"").unwrap(), ["{ [i] : i >= 1 }"]);
    assert_eq!(run("(parse_file \"two\")[1]").unwrap(), ["{ [i] -> [i] }"]);
    assert_eq!(run("source \"program\"; X + X").unwrap(), ["{ [3] }", "{ [3] }"]);
    assert_eq!(run("read \"two\"").unwrap_err(), "line 1, column 1: two has 2 objects, not one");
    assert!(run("source \"loop\"").unwrap_err().contains("16 deep"));
    assert!(run("1; source \"wrong\"").unwrap_err().starts_with("wrong: line 2, column 12: "));
}

/// Pieces of statements, for random programs.
const PIECES: [&str; 36] = [
    "{ [i] -> [i + 1] : 0 <= i < 9 }",
    "{ [i] : i > 3 }",
    "[n] -> { A[i, j] : 0 <= i, j < n }",
    "{ ",
    " }",
    "[n] -> ",
    "dom ",
    "ran ",
    "A",
    " := ",
    "B",
    ";",
    "\n",
    " . ",
    "^-1",
    "^2",
    "(",
    ")",
    " cross ",
    " << ",
    "+",
    "-",
    "*",
    "%",
    "@",
    "->",
    "\"x\"",
    "3",
    "[0]",
    ",",
    "coalesce ",
    "sample ",
    "identity ",
    "print ",
    "wrap ",
    "#",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn random_programs_are_executed_or_refused(pieces in prop::collection::vec(0..PIECES.len(), 1..12)) {
        let text: String = pieces.iter().map(|k| PIECES[*k]).collect();
        let mut calculator = Calculator::new(300_000);
        if let Err(error) = calculator.run(&text, &mut |_| {}) {
            prop_assert!(error.line >= 1 && error.column >= 1);
            prop_assert!(error.line <= text.lines().count().max(1) + 1, "{} in {:?}", error, text);
        }
        let _ = is_complete(&text);
    }
}

mod program {
    use std::io::Write;
    use std::process::{Command, Stdio};

    fn polycalc(arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_polycalc"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }

    #[test]
    fn standard_input() {
        let (code, out, err) = polycalc(&["eval"], "A := [n] -> { [i] : 0 <= i < n };\nA - { [0] };\n");
        assert_eq!((code, err.as_str()), (Some(0), ""));
        assert_eq!(out, "[n] -> { [i] : 1 <= i < n }\n");
    }

    /// Of an option that is given twice the last one counts, also of two that exclude each other.
    #[test]
    fn equal_options() {
        let constraints = "# OPTIONS: --x\ndomain: { A[i] : 0 <= i < 9 }\n\tvalidity: { A[i] -> A[i+1] }\n";
        let run = |arguments: &[&str], input: &str| {
            let (code, out, err) = polycalc(arguments, input);
            assert_eq!((code, err.as_str()), (Some(0), ""), "{arguments:?}");
            out
        };
        let one = |option| run(&["schedule", "--print", option], constraints);
        assert_eq!(run(&["schedule", "--print", "map", "--print", "yaml"], constraints), one("yaml"));
        assert_eq!(
            run(&["schedule", "--budget", "1", "--budget", "1000000", "--print", "map"], constraints),
            one("map")
        );
        assert_eq!(run(&["schedule", "--draw", "--print", "yaml"], constraints), one("yaml"));
        assert_eq!(run(&["schedule", "--print", "yaml", "--draw", "--draw"], constraints), one("drawing"));
        for switch in ["--schedule-parametric", "--no-schedule-parametric", "--schedule-outer-coincidence"] {
            assert_eq!(run(&["schedule", switch, switch], constraints), run(&["schedule", switch], constraints));
        }
        let both =
            ["schedule", "--schedule-fuse", "min", "--schedule-fuse", "max", "--no-verify", "--verify", "--verify"];
        assert_eq!(run(&both, constraints), one("yaml"));
        let accesses = "sink: { S[i] -> A[i] }\nschedule_map: { S[i] -> [i] }";
        let plain = run(&["flow"], accesses);
        assert_eq!(run(&["flow", "--budget", "1", "--budget", "9999999"], accesses), plain);
        assert_eq!(
            run(&["flow", "--without-elements", "--without-elements"], accesses),
            run(&["flow", "--without-elements"], accesses)
        );
        assert_eq!(run(&["eval", "--budget", "1", "--budget", "999999"], "{ [i] }"), "{ [i] }\n");
        let tree = "domain: { S[i] : 0 <= i < 3 }\nchild: { schedule: [{ S[i] -> [(i)] }] }";
        let code = run(&["codegen", "--no-macros"], tree);
        let twice = [
            "codegen",
            "--no-macros",
            "--no-macros",
            "--context",
            "{ : false }",
            "--context",
            "{ : }",
            "--loops",
            "unroll",
            "--loops",
            "atomic",
        ];
        assert_eq!(run(&twice, tree), code);
        assert_eq!(
            run(&["tree", "--print", "yaml", "--print", "drawing", "--verify", "--verify"], tree),
            run(&["tree", "--verify"], tree)
        );
    }

    /// `separation_class` has no effect but a note; a comment is none.
    #[test]
    fn separation_classes() {
        let tree = |options| {
            format!(
                "domain: {{ S[i] : 0 <= i < 9 }}\nchild:\n  schedule: [{{ S[i] -> [(i)] }}]\n  options: {{ {options} }}\n"
            )
        };
        let relation = |options| {
            format!("# {{ a comment\n{{ S[i] -> [i] : 0 <= i < 9 }}\n{{ : }} # }}\n{{ {options} }}\n# the end\n")
        };
        let note =
            "polycalc: standard input: note: the option separation_class is ignored; isolate keeps full tiles apart\n";
        for (with, without) in [
            (tree("separation_class[[0] -> [1]]; unroll[0]"), tree("unroll[0] # separation_class\n")),
            (relation("[i] -> separation_class[[0] -> [0]] : i > 4; [i] -> unroll[0]"), relation("[i] -> unroll[0]")),
        ] {
            let expected = polycalc(&["codegen"], &without);
            assert_eq!((expected.0, expected.2.as_str()), (Some(0), ""), "{without}");
            assert_eq!(polycalc(&["codegen"], &with), (Some(0), expected.1, note.into()), "{with}");
        }
        let (code, out, _) = polycalc(&["codegen"], &tree("separation_class[0]"));
        assert_eq!((code, out.as_str()), (Some(1), ""));
    }

    #[test]
    fn flow() {
        let input = "sink: \"[n] -> { T[i] -> t[] : 0 <= i < n }\"\nmust_source: \"[n] -> { S[i] -> t[] : 0 <= i < n }\"\n\
                     schedule_map: \"{ S[i] -> [i, 0]; T[i] -> [i, 1] }\"\n";
        let (code, out, err) = polycalc(&["flow"], input);
        assert_eq!((code, err.as_str()), (Some(0), ""));
        let keys: Vec<&str> = out.lines().filter_map(|line| line.split(':').next()).collect();
        assert_eq!(keys, ["must_dependence", "may_dependence", "must_no_source", "may_no_source"]);
        assert!(out.contains("S[i] -> [T[i' = i] -> t[]]"), "{out}");
        let (_, out, _) = polycalc(&["flow", "--without-elements", "-"], input);
        assert!(out.contains("S[i] -> T[i' = i]"), "{out}");
        let (code, _, err) = polycalc(&["flow"], "sink: \"{ S[i] -> \"");
        assert_eq!(code, Some(1));
        assert!(err.starts_with("polycalc: standard input: line 1, column 18:"), "{err}");
        let (code, _, err) = polycalc(&["flow", "--budget", "20"], input);
        assert_eq!(code, Some(1));
        assert!(err.contains("the budget of 20 operations is exhausted"), "{err}");
    }

    #[test]
    fn tree() {
        let input = "{ domain: \"{ S[i] : 0 <= i < 3 }\", child: { schedule: \"[{ S[i] -> [(i)] }]\" } }";
        let (code, out, err) = polycalc(&["tree", "--verify"], input);
        assert_eq!((code, err.as_str()), (Some(0), ""));
        assert_eq!(out, "domain { S[i] : 0 <= i <= 2 }\n  band\n    S -> [i]\nwell-formed\n");
        let (_, out, _) = polycalc(&["tree", "--print", "map"], input);
        assert_eq!(out, "{ S[i] -> [t0 = i] : 0 <= i <= 2 }\n");
        let broken = "{ domain: \"{ S[i] : 0 <= i < 3 }\", child: { sequence: [ { filter: \"{ S[i] : i <= 1 }\" }, { filter: \"{ \
                      S[i] : i >= 1 }\" } ] } }";
        let (code, _, err) = polycalc(&["tree", "--verify"], broken);
        assert_eq!(code, Some(1));
        assert!(err.contains("S[1] passes filters 0 and 1 (V2)"), "{err}");
    }

    #[test]
    fn errors_have_a_place_and_a_status() {
        let (code, out, err) = polycalc(&["eval", "-"], "{ [i] : i > 0 };\nA := {\n [i] : i > k };\n");
        assert_eq!(code, Some(1));
        assert_eq!(out, "{ [i] : i >= 1 }\n");
        assert_eq!(
            err,
            "polycalc: standard input: line 3, column 12: expected a dimension, a quantified variable or a declared \
             parameter, found `k`\n [i] : i > k }\n           ^\n"
        );
        let (code, _, err) = polycalc(&["eval", "--budget", "5"], "{ [i] : 0 <= i < 4 };");
        assert_eq!(code, Some(1));
        assert!(err.contains("line 1, column 1: the budget of 5 operations is exhausted"), "{err}");
        let (code, _, err) = polycalc(&["eval", "/nonexistent/file"], "");
        assert_eq!(code, Some(1));
        assert!(err.starts_with("polycalc: cannot read /nonexistent/file: "));
        assert_eq!(polycalc(&["evil"], "").0, Some(2));
    }
}

#[test]
fn dependence_analysis() {
    let text = "W := [n] -> { S[i] -> t[] : 0 <= i < n };\nR := [n] -> { T[i] -> t[] : 0 <= i < n };\n\
                O := { S[i] -> [i, 0]; T[i] -> [i, 1] };\nlast W before R under O;\nany W before R under O;\n\
                (last W before R under O)[1];\nlast R before W under O;\n";
    let printed = run(text).unwrap();
    assert_eq!(printed.len(), 4);
    assert_eq!(printed[0], "([n] -> { S[i] -> T[i' = i] : 0 <= i' < n }, [n] -> {  })");
    assert!(same(&printed[1], "[n] -> { S[i] -> T[k] : 0 <= i <= k < n }"), "{}", printed[1]);
    assert!(same(&printed[2], "{ }"), "{}", printed[2]);
    assert!(printed[3].contains("S[i = 0] -> t[]"), "{}", printed[3]);
    assert_eq!(run("last := { [i] : i = 1 };\nlast;").unwrap(), ["{ [i = 1] }"]);
    let error = run("any { S[i] -> A[i] } under { S[i] -> [i] };").unwrap_err();
    assert!(error.contains("expected `before`, found `under`"), "{error}");
    let error = run("last { S[i] } before { T[i] -> A[i] } under { S[i] -> [i] };").unwrap_err();
    assert!(error.contains("expected a map before `before`, found a set"), "{error}");
}
