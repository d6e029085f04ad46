//! `skew(S@k, member = m, by = n, factor = f)`: `f` times member `n` is added to member `m`.
//!
//! ```text
//! band S -> [t, i]       =>     band S -> [t, t + i]          member = 1, by = 0, factor = 1
//! ```
//!
//! With `n < m` the order stays as it is, and distances that were negative in member `m` become zero or positive: the way to a band
//! that is permutable. With `n > m` the order changes: a wavefront.

use crate::budget::Budget;
use crate::schedule::EditError;
use crate::transform::pass::{Argument, Kind, Pass};
use crate::transform::passes::{bad, member, rewritten};
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass = Pass {
    name: "skew",
    meaning: "adds a multiple of one member of a band to another",
    sites: 1,
    arguments: &[
        Argument { name: "member", kind: Kind::Integer, optional: false, meaning: "the member that changes" },
        Argument { name: "by", kind: Kind::Integer, optional: false, meaning: "the member that is added" },
        Argument { name: "factor", kind: Kind::Integer, optional: false, meaning: "how often" },
    ],
    apply,
};

fn apply<'m>(draft: &Draft<'m>, step: &Step, budget: &Budget) -> Result<Draft<'m>, EditError> {
    let band = draft.band_at(&step.sites[0])?;
    let (skewed, by) = (member(step, "member", &band)?, member(step, "by", &band)?);
    if skewed == by {
        return bad("a member is not skewed by itself");
    }
    let factor = step.integer("factor").unwrap_or(0);
    let expression = |k: usize| if k == skewed { format!("t{k} + {factor} t{by}") } else { format!("t{k}") };
    Ok(draft.with_tree(rewritten(&band, expression, budget)?.into_tree()))
}
