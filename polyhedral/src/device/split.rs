//! The tree of the host and the tree of a kernel: see the [room](super).

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::affine::{Aff, PwAff};
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{Map, Set, UnionMap, UnionSet};
use crate::schedule::{Cursor, Instances, Mark, Node, ScheduleTree};
use crate::space::{DimKind, Name, Space, Tuple};

use super::program::ThreadOrder;
use super::site::{Site, band_below};

/// The names of what a kernel gets to know.
#[derive(Clone, Debug)]
pub(super) struct Names {
    /// The values of the members above the kernel.
    pub(super) host: Vec<Name>,
    /// The block.
    pub(super) blocks: Vec<Name>,
    /// The thread in the block.
    pub(super) threads: Vec<Name>,
}

/// The tree of a kernel, for one thread.
pub(super) struct KernelTree {
    pub(super) tree: ScheduleTree,
    /// What is known about the parameters.
    pub(super) context: Set,
    /// The statements that are barriers.
    pub(super) barriers: Vec<Name>,
}

/// A condition on points `[p0, .., pn]` with some parameters.
fn points(n: usize, params: &[&Name], conditions: &[String], budget: &Budget) -> Result<UnionSet> {
    let params: Vec<&str> = params.iter().map(|name| &***name).collect();
    let dims: Vec<String> = (0..n).map(|k| format!("p{k}")).collect();
    let condition = if conditions.is_empty() { "true".to_owned() } else { conditions.join(" and ") };
    UnionSet::parse(&format!("[{}] -> {{ [{}] : {condition} }}", params.join(", "), dims.join(", ")), budget)
}

/// A condition on parameters alone.
fn bounds(names: &[Name], sizes: &[i64], budget: &Budget) -> Result<Set> {
    let params: Vec<&str> = names.iter().map(|name| &**name).collect();
    let conditions: Vec<String> = names.iter().zip(sizes).map(|(name, size)| format!("0 <= {name} < {size}")).collect();
    let condition = if conditions.is_empty() { "true".to_owned() } else { conditions.join(" and ") };
    Set::parse(&format!("[{}] -> {{ : {condition} }}", params.join(", ")), budget)
}

/// That the first members are those at which the kernel is launched.
fn launched(names: &Names) -> Vec<String> {
    names.host.iter().enumerate().map(|(k, name)| format!("p{k} = {name}")).collect()
}

/// That some members have the residues of a block or a thread.
fn wrapped(depth: usize, members: &[usize], names: &[Name], sizes: &[i64]) -> Vec<String> {
    let shared = members.iter().zip(names).zip(sizes);
    let mut all: Vec<String> =
        shared.map(|((member, name), size)| format!("(p{} - {name}) mod {size} = 0", depth + member)).collect();
    all.extend(names[members.len().min(names.len())..].iter().map(|name| format!("{name} = 0")));
    all
}

struct Splitter<'s> {
    site: &'s Site,
    names: &'s Names,
    budget: &'s Budget,
    barriers: Vec<Name>,
    taken: Vec<Name>,
}

/// The tree of a kernel. `context` is what is known about the parameters of the tree.
pub(super) fn kernel_tree(
    tree: &ScheduleTree,
    site: &Site,
    names: &Names,
    context: Option<&Set>,
    budget: &Budget,
) -> Result<KernelTree> {
    let Some(mark) = tree.cursor_at(&site.path) else { return Err(no_node()) };
    let host: Vec<&Name> = names.host.iter().collect();
    let here = points(names.host.len(), &host, &launched(names), budget)?;
    let domain = mark.prefix_relation(budget)?.intersect_range(&here, budget)?.domain(budget)?.coalesce(budget)?;
    let mut known = bounds(&names.blocks, &site.launch.grid, budget)?;
    known = known.intersect(&bounds(&names.threads, &site.launch.block, budget)?, budget)?;
    for above in mark.ancestors() {
        if let Node::Context(set, _) = above.node()
            && set.space().dim(DimKind::Out) == 0
        {
            known = known.intersect(&set.to_params(budget)?, budget)?;
        }
    }
    if let Some(context) = context {
        known = known.intersect(&context.to_params(budget)?, budget)?;
    }
    // Launched only where there is something to do.
    known = known.intersect(&domain.params(budget)?.simple_hull(budget)?, budget)?;
    let taken = tree.domain().map(|domain| domain.iter().map(|(name, _)| name.clone()).collect()).unwrap_or_default();
    let mut splitter = Splitter { site, names, budget, barriers: Vec::new(), taken };
    let Some(below) = mark.child(0) else { return Err(no_node()) };
    let mut node = splitter.node(&below)?;
    if !site.launch.members.is_empty()
        && let Some(band) = band_below(&mark)
    {
        let conditions = wrapped(0, &site.launch.members, &names.blocks, &site.launch.grid);
        node = Node::filter(splitter.condition(&band, &names.blocks, &conditions)?, node);
    }
    let tree = ScheduleTree::new(Instances::from_union_set(&domain)?, node);
    Ok(KernelTree { tree, context: known, barriers: splitter.barriers })
}

