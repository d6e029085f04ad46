//! The mapping to a device: the thirty kernels and random programs with many sizes of grids, blocks and tiles, executed by a device with
//! threads that run in any order; and fault injection.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tessera_polyhedral::ast::AstOptions;
use tessera_polyhedral::device::{Program, ThreadOrder};
use tessera_polyhedral::relation::Set;
use tessera_polyhedral::schedule::{Instances, Launch, Mark, Node, ScheduleTree};
use tessera_polyhedral::scop::{Dependences, Pair, Scop, Storage};
use tessera_polyhedral::transform::{Draft, Placement, Script, TransformError, check, check_threads};

use crate::random_trees::Random;
use crate::support::budget;
use crate::support::case_file::{CaseFile, folder};
use crate::support::device::execute;
use crate::support::machine::{Machine, Outcome, Params, sizes};

fn program(draft: &Draft<'_>) -> Program {
    let made = Program::new(draft.tree(), Some(&draft.scop().context), &AstOptions::default(), &budget());
    made.unwrap_or_else(|error| panic!("{error}\n{}", draft.tree()))
}

/// Whether a program computes what it should; else what is wrong.
fn judged(
    machine: &Machine<'_>,
    program: &Program,
    placement: &Placement,
    sizes: &[Params],
    expected: &[Outcome],
    random: &mut Random,
) -> Result<(), String> {
    for kernel in &program.kernels {
        if let Some(name) = kernel.divergent_barrier() {
            return Err(format!("not all threads reach {name}"));
        }
    }
    for (params, expected) in sizes.iter().zip(expected) {
        let found = execute(machine, program, placement, params, &mut |n| random.range(0, n as i64 - 1) as usize)?;
        if found != *expected {
            return Err(format!("another result for {params:?}"));
        }
    }
    Ok(())
}

fn step<'m>(draft: &Draft<'m>, text: &str) -> Result<Draft<'m>, TransformError> {
    draft.run(&text.parse::<Script>().unwrap(), &budget())
}

/// How many members the band of a site has, and how many of them are coincident.
fn shape(draft: &Draft<'_>, site: &tessera_polyhedral::transform::Site) -> (usize, usize) {
    let mut bands = Vec::new();
    let mut here = Some(draft.tree().cursor());
    while let Some(cursor) = here {
        here = cursor.children().into_iter().find(|child| match child.node() {
            Node::Filter(instances, _) => instances.get(&site.statement).is_some(),
            _ => true,
        });
        if let Node::Band(band, _) = cursor.node() {
            bands.push((band.len(), band.members().iter().filter(|member| member.coincident).count()));
        }
    }
    bands[site.band]
}

fn list(random: &mut Random, n: usize, of: &[i64]) -> String {
    let sizes: Vec<String> = (0..n).map(|_| random.pick(of).to_string()).collect();
    format!("[{}]", sizes.join(", "))
}

/// Combines bands as long as members stay interchangeable and none stops being parallel.
fn combined<'m>(draft: &Draft<'m>, site: &tessera_polyhedral::transform::Site) -> Draft<'m> {
    let mut draft = draft.clone();
    while let Ok(next) = step(&draft, &format!("combine({site})")) {
        if shape(&next, site).1 < shape(&draft, site).1
            || step(&next, &format!("tile({site}, sizes = {:?})", vec![2; shape(&next, site).0])).is_err()
        {
            break;
        }
        draft = next;
    }
    draft
}

