//! Edits of a whole tree or subtree that concern its instances: restriction, simplification, renaming, grouping.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::affine::{PwAff, UnionPwMultiAff};
use crate::budget::Budget;
use crate::error::Result as Computed;
use crate::relation::{Set, UnionMap, UnionSet};
use crate::space::{Name, Space};

use super::band::{Band, Member};
use super::cursor::Cursor;
use super::edit::{EditError, Edited};
use super::instances::{Instances, statement_name};
use super::tree::{Expansion, Node, ScheduleTree};

/// An edit of the parts of nodes that are about instances.
struct Rewrite<'r> {
    instances: &'r dyn Fn(&UnionSet) -> Computed<UnionSet>,
    function: &'r dyn Fn(&Name, &PwAff) -> Computed<Vec<PwAff>>,
    /// Constraints on parameters and outer members.
    condition: &'r dyn Fn(&Set) -> Computed<Set>,
    expansion: &'r dyn Fn(&Expansion) -> Computed<Option<Expansion>>,
}

impl Rewrite<'_> {
    fn set(&self, instances: &Instances) -> Computed<Instances> {
        Instances::from_union_set(&(self.instances)(&instances.to_union_set()?)?)
    }

    fn node(&self, node: &Node) -> Computed<Node> {
        let below = |child: &Arc<Node>| self.node(child).map(Arc::new);
        Ok(match node {
            Node::Domain(instances, child) => Node::Domain(self.set(instances)?, below(child)?),
            Node::Filter(instances, child) => Node::Filter(self.set(instances)?, below(child)?),
            Node::Context(set, child) => Node::Context((self.condition)(set)?, below(child)?),
            Node::Guard(set, child) => Node::Guard((self.condition)(set)?, below(child)?),
            Node::Band(band, child) => Node::Band(self.band(band)?, below(child)?),
            // What an extension introduces, and what an expansion makes, has names of its own below.
            Node::Extension(..) => node.clone(),
            Node::Expansion(expansion, child) => match (self.expansion)(expansion)? {
                Some(expansion) => Node::Expansion(expansion, child.clone()),
                None => node.clone(),
            },
            Node::Sequence(children) | Node::Set(children) => {
                node.with_children(children.iter().map(below).collect::<Computed<_>>()?)
            }
            Node::Mark(name, child) => Node::Mark(name.clone(), below(child)?),
            Node::Leaf => Node::Leaf,
        })
    }

    fn band(&self, band: &Band) -> Computed<Band> {
        let mut members = Vec::with_capacity(band.len());
        for member in band.members() {
            let mut exprs = BTreeMap::new();
            for (name, function) in member.exprs() {
                for new in (self.function)(name, function)? {
                    exprs.insert(statement_name(new.space()), new);
                }
            }
            members.push(member.with_exprs(exprs));
        }
        Ok(band.with_members(members))
    }
}

impl ScheduleTree {
    fn rewritten(&self, rewrite: &Rewrite<'_>) -> Result<ScheduleTree, EditError> {
        Ok(ScheduleTree::from_root(rewrite.node(self.root())?))
    }

    /// The same tree for the instances in `set` only. Flags stay true.
    pub fn intersect_domain(&self, set: &UnionSet, budget: &Budget) -> Result<ScheduleTree, EditError> {
        let mut top = self.cursor();
        while let Node::Context(..) = top.node() {
            top = match top.child(0) {
                Some(child) => child,
                None => break,
            };
        }
        let Node::Domain(instances, child) = top.node() else {
            return top.refuse("there is no domain at the root");
        };
        let kept = instances.to_union_set()?.intersect(set, budget)?.coalesce(budget)?;
        let child = child.restricted(&kept.universe());
        Ok(top.with_node(Node::domain(Instances::from_union_set(&kept)?, child)).into_tree())
    }

    /// The same tree with domain constraints on the parameters that follow from `context` left out, and filters and functions
    /// simplified.
    pub fn gist_params(&self, context: &Set, budget: &Budget) -> Result<ScheduleTree, EditError> {
        self.rewritten(&Rewrite {
            instances: &|set| set.gist_params(context, budget),
            function: &|_, function| Ok(vec![function.gist_params(context, budget)?]),
            condition: &|set| set.gist_params(context, budget),
            expansion: &|_| Ok(None),
        })
    }

