//! Passes, scripts and the check: every pass alone on small SCoPs, errors, replay of logs; and random SCoPs under
//! random steps, whose generated code is executed and compared with the program, also after damage.

use tessera_polyhedral::schedule::{Node, ScheduleTree};
use tessera_polyhedral::scop::Scop;
use tessera_polyhedral::strategy::with_free_loops;
use tessera_polyhedral::transform::{Draft, Need, PASSES, Placement, Script, Short, TransformError, check};

mod random_scops;
mod random_trees;
mod support;
use random_scops::random_scop;
use random_trees::Random;
use support::budget;
use support::machine::Machine;

/// `for i: for j: for k: C[i][j] += A[i][k] * B[k][j]`.
const PRODUCT: &str = r#"scop: "product"
context: "[n] -> { : n >= 1 }"
arrays:
- { array: "A", element: f64, storage: memory, sizes: [ "[n] -> { n }" ] }
- { array: "B", element: f64, storage: memory, sizes: [ "[n] -> { n }" ] }
- { array: "C", element: f64, storage: memory, sizes: [ "[n] -> { n }" ] }
statements:
- statement: "S"
  domain: "[n] -> { S[i, j, k] : 0 <= i, j, k < n }"
  accesses:
  - { read: "{ S[i, j, k] -> C[i, j] }" }
  - { read: "{ S[i, j, k] -> A[i, k] }" }
  - { read: "{ S[i, j, k] -> B[k, j] }" }
  - { write: "{ S[i, j, k] -> C[i, j] }" }
  operations: [ "mul f64", "add f64" ]
schedule:
  domain: "[n] -> { S[i, j, k] : 0 <= i, j, k < n }"
  child:
    schedule: "[{ S[i, j, k] -> [(i)] }]"
    child:
      schedule: "[{ S[i, j, k] -> [(j)] }]"
      child:
        schedule: "[{ S[i, j, k] -> [(k)] }]"
"#;

/// `for t: for i: A[i] = f(A[i - 1], A[i], A[i + 1])`.
const STENCIL: &str = r#"scop: "stencil"
context: "[n] -> { : n >= 1 }"
arrays:
- { array: "A", element: f64, storage: memory }
statements:
- statement: "S"
  domain: "[n] -> { S[t, i] : 0 <= t < n and 0 < i < n }"
  accesses:
  - { read: "{ S[t, i] -> A[i - 1] }" }
  - { read: "{ S[t, i] -> A[i] }" }
  - { read: "{ S[t, i] -> A[i + 1] }" }
  - { write: "{ S[t, i] -> A[i] }" }
schedule:
  domain: "[n] -> { S[t, i] : 0 <= t < n and 0 < i < n }"
  child:
    schedule: "[{ S[t, i] -> [(t)] }]"
    child:
      schedule: "[{ S[t, i] -> [(i)] }]"
"#;

/// `for i: B[i] = A[i]`, then `for i: C[i] = B[i + 1]`.
const TWO: &str = r#"scop: "two"
context: "[n] -> { : n >= 1 }"
arrays:
- { array: "A", element: f64, storage: memory }
- { array: "B", element: f64, storage: memory }
- { array: "C", element: f64, storage: memory }
statements:
- statement: "S"
  domain: "[n] -> { S[i] : 0 <= i <= n }"
  accesses:
  - { read: "{ S[i] -> A[i] }" }
  - { write: "{ S[i] -> B[i] }" }
- statement: "T"
  domain: "[n] -> { T[i] : 0 <= i < n }"
  accesses:
  - { read: "{ T[i] -> B[i + 1] }" }
  - { write: "{ T[i] -> C[i] }" }
schedule:
  domain: "[n] -> { S[i] : 0 <= i <= n; T[i] : 0 <= i < n }"
  child:
    sequence:
    - filter: "{ S[i] }"
      child:
        schedule: "[{ S[i] -> [(i)] }]"
    - filter: "{ T[i] }"
      child:
        schedule: "[{ T[i] -> [(i)] }]"
"#;

