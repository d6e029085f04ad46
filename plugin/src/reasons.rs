//! Why a loop nest is left alone: one stable name, one sentence, one place per reason.
//!
//! Every variant of [`Reason`] is something a user can see with `-Rpass-missed=tessera`. The names are stable: they
//! appear in optimisation records and in the manual.

use crate::host::{Opcode, SourceLocation};
use std::fmt;

/// What made a region unsuitable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A loop can be left early in a way that no condition on the parameters excludes.
    MultipleExits,
    /// The loop has no single way in or no single back edge.
    UnstructuredLoop,
    /// The number of iterations is not an affine expression.
    TripCount,
    /// A branch condition is not an affine comparison.
    Condition,
    /// Control goes on through something other than a branch.
    Terminator,
    /// An address is not affine in the loop counters.
    Access {
        /// The array as the user knows it.
        array: String,
    },
    /// The base address of an access changes inside the nest.
    ChangingBase,
    /// A volatile or atomic memory access.
    OrderedAccess,
    /// A call whose effects are not known.
    Call {
        /// The callee as the user knows it.
        callee: String,
    },
    /// An operation that is not supported.
    Instruction {
        /// What it is.
        what: String,
    },
    /// A value is carried between statements in a way that is not supported.
    Scalar,
    /// The numbers involved are too large to reason about.
    TooLarge,
    /// The nest has too many statements, conditions or accesses.
    TooComplex,
    /// The nest writes no memory and computes nothing that could be reordered.
    NoStatement,
    /// An assumption that the transformation needs can never hold.
    ContradictoryAssumptions,
    /// What leads to the nest contradicts itself: it never executes.
    NeverExecuted,
    /// The function is compiled for size.
    OptimisedForSize,
    /// Values are rounded when they are stored, not when they are computed: where they are stored changes results.
    Rounding,
    /// The scalars of the nest do not fit into what new code may take of the stack.
    Room,
    /// The target has addresses or arithmetic of another kind.
    Target {
        /// The architecture.
        name: String,
    },
    /// Whether two arrays overlap cannot be found out from their addresses, which are not of one kind.
    AddressSpaces {
        /// The arrays as the user knows them.
        arrays: [String; 2],
    },
    /// The operation budget of the function is used up.
    Budget {
        /// The limit that was reached.
        limit: u64,
    },
    /// The nest was understood, but its dependences exclude every order that would pay.
    Dependences,
    /// The nest was understood, but no better order is expected to pay.
    Unprofitable,
    /// The generated code was rejected by the verifier; a bug in Tessera.
    Verifier {
        /// The verifier's complaint.
        message: String,
    },
    /// Something inconsistent was met; a bug in Tessera.
    Internal {
        /// What was inconsistent.
        message: String,
    },
}

impl Reason {
    /// The stable name, as in optimisation records.
    pub fn name(&self) -> &'static str {
        match self {
            Self::MultipleExits => "MultipleExits",
            Self::UnstructuredLoop => "UnstructuredLoop",
            Self::TripCount => "TripCount",
            Self::Condition => "Condition",
            Self::Terminator => "Terminator",
            Self::Access { .. } => "Access",
            Self::ChangingBase => "ChangingBase",
            Self::OrderedAccess => "OrderedAccess",
            Self::Call { .. } => "Call",
            Self::Instruction { .. } => "Instruction",
            Self::Scalar => "Scalar",
            Self::TooLarge => "TooLarge",
            Self::TooComplex => "TooComplex",
            Self::NoStatement => "NoStatement",
            Self::ContradictoryAssumptions => "ContradictoryAssumptions",
            Self::NeverExecuted => "NeverExecuted",
            Self::OptimisedForSize => "OptimisedForSize",
            Self::Rounding => "Rounding",
            Self::Room => "Room",
            Self::Target { .. } => "Target",
            Self::AddressSpaces { .. } => "AddressSpaces",
            Self::Budget { .. } => "Budget",
            Self::Dependences => "Dependences",
            Self::Unprofitable => "Unprofitable",
            Self::Verifier { .. } => "Verifier",
            Self::Internal { .. } => "Internal",
        }
    }
}

