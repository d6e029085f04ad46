//! `distribute(S@k)`: every child of the sequence below a band gets a band of its own, and runs as a whole before the next.
//!
//! ```text
//! band S -> [i]; T -> [i]          sequence
//!   sequence                         filter S: band S -> [i]
//!     filter S               =>      filter T: band T -> [i]
//!     filter T
//! ```
//!
//! Legal if no dependence leads from a later child to an earlier one.

use crate::budget::Budget;
use crate::schedule::{EditError, ScheduleTree};
use crate::transform::pass::Pass;
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass = Pass {
    name: "distribute",
    meaning: "gives every part of a sequence below a band a band of its own",
    sites: 1,
    arguments: &[],
    apply,
};

fn apply(draft: &Draft<'_>, step: &Step, _: &Budget) -> Result<ScheduleTree, EditError> {
    Ok(draft.band_at(&step.sites[0])?.distribute()?.into_tree())
}
