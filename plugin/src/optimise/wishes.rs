//! What the user asked for: tile sizes, and which transformations may be used.

use crate::options::Options;

/// What the user asked for.
#[derive(Clone, Debug)]
pub struct Wishes {
    /// Tile sizes; empty for the defaults.
    pub tiles: Vec<u64>,
    /// Transform also what the model thinks cannot gain.
    pub unprofitable: bool,
    /// Any other order than that of the program; without it all others are off.
    pub reorder: bool,
    /// Loops in another order.
    pub interchange: bool,
    /// Loops cut into tiles.
    pub tiling: bool,
    /// Full tiles in code of their own, whose inner loops have constant bounds.
    pub full_tiles: bool,
    /// Tiles across an outer loop, skewed. They are tiles, so that `tiling` switches them off, too.
    pub time_tiling: bool,
    /// Parts of a nest in loops of their own.
    pub distribution: bool,
    /// Live ranges of memory in another order.
    pub live_ranges: bool,
    /// Copies of scalars for the points of a tile. They are good for interchange inside tiles, and need both.
    pub copies: bool,
}

impl Wishes {
    /// What the options say about schedules.
    pub fn new(options: &Options) -> Self {
        let Options {
            tile,
            unprofitable,
            reorder,
            interchange,
            tiling,
            full_tiles,
            time_tiling,
            distribution,
            live_ranges,
            copies,
            ..
        } = options;
        Wishes {
            tiles: tile.clone(),
            unprofitable: *unprofitable,
            reorder: *reorder,
            interchange: *interchange,
            tiling: *tiling,
            full_tiles: *full_tiles,
            time_tiling: *time_tiling && *tiling,
            distribution: *distribution,
            live_ranges: *live_ranges,
            copies: *copies && *interchange && *tiling,
        }
    }

    /// The same wishes where new code can or cannot have memory for copies.
    pub fn with_heap(self, has_heap: bool) -> Self {
        Wishes { copies: self.copies && has_heap, ..self }
    }
}
