//! `interchange(S@k, order = [...])`: the members of a band in another order; new member `m` is the old member `order[m]`.
//!
//! ```text
//! band S -> [i, j]       =>     band S -> [j, i]          order = [1, 0]
//! ```
//!
//! Legal if no dependence that the bands above leave has its first difference turned round; always if the band is permutable.

use crate::budget::Budget;
use crate::schedule::EditError;
use crate::transform::pass::{Argument, Kind, Pass};
use crate::transform::passes::{bad, claimed_permutable, members};
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass = Pass {
    name: "interchange",
    meaning: "puts the members of a band into another order",
    sites: 1,
    arguments: &[Argument {
        name: "order",
        kind: Kind::Integers,
        optional: false,
        meaning: "the old members in the new order",
    }],
    apply,
};

fn apply<'m>(draft: &Draft<'m>, step: &Step, _: &Budget) -> Result<Draft<'m>, EditError> {
    let band = draft.band_at(&step.sites[0])?;
    let order = step.integers("order").unwrap_or_default();
    let positions: Vec<usize> = order.iter().filter_map(|member| usize::try_from(*member).ok()).collect();
    let mut sorted = positions.clone();
    sorted.sort_unstable();
    if positions.len() != order.len() || !sorted.into_iter().eq(0..members(&band)) {
        return bad(format!("{order:?} is no order of the members 0 to {}", members(&band).saturating_sub(1)));
    }
    Ok(draft.with_tree(claimed_permutable(&band)?.permute(&positions)?.into_tree()))
}