fn no_node() -> Error {
    Error::OutOfRange { operation: "find a kernel", what: "the tree has no such node".to_owned() }
}

impl Splitter<'_> {
    /// The instances for which the members of a band meet conditions. What is above the band is no part of them: pieces of its schedule
    /// are conditions, too, which hold here anyway.
    fn condition(&self, cursor: &Cursor, params: &[Name], conditions: &[String]) -> Result<Instances> {
        let Node::Band(band, _) = cursor.node() else { return Err(no_node()) };
        let all: Vec<&Name> = params.iter().collect();
        let allowed = points(band.len(), &all, conditions, self.budget)?;
        let values = band.to_map(self.budget)?.intersect_domain(&cursor.universe_domain(self.budget)?, self.budget)?;
        Instances::from_union_set(&values.intersect_range(&allowed, self.budget)?.domain(self.budget)?)
    }

    /// Whether the subtree is done by the first thread.
    fn is_single(&self, cursor: &Cursor) -> bool {
        let marked = |below: &Cursor| matches!(below.node(), Node::Mark(Mark::Threads(_) | Mark::Barrier, _));
        cursor.find(&mut |below| marked(below)).is_none()
    }

    fn node(&mut self, cursor: &Cursor) -> Result<Node> {
        // What is below a filter of a sequence has its own place for this.
        let is_filter = matches!(cursor.node(), Node::Filter(..));
        if !self.names.threads.is_empty() && self.is_single(cursor) && !is_filter {
            return self.first_thread(cursor, plain(cursor.node()));
        }
        match cursor.node() {
            Node::Mark(Mark::Threads(members), child) => {
                let Some(band) = band_below(cursor) else { return Err(no_node()) };
                let (names, sizes) = (&self.names.threads, &self.site.launch.block);
                let filter = self.condition(&band, names, &wrapped(0, members, names, sizes))?;
                Ok(Node::filter(filter, plain(child)))
            }
            Node::Mark(Mark::Barrier, _) => {
                let Some(child) = cursor.child(0) else { return Err(no_node()) };
                let below = self.node(&child)?;
                let (map, name) = self.barrier(cursor)?;
                let all = Instances::from_union_set(&cursor.universe_domain(self.budget)?)?;
                let children = vec![Node::filter(all, below), self.barrier_child(&map, &name)?];
                Ok(Node::extension(UnionMap::from_members([map])?, Node::sequence(children)))
            }
            Node::Sequence(_) => self.sequence(cursor),
            node => {
                let below = cursor.children();
                let children = below.iter().map(|child| self.node(child).map(Arc::new)).collect::<Result<_>>()?;
                let isolate = match node {
                    Node::Band(band, _) => band.isolate.as_ref().map(|isolate| self.isolated(isolate)).transpose()?,
                    _ => None,
                };
                Ok(match rebuilt(node, children) {
                    Node::Band(mut band, child) => {
                        band.isolate = isolate.flatten();
                        Node::Band(band, child)
                    }
                    other => other,
                })
            }
        }
    }

    /// The isolated part of a band right below the mark of the kernel: the members of outer bands are parameters there. That of others goes.
    fn isolated(&self, isolate: &Map) -> Result<Option<Map>> {
        let host: Vec<&str> = self.names.host.iter().map(|name| &**name).collect();
        if isolate.space().dim(DimKind::In) != host.len() {
            return Ok(None);
        }
        let host = host.join(", ");
        let here = Map::parse(&format!("[{host}] -> {{ [] -> [{host}] }}"), self.budget)?;
        Ok(Some(here.apply_range(isolate, self.budget)?))
    }

    fn first_thread(&self, cursor: &Cursor, node: Node) -> Result<Node> {
        let params: Vec<&str> = self.names.threads.iter().map(|name| &**name).collect();
        let zero: Vec<String> = params.iter().map(|name| format!("{name} = 0")).collect();
        let first = Set::parse(&format!("[{}] -> {{ : {} }}", params.join(", "), zero.join(" and ")), self.budget)?;
        let all = cursor.universe_domain(self.budget)?.intersect_params(&first, self.budget)?;
        Ok(Node::filter(Instances::from_union_set(&all)?, node))
    }

    /// A sequence with the barriers of its children.
    fn sequence(&mut self, cursor: &Cursor) -> Result<Node> {
        let (mut children, mut extension) = (Vec::new(), Vec::new());
        for filter in cursor.children() {
            let Node::Filter(instances, _) = filter.node() else { return Err(no_node()) };
            let Some(mut below) = filter.child(0) else { return Err(no_node()) };
            let is_barrier = matches!(below.node(), Node::Mark(Mark::Barrier, _));
            if is_barrier && let Some(inner) = below.child(0) {
                below = inner;
            }
            children.push(Node::filter(instances.clone(), self.node(&below)?));
            if is_barrier {
                let (map, name) = self.barrier(cursor)?;
                children.push(self.barrier_child(&map, &name)?);
                extension.push(map);
            }
        }
        let sequence = Node::sequence(children);
        Ok(if extension.is_empty() { sequence } else { Node::extension(UnionMap::from_members(extension)?, sequence) })
    }

    /// The instances of a new barrier, one for every point that comes to a node: `[p..] -> barrier[p..]`.
    fn barrier(&mut self, cursor: &Cursor) -> Result<(Map, Name)> {
        let (n, outer) = (cursor.schedule_depth(), self.names.host.len());
        let mut conditions = launched(self.names);
        if let Some(mark) = cursor.tree().cursor_at(&self.site.path)
            && let Some(band) = band_below(&mark).filter(|band| band.path().len() < cursor.path().len())
        {
            let Site { launch, .. } = self.site;
            conditions.extend(wrapped(band.schedule_depth(), &launch.members, &self.names.blocks, &launch.grid));
        }
        let params: Vec<&Name> = self.names.host.iter().chain(&self.names.blocks).collect();
        let allowed = points(n, &params, &conditions, self.budget)?;
        let all = cursor.prefix_relation(self.budget)?.range(self.budget)?.intersect(&allowed, self.budget)?;
        let space = Space::set_of(all.params_space(), Tuple::anonymous(n));
        let all = all.extract(&space).project_out(DimKind::Out, 0, outer, self.budget)?.coalesce(self.budget)?;
        let name = free("barrier", &self.taken);
        self.taken.push(name.clone());
        self.barriers.push(name.clone());
        Ok((all.identity()?.with_tuple_name(DimKind::Out, &name), name))
    }

    fn barrier_child(&self, map: &Map, name: &Name) -> Result<Node> {
        let space = map.space().range().with_tuple_name(DimKind::Out, name);
        Ok(Node::filter(Instances::from_sets([Set::universe(space)])?, Node::Leaf))
    }
}

