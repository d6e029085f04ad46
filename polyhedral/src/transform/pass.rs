//! What a pass is, and the list of all of them.

use crate::budget::Budget;
use crate::schedule::EditError;

use super::script::{Step, Value};
use super::{Draft, passes};

/// What kind of value an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number.
    Integer,
    /// A list of numbers.
    Integers,
    /// A list of lists of numbers.
    ListsOfIntegers,
    /// One of these words.
    Word(&'static [&'static str]),
    /// The name of a statement.
    Statement,
    /// The name of an array.
    Array,
    /// A set in isl notation.
    Set,
}

/// An argument of a pass.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// Whether it may be left out.
    pub optional: bool,
    /// What it means.
    pub meaning: &'static str,
}

/// A transformation: an edit of a draft's tree, or of where its values live. The log is not its business.
///
/// It neither decides whether it pays nor proves that it is legal; the check does that.
pub struct Pass {
    /// Its name in scripts.
    pub name: &'static str,
    /// What it does, in a line.
    pub meaning: &'static str,
    /// How many sites it needs.
    pub sites: usize,
    /// Its arguments.
    pub arguments: &'static [Argument],
    /// The edit.
    pub apply: for<'m> fn(&Draft<'m>, &Step, &Budget) -> Result<Draft<'m>, EditError>,
}

/// All passes, in the order of their names.
pub const PASSES: &[Pass] = &[
    passes::combine::PASS,
    passes::copies::PASS,
    passes::distribute::PASS,
    passes::expose::PASS,
    passes::fuse::PASS,
    passes::hexagonal_tile::PASS,
    passes::interchange::PASS,
    passes::isolate::PASS,
    passes::jam::PASS,
    passes::map_to_device::PASS,
    passes::need::PASS,
    passes::normalise::PASS,
    passes::pack::PASS,
    passes::peel::PASS,
    passes::privatise::PASS,
    passes::reschedule::PASS,
    passes::reverse::PASS,
    passes::shift::PASS,
    passes::skew::PASS,
    passes::split::PASS,
    passes::split_index_set::PASS,
    passes::tile::PASS,
    passes::time_tile::PASS,
    passes::unroll::PASS,
];

impl Pass {
    /// Whether a step has the sites and arguments of the pass; else what is wrong.
    pub(super) fn accepts(&self, step: &Step) -> Result<(), String> {
        if step.sites.len() != self.sites {
            return Err(format!("it needs {} sites, and has {}", self.sites, step.sites.len()));
        }
        for (name, value) in &step.arguments {
            let Some(argument) = self.arguments.iter().find(|argument| argument.name == name) else {
                let known: Vec<&str> = self.arguments.iter().map(|argument| argument.name).collect();
                return Err(format!("it has no argument {name}, but: {}", known.join(", ")));
            };
            let fits = match (argument.kind, value) {
                (Kind::Integer, Value::Integer(_)) | (Kind::Statement | Kind::Array, Value::Name(_)) => true,
                (Kind::Set, Value::Text(_)) => true,
                (Kind::Integers, Value::List(values)) => values.iter().all(|value| matches!(value, Value::Integer(_))),
                (Kind::ListsOfIntegers, Value::List(_)) => step.lists_of_integers(name).is_some(),
                (Kind::Word(words), Value::Name(word)) => words.contains(&word.as_str()),
                _ => false,
            };
            if !fits {
                let expected = match argument.kind {
                    Kind::Integer => "a number".to_owned(),
                    Kind::Integers => "a list of numbers".to_owned(),
                    Kind::ListsOfIntegers => "a list of lists of numbers".to_owned(),
                    Kind::Word(words) => format!("one of {}", words.join(", ")),
                    Kind::Statement => "a statement".to_owned(),
                    Kind::Array => "an array".to_owned(),
                    Kind::Set => "a set between quotes".to_owned(),
                };
                return Err(format!("{name} is {expected}, not {value}"));
            }
        }
        let missing = self.arguments.iter().find(|argument| !argument.optional && step.get(argument.name).is_none());
        missing.map_or(Ok(()), |argument| Err(format!("it needs {}: {}", argument.name, argument.meaning)))
    }
}
