//! The option sets that random loop nests are tried under: everything legal at several tile sizes, each transformation switched off in
//! turn, the strategies of `tests/strategies`, and kernels for a device, which then run in the emulator.

use super::tree::Case;
use super::{BackEnd, Kind};
use crate::plugin::strategy;

/// So many seeds in a row share a file and its options; more in Rust, where linking takes longer.
const fn block_size(back_end: BackEnd) -> u64 {
    match back_end {
        BackEnd::C => 16,
        BackEnd::Rust => 32,
    }
}

/// Tile sizes: around what the sizes of the calls are, and different ones for different loops.
const TILES: [&str; 7] = ["1", "2", "3", "7", "32", "8x4x16", "auto"];

/// What else is tried, alone or on top of everything legal. Their number has no divisor in common with that of the tile sizes, so that each meets
/// all of them.
const OTHERS: [(&str, bool); 47] = [
    ("min-work=0;min-bytes=0", false),
    // Small blocks of what gains by them.
    ("min-work=0;tile=4", false),
    ("min-work=0;tile=8", false),
    ("min-work=0;tile=16", false),
    ("min-work=0;tile=5;packing=off", false),
    ("min-work=0;tiling=off", false),
    ("min-work=0;interchange=off;distribution=off", false),
    ("strategy=scheduler", true),
    ("strategy=fused", true),
    ("strategy=side_by_side", true),
    ("strategy=either", true),
    ("simplify=off", true),
    ("reorder=off", true),
    ("interchange=off", true),
    ("tiling=off", true),
    ("distribution=off", true),
    ("copies=off", true),
    ("time-tiling=off", true),
    ("live-ranges=off", true),
    ("hints=off", true),
    ("outline=off", true),
    ("outline=off", false),
    ("original=off", true),
    ("original=off", false),
    ("jam=off", true),
    ("split=off", true),
    ("packing=off", true),
    ("min-work=0;interchange=off;tiling=off;time-tiling=off;distribution=off", false),
    ("interchange=off;tiling=off", true),
    ("simplify=off;copies=off", true),
    ("simplify=off;reorder=off", true),
    ("distribution=off;tiling=off", true),
    ("distribution=off;live-ranges=off", true),
    ("budget=300000", true),
    ("min-work=300", true),
    ("verify=off", true),
    ("position=early", true),
    ("full-tiles", true),
    ("target=avx2", true),
    ("target=avx512", false),
    ("", false),
    ("unprofitable", false),
    ("gpu=force", false),
    ("gpu=force", true),
    ("gpu=force;simplify=off", true),
    ("gpu=force;reorder=off", true),
    ("gpu=force;min-work=0;gpu-parts=5", false),
];

/// What is tried where all programs are for a device, alone or on top of everything legal.
const DEVICE: [(&str, bool); 15] = [
    ("gpu=force", false),
    ("gpu=force", true),
    ("gpu=force", false),
    ("gpu=force;simplify=off", true),
    ("gpu=force;min-work=0", false),
    ("gpu=force;reorder=off", true),
    ("gpu=force;gpu=sm_90", false),
    ("gpu=force;hints=off", false),
    ("gpu=force;live-ranges=off;copies=off", true),
    ("gpu=force;outline=off;original=off", true),
    ("gpu=force;position=early", false),
    ("gpu=force;gpu-parts=7", false),
    ("gpu=force;gpu-parts=2", true),
    ("gpu=force;gpu-rows=1", false),
    ("gpu=force;gpu-rows=1;min-work=0", true),
];

