//! Objects in YAML: one mapping per object, with the keys that isl uses and texts in isl's notation as values.
//!
//! The rooms of the objects read and print them with this: schedule trees, the input and the result of dependence analysis, schedule
//! constraints. Absent parts are left out when printing, and are empty when reading.

use std::fmt;

use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{UnionMap, UnionSet};

use super::yaml::{Document, Yaml, quoted};

/// One line of a mapping.
pub(crate) fn line(f: &mut fmt::Formatter<'_>, key: &str, value: &dyn fmt::Display) -> fmt::Result {
    writeln!(f, "{key}: {}", quoted(&value.to_string()))
}

/// One line of a mapping unless the relation is plainly empty.
pub(crate) fn line_of_map(f: &mut fmt::Formatter<'_>, key: &str, value: &UnionMap) -> fmt::Result {
    if value.is_plainly_empty() { Ok(()) } else { line(f, key, value) }
}

/// A union of maps, or the union of a list of them.
pub(crate) fn map(document: &Document<'_>, yaml: &Yaml, budget: &Budget) -> Result<UnionMap> {
    let maps = document.read_all(yaml, "a union of maps", |text| UnionMap::parse(text, budget))?;
    maps.into_iter().try_fold(UnionMap::default(), |all, map| all.union(&map))
}

/// A union of sets, or the union of a list of them.
pub(crate) fn set(document: &Document<'_>, yaml: &Yaml, budget: &Budget) -> Result<UnionSet> {
    let sets = document.read_all(yaml, "a union of sets", |text| UnionSet::parse(text, budget))?;
    sets.into_iter().try_fold(UnionSet::default(), |all, set| all.union(&set))
}

/// Implements `FromStr` for objects that have `parse(text, budget)`.
macro_rules! from_str {
    ($($Type:ident)*) => {$(
        impl std::str::FromStr for $Type {
            type Err = $crate::error::Error;
            fn from_str(text: &str) -> $crate::error::Result<$Type> {
                $Type::parse(text, &$crate::budget::Budget::new($crate::text::PARSE_BUDGET))
            }
        }
    )*};
}

pub(crate) use from_str;
