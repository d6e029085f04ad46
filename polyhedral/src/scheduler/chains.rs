//! Grouping of statement chains: before scheduling, statements that a sequence runs one after the other at the same point of
//! all loops become one.
//!
//! # Which statements
//!
//! Candidates are neighbouring leaves of a sequence of the original schedule. Two statements belong together if the constraints between
//! them that are both validity and proximity pair every instance of the one with exactly one of the other, and only
//! instances at the same point of the outer bands. Two groups of neighbours become one if that holds for some statement of each. So a
//! chain of assignments through scalars is scheduled as one statement, but not everything that happens to stand in one loop body.
//!
//! # What becomes of them
//!
//! The instances of a group are named by the values of the outer bands (in execution order, whatever the counters of the loops
//! are): `A[i, j]` under the bands `-i` and `j` becomes `G_0[-i, j]`. [`Chains::constraints`] has the groups in place of their
//! statements; a schedule of these is brought back by [`Chains::expand`] with expansion nodes at the leaves, and a sequence of the
//! statements in their old order below.
//!
//! Constraints inside one instance of a group hold by the old order and are not seen by the scheduler. Freedom is lost only inside groups.
//!
//! Source: S. Verdoolaege, G. Janssens, *Scheduling for PPCG*, 2017, section 7.4.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::affine::{Aff, MultiAff, PwMultiAff, UnionPwMultiAff};
use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{Map, Set, UnionMap, UnionSet};
use crate::schedule::{Band, Instances, Member, Node, ScheduleTree};
use crate::space::{DimKind, Name, Space};

use super::ScheduleConstraints;
use super::chain_search::chained;
use super::options::Options;
use super::statement::refused;

/// Statements that are scheduled as one.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The name of the statement that stands for them: one that the constraints do not use.
    pub name: Name,
    /// The steps in execution order; statements of one step are not ordered.
    pub steps: Vec<Vec<Name>>,
    /// For every statement the instance of the group: the values of the outer bands.
    contraction: BTreeMap<Name, MultiAff>,
}

/// Constraints with chains of statements found.
#[derive(Clone, Debug)]
pub struct Chains {
    original: ScheduleConstraints,
    constraints: ScheduleConstraints,
    chains: Vec<Chain>,
}

impl Chains {
    /// The chains of statements in an original schedule, for constraints on its instances.
    ///
    /// Statements that reach several leaves, that the tree introduces by extensions or expansions, or whose outer bands are piecewise
    /// stay on their own. Cost: a few emptiness tests per pair of neighbours. Errors: the budget.
    pub fn new(constraints: &ScheduleConstraints, original: &ScheduleTree, budget: &Budget) -> Result<Chains> {
        let mut chains: Vec<Chain> = Vec::new();
        let is_used = |name: &str| constraints.domain.members().any(|s| statement(s.space()).as_ref() == name);
        let mut number = 0;
        for cursor in original.cursors().iter().filter(|c| matches!(c.node(), Node::Sequence(_))) {
            for leaves in chained(constraints, cursor, budget)? {
                let name = loop {
                    let name = format!("G_{number}");
                    number += 1;
                    if !is_used(&name) {
                        break name;
                    }
                };
                let renamed = |f: &MultiAff| f.with_range_tuple_name(&name);
                let contraction = leaves.statements.iter().map(|(s, (_, f))| Ok((s.clone(), renamed(f)?)));
                let contraction = contraction.collect::<Result<_>>()?;
                chains.push(Chain { name: name.as_str().into(), steps: leaves.steps, contraction });
            }
        }
        let mut result = Chains { original: constraints.clone(), constraints: constraints.clone(), chains };
        if !result.chains.is_empty() {
            result.contract(budget)?;
        }
        Ok(result)
    }

    /// The chains, each of at least two statements.
    pub fn chains(&self) -> &[Chain] {
        &self.chains
    }

    /// The constraints with one statement per chain.
    pub fn constraints(&self) -> &ScheduleConstraints {
        &self.constraints
    }

    /// The chain that a statement belongs to, and its place.
    fn chain_of(&self, statement: &str) -> Option<(&Chain, &MultiAff)> {
        self.chains.iter().find_map(|chain| Some((chain, chain.contraction.get(statement)?)))
    }

