//! Tile sizes.
//!
//! The innermost loop gets a long tile, so that vectorised code runs at full speed between its ends; with the loop around
//! it, it spans a block of 64 x 512 elements that stays in the second cache level while the third loop goes over it.
//! Chosen by measuring matrix products of 300 to 2000 rows: no size is slower than the untiled loops in the best order.

use super::Strategy;

/// The size that the user wants at a position; missing ones repeat the last.
pub fn requested_size(requested: &[u64], position: usize) -> Option<i64> {
    requested.get(position).or(requested.last()).map(|size| i64::try_from(*size).unwrap_or(i64::MAX).max(1))
}

/// Tile sizes for loops from outermost to innermost, given the user's requested (one size for all, or one per loop). `across` says that
/// the innermost loop runs across cache lines: then its lines, each on a page of its own, should fit the first level of the
/// caches of both (measured with products of a matrix and its transpose).
pub(super) fn sizes(depth: usize, across: bool, requested: &[u64], strategy: &Strategy) -> Vec<i64> {
    let default = |position: usize| match depth - position {
        1 if across => strategy.across,
        from_inside => strategy.tiles[from_inside.min(strategy.tiles.len()) - 1],
    };
    (0..depth).map(|position| requested_size(requested, position).unwrap_or_else(|| default(position))).collect()
}

/// Tile sizes for time tiling: of the outer loop, then of `tiled` dimensions of the data. `depth` loops run over the data.
/// A tile's rows, and those that the skew adds to them, should fit the second cache level. Chosen by measuring stencils.
pub(super) fn time_sizes(depth: usize, tiled: usize, requested: &[u64], strategy: &Strategy) -> Vec<i64> {
    let default = &strategy.time_tiles[depth.clamp(1, strategy.time_tiles.len()) - 1];
    (0..=tiled)
        .map(|position| requested_size(requested, position).unwrap_or(default[position.min(default.len() - 1)]))
        .collect()
}
