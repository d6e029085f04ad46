//! Strategies on random SCoPs, whose new order is executed and compared with the program. (What is decided for kernels and
//! small programs is in `tests/optimise`.)

use std::sync::Arc;

use tessera_polyhedral::schedule::ScheduleTree;
use tessera_polyhedral::scop::Scop;
use tessera_polyhedral::strategy::{self, SearchOptions, Source};
use tessera_polyhedral::target::Target;
use tessera_polyhedral::transform::Placement;

use crate::random_scops::random_scop;
use crate::random_trees::Random;
use crate::support::budget;
use crate::support::case_file::{CaseFile, folder};
use crate::support::machine::Machine;

/// Whether a tree computes what the program computes, for some values of `n`.
fn keeps_values(scop: &Scop, tree: &ScheduleTree, sizes: &[i64]) -> bool {
    let (machine, sizes) = (Machine::new(scop), sizes.iter().map(|n| vec![*n]).collect::<Vec<_>>());
    machine.outcomes(tree, &Placement::default(), &sizes) == machine.expected(&sizes)
}

/// Whatever the strategy finds computes what the program computes, also where it takes every step that it can.
#[test]
fn random_scops_keep_their_values() {
    let (mut changed, mut tiled, mut skewed, mut distributed, mut reordered, mut cut) = (0, 0, 0, 0, 0, 0);
    for seed in 0..400 {
        let mut random = Random(seed);
        let text = random_scop(&mut random);
        let scop: Scop = text.parse().unwrap_or_else(|error| panic!("seed {seed}: {error:#}\n{text}"));
        let options = SearchOptions {
            tiles: vec![2, 3],
            unprofitable: true,
            tiling: random.chance(70),
            interchange: random.chance(70),
            ..SearchOptions::default()
        };
        let dependences = Arc::new(scop.dependences(&budget()).unwrap());
        let Some(plan) = strategy::plan(&scop, &dependences, &[], &options, &budget()).unwrap() else { continue };
        changed += usize::from(!plan.draft.log().is_empty());
        tiled += usize::from(plan.applied.iter().any(|nest| !nest.tiles.is_empty() && nest.skews.is_empty()));
        skewed += usize::from(plan.applied.iter().any(|nest| nest.skews.iter().any(|skew| *skew != 0)));
        distributed += usize::from(plan.applied.iter().any(|nest| nest.distributed));
        reordered += usize::from(plan.applied.iter().any(|nest| !nest.reordered.is_empty()));
        cut += usize::from(plan.applied.iter().any(|nest| nest.cut));
        let tree = strategy::with_free_loops(plan.draft.tree(), &scop, &dependences, &budget()).unwrap();
        assert!(keeps_values(&scop, &tree, &[1, 3, 4, 7]), "seed {seed}\n{text}\n{tree}");
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
        let text = random_scop(&mut random);
        let scop: Scop = text.parse().unwrap_or_else(|error| panic!("seed {seed}: {error:#}\n{text}"));
        let strategy = "permute() tile() register_tile(factors = [2, 4]) distribute() descend()".parse().unwrap();
        let options = SearchOptions {
            strategy: Arc::new(strategy),
            tiles: vec![4, 2],
            unprofitable: true,
            full_tiles: false,
            tiling: random.chance(50),
            interchange: random.chance(70),
            ..SearchOptions::default()
        };
        let dependences = Arc::new(scop.dependences(&budget()).unwrap());
        let Some(plan) = strategy::plan(&scop, &dependences, &[], &options, &budget()).unwrap() else { continue };
        taken += usize::from(plan.applied.iter().any(|nest| !nest.register_tile.is_empty()));
        let tree = strategy::with_free_loops(plan.draft.tree(), &scop, &dependences, &budget()).unwrap();
        assert!(keeps_values(&scop, &tree, &[1, 3, 4, 7, 9]), "seed {seed}\n{text}\n{tree}");
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
        let text = random_scop(&mut random);
        let scop: Scop = text.parse().unwrap_or_else(|error| panic!("seed {seed}: {error:#}\n{text}"));
        let dependences = Arc::new(scop.dependences(&budget()).unwrap());
        for (k, (name, sizes)) in expected.into_iter().enumerate() {
            let target = Target::builtin(name).unwrap().unwrap();
            let strategy = source.on(Some(&target)).unwrap();
            let options = SearchOptions { strategy, unprofitable: true, ..SearchOptions::default() };
            let Some(plan) = strategy::plan(&scop, &dependences, &[], &options, &budget()).unwrap() else { continue };
            let found: Vec<i64> = plan.applied.iter().flat_map(|nest| nest.tiles.clone()).collect();
            assert!(found.iter().all(|size| sizes.contains(size)), "seed {seed} on {name}: {found:?}");
            tiled[k] += usize::from(!found.is_empty());
            distributed[k] += usize::from(plan.applied.iter().any(|nest| nest.distributed));
            let tree = strategy::with_free_loops(plan.draft.tree(), &scop, &dependences, &budget()).unwrap();
            assert!(keeps_values(&scop, &tree, &[1, 3, 4, 7]), "seed {seed} on {name}\n{text}\n{tree}");
        }
    }
    println!("{tiled:?} tiled, {distributed:?} distributed");
    assert!(
        tiled.iter().all(|count| *count > 50) && distributed[0] > 5 && distributed[1] == 0,
        "{tiled:?} {distributed:?}"
    );
}

