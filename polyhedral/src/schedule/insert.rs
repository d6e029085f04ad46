//! Edits that insert nodes above the cursor, and those that remove them.

use std::sync::Arc;

use crate::affine::MultiUnionPwAff;
use crate::budget::Budget;
use crate::relation::{Set, UnionMap, UnionSet};
use crate::space::DimKind;

use super::band::Band;
use super::cursor::Cursor;
use super::edit::{EditError, Edited};
use super::instances::Instances;
use super::mark::Mark;
use super::tree::Node;

impl Cursor {
    pub(super) fn refuse<T>(&self, what: impl Into<String>) -> Result<T, EditError> {
        Err(EditError::NotAllowed { path: self.path().to_vec(), what: what.into() })
    }

    /// Whether the parent is a sequence or a set, whose children are filters.
    pub(super) fn is_branch(&self) -> bool {
        self.parent().is_some_and(|parent| matches!(parent.node(), Node::Sequence(_) | Node::Set(_)))
    }

    /// Checks that a node that is no filter can be put above the node here.
    fn check_place(&self) -> Result<(), EditError> {
        if self.is_branch() {
            return Err(EditError::AboveFilter { path: self.path().to_vec() });
        }
        let above_domain = matches!(self.node(), Node::Domain(..))
            || (self.path().is_empty() && matches!(self.node(), Node::Extension(..) | Node::Context(..)));
        if above_domain {
            self.refuse("nothing but a context can stand above the root of a schedule tree")
        } else {
            Ok(())
        }
    }

    /// The edit `what` is not possible if something below refers to the members of outer bands.
    pub(super) fn check_not_anchored(&self, operation: &'static str) -> Result<(), EditError> {
        if self.is_anchored() {
            return Err(EditError::Anchored { path: self.path().to_vec(), operation });
        }
        Ok(())
    }

    /// Inserts a mark. The cursor is at the mark.
    pub fn insert_mark(&self, mark: impl Into<Mark>) -> Edited {
        self.check_place()?;
        Ok(self.with_node(Node::mark(mark, self.node().clone())))
    }

    /// Inserts a context: constraints that are assumed below. The cursor is at the context. A set with dimensions is
    /// about the members of the outer bands, as many as there are.
    pub fn insert_context(&self, context: Set) -> Edited {
        self.check_place()?;
        self.check_outer(&context)?;
        Ok(self.with_node(Node::context(context, self.node().clone())))
    }

    /// Inserts a guard: constraints that are enforced. See [`Cursor::insert_context`].
    pub fn insert_guard(&self, guard: Set) -> Edited {
        self.check_place()?;
        self.check_outer(&guard)?;
        Ok(self.with_node(Node::guard(guard, self.node().clone())))
    }

    fn check_outer(&self, set: &Set) -> Result<(), EditError> {
        let (found, depth) = (set.space().dim(DimKind::Out), self.schedule_depth());
        if found > 0 && found != depth {
            return self
                .refuse(format!("the set {set} has {found} dimensions, but there are {depth} outer band members"));
        }
        Ok(())
    }

    /// Inserts a filter, or intersects the filter that is here with it. The cursor is at the filter. A filter cannot
    /// bring in parameters that nothing above binds; [`ScheduleTree::verify`](super::ScheduleTree::verify) finds that.
    pub fn insert_filter(&self, instances: &UnionSet, budget: &Budget) -> Edited {
        if let Node::Filter(present, child) = self.node() {
            let both = present.to_union_set()?.intersect(instances, budget)?;
            let both = Instances::from_union_set(&both.coalesce(budget)?)?;
            return Ok(self.with_node(Node::Filter(both, child.clone())));
        }
        self.check_place()?;
        Ok(self.with_node(Node::filter(Instances::from_union_set(instances)?, self.node().clone())))
    }

    /// Inserts a band. The cursor is at the band. Its flags are the caller's claim;
    /// [`ScheduleTree::with_true_flags`](super::ScheduleTree::with_true_flags) corrects them. Flags of bands below stay
    /// true.
    pub fn insert_band(&self, band: Band) -> Edited {
        self.check_place()?;
        self.check_not_anchored("insert a band above")?;
        Ok(self.with_node(Node::band(band, self.node().clone())))
    }

