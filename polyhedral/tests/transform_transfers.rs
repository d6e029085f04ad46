//! What is copied to a device and back: the cases of the literature, and random programs whose regions run on a memory of their own, filled
//! with garbage before.

use std::collections::BTreeMap;

use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{AstOptions, interpret};
use tessera_polyhedral::device::Program;
use tessera_polyhedral::relation::{UnionMap, UnionSet};
use tessera_polyhedral::schedule::{Launch, Mark, Path, ScheduleTree};
use tessera_polyhedral::scop::Scop;
use tessera_polyhedral::space::DimKind;
use tessera_polyhedral::transform::{Draft, Extent, Placement, Region, Transfers, check_transfers, live_in};

use crate::random_trees::Random;
use crate::support::budget;
use crate::support::machine::{Instance, Location, Machine, Memory, Outcome, Params, numbers, sizes, unknown};

const EXTENTS: [Extent; 4] = [Extent::Exact, Extent::Simple, Extent::Rectangles, Extent::Arrays];

fn set(text: &str) -> UnionSet {
    UnionSet::parse(text, &budget()).unwrap()
}

fn none() -> UnionSet {
    set("{ }")
}

fn scop(text: &str) -> Scop {
    text.parse().unwrap_or_else(|error| panic!("{error:#}\n{text}"))
}

/// The transfers of the subtree at a path, and that the check has nothing against them.
fn transfers(draft: &Draft<'_>, path: &Path, dead: &UnionSet, extent: Extent) -> (Region, Transfers) {
    let region = draft.region(path, &budget()).unwrap();
    let found = draft.transfers(&region, dead, extent, &budget()).unwrap();
    let defect = check_transfers(draft, &region, &found, dead, &budget()).unwrap();
    assert_eq!(defect, None, "{path:?} {extent:?}\nin  {}\nout {}\n{}", found.copy_in, found.copy_out, draft.tree());
    (region, found)
}

#[track_caller]
fn is(found: &UnionSet, expected: &str) {
    assert!(found.is_equal(&set(expected), &budget()).unwrap(), "{found}");
}

const CONDITIONAL: &str = r#"
scop: "conditional"
context: "[n] -> { : n >= 1 }"
arrays:
- { array: "A", element: f64, storage: memory }
- { array: "B", element: f64, storage: memory }
statements:
- statement: "S"
  domain: "[n] -> { S[i] : 0 <= i < n }"
  accesses:
  - { read: "{ S[i] -> B[i] }" }
  - { may-write: "{ S[i] -> A[i] }" }
schedule:
  domain: "[n] -> { S[i] : 0 <= i < n }"
  child:
    schedule: "[{ S[i] -> [(i)] }]"
"#;

/// Listing 10 of "Scheduling for PPCG": what is perhaps written has to be copied in, unless its old value is dead.
#[test]
fn conditional_writes() {
    let scop = scop(CONDITIONAL);
    let draft = Draft::new(&scop, &budget()).unwrap();
    for extent in EXTENTS {
        let (_, found) = transfers(&draft, &vec![0], &none(), extent);
        is(&found.copy_in, "[n] -> { A[i] : 0 <= i < n; B[i] : 0 <= i < n }");
        is(&found.copy_out, "[n] -> { A[i] : 0 <= i < n }");
        is(&found.may_persist, "[n] -> { A[i] : 0 <= i < n }");
        let (_, found) = transfers(&draft, &vec![0], &set("{ A[i] }"), extent);
        is(&found.copy_in, "[n] -> { B[i] : 0 <= i < n }");
        is(&found.copy_out, "[n] -> { A[i] : 0 <= i < n }");
        is(&found.may_persist, "{ }");
    }
}

