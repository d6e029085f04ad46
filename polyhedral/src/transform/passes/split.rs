//! `split(S@k, at = m)`: a band becomes two, the outer one with its first `m` members.
//!
//! ```text
//! band S -> [i, j]              band S -> [i]
//!                       =>        band S -> [j]
//! ```
//!
//! The order stays as it is.

use crate::budget::Budget;
use crate::schedule::EditError;
use crate::transform::pass::{Argument, Kind, Pass};
use crate::transform::passes::{bad, members};
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass = Pass {
    name: "split",
    meaning: "makes two bands of one",
    sites: 1,
    arguments: &[Argument {
        name: "at",
        kind: Kind::Integer,
        optional: false,
        meaning: "how many members the outer band gets",
    }],
    apply,
};

fn apply<'m>(draft: &Draft<'m>, step: &Step, _: &Budget) -> Result<Draft<'m>, EditError> {
    let band = draft.band_at(&step.sites[0])?;
    let (at, n) = (step.integer("at").unwrap_or(0), members(&band));
    match usize::try_from(at) {
        Ok(at) if 0 < at && at < n => Ok(draft.with_tree(band.split(at)?.into_tree())),
        _ => bad(format!("a band of {n} members cannot be split after {at}")),
    }
}
