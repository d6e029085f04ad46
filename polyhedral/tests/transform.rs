//! Passes and the check: random SCoPs under random steps, whose generated code is executed and compared with the program,
//! also after damage; what steps leave beside the tree. (Every pass alone is in `tests/optimise`.)

use tessera_polyhedral::schedule::{Node, ScheduleTree};
use tessera_polyhedral::scop::Scop;
use tessera_polyhedral::strategy::with_free_loops;
use tessera_polyhedral::transform::{Draft, Need, PASSES, Placement, Script, Short, TransformError, check};

use crate::random_scops::random_scop;
use crate::random_trees::Random;
use crate::support::budget;
use crate::support::machine::Machine;

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

/// `for i: A[i] = f(A[i], A[8])`: all wait for the iteration 8, which waits for those in front of it.
const PIVOT: &str = r#"scop: "pivot"
context: "[n] -> { : n >= 20 }"
arrays:
- { array: "A", element: f64, storage: memory }
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

/// The flags of compilers, which know nothing of the rest of the tree: what is cut is free, the whole is not.
#[test]
fn parts_of_a_split_index_set_are_free() {
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
    let whole = with_free_loops(&scop.schedule, &scop, &dependences, &budget()).unwrap().to_string();
    assert!(!whole.contains("coincident"), "{whole}");
}

#[test]
fn needs_are_handed_on() {
    let script: Script =
        "need(loop = 2, least = 64) need(loop = 2, least = 64, or = 16, short = 1, most = 2048)".parse().unwrap();
    let scop: Scop = PRODUCT.parse().unwrap();
    let draft = Draft::new(&scop, &budget()).unwrap();
    let needs = draft.run(&script, &budget()).unwrap().needs().to_vec();
    let instead = Some(Short { least: 16, counter: 1, most: 2048 });
    assert_eq!(needs, [Need::at_least(2, 64), Need { instead, ..Need::at_least(2, 64) }]);
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
        "hexagonal_tile" => {
            format!("hexagonal_tile({site}, height = {}, rows = {})", 2 * random.range(1, 2), random.range(2, 9))
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
