//! The check by values: what it says about buffers, copies and redirects, on small SCoPs; random programs under random
//! steps that give values other places, executed by a machine with buffers; and fault injection behind every pass,
//! judged by that machine.

use std::collections::BTreeMap;

use tessera_polyhedral::scop::Scop;
use tessera_polyhedral::transform::{Draft, PASSES, Script, TransformError, check, check_claims};

use crate::placed::damage::{ALL, Damage, damaged};
use crate::placed::{Program, outcomes, program};
use crate::random_trees::Random;
use crate::support::budget;

fn site(random: &mut Random, program: &Program) -> String {
    let copy = *random.pick(&["", "", "", "", ".1"]);
    format!("{}@{}{copy}", random.pick(&program.statements).name, random.range(0, 2))
}

/// A step of a pass with arguments made by chance.
fn step(random: &mut Random, program: &Program, pass: &str) -> String {
    let at = site(random, program);
    let member = random.range(0, 1);
    let statement = random.pick(&program.statements).name.clone();
    match pass {
        "combine" | "distribute" | "isolate" => format!("{pass}({at})"),
        "jam" => format!("jam({at}{})", random.pick(&["", ", whole = [0]", ", whole = [1]"])),
        "normalise" => format!("normalise({at})"),
        "peel" => {
            format!("peel({at}, multiple = 2{})", random.pick(&["", "", ", front = all", ", front = start"]))
        }
        "expose" => format!("expose({at}, last = {})", random.range(1, 2)),
        "fuse" => format!("fuse({at}, {})", site(random, program)),
        "interchange" => format!("interchange({at}, order = [1, 0])"),
        "copies" => "copies(shape = [8, 256])".to_owned(),
        "map_to_device" => {
            let block = *random.pick(&["[]", "[2]", "[3]", "[2, 2]"]);
            format!("map_to_device({at}, grid = {}, block = {block})", random.pick(&["[]", "[]", "[2]", "[3]"]))
        }
        "need" => format!("need(loop = {}, least = 3)", random.range(0, 3)),
        "pack" => {
            let (array, accesses) = (random.pick(&["A", "B", "s", "t"]), random.range(0, 2));
            let some = *random.pick(&["", "", "", "", "", "", ", layout = [0]"]);
            let own = if random.chance(20) { format!(", accesses = [{accesses}]") } else { String::new() };
            let inside = if !own.is_empty() && random.chance(40) { ", inside = 1" } else { "" };
            format!("pack({at}, array = {array}{own}{inside}{some})")
        }
        "privatise" => {
            let sizes =
                *random.pick(&["", "", ", sizes = [2]", ", sizes = [2, 3]", ", sizes = [4, 4]", ", sizes = [3, 0]"]);
            let outer = if random.chance(20) { ", outer = 1" } else { "" };
            format!("privatise({at}, array = {}{sizes}{outer})", random.pick(&["A", "s", "s", "t", "t"]))
        }
        "reschedule" => format!("reschedule(fusion = {})", random.pick(&["none", "smart", "max"])),
        "reverse" | "unroll" => format!("{pass}({at}, member = {member})"),
        "shift" => {
            format!("shift({at}, statement = {statement}, member = {member}, amount = {})", random.range(-1, 2))
        }
        "skew" => format!("skew({at}, member = {member}, by = {}, factor = {})", 1 - member, random.range(-1, 1)),
        "split" => format!("split({at}, at = 1)"),
        "split_index_set" => {
            let (dim, value) = (random.pick(&["i", "j"]), random.pick(&["2", "i", "n - 2"]));
            format!("split_index_set({at}, first = \"[n] -> {{ {statement}[i, j] : {dim} < {value} }}\")")
        }
        "time_tile" => {
            let shifts: Vec<String> = program.statements.iter().map(|_| random.range(0, 1).to_string()).collect();
            let skew = random.range(0, 2);
            format!("time_tile({at}, sizes = [2, 3], skews = [{skew}], shifts = [[{}]])", shifts.join(", "))
        }
        "hexagonal_tile" => {
            let (height, rows) = (random.pick(&[2, 4]), random.range(2, 9));
            format!("hexagonal_tile({at}, height = {height}, rows = {rows})")
        }
        "tile" => format!("tile({at}, sizes = [{}])", random.pick(&["2", "3, 2", "2, 2"])),
        other => panic!("no arguments for {other}"),
    }
}