    /// Puts chains in place of their statements.
    fn contract(&mut self, budget: &Budget) -> Result<()> {
        let mut domain = Vec::new();
        for set in self.original.domain.members() {
            domain.push(set.apply(&self.side(set.space(), budget)?, budget)?);
        }
        let domain = UnionSet::from_members(domain)?.coalesce(budget)?;
        let contracted = |relation: &UnionMap| -> Result<UnionMap> {
            let mut members = Vec::new();
            for map in relation.members() {
                let (from, to) = (map.space().domain(), map.space().range());
                let map = map.apply_domain(&self.side(&from, budget)?, budget)?;
                members.push(map.apply_range(&self.side(&to, budget)?, budget)?);
            }
            UnionMap::from_members(members)?.coalesce(budget)
        };
        let constraints = ScheduleConstraints {
            domain,
            context: self.original.context.clone(),
            validity: contracted(&self.original.validity)?,
            coincidence: contracted(&self.original.coincidence)?,
            condition: contracted(&self.original.condition)?,
            conditional_validity: contracted(&self.original.conditional_validity)?,
            proximity: contracted(&self.original.proximity)?,
        };
        self.constraints = constraints;
        Ok(())
    }

    /// What stands for the instances of a space, with or without tags: the identity for statements without a chain.
    fn side(&self, space: &Space, budget: &Budget) -> Result<Map> {
        let tuple = space.range_tuple();
        let Some((instance, tag)) = tuple.factors() else {
            return match self.chain_of(&statement(space)) {
                Some((_, function)) if function.domain_space().has_equal_tuples(space) => function.to_map(),
                _ => Map::identity(space),
            };
        };
        let params = space.params_space();
        let instance = self.side(&Space::set_of(&params, instance), budget)?;
        instance.product(&Map::identity(&Space::set_of(&params, tag))?, budget)
    }

    /// A schedule of [`Chains::constraints`] as one of all statements: an expansion at every leaf that a chain reaches, below it the
    /// statements of the chain in sequence. Errors: a tree that does not schedule the contracted domain.
    pub fn expand(&self, tree: &ScheduleTree, budget: &Budget) -> Result<ScheduleTree> {
        let leaf = |names: &[Name]| -> Result<Node> {
            let mut children = Vec::new();
            for name in names {
                let Some(chain) = self.chains.iter().find(|c| c.name == *name) else {
                    children.push((self.universe(name)?, Node::Leaf));
                    continue;
                };
                let (mut functions, mut members) = (Vec::new(), Vec::new());
                for (name, function) in &chain.contraction {
                    functions.push(PwMultiAff::from_multi_aff(function.clone()));
                    members.push(function.to_map()?.intersect_domain(&self.instances(name)?, budget)?.reverse());
                }
                let contraction = UnionPwMultiAff::from_members(functions, budget)?;
                let below = self.steps(chain)?;
                let group = Instances::from_sets(chain.contraction.values().take(1).map(|f| {
                    let space = f.space().range();
                    Set::universe(space)
                }))?;
                children.push((group, Node::expansion(contraction, UnionMap::from_members(members)?, below)));
            }
            Ok(unordered(children))
        };
        let node = self.rebuilt(tree.root(), &[], &|band| Ok(band.clone()), &|filter| Ok(filter.clone()), &leaf)?;
        Ok(ScheduleTree::from_root(node))
    }

    /// The same order without expansions: the statements of a chain have the rows of the chain. Functions of bands must not be
    /// piecewise.
    pub(super) fn spread(&self, tree: &ScheduleTree) -> Result<ScheduleTree> {
        let band = |member: &Member| -> Result<Member> {
            let mut functions: Vec<Aff> = Vec::new();
            for (name, function) in member.exprs() {
                let Some(aff) = function.as_total() else {
                    return Err(refused(format!("the schedule of {name} is piecewise")));
                };
                match self.chains.iter().find(|c| c.name == *name) {
                    None => functions.push(aff.clone()),
                    Some(chain) => {
                        for contraction in chain.contraction.values() {
                            functions.push(aff.pullback(contraction)?);
                        }
                    }
                }
            }
            Ok(Member::new(functions)?.with_coincident(member.coincident))
        };
        let filter = |instances: &Instances| -> Result<Instances> {
            let mut sets = Vec::new();
            for (name, set) in instances.iter() {
                match self.chains.iter().find(|c| c.name == *name) {
                    None => sets.push(set.clone()),
                    Some(chain) => {
                        sets.extend(chain.contraction.values().map(|f| Set::universe(f.domain_space())));
                    }
                }
            }
            Instances::from_sets(sets)
        };
        let leaf = |names: &[Name]| -> Result<Node> {
            let mut children = Vec::new();
            for name in names {
                match self.chains.iter().find(|c| c.name == *name) {
                    None => children.push((self.universe(name)?, Node::Leaf)),
                    Some(chain) => {
                        let sets = chain.contraction.values().map(|f| Set::universe(f.domain_space()));
                        children.push((Instances::from_sets(sets)?, self.steps(chain)?));
                    }
                }
            }
            Ok(unordered(children))
        };
        let band = |b: &Band| -> Result<Band> {
            let members = b.members().iter().map(band).collect::<Result<_>>()?;
            Ok(Band::new(members).with_permutable(b.permutable))
        };
        let node = self.rebuilt(tree.root(), &[], &band, &filter, &leaf)?;
        let Node::Domain(_, child) = node else { return Err(refused("the root is not a domain".into())) };
        let domain = Instances::from_union_set(&self.original.domain)?;
        Ok(ScheduleTree::from_root(Node::Domain(domain, child)))
    }

