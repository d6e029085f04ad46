//! What the tests of dependence analysis share: programs as text.

#![allow(unreachable_pub, missing_docs, reason = "test support")]

use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::flow::{AccessOrder, Accesses};
use tessera_polyhedral::relation::{UnionMap, UnionSet};
use tessera_polyhedral::schedule::{Legality, ScheduleTree};

pub fn budget() -> Budget {
    Budget::new(1_000_000_000)
}

pub fn map(text: &str) -> UnionMap {
    UnionMap::parse(text, &budget()).unwrap_or_else(|e| panic!("{e:#}\n{text}"))
}

pub fn set(text: &str) -> UnionSet {
    UnionSet::parse(text, &budget()).unwrap()
}

pub fn tree(text: &str) -> ScheduleTree {
    ScheduleTree::from_yaml(text, &budget()).unwrap_or_else(|e| panic!("{e:#}\n{text}"))
}

#[track_caller]
pub fn assert_equal(found: &UnionMap, expected: &str) {
    assert!(found.is_equal(&map(expected), &budget()).unwrap(), "found    {found}\nexpected {expected}");
}

/// A program from its domain, accesses and schedule, all restricted to the domain.
pub struct Program<'p> {
    pub domain: &'p str,
    pub reads: &'p str,
    pub may_writes: &'p str,
    pub writes: &'p str,
    pub kills: &'p str,
    pub order: &'p str,
}

pub const NOTHING: Program<'static> =
    Program { domain: "{ }", reads: "{ }", may_writes: "{ }", writes: "{ }", kills: "{ }", order: "{ }" };

impl Program<'_> {
    pub fn accesses(&self) -> Accesses {
        let domain = set(self.domain);
        let inside = |text: &str| map(text).intersect_domain(&domain, &budget()).unwrap();
        Accesses {
            reads: inside(self.reads),
            may_writes: inside(self.may_writes),
            must_writes: inside(self.writes),
            kills: map(self.kills),
            order: AccessOrder::Map(map(self.order)),
        }
    }
}

/// All memory-based dependences.
pub fn all(accesses: &Accesses) -> UnionMap {
    let [flow, anti, output] = accesses.memory_based(&budget()).unwrap();
    flow.union(&anti).unwrap().union(&output).unwrap()
}

pub fn legality(tree: &ScheduleTree, dependences: &UnionMap) -> Legality {
    tree.legality(dependences, &budget()).unwrap()
}
