//! Schedule constraints in YAML, read and printed: one mapping with the keys that isl uses.
//!
//! Absent parts are left out when printing, and are empty (or, for the context, unconstrained) when reading.

use std::fmt;

use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{Set, UnionSet};
use crate::text::{Document, from_str, line, line_of_map, map, set};

use super::constraints::ScheduleConstraints;

impl ScheduleConstraints {
    /// Reads constraints from YAML. The key `domain` is required. Of equal keys the last counts, as for isl.
    pub fn parse(text: &str, budget: &Budget) -> Result<ScheduleConstraints> {
        let (document, root) = Document::parse(text)?;
        let keys = ["domain", "context", "validity", "coincidence", "condition", "conditional_validity", "proximity"];
        let fields = document.fields(&root, "schedule constraints: a YAML mapping", &keys)?;
        let mut result = ScheduleConstraints::new(UnionSet::default());
        if !fields.iter().any(|(key, ..)| *key == "domain") {
            return document.error(&root, "the key domain");
        }
        for (key, _, value) in fields {
            match key {
                "domain" => result.domain = set(&document, value, budget)?,
                "context" => {
                    let context = document.read(value, "a set of parameters", |text| Set::parse(text, budget))?;
                    // A tuple without dimensions, as in `[n] -> { [] : n > 0 }`, says nothing.
                    result.context = match context.space().range_tuple().len() {
                        0 if !context.space().is_params() => context.params(budget)?,
                        0 => context,
                        _ => return document.error(value, "a set of only parameters"),
                    };
                }
                "validity" => result.validity = map(&document, value, budget)?,
                "coincidence" => result.coincidence = map(&document, value, budget)?,
                "condition" => result.condition = map(&document, value, budget)?,
                "conditional_validity" => result.conditional_validity = map(&document, value, budget)?,
                _ => result.proximity = map(&document, value, budget)?,
            }
        }
        Ok(result)
    }
}

/// Prints YAML in block style, one line per part that is not empty.
impl fmt::Display for ScheduleConstraints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        line(f, "domain", &self.domain)?;
        if !self.context.is_plainly_universe() {
            line(f, "context", &self.context)?;
        }
        line_of_map(f, "validity", &self.validity)?;
        line_of_map(f, "coincidence", &self.coincidence)?;
        line_of_map(f, "condition", &self.condition)?;
        line_of_map(f, "conditional_validity", &self.conditional_validity)?;
        line_of_map(f, "proximity", &self.proximity)
    }
}

from_str!(ScheduleConstraints);
