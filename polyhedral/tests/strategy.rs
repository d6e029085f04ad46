//! The built-in strategy on SCoPs as text: logs and trees for the thirty kernels, as the plugin prints them; replayed
//! logs; and random SCoPs, whose new order is executed and compared with the program.

use std::path::Path;
use std::sync::Arc;

use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::scop::Scop;
use tessera_polyhedral::strategy::{self, Source, Wishes, expandable};
use tessera_polyhedral::target::Target;
use tessera_polyhedral::transform::{Draft, Script, check};

mod random_scops;
mod random_trees;
use random_scops::{case, execute};
use random_trees::Random;

fn budget() -> Budget {
    Budget::new(2_000_000_000)
}

/// The log and the tree that the strategy finds for a SCoP; the log gives the same tree again.
fn found(scop: &Scop, wishes: &Wishes) -> String {
    let dependences = Arc::new(scop.dependences(&budget()).unwrap());
    let Some(plan) = strategy::plan(scop, &dependences, &[], wishes, &budget()).unwrap() else {
        return "nothing that passes the check".to_owned();
    };
    assert_eq!(check(&plan.draft, &budget()).unwrap(), None);
    let log = Script { steps: plan.draft.log().to_vec() };
    let text: Script = log.to_string().parse().unwrap();
    let replayed = Draft::new(scop, &budget()).unwrap().run(&text, &budget()).unwrap();
    assert_eq!(replayed.needs(), plan.draft.needs());
    let flagged = replayed.tree();
    // Flags are those that dependences allow; the rest is the same.
    let plain = strategy::with_free_loops(plan.draft.tree(), scop, &dependences, &budget()).unwrap();
    let again = strategy::with_free_loops(flagged, scop, &dependences, &budget()).unwrap();
    assert_eq!(plain, again, "{text}");
    let tree = flagged.to_string().lines().skip(1).collect::<Vec<_>>().join("\n");
    if log.steps.is_empty() { "the order of the program".to_owned() } else { format!("{log}{tree}") }
}

#[test]
fn thirty_kernels() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/strategy");
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "scop"));
    files.sort();
    assert_eq!(files.len(), 30);
    for path in files {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut out = String::new();
        for scop in Scop::parse_all(&text, &budget()).unwrap_or_else(|error| panic!("{name}: {error:#}")) {
            let copies = expandable(&scop, &Wishes::default(), &budget()).unwrap();
            let scalars = copies.iter().flat_map(|nest| &nest.scalars).map(|array| scop.arrays[*array].name.as_str());
            let scalars: Vec<&str> = scalars.collect();
            if !scalars.is_empty() {
                out += &format!("copies would help: {}\n", scalars.join(", "));
            }
            out += &format!("{}\n\n", found(&scop, &Wishes::default()));
        }
        insta::assert_snapshot!(name, out);
    }
}

/// Whatever the strategy finds computes what the program computes, also where it takes every step that it can.
#[test]
fn random_scops_keep_their_values() {
    let (mut changed, mut tiled, mut skewed, mut distributed, mut reordered, mut cut) = (0, 0, 0, 0, 0, 0);
    for seed in 0..400 {
        let mut random = Random(seed);
        let case = case(&mut random);
        let scop: Scop = case.text.parse().unwrap_or_else(|error| panic!("seed {seed}: {error:#}\n{}", case.text));
        let wishes = Wishes {
            tiles: vec![2, 3],
            unprofitable: true,
            tiling: random.chance(70),
            interchange: random.chance(70),
            ..Wishes::default()
        };
        let dependences = Arc::new(scop.dependences(&budget()).unwrap());
        let Some(plan) = strategy::plan(&scop, &dependences, &[], &wishes, &budget()).unwrap() else { continue };
        changed += usize::from(!plan.draft.log().is_empty());
        tiled += usize::from(plan.applied.iter().any(|nest| !nest.tiles.is_empty() && nest.skews.is_empty()));
        skewed += usize::from(plan.applied.iter().any(|nest| nest.skews.iter().any(|skew| *skew != 0)));
        distributed += usize::from(plan.applied.iter().any(|nest| nest.distributed));
        reordered += usize::from(plan.applied.iter().any(|nest| !nest.reordered.is_empty()));
        cut += usize::from(plan.applied.iter().any(|nest| nest.cut));
        let tree = strategy::with_free_loops(plan.draft.tree(), &scop, &dependences, &budget()).unwrap();
        for n in [1, 3, 4, 7] {
            let (expected, found) = (execute(&case, &scop, &scop.schedule, n), execute(&case, &scop, &tree, n));
            assert!(expected == found, "seed {seed}, n = {n}\n{}\n{tree}", case.text);
        }
    }
    println!(
        "{changed} changed: {tiled} tiled, {skewed} skewed, {distributed} distributed, {reordered} live ranges, {cut} cut"
    );
    assert!(changed > 200 && tiled > 80 && skewed > 10 && distributed > 15, "{changed} {tiled} {skewed} {distributed}");
    assert!(cut > 10, "{cut}");
}

