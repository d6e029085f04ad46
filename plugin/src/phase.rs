//! The phases of one run, in order, for messages about internal errors; what becomes of these; and the faults that the tests inject.

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

/// What the hidden option `fault` makes go wrong, to show that the function is left as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A panic on entering a phase.
    Panic(Phase),
    /// Emission fails after it has built the new code.
    Emission,
    /// The new code is not valid IR.
    InvalidCode,
}

impl Fault {
    /// The values of the option.
    pub const EXPECTED: &str = "detect, model, simplify, optimise, emit, verify, emission, invalid-code or none";

    /// The fault of that name.
    pub fn from_name(name: &str) -> Option<Fault> {
        match name {
            "emission" => Some(Fault::Emission),
            "invalid-code" => Some(Fault::InvalidCode),
            _ => Phase::from_name(name).map(Fault::Panic),
        }
    }
}

/// What becomes of internal errors beside their remarks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum InternalErrors {
    /// Nothing.
    #[default]
    Remark,
    /// They are printed to standard error, whatever remarks the compiler shows.
    Print,
    /// The compilation fails, too.
    Error,
}