/// A name that begins like that and is not taken.
pub(super) fn free(start: &str, taken: &[Name]) -> Name {
    let mut number = 0;
    loop {
        let name = Name::from(format!("{start}{number}").as_str());
        if !taken.contains(&name) {
            return name;
        }
        number += 1;
    }
}

/// The node without marks and without what refers to members of outer bands.
fn plain(node: &Node) -> Node {
    rebuilt(node, node.children().iter().map(|child| Arc::new(plain(child))).collect())
}

/// The same node with other children. Marks of mapping go; so do assumptions about outer members and isolated parts of bands.
fn rebuilt(node: &Node, mut children: Vec<Arc<Node>>) -> Node {
    let is_about_members = matches!(node, Node::Context(set, _) if set.space().dim(DimKind::Out) > 0);
    let is_mapping = matches!(node, Node::Mark(Mark::Kernel(_) | Mark::Threads(_) | Mark::Barrier, _));
    match node {
        _ if is_about_members || is_mapping => children.pop().map_or(Node::Leaf, Arc::unwrap_or_clone),
        Node::Band(band, _) => {
            let mut whole = band.clone();
            whole.isolate = None;
            Node::band(whole, children.pop().map_or(Node::Leaf, Arc::unwrap_or_clone))
        }
        other => other.with_children(children),
    }
}

