//! `jam(S@k)`: a loop over a few points goes inside all loops below it, and is written as copies (unroll and jam).
//!
//! ```text
//! band S, T -> [b]               band S, T -> [b]                 for b:
//!   band S, T -> [i]               band S -> [j]                    for j:
//!     sequence              =>       sequence                         S(4b, j); S(4b + 1, j); S(4b + 2, j); S(4b + 3, j)
//!       filter S                       filter S                     T(4b); T(4b + 1); T(4b + 2); T(4b + 3)
//!         band S -> [j]                  band S -> [j]
//!       filter T                           band S -> [i], unrolled
//!                                      filter T
//!                                        band T -> [i], unrolled
//! ```
//!
//! With `whole = [0]` the first part keeps its loop: `for j: S(4b, j); for j: S(4b + 1, j); ...`. That is for loops whose iterations do not
//! wait for each other, so that they become vectors.
//!
//! Chains of operations that wait for each other along `j`, one per point, run side by side then, and what the points share is loaded
//! once. The points must be a fixed number: those of a tile whose loop was [peeled](super::peel). Legal if no dependence between points
//! is reversed.
//! D. Callahan, S. Carr, K. Kennedy, "Improving Register Allocation for Subscripted Variables", PLDI 1990.

use crate::budget::Budget;
use crate::schedule::{EditError, LoopType};
use crate::transform::pass::{Argument, Kind, Pass};
use crate::transform::passes::bad;
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass = Pass {
    name: "jam",
    meaning: "copies of the points of a loop inside all loops below",
    sites: 1,
    arguments: &[Argument {
        name: "whole",
        kind: Kind::Integers,
        optional: true,
        meaning: "the parts of the sequence below that keep their loops, one after the other for every point",
    }],
    apply,
};

fn apply<'m>(draft: &Draft<'m>, step: &Step, _: &Budget) -> Result<Draft<'m>, EditError> {
    let band = draft.band_at(&step.sites[0])?;
    let unrolled = band.update_band(|_, members| members.iter_mut().for_each(|m| m.loop_type = LoopType::Unroll))?;
    let sunk = match step.integers("whole") {
        None => unrolled.sink_below_bands()?,
        Some(whole) => {
            let positions: Option<Vec<usize>> = whole.iter().map(|position| usize::try_from(*position).ok()).collect();
            let Some(positions) = positions else { return bad(format!("{whole:?} are no positions in a sequence")) };
            unrolled.sink_below_bands_except(&positions)?
        }
    };
    Ok(draft.with_tree(sunk.into_tree()))
}