/// What is tried where all programs are products, alone or on top of everything legal.
const PRODUCTS: [(&str, bool); 29] = [
    ("min-work=0;tile=4", false),
    ("min-work=0;tile=8", false),
    ("min-work=0;tile=16", false),
    ("min-work=0;tile=5", false),
    ("min-work=0;tile=3", false),
    ("min-work=0;tile=4;target=avx2", false),
    ("min-work=0;tile=8;target=generic", false),
    ("min-work=0;tile=16;target=avx512", false),
    ("min-work=0;tile=4;live-ranges=off", false),
    ("min-work=0;tile=8;simplify=off", false),
    ("min-work=0;tile=8;split=off", false),
    ("min-work=0;tile=4;jam=off", false),
    ("min-work=0;tile=8;packing=off", false),
    ("min-work=0;tile=16;outline=off", false),
    ("min-work=0;tile=7;original=off", false),
    ("min-work=0;tile=4;position=early", false),
    ("min-work=0;tile=8;hints=off", false),
    ("min-work=0", false),
    ("min-work=300;tile=8", false),
    ("unprofitable", false),
    ("strategy=scheduler", true),
    ("strategy=either", true),
    ("strategy=rows;min-work=20", false),
    ("strategy=rows;min-work=1;unprofitable", false),
    ("strategy=rows;min-work=40;target=avx2", false),
    ("strategy=rows;min-work=20;copies=off", false),
    ("strategy=rows;min-work=0", false),
    ("strategy=rows;min-work=10;target=generic", false),
    ("", true),
];

/// Everything legal, whatever its profit and size, at the tile size of a block.
fn everything(block: u64) -> String {
    let tile = TILES[(block % TILES.len() as u64) as usize];
    format!("unprofitable;min-work=0;tile={tile}")
}

/// The number of the block of a seed.
pub fn block(seed: u64, back_end: BackEnd) -> u64 {
    seed / block_size(back_end)
}

/// What the kernels of a block in C are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Machine {
    /// The processor that the tests run on.
    Here,
    /// Addresses of 32 bits.
    I386,
    /// Some arrays are in an address space with other numbers for the same memory.
    Spaces,
    /// A call with nothing to do, before every other one, gets arrays and sizes that are undefined; the memory sanitizer looks at what
    /// is done with them.
    Undefined,
}

/// That of the block of a case. There are no devices beside the machines that are not this one.
pub(super) fn machine(case: &Case) -> Machine {
    match block(case.seed, BackEnd::C) % 8 {
        _ if case.for_device => Machine::Here,
        5 => Machine::Spaces,
        3 => Machine::I386,
        7 => Machine::Undefined,
        _ => Machine::Here,
    }
}

/// The seeds from `first` on, block by block.
pub fn blocks(first: u64, count: u64, back_end: BackEnd) -> Vec<Vec<u64>> {
    let seeds: Vec<u64> = (first..first + count).collect();
    seeds.chunk_by(|a, b| block(*a, back_end) == block(*b, back_end)).map(<[u64]>::to_vec).collect()
}

/// The option sets for a block: everything legal, and one of the others, where any case may be in it; two of their own for products, and one
/// where all nests run on a device.
pub fn option_sets(kind: Kind, block: u64) -> Vec<String> {
    let mut sets = match kind {
        Kind::Any => vec![everything(block), drawn(block, &OTHERS)],
        Kind::Products => vec![drawn(block, &PRODUCTS), drawn(block / 2 + 7, &PRODUCTS)],
        Kind::Device => vec![drawn(block, &DEVICE)],
    };
    // Both may be the same one.
    sets.dedup();
    sets
}

/// Whether nests run on a device under an option set, which is the emulator here.
pub(super) fn is_for_device(options: &str) -> bool {
    options.split(';').any(|option| option == "gpu=force")
}

/// The one of some option sets for a block.
fn drawn(block: u64, sets: &[(&str, bool)]) -> String {
    let (other, on_top) = sets[(block % sets.len() as u64) as usize];
    let other = match other.strip_prefix("strategy=") {
        Some(given) => match given.split_once(';') {
            Some((name, others)) => format!("{};{others}", strategy(name)),
            None => strategy(given),
        },
        None => other.to_string(),
    };
    if on_top { format!("{};{other}", everything(block)) } else { other }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_option_meets_every_tile_size() {
        let blocks = (TILES.len() * OTHERS.len()) as u64;
        let sets: BTreeSet<String> = (0..blocks).map(|block| option_sets(Kind::Any, block)[1].clone()).collect();
        let on_top = OTHERS.iter().filter(|(_, on_top)| *on_top).count();
        assert_eq!(sets.len(), on_top * TILES.len() + OTHERS.len() - on_top);
    }
}
