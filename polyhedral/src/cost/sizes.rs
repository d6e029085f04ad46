//! Values of parameters for an estimate.
//!
//! Time depends on sizes, and sizes are often known at run time only. A parameter takes the value that the user gives; else the value
//! nearest to [`DEFAULT_SIZE`] that constant bounds of the context allow: with `n >= 5000` it is 5000, with `n <= 64` it is 64.
//!
//! Text: `n=1000,m=200`.

use std::str::FromStr;

use crate::error::{Error, Result};
use crate::relation::Set;
use crate::text::error_at;

use super::system::{self, Interval};

/// What a parameter is taken for if nothing is known of it: a size for which data does not fit into the second cache in two dimensions,
/// but does in one.
pub const DEFAULT_SIZE: f64 = 1000.0;

/// Values of parameters by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    given: Vec<(String, i64)>,
}

impl Sizes {
    /// Reads `n=1000,m=200`; an empty text gives no sizes. Errors say where and what was expected.
    pub fn parse(text: &str) -> Result<Sizes> {
        let mut sizes = Sizes::default();
        let mut at = 0;
        for part in text.split(',').filter(|_| !text.trim().is_empty()) {
            let fail = |expected: &str| Err(Error::Parse(*error_at(text, at, at + part.len(), expected.into())));
            let Some((name, value)) = part.split_once('=') else {
                return fail("a parameter with its value, such as n=1000");
            };
            let Ok(value) = value.trim().parse::<i64>() else { return fail("an integer behind the =") };
            let name = name.trim();
            if name.is_empty() || sizes.get(name).is_some() {
                return fail("a parameter that does not yet occur");
            }
            sizes = sizes.with(name, value);
            at += part.len() + 1;
        }
        Ok(sizes)
    }

    /// The same with one more value.
    pub fn with(mut self, name: &str, value: i64) -> Sizes {
        self.given.retain(|(known, _)| known != name);
        self.given.push((name.to_owned(), value));
        self
    }

    /// The value of a parameter, if it was given.
    pub fn get(&self, name: &str) -> Option<i64> {
        self.given.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }

    /// The names that were given.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.given.iter().map(|(name, _)| name.as_str())
    }
}

impl FromStr for Sizes {
    type Err = Error;

    fn from_str(text: &str) -> Result<Sizes> {
        Sizes::parse(text)
    }
}

/// The value of every parameter.
#[derive(Clone, Debug)]
pub(super) struct Values {
    known: Vec<(String, f64)>,
}

impl Values {
    /// The values of the context's parameters.
    pub(super) fn new(context: &Set, sizes: &Sizes) -> Values {
        let mut known: Vec<(String, f64)> =
            sizes.given.iter().map(|(name, value)| (name.clone(), *value as f64)).collect();
        let params = context.space().param_names();
        // The parameters are dimensions here; those whose value is given count as constants.
        let names: Vec<String> = params.iter().map(|name| name.to_string()).collect();
        for conjunction in context.conjunctions().iter().take(1) {
            let part = system::of_params(conjunction, &names);
            let mut bounds: Vec<Interval> = names
                .iter()
                .map(|name| sizes.get(name).map_or(Interval::ALL, |value| Interval::point(value as f64)))
                .collect();
            part.tighten(&mut bounds);
            for (position, name) in names.iter().enumerate() {
                if sizes.get(name).is_none() {
                    let value = bounds[position].nearest(DEFAULT_SIZE);
                    bounds[position] = Interval::point(value);
                    part.tighten(&mut bounds);
                    known.push((name.clone(), value));
                }
            }
        }
        Values { known }
    }

    /// The value of a parameter.
    pub(super) fn get(&self, name: &str) -> f64 {
        self.known.iter().find(|(known, _)| known == name).map_or(DEFAULT_SIZE, |(_, value)| *value)
    }
}
