//! The flat form of a schedule tree: time vectors of equal length.

use crate::affine::{Aff, MultiAff, PwMultiAff};
use crate::arith::Int;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{Set, UnionMap};
use crate::space::{Name, Space};

use super::band::Member;
use super::instances::{Instances, statement_name};
use super::tree::{Expansion, Node, ScheduleTree};

/// What one component of a time vector comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeDim {
    /// A band member or the position in a sequence: smaller values run first.
    Ordered,
    /// The position in a set node: different values are not ordered.
    Unordered,
}

/// The time vectors of those instances of one statement that reach one leaf.
#[derive(Clone, Debug)]
pub struct FlatSchedule {
    /// The statement.
    pub stmt: Name,
    /// The instances that reach the leaf.
    pub domain: Set,
    /// The components of the time vector.
    pub time: Vec<Aff>,
    /// What each component comes from.
    pub dims: Vec<TimeDim>,
}

impl ScheduleTree {
    /// The tree as time vectors of one common length: one entry per statement and leaf that it reaches. Positions in
    /// sequences and sets are constants; shorter vectors are padded with zeros. Instances that the tree orders by
    /// anything but a set node are ordered the same way by the lexicographic order of their vectors. The domains of the
    /// entries of one statement are disjoint if the filters are. Instances of an extension have the time of the point
    /// of the outer bands that introduces them; an error if one has several.
    pub fn flatten(&self, budget: &Budget) -> Result<Vec<FlatSchedule>> {
        match self.domain() {
            Some(domain) => flatten(self.root(), domain, budget),
            None => Ok(Vec::new()),
        }
    }

    /// The schedule as a map from the instances to time vectors `[t0, ..]` of one common length. See
    /// [`ScheduleTree::flatten`].
    pub fn to_map(&self, budget: &Budget) -> Result<UnionMap> {
        to_map(self.flatten(budget)?, budget)
    }

    /// The same without components for the positions in set nodes: the children of a set, which are not ordered, share
    /// the components of their bands, so that loops of different children can become one (isl's option
    /// `schedule_separate_components`, switched off). Everything that the tree orders is ordered the same way.
    pub fn to_map_with_joint_components(&self, budget: &Budget) -> Result<UnionMap> {
        let mut entries = self.flatten(budget)?;
        for entry in &mut entries {
            let mut kinds = entry.dims.iter();
            entry.time.retain(|_| kinds.next() == Some(&TimeDim::Ordered));
            entry.dims.retain(|kind| *kind == TimeDim::Ordered);
        }
        pad(&mut entries);
        to_map(entries, budget)
    }
}

/// The time vectors that a subtree gives to some instances.
pub(super) fn flatten(node: &Node, instances: &Instances, budget: &Budget) -> Result<Vec<FlatSchedule>> {
    let mut result = Vec::new();
    let start = instances.iter().map(|(name, set)| FlatSchedule {
        stmt: name.clone(),
        domain: set.clone(),
        time: Vec::new(),
        dims: Vec::new(),
    });
    collect(node, start.collect(), &[], &mut result, budget)?;
    pad(&mut result);
    result.sort_by(|a, b| a.stmt.cmp(&b.stmt));
    Ok(result)
}

/// Brings time vectors to one length with zeros at the end.
fn pad(entries: &mut [FlatSchedule]) {
    let length = entries.iter().map(|entry| entry.time.len()).max().unwrap_or(0);
    for entry in entries {
        let zero = Aff::zero(entry.domain.space().clone());
        entry.time.resize(length, zero);
        entry.dims.resize(length, TimeDim::Ordered);
    }
}

/// Time vectors as one relation.
pub(super) fn to_map(entries: Vec<FlatSchedule>, budget: &Budget) -> Result<UnionMap> {
    let mut maps = Vec::new();
    for entry in entries {
        let names: Vec<String> = (0..entry.time.len()).map(|k| format!("t{k}")).collect();
        let mut params = entry.domain.space().params_space();
        for aff in &entry.time {
            params = params.align_params(&aff.space().params_space());
        }
        let domain = entry.domain.align_params(&params);
        let range = Space::set(&params, "", &names);
        let space = Space::map(domain.space(), &range);
        let time = entry.time.iter().map(|aff| aff.align_params(&params)).collect();
        let function = MultiAff::new(space, time)?;
        maps.push(function.to_map()?.intersect_domain(&domain, budget)?);
    }
    UnionMap::from_members(maps)
}

/// The entries with the values of a band member; an entry with a piecewise value is cut.
fn extended(active: Vec<FlatSchedule>, member: &Member, budget: &Budget) -> Result<Vec<FlatSchedule>> {
    let mut result = Vec::with_capacity(active.len());
    for mut entry in active {
        let function = member.function(&entry.stmt).ok_or_else(|| Error::OutOfRange {
            operation: "flatten a schedule tree",
            what: format!("no expression for {} in a band", entry.stmt),
        })?;
        entry.dims.push(TimeDim::Ordered);
        if let Some(aff) = function.as_total() {
            entry.time.push(aff.clone());
            result.push(entry);
            continue;
        }
        for (set, aff) in function.pieces() {
            let domain = entry.domain.intersect(set, budget)?;
            if !domain.is_plainly_empty() && !domain.is_empty(budget)? {
                let mut part = FlatSchedule { domain, ..entry.clone() };
                part.time.push(aff.clone());
                result.push(part);
            }
        }
    }
    Ok(result)
}

