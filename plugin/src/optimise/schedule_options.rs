//! What the user asked for: tile sizes, and which transformations may be used.

use crate::options::Options;
use std::sync::Arc;
use tessera_polyhedral::strategy::{self, Strategy};

/// What the user asked for.
#[derive(Clone, Debug)]
pub struct ScheduleOptions {
    /// What the search may do.
    pub strategy: strategy::SearchOptions,
    /// Any other order than that of the program; without it all others are off.
    pub reorder: bool,
    /// Copies of scalars for the points of a tile, or for iterations that are jammed.
    pub copies: bool,
    /// Where nothing else is found: scalars whose values lie in memory all along are loaded from there.
    pub reload: bool,
}

impl ScheduleOptions {
    /// What the options say about schedules, with their strategy for one machine.
    pub fn new(options: &Options, strategy: Arc<Strategy>) -> Self {
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
            jam,
            split,
            packing,
            copies,
            simplify,
            ..
        } = options;
        ScheduleOptions {
            strategy: strategy::SearchOptions {
                strategy,
                tiles: tile.clone(),
                unprofitable: *unprofitable,
                interchange: *interchange,
                tiling: *tiling,
                full_tiles: *full_tiles,
                // They are tiles, so that `tiling` switches them off, too.
                time_tiling: *time_tiling && *tiling,
                distribution: *distribution,
                live_ranges: *live_ranges,
                jam: *jam,
                split: *split,
                packing: *packing && *copies,
                masks: true,
                vector_registers: 0,
                vector_bits: 0,
                fma: false,
            },
            reorder: *reorder,
            copies: *copies,
            reload: *simplify,
        }
    }

    /// The same schedule_options for a machine that can or cannot switch off lanes of vectors, and with so many registers for them of so many bits, and that
    /// multiplies and adds at once or not.
    pub fn with_vectors(self, masks: bool, (vector_registers, vector_bits): (u32, u32), fma: bool) -> Self {
        let strategy = strategy::SearchOptions { masks, vector_registers, vector_bits, fma, ..self.strategy };
        ScheduleOptions { strategy, ..self }
    }

    /// The same schedule_options where new code can or cannot have memory for copies.
    pub fn with_heap(self, has_heap: bool) -> Self {
        let strategy = strategy::SearchOptions { packing: self.strategy.packing && has_heap, ..self.strategy };
        ScheduleOptions { copies: self.copies && has_heap, strategy, ..self }
    }
}
