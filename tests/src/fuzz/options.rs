//! The option sets that random loop nests are tried under: everything legal at several tile sizes, each transformation switched off in
//! turn, and the strategies of `tests/strategies`.

use super::BackEnd;
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

/// What else is tried, alone or on top of everything legal.
const OTHERS: [(&str, bool); 38] = [
    ("min-work=0;min-bytes=0", false),
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

/// That of the block of a seed.
pub(super) fn machine(seed: u64) -> Machine {
    match block(seed, BackEnd::C) % 8 {
        3 => Machine::I386,
        5 => Machine::Spaces,
        7 => Machine::Undefined,
        _ => Machine::Here,
    }
}

/// The seeds from `first` on, block by block.
pub fn blocks(first: u64, count: u64, back_end: BackEnd) -> Vec<Vec<u64>> {
    let seeds: Vec<u64> = (first..first + count).collect();
    seeds.chunk_by(|a, b| block(*a, back_end) == block(*b, back_end)).map(<[u64]>::to_vec).collect()
}

/// The option sets for a block: everything legal, and one of the others.
pub fn option_sets(block: u64) -> [String; 2] {
    let (other, on_top) = OTHERS[(block % OTHERS.len() as u64) as usize];
    let everything = everything(block);
    let other = match other.strip_prefix("strategy=") {
        Some(name) => strategy(name),
        None => other.to_string(),
    };
    let other = if on_top { format!("{everything};{other}") } else { other };
    [everything, other]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_option_meets_every_tile_size() {
        let blocks = (TILES.len() * OTHERS.len()) as u64;
        let sets: BTreeSet<String> = (0..blocks).map(|block| option_sets(block)[1].clone()).collect();
        let on_top = OTHERS.iter().filter(|(_, on_top)| *on_top).count();
        assert_eq!(sets.len(), on_top * TILES.len() + OTHERS.len() - on_top);
    }
}
