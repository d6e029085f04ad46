//! `isolate(S@k)`: full tiles get code of their own, whose loops over points have constant bounds.
//!
//! ```text
//! band S -> [floor(i/8)]                 for u in full tiles: for i in 8u .. 8u + 8: S
//!   band S -> [i]                  =>    for u in the others: for i in 8u .. min(8u + 8, n): S
//! ```
//!
//! The order stays as it is.

use crate::budget::Budget;
use crate::schedule::EditError;
use crate::transform::pass::Pass;
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass =
    Pass { name: "isolate", meaning: "gives full tiles code of their own", sites: 1, arguments: &[], apply };

fn apply<'m>(draft: &Draft<'m>, step: &Step, _: &Budget) -> Result<Draft<'m>, EditError> {
    let band = draft.band_at(&step.sites[0])?;
    Ok(draft.with_tree(band.update_band(|band, _| band.isolate_full_tiles = true)?.into_tree()))
}
