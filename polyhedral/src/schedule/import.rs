//! Schedule trees from other forms of schedules: relations, Kelly's form, the 2d+1 form, forests of bands.
//!
//! Method: S. Verdoolaege, S. Guelton, T. Grosser, A. Cohen, "Schedule Trees", IMPACT 2014, section 3 (the forms);
//! W. Kelly, W. Pugh, "A Unifying Framework for Iteration Reordering Transformations", 1995.

use crate::affine::{Aff, MultiUnionPwAff, PwAff, UnionPwMultiAff};
use crate::arith::Int;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{Set, UnionMap, UnionSet};
use crate::space::Name;

use super::band::{Band, Member};
use super::instances::{Instances, statement_name};
use super::tree::{Node, ScheduleTree};

/// A node of a forest of bands: a partial schedule for some statements, and what runs inside it. Trees of a forest, and
/// the children of a band, run in any order; a statement that is in none of them ends there.
#[derive(Clone, Debug)]
pub struct ForestBand {
    /// The partial schedule.
    pub schedule: UnionMap,
    /// The bands inside.
    pub children: Vec<ForestBand>,
}

/// A statement part on the way from time vectors to a tree.
#[derive(Clone)]
struct Timed {
    name: Name,
    domain: Set,
    /// Whether other parts of the statement exist.
    split: bool,
    time: Vec<Aff>,
}

impl ScheduleTree {
    /// The tree of a schedule map: one domain and one band with all dimensions. All points in time must have one
    /// length.
    pub fn from_map(schedule: &UnionMap, budget: &Budget) -> Result<ScheduleTree> {
        let domain = Instances::from_union_set(&schedule.domain(budget)?.coalesce(budget)?)?;
        let functions = UnionPwMultiAff::from_union_map(schedule, budget)?;
        if functions.is_plainly_empty() {
            return Ok(ScheduleTree::new(domain, Node::Leaf));
        }
        let schedule = MultiUnionPwAff::from_union_pw_multi_aff(&functions)?;
        // Outside the domain nothing is said, so no conditions are needed where there is one piece.
        let mut members = Vec::new();
        for component in schedule.components() {
            let relaxed = component.members().map(|function| match function.pieces() {
                [(_, aff)] => PwAff::from_aff(aff.clone()),
                _ => function.clone(),
            });
            members.push(Member::piecewise(relaxed)?);
        }
        Ok(ScheduleTree::new(domain, Node::band(Band::new(members), Node::Leaf)))
    }

    /// The tree of a schedule in Kelly's form: for every statement a vector of loops and syntactic constants, of any
    /// length, compared lexicographically as far as both go. The schedule has the instances as its domain.
    ///
    /// Constants that separate statements become sequences, constants that do not are dropped, a maximal run of other
    /// dimensions that all statements share becomes one band, and a statement whose vector ends beside longer ones is
    /// unordered with them.
    ///
    /// Example: `T1[i] -> [0, i]; T2[i, j] -> [1, j, 0, i]; T3[i] -> [1, i - 1, 1]` becomes the sequence of a band for
    /// `T1` and a band for `T2` and `T3`, below it a sequence of a band for `T2` and a leaf for `T3`.
    pub fn from_kelly(schedule: &UnionMap, budget: &Budget) -> Result<ScheduleTree> {
        let statements = timed(schedule, budget)?;
        let domain = Instances::from_union_set(&schedule.domain(budget)?.coalesce(budget)?)?;
        Ok(ScheduleTree::new(domain, build(&statements, 0, None)?))
    }

    /// The tree of a schedule in the 2d+1 form: vectors of odd length, the statement-level constants at even positions.
    /// Loops become bands of one member. An error if a vector has another form, or a statement ends where others go on.
    pub fn from_2d_plus_1(schedule: &UnionMap, budget: &Budget) -> Result<ScheduleTree> {
        let statements = timed(schedule, budget)?;
        for statement in &statements {
            if statement.time.len() % 2 == 0 {
                let what = format!("the schedule of {} has {} rows, not 2d + 1", statement.name, statement.time.len());
                return Err(bad(what));
            }
            for (k, aff) in statement.time.iter().enumerate().step_by(2) {
                if aff.constant_value().is_none() {
                    return Err(bad(format!("row {k} of the schedule of {} is no constant", statement.name)));
                }
            }
        }
        let domain = Instances::from_union_set(&schedule.domain(budget)?.coalesce(budget)?)?;
        Ok(ScheduleTree::new(domain, build(&statements, 0, Some(()))?))
    }

    /// The tree of a forest of bands.
    pub fn from_band_forest(domain: &UnionSet, forest: &[ForestBand], budget: &Budget) -> Result<ScheduleTree> {
        let instances = Instances::from_union_set(domain)?;
        Ok(ScheduleTree::new(instances, forest_node(forest, domain, budget)?))
    }