/// All outermost bands with parallel members as kernels, with sizes by chance; and how many.
fn mapped<'m>(draft: &Draft<'m>, random: &mut Random, reasons: &mut BTreeMap<String, usize>) -> (Draft<'m>, usize) {
    let (mut draft, mut kernels) = (draft.clone(), 0);
    let sites = draft.kernel_sites(&budget()).unwrap();
    for site in sites {
        let ready = combined(&draft, &site);
        let (members, parallel) = shape(&ready, &site);
        let most = [1, 2, 3, 7, 32];
        let grid = list(random, parallel.min(2), if parallel > 1 { &most[..3] } else { &most });
        let block = list(random, parallel.min(3), if parallel > 1 { &most[..3] } else { &most });
        let mut tile = list(random, members, &[1, 2, 3, 5, 32]);
        let mut points = "";
        if parallel == members && members <= 3 && random.chance(50) {
            // A tile of a few points per thread.
            let threads: Vec<i64> = block[1..block.len() - 1].split(", ").map(|size| size.parse().unwrap()).collect();
            let sizes: Vec<String> = threads.iter().map(|n| (n * random.range(1, 3)).to_string()).collect();
            (tile, points) = (format!("[{}]", sizes.join(", ")), ", points = inside");
        }
        let text = format!("map_to_device({site}, tile = {tile}, grid = {grid}, block = {block}{points})");
        match step(&ready, &text) {
            Ok(next) => (draft, kernels) = (next, kernels + 1),
            Err(TransformError::Relation(error)) => panic!("{text}: {error}\n{}", draft.tree()),
            Err(error) => *reasons.entry(error.to_string()).or_default() += 1,
        }
    }
    (draft, kernels)
}

/// A kernel of one block, or of one thread, around everything; perhaps with barriers.
fn in_one_block<'m>(draft: &Draft<'m>, random: &mut Random) -> Result<Draft<'m>, TransformError> {
    let statement = &random.pick(&draft.scop().statements).name;
    let n = random.range(0, 2) as usize;
    let block = list(random, n, &[1, 2, 3, 7]);
    step(draft, &format!("map_to_device({statement}@0, grid = [], block = {block})"))
}

fn scops(text: &str) -> Vec<Scop> {
    Scop::parse_all(text, &budget()).unwrap()
}

/// The draft with a place of each scalar for every iteration of the outermost band, if each can have that.
fn with_private_scalars<'m>(draft: &Draft<'m>) -> Option<Draft<'m>> {
    let mut draft = draft.clone();
    for array in draft.scop().arrays.iter().filter(|array| array.storage == Storage::Scalar) {
        let user = draft.scop().statements.iter().find(|statement| {
            statement.accesses.iter().any(|access| draft.scop().array_of(access) == draft.scop().array(&array.name))
        });
        let Some(user) = user else { continue };
        draft = step(&draft, &format!("privatise({}@0, array = {})", user.name, array.name)).ok()?;
    }
    (!draft.placement().is_empty()).then_some(draft)
}

/// Why nothing of a SCoP was mapped: whether bands would be parallel if scalars of the program had copies.
fn why_not(scop: &Scop) -> &'static str {
    let all = scop.dependences(&budget()).unwrap();
    let is_memory = |pair: &&Pair| scop.arrays[pair.array].storage != Storage::Scalar;
    let pairs: Vec<Pair> = all.pairs.iter().filter(is_memory).cloned().collect();
    let merged = pairs.iter().map(|pair| pair.dependence.clone()).collect();
    let draft = Draft::with_dependences(scop, Arc::new(Dependences { merged, pairs }));
    match draft.kernel_sites(&budget()).unwrap().is_empty() {
        true => "no band of this order is parallel",
        false => "only scalars stand in the way",
    }
}

