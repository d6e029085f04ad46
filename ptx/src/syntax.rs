//! A PTX text as a tree: what [`crate::parser`] makes of it and [`crate::decode`] reads.
//!
//! Names are still names here. An instruction is its opcode, its modifiers in order, and its operands; nothing says
//! yet whether such an instruction exists.

use crate::error::Place;
use crate::types::Type;

/// The state space of a variable or an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    Generic,
    Global,
    Const,
    Shared,
    Local,
    Param,
}

/// A whole text.
#[derive(Debug, Default)]
pub(crate) struct ModuleSyntax<'a> {
    pub(crate) version: (u32, u32),
    pub(crate) target: &'a str,
    pub(crate) variables: Vec<VariableSyntax<'a>>,
    pub(crate) functions: Vec<FunctionSyntax<'a>>,
}

/// A variable of any state space, or a parameter.
#[derive(Debug)]
pub(crate) struct VariableSyntax<'a> {
    pub(crate) place: Place,
    pub(crate) space: Space,
    pub(crate) name: &'a str,
    pub(crate) ty: Type,
    pub(crate) align: u32,
    /// Elements of all dimensions together; `None` for `name[]`.
    pub(crate) elements: Option<u64>,
    pub(crate) external: bool,
    pub(crate) initialiser: Vec<Constant<'a>>,
}

impl VariableSyntax<'_> {
    /// Its size in bytes; zero for `name[]`.
    pub(crate) fn bytes(&self) -> u64 {
        u64::from(self.ty.bytes()).saturating_mul(self.elements.unwrap_or(0))
    }
}

/// One value of an initialiser.
#[derive(Clone, Debug)]
pub(crate) enum Constant<'a> {
    Bits(u64),
    Single(u32),
    Double(u64),
    /// The address of a variable, plus bytes.
    Address(Place, &'a str, u64),
}

/// A kernel or a function.
#[derive(Debug)]
pub(crate) struct FunctionSyntax<'a> {
    pub(crate) place: Place,
    pub(crate) name: &'a str,
    pub(crate) is_kernel: bool,
    pub(crate) results: Vec<VariableSyntax<'a>>,
    pub(crate) parameters: Vec<VariableSyntax<'a>>,
    /// The product of `.maxntid`, if there is one.
    pub(crate) max_threads: Option<u64>,
    /// `.reqntid`, if there is one.
    pub(crate) required_threads: Option<[u32; 3]>,
    /// `None` for a declaration.
    pub(crate) body: Option<Vec<Statement<'a>>>,
}

/// One statement of a body.
#[derive(Debug)]
pub(crate) struct Statement<'a> {
    pub(crate) place: Place,
    pub(crate) kind: StatementKind<'a>,
}

#[derive(Debug)]
pub(crate) enum StatementKind<'a> {
    Open,
    Close,
    Label(&'a str),
    /// A declaration of registers: `.reg .b32 %r<5>` is five names.
    Registers(Type, Vec<RegisterSyntax<'a>>),
    Variable(VariableSyntax<'a>),
    /// The labels of a `.branchtargets` list, which has a label itself.
    Targets(&'a str, Vec<&'a str>),
    Instruction(InstructionSyntax<'a>),
}

/// One name of a register declaration; `%r<5>` has a count of five.
#[derive(Debug)]
pub(crate) struct RegisterSyntax<'a> {
    pub(crate) name: &'a str,
    pub(crate) count: Option<u32>,
}

/// One instruction.
#[derive(Debug)]
pub(crate) struct InstructionSyntax<'a> {
    /// The predicate of `@p` or `@!p` (then with `true`).
    pub(crate) guard: Option<(&'a str, bool)>,
    pub(crate) opcode: &'a str,
    pub(crate) modifiers: Vec<&'a str>,
    pub(crate) operands: Vec<Operand<'a>>,
}

/// One operand.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand<'a> {
    /// A register, a special register (`%tid.x`), a variable, a label or a function.
    Name(&'a str, Option<&'a str>),
    /// A variable and a number of bytes.
    Sum(&'a str, u64),
    /// `!p`.
    Not(&'a str),
    Integer(u64),
    Single(u32),
    Double(u64),
    /// `[a+4]`: a name, if there is one, and a number of bytes.
    Memory(Option<&'a str>, u64),
    /// `{a, b}`.
    Vector(Vec<Operand<'a>>),
    /// `p|q`.
    Pair(&'a str, &'a str),
    /// `(a, b)` of a call.
    List(Vec<&'a str>),
    /// `_`.
    Sink,
}