    /// Inserts a band with a partial schedule, without flags. The cursor is at the band.
    pub fn insert_partial_schedule(&self, schedule: &MultiUnionPwAff) -> Edited {
        self.insert_band(Band::from_schedule(schedule)?)
    }

    /// Inserts a sequence of filters; below each is a copy of the node here, restricted to the statements of the
    /// filter. The cursor is at the sequence. The filters must be a partition of the instances that reach the node.
    pub fn insert_sequence(&self, filters: &[UnionSet], budget: &Budget) -> Edited {
        self.insert_branches(filters, Node::sequence, budget)
    }

    /// Inserts a set node; see [`Cursor::insert_sequence`].
    pub fn insert_set(&self, filters: &[UnionSet], budget: &Budget) -> Edited {
        self.insert_branches(filters, Node::set, budget)
    }

    pub(super) fn insert_branches(
        &self,
        filters: &[UnionSet],
        branch: impl FnOnce(Vec<Node>) -> Node,
        budget: &Budget,
    ) -> Edited {
        self.check_place()?;
        if filters.is_empty() {
            return self.refuse("a sequence or set needs at least one filter");
        }
        if self.node().has_extension() {
            // Copies would run the additional instances once each.
            return Err(EditError::Anchored { path: self.path().to_vec(), operation: "copy" });
        }
        self.check_partition(filters, budget)?;
        let mut children = Vec::with_capacity(filters.len());
        for filter in filters {
            let copy = self.node().restricted(&filter.universe());
            children.push(Node::filter(Instances::from_union_set(filter)?, copy));
        }
        Ok(self.with_node(branch(children)))
    }

    /// Whether filters are disjoint and cover what reaches the node; the error names an instance.
    fn check_partition(&self, filters: &[UnionSet], budget: &Budget) -> Result<(), EditError> {
        let domain = self.domain(budget)?;
        let mut rest = domain.clone();
        for (k, filter) in filters.iter().enumerate() {
            let part = domain.intersect(filter, budget)?;
            for (earlier, other) in filters[..k].iter().enumerate() {
                if let Some(witness) = instance(&part.intersect(other, budget)?, budget)? {
                    let what = format!("{witness} passes filter {earlier} and filter {k}; filters must be disjoint");
                    return Err(EditError::Partition { path: self.path().to_vec(), what });
                }
            }
            rest = rest.subtract(filter, budget)?;
        }
        match instance(&rest, budget)? {
            None => Ok(()),
            Some(witness) => Err(EditError::Partition {
                path: self.path().to_vec(),
                what: format!("{witness} passes no filter and would not be executed; filters must cover all instances"),
            }),
        }
    }

    /// Inserts an extension: more instances, relative to the members of the outer bands. The cursor is at the
    /// extension. They must not be among the instances that reach the node.
    pub fn insert_extension(&self, extension: UnionMap, budget: &Budget) -> Edited {
        self.check_place()?;
        self.check_extension(&extension, budget)?;
        Ok(self.with_node(Node::extension(extension, self.node().clone())))
    }

    pub(super) fn check_extension(&self, extension: &UnionMap, budget: &Budget) -> Result<(), EditError> {
        let depth = self.schedule_depth();
        for map in extension.members() {
            let n = map.space().dim(DimKind::In);
            if n != depth {
                return self
                    .refuse(format!("the extension {map} is about {n} outer band members, but there are {depth}"));
            }
        }
        let common = self.domain(budget)?.intersect(&extension.range(budget)?, budget)?;
        match instance(&common, budget)? {
            None => Ok(()),
            Some(witness) => self.refuse(format!("{witness} is scheduled already; an extension needs new instances")),
        }
    }

    /// Removes the node here; its child takes its place, and the cursor is there. Not for the root, sequences, sets and
    /// their filters, expansions, extensions (what is below would have no instances), and bands with an anchored
    /// subtree. Removing a band makes its dependences those of the bands below, which lose their flags.
    pub fn delete(&self) -> Edited {
        if self.is_branch() {
            return Err(EditError::AboveFilter { path: self.path().to_vec() });
        }
        match self.node() {
            Node::Domain(..) | Node::Extension(..) | Node::Expansion(..) | Node::Sequence(_) | Node::Set(_) => {
                self.refuse(format!("a node of the kind {} cannot be deleted", self.node().kind()))
            }
            Node::Leaf => self.refuse("there is no node here to delete"),
            Node::Band(..) => {
                let child = self.only_child();
                if child.is_anchored() {
                    return Err(EditError::Anchored { path: self.path().to_vec(), operation: "delete a band above" });
                }
                Ok(self.with_node(child.without_flags()))
            }
            _ => Ok(self.with_node((*self.only_child()).clone())),
        }
    }