    /// A tree with other bands, filters and leaves; leaves get to know which statements reach them.
    fn rebuilt(
        &self,
        node: &Node,
        active: &[Name],
        band: &dyn Fn(&Band) -> Result<Band>,
        filter: &dyn Fn(&Instances) -> Result<Instances>,
        leaf: &dyn Fn(&[Name]) -> Result<Node>,
    ) -> Result<Node> {
        let names = |instances: &Instances| instances.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let visit = |child: &Node, active: &[Name]| self.rebuilt(child, active, band, filter, leaf).map(Arc::new);
        Ok(match node {
            Node::Domain(instances, child) => Node::Domain(instances.clone(), visit(child, &names(instances))?),
            Node::Filter(instances, child) => {
                let kept: Vec<Name> = active.iter().filter(|n| instances.get(n).is_some()).cloned().collect();
                Node::Filter(filter(instances)?, visit(child, &kept)?)
            }
            Node::Sequence(children) => {
                Node::Sequence(children.iter().map(|c| visit(c, active)).collect::<Result<_>>()?)
            }
            Node::Set(children) => Node::Set(children.iter().map(|c| visit(c, active)).collect::<Result<_>>()?),
            Node::Band(b, child) => Node::Band(band(b)?, visit(child, active)?),
            Node::Leaf => {
                if active.iter().any(|n| self.chains.iter().any(|c| c.name == *n)) {
                    leaf(active)?
                } else {
                    Node::Leaf
                }
            }
            other => {
                let what =
                    format!("a {} node is not what the scheduler makes; expand before other edits", other.kind());
                return Err(refused(what));
            }
        })
    }

    /// The instances of a statement.
    fn instances(&self, name: &Name) -> Result<Set> {
        let found = self.original.domain.members().find(|s| statement(s.space()) == *name);
        found.cloned().ok_or_else(|| refused(format!("the domain has no instances of {name}")))
    }

    fn universe(&self, name: &Name) -> Result<Instances> {
        Instances::from_sets([Set::universe(self.instances(name)?.space().clone())])
    }

    /// The statements of a chain in their order.
    fn steps(&self, chain: &Chain) -> Result<Node> {
        let mut children = Vec::new();
        for step in &chain.steps {
            let sets = step.iter().map(|name| Ok(Set::universe(self.instances(name)?.space().clone())));
            children.push(Node::filter(Instances::from_sets(sets.collect::<Result<Vec<_>>>()?)?, Node::Leaf));
        }
        Ok(Node::sequence(children))
    }
}

/// One subtree alone, several in any order.
fn unordered(mut children: Vec<(Instances, Node)>) -> Node {
    match (children.len(), children.pop()) {
        (1, Some((_, node))) => node,
        (_, last) => {
            Node::set(children.into_iter().chain(last).map(|(filter, node)| Node::filter(filter, node)).collect())
        }
    }
}

/// The schedule of constraints with chains of statements grouped: [`Chains`], then [`schedule`](super::schedule), then
/// [`Chains::expand`]. The result is checked against the constraints of all statements if the options ask for that.
///
/// `original` must be a legal schedule: inside a chain its order is kept.
pub fn schedule_chains(
    constraints: &ScheduleConstraints,
    original: &ScheduleTree,
    options: &Options,
    budget: &Budget,
) -> Result<ScheduleTree> {
    let chains = Chains::new(constraints, original, budget)?;
    let tree = super::schedule(&chains.constraints, options, budget)?;
    if chains.chains.is_empty() {
        return Ok(tree);
    }
    if options.verify {
        super::verify(&chains.spread(&tree)?, constraints, budget)?;
    }
    chains.expand(&tree, budget)
}

/// The name of the statement of a space.
pub(super) fn statement(space: &Space) -> Name {
    space.range_tuple().name().cloned().unwrap_or_else(|| "".into())
}

impl Chain {
    /// The dimensions of the group: the outer bands of its statements.
    pub fn depth(&self) -> usize {
        self.contraction.values().next().map_or(0, |f| f.space().dim(DimKind::Out))
    }
}