/// Every kernel in the order of its program, and if nothing is parallel there, in one of the scheduler. Whatever is mapped computes what the
/// program computes.
#[test]
fn thirty_kernels() {
    let mut paths: Vec<_> = std::fs::read_dir(folder().join("kernels")).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    let (mut n_mapped, mut n_kernels, mut n_runs) = (0, 0, 0);
    for path in &paths {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let mut reasons = BTreeMap::new();
        let mut found = 0;
        let mut why = BTreeSet::new();
        let file = CaseFile::read(path);
        for (number, scop) in file.runs.iter().flat_map(|run| scops(&run.scop)).enumerate() {
            let mut random = Random(number as u64 + 77);
            let machine = Machine::new(&scop);
            let sizes: Vec<Params> = sizes(&scop).into_iter().take(6).collect();
            let expected = machine.expected(&sizes);
            let original = Draft::new(&scop, &budget()).unwrap();
            let mut orders = vec![original.clone()];
            if original.kernel_sites(&budget()).unwrap().is_empty() {
                orders.extend(with_private_scalars(&original));
                orders.extend(step(&original, "reschedule(fusion = max)").ok());
            }
            if orders.iter().all(|order| order.kernel_sites(&budget()).unwrap().is_empty()) {
                why.insert(why_not(&scop));
            }
            for order in orders {
                for _ in 0..3 {
                    let (draft, kernels) = mapped(&order, &mut random, &mut reasons);
                    if kernels > 0 {
                        found = found.max(kernels);
                        n_runs += 1;
                        let log = Script { steps: draft.log().to_vec() };
                        let judged =
                            judged(&machine, &program(&draft), draft.placement(), &sizes, &expected, &mut random);
                        judged.unwrap_or_else(|what| panic!("{name}: {what}\n{log}\n{}", program(&draft)));
                    }
                }
            }
        }
        println!("{name}: {found} kernels {reasons:?} {}", if found == 0 { format!("{why:?}") } else { String::new() });
        n_mapped += usize::from(found > 0);
        n_kernels += found;
    }
    println!("{n_mapped} of {} programs have {n_kernels} kernels; {n_runs} mapped orders executed", paths.len());
    assert!(n_mapped >= 20, "{n_mapped}");
}

/// Damage to a mapped tree, with its name.
fn damages(tree: &ScheduleTree) -> Vec<(&'static str, ScheduleTree)> {
    let mut all = Vec::new();
    for cursor in tree.cursors() {
        match cursor.node() {
            Node::Mark(Mark::Barrier, _) => all.extend(cursor.delete().ok().map(|c| ("drop a barrier", c.into_tree()))),
            Node::Mark(Mark::Threads(members), child) => {
                let Node::Band(band, _) = &**child else { continue };
                for other in (0..band.len()).filter(|member| !members.contains(member)) {
                    let mut members = members.clone();
                    members[0] = other;
                    let marked = Node::mark(Mark::Threads(members), (**child).clone());
                    all.push(("threads share another member", tree.replace(cursor.path(), marked).unwrap()));
                }
            }
            Node::Mark(Mark::Kernel(launch), child) => {
                let Node::Band(band, _) = &**child else { continue };
                for other in (0..band.len()).filter(|member| !launch.members.contains(member)) {
                    let mut launch = launch.clone();
                    if launch.members.is_empty() {
                        launch = Launch { grid: vec![3], block: launch.block, members: vec![other] };
                    } else {
                        launch.members[0] = other;
                    }
                    let marked = Node::mark(Mark::Kernel(launch), (**child).clone());
                    all.push(("blocks share another member", tree.replace(cursor.path(), marked).unwrap()));
                }
            }
            _ => {}
        }
    }
    all
}

/// What was found.
#[derive(Default, Debug)]
struct Counts {
    harmful: usize,
    harmless: usize,
    refused: usize,
}

fn random_program(random: &mut Random, number: u64) -> String {
    if number.is_multiple_of(2) {
        crate::random_scops::random_scop(random)
    } else {
        crate::placed::program(random, number % 4 == 1).text
    }
}

