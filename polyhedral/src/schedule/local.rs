//! Dependences on their way down a schedule tree: which pairs a node still has to order.
//!
//! Pairs are between the instances that are executed (those at the leaves, below expansions). At the root all pairs
//! count; below a filter those with both instances inside; below a band those with equal members; other nodes change
//! nothing.

use crate::affine::Aff;
use crate::arith::{Row, row};
use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{Lexicographic, Map, UnionMap, UnionSet};
use crate::space::{DimKind, Space};

use super::band::{Band, Member};
use super::cursor::Cursor;
use super::instances::{Instances, statement_name};
use super::tree::Node;

/// What a node does with the pairs that it has to order.
#[derive(Clone, Debug)]
pub(super) struct Split {
    /// The source is earlier.
    pub(super) earlier: UnionMap,
    /// The source is later, or a set node leaves the order open.
    pub(super) violated: UnionMap,
    /// The node does not separate them.
    pub(super) equal: UnionMap,
}

/// The executed instances that some instances at a position stand for: a relation `executed -> at the position`, or
/// nothing where these are the same.
pub(super) struct Here {
    contraction: Option<UnionMap>,
}

impl Here {
    pub(super) fn new(cursor: &Cursor, budget: &Budget) -> Result<Here> {
        let expands = cursor.find(&mut |below| matches!(below.node(), Node::Expansion(..))).is_some();
        let contraction = if expands { Some(cursor.subtree_expansion(budget)?.reverse()?) } else { None };
        Ok(Here { contraction })
    }

    /// The executed instances of those at the position.
    fn executed(&self, instances: &Instances, budget: &Budget) -> Result<UnionSet> {
        let set = instances.to_union_set()?;
        match &self.contraction {
            None => Ok(set),
            Some(contraction) => contraction.intersect_range(&set, budget)?.domain(budget),
        }
    }

    /// Both instances of the pairs in a filter.
    pub(super) fn inside(&self, pairs: &UnionMap, filter: &Instances, budget: &Budget) -> Result<UnionMap> {
        if pairs.is_plainly_empty() {
            return Ok(pairs.clone());
        }
        let set = self.executed(filter, budget)?;
        pairs.intersect_domain(&set, budget)?.intersect_range(&set, budget)
    }

    /// The values of a member as a relation from executed instances, restricted to what a pair needs.
    fn values(&self, member: &Member, budget: &Budget) -> Result<Vec<Map>> {
        let mut maps = Vec::new();
        for (_, function) in member.exprs() {
            maps.push(function.to_map(budget)?);
        }
        match &self.contraction {
            None => Ok(maps),
            Some(contraction) => {
                let maps = UnionMap::from_members(maps)?;
                Ok(contraction.apply_range(&maps, budget)?.members().cloned().collect())
            }
        }
    }

    /// The pairs for which the value of a member at the source compares with that at the sink.
    pub(super) fn compared(
        &self,
        pairs: &UnionMap,
        member: &Member,
        order: Comparison,
        budget: &Budget,
    ) -> Result<UnionMap> {
        if let Some(found) = self.compared_plainly(pairs, member, order, budget)? {
            return Ok(found);
        }
        let values = self.values(member, budget)?;
        let find = |name: &crate::space::Name| values.iter().find(|map| statement_name(&map.space().domain()) == *name);
        let mut result = UnionMap::empty(pairs.params_space());
        for map in pairs.members() {
            let (source, sink) = (statement_name(&map.space().domain()), statement_name(map.space()));
            // What the band does not define is not compared: the verifier of the tree reports that.
            let (Some(a), Some(b)) = (find(&source), find(&sink)) else { continue };
            let ordered = match order {
                Comparison::Less => a.lex_order_of_images(Lexicographic::Lt, b, budget)?,
                Comparison::Greater => a.lex_order_of_images(Lexicographic::Gt, b, budget)?,
                Comparison::Equal => a.apply_range(&b.reverse(), budget)?,
            };
            let found = map.intersect(&ordered, budget)?;
            if !found.is_empty(budget)? {
                result = result.add(&found)?;
            }
        }
        Ok(result)
    }

    /// The same, where the member is one expression per statement: one constraint more. Nothing where it is not.
    fn compared_plainly(
        &self,
        pairs: &UnionMap,
        member: &Member,
        order: Comparison,
        budget: &Budget,
    ) -> Result<Option<UnionMap>> {
        if self.contraction.is_some() {
            return Ok(None);
        }
        let mut result = UnionMap::empty(pairs.params_space());
        for map in pairs.members() {
            let (source, sink) = (statement_name(&map.space().domain()), statement_name(map.space()));
            if member.function(&source).is_none() || member.function(&sink).is_none() {
                continue;
            }
            let (Some(a), Some(b)) = (member.get(&source), member.get(&sink)) else { return Ok(None) };
            let is_plain = |value: &Aff| {
                value.divs().is_empty() && value.denominator().is_one() && value.space().has_equal_params(map.space())
            };
            if !is_plain(a) || !is_plain(b) {
                return Ok(None);
            }
            let mut row = distance(map.space(), a, b);
            if order == Comparison::Greater {
                row = row::negated(&row);
            }
            let found = if order == Comparison::Equal {
                map.add_eq(&row)
            } else {
                row[0] -= 1;
                map.add_ineq(&row)
            };
            if !found.is_empty(budget)? {
                result = result.add(&found)?;
            }
        }
        Ok(Some(result))
    }