/// The flags of compilers, where iterations of two loops run side by side in the third: it becomes vectors.
#[test]
fn loops_around_register_tiles_are_free() {
    let file = CaseFile::read(&folder().join("kernels/gemm.case"));
    // The nest behind those that clear `C` where there is nothing to add up.
    let scop = &Scop::parse_all(&file.runs[0].scop, &budget()).unwrap()[1];
    let dependences = Arc::new(scop.dependences(&budget()).unwrap());
    for (vector_registers, expected) in [(32, vec![4, 4, 1]), (16, vec![2, 4, 1])] {
        let options = SearchOptions { full_tiles: false, vector_registers, ..SearchOptions::default() };
        let plan = strategy::plan(scop, &dependences, &[], &options, &budget()).unwrap().unwrap();
        let found: Vec<i64> = plan.applied.iter().flat_map(|nest| nest.register_tile.clone()).collect();
        assert_eq!(found, expected, "{vector_registers} registers");
        let tree = strategy::with_free_loops(plan.draft.tree(), scop, &dependences, &budget()).unwrap().to_string();
        let body: Vec<&str> = tree.lines().skip_while(|line| !line.contains("[floor((i2)/4)]")).collect();
        assert!(body[2].contains("[i1]") && body[3].contains("coincident [1]"), "{tree}");
    }
}

/// A product of matrices with its terms around its columns, computed with these operations.
fn product(operations: &str) -> Scop {
    let scop = format!(
        r#"---
scop: "product"
context: "[n] -> {{ [] : n >= 1 }}"
arrays:
- {{ array: "A", element: f64, unit: 8, storage: memory, sizes: [ "[n] -> {{ n }}" ] }}
- {{ array: "B", element: f64, unit: 8, storage: memory, sizes: [ "[n] -> {{ n }}" ] }}
- {{ array: "C", element: f64, unit: 8, storage: memory, sizes: [ "[n] -> {{ n }}" ] }}
statements:
- statement: "S"
  domain: "[n] -> {{ S[i0, i1, i2] : 0 <= i0 < n and 0 <= i1 < n and 0 <= i2 < n }}"
  accesses:
  - {{ read: "[n] -> {{ S[i0, i1, i2] -> C[a0 = i0, a1 = i2] }}" }}
  - {{ read: "[n] -> {{ S[i0, i1, i2] -> A[a0 = i0, a1 = i1] }}" }}
  - {{ read: "[n] -> {{ S[i0, i1, i2] -> B[a0 = i1, a1 = i2] }}" }}
  - {{ write: "[n] -> {{ S[i0, i1, i2] -> C[a0 = i0, a1 = i2] }}" }}
  operations: [ {operations} ]
schedule:
  domain: "[n] -> {{ S[i0, i1, i2] : 0 <= i0 < n and 0 <= i1 < n and 0 <= i2 < n }}"
  child:
    schedule: "[n] -> [{{ S[i0, i1, i2] -> [(i0)] }}]"
    child:
      schedule: "[n] -> [{{ S[i0, i1, i2] -> [(i1)] }}]"
      child:
        schedule: "[n] -> [{{ S[i0, i1, i2] -> [(i2)] }}]"
"#
    );
    scop.parse::<Scop>().unwrap()
}

