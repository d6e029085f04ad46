//! `isolate(S@k)`: full tiles get code of their own, whose loops over points have constant bounds.
//!
//! ```text
//! band S -> [floor(i/8)]                 for u in full tiles: for i in 8u .. 8u + 8: S
//!   band S -> [i]                  =>    for u in the others: for i in 8u .. min(8u + 8, n): S
//! ```
//!
//! The order stays as it is.

use crate::budget::Budget;
use crate::schedule::{EditError, ScheduleTree};
use crate::transform::pass::Pass;
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass =
    Pass { name: "isolate", meaning: "gives full tiles code of their own", sites: 1, arguments: &[], apply };

fn apply(draft: &Draft<'_>, step: &Step, _: &Budget) -> Result<ScheduleTree, EditError> {
    let band = draft.band_at(&step.sites[0])?;
    Ok(band.update_band(|band, _| band.isolate_full_tiles = true)?.into_tree())
}
