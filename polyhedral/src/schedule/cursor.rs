//! [`Cursor`]: a position in a schedule tree.
//!
//! A cursor is a value: it holds its tree, moving returns another cursor, and an edit returns a cursor on the new tree,
//! at the node that the edit made or changed. The old tree and cursors on it stay valid and share what did not change.
//! A local edit costs the nodes on the path to the root.

use std::sync::Arc;

use super::edit::EditError;
use super::tree::{Node, ScheduleTree};

/// See the module documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    tree: ScheduleTree,
    path: Vec<usize>,
}

impl ScheduleTree {
    /// A cursor at the root.
    pub fn cursor(&self) -> Cursor {
        Cursor { tree: self.clone(), path: Vec::new() }
    }

    /// A cursor at a path; nothing if there is no such node.
    pub fn cursor_at(&self, path: &[usize]) -> Option<Cursor> {
        self.node(path)?;
        Some(Cursor { tree: self.clone(), path: path.to_vec() })
    }

    /// All positions in preorder.
    pub fn cursors(&self) -> Vec<Cursor> {
        self.nodes().into_iter().map(|(path, _)| Cursor { tree: self.clone(), path }).collect()
    }
}

impl Cursor {
    /// The tree.
    pub fn tree(&self) -> &ScheduleTree {
        &self.tree
    }

    /// The tree, of a cursor that is no longer needed.
    pub fn into_tree(self) -> ScheduleTree {
        self.tree
    }

    /// The path from the root.
    pub fn path(&self) -> &[usize] {
        &self.path
    }

    /// The node here, with everything below it.
    pub fn node(&self) -> &Node {
        // The path was checked when the cursor was made, and trees do not change.
        self.tree.node(&self.path).unwrap_or_else(|| self.tree.root())
    }

    fn at(&self, path: Vec<usize>) -> Cursor {
        Cursor { tree: self.tree.clone(), path }
    }

    /// The root.
    pub fn root(&self) -> Cursor {
        self.at(Vec::new())
    }

    /// The parent; nothing at the root.
    pub fn parent(&self) -> Option<Cursor> {
        self.ancestor(1)
    }

    /// The ancestor so many generations up; itself for 0.
    pub fn ancestor(&self, generations: usize) -> Option<Cursor> {
        let length = self.path.len().checked_sub(generations)?;
        Some(self.at(self.path[..length].to_vec()))
    }

    /// All ancestors, the root first, without the node itself.
    pub fn ancestors(&self) -> impl Iterator<Item = Cursor> + '_ {
        (0..self.path.len()).map(|length| self.at(self.path[..length].to_vec()))
    }

    /// The child at a position.
    pub fn child(&self, position: usize) -> Option<Cursor> {
        let child = self.node().children().get(position).is_some();
        child.then(|| self.at([&self.path[..], &[position]].concat()))
    }

    /// The children in order.
    pub fn children(&self) -> Vec<Cursor> {
        (0..self.node().children().len()).filter_map(|position| self.child(position)).collect()
    }

    /// The position among the children of the parent; nothing at the root.
    pub fn position(&self) -> Option<usize> {
        self.path.last().copied()
    }

    fn sibling(&self, position: Option<usize>) -> Option<Cursor> {
        self.parent()?.child(position?)
    }

    /// The next child of the same parent.
    pub fn next_sibling(&self) -> Option<Cursor> {
        self.sibling(self.position().map(|k| k + 1))
    }

    /// The previous child of the same parent.
    pub fn previous_sibling(&self) -> Option<Cursor> {
        self.sibling(self.position().and_then(|k| k.checked_sub(1)))
    }

    /// The number of nodes above.
    pub fn depth(&self) -> usize {
        self.path.len()
    }

    /// The number of band members above: the length of the prefix schedule.
    pub fn schedule_depth(&self) -> usize {
        self.ancestors().map(|above| if let Node::Band(band, _) = above.node() { band.len() } else { 0 }).sum()
    }

    /// The deepest node that is an ancestor of (or equal to) both positions, of cursors on one tree.
    pub fn shared_ancestor(&self, other: &Cursor) -> Cursor {
        let length = self.path.iter().zip(&other.path).take_while(|(a, b)| a == b).count();
        self.at(self.path[..length].to_vec())
    }

    /// Whether the subtree refers to the members of bands above it, so that these cannot be changed: whether it has a
    /// context, guard or extension with dimensions, or a band with an `isolate` option. Those that belong to bands
    /// inside the subtree count too, as they count the members of all outer bands.
    pub fn is_anchored(&self) -> bool {
        self.node().is_anchored()
    }

    /// The first descendant (or the node itself), in preorder, for which `f` is true; where it is false the children
    /// are searched.
    pub fn find(&self, f: &mut dyn FnMut(&Cursor) -> bool) -> Option<Cursor> {
        if f(self) {
            return Some(self.clone());
        }
        self.children().iter().find_map(|child| child.find(f))
    }

    /// Visits the node and its descendants in preorder; below a node for which `f` is false nothing is visited.
    pub fn visit(&self, f: &mut dyn FnMut(&Cursor) -> bool) {
        if f(self) {
            self.children().iter().for_each(|child| child.visit(f));
        }
    }

    /// Edits every node below (and including) this one, children before parents. `f` gets a cursor at the node and
    /// returns one at the node that now is in its place.
    pub fn map_bottom_up(&self, f: &mut dyn FnMut(Cursor) -> Result<Cursor, EditError>) -> Result<Cursor, EditError> {
        let mut here = self.clone();
        for position in 0..self.node().children().len() {
            if let Some(child) = here.child(position) {
                let path = here.path.clone();
                here = child.map_bottom_up(f)?;
                here.path = path;
            }
        }
        f(here)
    }

    /// The same position in the tree with another subtree here.
    pub(crate) fn with_node(&self, node: Node) -> Cursor {
        let tree = self.tree.replaced(&self.path, node);
        Cursor { tree: tree.unwrap_or_else(|| self.tree.clone()), path: self.path.clone() }
    }

    /// The same tree with another position, which must exist.
    pub(super) fn moved(&self, path: Vec<usize>) -> Cursor {
        debug_assert!(self.tree.node(&path).is_some());
        self.at(path)
    }

    /// The only child of the node, shared; a leaf where there is none.
    pub(super) fn only_child(&self) -> Arc<Node> {
        self.node().children().first().cloned().unwrap_or_else(|| Arc::new(Node::Leaf))
    }
}

impl Node {
    /// See [`Cursor::is_anchored`].
    pub fn is_anchored(&self) -> bool {
        use crate::space::DimKind;
        let here = match self {
            Node::Context(set, _) | Node::Guard(set, _) => set.space().dim(DimKind::Out) > 0,
            Node::Extension(..) => true,
            Node::Band(band, _) => band.isolate.is_some(),
            _ => false,
        };
        here || self.children().iter().any(|child| child.is_anchored())
    }
}