const PRODUCT: &str = r#"
scop: "product"
context: "[n] -> { : n >= 1 }"
arrays:
- { array: "A", element: f64, storage: memory, sizes: [ "[n] -> { n }" ] }
- { array: "B", element: f64, storage: memory, sizes: [ "[n] -> { n }" ] }
- { array: "C", element: f64, storage: memory, sizes: [ "[n] -> { n }" ] }
- { array: "t", element: f64, storage: scalar }
statements:
- statement: "Z"
  domain: "[n] -> { Z[i, j] : 0 <= i, j < n }"
  accesses:
  - { write: "{ Z[i, j] -> C[i, j] }" }
- statement: "S"
  domain: "[n] -> { S[i, j, k] : 0 <= i, j < n and 0 <= k <= j }"
  accesses:
  - { read: "{ S[i, j, k] -> C[i, j] }" }
  - { read: "{ S[i, j, k] -> A[i, k] }" }
  - { read: "{ S[i, j, k] -> B[k, j] }" }
  - { write: "{ S[i, j, k] -> C[i, j] }" }
- statement: "T"
  domain: "[n] -> { T[i] : 0 <= i < n }"
  accesses:
  - { read: "{ T[i] -> C[i, 0] }" }
  - { write: "{ T[i] -> t[] }" }
schedule:
  domain: "[n] -> { Z[i, j] : 0 <= i, j < n; S[i, j, k] : 0 <= i, j < n and 0 <= k <= j; T[i] : 0 <= i < n }"
  child:
    sequence:
    - filter: "{ Z[i, j]; S[i, j, k] }"
      child:
        schedule: "[{ Z[i, j] -> [(i)]; S[i, j, k] -> [(i)] }]"
        child:
          schedule: "[{ Z[i, j] -> [(j)]; S[i, j, k] -> [(j)] }]"
          child:
            sequence:
            - filter: "{ Z[i, j] }"
            - filter: "{ S[i, j, k] }"
              child:
                schedule: "[{ S[i, j, k] -> [(k)] }]"
    - filter: "{ T[i] }"
      child:
        schedule: "[{ T[i] -> [(i)] }]"
"#;

/// What is written before it is read is not copied in; what nobody needs afterwards is not copied out; rectangles of a triangle are more.
#[test]
fn products() {
    let scop = scop(PRODUCT);
    let draft = Draft::new(&scop, &budget()).unwrap();
    let (_, found) = transfers(&draft, &vec![0, 0], &none(), Extent::Exact);
    is(&found.copy_in, "[n] -> { A[i, k] : 0 <= i, k < n; B[k, j] : 0 <= k <= j < n }");
    is(&found.copy_out, "[n] -> { C[i, j] : 0 <= i, j < n }");
    let (_, found) = transfers(&draft, &vec![0, 0], &none(), Extent::Rectangles);
    is(&found.copy_in, "[n] -> { A[i, k] : 0 <= i, k < n; B[k, j] : 0 <= k < n and 0 <= j < n }");
    // One row of the product at a time.
    let (region, found) = transfers(&draft, &vec![0, 0, 0, 0], &none(), Extent::Exact);
    assert_eq!(region.host, ["h0"]);
    is(&found.copy_in, "[n, h0] -> { A[h0, k] : 0 <= h0, k < n; B[k, j] : 0 <= k <= j < n and 0 <= h0 < n }");
    is(&found.copy_out, "[n, h0] -> { C[h0, j] : 0 <= h0, j < n }");
    // A scalar is dead at the end.
    let (_, found) = transfers(&draft, &vec![0, 1], &none(), Extent::Exact);
    is(&found.copy_in, "[n] -> { C[i, 0] : 0 <= i < n }");
    is(&found.copy_out, "{ }");
    assert!(found.may_persist.is_empty(&budget()).unwrap());
}

