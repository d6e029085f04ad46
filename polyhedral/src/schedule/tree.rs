//! [`ScheduleTree`] and its [`Node`]s.

use std::sync::Arc;

use crate::affine::UnionPwMultiAff;
use crate::relation::{Set, UnionMap};

use super::band::Band;
use super::instances::Instances;
use super::mark::Mark;

/// The position of a node: the index of the child to take at every step down from the root. Nodes with one child have
/// only index 0; the empty path is the root.
pub type Path = Vec<usize>;

/// A node of a schedule tree with everything below it.
///
/// The children of [`Node::Sequence`] and [`Node::Set`] are filters that partition the instances which reach the node.
/// [`ScheduleTree::verify`](super::ScheduleTree::verify) checks that and all other rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// Introduces the statement instances. Only at the root, or below context nodes at the root.
    Domain(Instances, Arc<Node>),
    /// Constraints that may be assumed below: on the parameters, or, if the set has dimensions, also on the members of
    /// all outer bands. The only node below the root that may introduce parameters.
    Context(Set, Arc<Node>),
    /// Constraints in the same form that must be enforced: what is below runs only where they hold.
    Guard(Set, Arc<Node>),
    /// Introduces more statement instances below, relative to the members of all outer bands: `[t0, .., tk] -> C[..]`.
    Extension(UnionMap, Arc<Node>),
    /// Replaces instances by groups of others.
    Expansion(Expansion, Arc<Node>),
    /// Keeps a subset of the instances.
    Filter(Instances, Arc<Node>),
    /// Children in order.
    Sequence(Vec<Arc<Node>>),
    /// Children in any order.
    Set(Vec<Arc<Node>>),
    /// Instances in the lexicographic order of the members of the band.
    Band(Band, Arc<Node>),
    /// Something about the subtree: a name, or how it is mapped to a device. Its text becomes a mark in the AST.
    Mark(Mark, Arc<Node>),
    /// Imposes no order.
    Leaf,
}

/// What an expansion node does: above it one instance stands for a group, below it the members of the group are
/// scheduled.
///
/// Example: `G[i] -> S[i]; G[i] -> T[i]` with the contraction `S[i] -> G[i]; T[i] -> G[i]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expansion {
    /// The representative of every instance below.
    pub contraction: UnionPwMultiAff,
    /// The instances of every group; the inverse of the contraction, possibly restricted.
    pub expansion: UnionMap,
}

impl Node {
    /// A leaf.
    pub fn leaf() -> Node {
        Node::Leaf
    }

    /// A filter above a node.
    pub fn filter(instances: Instances, child: Node) -> Node {
        Node::Filter(instances, Arc::new(child))
    }

    /// A sequence of filters with their subtrees.
    pub fn sequence(children: Vec<Node>) -> Node {
        Node::Sequence(children.into_iter().map(Arc::new).collect())
    }

    /// A set of filters with their subtrees.
    pub fn set(children: Vec<Node>) -> Node {
        Node::Set(children.into_iter().map(Arc::new).collect())
    }

    /// A band above a node.
    pub fn band(band: Band, child: Node) -> Node {
        Node::Band(band, Arc::new(child))
    }

    /// A mark above a node.
    pub fn mark(mark: impl Into<Mark>, child: Node) -> Node {
        Node::Mark(mark.into(), Arc::new(child))
    }

    /// A context above a node.
    pub fn context(context: Set, child: Node) -> Node {
        Node::Context(context, Arc::new(child))
    }

    /// A guard above a node.
    pub fn guard(guard: Set, child: Node) -> Node {
        Node::Guard(guard, Arc::new(child))
    }

    /// An extension above a node.
    pub fn extension(extension: UnionMap, child: Node) -> Node {
        Node::Extension(extension, Arc::new(child))
    }

    /// An expansion above a node.
    pub fn expansion(contraction: UnionPwMultiAff, expansion: UnionMap, child: Node) -> Node {
        Node::Expansion(Expansion { contraction, expansion }, Arc::new(child))
    }

    /// The children in order.
    pub fn children(&self) -> &[Arc<Node>] {
        match self {
            Node::Domain(_, child)
            | Node::Context(_, child)
            | Node::Guard(_, child)
            | Node::Extension(_, child)
            | Node::Expansion(_, child)
            | Node::Filter(_, child)
            | Node::Band(_, child)
            | Node::Mark(_, child) => std::slice::from_ref(child),
            Node::Sequence(children) | Node::Set(children) => children,
            Node::Leaf => &[],
        }
    }

