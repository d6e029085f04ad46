//! Reading a text whose type is not known beforehand.

use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{UnionMap, UnionSet};

use super::lower::Evaluator;

/// A set or a map, as the text says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Object {
    /// One tuple, or only parameters, in every disjunct.
    Set(UnionSet),
    /// Two tuples in every disjunct.
    Map(UnionMap),
}

impl Object {
    /// Reads a union of sets or of maps in isl notation. `{ }` is read as a set.
    pub fn parse(text: &str, budget: &Budget) -> Result<Object> {
        let (mut evaluator, object) = Evaluator::new(text, budget)?;
        if object.disjuncts.first().is_some_and(|d| d.tuples.len() == 2) {
            let mut result = UnionMap::empty(&evaluator.params);
            for disjunct in &object.disjuncts {
                result = result.add(&evaluator.map(disjunct, &object.params)?)?;
            }
            return Ok(Object::Map(result));
        }
        let mut result = UnionSet::empty(&evaluator.params);
        for disjunct in &object.disjuncts {
            result = result.add(&evaluator.set(disjunct, &object.params)?)?;
        }
        Ok(Object::Set(result))
    }
}