/// The tree after a script, as a drawing without the domain.
fn after(scop: &str, script: &str) -> Result<String, TransformError> {
    let scop: Scop = scop.parse().unwrap_or_else(|error| panic!("{error:#}"));
    let script = Script::parse(script).unwrap_or_else(|error| panic!("{error:#}"));
    let draft = Draft::new(&scop, &budget()).unwrap().run(&script, &budget())?;
    // The log replays.
    let log = Script { steps: draft.log().to_vec() };
    let again: Script = log.to_string().parse().unwrap();
    assert_eq!(again, script);
    let replayed = Draft::new(&scop, &budget()).unwrap().run(&again, &budget()).unwrap();
    assert_eq!(replayed.tree(), draft.tree());
    Ok(draft.tree().to_string().lines().skip(1).collect::<Vec<_>>().join("\n"))
}

fn refusal(scop: &str, script: &str) -> String {
    after(scop, script).err().unwrap_or_else(|| panic!("{script} was taken")).to_string()
}

#[test]
fn permutable_bands_are_interchanged_and_tiled() {
    let script =
        "combine(S@0) combine(S@0); interchange(S@0, order = [0, 2, 1])\n# a comment\ntile(S@0, sizes = [32, 16, 64])";
    let expected = "  band (permutable)\n    S -> [floor((i)/32), floor((k)/16), floor((j)/64)]\n    coincident [1, 0, 1]\n    \
                    band (permutable)\n      S -> [i, k, j]\n      coincident [1, 0, 1]";
    assert_eq!(after(PRODUCT, script).unwrap(), expected);
    assert!(after(PRODUCT, "combine(S@0) split(S@0, at = 1) unroll(S@2, member = 0) tile(S@1, sizes = [8])").is_ok());
    assert!(after(PRODUCT, "reverse(S@0, member = 0) reverse(S@1, member = 0)").is_ok());
    assert!(refusal(PRODUCT, "reverse(S@2, member = 0)").contains("S would run before what it depends on in S"));
}

#[test]
fn skewing_makes_a_stencil_tileable() {
    assert!(refusal(STENCIL, "combine(S@0) tile(S@0, sizes = [4, 4])").contains("is refused"));
    assert!(refusal(STENCIL, "combine(S@0) interchange(S@0, order = [1, 0])").contains("is refused"));
    let tiled =
        after(STENCIL, "combine(S@0) skew(S@0, member = 1, by = 0, factor = 1) tile(S@0, sizes = [4, 4])").unwrap();
    assert!(tiled.contains("floor((t)/4)") && tiled.contains("floor((t + i)/4)"), "{tiled}");
    // A wavefront: the inner loop is free.
    let front = "combine(S@0) skew(S@0, member = 0, by = 1, factor = 1) split(S@0, at = 1)";
    assert!(refusal(STENCIL, front).contains("is refused"), "t + i alone is not enough");
    let front = "combine(S@0) skew(S@0, member = 1, by = 0, factor = 1) skew(S@0, member = 0, by = 1, factor = 1) split(S@0, at = 1)";
    let found = after(STENCIL, front).unwrap();
    assert!(found.ends_with("coincident [1]"), "{found}");
}

#[test]
fn rows_are_tiled_across_time() {
    let tiled = after(STENCIL, "time_tile(S@0, sizes = [4, 8], skews = [1], shifts = [[0]])").unwrap();
    assert!(tiled.contains("S -> [floor((t)/4), floor((t + i)/8)]"), "{tiled}");
    assert!(refusal(STENCIL, "time_tile(S@0, sizes = [4, 8], skews = [0], shifts = [[0]])").contains("is refused"));
}

/// `for j: for i: { T[0] = A[i]; B[j] = T[0] }`: an element that holds one value after the other.
const ELEMENT: &str = r#"scop: "element"
context: "[n] -> { : n >= 1 }"
arrays:
- { array: "A", element: f64, storage: memory, sizes: [ "[n] -> { n }" ] }
- { array: "B", element: f64, storage: memory, sizes: [ "[n] -> { n }" ] }
- { array: "T", element: f64, storage: STORAGE }
statements:
- statement: "S"
  domain: "[n] -> { S[j, i] : 0 <= j, i < n }"
  accesses:
  - { read: "{ S[j, i] -> A[i, j] }" }
  - { write: "{ S[j, i] -> T[] }" }
- statement: "R"
  domain: "[n] -> { R[j, i] : 0 <= j, i < n }"
  accesses:
  - { read: "{ R[j, i] -> T[] }" }
  - { write: "{ R[j, i] -> B[i, j] }" }
