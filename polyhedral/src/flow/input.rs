//! [`AccessInfo`]: the input of dependence analysis as plain data.

use crate::relation::UnionMap;
use crate::schedule::ScheduleTree;

/// The input of dependence analysis: accesses and their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessInfo {
    /// The accesses whose dependences are looked for.
    pub sink: UnionMap,
    /// The accesses that certainly happen and may be the source.
    pub must_source: UnionMap,
    /// The accesses that possibly happen and may be the source.
    pub may_source: UnionMap,
    /// The accesses that end the life of a value without being a source.
    pub kill: UnionMap,
    /// The order of the instances.
    pub order: AccessOrder,
}

/// The order in which instances run: exactly one form is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessOrder {
    /// The points in time, in lexicographic order.
    Map(UnionMap),
    /// A schedule tree.
    Tree(ScheduleTree),
}