    /// The schedule in Kelly's form, the inverse of [`ScheduleTree::from_kelly`] up to padding with zeros: positions in
    /// sequences and sets are constants. The same as [`ScheduleTree::to_map`].
    pub fn to_kelly(&self, budget: &Budget) -> Result<UnionMap> {
        self.to_map(budget)
    }
}

fn bad(what: String) -> Error {
    Error::OutOfRange { operation: "form a schedule tree", what }
}

/// The node for some trees of a forest that `active` instances reach; those in none of them are not ordered further.
fn forest_node(forest: &[ForestBand], active: &UnionSet, budget: &Budget) -> Result<Node> {
    let mut nodes = Vec::with_capacity(forest.len() + 1);
    let mut rest = active.clone();
    for tree in forest {
        let functions = MultiUnionPwAff::from_union_map(&tree.schedule, budget)?;
        let domain = tree.schedule.domain(budget)?;
        let below = forest_node(&tree.children, &active.intersect(&domain, budget)?, budget)?;
        rest = rest.subtract(&domain, budget)?;
        nodes.push((domain, Node::band(Band::from_schedule(&functions)?, below)));
    }
    if !nodes.is_empty() && !rest.is_empty(budget)? {
        nodes.push((rest.coalesce(budget)?, Node::Leaf));
    }
    if nodes.len() <= 1 {
        return Ok(nodes.pop().map_or(Node::Leaf, |(_, node)| node));
    }
    let mut children = Vec::with_capacity(nodes.len());
    for (domain, node) in nodes {
        children.push(Node::filter(Instances::from_union_set(&domain)?, node));
    }
    Ok(Node::set(children))
}

/// The time vectors by statement; a piecewise one gives several parts.
fn timed(schedule: &UnionMap, budget: &Budget) -> Result<Vec<Timed>> {
    let functions = UnionPwMultiAff::from_union_map(schedule, budget)?;
    let mut result: Vec<Timed> = Vec::new();
    for function in functions.members() {
        let name = statement_name(&function.domain_space());
        let split = function.pieces().len() > 1;
        if result.iter().any(|statement| statement.name == name) {
            return Err(bad(format!("two schedules for statement {name}")));
        }
        for (set, time) in function.pieces() {
            result.push(Timed { name: name.clone(), domain: set.clone(), split, time: time.affs().to_vec() });
        }
    }
    Ok(result)
}

/// The tree of some statements from a position of their vectors on. With `single` every loop is a band of its own.
fn build(statements: &[Timed], position: usize, single: Option<()>) -> Result<Node> {
    let ended: Vec<Timed> = statements.iter().filter(|s| s.time.len() <= position).cloned().collect();
    if ended.len() == statements.len() {
        return Ok(Node::Leaf);
    }
    if !ended.is_empty() {
        if single.is_some() {
            return Err(bad(format!("the schedule of {} ends where that of another statement goes on", ended[0].name)));
        }
        let rest: Vec<Timed> = statements.iter().filter(|s| s.time.len() > position).cloned().collect();
        let parts = vec![branch(&ended, Node::Leaf)?, branch(&rest, build(&rest, position, single)?)?];
        return Ok(Node::set(parts));
    }
    if let Some(values) = constants(statements, position) {
        let mut distinct: Vec<Int> = values.clone();
        distinct.sort();
        distinct.dedup();
        if distinct.len() == 1 {
            return build(statements, position + 1, single);
        }
        let mut parts = Vec::with_capacity(distinct.len());
        for value in &distinct {
            let group: Vec<Timed> =
                statements.iter().zip(&values).filter(|(_, v)| *v == value).map(|(s, _)| s.clone()).collect();
            parts.push(branch(&group, build(&group, position + 1, single)?)?);
        }
        return Ok(Node::sequence(parts));
    }
    let mut end = position + 1;
    while single.is_none() && statements.iter().all(|s| s.time.len() > end) && constants(statements, end).is_none() {
        end += 1;
    }
    let mut members = Vec::with_capacity(end - position);
    for dim in position..end {
        let mut functions: Vec<PwAff> = Vec::new();
        for statement in statements {
            let aff = &statement.time[dim];
            let part = if statement.split { PwAff::on(&statement.domain, aff)? } else { PwAff::from_aff(aff.clone()) };
            match functions.iter_mut().find(|f| statement_name(f.space()) == statement.name) {
                // Parts of one statement are disjoint.
                Some(known) => *known = known.union_add(&part, &Budget::unlimited())?,
                None => functions.push(part),
            }
        }
        members.push(Member::piecewise(functions)?);
    }
    Ok(Node::band(Band::new(members), build(statements, end, single)?))
}

/// The values at a position if all are constants.
fn constants(statements: &[Timed], position: usize) -> Option<Vec<Int>> {
    statements.iter().map(|s| s.time.get(position).and_then(Aff::constant_value)).collect()
}

fn branch(statements: &[Timed], below: Node) -> Result<Node> {
    let sets = statements.iter().map(|statement| {
        if statement.split { statement.domain.clone() } else { Set::universe(statement.domain.space().clone()) }
    });
    Ok(Node::filter(Instances::from_sets(sets)?, below))
}
