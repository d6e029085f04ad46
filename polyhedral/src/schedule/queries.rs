//! What a position in a schedule tree knows: the instances that reach it, and when they run as far as the nodes above
//! and below say.

use crate::affine::{MultiUnionPwAff, UnionPwMultiAff};
use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{Map, UnionMap, UnionSet};
use crate::space::{Space, Tuple};

use super::band::Band;
use super::cursor::Cursor;
use super::flat::{self, FlatSchedule};
use super::instances::Instances;
use super::tree::{Expansion, Node};

fn no_params() -> Space {
    Space::params::<&str>(&[])
}

impl Band {
    /// The partial schedule as a relation `S[..] -> [t0, .., tk]`.
    pub fn to_map(&self, budget: &Budget) -> Result<UnionMap> {
        let Some((first, rest)) = self.members().split_first() else {
            return Ok(UnionMap::default());
        };
        let mut maps = Vec::new();
        for (stmt, function) in first.exprs() {
            let mut map = function.to_map(budget)?;
            for member in rest {
                map = match member.function(stmt) {
                    Some(function) => map.flat_range_product(&function.to_map(budget)?, budget)?,
                    None => Map::empty(map.space().clone()),
                };
            }
            let tuple = Tuple::anonymous(self.len());
            maps.push(map.with_space(&map.space().with_tuple(crate::space::DimKind::Out, tuple))?);
        }
        UnionMap::from_members(maps)
    }
}

impl Expansion {
    /// `S[..] -> G[..]`: the instances below with their representatives.
    pub(super) fn members(&self, budget: &Budget) -> Result<UnionMap> {
        self.contraction.to_union_map(budget)?.intersect(&self.expansion.reverse()?, budget)
    }
}

/// The relation to the empty tuple.
fn at_once(instances: &UnionSet, budget: &Budget) -> Result<UnionMap> {
    let point =
        UnionSet::from_members([crate::relation::Set::universe(Space::set_of(&no_params(), Tuple::anonymous(0)))])?;
    UnionMap::from_domain_and_range(instances, &point, budget)
}

impl Cursor {
    /// The instances that reach the node (for a filter: before it).
    pub fn domain(&self, budget: &Budget) -> Result<UnionSet> {
        let mut active = UnionSet::default();
        for above in self.ancestors() {
            active = match above.node() {
                Node::Domain(instances, _) => instances.to_union_set()?,
                Node::Filter(instances, _) => active.intersect(&instances.to_union_set()?, budget)?,
                Node::Extension(extension, _) => active.union(&extension.range(budget)?)?,
                Node::Expansion(expansion, _) => active.apply(&expansion.members(budget)?.reverse()?, budget)?,
                _ => active,
            };
        }
        Ok(active)
    }

    /// The spaces of the instances that reach the node: everything that has their tuples.
    pub fn universe_domain(&self, budget: &Budget) -> Result<UnionSet> {
        Ok(self.domain(budget)?.universe())
    }

    /// The members of all bands above, for the instances that reach the node: `S[..] -> [t0, .., tk]`. The only form
    /// that exists in every tree: instances of an extension run once for every point that it relates to them.
    pub fn prefix_relation(&self, budget: &Budget) -> Result<UnionMap> {
        self.prefix(true, budget)
    }

    /// The members of all bands above as a relation without the conditions of the domain and the filters (for
    /// statements that reach the node). At depth zero `S[..] -> []`.
    pub fn prefix_schedule(&self, budget: &Budget) -> Result<UnionMap> {
        let prefix = self.prefix(false, budget)?;
        prefix.intersect_domain(&self.universe_domain(budget)?, budget)
    }

    /// The same as functions, one per member. An error for an instance of an extension that runs several times.
    pub fn prefix_functions(&self, budget: &Budget) -> Result<MultiUnionPwAff> {
        MultiUnionPwAff::from_union_map(&self.prefix_schedule(budget)?, budget)
    }

