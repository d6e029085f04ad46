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
//! Chains of operations that wait for each other along `j`, one per point, run side by side then, and what the points share is loaded
//! once. The points must be a fixed number: those of a tile whose loop was [peeled](super::peel). Legal if no dependence between points
//! is reversed.
//! D. Callahan, S. Carr, K. Kennedy, "Improving Register Allocation for Subscripted Variables", PLDI 1990.

use crate::budget::Budget;
use crate::schedule::{EditError, LoopType};
use crate::transform::pass::Pass;
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass = Pass {
    name: "jam",
    meaning: "copies of the points of a loop inside all loops below",
    sites: 1,
    arguments: &[],
    apply,
};

fn apply<'m>(draft: &Draft<'m>, step: &Step, _: &Budget) -> Result<Draft<'m>, EditError> {
    let band = draft.band_at(&step.sites[0])?;
    let unrolled = band.update_band(|_, members| members.iter_mut().for_each(|m| m.loop_type = LoopType::Unroll))?;
    Ok(draft.with_tree(unrolled.sink_below_bands()?.into_tree()))
}
