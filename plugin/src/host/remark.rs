//! What users read about every loop nest, through the compiler's own switches (`-Rpass=tessera`, `-Rpass-missed=tessera`,
//! `-Rpass-analysis=tessera`, `-pass-remarks=tessera`, `-C remark=tessera`).
//!
//! A remark about a nest is passed or missed, and an analysis where that is the only switch that is on: each is shown once, whatever is asked
//! for. The steps that lead to the new order are always an analysis.
//!
//! A run collects its remarks; they are given to the compiler when the run is over.

use super::handles::{Loop, SourceLocation, Value};
use tessera_polyhedral::transform::Script;

/// Which switch of the compiler shows the remark; the one for analyses shows both if it is alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RemarkKind {
    /// Something was transformed.
    Passed,
    /// Something was not transformed.
    Missed,
    /// How something was transformed.
    Analysis,
}

/// What a remark is about; decides the source line that the compiler prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemarkLocation {
    /// The function as a whole.
    Function,
    /// A loop.
    Loop(Loop),
    /// An instruction; its loop or function where it has no source line.
    Instruction(Value),
    /// An instruction in a loop: the line of the instruction, or of the loop where that has none.
    InLoop(Loop, Value),
    /// A source line of the function, or the loop where no instruction comes from that line.
    Source(Loop, SourceLocation),
}

/// One remark.
#[derive(Clone, Debug)]
pub struct Remark {
    /// Which switch shows it.
    pub kind: RemarkKind,
    /// A stable identifier of the kind of message, in camel case (`LoopTransformed`).
    pub name: &'static str,
    /// Where.
    pub place: RemarkLocation,
    /// One sentence without LLVM's terms where possible; no trailing full stop, no line break.
    pub message: String,
}

impl Remark {
    /// A nest was transformed.
    pub fn passed(name: &'static str, place: RemarkLocation, message: impl Into<String>) -> Self {
        Self { kind: RemarkKind::Passed, name, place, message: message.into() }
    }

    /// A nest was left alone, and why.
    pub fn missed(name: &'static str, place: RemarkLocation, message: impl Into<String>) -> Self {
        Self { kind: RemarkKind::Missed, name, place, message: message.into() }
    }

    /// The steps that transformed a nest, called `what`, in the notation of scripts; none if there are none.
    pub fn steps(place: RemarkLocation, what: &str, script: &Script) -> Option<Self> {
        let steps: Vec<String> = script.steps.iter().map(ToString::to_string).collect();
        let message = format!("{what}: {}", steps.join("; "));
        (!steps.is_empty()).then_some(Self { kind: RemarkKind::Analysis, name: "LoopSteps", place, message })
    }
}