/// The draft after a step of a pass, if one of some random steps is taken.
fn stepped<'m>(
    random: &mut Random,
    program: &Program,
    draft: &Draft<'m>,
    pass: &str,
    tries: usize,
) -> Option<Draft<'m>> {
    for _ in 0..tries {
        let text = step(random, program, pass);
        match draft.run(&text.parse().unwrap(), &budget()) {
            Ok(next) => return Some(next),
            Err(TransformError::Relation(error)) => panic!("{text}: {error}\n{}", program.text),
            Err(_) => {}
        }
    }
    None
}

/// A draft whose last step is one of a pass, most of them with buffers.
fn drafted<'m>(random: &mut Random, program: &Program, scop: &'m Scop, pass: &str) -> Option<Draft<'m>> {
    let mut draft = Draft::new(scop, &budget()).unwrap();
    let mut before = Vec::new();
    (0..random.range(0, 2)).for_each(|_| before.push("combine"));
    if random.chance(40) {
        before.push("tile");
    }
    if random.chance(80) {
        before.push(*random.pick(&["privatise", "pack"]));
    }
    if random.chance(20) {
        before.push(*random.pick(&["privatise", "distribute", "split"]));
    }
    for name in before {
        draft = stepped(random, program, &draft, name, 3).unwrap_or(draft);
    }
    stepped(random, program, &draft, pass, 8)
}

/// What was tried.
#[derive(Default)]
struct Counts {
    harmful: usize,
    harmless: usize,
    /// Harmless damage that the check has something against.
    refused: usize,
}

/// Damage of a kind that a pass leaves no room for.
fn is_possible(pass: &str, damage: Damage) -> bool {
    // A new order is computed only while there are no copies, and all its bands are permutable.
    let not_there =
        [Damage::DropCopy, Damage::DropWriteBack, Damage::ShiftCopy, Damage::SwapMembers, Damage::ClaimPermutable];
    // Kernels have no buffers.
    let of_buffers = matches!(
        damage,
        Damage::DropCopy
            | Damage::DropWriteBack
            | Damage::ShiftCopy
            | Damage::ShrinkBuffer
            | Damage::ShiftRedirect
            | Damage::DropRedirect
    );
    match pass {
        "reschedule" => !not_there.contains(&damage),
        "map_to_device" => !of_buffers,
        _ => true,
    }
}

/// How many drafts of a pass get all kinds of damage; more are made for the kinds that have done no harm until then.
const DRAFTS: usize = 10;

