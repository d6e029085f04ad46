//! [`ScheduleConstraints`]: the input of the scheduler as plain data, and how dependences become one.

use crate::budget::Budget;
use crate::error::Result;
use crate::flow::{Reordering, untagged};
use crate::relation::{Set, UnionMap, UnionSet};
use crate::space::Space;

/// What a schedule must respect: the instances and the relations between them.
///
/// Example: `domain: "{ S[i] : 0 <= i < 9 }"`, `validity: "{ S[i] -> S[i + 1] }"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleConstraints {
    /// The statement instances.
    pub domain: UnionSet,
    /// What is known about the parameters.
    pub context: Set,
    /// Pairs that must run in this order (or at the same time).
    pub validity: UnionMap,
    /// Pairs that should run at the same time.
    pub coincidence: UnionMap,
    /// Pairs of a source and a sink, tagged, that make conditional validity constraints take effect when they are not coincident.
    pub condition: UnionMap,
    /// Validity constraints that hold only where an adjacent condition is not coincident.
    pub conditional_validity: UnionMap,
    /// Pairs that should run close together.
    pub proximity: UnionMap,
}

impl ScheduleConstraints {
    /// No constraints on the instances of a domain.
    pub fn new(domain: UnionSet) -> ScheduleConstraints {
        ScheduleConstraints {
            domain,
            context: Set::universe(Space::params::<&str>(&[])),
            validity: UnionMap::default(),
            coincidence: UnionMap::default(),
            condition: UnionMap::default(),
            conditional_validity: UnionMap::default(),
            proximity: UnionMap::default(),
        }
    }
}

impl Reordering {
    /// The constraints of a scheduler that reorders live ranges. Order dependences of the arrays in `private` (each gets its own
    /// copy per thread) do not keep a loop from being parallel; those of all others do.
    pub fn constraints(&self, domain: &UnionSet, private: &[Space], budget: &Budget) -> Result<ScheduleConstraints> {
        let shared = self.full_order.filter(|map| {
            let element = map.space().range().unwrap().map(|pair| pair.range_tuple().clone());
            !private.iter().any(|array| element.as_ref() == Some(array.range_tuple()))
        });
        let shared = untagged(&shared.range_factor_domain(budget)?, budget)?;
        let mut constraints = ScheduleConstraints::new(domain.clone());
        constraints.validity = self.flow.union(&self.forced)?.coalesce(budget)?;
        constraints.coincidence = constraints.validity.union(&shared)?.coalesce(budget)?;
        constraints.proximity = self.flow.union(&self.false_dependences)?.coalesce(budget)?;
        constraints.condition = self.tagged_flow.clone();
        constraints.conditional_validity = self.tagged_order.clone();
        Ok(constraints)
    }
}
