//! From a schedule tree to a [`Plan`].
//!
//! Translation also checks what generation relies on: every band has an expression for every statement that reaches it, and
//! filters, extensions and expansions have the spaces of their statements.

use std::collections::{BTreeMap, BTreeSet};

use crate::budget::Budget;
use crate::relation::{Map, Row, Set, UnionMap};
use crate::schedule::{Expansion, Instances, Member, Node, ScheduleTree};
use crate::space::{DimKind, Name, Space};

use super::error::AstError;
use super::node::MemberId;
use super::piece::Piece;
use super::plan::{Cases, Input, Part, Plan, PlanMember, Replacements, Stmt, Values};
use super::sets::Columns;
use super::system::System;

type Result<T> = std::result::Result<T, AstError>;

/// Translates a tree. `context` holds additional assumptions about the parameters.
pub(super) fn translate(tree: &ScheduleTree, context: Option<&Set>, budget: &Budget) -> Result<Input> {
    let domain = tree.domain().ok_or_else(|| AstError::Malformed { what: "there is no domain at the root".into() })?;
    let columns = Columns::new(parameters(tree, context));
    let stmts = domain.iter().map(|(name, set)| stmt(name, set.space().dim(DimKind::Out))).collect();
    let mut translator = Translator { columns, stmts, budget, n_band: 0 };
    let context = context.map(|context| context.to_params(budget)).transpose()?;
    let mut pieces = Vec::new();
    for (index, (_, set)) in domain.iter().enumerate() {
        for part in translator.columns.disjoint_in(set, context.as_ref(), budget)? {
            let n_dim = set.space().dim(DimKind::Out);
            pieces.push(Piece::new(index, n_dim, 0, &part, translator.columns.params.len()));
        }
    }
    let mut assumed = Vec::new();
    if let Some(context) = &context {
        assumed = translator.columns.disjoint(context, budget)?;
    }
    let reaching: BTreeSet<usize> = (0..translator.stmts.len()).collect();
    let plan = translator.node(tree.root(), At { top: true, outer: 0 }, &reaching)?;
    let scoped = scoped(tree, &translator.columns, budget)?;
    let once = !tree.nodes().iter().any(|(_, node)| matches!(node, Node::Extension(..)));
    let Translator { columns, stmts, .. } = translator;
    let context = if context.is_some() { assumed } else { vec![Part::universe(columns.params.len())] };
    Ok(Input { params: columns.params, stmts, pieces, context, scoped, plan, once })
}

fn stmt(name: &Name, n_dim: usize) -> Stmt {
    Stmt { name: name.clone(), n_dim }
}

/// The parameters of a tree in the order in which they occur.
fn parameters(tree: &ScheduleTree, context: Option<&Set>) -> Vec<Name> {
    let mut params: Vec<Name> = Vec::new();
    let mut collect = |space: &Space| {
        for name in space.param_names() {
            if !params.contains(name) {
                params.push(name.clone());
            }
        }
    };
    if let Some(domain) = tree.domain() {
        domain.iter().for_each(|(_, set)| collect(set.space()));
    }
    if let Some(context) = context {
        collect(context.space());
    }
    for (_, node) in tree.nodes() {
        of_node(node, &mut collect);
    }
    params
}

/// The spaces with the parameters of one node.
fn of_node(node: &Node, collect: &mut impl FnMut(&Space)) {
    match node {
        Node::Context(set, _) | Node::Guard(set, _) => collect(set.space()),
        Node::Domain(instances, _) | Node::Filter(instances, _) => {
            instances.iter().for_each(|(_, set)| collect(set.space()));
        }
        Node::Extension(map, _) => collect(map.params_space()),
        Node::Expansion(expansion, _) => collect(expansion.expansion.params_space()),
        Node::Band(band, _) => {
            for member in band.members() {
                member.exprs().for_each(|(_, function)| collect(function.space()));
            }
            band.isolate.iter().for_each(|map| collect(map.space()));
        }
        _ => {}
    }
}

/// What contexts say about parameters that occur nowhere but below them, and about nothing else: it holds wherever the parameters
/// are used.
fn scoped(tree: &ScheduleTree, columns: &Columns, budget: &Budget) -> Result<System> {
    let mut result = System::universe(columns.params.len());
    let nodes = tree.nodes();
    for (path, node) in &nodes {
        let Node::Context(set, _) = node else { continue };
        let mut outside: BTreeSet<Name> = BTreeSet::new();
        for (_, other) in nodes.iter().filter(|(other, _)| !other.starts_with(path)) {
            of_node(other, &mut |space| outside.extend(space.param_names().iter().cloned()));
        }
        if set.space().dim(DimKind::Out) > 0 {
            continue;
        }
        let parts = columns.disjoint(&set.to_params(budget)?, budget)?;
        let [part] = parts.as_slice() else { continue };
        let inside =
            |row: &&Row| row[1..].iter().zip(&columns.params).all(|(x, name)| x.is_zero() || !outside.contains(name));
        if part.n_local == 0 {
            result.eqs.extend(part.system.eqs.iter().filter(inside).cloned());
            result.ineqs.extend(part.system.ineqs.iter().filter(inside).cloned());
        }
    }
    Ok(result)
}