    /// The same order for other instances: every instance stands for its image under `function`. What was said about an image is
    /// now said about all instances that have it.
    pub fn pullback(&self, function: &UnionPwMultiAff, budget: &Budget) -> Result<ScheduleTree, EditError> {
        self.rewritten(&Rewrite {
            instances: &|set| set.preimage_union(function, budget),
            function: &|name, expression| pulled(name, expression, function, budget),
            condition: &|set| Ok(set.clone()),
            expansion: &|expansion| {
                let graph = function.to_union_map(budget)?;
                let contraction = expansion.contraction.to_union_map(budget)?.apply_range(&graph.reverse()?, budget)?;
                let contraction = UnionPwMultiAff::from_union_map(&contraction, budget)?;
                let expansion = graph.apply_range(&expansion.expansion, budget)?;
                Ok(Some(Expansion { contraction, expansion }))
            },
        })
    }
}

/// The functions of the statements that are mapped to a statement.
fn pulled(name: &Name, expression: &PwAff, function: &UnionPwMultiAff, budget: &Budget) -> Computed<Vec<PwAff>> {
    let mut result = Vec::new();
    for member in function.members().filter(|member| statement_name(&member.space().range()) == *name) {
        result.push(expression.pullback_pw(member, budget)?.coalesce(budget)?);
    }
    Ok(result)
}

impl Cursor {
    /// Simplifies the subtree for instances in `context`: filters and functions may change outside it. Not above a domain.
    pub fn gist(&self, context: &UnionSet, budget: &Budget) -> Edited {
        if self.find(&mut |below| matches!(below.node(), Node::Domain(..))).is_some() {
            return self.refuse("a domain does not change; simplify what is below it");
        }
        let rewrite = Rewrite {
            instances: &|set| set.gist(context, budget),
            function: &|_, function| {
                let known = context.extract(function.space());
                Ok(vec![if known.is_plainly_empty() { function.clone() } else { function.gist(&known, budget)? }])
            },
            condition: &|set| Ok(set.clone()),
            expansion: &|_| Ok(None),
        };
        Ok(self.with_node(rewrite.node(self.node())?))
    }

    /// Groups the instances that reach the node at one point of the outer bands: above the node one instance `name[t0, .., tk]` stands
    /// for all of them, and an expansion brings them back. The cursor is at the node. Not for nodes with an anchored subtree.
    ///
    /// The tree above is rewritten for the groups; it must order all instances of a group equally, which is checked.
    pub fn group(&self, name: &str, budget: &Budget) -> Edited {
        if self.is_branch() {
            return Err(EditError::AboveFilter { path: self.path().to_vec() });
        }
        self.check_not_anchored("group instances above")?;
        if let Some(found) = self.ancestors().find(|above| {
            matches!(above.node(), Node::Extension(..) | Node::Expansion(..) | Node::Context(..))
                && above.node().is_anchored()
                || matches!(above.node(), Node::Expansion(..))
        }) {
            let kind = found.node().kind();
            return self.refuse(format!("there is a {kind} above, which would have to be rewritten for the groups"));
        }
        let depth = self.schedule_depth();
        let names: Vec<String> = (0..depth).map(|k| format!("t{k}")).collect();
        let prefix = self.prefix_relation(budget)?;
        let mut contraction = Vec::new();
        for map in prefix.members() {
            let space = Space::set(&map.space().params_space(), name, &names);
            contraction.push(map.with_space(&Space::map(&map.space().domain(), &space))?);
        }
        let members = UnionMap::from_members(contraction)?;
        if members.is_plainly_empty() {
            return self.refuse("no instance reaches the node");
        }
        let functions = UnionPwMultiAff::from_union_map(&members, budget)?;
        let groups = members.range(budget)?.coalesce(budget)?;
        // The order of the groups is that of their coordinates, as far as the bands above order them.
        let mut path = Vec::new();
        let root = self.grouped(self.tree().root(), 0, 0, &groups, &members, &mut path, budget)?;
        let expansion = Node::expansion(functions, members.reverse()?, self.node().clone());
        let tree = ScheduleTree::from_root(root);
        let Some(place) = tree.cursor_at(self.path()) else { return self.refuse("the tree above cannot be rewritten") };
        let edited = place.with_node(expansion);
        edited.child(0).map_or_else(|| self.refuse("the tree above cannot be rewritten"), Ok)
    }

