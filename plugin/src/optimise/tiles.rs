//! Tile sizes.
//!
//! The innermost loop gets a long tile, so that vectorised code runs at full speed between its ends; the others get
//! tiles that keep what is reused in the first two cache levels.

/// Tile sizes for loops from outermost to innermost, given the user's wish (one size for all, or one per loop; missing
/// ones repeat the last).
pub fn sizes(depth: usize, wish: &[u64]) -> Vec<i64> {
    let default = |position: usize| match (depth, position) {
        (2, _) => 32,
        (_, p) if p + 1 == depth => 256,
        _ => 32,
    };
    (0..depth)
        .map(|position| match wish.get(position).or(wish.last()) {
            Some(size) => i64::try_from(*size).unwrap_or(i64::MAX).max(1),
            None => default(position),
        })
        .collect()
}