    /// The pairs that a band does not separate.
    fn equal(&self, pairs: &UnionMap, band: &Band, budget: &Budget) -> Result<UnionMap> {
        let mut members = band.members().iter();
        members.try_fold(pairs.clone(), |equal, member| self.compared(&equal, member, Comparison::Equal, budget))
    }

    /// What a band does with pairs: lexicographic comparison of the members.
    pub(super) fn by_band(&self, pairs: &UnionMap, band: &Band, budget: &Budget) -> Result<Split> {
        let nothing = UnionMap::empty(pairs.params_space());
        let (mut earlier, mut violated, mut equal) = (nothing.clone(), nothing, pairs.clone());
        for member in band.members() {
            earlier = earlier.union(&self.compared(&equal, member, Comparison::Less, budget)?)?;
            violated = violated.union(&self.compared(&equal, member, Comparison::Greater, budget)?)?;
            equal = self.compared(&equal, member, Comparison::Equal, budget)?;
        }
        Ok(Split { earlier, violated, equal })
    }

    /// What a sequence or set does with pairs.
    pub(super) fn by_children(&self, pairs: &UnionMap, node: &Node, budget: &Budget) -> Result<Split> {
        let nothing = UnionMap::empty(pairs.params_space());
        let (mut earlier, mut violated, mut equal) = (nothing.clone(), nothing.clone(), nothing);
        let ordered = matches!(node, Node::Sequence(_));
        let mut filters = Vec::new();
        for child in node.children() {
            if let Node::Filter(instances, _) = &**child {
                filters.push(self.executed(instances, budget)?);
            }
        }
        for (i, from) in filters.iter().enumerate() {
            let outgoing = pairs.intersect_domain(from, budget)?;
            if outgoing.is_plainly_empty() {
                continue;
            }
            for (k, to) in filters.iter().enumerate() {
                let list = match i.cmp(&k) {
                    std::cmp::Ordering::Equal => &mut equal,
                    std::cmp::Ordering::Less if ordered => &mut earlier,
                    _ => &mut violated,
                };
                *list = list.union(&nonempty(&outgoing.intersect_range(to, budget)?, budget)?)?;
            }
        }
        Ok(Split { earlier, violated, equal })
    }
}

/// The value of `b` at the second point of a pair minus that of `a` at the first one, over the columns of the pairs. Neither has divisions.
fn distance(space: &Space, a: &Aff, b: &Aff) -> Row {
    let mut row = row::zeros(space.n_col());
    let n = 1 + space.dim(DimKind::Param);
    for (value, kind, is_minus) in [(a, DimKind::In, true), (b, DimKind::Out, false)] {
        for (column, entry) in value.row().iter().enumerate() {
            let to = if column < n { column } else { space.offset(kind) + column - n };
            row[to] = if is_minus { &row[to] - entry } else { &row[to] + entry };
        }
    }
    row
}

/// How values of a member at the two ends of a pair compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Less,
    Equal,
    Greater,
}

/// The members that are not empty, coalesced.
pub(super) fn nonempty(pairs: &UnionMap, budget: &Budget) -> Result<UnionMap> {
    let mut result = UnionMap::empty(pairs.params_space());
    for map in pairs.members() {
        if !map.is_empty(budget)? {
            result = result.add(map)?;
        }
    }
    result.coalesce(budget)
}

/// Calls `f` with every node and the pairs that it has to order, parents first.
pub(super) fn walk(
    cursor: &Cursor,
    pairs: &UnionMap,
    f: &mut dyn FnMut(&Cursor, &UnionMap) -> Result<()>,
    budget: &Budget,
) -> Result<()> {
    walk_to(cursor, pairs, &|_| true, f, budget)
}

/// The same for a part of the tree: nodes whose path is not on the way are left out, with all below.
pub(super) fn walk_to(
    cursor: &Cursor,
    pairs: &UnionMap,
    is_on_the_way: &dyn Fn(&[usize]) -> bool,
    f: &mut dyn FnMut(&Cursor, &UnionMap) -> Result<()>,
    budget: &Budget,
) -> Result<()> {
    f(cursor, pairs)?;
    let children: Vec<Cursor> = cursor.children().into_iter().filter(|child| is_on_the_way(child.path())).collect();
    if children.is_empty() {
        return Ok(());
    }
    let here = Here::new(cursor, budget)?;
    let below = match cursor.node() {
        Node::Domain(instances, _) | Node::Filter(instances, _) => here.inside(pairs, instances, budget)?,
        Node::Band(band, _) => here.equal(pairs, band, budget)?,
        _ => pairs.clone(),
    };
    children.iter().try_for_each(|child| walk_to(child, &below, is_on_the_way, f, budget))
}
