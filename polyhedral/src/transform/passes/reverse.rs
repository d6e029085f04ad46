//! `reverse(S@k, member = m)`: a member of a band runs backwards.
//!
//! ```text
//! band S -> [i, j]       =>     band S -> [i, -j]          member = 1
//! ```
//!
//! Legal if no dependence that the members before it leave has another distance than zero in it.

use crate::budget::Budget;
use crate::schedule::EditError;
use crate::transform::pass::Pass;
use crate::transform::passes::{MEMBER, member, rewritten};
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass =
    Pass { name: "reverse", meaning: "lets a member of a band run backwards", sites: 1, arguments: &[MEMBER], apply };

fn apply<'m>(draft: &Draft<'m>, step: &Step, budget: &Budget) -> Result<Draft<'m>, EditError> {
    let band = draft.band_at(&step.sites[0])?;
    let reversed = member(step, "member", &band)?;
    let expression = |k: usize| if k == reversed { format!("-t{k}") } else { format!("t{k}") };
    Ok(draft.with_tree(rewritten(&band, expression, budget)?.into_tree()))
}