    /// The same as functions to points.
    pub fn prefix_points(&self, budget: &Budget) -> Result<UnionPwMultiAff> {
        UnionPwMultiAff::from_union_map(&self.prefix_schedule(budget)?, budget)
    }

    fn prefix(&self, restricted: bool, budget: &Budget) -> Result<UnionMap> {
        let mut prefix = UnionMap::default();
        for above in self.ancestors() {
            prefix = match above.node() {
                Node::Domain(instances, _) => {
                    let instances = instances.to_union_set()?;
                    at_once(&if restricted { instances } else { instances.universe() }, budget)?
                }
                Node::Filter(instances, _) => {
                    let instances = instances.to_union_set()?;
                    prefix.intersect_domain(&if restricted { instances } else { instances.universe() }, budget)?
                }
                Node::Band(band, _) if !band.is_empty() => {
                    let depth = above.schedule_depth() + band.len();
                    prefix.flat_range_product(&band.to_map(budget)?, budget)?.map_members(|map| {
                        let tuple = Tuple::anonymous(depth);
                        map.with_space(&map.space().with_tuple(crate::space::DimKind::Out, tuple))
                    })?
                }
                Node::Extension(extension, _) => prefix.union(&extension.reverse()?)?,
                Node::Expansion(expansion, _) => {
                    let members = if restricted {
                        expansion.members(budget)?
                    } else {
                        expansion.contraction.to_union_map(budget)?
                    };
                    members.apply_range(&prefix, budget)?
                }
                _ => prefix,
            };
        }
        Ok(prefix)
    }

    /// The order that the node and everything below it define, as points in time of one length for the instances that
    /// reach the node (the instances below expansions): see [`ScheduleTree::flatten`](super::ScheduleTree::flatten).
    /// Without the conditions of the domain. An error if there is an extension below.
    pub fn subtree_schedule(&self, budget: &Budget) -> Result<UnionMap> {
        let start = self.universe_domain(budget)?.members().cloned().collect::<Vec<_>>();
        flat::to_map(self.flat(start, budget)?, budget)
    }

    fn flat(&self, start: Vec<crate::relation::Set>, budget: &Budget) -> Result<Vec<FlatSchedule>> {
        let entries = Instances::from_sets(start)?;
        flat::flatten(self.node(), &entries, budget)
    }

    /// The product of all expansions below, from the instances that reach the node to those at the leaves:
    /// `G[..] -> S[..]`.
    pub fn subtree_expansion(&self, budget: &Budget) -> Result<UnionMap> {
        let start = self.domain(budget)?.identity()?;
        let mut result = UnionMap::default();
        expansions(self.node(), &start, &mut result, budget)?;
        Ok(result)
    }

    /// The product of all contractions below: `S[..] -> G[..]`, the inverse of [`Cursor::subtree_expansion`] as
    /// functions.
    pub fn subtree_contraction(&self, budget: &Budget) -> Result<UnionPwMultiAff> {
        UnionPwMultiAff::from_union_map(&self.subtree_expansion(budget)?.reverse()?, budget)
    }
}

fn expansions(node: &Node, from: &UnionMap, result: &mut UnionMap, budget: &Budget) -> Result<()> {
    let below = match node {
        Node::Leaf => {
            *result = result.union(from)?;
            return Ok(());
        }
        Node::Domain(instances, _) => instances.to_union_set()?.identity()?,
        Node::Filter(instances, _) => from.intersect_range(&instances.to_union_set()?, budget)?,
        Node::Expansion(expansion, _) => from.apply_range(&expansion.members(budget)?.reverse()?, budget)?,
        Node::Extension(extension, _) => {
            // New instances stand for themselves.
            from.union(&extension.range(budget)?.identity()?)?
        }
        _ => from.clone(),
    };
    node.children().iter().try_for_each(|child| expansions(child, &below, result, budget))
}
