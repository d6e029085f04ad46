//! [`Instances`]: sets of statement instances, one [`Set`] for each statement.

use std::collections::BTreeMap;

use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{Set, UnionSet};
use crate::space::{Name, Space};

/// The instances of some statements: for every statement, identified by the name of its tuple, a set in its space.
///
/// A statement that is absent has no instances here. Iteration is in the order of the names. Example:
/// `{ S[i] : 0 <= i < n; T[] }`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instances {
    sets: BTreeMap<Name, Set>,
}

/// The key of a statement space: the name of its tuple, empty for a tuple without name.
pub(crate) fn statement_name(space: &Space) -> Name {
    space.range_tuple().name().cloned().unwrap_or_else(|| Name::from(""))
}

impl Instances {
    /// No instances.
    pub fn new() -> Instances {
        Instances::default()
    }

    /// The union of the given sets. An error if two sets have the same tuple name but different spaces.
    pub fn from_sets(sets: impl IntoIterator<Item = Set>) -> Result<Instances> {
        let mut result = Instances::new();
        for set in sets {
            result.add(set)?;
        }
        Ok(result)
    }

    /// The instances of a union set. An error if two of its spaces have the same tuple name.
    pub fn from_union_set(sets: &UnionSet) -> Result<Instances> {
        Instances::from_sets(sets.members().cloned())
    }

    /// The instances as one union set.
    pub fn to_union_set(&self) -> Result<UnionSet> {
        UnionSet::from_members(self.sets.values().cloned())
    }

    /// Adds the instances of a set. An error if the statement is known with another space.
    pub fn add(&mut self, set: Set) -> Result<()> {
        let name = statement_name(set.space());
        let all = match self.sets.get(&name) {
            Some(known) => known.union(&set)?,
            None => set,
        };
        self.sets.insert(name, all);
        Ok(())
    }

    /// The instances of one statement.
    pub fn get(&self, stmt: &str) -> Option<&Set> {
        self.sets.get(stmt)
    }

    /// The statements with their instances, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&Name, &Set)> {
        self.sets.iter()
    }

    /// The number of statements.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Whether no statement is mentioned. (Sets of statements that are mentioned may still be empty.)
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// The instances in both; statements in only one are dropped.
    pub fn intersect(&self, other: &Instances, budget: &Budget) -> Result<Instances> {
        let mut result = Instances::new();
        for (name, set) in &self.sets {
            if let Some(filter) = other.sets.get(name) {
                result.sets.insert(name.clone(), set.intersect(filter, budget)?);
            }
        }
        Ok(result)
    }
}