/// After every pass, with and without buffers: what the check accepts computes what the program computes; and of all
/// that damage makes compute something else nothing is accepted.
#[test]
fn damage_behind_every_pass_is_found() {
    let mut missing = Vec::new();
    let (mut all_harmful, mut all_harmless, mut all_refused) = (0, 0, 0);
    for pass in PASSES {
        // The same programs whatever other passes there are.
        let name = pass.name.bytes().fold(0, |hash: u64, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)));
        let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
        let mut drafts = 0;
        for seed in 0..MOST_SEEDS {
            let open: Vec<Damage> = ALL
                .into_iter()
                .filter(|damage| {
                    let harmful = counts.get(&format!("{damage:?}")).map_or(0, |counts| counts.harmful);
                    is_possible(pass.name, *damage) && (drafts < DRAFTS || harmful == 0)
                })
                .collect();
            if open.is_empty() {
                break;
            }
            let mut random = Random(name << 32 | seed);
            // What is rare gets a program made for it.
            let program = program(&mut random, drafts >= DRAFTS && seed % 2 == 0);
            let scop: Scop = program.text.parse().unwrap_or_else(|error| panic!("{error:#}\n{}", program.text));
            let Some(draft) = drafted(&mut random, &program, &scop, pass.name) else { continue };
            let expected = outcomes(&Draft::new(&scop, &budget()).unwrap());
            let log = Script { steps: draft.log().to_vec() };
            let shown = format!("{}\n{log}\n{}{}", program.text, draft.tree(), draft.placement());
            assert_eq!(outcomes(&draft), expected, "{shown}");
            assert_eq!(check_claims(&draft, &budget()).unwrap(), None, "{shown}");
            drafts += 1;
            for damage in open {
                let Some(broken) = damaged(&mut random, &draft, damage) else { continue };
                let mut found = check(&broken.draft, &budget()).unwrap();
                if found.is_none() && matches!(damage, Damage::ClaimCoincident | Damage::ClaimPermutable) {
                    found = check_claims(&broken.draft, &budget()).unwrap();
                }
                let counts = counts.entry(format!("{damage:?}")).or_default();
                if outcomes(&broken.witness) == expected {
                    counts.harmless += 1;
                    counts.refused += usize::from(found.is_some());
                } else {
                    counts.harmful += 1;
                    let now = format!("{}{}", broken.draft.tree(), broken.draft.placement());
                    assert!(found.is_some(), "{damage:?} after {} was not found\n{shown}\n{now}", pass.name);
                }
            }
        }
        println!("{}: {drafts} drafts", pass.name);
        for (damage, Counts { harmful, harmless, refused }) in &counts {
            println!("  {damage:<16} {harmful} did harm, {harmful} found; {harmless} did none, {refused} refused");
            all_harmful += harmful;
            all_harmless += harmless;
            all_refused += refused;
        }
        let none = |damage: &Damage| counts.get(&format!("{damage:?}")).is_none_or(|counts| counts.harmful == 0);
        let possible = ALL.into_iter().filter(|damage| is_possible(pass.name, *damage));
        missing.extend(possible.filter(none).map(|damage| format!("{damage:?} after {}", pass.name)));
    }
    println!("{all_harmful} did harm, all found; {all_harmless} did none, {all_refused} of them refused");
    assert!(missing.is_empty(), "no harm was done by {}", missing.join(", "));
}

/// How many programs are drawn for a pass at most.
const MOST_SEEDS: u64 = 4000;

/// Random steps: what is accepted computes what the program computes, and most of what is refused does not.
#[test]
fn random_steps_with_buffers_keep_programs() {
    let (mut taken, mut moved, mut refused, mut needless) = (0, 0, 0, 0);
    for seed in 0..160 {
        let mut random = Random(seed + 1000);
        let program = program(&mut random, false);
        let scop: Scop = program.text.parse().unwrap_or_else(|error| panic!("{error:#}\n{}", program.text));
        let mut draft = Draft::new(&scop, &budget()).unwrap();
        let expected = outcomes(&draft);
        for _ in 0..10 {
            let name = if random.chance(40) { *random.pick(&["privatise", "pack"]) } else { random.pick(PASSES).name };
            let text = step(&mut random, &program, name);
            let step: Script = text.parse().unwrap();
            match draft.run(&step, &budget()) {
                Ok(next) => {
                    taken += 1;
                    moved += usize::from(!next.placement().is_empty());
                    draft = next;
                    let found = outcomes(&draft);
                    assert_eq!(found, expected, "{}\n{text}\n{}{}", program.text, draft.tree(), draft.placement());
                }
                Err(TransformError::Refused { defect, .. }) => {
                    let wrong = draft.edit(&step.steps[0], &budget()).unwrap();
                    if wrong.placement().is_empty() {
                        continue;
                    }
                    refused += 1;
                    if outcomes(&wrong) == expected {
                        needless += 1;
                        println!("needless: {text}: {defect}");
                    }
                }
                Err(TransformError::Relation(error)) => panic!("{text}: {error}\n{}", program.text),
                Err(_) => {}
            }
        }
    }
    println!(
        "{taken} steps taken, {moved} with buffers; {refused} refused with buffers, {needless} of them needlessly"
    );
    assert!(taken > 100 && moved > 50 && refused > 20, "{taken} {moved} {refused}");
}