/// Sums of one product each stay in registers where multiplications and additions are separate and there are many wide registers.
#[test]
fn sums_stay_in_wide_registers() {
    let two = r#""mul f64", "add f64""#;
    for (operations, vector_bits, expected) in [
        (two, 512, vec![6, 1, 32]),
        (two, 256, vec![4, 4, 1]),
        (r#""fma f64""#, 512, vec![4, 4, 1]),
        (r#""mul f64 times 2", "add f64""#, 512, vec![4, 4, 1]),
    ] {
        let scop = product(operations);
        let dependences = Arc::new(scop.dependences(&budget()).unwrap());
        let options = SearchOptions {
            full_tiles: false,
            packing: false,
            vector_registers: 32,
            vector_bits,
            fma: true,
            ..SearchOptions::default()
        };
        let plan = strategy::plan(&scop, &dependences, &[], &options, &budget()).unwrap().unwrap();
        let found: Vec<i64> = plan.applied.iter().flat_map(|nest| nest.register_tile.clone()).collect();
        assert_eq!(found, expected, "{operations}, {vector_bits} bits");
        let tree = strategy::with_free_loops(plan.draft.tree(), &scop, &dependences, &budget()).unwrap();
        // Rows and columns that are left over, whole strips, strips of one vector.
        assert!(keeps_values(&scop, &tree, &[1, 5, 12, 33, 47]), "{tree}");
    }
}

/// Where sums stay in registers, what is copied lies in panels as wide as their strips, and tiles are larger.
#[test]
fn sums_read_panels() {
    let scop = product(r#""mul f64", "add f64""#);
    let dependences = Arc::new(scop.dependences(&budget()).unwrap());
    for (vector_bits, panel, tiles) in [(512, Some(32), [126, 384, 256]), (256, None, [128, 192, 256])] {
        let options =
            SearchOptions { full_tiles: false, vector_registers: 32, vector_bits, ..SearchOptions::default() };
        let plan = strategy::plan(&scop, &dependences, &[], &options, &budget()).unwrap().unwrap();
        let panels: Vec<_> = plan.draft.placement().buffers.iter().map(|buffer| buffer.panel).collect();
        assert_eq!(panels, [panel]);
        assert_eq!(plan.applied[0].tiles, tiles);
    }
}

/// Orders of the scheduler, whatever they are estimated at, compute what the program computes.
#[test]
fn random_scops_in_orders_of_the_scheduler() {
    let target = Target::builtin("avx512").unwrap().unwrap();
    let (mut changed, mut tiled) = (0, 0);
    for seed in 1000..1300 {
        let mut random = Random(seed);
        let text = random_scop(&mut random);
        let scop: Scop = text.parse().unwrap_or_else(|error| panic!("seed {seed}: {error:#}\n{text}"));
        let strategy = Arc::new("tile() permute() schedule()".parse().unwrap());
        let tiling = random.chance(70);
        let options =
            SearchOptions { strategy, tiles: vec![2, 3], unprofitable: true, tiling, ..SearchOptions::default() };
        let dependences = Arc::new(scop.dependences(&budget()).unwrap());
        let Some(plan) = strategy::compared(&scop, &dependences, &options, &target, &budget()).unwrap() else {
            continue;
        };
        changed += 1;
        tiled += usize::from(plan.draft.log().iter().any(|step| step.pass == "tile"));
        let tree = strategy::with_free_loops(plan.draft.tree(), &scop, &dependences, &budget()).unwrap();
        assert!(keeps_values(&scop, &tree, &[1, 3, 4, 7]), "seed {seed}\n{text}\n{tree}");
    }
    println!("{changed} changed, {tiled} tiled");
    assert!(changed > 100 && tiled > 20, "{changed} {tiled}");
}
