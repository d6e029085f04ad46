//! Rows that are saved as a step of an elimination reads them (`pack` with `inside`), with scalars that have a place for each step and row (`privatise` with
//! `outer`), in blocks of steps of which some instances wait (`split_index_set` with copies): random eliminations, cut rightly and wrongly, executed by a
//! machine with buffers.

use tessera_polyhedral::scop::Scop;
use tessera_polyhedral::transform::{Draft, Script, TransformError};

use crate::random_trees::Random;
use crate::support::budget;
use crate::support::machine::Machine;

/// A program that changes rows with row `k` in step `k`, and steps that cut it into blocks.
struct Elimination {
    scop: String,
    script: String,
}

fn elimination(random: &mut Random) -> Elimination {
    // Half of them are cut as they should be.
    let is_right = random.chance(50);
    let first = *random.pick(&["0", "k", "k + 1"]);
    let all_but_one = ["0 <= i < k", "k < i < n"];
    let kinds: [&[&str]; 6] =
        [&all_but_one, &all_but_one, &all_but_one, &["0 <= i < n"], &["k < i < n"], &["0 <= i < k"]];
    let rows = *random.pick(&kinds);
    let (is_scaled, has_factor, is_swapped) = (random.chance(60), random.chance(50), random.chance(25));
    let rows = if is_right { &all_but_one[..] } else { rows };
    let other = if is_right { "k" } else { *random.pick(&["k", "k", "k", "k + 1", "n - 1 - k"]) };
    let element = |row: &str, column: &str| {
        if is_swapped { format!("A[{column}, {row}]") } else { format!("A[{row}, {column}]") }
    };
    let domain = |tuple: &str, more: &str| {
        let all: Vec<String> = rows.iter().map(|rows| format!("{tuple} : 0 <= k < n and {rows}{more}")).collect();
        all.join("; ")
    };
    let columns = format!(" and {first} <= j < n");
    let mut statements = Vec::new();
    if is_scaled {
        let accesses = [("read", element("k", "k")), ("read", element("k", "j")), ("write", element("k", "j"))];
        statements.push(("S[k, j]", format!("S[k, j] : 0 <= k < n{columns}"), accesses.to_vec()));
    }
    if has_factor {
        let accesses = vec![("read", element("i", "k")), ("write", "f[]".to_owned())];
        statements.push(("F[k, i]", domain("F[k, i]", ""), accesses));
    }
    let factor = if has_factor { "f[]".to_owned() } else { element("i", "k") };
    let accesses =
        [("read", factor), ("read", element(other, "j")), ("read", element("i", "j")), ("write", element("i", "j"))];
    statements.push(("T[k, i, j]", domain("T[k, i, j]", &columns), accesses.to_vec()));
    let mut scop = "scop: \"elimination\"\ncontext: \"[n] -> { : n >= 1 }\"\narrays:\n".to_owned();
    scop += "- { array: \"A\", element: f64, storage: memory, sizes: [ \"[n] -> { n }\" ] }\n";
    scop += "- { array: \"f\", element: f64, storage: scalar }\nstatements:\n";
    for (tuple, domain, accesses) in &statements {
        scop += &format!("- statement: \"{}\"\n  domain: \"[n] -> {{ {domain} }}\"\n  accesses:\n", &tuple[..1]);
        for (kind, place) in accesses {
            scop += &format!("  - {{ {kind}: \"[n] -> {{ {tuple} -> {place} }}\" }}\n");
        }
    }
    let all = |members: &str| {
        let of = |(tuple, ..): &(&str, _, _)| format!("{tuple}{members}");
        statements.iter().map(of).collect::<Vec<_>>().join("; ")
    };
    let domains: Vec<&str> = statements.iter().map(|(_, domain, _)| domain.as_str()).collect();
    scop += &format!("schedule:\n  domain: \"[n] -> {{ {} }}\"\n  child:\n", domains.join("; "));
    scop += &format!("    schedule: \"[{{ {} }}]\"\n    child:\n", all(" -> [(k)]"));
    let mut parts = Vec::new();
    if is_scaled {
        parts.push("filter: \"{ S[k, j] }\"\n  child:\n    schedule: \"[{ S[k, j] -> [(j)] }]\"\n".to_owned());
    }
    let inner = "schedule: \"[{ T[k, i, j] -> [(j)] }]\"\n";
    parts.push(match has_factor {
        true => format!(
            "filter: \"{{ F[k, i]; T[k, i, j] }}\"\n  child:\n    schedule: \"[{{ F[k, i] -> [(i)]; T[k, i, j] -> [(i)] }}]\"\n    child:\n      sequence:\n      - filter: \"{{ F[k, i] }}\"\n      - filter: \"{{ T[k, i, j] }}\"\n        child:\n          {inner}"
        ),
        false => format!(
            "filter: \"{{ T[k, i, j] }}\"\n  child:\n    schedule: \"[{{ T[k, i, j] -> [(i)] }}]\"\n    child:\n      {inner}"
        ),
    });
    let sequence: String = match parts.as_slice() {
        [only] => only
            .split_once("child:\n")
            .map_or("", |(_, below)| below)
            .lines()
            .map(|line| format!("  {line}\n"))
            .collect(),
        _ => {
            let part = |part: &String| {
                let lines: Vec<String> = part.lines().map(|line| format!("      {line}")).collect();
                format!("      - {}\n", lines.join("\n").trim_start())
            };
            format!("      sequence:\n{}", parts.iter().map(part).collect::<String>())
        }
    };
    scop += &sequence;
    let in_block = |dim: &str, random: &mut Random| {
        let (low, high) = if is_right {
            ("0", "2")
        } else {
            (*random.pick(&["0", "0", "0", "1"]), *random.pick(&["2", "2", "2", "1"]))
        };
        format!("2*floor(k/2) + {low} <= {dim} < 2*floor(k/2) + {high}")
    };
    let (row, column) = (in_block("i", random), in_block("j", random));
    let waits = if is_right { "both" } else { *random.pick(&["both", "both", "both", "row", "column"]) };
    let first = match waits {
        "both" => format!("{row} or {column}"),
        "row" => row,
        _ => column,
    };
    let mut script = "tile(T@0, sizes = [2])\n".to_owned();
    if has_factor && (is_right || random.chance(90)) {
        script += &format!(
            "privatise(T@2, array = f, sizes = [{}, 0], outer = 1)\n",
            if is_right { "2" } else { *random.pick(&["2", "2", "0", "1"]) }
        );
    }
    let accesses = if is_swapped || is_right { "[1]" } else { *random.pick(&["[1]", "[1]", "[1]", "[2]"]) };
    let inside = if is_right || random.chance(75) { ", inside = 1" } else { "" };
    script += &format!("pack(T@0, array = A, accesses = {accesses}{inside})\n");
    let others: String = statements[..statements.len() - 1].iter().map(|(tuple, ..)| format!("{tuple}; ")).collect();
    let copies = if inside.is_empty() { "" } else { "A_in[a, b, c, d]; " };
    script += &format!("split_index_set(T@1, first = \"{{ {others}{copies}T[k, i, j] : {first} }}\")\n");
    Elimination { scop, script }
}