/// Register tiles, whether they pay or not, compute what the program computes: along one loop, as these nests have two.
#[test]
fn random_scops_in_register_tiles() {
    let mut taken = 0;
    for seed in 2000..2400 {
        let mut random = Random(seed);
        let case = case(&mut random);
        let scop: Scop = case.text.parse().unwrap_or_else(|error| panic!("seed {seed}: {error:#}\n{}", case.text));
        let strategy = "permute() tile() register_tile(factors = [2, 4]) distribute() descend()".parse().unwrap();
        let wishes = Wishes {
            strategy: Arc::new(strategy),
            tiles: vec![4, 2],
            unprofitable: true,
            full_tiles: false,
            tiling: random.chance(50),
            interchange: random.chance(70),
            ..Wishes::default()
        };
        let dependences = Arc::new(scop.dependences(&budget()).unwrap());
        let Some(plan) = strategy::plan(&scop, &dependences, &[], &wishes, &budget()).unwrap() else { continue };
        taken += usize::from(plan.applied.iter().any(|nest| !nest.register_tile.is_empty()));
        let tree = strategy::with_free_loops(plan.draft.tree(), &scop, &dependences, &budget()).unwrap();
        for n in [1, 3, 4, 7, 9] {
            let (expected, found) = (execute(&case, &scop, &scop.schedule, n), execute(&case, &scop, &tree, n));
            assert!(expected == found, "seed {seed}, n = {n}\n{}\n{tree}", case.text);
        }
    }
    println!("{taken} with register tiles");
    assert!(taken > 100, "{taken}");
}

/// One text is another strategy on every machine: other tiles, other steps, the same values.
#[test]
fn one_text_for_two_machines() {
    let text = "# Tiles as long as the registers, or as many as there are of them.
        permute()
        when registers >= 32 { tile(sizes = [vector / 16, registers / 16], across = vector / 16, lines = 1); distribute() }
        else { tile(sizes = [max(3, vector / 64)], across = min(l1, 3), lines = 1) }
        descend()";
    let source = Source::parse(text).unwrap();
    let expected: [(&str, &[i64]); 2] = [("avx512", &[2, 4]), ("avx2", &[3])];
    let (mut tiled, mut distributed) = ([0, 0], [0, 0]);
    for seed in 4000..4300 {
        let mut random = Random(seed);
        let case = case(&mut random);
        let scop: Scop = case.text.parse().unwrap_or_else(|error| panic!("seed {seed}: {error:#}\n{}", case.text));
        let dependences = Arc::new(scop.dependences(&budget()).unwrap());
        for (k, (name, sizes)) in expected.into_iter().enumerate() {
            let target = Target::builtin(name).unwrap().unwrap();
            let strategy = Arc::new(source.on(Some(&target)).unwrap());
            let wishes = Wishes { strategy, unprofitable: true, ..Wishes::default() };
            let Some(plan) = strategy::plan(&scop, &dependences, &[], &wishes, &budget()).unwrap() else { continue };
            let found: Vec<i64> = plan.applied.iter().flat_map(|nest| nest.tiles.clone()).collect();
            assert!(found.iter().all(|size| sizes.contains(size)), "seed {seed} on {name}: {found:?}");
            tiled[k] += usize::from(!found.is_empty());
            distributed[k] += usize::from(plan.applied.iter().any(|nest| nest.distributed));
            let tree = strategy::with_free_loops(plan.draft.tree(), &scop, &dependences, &budget()).unwrap();
            for n in [1, 3, 4, 7] {
                let (expected, found) = (execute(&case, &scop, &scop.schedule, n), execute(&case, &scop, &tree, n));
                assert!(expected == found, "seed {seed} on {name}, n = {n}\n{}\n{tree}", case.text);
            }
        }
    }
    println!("{tiled:?} tiled, {distributed:?} distributed");
    assert!(
        tiled.iter().all(|count| *count > 50) && distributed[0] > 5 && distributed[1] == 0,
        "{tiled:?} {distributed:?}"
    );
}

