//! `unroll(S@k, member = m)`: no loop for a member of a band, but a copy of what is below for each of its values.
//!
//! The order stays as it is. The values must be a fixed number, as those of a member of a tile are; code generation says so if not.

use crate::budget::Budget;
use crate::schedule::{EditError, LoopType};
use crate::transform::pass::Pass;
use crate::transform::passes::{MEMBER, member};
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass =
    Pass { name: "unroll", meaning: "copies what is below instead of a loop", sites: 1, arguments: &[MEMBER], apply };

fn apply<'m>(draft: &Draft<'m>, step: &Step, _: &Budget) -> Result<Draft<'m>, EditError> {
    let band = draft.band_at(&step.sites[0])?;
    let unrolled = member(step, "member", &band)?;
    Ok(draft.with_tree(band.update_band(|_, members| members[unrolled].loop_type = LoopType::Unroll)?.into_tree()))
}
