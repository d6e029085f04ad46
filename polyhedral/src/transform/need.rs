//! What a new order needs to be better than the old one, beyond being legal: loops that run often enough.
//!
//! Example: products of matrices with 30 columns gain where rows stay in the first cache, and otherwise only with 64. So the guard in front of
//! new code asks how often the old innermost loop would run.

use super::script::{Step, Value};

/// How often loops of the program must run for a new order to be better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// The number of a loop of the program, in preorder.
    pub counter: usize,
    /// It must run at least so many times ...
    pub least: u64,
    /// ... or this is enough.
    pub instead: Option<Short>,
}

/// A number of iterations that is enough where another loop is short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Short {
    /// The least number of iterations of the first loop.
    pub least: u64,
    /// The number of the other loop.
    pub counter: usize,
    /// It runs at most so many times.
    pub most: u64,
}

impl Need {
    /// A loop that must run at least so many times.
    pub fn at_least(counter: usize, least: u64) -> Need {
        Need { counter, least, instead: None }
    }

    /// The step that says so.
    pub(crate) fn step(self) -> Step {
        let value = |number: u64| Value::Integer(i64::try_from(number).unwrap_or(i64::MAX));
        let mut arguments = vec![("loop", value(self.counter as u64)), ("least", value(self.least))];
        if let Some(short) = self.instead {
            let others = [("or", short.least), ("short", short.counter as u64), ("most", short.most)];
            arguments.extend(others.map(|(name, number)| (name, value(number))));
        }
        Step::new("need", None, arguments)
    }
}