impl Reason {
    /// Whether it is a mistake of Tessera's own.
    pub fn is_internal(&self) -> bool {
        matches!(self, Self::Internal { .. } | Self::Verifier { .. })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MultipleExits => write!(
                f,
                "a loop can be left early (a break, a return, or a check that can panic) where that depends on data, or is \
                 not counted; hoist the check out of the nest, or search in a loop of its own"
            ),
            Self::UnstructuredLoop => {
                write!(f, "a loop is entered at several places, or goes back to its start in a computed way")
            }
            Self::TripCount => write!(
                f,
                "the number of iterations is not an affine expression of outer loop counters and values known before \
                 the nest"
            ),
            Self::Condition => write!(f, "a condition inside the nest is not an affine comparison of loop counters"),
            Self::Terminator => write!(
                f,
                "control is passed on inside the nest in a way that is not supported (an exception, asm goto, a computed goto)"
            ),
            Self::Access { array } => {
                write!(f, "a subscript of {array} is not affine in the loop counters, or its shape cannot be recovered")
            }
            Self::ChangingBase => {
                write!(f, "the address of an array is computed inside the nest (for example loaded from memory)")
            }
            Self::OrderedAccess => write!(f, "a volatile or atomic memory access must keep its place"),
            Self::Call { callee } => write!(f, "the effects of the call to {callee} are not known"),
            Self::Instruction { what } => write!(f, "{what} inside the nest is not supported"),
            Self::Scalar => write!(f, "a value is carried between iterations or out of the nest in an unsupported way"),
            Self::TooLarge => write!(f, "a constant in a subscript or a bound is too large"),
            Self::TooComplex => write!(f, "the nest has too many statements, conditions or accesses"),
            Self::NoStatement => write!(f, "the nest writes nothing"),
            Self::ContradictoryAssumptions => {
                write!(f, "the conditions under which the nest could be transformed can never hold")
            }
            Self::NeverExecuted => write!(f, "the conditions that lead to the nest can never hold together"),
            Self::OptimisedForSize => write!(f, "the function is compiled for size, and new code would make it larger"),
            Self::Rounding => write!(
                f,
                "the processor has no SSE2 here: it rounds floating-point numbers when they are stored, so that new code would give other \
                 results; compile with -msse2"
            ),
            Self::Room => write!(f, "new code would need more than 1 KiB of the stack for its scalars"),
            Self::Target { name } => write!(
                f,
                "the target {name} has addresses other than of 32 or 64 bits, or may need calls for arithmetic of that width"
            ),
            Self::AddressSpaces { arrays: [left, right] } => write!(
                f,
                "whether {left} and {right} overlap cannot be told from their addresses, which are of different address spaces or no plain \
                 numbers; declare them restrict"
            ),
            Self::Budget { limit } => {
                write!(f, "the work limit of {limit} operations per function was reached; raise it with budget=N")
            }
            Self::Dependences => write!(f, "its dependences exclude every order that would pay"),
            Self::Unprofitable => write!(f, "no order is expected to be faster than the one it has"),
            Self::Verifier { message } => {
                write!(f, "internal error: the generated code was rejected ({message}); please report it")
            }
            Self::Internal { message } => write!(f, "internal error: {message}; please report it"),
        }
    }
}

/// An operation in the words of people who do not know LLVM.
pub fn in_words(opcode: Opcode) -> &'static str {
    match opcode {
        Opcode::Alloca => "a variable or an array that is made anew in every iteration",
        Opcode::Load => "a read",
        Opcode::Store => "a write",
        Opcode::Call => "a call",
        Opcode::Phi | Opcode::Select => "a choice between values",
        Opcode::UDiv | Opcode::SDiv | Opcode::FDiv | Opcode::URem | Opcode::SRem | Opcode::FRem => "a division",
        Opcode::Fence | Opcode::AtomicCmpXchg | Opcode::AtomicRMW => "an atomic operation",
        Opcode::ExtractElement | Opcode::InsertElement | Opcode::ShuffleVector => "a vector operation",
        _ if opcode.is_terminator() => "a jump",
        _ if opcode.is_cast() => "a conversion",
        _ => "an operation",
    }
}

/// A rejected region: the reason and the source line it is about.
#[derive(Clone, Debug)]
pub struct Rejection {
    /// What was wrong.
    pub reason: Reason,
    /// Where, if debug information says so.
    pub location: Option<SourceLocation>,
}

impl Rejection {
    /// A rejection that is about the whole nest.
    pub fn whole(reason: Reason) -> Self {
        Self { reason, location: None }
    }

    /// A rejection at a source line.
    pub fn at(reason: Reason, location: Option<SourceLocation>) -> Self {
        Self { reason, location }
    }
}

impl From<Reason> for Rejection {
    fn from(reason: Reason) -> Self {
        Self::whole(reason)
    }
}