/// The least traffic that the registers allow, in the steps that the log shows, and the loop of vectors is marked as independent.
#[test]
fn a_product_gets_the_register_tile_that_its_registers_allow() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/strategy/gemm.scop");
    // The nest behind those that clear `C` where there is nothing to add up.
    let scop = &Scop::parse_all(&std::fs::read_to_string(path).unwrap(), &budget()).unwrap()[1];
    let dependences = Arc::new(scop.dependences(&budget()).unwrap());
    for (vector_registers, expected) in [(32, vec![4, 4, 1]), (16, vec![2, 4, 1]), (4, vec![])] {
        let wishes = Wishes { full_tiles: false, vector_registers, ..Wishes::default() };
        let plan = strategy::plan(scop, &dependences, &[], &wishes, &budget()).unwrap().unwrap();
        let found: Vec<i64> = plan.applied.iter().flat_map(|nest| nest.register_tile.clone()).collect();
        assert_eq!(found, expected, "{vector_registers} registers");
        let tree = strategy::with_free_loops(plan.draft.tree(), scop, &dependences, &budget()).unwrap();
        let jams = plan.draft.log().iter().filter(|step| step.pass == "jam").count();
        assert_eq!(jams, expected.iter().filter(|factor| **factor > 1).count());
        let text = tree.to_string();
        if !expected.is_empty() {
            let body = text.lines().skip_while(|line| !line.contains("[floor((i2)/4)]")).collect::<Vec<_>>();
            assert!(body[2].contains("[i1]") && body[3].contains("coincident [1]"), "{text}");
        }
    }
}

/// Orders of the scheduler, whatever they are estimated at, compute what the program computes.
#[test]
fn random_scops_in_orders_of_the_scheduler() {
    let target = Target::builtin("avx512").unwrap().unwrap();
    let (mut changed, mut tiled) = (0, 0);
    for seed in 1000..1300 {
        let mut random = Random(seed);
        let case = case(&mut random);
        let scop: Scop = case.text.parse().unwrap_or_else(|error| panic!("seed {seed}: {error:#}\n{}", case.text));
        let strategy = Arc::new("tile() permute() schedule()".parse().unwrap());
        let tiling = random.chance(70);
        let wishes = Wishes { strategy, tiles: vec![2, 3], unprofitable: true, tiling, ..Wishes::default() };
        let dependences = Arc::new(scop.dependences(&budget()).unwrap());
        let Some(plan) = strategy::compared(&scop, &dependences, &wishes, &target, &budget()).unwrap() else {
            continue;
        };
        changed += 1;
        tiled += usize::from(plan.draft.log().iter().any(|step| step.pass == "tile"));
        let tree = strategy::with_free_loops(plan.draft.tree(), &scop, &dependences, &budget()).unwrap();
        for n in [1, 3, 4, 7] {
            let (expected, found) = (execute(&case, &scop, &scop.schedule, n), execute(&case, &scop, &tree, n));
            assert!(expected == found, "seed {seed}, n = {n}\n{}\n{tree}", case.text);
        }
    }
    println!("{changed} changed, {tiled} tiled");
    assert!(changed > 100 && tiled > 20, "{changed} {tiled}");
}

/// Nests whose own loops nothing can be done with: the scheduler's order is taken where it is estimated to be much faster, and only there.
#[test]
fn the_scheduler_is_asked_where_nothing_else_is_found() {
    let target = Target::builtin("avx512").unwrap().unwrap();
    for (name, is_rescheduled) in [("seidel_2d", true), ("cholesky", true), ("trisolv", true), ("durbin", false)] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/strategy").join(format!("{name}.scop"));
        let scop: Scop = std::fs::read_to_string(path).unwrap().parse().unwrap();
        let dependences = Arc::new(scop.dependences(&budget()).unwrap());
        let wishes = Wishes::default();
        let found = strategy::plan(&scop, &dependences, &[], &wishes, &budget()).unwrap().unwrap();
        assert!(found.applied.is_empty(), "{name}");
        let asked = Arc::new("tile() permute() schedule()".parse().unwrap());
        let wishes = Wishes { strategy: asked, ..Wishes::default() };
        let found = strategy::compared(&scop, &dependences, &wishes, &target, &budget()).unwrap();
        assert_eq!(found.is_some(), is_rescheduled, "{name}");
        let Some(plan) = found else { continue };
        // The log leads to the same order, and the guard asks for enough iterations.
        let log = Script { steps: plan.draft.log().to_vec() };
        let replayed = Draft::new(&scop, &budget()).unwrap().run(&log, &budget()).unwrap();
        assert_eq!(replayed.tree(), plan.draft.tree(), "{log}");
        assert_eq!(plan.draft.needs().len(), 1);
        let without: Wishes = Wishes { strategy: Arc::new("descend()".parse().unwrap()), ..Wishes::default() };
        assert!(strategy::compared(&scop, &dependences, &without, &target, &budget()).unwrap().is_none());
    }
}