/// The tree of the host: every kernel is a statement of the given name, whose instances are the points at which it is launched.
pub(super) fn host_tree(tree: &ScheduleTree, orders: &[ThreadOrder], budget: &Budget) -> Result<ScheduleTree> {
    let Some(domain) = tree.domain() else { return Err(no_node()) };
    let mut rest = domain.to_union_set()?;
    let mut launches = Vec::new();
    for ThreadOrder { site, name, .. } in orders {
        let Some(mark) = tree.cursor_at(&site.path) else { return Err(no_node()) };
        let prefix = mark.prefix_relation(budget)?;
        rest = rest.subtract(&prefix.domain(budget)?, budget)?;
        let points = prefix.range(budget)?;
        let space = Space::set_of(points.params_space(), Tuple::anonymous(mark.schedule_depth()));
        let set = points.extract(&space).coalesce(budget)?.with_tuple_name(DimKind::Out, name);
        launches.push(Launched { path: site.path.clone(), name: name.clone(), set });
    }
    let rest = rest.coalesce(budget)?;
    let all = rest.members().cloned().chain(launches.iter().map(|launch| launch.set.clone()));
    let domain = Instances::from_sets(all.collect::<Vec<_>>())?;
    Ok(ScheduleTree::from_root(host_node(tree.root(), &[], 0, &domain, &launches)?))
}

/// The launches of a kernel.
struct Launched {
    path: Vec<usize>,
    name: Name,
    set: Set,
}

fn host_node(node: &Node, path: &[usize], depth: usize, domain: &Instances, launches: &[Launched]) -> Result<Node> {
    if launches.iter().any(|launch| launch.path == path) {
        return Ok(Node::Leaf);
    }
    let below: Vec<&Launched> = launches.iter().filter(|launch| launch.path.starts_with(path)).collect();
    let inner = if let Node::Band(band, _) = node { depth + band.len() } else { depth };
    let mut children = Vec::new();
    for (position, child) in node.children().iter().enumerate() {
        children.push(Arc::new(host_node(child, &[path, &[position]].concat(), inner, domain, launches)?));
    }
    let only = || children.first().cloned().unwrap_or_else(|| Arc::new(Node::Leaf));
    Ok(match node {
        Node::Domain(..) => Node::Domain(domain.clone(), only()),
        Node::Filter(instances, _) => {
            let mut instances = instances.clone();
            below.iter().try_for_each(|launch| instances.add(Set::universe(launch.set.space().clone())))?;
            Node::Filter(instances, only())
        }
        Node::Band(band, _) => {
            let mut members = Vec::new();
            for (k, member) in band.members().iter().enumerate() {
                let mut exprs: BTreeMap<Name, PwAff> =
                    member.exprs().map(|(name, function)| (name.clone(), function.clone())).collect();
                for launch in &below {
                    let value = Aff::var(launch.set.space().clone(), depth + k)?;
                    exprs.insert(launch.name.clone(), PwAff::from_aff(value));
                }
                members.push(member.with_exprs(exprs));
            }
            Node::Band(band.with_members(members), only())
        }
        other => other.with_children(children),
    })
}