schedule:
  domain: "[n] -> { S[j, i] : 0 <= j, i < n; R[j, i] : 0 <= j, i < n }"
  child:
    schedule: "[{ S[j, i] -> [(j)]; R[j, i] -> [(j)] }]"
    child:
      schedule: "[{ S[j, i] -> [(i)]; R[j, i] -> [(i)] }]"
      child:
        sequence:
        - filter: "{ S[j, i] }"
        - filter: "{ R[j, i] }"
"#;

#[test]
fn blocks_of_a_loop_are_jammed() {
    let jam = "peel(S@0, multiple = 4) tile(S@0, sizes = [4]) jam(S@1)";
    let expected = "  sequence
    filter { S[i, j, k] : n >= 4*floor((i)/4) + 4 }
      band (permutable)
        S -> [floor((i)/4)]
        coincident [1]
        band (permutable)
          S -> [j]
          coincident [1]
          band (permutable)
            S -> [k]
            band (permutable)
              S -> [i]
              coincident [1]
              options { unroll[0] }
    filter { S[i, j, k] : n <= 4*floor((i)/4) + 3 }
      band (permutable)
        S -> [i]
        coincident [1]
        band (permutable)
          S -> [j]
          coincident [1]
          band (permutable)
            S -> [k]";
    assert_eq!(after(PRODUCT, jam).unwrap(), expected);
    // `t` would go inside `i`, which reads what earlier `t` have written on both sides.
    let stencil = "peel(S@0, multiple = 4) tile(S@0, sizes = [4]) jam(S@1)";
    assert!(refusal(STENCIL, stencil).contains("S would run before what it depends on in S"));
    // What is left over comes last, also at the beginning: here later rows need it.
    let before = STENCIL.replace("0 < i < n", "1 < i < n");
    assert!(refusal(&before, "peel(S@1, multiple = 4)").contains("S would run before what it depends on in S"));
    assert!(refusal(PRODUCT, "combine(S@0) peel(S@0, multiple = 4)").contains("split it first"));
    assert!(refusal(PRODUCT, "peel(S@0, multiple = 0)").contains("multiple is a positive number"));
    let short = PRODUCT.replace("n >= 1", "1 <= n <= 3");
    assert!(refusal(&short, "peel(S@0, multiple = 4)").contains("there is no block of 4 iterations"));
    let even = PRODUCT.replace("n >= 1", "n >= 1 and exists (e : n = 4e)");
    assert!(!after(&even, jam).unwrap().contains("filter"), "nothing is left over");
}

/// `for i: { for j: s[i] += A[i][j]; for j: A[i][j] /= s[i] }`.
const SHARES: &str = r#"scop: "shares"
context: "[n] -> { : n >= 1 }"
arrays:
- { array: "A", element: f64, storage: memory, sizes: [ "[n] -> { n }" ] }
- { array: "s", element: f64, storage: memory }
statements:
- statement: "S"
  domain: "[n] -> { S[i, j] : 0 <= i, j < n }"
  accesses:
  - { read: "{ S[i, j] -> s[i] }" }
  - { read: "{ S[i, j] -> A[i, j] }" }
  - { write: "{ S[i, j] -> s[i] }" }
- statement: "R"
  domain: "[n] -> { R[i, j] : 0 <= i, j < n }"
  accesses:
  - { read: "{ R[i, j] -> A[i, j] }" }
  - { read: "{ R[i, j] -> s[i] }" }
  - { write: "{ R[i, j] -> A[i, j] }" }
schedule:
  domain: "[n] -> { S[i, j] : 0 <= i, j < n; R[i, j] : 0 <= i, j < n }"
  child:
    schedule: "[{ S[i, j] -> [(i)]; R[i, j] -> [(i)] }]"
    child:
      sequence:
      - filter: "{ S[i, j] }"
        child:
          schedule: "[{ S[i, j] -> [(j)] }]"
      - filter: "{ R[i, j] }"
        child:
          schedule: "[{ R[i, j] -> [(j)] }]"
"#;

