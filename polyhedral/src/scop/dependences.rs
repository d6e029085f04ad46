//! The memory dependences of a SCoP, access by access and statement by statement.
//!
//! Dependences are memory-based: writes in between do not matter (see [`flow::memory_dependences`]). What the program
//! promises not to have is left out; dependences between reductions of one kind are kept apart, since any order will do
//! for them.

use crate::budget::Budget;
use crate::error::Result;
use crate::flow;
use crate::relation::Map;

use super::Scop;

/// What kind of accesses a pair consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DependenceKind {
    /// A write before a read.
    Flow,
    /// A read before a write.
    Anti,
    /// A write before a write.
    Output,
}

/// Instances of `source` that must run before instances of `sink`, or at least not at the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependence {
    /// The number of the earlier statement.
    pub source: usize,
    /// The number of the later statement.
    pub sink: usize,
    /// Which instances: `source[..] -> sink[..]`, not empty.
    pub map: Map,
    /// Both only add to the same elements (or the like): they need an order, but any order will do.
    pub reduction: bool,
}

/// The dependence between two accesses to one array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The number of the array.
    pub array: usize,
    /// The number of the access of the source.
    pub from: usize,
    /// The number of the access of the sink.
    pub to: usize,
    /// What the accesses do.
    pub kind: DependenceKind,
    /// The instances.
    pub dependence: Dependence,
}

/// The dependences of a SCoP.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependences {
    /// One relation per pair of statements, those of reductions apart: the union of its pairs as it is, since making its parts fewer costs
    /// more than those who ask it save.
    pub merged: Vec<Dependence>,
    /// The same, access by access.
    pub pairs: Vec<Pair>,
}

impl Scop {
    /// All memory dependences (flow, anti and output) of the order of the program, but for those that it promises not
    /// to have. Exact. Cost: an integer emptiness test per pair of accesses to one array and dimension of time.
    pub fn dependences(&self, budget: &Budget) -> Result<Dependences> {
        let _phase = crate::phase!("dependences", budget);
        let schedule = self.schedule.to_map(budget)?;
        let mut accesses = Vec::new();
        let mut origins = Vec::new();
        for (s, statement) in self.statements.iter().enumerate() {
            for (number, access) in statement.accesses.iter().enumerate() {
                let relation = access.relation.intersect_domain(&statement.domain, budget)?;
                let relation = relation.intersect_params(&self.context, budget)?;
                accesses.push(flow::Access { stmt: statement.name.as_str().into(), relation, kind: access.kind });
                origins.push((s, number));
            }
        }
        let found = flow::memory_dependences(&accesses, &schedule, budget)?;
        let mut result = Dependences::default();
        let flow = found.flow.iter().map(|pair| (DependenceKind::Flow, pair));
        let anti = found.anti.iter().map(|pair| (DependenceKind::Anti, pair));
        let output = found.output.iter().map(|pair| (DependenceKind::Output, pair));
        for (kind, pair) in flow.chain(anti).chain(output) {
            let (from, to) = (origins[pair.source], origins[pair.target]);
            let map = self.without_promised(from, to, &pair.relation, budget)?;
            if map.is_empty(budget)? {
                continue;
            }
            let Some(array) = self.array_of(&self.statements[from.0].accesses[from.1]) else { continue };
            let (source, sink, reduction) = (from.0, to.0, self.is_reduction(from, to));
            let dependence = Dependence { source, sink, map: map.clone(), reduction };
            let is_known = result.pairs.iter().any(|pair| pair.dependence == dependence);
            result.pairs.push(Pair { array, from: from.1, to: to.1, kind, dependence });
            if is_known {
                continue;
            }
            match result.merged.iter_mut().find(|d| d.source == source && d.sink == sink && d.reduction == reduction) {
                Some(known) => known.map = known.map.union(&map)?,
                None => result.merged.push(Dependence { source, sink, map, reduction }),
            }
        }
        Ok(result)
    }

    /// Whether two accesses, by statement and number, are those of reductions of one kind.
    fn is_reduction(&self, source: (usize, usize), sink: (usize, usize)) -> bool {
        let kind = |(s, access): (usize, usize)| {
            let reduction = self.statements[s].reduction.as_ref();
            reduction.filter(|r| r.read == access || r.write == access).map(|r| &r.kind)
        };
        kind(source).is_some() && kind(source) == kind(sink)
    }

    /// A dependence between two accesses, by statement and number, without the pairs of instances that promises
    /// exclude.
    fn without_promised(&self, from: (usize, usize), to: (usize, usize), map: &Map, budget: &Budget) -> Result<Map> {
        let mut rest = map.clone();
        for promise in self.promises.iter().filter(|p| p.accesses.contains(&from) && p.accesses.contains(&to)) {
            // The source runs first: the later iteration is that of the target.
            let mut promised = Map::universe(rest.space().clone());
            for dim in 0..promise.depth {
                promised = promised.equate(dim, dim)?;
            }
            rest = rest.subtract(&promised.order_lt(promise.depth, promise.depth)?, budget)?;
        }
        Ok(rest)
    }
}
