//! `fuse(S@k, T@l)`: the bands of two neighbours in a sequence become one, with a sequence below it.
//!
//! ```text
//! sequence                          band S -> [i]; T -> [i]
//!   filter S: band S -> [i]   =>      sequence
//!   filter T: band T -> [i]             filter S
//!                                       filter T
//! ```
//!
//! Legal if no instance of the second depends on a later iteration of the first; [`shift`](super::shift) can help before.

use crate::budget::Budget;
use crate::schedule::{EditError, Node};
use crate::transform::pass::Pass;
use crate::transform::passes::bad;
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass =
    Pass { name: "fuse", meaning: "makes one band of those of two neighbours", sites: 2, arguments: &[], apply };

fn apply<'m>(draft: &Draft<'m>, step: &Step, _: &Budget) -> Result<Draft<'m>, EditError> {
    let (first, second) = (draft.band_at(&step.sites[0])?, draft.band_at(&step.sites[1])?);
    let above = first.shared_ancestor(&second);
    let depth = above.depth();
    let is_branch = matches!(above.node(), Node::Sequence(_) | Node::Set(_));
    // The bands are right below the filters of the branch.
    let (Some(a), Some(b)) = (first.path().get(depth), second.path().get(depth)) else {
        return bad("both sites are one band, or one is above the other");
    };
    if !is_branch || first.depth() != depth + 2 || second.depth() != depth + 2 {
        return bad("the bands are not those of two parts of one sequence");
    }
    Ok(draft.with_tree(above.fuse(*a.min(b), *a.max(b))?.into_tree()))
}