#[test]
fn parts_of_a_jammed_loop_stay_whole() {
    let blocks = "peel(S@0, multiple = 4) tile(S@0, sizes = [4])";
    let found = after(SHARES, &format!("{blocks} jam(S@1, whole = [1])")).unwrap();
    let expected = "
            filter { S[..] }
              band (permutable)
                S -> [j]
                band (permutable)
                  S -> [i]
                  coincident [1]
                  options { unroll[0] }
            filter { R[..] }
              band (permutable)
                R -> [i]
                coincident [1]
                options { unroll[0] }
                band (permutable)
                  R -> [j]
                  coincident [1]";
    let lines = |text: &str| text.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    let (found, expected) = (lines(&found), lines(expected.trim_start()));
    assert!(found.windows(expected.len()).any(|window| window == expected), "{found:#?}");
    for (whole, expected) in [
        ("[2]", "the sequence has no child 2: it has 2"),
        ("[-1]", "[-1] are no positions in a sequence"),
        ("1", "whole is a list of numbers, not 1"),
    ] {
        let refused = refusal(SHARES, &format!("{blocks} jam(S@1, whole = {whole})"));
        assert!(refused.contains(expected), "{refused}");
    }
    let refused = refusal(PRODUCT, "peel(S@0, multiple = 4) tile(S@0, sizes = [4]) jam(S@1, whole = [0])");
    assert!(refused.contains("the child of the band is a band, not a sequence"), "{refused}");
}

#[test]
fn live_ranges_are_reordered_as_a_whole() {
    let scalar = ELEMENT.replace("STORAGE", "scalar");
    assert!(after(&scalar, "combine(S@0) interchange(S@0, order = [1, 0])").is_ok());
    assert!(refusal(&scalar, "distribute(S@1)").contains("is refused"));
    // The value of memory is there afterwards: the last iteration has to stay the last one, and does.
    let memory = ELEMENT.replace("STORAGE", "memory");
    assert!(after(&memory, "combine(S@0) interchange(S@0, order = [1, 0])").is_ok());
    assert!(
        refusal(&memory, "combine(S@0) interchange(S@0, order = [1, 0]) reverse(S@0, member = 0)")
            .contains("is refused")
    );
    let scop: Scop = scalar.parse().unwrap();
    let strict = Draft::new(&scop, &budget()).unwrap().with_live_ranges(false);
    let script: Script = "combine(S@0) interchange(S@0, order = [1, 0])".parse().unwrap();
    assert!(strict.run(&script, &budget()).is_err());
}

/// A script is proved as a whole: what is not legal on the way may be in the end.
#[test]
fn steps_on_the_way_need_not_be_legal() {
    assert!(refusal(STENCIL, "reverse(S@1, member = 0)").contains("is refused"));
    assert!(after(STENCIL, "reverse(S@1, member = 0) reverse(S@1, member = 0)").is_ok());
    let found = refusal(STENCIL, "combine(S@0) reverse(S@0, member = 1) tile(S@0, sizes = [4])");
    assert!(found.contains("reverse(S@0, member = 1) is refused"), "{found}");
}

#[test]
fn shifting_lets_loops_be_fused() {
    assert!(refusal(TWO, "fuse(S@0, T@0)").contains("T would run before what it depends on in S"));
    // The sequence is not one band yet, so the whole is shifted after it was fused by the scheduler.
    let fused = after(TWO, "reschedule(fusion = max)").unwrap();
    assert!(fused.contains("S -> [i]") && fused.contains("T -> [i + 1]"), "{fused}");
    let apart =
        after(TWO, "reschedule(fusion = max) shift(S@0, statement = T, member = 0, amount = 3) distribute(S@0)")
            .unwrap();
    assert!(apart.contains("T -> [i + 4]"), "{apart}");
    assert!(
        refusal(TWO, "reschedule(fusion = max) shift(S@0, statement = T, member = 0, amount = -1)")
            .contains("is refused")
    );
    assert!(after(TWO, "reschedule(algorithm = feautrier, fusion = none)").is_ok());
}

/// `for i: A[i] = f(A[i], A[8])`: all wait for the iteration 8, which waits for those in front of it.
const PIVOT: &str = r#"scop: "pivot"
context: "[n] -> { : n >= 20 }"
arrays:
- { array: "A", element: f64, storage: memory, sizes: [ "[n] -> { n }" ] }
statements:
- statement: "S"
  domain: "[n] -> { S[i] : 0 <= i < n }"
  accesses:
  - { read: "{ S[i] -> A[i] }" }
  - { read: "{ S[i] -> A[8] }" }
  - { write: "{ S[i] -> A[i] }" }
