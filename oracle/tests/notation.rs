//! The same texts read by isl and by us: every shape of a file, and every way to write an entry of a tuple.

#[path = "../../polyhedral/tests/text_support/mod.rs"]
mod text_support;

use tessera_oracle::isl::{Composite, Isl, Kind};
use tessera_polyhedral::affine::MultiPwAff;
use tessera_polyhedral::flow::AccessInfo;
use tessera_polyhedral::relation::{UnionMap, UnionSet};
use tessera_polyhedral::schedule::ScheduleTree;
use tessera_polyhedral::scheduler::ScheduleConstraints;
use text_support::{Kind as File, Shape, accesses_with_tree, contents};

/// What isl makes of the file as we print it.
fn through_ours(isl: &Isl, kind: Composite, text: &str) -> Result<String, String> {
    let printed = match kind {
        Composite::Constraints => text.parse::<ScheduleConstraints>().map_err(|e| e.to_string())?.to_string(),
        Composite::Accesses => text.parse::<AccessInfo>().map_err(|e| e.to_string())?.to_string(),
        Composite::Tree => text.parse::<ScheduleTree>().map_err(|e| e.to_string())?.to_yaml(),
    };
    isl.reread(kind, &printed).map_err(|e| format!("{e}: {printed}"))
}

/// isl reads each of its shapes as the same object, and what we print of each of them too.
#[test]
fn isl_reads_the_same_files() {
    let mut objects = contents();
    objects.push((File::Accesses, accesses_with_tree()));
    for isl in [Isl::polly(), Isl::debian()] {
        let isl = isl.unwrap_or_else(|error| panic!("{error}"));
        let (mut judged, mut wrong) = (0, Vec::new());
        for (file, doc) in &objects {
            let kind = match file {
                File::Constraints => Composite::Constraints,
                File::Accesses => Composite::Accesses,
                File::Tree => Composite::Tree,
                File::Flow => continue,
            };
            // Plain objects are read by isl in files of constraints and accesses, but not in a tree inside of them.
            let file = if format!("{doc:?}").contains("\"schedule\", Map") { File::Tree } else { *file };
            let mut first: Option<(String, String)> = None;
            for shape in Shape::all().into_iter().filter(|shape| shape.is_of_isl(file)) {
                let text = shape.write(doc);
                judged += 1;
                let both = isl.reread(kind, &text).map_err(|e| e.to_string());
                let both = both.and_then(|isls| Ok((isls, through_ours(&isl, kind, &text)?)));
                match (both, &first) {
                    (Ok(both), None) => first = Some(both),
                    (Ok(both), Some(first)) if both == *first => {}
                    (other, _) => wrong.push((shape, format!("{text}\n{other:?}\n{first:?}"))),
                }
            }
        }
        wrong.iter().for_each(|(shape, _)| println!("{shape:?}"));
        assert!(wrong.is_empty(), "{}: {} of {judged}:\n{:?}", isl.name(), wrong.len(), wrong.first());
        assert!(judged >= 1_000, "{judged}");
        println!("{}: {judged} files", isl.name());
    }
}

/// Entries of a tuple, of `a` and `n`.
const VALUES: [&str; 44] = [
    "a",
    "a + 1",
    "2a",
    "a // 2",
    "2a // 3",
    "-a // 2",
    "(a + n) // 3",
    "a // 2 + a mod 3",
    "-7 // 2",
    "a // 4 + n // 2",
    "min(a, n)",
    "(a > 0 ? a : n)",
    "(a : a > 0)",
    "(a : a > 0; n : a <= 0)",
    "(a : a > 0; n : a > 2)",
    "a : a > 0",
    "a - 1 : a > 0; n : a <= 0",
    "a : a > 0; n : a > 2",
    "a - 1 : a > 0 or n > 3; 2n : a < 4; 7 : a = 1",
    "0 : a",
    "0:a",
    "a:",
    "-a : n",
    "0 : a // 2",
    "a : exists (e : a = 2e)",
    "a : not (a = 3)",
    "a : n > 0 and a < n",
    "a : a > 0, n",
    "a : a > 0 and n, 3 < 7",
    "(0:a)",
    "(0:)",
    "1 : (a > 0)",
    "1 : (a + 1)",
    "1 : [a/2]",
    "1 : [a] > 2",
    "min(a, n) : max(a, n)",
    "a : true",
    "a : false",
    "a : a < n < 9",
    "((1 : a > 0) : a < 5; 7 : a < 3)",
    "(1 : a > 0; 2 : a > 1; 3 : a > 2)",
    "_",
    "*",
    "a : a mod 2 = 0; n : a mod 3 = 0",
];

/// Where they stand: in sets and in maps.
const SETS: [&str; 4] = [
    "[n] -> { A[a, V] }",
    "[n] -> { A[a, b = V] : b < 9 }",
    "[a, n = V] -> { A[a, n] }",
    "[n, a, m = V] -> { : n + m < a }",
];

const MAPS: [&str; 10] = [
    "[n] -> { A[a] -> B[V] }",
    "[n] -> { A[a] -> B[x = V] }",
    "[n] -> { A[a] -> B[V, a] }",
    "[n] -> { A[a] -> B[V, 1 + a] : a < 5 }",
    "[n] -> { A[a] -> B[1, V]; A[b] -> C[] }",
    "[n] -> { A[a, _] -> B[V] }",
    "[n] -> { A[a] -> [B[V] -> C[]] }",
    "[n] -> { [A[a] -> B[V]] -> C[0:n] }",
    "[n = 0:9] -> { A[a] -> B[V] }",
    "[n, m = 2:] -> { A[a = 0:n] -> B[V, m] }",
];

#[test]
fn isl_reads_the_same_notation() {
    let (polly, debian) = (Isl::polly().unwrap(), Isl::debian().unwrap());
    let (mut judged, mut wrong) = (0, Vec::new());
    let places = SETS.iter().map(|place| (Kind::UnionSet, place));
    for (kind, place) in places.chain(MAPS.iter().map(|place| (Kind::UnionMap, place))) {
        for value in VALUES {
            let text = place.replace('V', value);
            for isl in [&polly, &debian] {
                let Ok(theirs) = isl.read(kind, &text) else { continue };
                judged += 1;
                let ours = match kind {
                    Kind::UnionMap => text.parse::<UnionMap>().map(|x| x.to_string()),
                    _ => text.parse::<UnionSet>().map(|x| x.to_string()),
                };
                let again = ours.map_err(|e| format!("{e:#}")).and_then(|ours| {
                    let again = isl.read(kind, &ours).map_err(|e| e.to_string())?;
                    let equal = again.is_equal(&theirs).map_err(|e| e.to_string())?;
                    if equal { Ok(()) } else { Err(format!("{ours} against {theirs}")) }
                });
                if let Err(error) = again {
                    wrong.push(format!("{}: {text}: {error}", isl.name()));
                }
            }
            // As a function.
            if place.starts_with("[n] -> { A[a] -> B")
                && !place.contains(';')
                && let Ok(theirs) = polly.read(Kind::MultiPwAff, &text)
            {
                judged += 1;
                let ours = text.parse::<MultiPwAff>().map_err(|e| format!("{e:#}"));
                let equal = ours.and_then(|ours| {
                    let again = polly.read(Kind::MultiPwAff, &ours.to_string()).map_err(|e| e.to_string())?;
                    again.is_equal(&theirs).map_err(|e| e.to_string())
                });
                if equal != Ok(true) {
                    wrong.push(format!("function {text}: {equal:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {judged}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(judged >= 600, "{judged}");
    println!("{judged} texts");
}