/// Random programs: what is mapped computes what the program computes, for all sizes; of all damage that makes a race or another
/// result the check finds all.
#[test]
fn random_programs_and_faults() {
    let (mut cases, mut kernels, mut with_barriers, mut private) = (0, 0, 0, 0);
    let mut reasons = BTreeMap::new();
    let mut counts: BTreeMap<&str, Counts> = BTreeMap::new();
    for number in 0..400 {
        let mut random = Random(number + 4000);
        let text = random_program(&mut random, number);
        let scop: Scop = text.parse().unwrap_or_else(|error| panic!("{error:#}\n{text}"));
        let machine = Machine::new(&scop);
        let sizes = sizes(&scop);
        let expected = machine.expected(&sizes);
        let mut order = Draft::new(&scop, &budget()).unwrap();
        if random.chance(30) {
            order = step(&order, "reschedule(fusion = max)").unwrap_or(order);
        }
        if random.chance(40) {
            order = with_private_scalars(&order).unwrap_or(order);
        }
        let mut drafts = Vec::new();
        let (draft, some) = mapped(&order, &mut random, &mut reasons);
        if some > 0 {
            drafts.push(draft);
            kernels += some;
        }
        match in_one_block(&order, &mut random) {
            Ok(draft) => drafts.push(draft),
            Err(TransformError::Relation(error)) => panic!("{error}\n{text}"),
            Err(error) => *reasons.entry(error.to_string()).or_default() += 1,
        }
        for draft in drafts {
            cases += 1;
            private += usize::from(!draft.placement().is_empty());
            with_barriers += usize::from(draft.tree().to_string().contains("barrier()"));
            let log = Script { steps: draft.log().to_vec() };
            let result = judged(&machine, &program(&draft), draft.placement(), &sizes, &expected, &mut random);
            result.unwrap_or_else(|what| panic!("{what}\n{text}\n{log}\n{}\n{}", draft.tree(), program(&draft)));
            for (name, tree) in damages(draft.tree()) {
                let broken = draft.with_tree(tree);
                let found = check(&broken, &budget()).unwrap();
                let harm = judged(&machine, &program(&broken), broken.placement(), &sizes, &expected, &mut random);
                let counts = counts.entry(name).or_default();
                match harm {
                    Ok(()) => {
                        counts.harmless += 1;
                        counts.refused += usize::from(found.is_some());
                    }
                    Err(what) => {
                        counts.harmful += 1;
                        assert!(found.is_some(), "{name} was not found: {what}\n{text}\n{log}\n{}", broken.tree());
                    }
                }
            }
        }
    }
    println!(
        "{cases} mapped orders executed, {kernels} kernels with blocks, {with_barriers} orders with barriers, {private} with buffers"
    );
    let refused = reasons.keys().filter(|reason| reason.contains("is refused")).count();
    println!(
        "{counts:#?}\n{} mappings do not apply, {refused} of them refused by the check",
        reasons.values().sum::<usize>()
    );
    assert!(cases > 300 && with_barriers > 20, "{cases} {with_barriers}");
    for name in ["drop a barrier", "threads share another member", "blocks share another member"] {
        assert!(counts[name].harmful > 5, "{name} did no harm");
    }
}

/// The condition of a filter replaced in the order of a thread.
fn with_filters(
    tree: &ScheduleTree,
    change: &dyn Fn(&Set) -> Set,
    names: &[tessera_polyhedral::space::Name],
) -> ScheduleTree {
    for (path, node) in tree.nodes() {
        let Node::Filter(instances, child) = node else { continue };
        let is_place = |set: &Set| names.iter().any(|name| set.space().param_index(name).is_some());
        if instances.iter().any(|(_, set)| is_place(set)) {
            let sets = instances.iter().map(|(_, set)| change(set));
            let filter = Node::filter(Instances::from_sets(sets).unwrap(), (**child).clone());
            return tree.replace(&path, filter).unwrap();
        }
    }
    tree.clone()
}