    /// The tree with groups in place of the instances that reach the cursor, on the path to it. Other branches keep what they have.
    #[expect(clippy::too_many_arguments, reason = "one recursion over the path")]
    fn grouped(
        &self,
        node: &Node,
        level: usize,
        offset: usize,
        groups: &UnionSet,
        members: &UnionMap,
        path: &mut Vec<usize>,
        budget: &Budget,
    ) -> Result<Node, EditError> {
        let Some(&next) = self.path().get(level) else { return Ok(Node::Leaf) };
        let statements = members.domain(budget)?;
        let replace = |instances: &Instances| -> Result<Instances, EditError> {
            let set = instances.to_union_set()?;
            let inside = set.intersect(&statements, budget)?;
            let outside = set.subtract(&statements, budget)?.coalesce(budget)?;
            let mine = inside.apply(members, budget)?.coalesce(budget)?;
            // A group must pass as a whole.
            let cut = statements.subtract(&set, budget)?.apply(members, budget)?.intersect(&mine, budget)?;
            if !cut.is_empty(budget)? {
                return self.refuse("a filter above separates instances of one group");
            }
            Ok(Instances::from_union_set(&drop_empty(&outside, budget)?.union(&mine)?)?)
        };
        let mut child = |k: usize, offset: usize| -> Result<Arc<Node>, EditError> {
            path.push(k);
            let result =
                self.grouped(&node.children()[k], level + 1, offset, groups, members, path, budget).map(Arc::new);
            path.pop();
            result
        };
        Ok(match node {
            Node::Domain(instances, _) => Node::Domain(replace(instances)?, child(0, offset)?),
            Node::Filter(instances, _) => Node::Filter(replace(instances)?, child(0, offset)?),
            Node::Band(band, _) => {
                let mut new = Vec::with_capacity(band.len());
                for (k, member) in band.members().iter().enumerate() {
                    let kept = statements_left(member, &statements);
                    let mut exprs: BTreeMap<Name, PwAff> = kept.into_iter().collect();
                    for set in groups.members() {
                        let aff = crate::affine::Aff::var(set.space().clone(), offset + k)?;
                        exprs.insert(statement_name(set.space()), PwAff::from_aff(aff));
                    }
                    new.push(member.with_exprs(exprs));
                }
                Node::Band(band.with_members(new), child(0, offset + band.len())?)
            }
            Node::Sequence(children) | Node::Set(children) => {
                let mut all = children.clone();
                all[next] = child(next, offset)?;
                node.with_children(all)
            }
            other => other.with_children(vec![child(0, offset)?]),
        })
    }
}

/// The functions of a member for statements that are not all grouped.
fn statements_left(member: &Member, grouped: &UnionSet) -> Vec<(Name, PwAff)> {
    let is_grouped = |name: &Name| grouped.members().any(|set| statement_name(set.space()) == *name);
    member.exprs().filter(|(name, _)| !is_grouped(name)).map(|(name, f)| (name.clone(), f.clone())).collect()
}

fn drop_empty(set: &UnionSet, budget: &Budget) -> Computed<UnionSet> {
    let mut kept = Vec::new();
    for member in set.members() {
        if !member.is_empty(budget)? {
            kept.push(member.clone());
        }
    }
    UnionSet::from_members(kept)
}

impl ScheduleTree {
    /// Replaces the instances of the tree by groups of others: an expansion at every leaf. Every instance `G[..]` of the domain stands
    /// for the instances that `contraction` maps to it and that `expansion` names.
    pub fn expand(
        &self,
        contraction: &UnionPwMultiAff,
        expansion: &UnionMap,
        below: &Node,
    ) -> Result<ScheduleTree, EditError> {
        fn visit(node: &Node, leaf: &Node) -> Node {
            match node {
                Node::Leaf => leaf.clone(),
                other => {
                    other.with_children(other.children().iter().map(|child| Arc::new(visit(child, leaf))).collect())
                }
            }
        }
        let leaf = Node::expansion(contraction.clone(), expansion.clone(), below.clone());
        Ok(ScheduleTree::from_root(visit(self.root(), &leaf)))
    }
}

impl Node {
    /// A domain above a node.
    pub fn domain(instances: Instances, child: Node) -> Node {
        Node::Domain(instances, Arc::new(child))
    }
}