/// What a program reads before it has written it.
#[test]
fn live_in_of_arrays() {
    let product = scop(PRODUCT);
    is(&live_in(&product, "C", &budget()).unwrap(), "{ }");
    is(&live_in(&product, "A", &budget()).unwrap(), "[n] -> { A[i, k] : 0 <= i, k < n }");
    is(&live_in(&product, "D", &budget()).unwrap(), "{ }");
    // A write that may not happen writes nothing for certain.
    let text = CONDITIONAL.replace("{ read: \"{ S[i] -> B[i] }\" }", "{ read: \"{ S[i] -> A[i - 1] }\" }");
    is(&live_in(&scop(&text), "A", &budget()).unwrap(), "[n] -> { A[i] : -1 <= i < n - 1 }");
    let text = text.replace("may-write", "write");
    is(&live_in(&scop(&text), "A", &budget()).unwrap(), "[n] -> { A[-1] : n >= 1 }");
}

/// Garbage that no program computes.
fn garbage(location: &Location) -> u64 {
    unknown(location) ^ 0x5555_5555_5555_5555
}

/// The elements of a set for values of the parameters, by name.
fn elements(set: &UnionSet, value: &dyn Fn(&str) -> i64) -> Vec<Location> {
    let mut all = Vec::new();
    for member in set.members() {
        let names = member.space().param_names().to_vec();
        let fixed = names.iter().enumerate().fold(member.clone(), |set, (position, name)| {
            set.fix(DimKind::Param, position, &Int::from(value(name))).unwrap()
        });
        let array = member.space().range_tuple().name().unwrap().to_string();
        for point in fixed.points(&budget()).unwrap() {
            all.push((array.clone(), numbers(&point[names.len()..])));
        }
    }
    all
}

/// What the program computes if the region runs on a memory of its own, at every launch filled with garbage.
fn execute(machine: &Machine<'_>, program: &Program, region: &Region, moved: &Transfers, params: &Params) -> Outcome {
    let context = machine.scop().context.space();
    let known = |name: &str| context.param_index(name).map(|position| params[position]);
    let ints = |names: &[tessera_polyhedral::space::Name], value: &dyn Fn(&str) -> i64| -> Vec<Int> {
        names.iter().map(|name| Int::from(value(name))).collect()
    };
    let mut host = Memory::new();
    let mut executed = 0;
    let kernel = &program.kernels[0];
    for event in interpret(&program.host, &ints(&program.host.params, &|name| known(name).unwrap()), &budget()).unwrap()
    {
        let point = numbers(&event.point);
        if event.stmt != kernel.order.name {
            executed += 1;
            host = machine.execute_on(host, &[(event.stmt.to_string(), point)], params);
            continue;
        }
        let own = |names: &[String], name: &str| names.iter().position(|known| known == name).map(|k| point[k]);
        let at = |name: &str| known(name).or_else(|| own(&region.host, name)).unwrap();
        let names: Vec<String> = kernel.order.host.iter().map(ToString::to_string).collect();
        let values = ints(&kernel.unit.params, &|name| known(name).or_else(|| own(&names, name)).unwrap());
        let instances = interpret(&kernel.unit, &values, &budget()).unwrap();
        let instances: Vec<Instance> = instances.iter().map(|e| (e.stmt.to_string(), numbers(&e.point))).collect();
        executed += instances.len();
        let mut device = Memory::new();
        let placement = Placement::default();
        let touched = machine.touches(&placement, params);
        for (location, _) in instances.iter().flat_map(touched) {
            device.insert(location.clone(), garbage(&location));
        }
        for location in elements(&moved.copy_in, &at) {
            let value = host.get(&location).copied().unwrap_or_else(|| unknown(&location));
            device.insert(location, value);
        }
        device = machine.execute_on(device, &instances, params);
        for location in elements(&moved.copy_out, &at) {
            let value = device.get(&location).copied().unwrap_or_else(|| garbage(&location));
            host.insert(location, value);
        }
    }
    machine.outcome(host, executed)
}

/// The tree with one kernel of one thread at a path.
fn with_kernel(tree: &ScheduleTree, path: &Path) -> Option<ScheduleTree> {
    let launch = Launch { grid: Vec::new(), block: Vec::new(), members: Vec::new() };
    Some(tree.cursor_at(path)?.insert_mark(Mark::Kernel(launch)).ok()?.into_tree())
}