/// The product of the literature, whose first statement runs in the first iteration of `k`: also where `k` has no iterations.
#[test]
fn products_without_terms() {
    let text = r#"
scop: "product"
context: "[n, m] -> { : n >= 0 and m >= 0 }"
arrays:
- { array: "A", element: f64, storage: memory }
- { array: "B", element: f64, storage: memory }
- { array: "C", element: f64, storage: memory }
statements:
- statement: "Z"
  domain: "[n, m] -> { Z[i, j] : 0 <= i, j < n }"
  accesses:
  - { write: "{ Z[i, j] -> C[i, j] }" }
- statement: "S"
  domain: "[n, m] -> { S[i, j, k] : 0 <= i, j < n and 0 <= k < m }"
  accesses:
  - { read: "{ S[i, j, k] -> C[i, j] }" }
  - { read: "{ S[i, j, k] -> A[i, k] }" }
  - { read: "{ S[i, j, k] -> B[k, j] }" }
  - { write: "{ S[i, j, k] -> C[i, j] }" }
schedule:
  domain: "[n, m] -> { Z[i, j] : 0 <= i, j < n; S[i, j, k] : 0 <= i, j < n and 0 <= k < m }"
  child:
    schedule: "[{ Z[i, j] -> [(i)]; S[i, j, k] -> [(i)] }, { Z[i, j] -> [(j)]; S[i, j, k] -> [(j)] }, { Z[i, j] -> [(0)]; S[i, j, k] -> [(k)] }]"
    permutable: 1
    child:
      sequence:
      - filter: "{ Z[i, j] }"
      - filter: "{ S[i, j, k] }"
"#;
    let scop = &scops(text)[0];
    let original = Draft::new(scop, &budget()).unwrap();
    let machine = Machine::new(scop);
    let sizes: Vec<Params> = [0, 1, 3, 5].into_iter().flat_map(|n| [0, 1, 2, 5].map(|m| vec![n, m])).collect();
    let expected = machine.expected(&sizes);
    for (grid, block) in [("[1, 1]", "[1, 1]"), ("[2, 3]", "[2, 1]"), ("[7, 1]", "[3, 3]"), ("[2, 2]", "[7]")] {
        let draft =
            step(&original, &format!("map_to_device(S@0, tile = [2, 3, 2], grid = {grid}, block = {block})")).unwrap();
        let program = program(&draft);
        judged(&machine, &program, draft.placement(), &sizes, &expected, &mut Random(9))
            .unwrap_or_else(|what| panic!("{what}\n{program}"));
    }
}

/// Hexagonal tiles of sweeps in one and several statements, with neighbours at distances of their own on both sides, are kernels of blocks that share
/// tiles, with barriers between times; what is left out is found, where it is needed.
#[test]
fn hexagons_run_side_by_side() {
    let mut barriers = 0;
    for (left, right, height, rows) in [(1, 1, 4, 5), (1, 1, 8, 9), (2, 0, 4, 7), (0, 3, 2, 4), (1, 2, 6, 11)] {
        let text = format!(
            r#"scop: "sweeps"
context: "[n, m] -> {{ : n >= 1 and m >= 1 }}"
arrays:
- {{ array: "A", element: f64, storage: memory }}
- {{ array: "B", element: f64, storage: memory }}
statements:
- statement: "S"
  domain: "[n, m] -> {{ S[t, i] : 0 <= t < n and {left} <= i < m - {right} }}"
  accesses:
  - {{ read: "{{ S[t, i] -> A[i - {left}] }}" }}
  - {{ read: "{{ S[t, i] -> A[i + {right}] }}" }}
  - {{ write: "{{ S[t, i] -> B[i] }}" }}
- statement: "T"
  domain: "[n, m] -> {{ T[t, i] : 0 <= t < n and 0 <= i < m }}"
  accesses:
  - {{ read: "{{ T[t, i] -> B[i] }}" }}
  - {{ write: "{{ T[t, i] -> A[i] }}" }}
schedule:
  domain: "[n, m] -> {{ S[t, i] : 0 <= t < n and {left} <= i < m - {right}; T[t, i] : 0 <= t < n and 0 <= i < m }}"
  child:
    schedule: "[{{ S[t, i] -> [(t)]; T[t, i] -> [(t)] }}]"
    child:
      sequence:
      - filter: "{{ S[t, i] }}"
        child:
          schedule: "[{{ S[t, i] -> [(i)] }}]"
      - filter: "{{ T[t, i] }}"
        child:
          schedule: "[{{ T[t, i] -> [(i)] }}]"
"#
        );
        let scop = &scops(&text)[0];
        let original = Draft::new(scop, &budget()).unwrap();
        let machine = Machine::new(scop);
        let sizes: Vec<Params> = [1, 2, 3, 5].into_iter().flat_map(|n| [1, 4, 6, 19].map(|m| vec![n, m])).collect();
        let expected = machine.expected(&sizes);
        let draft = step(&original, &format!("hexagonal_tile(S@0, height = {height}, rows = {rows})")).unwrap();
        let sites = draft.kernel_sites(&budget()).unwrap();
        let sites: Vec<String> = sites.iter().map(ToString::to_string).collect();
        assert_eq!(sites, ["S@1", "S@1.1"], "{}", draft.tree());
        for (grid, block) in [(1, 3), (2, 8)] {
            let steps = sites.iter().map(|site| format!("map_to_device({site}, grid = [{grid}], block = [{block}])"));
            let draft = step(&draft, &steps.collect::<Vec<_>>().join(" ")).unwrap();
            let program = program(&draft);
            assert_eq!(program.kernels.len(), 2);
            judged(&machine, &program, draft.placement(), &sizes, &expected, &mut Random(9))
                .unwrap_or_else(|what| panic!("{what}\n{program}"));
            for cursor in draft.tree().cursors() {
                if matches!(cursor.node(), Node::Mark(Mark::Barrier, _)) {
                    let without = draft.with_tree(cursor.delete().unwrap().into_tree());
                    let is_needed = check(&without, &budget()).unwrap().is_some();
                    barriers += usize::from(is_needed);
                    if !is_needed {
                        // In tiles of two times there is one iteration.
                        let found = judged(
                            &machine,
                            &self::program(&without),
                            draft.placement(),
                            &sizes,
                            &expected,
                            &mut Random(9),
                        );
                        found.unwrap_or_else(|what| panic!("{what}\n{}", without.tree()));
                    }
                }
            }
        }
    }
    assert!(barriers >= 20, "{barriers}");
}

