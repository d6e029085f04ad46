//! `combine(S@k)`: a band and the band right below it become one.
//!
//! ```text
//! band S -> [i]              band S -> [i, j]
//!   band S -> [j]      =>
//! ```
//!
//! The order stays as it is. What it is good for: members of one band can be interchanged, skewed and tiled together.

use crate::budget::Budget;
use crate::schedule::EditError;
use crate::transform::pass::Pass;
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass = Pass {
    name: "combine",
    meaning: "makes one band of a band and the one right below it",
    sites: 1,
    arguments: &[],
    apply,
};

fn apply<'m>(draft: &Draft<'m>, step: &Step, _: &Budget) -> Result<Draft<'m>, EditError> {
    Ok(draft.with_tree(draft.band_at(&step.sites[0])?.combine()?.into_tree()))
}