#[test]
fn random_eliminations_in_blocks_keep_their_values() {
    let (mut taken, mut refused, mut needless, mut inapplicable) = (0, 0, 0, 0);
    for seed in 0..240 {
        let mut random = Random(seed + 7000);
        let Elimination { scop, script } = elimination(&mut random);
        let parsed: Scop = scop.parse().unwrap_or_else(|error| panic!("{error:#}\n{scop}"));
        let steps: Script = script.parse().unwrap();
        let sizes = [1, 2, 3, 5].map(|n| vec![n]);
        let machine = Machine::new(&parsed);
        let expected = machine.expected(&sizes);
        // Without a look at values, which takes long here.
        let draft = Draft::new(&parsed, &budget()).unwrap().with_values(false);
        let mut is_taken = false;
        match draft.run(&steps, &budget()) {
            Ok(found) => {
                let outcomes = machine.outcomes(found.tree(), found.placement(), &sizes);
                assert_eq!(outcomes, expected, "{scop}\n{script}\n{}{}", found.tree(), found.placement());
                taken += 1;
                is_taken = true;
            }
            Err(TransformError::Relation(error)) => panic!("{script}: {error}\n{scop}"),
            Err(TransformError::NotApplicable { .. }) => inapplicable += 1,
            Err(_) => refused += 1,
        }
        let edited = steps.steps.iter().try_fold(draft, |draft, step| draft.edit(step, &budget()));
        if let Ok(edited) = edited
            && !is_taken
            && machine.outcomes(edited.tree(), edited.placement(), &sizes) == expected
        {
            needless += 1;
            println!("needless:\n{script}");
        }
    }
    println!("{taken} taken; {refused} refused, {needless} needlessly; {inapplicable} do not apply");
    assert!(taken > 40 && refused > 40, "{taken} {refused}");
}
