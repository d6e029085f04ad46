//! The dependences of a draft: those of the program, or, where accesses go to buffers, those of the new code.
//!
//! They say what the flags of bands may claim and what a scheduler has to keep. Where values have places of their own, the
//! dependences that were there only because they shared an element are gone, and copies have some.

use std::borrow::Cow;

use crate::budget::Budget;
use crate::error::Result;
use crate::flow::{self, AccessKind};
use crate::relation::{Map, UnionMap};

use super::Draft;

/// A relation between instances, and whether any order will do.
struct Ordered<'d> {
    map: Cow<'d, Map>,
    reduction: bool,
}

impl Draft<'_> {
    /// What fixes an order: all dependences but those between reductions of one kind.
    pub(super) fn order(&self, budget: &Budget) -> Result<UnionMap> {
        self.union(false, budget)
    }

    /// What excludes running at the same time: all dependences.
    pub(super) fn together(&self, budget: &Budget) -> Result<UnionMap> {
        self.union(true, budget)
    }

    fn union(&self, reductions: bool, budget: &Budget) -> Result<UnionMap> {
        let all = self.current(budget)?;
        let some = all.into_iter().filter(|dependence| reductions || !dependence.reduction);
        let maps: Vec<_> = some.map(|dependence| dependence.map.into_owned()).collect();
        match maps.is_empty() {
            true => Ok(UnionMap::default()),
            false => UnionMap::from_members(maps),
        }
    }

    /// The dependences of the program, or those between the accesses of the new code in its order.
    fn current(&self, budget: &Budget) -> Result<Vec<Ordered<'_>>> {
        if self.placement.is_empty() {
            let all = self.dependences.merged.iter();
            return Ok(all.map(|d| Ordered { map: Cow::Borrowed(&d.map), reduction: d.reduction }).collect());
        }
        let mut accesses = Vec::new();
        // The kinds of the reductions that accesses belong to.
        let mut kinds = Vec::new();
        for (s, statement) in self.scop.statements.iter().enumerate() {
            let keeps = self.placement.keeps_reduction(self.scop, s, budget)?;
            let reduction = statement.reduction.as_ref().filter(|_| keeps);
            for (number, access) in statement.accesses.iter().enumerate() {
                let own = reduction.filter(|r| r.read == number || r.write == number);
                for relation in self.placement.locations(self.scop, s, number, budget)? {
                    accesses.push(flow::Access { stmt: statement.name.as_str().into(), relation, kind: access.kind });
                    kinds.push(own.map(|r| r.kind.as_str()));
                }
            }
        }
        for copy in &self.placement.copies {
            for (map, kind) in [(copy.source(), AccessKind::Read), (copy.destination(), AccessKind::MustWrite)] {
                accesses.push(flow::Access { stmt: copy.statement.as_str().into(), relation: map.clone(), kind });
                kinds.push(None);
            }
        }
        let found = flow::memory_dependences(&accesses, &self.tree.to_map(budget)?, budget)?;
        let pairs = found.iter().map(|pair| {
            let (source, sink) = (kinds[pair.source], kinds[pair.target]);
            Ordered { map: Cow::Owned(pair.relation.clone()), reduction: source.is_some() && source == sink }
        });
        Ok(pairs.collect())
    }
}
