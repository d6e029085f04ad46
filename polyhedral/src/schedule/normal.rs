//! The order of a tree as a relation, and a simpler tree with the same order.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{UnionMap, UnionSet};

use super::edit::EditError;
use super::instances::Instances;
use super::tree::{Node, ScheduleTree};

/// The strict lexicographic comparison of two points in time. An error if their lengths differ.
pub fn compare_strict(a: &[Int], b: &[Int]) -> Result<Ordering> {
    if a.len() == b.len() {
        return Ok(a.cmp(b));
    }
    let what = format!("points in time of {} and {} dimensions have no strict order", a.len(), b.len());
    Err(Error::OutOfRange { operation: "compare points in time", what })
}

/// The relaxed lexicographic comparison of two points in time of any lengths: the shorter one is compared with the
/// beginning of the longer one. If there is no difference they are unordered, whatever follows.
pub fn compare_relaxed(a: &[Int], b: &[Int]) -> Option<Ordering> {
    let n = a.len().min(b.len());
    Some(a[..n].cmp(&b[..n])).filter(|order| *order != Ordering::Equal)
}

impl ScheduleTree {
    /// All pairs of executed instances of which the tree runs the first before the second. Unordered pairs are in it in
    /// neither direction. The cost is that of [`ScheduleTree::legality`] for all pairs.
    pub fn order_relation(&self, budget: &Budget) -> Result<UnionMap> {
        let executed = self.cursor().subtree_expansion(budget)?.range(budget)?;
        let all = UnionMap::from_domain_and_range(&executed, &executed, budget)?;
        let mut order = UnionMap::empty(all.params_space());
        for node in self.legality(&all, budget)?.nodes {
            order = order.union(&node.carried)?;
        }
        order.coalesce(budget)
    }

    /// Whether two trees execute the same instances in the same order, with the same freedom. Exact.
    pub fn same_order(&self, other: &ScheduleTree, budget: &Budget) -> Result<bool> {
        let executed = |tree: &ScheduleTree| tree.cursor().subtree_expansion(budget)?.range(budget);
        if !executed(self)?.is_equal(&executed(other)?, budget)? {
            return Ok(false);
        }
        self.order_relation(budget)?.is_equal(&other.order_relation(budget)?, budget)
    }

    /// A tree with the same order and fewer nodes: filters that keep everything, children that nothing reaches, bands
    /// without members and sequences and sets of one child are dropped, nested filters are merged, and a sequence
    /// directly below a filter of a sequence becomes part of that one (a set of a set too). Marks, contexts, guards,
    /// extensions and expansions stay.
    pub fn normalized(&self, budget: &Budget) -> std::result::Result<ScheduleTree, EditError> {
        let nothing = UnionSet::default();
        Ok(ScheduleTree::from_root(normal(self.root(), &nothing, budget)?))
    }
}

fn arc(node: Node) -> Arc<Node> {
    Arc::new(node)
}

/// The normal form of a node that the instances `active` reach.
fn normal(node: &Node, active: &UnionSet, budget: &Budget) -> Result<Node> {
    Ok(match node {
        Node::Domain(instances, child) => {
            Node::Domain(instances.clone(), arc(normal(child, &instances.to_union_set()?, budget)?))
        }
        Node::Filter(filter, child) => {
            let set = filter.to_union_set()?;
            let below = active.intersect(&set, budget)?;
            let child = normal(child, &below, budget)?;
            if active.is_subset(&set, budget)? {
                return Ok(child);
            }
            match child {
                Node::Filter(inner, child) => {
                    let both = set.intersect(&inner.to_union_set()?, budget)?.coalesce(budget)?;
                    Node::Filter(Instances::from_union_set(&both)?, child)
                }
                child => Node::Filter(filter.clone(), arc(child)),
            }
        }
        Node::Band(band, child) if band.is_empty() => normal(child, active, budget)?,
        Node::Band(band, child) => Node::Band(band.clone(), arc(normal(child, active, budget)?)),
        Node::Extension(extension, child) => {
            let below = active.union(&extension.range(budget)?)?;
            // The children of the sequence below an extension stay: what is grafted next looks for them.
            Node::Extension(extension.clone(), arc(normal(child, &below, budget)?))
        }
        Node::Expansion(expansion, child) => {
            let below = active.apply(&expansion.members(budget)?.reverse()?, budget)?;
            Node::Expansion(expansion.clone(), arc(normal(child, &below, budget)?))
        }
        Node::Sequence(children) | Node::Set(children) => branches(node, children, active, budget)?,
        Node::Context(..) | Node::Guard(..) | Node::Mark(..) => {
            let children = node.children().iter().map(|child| normal(child, active, budget).map(arc));
            node.with_children(children.collect::<Result<_>>()?)
        }
        Node::Leaf => Node::Leaf,
    })
}

fn branches(node: &Node, children: &[Arc<Node>], active: &UnionSet, budget: &Budget) -> Result<Node> {
    let mut kept: Vec<Arc<Node>> = Vec::new();
    for child in children {
        let Node::Filter(filter, below) = &**child else {
            // Not well-formed: left as it is.
            return Ok(node.clone());
        };
        let part = active.intersect(&filter.to_union_set()?, budget)?;
        if part.is_empty(budget)? {
            continue;
        }
        let below = normal(below, &part, budget)?;
        // (A filter below the filter stays there: it drops instances, and filters of a sequence do not.)
        match (node, &below) {
            (Node::Sequence(_), Node::Sequence(inner)) | (Node::Set(_), Node::Set(inner)) => {
                for child in inner {
                    let Node::Filter(inner, below) = &**child else { return Ok(node.clone()) };
                    kept.push(arc(Node::Filter(filter.intersect(inner, budget)?, below.clone())));
                }
            }
            _ => kept.push(arc(Node::Filter(filter.clone(), arc(below)))),
        }
    }
    Ok(match kept.as_slice() {
        [] => Node::Leaf,
        [only] => match &**only {
            // Some of what reaches the node may pass no filter; then the filter stays.
            Node::Filter(filter, below) if active.is_subset(&filter.to_union_set()?, budget)? => (**below).clone(),
            filter => filter.clone(),
        },
        _ => node.with_children(kept),
    })
}
