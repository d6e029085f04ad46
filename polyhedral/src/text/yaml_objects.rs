//! Composite objects in YAML: schedule constraints, the input and the result of dependence analysis.
//!
//! One mapping per object, with the keys that isl uses and texts in isl's notation as values. Absent parts are left out when
//! printing, and are empty (or, for the context, unconstrained) when reading.

use std::fmt;
use std::str::FromStr;

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{Set, UnionMap, UnionSet};
use crate::schedule::ScheduleTree;
use crate::space::Space;

use super::yaml::{Document, Yaml, quoted};
use super::yaml_schedule::tree;

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

/// The result of dependence analysis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowInfo {
    /// `source -> [sink -> element]` for sources that are certain.
    pub must_dependence: UnionMap,
    /// All of `source -> [sink -> element]`, certain or not.
    pub may_dependence: UnionMap,
    /// The sinks without any source.
    pub must_no_source: UnionMap,
    /// The sinks that may have no source.
    pub may_no_source: UnionMap,
}

fn no_params() -> Space {
    Space::params::<&str>(&[])
}

fn nothing() -> UnionMap {
    UnionMap::empty(&no_params())
}

/// One line of a mapping.
fn line(f: &mut fmt::Formatter<'_>, key: &str, value: &dyn fmt::Display) -> fmt::Result {
    writeln!(f, "{key}: {}", quoted(&value.to_string()))
}

/// One line of a mapping unless the relation is plainly empty.
fn relation(f: &mut fmt::Formatter<'_>, key: &str, value: &UnionMap) -> fmt::Result {
    if value.is_plainly_empty() { Ok(()) } else { line(f, key, value) }
}

/// A union of maps, or the union of a list of them.
pub(super) fn map(document: &Document<'_>, yaml: &Yaml, budget: &Budget) -> Result<UnionMap> {
    let maps = document.read_all(yaml, "a union of maps", |text| UnionMap::parse(text, budget))?;
    maps.into_iter().try_fold(nothing(), |all, map| all.union(&map))
}

/// A union of sets, or the union of a list of them.
pub(super) fn set(document: &Document<'_>, yaml: &Yaml, budget: &Budget) -> Result<UnionSet> {
    let sets = document.read_all(yaml, "a union of sets", |text| UnionSet::parse(text, budget))?;
    sets.into_iter().try_fold(UnionSet::empty(&no_params()), |all, set| all.union(&set))
}

impl ScheduleConstraints {
    /// No constraints on the instances of a domain.
    pub fn new(domain: UnionSet) -> ScheduleConstraints {
        ScheduleConstraints {
            domain,
            context: Set::universe(no_params()),
            validity: nothing(),
            coincidence: nothing(),
            condition: nothing(),
            conditional_validity: nothing(),
            proximity: nothing(),
        }
    }

    /// Reads constraints from YAML. The key `domain` is required. Of equal keys the last counts, as for isl.
    pub fn parse(text: &str, budget: &Budget) -> Result<ScheduleConstraints> {
        let (document, root) = Document::parse(text)?;
        let keys = ["domain", "context", "validity", "coincidence", "condition", "conditional_validity", "proximity"];
        let fields = document.fields(&root, "schedule constraints: a YAML mapping", &keys)?;
        let mut result = ScheduleConstraints::new(UnionSet::empty(&no_params()));
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
        relation(f, "validity", &self.validity)?;
        relation(f, "coincidence", &self.coincidence)?;
        relation(f, "condition", &self.condition)?;
        relation(f, "conditional_validity", &self.conditional_validity)?;
        relation(f, "proximity", &self.proximity)
    }
}

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
        let (mut sink, mut must_source, mut may_source, mut kill) = (nothing(), nothing(), nothing(), nothing());
        let mut order = None;
        for (name, _, value) in fields {
            match name {
                "schedule_map" => order = Some(AccessOrder::Map(map(&document, value, budget)?)),
                "schedule" => order = Some(AccessOrder::Tree(tree(&document, value, budget)?)),
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
        relation(f, "must_source", &self.must_source)?;
        relation(f, "may_source", &self.may_source)?;
        relation(f, "kill", &self.kill)?;
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
            must_dependence: nothing(),
            may_dependence: nothing(),
            must_no_source: nothing(),
            may_no_source: nothing(),
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

macro_rules! from_str {
    ($($Type:ident)*) => {$(
        impl FromStr for $Type {
            type Err = Error;
            fn from_str(text: &str) -> Result<$Type> {
                $Type::parse(text, &Budget::new(super::PARSE_BUDGET))
            }
        }
    )*};
}

from_str!(ScheduleConstraints AccessInfo FlowInfo);