schedule:
  domain: "[n] -> { S[i] : 0 <= i < n }"
  child:
    schedule: "[{ S[i] -> [(i)] }]"
"#;

#[test]
fn index_sets_are_split() {
    let script =
        "split_index_set(S@0, first = \"{ S[i] : i <= 8 }\") split_index_set(S@0, first = \"{ S[i] : i < 8 }\")";
    let scop: Scop = PIVOT.parse().unwrap();
    let dependences = scop.dependences(&budget()).unwrap();
    let draft = Draft::new(&scop, &budget()).unwrap().run(&script.parse().unwrap(), &budget()).unwrap();
    let tree = with_free_loops(draft.tree(), &scop, &dependences, &budget()).unwrap().to_string();
    let expected = "  sequence
    filter { S[i] : i <= 7 }
      band (permutable)
        S -> [i]
        coincident [1]
    filter { S[i = 8] }
      band (permutable)
        S -> [i]
        coincident [1]
    filter { S[i] : i >= 9 }
      band (permutable)
        S -> [i]
        coincident [1]";
    assert_eq!(tree.lines().skip(1).collect::<Vec<_>>().join("\n"), expected);
    assert!(after(PIVOT, script).is_ok(), "the log replays");
    let whole = with_free_loops(&scop.schedule, &scop, &dependences, &budget()).unwrap().to_string();
    assert!(!whole.contains("coincident"), "{whole}");
    for (first, expected) in [
        ("{ S[i] : i > 8 }", "S would run before what it depends on in S"),
        ("{ S[i] : i < 0 }", "no instance would run first"),
        ("[n] -> { S[i] : i < n }", "no instance would run behind"),
        ("{ T[i] : i < 8 }", "no instance would run first"),
        ("{ S[i] : ", "first is a set of instances"),
    ] {
        let found = refusal(PIVOT, &format!("split_index_set(S@0, first = \"{first}\")"));
        assert!(found.contains(expected), "{first}: {found}");
    }
}

#[test]
fn needs_are_part_of_the_log() {
    let script: Script =
        "need(loop = 2, least = 64) need(loop = 2, least = 64, or = 16, short = 1, most = 2048)".parse().unwrap();
    let scop: Scop = PRODUCT.parse().unwrap();
    let draft = Draft::new(&scop, &budget()).unwrap();
    let needs = draft.run(&script, &budget()).unwrap().needs().to_vec();
    let instead = Some(Short { least: 16, counter: 1, most: 2048 });
    assert_eq!(needs, [Need::at_least(2, 64), Need { instead, ..Need::at_least(2, 64) }]);
    assert_eq!(after(PRODUCT, &script.to_string()).unwrap(), after(PRODUCT, "").unwrap(), "the tree stays");
}

