//! [`Legality`]: for every node, which dependences it satisfies, violates, carries and leaves to the nodes below.
//!
//! Method: S. Verdoolaege, *High-Level Loop Transformations and Polyhedral Compilation*, 2017, "local validity": at a
//! band with the partial schedule `f` every pair that has not been carried above must have `f(source) <= f(sink)`, and
//! is carried if they differ; in a sequence the positions of the children take the place of `f`; in a set the positions
//! must be equal; at a leaf nothing may be left. This check shares no code with
//! [`ScheduleTree::first_violation`](super::ScheduleTree::first_violation).

use std::fmt;

use crate::budget::Budget;
use crate::error::Result;
use crate::relation::UnionMap;

use super::band::Band;
use super::cursor::Cursor;
use super::edit::{EditError, Edited};
use super::local::{Comparison, Here, nonempty, walk, walk_to};
use super::tree::{Node, Path, ScheduleTree};

/// What one node does with the dependences that reach it.
#[derive(Clone, Debug)]
pub struct NodeLegality {
    /// The node.
    pub path: Path,
    /// The kind of node.
    pub kind: &'static str,
    /// The pairs that no node above has ordered and whose instances both reach the node.
    pub local: UnionMap,
    /// Those that it does not violate.
    pub satisfied: UnionMap,
    /// Those whose order it reverses, or (a set, a leaf) leaves open for good.
    pub violated: UnionMap,
    /// Those that it orders as it should.
    pub carried: UnionMap,
    /// Those that are left to the nodes below.
    pub remaining: UnionMap,
}

/// The judgement of a tree: the nodes that order something, in preorder.
#[derive(Clone, Debug)]
pub struct Legality {
    /// Bands, sequences, sets and leaves.
    pub nodes: Vec<NodeLegality>,
}

impl Legality {
    /// Whether no dependence is violated.
    pub fn is_legal(&self) -> bool {
        self.violations().next().is_none()
    }

    /// The nodes that violate dependences.
    pub fn violations(&self) -> impl Iterator<Item = &NodeLegality> {
        self.nodes.iter().filter(|node| !node.violated.is_plainly_empty())
    }

    /// What a node does.
    pub fn at(&self, path: &[usize]) -> Option<&NodeLegality> {
        self.nodes.iter().find(|node| node.path == path)
    }
}

impl fmt::Display for Legality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for node in &self.nodes {
            writeln!(f, "{} at {:?}", node.kind, node.path)?;
            for (name, pairs) in
                [("violated", &node.violated), ("carried", &node.carried), ("remaining", &node.remaining)]
            {
                if !pairs.is_plainly_empty() {
                    writeln!(f, "  {name}: {pairs}")?;
                }
            }
        }
        Ok(())
    }
}

impl ScheduleTree {
    /// Judges the tree by dependences `earlier -> later` between executed instances. Pairs with instances that the tree
    /// does not execute are ignored. Exact. The cost is a few relation operations per node and pair of statements.
    pub fn legality(&self, dependences: &UnionMap, budget: &Budget) -> Result<Legality> {
        let mut nodes = Vec::new();
        walk(
            &self.cursor(),
            dependences,
            &mut |cursor, local| {
                let here = Here::new(cursor, budget)?;
                let nothing = UnionMap::empty(local.params_space());
                let split = match cursor.node() {
                    Node::Band(band, _) => here.by_band(local, band, budget)?,
                    node @ (Node::Sequence(_) | Node::Set(_)) => here.by_children(local, node, budget)?,
                    Node::Leaf => {
                        let left = nonempty(local, budget)?;
                        super::local::Split { earlier: nothing.clone(), violated: left, equal: nothing }
                    }
                    _ => return Ok(()),
                };
                let local = nonempty(local, budget)?;
                nodes.push(NodeLegality {
                    path: cursor.path().to_vec(),
                    kind: cursor.node().kind(),
                    satisfied: local.subtract(&split.violated, budget)?.coalesce(budget)?,
                    violated: nonempty(&split.violated, budget)?,
                    carried: nonempty(&split.earlier, budget)?,
                    remaining: nonempty(&split.equal, budget)?,
                    local,
                });
                Ok(())
            },
            budget,
        )?;
        Ok(Legality { nodes })
    }