/// The entries of the instances below an expansion, at the times of their representatives.
fn expand(active: &[FlatSchedule], expansion: &Expansion, budget: &Budget) -> Result<Vec<FlatSchedule>> {
    let mut result = Vec::new();
    for function in expansion.contraction.members() {
        let (space, group) = (function.domain_space(), statement_name(&function.space().range()));
        let members = expansion.expansion.extract(&function.space().reverse()).reverse();
        for entry in active.iter().filter(|entry| entry.stmt == group) {
            for (set, contraction) in function.pieces() {
                let chosen = contraction.to_map()?.intersect(&members, budget)?.domain(budget)?;
                let domain = entry.domain.preimage(contraction, budget)?.intersect(set, budget)?;
                let domain = domain.intersect(&chosen, budget)?;
                if domain.is_empty(budget)? {
                    continue;
                }
                let time = entry.time.iter().map(|aff| aff.pullback(contraction)).collect::<Result<_>>()?;
                let stmt = statement_name(&space);
                result.push(FlatSchedule { stmt, domain, time, dims: entry.dims.clone() });
            }
        }
    }
    Ok(result)
}

/// What a component of the time vectors at a node comes from: the same for all entries there.
#[derive(Clone, Copy)]
enum Step {
    /// A member of a band above.
    Member,
    /// The position of the branch that was taken.
    Position(usize, TimeDim),
}

/// The entries of the instances that an extension introduces: those that it relates to one point of the outer bands
/// each.
fn introduced(extension: &UnionMap, path: &[Step], budget: &Budget) -> Result<Vec<FlatSchedule>> {
    let mut result = Vec::new();
    for map in extension.members() {
        let stmt = statement_name(map.space());
        let functions = PwMultiAff::from_map(&map.reverse(), budget).map_err(|error| match error {
            Error::Exhausted(_) => error,
            _ => Error::OutOfRange {
                operation: "flatten a schedule tree",
                what: format!(
                    "an extension runs instances of {stmt} several times; give every run an instance of its own"
                ),
            },
        })?;
        for (domain, function) in functions.pieces() {
            let mut members = function.affs().iter();
            let (mut time, mut dims) = (Vec::new(), Vec::new());
            for step in path {
                match *step {
                    Step::Member => time.extend(members.next().cloned()),
                    Step::Position(index, _) => {
                        time.push(Aff::constant(domain.space().clone(), &Int::from(index)));
                    }
                }
                dims.push(if let Step::Position(_, dim) = *step { dim } else { TimeDim::Ordered });
            }
            if time.len() != path.len() || members.next().is_some() {
                return Err(Error::OutOfRange {
                    operation: "flatten a schedule tree",
                    what: format!(
                        "the extension of {stmt} does not refer to all members of the bands above, and only to them"
                    ),
                });
            }
            result.push(FlatSchedule { stmt: stmt.clone(), domain: domain.clone(), time, dims });
        }
    }
    Ok(result)
}

fn collect(
    node: &Node,
    active: Vec<FlatSchedule>,
    path: &[Step],
    result: &mut Vec<FlatSchedule>,
    budget: &Budget,
) -> Result<()> {
    match node {
        Node::Domain(_, child) | Node::Context(_, child) | Node::Guard(_, child) | Node::Mark(_, child) => {
            collect(child, active, path, result, budget)
        }
        Node::Extension(extension, child) => {
            let mut active = active;
            active.extend(introduced(extension, path, budget)?);
            collect(child, active, path, result, budget)
        }
        Node::Expansion(expansion, child) => collect(child, expand(&active, expansion, budget)?, path, result, budget),
        Node::Filter(instances, child) => {
            let mut kept = Vec::with_capacity(active.len());
            for mut entry in active {
                let Some(set) = instances.get(&entry.stmt) else { continue };
                if !set.is_plainly_universe() {
                    entry.domain = entry.domain.intersect(set, budget)?;
                }
                if !entry.domain.is_plainly_empty() {
                    kept.push(entry);
                }
            }
            collect(child, kept, path, result, budget)
        }
        Node::Sequence(children) | Node::Set(children) => {
            let dim = if matches!(node, Node::Sequence(_)) { TimeDim::Ordered } else { TimeDim::Unordered };
            for (index, child) in children.iter().enumerate() {
                let reaches = |entry: &&FlatSchedule| match &**child {
                    Node::Filter(instances, _) => instances.get(&entry.stmt).is_some(),
                    _ => true,
                };
                let mut part: Vec<FlatSchedule> = active.iter().filter(reaches).cloned().collect();
                let below = [path, &[Step::Position(index, dim)]].concat();
                for entry in &mut part {
                    entry.time.push(Aff::constant(entry.domain.space().clone(), &Int::from(index)));
                    entry.dims.push(dim);
                }
                collect(child, part, &below, result, budget)?;
            }
            Ok(())
        }
        Node::Band(band, child) => {
            let mut active = active;
            for member in band.members() {
                active = extended(active, member, budget)?;
            }
            let below = [path, &vec![Step::Member; band.len()][..]].concat();
            collect(child, active, &below, result, budget)
        }
        Node::Leaf => {
            result.extend(active);
            Ok(())
        }
    }
}