/// The position of a node in the tree.
#[derive(Clone, Copy)]
struct At {
    /// Whether only context nodes are above.
    top: bool,
    /// The number of members of all bands above.
    outer: usize,
}

struct Translator<'a> {
    columns: Columns,
    stmts: Vec<Stmt>,
    budget: &'a Budget,
    n_band: usize,
}

impl Translator<'_> {
    fn node(&mut self, node: &Node, at: At, reaching: &BTreeSet<usize>) -> Result<Plan> {
        let below = At { top: false, ..at };
        Ok(match node {
            Node::Domain(_, child) if at.top => self.node(child, below, reaching)?,
            Node::Domain(..) => return malformed("a domain node below the root"),
            Node::Context(set, child) => {
                let parts = self.outer_set(set, at, node.kind())?;
                Plan::Context(parts, Box::new(self.node(child, at, reaching)?))
            }
            Node::Guard(set, child) => {
                let parts = self.outer_set(set, at, node.kind())?;
                Plan::Guard(parts, Box::new(self.node(child, below, reaching)?))
            }
            Node::Filter(instances, child) => {
                let parts = self.filter(instances, reaching)?;
                let passing = parts.keys().copied().collect();
                Plan::Filter(parts, Box::new(self.node(child, below, &passing)?))
            }
            Node::Extension(map, child) => {
                let parts = self.extension(map, at, reaching)?;
                let more = reaching.iter().chain(parts.keys()).copied().collect();
                Plan::Extension(parts, Box::new(self.node(child, below, &more)?))
            }
            Node::Expansion(expansion, child) => {
                let parts = self.expansion(expansion, reaching)?;
                let new = parts.values().flatten().map(|(stmt, _)| *stmt).collect();
                Plan::Expansion(parts, Box::new(self.node(child, below, &new)?))
            }
            Node::Sequence(children) | Node::Set(children) => {
                let mut plans = Vec::with_capacity(children.len());
                for child in children {
                    if !matches!(**child, Node::Filter(..)) {
                        return malformed(format!("a child of a {} is a {}, not a filter", node.kind(), child.kind()));
                    }
                    plans.push(self.node(child, below, reaching)?);
                }
                Plan::Sequence(plans, matches!(node, Node::Sequence(_)))
            }
            Node::Band(band, child) => {
                let number = self.n_band;
                self.n_band += 1;
                let mut members = Vec::with_capacity(band.len());
                for (position, member) in band.members().iter().enumerate() {
                    let values = self.values(member, MemberId { band: number, member: position }, reaching)?;
                    let isolate = match &band.isolate {
                        Some(isolate) => Some((self.isolated(isolate, position, at)?, member.isolate_loop_type)),
                        None => None,
                    };
                    members.push(PlanMember {
                        id: MemberId { band: number, member: position },
                        values: Values::Functions(values),
                        coincident: member.coincident,
                        loop_type: member.loop_type,
                        regions: Vec::new(),
                        rest: vec![Part::universe(self.columns.params.len() + at.outer + position + 1)],
                        isolate,
                        name: member.name.clone(),
                    });
                }
                let inside = At { outer: at.outer + band.len(), ..below };
                let child = self.node(child, inside, reaching)?;
                Plan::Band { members, full_tiles: band.isolate_full_tiles, child: Box::new(child) }
            }
            Node::Mark(name, child) => Plan::Mark(name.into(), Box::new(self.node(child, below, reaching)?)),
            Node::Leaf => Plan::Leaf,
        })
    }

    /// A set over the parameters or over the members of all outer bands.
    fn outer_set(&self, set: &Set, at: At, kind: &str) -> Result<Vec<Part>> {
        let n = set.space().dim(DimKind::Out);
        if n > at.outer {
            return malformed(format!("a {kind} has {n} dimensions below {} band members: {set}", at.outer));
        }
        let names: Vec<String> = (0..at.outer).map(|k| format!("t{k}")).collect();
        let space = Space::set(&set.space().params_space(), "", &names);
        let all = if n == 0 {
            set.to_params(self.budget)?.from_params(&space, self.budget)?
        } else {
            set.insert_dims(DimKind::Out, n, at.outer - n)?
        };
        self.columns.disjoint(&all, self.budget)
    }

    fn filter(&self, instances: &Instances, reaching: &BTreeSet<usize>) -> Result<BTreeMap<usize, Option<Vec<Part>>>> {
        let mut result = BTreeMap::new();
        for &index in reaching {
            let stmt = &self.stmts[index];
            let Some(set) = instances.get(&stmt.name) else { continue };
            self.check(set.space(), DimKind::Out, index, "a filter")?;
            let all = set.is_plainly_universe();
            result.insert(index, if all { None } else { Some(self.columns.disjoint(set, self.budget)?) });
        }
        Ok(result)
    }

    fn extension(&mut self, map: &UnionMap, at: At, reaching: &BTreeSet<usize>) -> Result<BTreeMap<usize, Vec<Part>>> {
        let mut result = BTreeMap::new();
        for member in map.members() {
            let space = member.space();
            let n = space.dim(DimKind::In);
            let name = name_of(space, DimKind::Out);
            if n != at.outer {
                return malformed(format!("an extension has {n} dimensions below {} band members: {member}", at.outer));
            }
            if reaching.iter().any(|&index| self.stmts[index].name == name) {
                return malformed(format!("an extension adds instances of {name}, which already reaches it: {member}"));
            }
            let stmt = self.new_stmt(&name, space.dim(DimKind::Out));
            let parts = self.columns.disjoint(&member.wrap().flatten(), self.budget)?;
            result.insert(stmt, parts);
        }
        Ok(result)
    }

    fn expansion(&mut self, expansion: &Expansion, reaching: &BTreeSet<usize>) -> Result<Replacements> {
        let mut result = BTreeMap::new();
        let mut new: BTreeMap<Name, usize> = BTreeMap::new();
        for &index in reaching {
            let mut replacing = Vec::new();
            for member in expansion.expansion.members() {
                let space = member.space();
                if name_of(space, DimKind::In) != self.stmts[index].name {
                    continue;
                }
                self.check(space, DimKind::In, index, "an expansion")?;
                let name = name_of(space, DimKind::Out);
                let known = new.get(&name).copied();
                let stmt = known.unwrap_or_else(|| self.new_stmt(&name, space.dim(DimKind::Out)));
                new.insert(name, stmt);
                replacing.push((stmt, self.columns.disjoint(&member.wrap().flatten(), self.budget)?));
            }
            result.insert(index, replacing);
        }
        Ok(result)
    }

    /// A statement that a node introduces.
    fn new_stmt(&mut self, name: &Name, n_dim: usize) -> usize {
        self.stmts.push(stmt(name, n_dim));
        self.stmts.len() - 1
    }

    fn check(&self, space: &Space, kind: DimKind, index: usize, what: &str) -> Result<()> {
        let stmt = &self.stmts[index];
        if space.dim(kind) == stmt.n_dim {
            return Ok(());
        }
        malformed(format!("{what} has another space for statement {}: {space}", stmt.name))
    }

    fn values(&self, member: &Member, id: MemberId, reaching: &BTreeSet<usize>) -> Result<BTreeMap<usize, Cases>> {
        let mut values = BTreeMap::new();
        for &index in reaching {
            let stmt = &self.stmts[index];
            let function = member.function(&stmt.name);
            let function = function.filter(|f| f.space().dim(DimKind::Out) == stmt.n_dim).ok_or_else(|| {
                AstError::MissingExpression { stmt: stmt.name.clone(), band: id.band, member: id.member }
            })?;
            values.insert(index, self.columns.cases(function, self.budget)?);
        }
        Ok(values)
    }

    /// What the option `isolate` of a band says about the outer members and the members up to `position`.
    fn isolated(&self, isolate: &Map, position: usize, at: At) -> Result<System> {
        let n = isolate.space().dim(DimKind::In);
        if n != at.outer {
            return malformed(format!(
                "the option isolate has {n} outer dimensions below {} members: {isolate}",
                at.outer
            ));
        }
        let set = isolate.wrap().flatten();
        self.columns.contiguous(&set, at.outer + position + 1, self.budget)
    }
}

fn name_of(space: &Space, kind: DimKind) -> Name {
    space.tuple(kind).and_then(|tuple| tuple.name().cloned()).unwrap_or_else(|| Name::from(""))
}

fn malformed<T>(what: impl Into<String>) -> Result<T> {
    Err(AstError::Malformed { what: what.into() })
}
