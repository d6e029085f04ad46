//! `split_index_set(S@k, first = "{ S[i] : i < 8 }")`: some iterations of a loop in a loop of their own, in front of all others.
//!
//! ```text
//! band S -> [i]              =>     sequence
//!   ...                               filter { S[i] : i < 8 }
//!                                       band S -> [i]
//!                                         ...
//!                                     filter { all other S[i] }
//!                                       band S -> [i]
//!                                         ...
//! ```
//!
//! What is said about the loop as a whole may hold for one part and not for the other: after `for i: a[i] = a[i] / a[0]` is split behind its
//! first iteration, those of the rest are independent. `S@k` means the first copy from now on. Legal if none of the rest has to come
//! before one of the first; a cut through a loop at a value that inner loops do not change keeps the order. It does not apply where one of
//! the two has no instances.
//!
//! Source: M. Griebl, P. Feautrier, C. Lengauer, "Index Set Splitting", 2000.

use crate::budget::Budget;
use crate::relation::UnionSet;
use crate::schedule::{EditError, Node};
use crate::transform::pass::{Argument, Kind, Pass};
use crate::transform::passes::bad;
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass = Pass {
    name: "split_index_set",
    meaning: "runs some iterations of a loop first, in a loop of their own",
    sites: 1,
    arguments: &[Argument {
        name: "first",
        kind: Kind::Set,
        optional: false,
        meaning: "the instances that come first, as a set in isl notation between quotes",
    }],
    apply,
};

fn apply<'m>(draft: &Draft<'m>, step: &Step, budget: &Budget) -> Result<Draft<'m>, EditError> {
    let cursor = draft.band_at(&step.sites[0])?;
    let Node::Band(..) = cursor.node() else { return bad("the site is no band") };
    let first = match UnionSet::parse(step.text("first").unwrap_or_default(), budget) {
        Ok(first) => first,
        Err(error) => return bad(format!("first is a set of instances: {error}")),
    };
    let context = &draft.scop().context;
    let domain = cursor.domain(budget)?.intersect_params(context, budget)?;
    for (part, whose) in [(domain.intersect(&first, budget)?, "first"), (domain.subtract(&first, budget)?, "behind")] {
        if part.is_empty(budget)? {
            return bad(format!("no instance would run {whose}"));
        }
    }
    let split = cursor.order_before(&first, budget)?;
    // What was a part of several may be alone now.
    let Some(parts) = split.parent().and_then(|filter| filter.parent()) else { return bad("the parts are gone") };
    Ok(draft.with_tree(split.tree().replace(parts.path(), parts.node().without_single_parts())?))
}