#[test]
fn mistakes_are_named() {
    for (script, expected) in [
        ("polish(S@0)", "there is no pass polish; there are combine, copies, distribute"),
        ("tile(S@0)", "it needs sizes: the size of a tile"),
        ("tile(sizes = [1])", "it needs 1 sites, and has 0"),
        ("tile(S@0, size = [1])", "it has no argument size, but: sizes"),
        ("tile(S@0, sizes = 4)", "sizes is a list of numbers, not 4"),
        ("tile(S@0, sizes = [0])", "tile sizes"),
        ("tile(S@0, sizes = [4, 4])", "1"),
        ("tile(S@7, sizes = [4])", "S passes 3 bands, counted from 0"),
        ("tile(Q@0, sizes = [4])", "there is no statement Q"),
        ("reschedule(algorithm = magic)", "algorithm is one of isl, feautrier, not magic"),
        ("interchange(S@0, order = [0, 0])", "is no order of the members"),
        ("skew(S@0, member = 0, by = 0, factor = 1)", "not skewed by itself"),
        ("reverse(S@0, member = 4)", "member is 4, but the band has 1 members"),
        ("split(S@0, at = 1)", "cannot be split after 1"),
        ("shift(S@0, statement = T, member = 0, amount = 1)", "the band does not schedule T"),
        ("fuse(S@0, S@1)", "one is above the other"),
        ("distribute(S@0)", "not a sequence or set"),
        ("distribute(S@2, parts = [1])", "there is no sequence below the band"),
        ("expose(S@0, last = 4)", "S has fewer than 4 dimensions"),
        ("time_tile(S@0, sizes = [4], skews = [1], shifts = [[0]])", "one more than skews"),
        ("time_tile(S@0, sizes = [4, 4, 4, 4], skews = [1, 1, 1], shifts = [[0], [0], [0]])", "no row of 3 dimensions"),
        ("copies(shape = [8])", "shape is a pair of positive numbers"),
        ("need(loop = 3, least = 4)", "loop is 3, but the program has 3 loops"),
        ("need(loop = 0, least = -4)", "least is -4, and no number of iterations"),
        ("need(loop = 0, least = 4, or = 2)", "or, short and most go together"),
        ("split_index_set(S@0, first = S)", "first is a set between quotes, not S"),
        ("time_tile(S@0, sizes = [4, 4], skews = [1], shifts = [0])", "a list of lists of numbers, not [0]"),
    ] {
        let found = refusal(PRODUCT, script);
        assert!(found.contains(expected), "{script}: {found}");
    }
    for (script, expected) in [
        ("tile S@0", "line 1, column 6: expected `(`, found `S`"),
        ("tile(S@0, sizes = [1, 2)", "line 1, column 24: expected `,` or `]`"),
        (
            "tile(S@0,\n  sizes == 1)",
            "line 2, column 10: expected a number, a word, a site, a text between quotes or a list",
        ),
        ("tile(S@x)", "line 1, column 8: expected a number"),
        ("tile(sizes = [1], S@0)", "line 1, column 19: expected sites before arguments"),
        ("tile(a = 1, a = 2)", "line 1, column 13: expected an argument that does not yet occur"),
        ("tile(a = 99999999999999999999)", "expected a number"),
        ("combine(S@0", "found the end of the text"),
        ("split_index_set(S@0, first = \"{ S[i] })", "expected `\"`, found the end of the text"),
        ("f(a = [[[[[[[[[[1]]]]]]]]]])", "fewer nested lists"),
    ] {
        let found = Script::parse(script).err().unwrap_or_else(|| panic!("{script} was read")).to_string();
        assert!(found.contains(expected), "{script}: {found}");
    }
}

fn random_step(random: &mut Random, scop: &Scop) -> String {
    let pass = PASSES[random.range(0, PASSES.len() as i64 - 1) as usize].name;
    let statement = |random: &mut Random| random.pick(&scop.statements).name.clone();
    let (own, band) = (statement(random), random.range(0, 2));
    let site = format!("{own}@{band}");
    let member = random.range(0, 2);
    match pass {
        "combine" | "distribute" | "isolate" => format!("{pass}({site})"),
        "expose" => format!("expose({site}, last = {})", random.range(1, 2)),
        "time_tile" => {
            let shifts = scop.statements.iter().map(|_| random.range(0, 1).to_string()).collect::<Vec<_>>();
            format!(
                "time_tile({site}, sizes = [2, 3], skews = [{}], shifts = [[{}]])",
                random.range(0, 2),
                shifts.join(", ")
            )
        }
        "fuse" => format!("fuse({site}, {}@{})", statement(random), random.range(0, 1)),
        "interchange" => format!("interchange({site}, order = [1, 0])"),
        "copies" => "copies(shape = [8, 256])".to_owned(),
        "need" => format!("need(loop = {member}, least = 3)"),
        "peel" => format!("peel({site}, multiple = {})", random.range(2, 3)),
        "jam" => {
            let inner = format!("{own}@{}", band + 1);
            let whole = ["", ", whole = [0]", ", whole = [1]"][random.range(0, 2) as usize];
            format!("peel({site}, multiple = 2) tile({site}, sizes = [2]) jam({inner}{whole})")
        }
        "reschedule" => format!("reschedule(fusion = {})", ["none", "smart", "max"][member as usize]),
        "reverse" | "unroll" => format!("reverse({site}, member = {member})"),
        "shift" => format!(
            "shift({site}, statement = {}, member = {member}, amount = {})",
            statement(random),
            random.range(-2, 2)
        ),
        "skew" => {
            format!("skew({site}, member = {member}, by = {}, factor = {})", random.range(0, 1), random.range(-2, 2))
        }
        "split" => format!("split({site}, at = 1)"),
        "split_index_set" => {
            let (dim, value) =
                (["i", "j"][random.range(0, 1) as usize], ["2", "i", "n - 2"][random.range(0, 2) as usize]);
            format!("split_index_set({site}, first = \"[n] -> {{ {own}[i, j] : {dim} < {value} }}\")")
        }
        _ => format!("tile({site}, sizes = [{}])", ["2", "3, 2"][random.range(0, 1) as usize]),
    }
}