    /// The same node with other children; their number must not change.
    pub(crate) fn with_children(&self, children: Vec<Arc<Node>>) -> Node {
        let mut children = children;
        let mut only = || children.pop().unwrap_or_else(|| Arc::new(Node::Leaf));
        match self {
            Node::Domain(instances, _) => Node::Domain(instances.clone(), only()),
            Node::Context(context, _) => Node::Context(context.clone(), only()),
            Node::Guard(guard, _) => Node::Guard(guard.clone(), only()),
            Node::Extension(extension, _) => Node::Extension(extension.clone(), only()),
            Node::Expansion(expansion, _) => Node::Expansion(expansion.clone(), only()),
            Node::Filter(instances, _) => Node::Filter(instances.clone(), only()),
            Node::Band(band, _) => Node::Band(band.clone(), only()),
            Node::Mark(name, _) => Node::Mark(name.clone(), only()),
            Node::Sequence(_) => Node::Sequence(children),
            Node::Set(_) => Node::Set(children),
            Node::Leaf => Node::Leaf,
        }
    }

    /// The name of the kind of node, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Node::Domain(..) => "domain",
            Node::Context(..) => "context",
            Node::Guard(..) => "guard",
            Node::Extension(..) => "extension",
            Node::Expansion(..) => "expansion",
            Node::Filter(..) => "filter",
            Node::Sequence(_) => "sequence",
            Node::Set(_) => "set",
            Node::Band(..) => "band",
            Node::Mark(..) => "mark",
            Node::Leaf => "leaf",
        }
    }
}

/// A schedule tree: an immutable shared value. See the module documentation of [`schedule`](super).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleTree {
    root: Arc<Node>,
}

impl ScheduleTree {
    /// The tree that schedules `domain` by `child`.
    pub fn new(domain: Instances, child: Node) -> ScheduleTree {
        ScheduleTree::from_root(Node::Domain(domain, Arc::new(child)))
    }

    /// The tree with a given root: a domain, or contexts above a domain, or an extension (a tree that is to be
    /// grafted).
    pub fn from_root(root: Node) -> ScheduleTree {
        ScheduleTree { root: Arc::new(root) }
    }

    /// The root node.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The node at a path, if there is one.
    pub fn node(&self, path: &[usize]) -> Option<&Node> {
        path.iter().try_fold(&*self.root, |node, &index| node.children().get(index).map(|child| &**child))
    }

    /// All nodes with their paths, in preorder.
    pub fn nodes(&self) -> Vec<(Path, &Node)> {
        fn visit<'t>(node: &'t Node, path: &mut Path, result: &mut Vec<(Path, &'t Node)>) {
            result.push((path.clone(), node));
            for (index, child) in node.children().iter().enumerate() {
                path.push(index);
                visit(child, path, result);
                path.pop();
            }
        }
        let mut result = Vec::new();
        visit(&self.root, &mut Path::new(), &mut result);
        result
    }

    /// All bands with their paths, in preorder. The position in this list is the number of the band
    /// ([`MemberId::band`](crate::ast::MemberId::band)).
    pub fn bands(&self) -> Vec<(Path, &Band)> {
        let mut bands = Vec::new();
        for (path, node) in self.nodes() {
            if let Node::Band(band, _) = node {
                bands.push((path, band));
            }
        }
        bands
    }

    /// The instances that the tree schedules: those of its domain node.
    pub fn domain(&self) -> Option<&Instances> {
        let mut node = &*self.root;
        loop {
            match node {
                Node::Domain(instances, _) => return Some(instances),
                Node::Context(_, child) => node = child,
                _ => return None,
            }
        }
    }

    /// The same tree with the subtree at a path replaced; nothing if there is no such path.
    pub(super) fn replaced(&self, path: &[usize], subtree: Node) -> Option<ScheduleTree> {
        fn replace(node: &Node, path: &[usize], subtree: Node) -> Option<Node> {
            let Some((&index, rest)) = path.split_first() else { return Some(subtree) };
            let mut children = node.children().to_vec();
            let child = children.get_mut(index)?;
            *child = Arc::new(replace(child, rest, subtree)?);
            Some(node.with_children(children))
        }
        Some(ScheduleTree::from_root(replace(&self.root, path, subtree)?))
    }
}
