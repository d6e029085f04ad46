//! [`Filter`]: data-dependent conditions of statements, and what they say about dataflow.
//!
//! A statement whose execution depends on data has more instances in its domain than are executed. Its filter says
//! which: an instance is executed if and only if the values it reads through the *filter accesses* are together in the *filter
//! values*. Dependences are then computed with may-accesses, and those that the filters rule out are taken away.
//!
//! Source: S. Verdoolaege, *High-Level Loop Transformations and Polyhedral Compilation*, 2017, "dynamic control".

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::UnionMap;
use crate::space::DimKind;

/// The condition of the instances of some statements.
#[derive(Clone, Debug)]
pub struct Filter {
    /// For every value, where it comes from: `S[..] -> [W[..] -> A[..]]`, the write and the element. Two instances for
    /// which this is the same see the same value.
    pub accesses: Vec<UnionMap>,
    /// The values with which an instance is executed: `S[..] -> [v0, .., vk]`, one value per filter access.
    pub values: UnionMap,
}

impl Filter {
    fn check(&self) -> Result<()> {
        match self.values.members().find(|map| map.space().dim(DimKind::Out) != self.accesses.len()) {
            None => Ok(()),
            Some(map) => Err(Error::OutOfRange {
                operation: "apply filters",
                what: format!("{} has not one value for each of {} filter accesses", map.space(), self.accesses.len()),
            }),
        }
    }

    /// Of some pairs `sink -> source`, those whose instances are never both executed: every value that the source tests
    /// is one that the sink tests too, and no values satisfy both. Between them there is no dataflow. `self` is the
    /// filter of the sinks, and value `k` of the source is compared with value `k` of the sink. Exact for the condition
    /// as it stands.
    pub fn excluded(&self, source: &Filter, pairs: &UnionMap, budget: &Budget) -> Result<UnionMap> {
        self.check()?;
        source.check()?;
        if self.accesses.len() != source.accesses.len() {
            let what = format!("filters of {} and of {} values", self.accesses.len(), source.accesses.len());
            return Err(Error::OutOfRange { operation: "apply filters", what });
        }
        let mut same = pairs.clone();
        for (of_sink, of_source) in self.accesses.iter().zip(&source.accesses) {
            // What the source reads and the sink does not, per pair.
            let read = same.range_map()?.apply_range(of_source, budget)?;
            let known = same.domain_map()?.apply_range(of_sink, budget)?;
            let other = read.subtract(&known, budget)?.domain(budget)?.unwrap()?;
            same = same.subtract(&other, budget)?;
        }
        let possible = self.values.apply_range(&source.values.reverse()?, budget)?;
        same.subtract(&possible, budget)?.coalesce(budget)
    }
}
