//! The phases of one run, in order: for messages about internal errors and for fault injection.

use std::fmt;

/// A phase of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// Finding SCoPs.
    Detect,
    /// IR to polyhedral model.
    Model,
    /// Making the model simpler.
    Simplify,
    /// Dependences, schedule, profitability.
    Optimise,
    /// Building new IR beside the old.
    Emit,
    /// Checking the new IR.
    Verify,
}

impl Phase {
    /// All phases in order.
    pub const ALL: [Phase; 6] =
        [Phase::Detect, Phase::Model, Phase::Simplify, Phase::Optimise, Phase::Emit, Phase::Verify];

    /// The name that options and messages use.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Detect => "detect",
            Phase::Model => "model",
            Phase::Simplify => "simplify",
            Phase::Optimise => "optimise",
            Phase::Emit => "emit",
            Phase::Verify => "verify",
        }
    }

    /// The phase of that name.
    pub fn from_name(name: &str) -> Option<Phase> {
        Phase::ALL.into_iter().find(|phase| phase.name() == name)
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
