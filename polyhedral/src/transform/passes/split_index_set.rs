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
//! Copies that are made inside of the loop have to be named as well, and stay in the first one: `first = "{ S[i] : i < 8; A_in[t, k] }"`.
//!
//! Source: M. Griebl, P. Feautrier, C. Lengauer, "Index Set Splitting", 2000.

use std::sync::Arc;

use crate::budget::Budget;
use crate::relation::{Map, UnionMap, UnionSet};
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
    let with_copies = cursor.node().clone();
    let without_copies = without(&with_copies, &|copy| draft.placement().copy(copy).is_some() && names(&first, copy));
    let split = cursor.with_node(without_copies).order_before(&first, budget)?;
    let split = match with_copies.has_extension() {
        true if domain.members().all(|all| first.members().any(|set| set.space().has_equal_tuples(all.space()))) => {
            // The cursor is at the rest.
            let Some(first) = split.parent().and_then(|rest| rest.previous_sibling()?.child(0)) else {
                return bad("the parts are gone");
            };
            first.with_node(with_copies)
        }
        true => return bad("where copies are made in the loop, each statement has to have instances that come first"),
        false => split,
    };
    // What was a part of several may be alone now.
    let Some(parts) = split.parent().and_then(|filter| filter.parent()) else { return bad("the parts are gone") };
    Ok(draft.with_tree(split.tree().replace(parts.path(), parts.node().without_single_parts())?))
}

/// Whether a set has instances of a statement.
fn names(set: &UnionSet, statement: &str) -> bool {
    set.members().any(|set| set.space().range_tuple().name().is_some_and(|name| **name == *statement))
}

/// A subtree without some of the instances that its extensions introduce.
fn without(node: &Node, leaves: &impl Fn(&str) -> bool) -> Node {
    let children = node.children().iter().map(|child| Arc::new(without(child, leaves))).collect();
    let node = node.with_children(children);
    let Node::Extension(extension, child) = &node else { return node };
    let left = |map: &&Map| map.space().range_tuple().name().is_none_or(|name| !leaves(name));
    let kept: Vec<Map> = extension.members().filter(left).cloned().collect();
    let is_left = |child: &&Arc<Node>| match &***child {
        Node::Filter(instances, _) => instances.iter().any(|(name, _)| !leaves(name)),
        _ => true,
    };
    let below = match &**child {
        Node::Sequence(children) => Node::Sequence(children.iter().filter(is_left).cloned().collect()),
        other => other.clone(),
    };
    match UnionMap::from_members(kept) {
        Ok(kept) if !kept.is_plainly_empty() => Node::Extension(kept, Arc::new(below)),
        _ => below,
    }
}