/// Wrong numbers of blocks and threads: instances that several threads run, or none.
#[test]
fn wrong_places_are_found() {
    let text = include_str!("optimise/passes/tile.case");
    let scop = &scops(text.split("== scop\n").nth(1).unwrap().split("== ").next().unwrap())[0];
    let original = Draft::new(scop, &budget()).unwrap();
    let draft = step(
        &original,
        "combine(S@0) combine(S@0) map_to_device(S@0, tile = [2, 2, 2], grid = [2, 3], block = [2, 2])",
    )
    .unwrap();
    let machine = Machine::new(scop);
    let sizes = sizes(scop);
    let expected = machine.expected(&sizes);
    let orders = ThreadOrder::all(draft.tree(), Some(&scop.context), &budget()).unwrap();
    let order = &orders[0];
    assert_eq!(check_threads(order, &budget()).unwrap(), None);
    let mut found = 0;
    for names in [&order.blocks, &order.threads] {
        let all = |set: &Set| Set::universe(set.space().clone());
        let first = |set: &Set| {
            names.iter().fold(set.clone(), |set, name| {
                let position = set.space().param_index(name).unwrap();
                set.fix(tessera_polyhedral::space::DimKind::Param, position, &0.into()).unwrap()
            })
        };
        let changes: [&dyn Fn(&Set) -> Set; 2] = [&all, &first];
        for change in changes {
            let mut broken = order.clone();
            broken.tree = with_filters(&order.tree, change, names);
            assert_ne!(broken.tree, order.tree);
            assert!(check_threads(&broken, &budget()).unwrap().is_some(), "{}", broken.tree);
            let mut program = program(&draft);
            let build = tessera_polyhedral::ast::AstBuild::new().with_context(broken.context.clone());
            program.kernels[0].unit = build.build(&broken.tree, &budget()).unwrap();
            assert!(
                judged(&machine, &program, draft.placement(), &sizes, &expected, &mut Random(5)).is_err(),
                "{program}"
            );
            found += 1;
        }
    }
    println!("{found} wrong places, all found by the check and by the device");
}
