//! The input and the result of dependence analysis in YAML, read and printed: one mapping with the keys that isl uses.
//!
//! Absent parts are empty when reading. Of the input they are left out when printing.

use std::fmt;

use crate::budget::Budget;
use crate::error::Result;
use crate::relation::UnionMap;
use crate::schedule;
use crate::text::{Document, from_str, line, line_of_map, map};

use super::input::{AccessInfo, AccessOrder};
use super::result::FlowInfo;

impl AccessInfo {
    /// Reads accesses from YAML. The keys `sink` and one of `schedule_map` and `schedule` are required; of both, and of equal keys,
    /// the last counts, as for isl.
    pub fn parse(text: &str, budget: &Budget) -> Result<AccessInfo> {
        let (document, root) = Document::parse(text)?;
        let keys = ["sink", "must_source", "may_source", "kill", "schedule_map", "schedule"];
        let fields = document.fields(&root, "accesses: a YAML mapping", &keys)?;
        if !fields.iter().any(|(key, ..)| *key == "sink") {
            return document.error(&root, "the key sink");
        }
        let (mut sink, mut must_source, mut may_source, mut kill) =
            (UnionMap::default(), UnionMap::default(), UnionMap::default(), UnionMap::default());
        let mut order = None;
        for (name, _, value) in fields {
            match name {
                "schedule_map" => order = Some(AccessOrder::Map(map(&document, value, budget)?)),
                "schedule" => order = Some(AccessOrder::Tree(schedule::tree_of_yaml(&document, value, budget)?)),
                "sink" => sink = map(&document, value, budget)?,
                "must_source" => must_source = map(&document, value, budget)?,
                "may_source" => may_source = map(&document, value, budget)?,
                _ => kill = map(&document, value, budget)?,
            }
        }
        match order {
            Some(order) => Ok(AccessInfo { sink, must_source, may_source, kill, order }),
            None => document.error(&root, "one of the keys schedule_map and schedule"),
        }
    }
}

/// Prints YAML in block style, one line per part that is not empty.
impl fmt::Display for AccessInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        line(f, "sink", &self.sink)?;
        line_of_map(f, "must_source", &self.must_source)?;
        line_of_map(f, "may_source", &self.may_source)?;
        line_of_map(f, "kill", &self.kill)?;
        match &self.order {
            AccessOrder::Map(map) => line(f, "schedule_map", map),
            AccessOrder::Tree(tree) => {
                writeln!(f, "schedule:")?;
                tree.to_yaml().lines().try_for_each(|line| writeln!(f, "  {line}"))
            }
        }
    }
}

impl FlowInfo {
    /// Reads dependences from YAML.
    pub fn parse(text: &str, budget: &Budget) -> Result<FlowInfo> {
        let (document, root) = Document::parse(text)?;
        let keys = ["must_dependence", "may_dependence", "must_no_source", "may_no_source"];
        let mut result = FlowInfo {
            must_dependence: UnionMap::default(),
            may_dependence: UnionMap::default(),
            must_no_source: UnionMap::default(),
            may_no_source: UnionMap::default(),
        };
        for (key, _, value) in document.fields(&root, "dependences: a YAML mapping", &keys)? {
            let relation = map(&document, value, budget)?;
            match key {
                "must_dependence" => result.must_dependence = relation,
                "may_dependence" => result.may_dependence = relation,
                "must_no_source" => result.must_no_source = relation,
                _ => result.may_no_source = relation,
            }
        }
        Ok(result)
    }
}

/// Prints YAML in block style, all four parts.
impl fmt::Display for FlowInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        line(f, "must_dependence", &self.must_dependence)?;
        line(f, "may_dependence", &self.may_dependence)?;
        line(f, "must_no_source", &self.must_no_source)?;
        line(f, "may_no_source", &self.may_no_source)
    }
}

from_str!(AccessInfo FlowInfo);