    /// Removes the node here and all below it. The cursor is at the leaf that remains. Not for the root and the filters
    /// of sequences and sets.
    pub fn cut(&self) -> Edited {
        if self.is_branch() {
            return Err(EditError::AboveFilter { path: self.path().to_vec() });
        }
        match self.node() {
            Node::Domain(..) => self.refuse("the domain of a schedule tree cannot be removed"),
            _ if self.path().is_empty() => self.refuse("the root of a schedule tree cannot be removed"),
            _ => Ok(self.with_node(Node::Leaf)),
        }
    }
}

/// Some instance as text, if there is one.
pub(super) fn instance(instances: &UnionSet, budget: &Budget) -> Result<Option<String>, EditError> {
    let Some((space, point)) = instances.sample(budget)? else { return Ok(None) };
    let (params, dims) = point.split_at(space.param_names().len());
    let dims: Vec<String> = dims.iter().map(ToString::to_string).collect();
    let mut text = format!("{}[{}]", space.range_tuple().name().map_or("", |name| &**name), dims.join(", "));
    for (k, (name, value)) in space.param_names().iter().zip(params).enumerate() {
        text += &format!("{}{name} = {value}", if k == 0 { " for " } else { ", " });
    }
    Ok(Some(text))
}

impl Node {
    /// Whether an extension is at or below the node.
    pub(crate) fn has_extension(&self) -> bool {
        matches!(self, Node::Extension(..)) || self.children().iter().any(|child| child.has_extension())
    }

    /// The same subtree with all flags of bands cleared.
    pub(super) fn without_flags(&self) -> Node {
        let children = self.children().iter().map(|child| Arc::new(child.without_flags())).collect();
        match self {
            Node::Band(band, _) => Node::Band(band.without_flags(), Arc::new(self.children()[0].without_flags())),
            other => other.with_children(children),
        }
    }

    /// The same subtree without sequences of one part, whose filter says nothing, at or below the node.
    pub(crate) fn without_single_parts(&self) -> Node {
        if let Node::Sequence(parts) = self
            && let [only] = parts.as_slice()
            && let Node::Filter(_, child) = &**only
        {
            return child.without_single_parts();
        }
        let children = self.children().iter().map(|child| Arc::new(child.without_single_parts())).collect();
        self.with_children(children)
    }

    /// The same subtree without the statements that are not in `statements` (sets of all instances); branches that
    /// nothing reaches are dropped, except for the last one.
    pub(super) fn restricted(&self, statements: &UnionSet) -> Node {
        let names: Vec<_> = statements.members().map(|set| super::instances::statement_name(set.space())).collect();
        self.keeping(&names)
    }

    fn keeping(&self, names: &[crate::space::Name]) -> Node {
        match self {
            Node::Band(band, child) => Node::Band(band.keeping(names), Arc::new(child.keeping(names))),
            Node::Sequence(children) | Node::Set(children) => {
                let reached = |child: &&Arc<Node>| match &***child {
                    Node::Filter(instances, _) => instances.iter().any(|(name, _)| names.contains(name)),
                    _ => true,
                };
                let kept: Vec<Arc<Node>> =
                    children.iter().filter(reached).map(|child| Arc::new(child.keeping(names))).collect();
                if kept.is_empty() { Node::Leaf } else { self.with_children(kept) }
            }
            Node::Filter(instances, child) => {
                let kept = instances.iter().filter(|(name, _)| names.contains(name)).map(|(_, set)| set.clone());
                match Instances::from_sets(kept) {
                    Ok(kept) => Node::Filter(kept, Arc::new(child.keeping(names))),
                    Err(_) => self.clone(),
                }
            }
            // Below an expansion the statements have other names.
            Node::Expansion(..) | Node::Extension(..) | Node::Leaf => self.clone(),
            other => other.with_children(other.children().iter().map(|child| Arc::new(child.keeping(names))).collect()),
        }
    }
}