    /// The same tree with flags that say exactly what dependences allow: a band is permutable if no member has a
    /// negative distance for a pair of `validity` that reaches the band, and a member is coincident if all pairs of
    /// `coincidence` that reach the band have distance zero in it.
    pub fn with_true_flags(
        &self,
        validity: &UnionMap,
        coincidence: &UnionMap,
        budget: &Budget,
    ) -> Result<ScheduleTree> {
        let mut tree = self.clone();
        for flags in self.true_flags(validity, coincidence, budget)? {
            if let Some(cursor) = tree.cursor_at(&flags.path) {
                let changed = cursor.update_band(|band, members| {
                    band.permutable = flags.permutable;
                    for (member, coincident) in members.iter_mut().zip(&flags.coincident) {
                        member.coincident = *coincident;
                    }
                });
                tree = changed.map_or(tree, Cursor::into_tree);
            }
        }
        Ok(tree)
    }

    /// For each of some bands, whether all its members are coincident: whether all pairs that reach the band have distance zero in them.
    /// False for what is no band. Exact. Cost: an emptiness test per pair of statements and node on the way to one of them.
    pub fn are_coincident(&self, bands: &[Path], coincidence: &UnionMap, budget: &Budget) -> Result<Vec<bool>> {
        let mut result = vec![false; bands.len()];
        walk_to(
            &self.cursor(),
            coincidence,
            &|path| bands.iter().any(|band| band.starts_with(path)),
            &mut |cursor, local| {
                let Node::Band(band, _) = cursor.node() else { return Ok(()) };
                let Some(wanted) = bands.iter().position(|path| path == cursor.path()) else { return Ok(()) };
                result[wanted] = stands_still(cursor, band, local, budget)?.iter().all(|still| *still);
                Ok(())
            },
            budget,
        )?;
        Ok(result)
    }

    /// The flags that dependences allow, for every band.
    pub fn true_flags(&self, validity: &UnionMap, coincidence: &UnionMap, budget: &Budget) -> Result<Vec<TrueFlags>> {
        let mut result: Vec<TrueFlags> = Vec::new();
        walk(
            &self.cursor(),
            validity,
            &mut |cursor, local| {
                if let Node::Band(band, _) = cursor.node() {
                    let here = Here::new(cursor, budget)?;
                    let mut permutable = true;
                    for member in band.members() {
                        permutable =
                            permutable && here.compared(local, member, Comparison::Greater, budget)?.is_plainly_empty();
                    }
                    result.push(TrueFlags { path: cursor.path().to_vec(), permutable, coincident: Vec::new() });
                }
                Ok(())
            },
            budget,
        )?;
        let mut bands = result.iter_mut();
        walk(
            &self.cursor(),
            coincidence,
            &mut |cursor, local| {
                if let Node::Band(band, _) = cursor.node()
                    && let Some(flags) = bands.next()
                {
                    flags.coincident = stands_still(cursor, band, local, budget)?;
                }
                Ok(())
            },
            budget,
        )?;
        Ok(result)
    }
}

/// For each member of a band, whether it has distance zero for all pairs.
fn stands_still(cursor: &Cursor, band: &Band, pairs: &UnionMap, budget: &Budget) -> Result<Vec<bool>> {
    let here = Here::new(cursor, budget)?;
    let mut found = Vec::new();
    for member in band.members() {
        let mut still = true;
        for order in [Comparison::Less, Comparison::Greater] {
            still = still && here.compared(pairs, member, order, budget)?.is_plainly_empty();
        }
        found.push(still);
    }
    Ok(found)
}

/// The flags of one band that dependences allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrueFlags {
    /// The band.
    pub path: Path,
    /// Whether all members have only distances that are not negative.
    pub permutable: bool,
    /// For each member, whether all distances are zero.
    pub coincident: Vec<bool>,
}

impl Cursor {
    /// The result of an edit, if the tree respects the dependences, with all flags that they allow: the checked form of
    /// every edit, as in `cursor.fuse(0, 1)?.checked(&dependences, &budget)`. The error names what is violated.
    pub fn checked(self, dependences: &UnionMap, budget: &Budget) -> Edited {
        let legality = self.tree().legality(dependences, budget)?;
        if let Some(node) = legality.violations().next() {
            return Err(EditError::Illegal { path: node.path.clone(), violated: node.violated.to_string() });
        }
        let path = self.path().to_vec();
        let tree = self.tree().with_true_flags(dependences, dependences, budget)?;
        Ok(tree.cursor_at(&path).unwrap_or(self))
    }
}