/// Sets with something missing: an element, or an array.
fn damaged(set: &UnionSet) -> Vec<UnionSet> {
    let mut all = Vec::new();
    for member in set.members() {
        let one = UnionSet::from_members([member.clone()]).unwrap();
        all.push(set.subtract(&one, &budget()).unwrap());
        let first = UnionSet::from_members([member.lexmin(&budget()).unwrap()]).unwrap();
        all.push(set.subtract(&first, &budget()).unwrap());
    }
    all
}

/// Subtrees of random programs on a memory of their own: with what is copied the program computes what it computes; of all copies whose
/// absence is felt the check misses all.
#[test]
fn random_regions_and_dropped_copies() {
    let (mut cases, mut harmful, mut harmless, mut refused) = (0, 0, 0, 0);
    let mut by_extent: BTreeMap<String, usize> = BTreeMap::new();
    for number in 0..150 {
        let mut random = Random(number + 9000);
        let text = if number.is_multiple_of(2) {
            crate::random_scops::random_scop(&mut random)
        } else {
            crate::placed::program(&mut random, number % 4 == 1).text
        };
        let scop = scop(&text);
        let machine = Machine::new(&scop);
        let sizes: Vec<Params> = sizes(&scop).into_iter().take(4).collect();
        let expected = machine.expected(&sizes);
        let draft = Draft::new(&scop, &budget()).unwrap();
        // Where nothing is needed afterwards but what it writes, no more than that is copied in for the whole program.
        let touched = |relation: UnionMap| relation.range(&budget()).unwrap();
        let all = scop.statements.iter().flat_map(|statement| &statement.accesses);
        let all = UnionMap::from_members(all.map(|access| access.relation.clone())).unwrap();
        let (_, whole) = transfers(&draft, &vec![0], &touched(all), Extent::Exact);
        let live = scop.arrays.iter().map(|array| live_in(&scop, &array.name, &budget()).unwrap());
        let live = live.reduce(|known, set| known.union(&set).unwrap()).unwrap();
        assert!(live.is_equal(&whole.copy_in, &budget()).unwrap(), "{live}\nand not {}\n{text}", whole.copy_in);
        let paths: Vec<Path> = draft.tree().nodes().into_iter().map(|(path, _)| path).collect();
        for _ in 0..2 {
            let path = random.pick(&paths).clone();
            let Some(tree) = with_kernel(draft.tree(), &path) else { continue };
            let program = Program::new(&tree, Some(&scop.context), &AstOptions::default(), &budget()).unwrap();
            let extent = *random.pick(&EXTENTS);
            let (region, moved) = transfers(&draft, &path, &none(), extent);
            let run = |moved: &Transfers| -> Vec<Outcome> {
                sizes.iter().map(|params| execute(&machine, &program, &region, moved, params)).collect()
            };
            assert!(
                run(&moved) == expected,
                "{path:?} {extent:?}\nin  {}\nout {}\n{text}\n{tree}",
                moved.copy_in,
                moved.copy_out
            );
            cases += 1;
            *by_extent.entry(format!("{extent:?}")).or_default() += 1;
            let less_in = damaged(&moved.copy_in).into_iter().map(|copy_in| Transfers { copy_in, ..moved.clone() });
            let less_out = damaged(&moved.copy_out).into_iter().map(|copy_out| Transfers { copy_out, ..moved.clone() });
            for broken in less_in.chain(less_out) {
                let found = check_transfers(&draft, &region, &broken, &none(), &budget()).unwrap();
                if run(&broken) == expected {
                    harmless += 1;
                    refused += usize::from(found.is_some());
                } else {
                    harmful += 1;
                    assert!(found.is_some(), "{path:?}\nin  {}\nout {}\n{text}", broken.copy_in, broken.copy_out);
                }
            }
        }
    }
    println!("{cases} regions {by_extent:?}");
    println!("{harmful} missing copies did harm, all found; {harmless} did none, {refused} of them refused");
    assert!(cases > 150 && harmful > 150, "{cases} {harmful}");
}
