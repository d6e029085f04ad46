//! `tile(S@k, sizes = [...])`: a band of tiles above a band of the points of a tile.
//!
//! ```text
//! band S -> [i, j]       =>     band S -> [floor(i/32), floor(j/64)]          sizes = [32, 64]
//!                                 band S -> [i, j]
//! ```
//!
//! Legal if the band is permutable; with one member (strip-mining) the order stays as it is.
//! F. Irigoin, R. Triolet, "Supernode Partitioning", POPL 1988.

use crate::arith::Int;
use crate::budget::Budget;
use crate::schedule::{EditError, TileOptions};
use crate::transform::pass::{Argument, Kind, Pass};
use crate::transform::passes::claimed_permutable;
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass = Pass {
    name: "tile",
    meaning: "makes a band of tiles and a band of points of one band",
    sites: 1,
    arguments: &[Argument {
        name: "sizes",
        kind: Kind::Integers,
        optional: false,
        meaning: "the size of a tile, one per member",
    }],
    apply,
};

fn apply<'m>(draft: &Draft<'m>, step: &Step, _: &Budget) -> Result<Draft<'m>, EditError> {
    let sizes: Vec<Int> = step.integers("sizes").unwrap_or_default().into_iter().map(Int::from).collect();
    // Members stay as they are, and tiles are numbered: what a reader of the tree expects.
    let options = TileOptions { scale_tiles: false, shift_points: false };
    Ok(draft.with_tree(claimed_permutable(&draft.band_at(&step.sites[0])?)?.tile(&sizes, options)?.into_tree()))
}
