//! `distribute(S@k, parts = [...])`: parts of the sequence below a band get bands of their own, and run as a whole one after the other.
//!
//! ```text
//! band S -> [i]; T -> [i]; U -> [i]     sequence                                     parts = [1, 2]
//!   sequence                              filter S: band S -> [i]
//!     filter S                     =>     filter T, U: band T -> [i]; U -> [i]
//!     filter T                              sequence
//!     filter U                                filter T
//!                                             filter U
//! ```
//!
//! `parts` are numbers of neighbours that stay together; without it every child of the sequence is a part. Legal if no dependence leads
//! from a later part to an earlier one.

use std::sync::Arc;

use crate::budget::Budget;
use crate::schedule::{EditError, Instances, Node};
use crate::transform::pass::{Argument, Kind, Pass};
use crate::transform::passes::bad;
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass = Pass {
    name: "distribute",
    meaning: "gives parts of a sequence below a band bands of their own",
    sites: 1,
    arguments: &[Argument {
        name: "parts",
        kind: Kind::Integers,
        optional: true,
        meaning: "how many neighbours each part has; one each where it is left out",
    }],
    apply,
};

fn apply<'m>(draft: &Draft<'m>, step: &Step, _: &Budget) -> Result<Draft<'m>, EditError> {
    let cursor = draft.band_at(&step.sites[0])?;
    let Some(parts) = step.integers("parts") else { return Ok(draft.with_tree(cursor.distribute()?.into_tree())) };
    let Node::Band(band, child) = cursor.node() else { return bad("the site is no band") };
    let Node::Sequence(children) = &**child else { return bad("there is no sequence below the band") };
    let sizes: Vec<usize> = parts.iter().filter_map(|size| usize::try_from(*size).ok()).filter(|n| *n > 0).collect();
    if sizes.len() != parts.len() || sizes.iter().sum::<usize>() != children.len() {
        return bad(format!("{parts:?} are no parts of the {} children of the sequence", children.len()));
    }
    let (mut rest, mut grouped) = (children.as_slice(), Vec::new());
    for size in sizes {
        let (group, later) = rest.split_at(size);
        grouped.push(together(group)?);
        rest = later;
    }
    let grouped = draft.tree().replace(cursor.path(), Node::band(band.clone(), Node::sequence(grouped)))?;
    match grouped.cursor_at(cursor.path()) {
        Some(cursor) => Ok(draft.with_tree(cursor.distribute()?.into_tree())),
        None => bad("the band is gone"),
    }
}

/// One filter for some neighbours in a sequence.
fn together(group: &[Arc<Node>]) -> Result<Node, EditError> {
    if let [only] = group {
        return Ok((**only).clone());
    }
    let mut all = Instances::new();
    for child in group {
        let Node::Filter(instances, _) = &**child else { return bad("a child of the sequence is no filter") };
        for (_, set) in instances.iter() {
            all.add(set.clone())?;
        }
    }
    Ok(Node::filter(all, Node::sequence(group.iter().map(|child| (**child).clone()).collect())))
}