/// A tree with one part of it changed.
fn damaged(random: &mut Random, tree: &ScheduleTree) -> Option<ScheduleTree> {
    let cursors = tree.cursors();
    let cursor = &cursors[random.range(0, cursors.len() as i64 - 1) as usize];
    match cursor.node() {
        Node::Band(band, _) => {
            let k = random.range(0, band.len() as i64 - 1) as usize;
            let expression = |m: usize| match (m == k, random.0 % 3) {
                (true, 0) => format!("-t{m}"),
                (true, 1) => "0".to_owned(),
                (true, _) => format!("t{}", (m + 1) % band.len()),
                _ => format!("t{m}"),
            };
            let old: Vec<String> = (0..band.len()).map(|m| format!("t{m}")).collect();
            let new: Vec<String> = (0..band.len()).map(expression).collect();
            let text = format!("{{ [{}] -> [{}] }}", old.join(", "), new.join(", "));
            Some(cursor.apply(&text.parse().ok()?, &budget()).ok()?.into_tree())
        }
        Node::Sequence(children) => {
            let mut order: Vec<usize> = (0..children.len()).collect();
            order.swap(0, random.range(0, children.len() as i64 - 1) as usize);
            Some(cursor.reorder(&order).ok()?.into_tree())
        }
        Node::Domain(instances, child) => {
            let (name, set) = instances.iter().next()?;
            let less = format!("{{ {name}[i, j] : i > 0 }}").parse().ok()?;
            let mut rest =
                tessera_polyhedral::schedule::Instances::from_sets([set.intersect(&less, &budget()).ok()?]).ok()?;
            for (_, other) in instances.iter().skip(1) {
                rest.add(other.clone()).ok()?;
            }
            Some(ScheduleTree::new(rest, (**child).clone()))
        }
        _ => None,
    }
}

/// What random steps leave of random programs computes what the program computes; and the check finds all damage that
/// can be seen.
#[test]
fn random_steps_keep_programs_and_damage_is_found() {
    let (mut taken, mut refused, mut harmful, mut harmless) = (0, 0, 0, 0);
    for seed in 0..150 {
        let mut random = Random(seed);
        let text = random_scop(&mut random);
        let scop: Scop = text.parse().unwrap_or_else(|error| panic!("seed {seed}: {error:#}\n{text}"));
        let mut draft = Draft::new(&scop, &budget()).unwrap();
        let (machine, sizes) = (Machine::new(&scop), [1, 3, 4].map(|n| vec![n]));
        let expected = machine.expected(&sizes);
        let differs = |tree: &ScheduleTree| machine.outcomes(tree, &Placement::default(), &sizes) != expected;
        for _ in 0..12 {
            let step = random_step(&mut random, &scop);
            match draft.run(&step.parse().unwrap(), &budget()) {
                Ok(next) => {
                    taken += 1;
                    draft = next;
                    assert!(!differs(draft.tree()), "seed {seed}: after {step}\n{text}\n{}", draft.tree());
                }
                Err(TransformError::Relation(error)) => panic!("seed {seed}: {step}: {error}"),
                Err(_) => refused += 1,
            }
            if let Some(tree) = damaged(&mut random, draft.tree()) {
                let found = check(&draft.with_tree(tree.clone()), &budget()).unwrap().is_some();
                if differs(&tree) {
                    harmful += 1;
                    assert!(found, "seed {seed}: damage was not found\n{text}\n{tree}");
                } else {
                    harmless += 1;
                }
            }
        }
    }
    println!("{taken} steps taken, {refused} refused; {harmful} trees with harmful damage, {harmless} with harmless");
    assert!(taken > 300 && refused > 300 && harmful > 200, "{taken} {refused} {harmful}");
}
