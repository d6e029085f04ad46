//! Static control parts as data: what an optimizer may know about a piece of a program, without the compiler it came
//! from.
//!
//! A [`Scop`] says which statement instances there are, which array elements each of them touches, what a statement
//! computes (as far as cost needs it: kinds, elements and chains of operations), in which order the program runs them,
//! what the program promises, and what is assumed and checked at run time. It can be printed and read back
//! ([`Scop::parse`], `Display`), so that every decision of an optimizer can be tried on text. Its dependences follow
//! from it ([`Scop::dependences`]).
//!
//! Example, `for i in 1..n: A[i] = A[i - 1] + B[i]`:
//!
//! ```text
//! scop: "prefix"
//! context: "[n] -> {  : n >= 2 }"
//! arrays:
//! - { array: "A", element: f64, storage: memory }
//! - { array: "B", element: f64, storage: memory }
//! statements:
//! - statement: "S"
//!   domain: "[n] -> { S[i] : 0 < i < n }"
//!   accesses:
//!   - { read: "{ S[i] -> A[i - 1] }" }
//!   - { read: "{ S[i] -> B[i] }" }
//!   - { write: "{ S[i] -> A[i] }" }
//!   operations: [ "add f64" ]
//!   chains:
//!   - { from: 0, to: 2, through: [ "add f64" ] }
//! assumptions:
//! - { apart: [ "A", "B" ] }
//! schedule:
//!   domain: "[n] -> { S[i] : 0 < i < n }"
//!   child:
//!     schedule: "[{ S[i] -> [(i)] }]"
//! ```
//!
//! Invariants, which [`Scop::parse`] checks and [`Scop::verify`] can check again: names of arrays and of statements are
//! unique; the tuple of a domain is the statement's name; an access leads from its statement to an array of the list,
//! and all accesses to one array have the same number of subscripts, one more than there are sizes if there are any;
//! numbers of accesses are in range; the schedule has exactly the statements of the list.
//!
//! This is the representation of a SCoP that the literature starts from (domains, access relations, schedule: P.
//! Feautrier, C. Lengauer, "Polyhedron Model", Encyclopedia of Parallel Computing, 2011), with the schedule as a tree.

mod dependences;
mod live_ranges;
mod operation;
mod print;
mod read;
mod subscripts;
mod verify;

pub use dependences::{Dependence, DependenceKind, Dependences, Pair};
pub use live_ranges::{LiveRanges, Ranges};
pub use operation::{Element, ElementKind, Operation, OperationKind};
pub use verify::{Defect, ScopPart};

use crate::count::UnionPwQPolynomial;
use crate::flow::AccessKind;
use crate::relation::{Map, Set};
use crate::schedule::ScheduleTree;

/// A static control part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scop {
    /// How users know it: a function, a line.
    pub name: String,
    /// What is known about the parameters without any check.
    pub context: Set,
    /// What is accessed.
    pub arrays: Vec<Array>,
    /// What is executed.
    pub statements: Vec<Statement>,
    /// Dependences that the program promises not to have.
    pub promises: Vec<Promise>,
    /// What is not known but assumed: new code runs only after a check at run time.
    pub assumptions: Vec<Assumption>,
    /// The order of the program.
    pub schedule: ScheduleTree,
}

/// Where an array lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In one piece of memory.
    Memory,
    /// In rows of memory, behind pointers in tables: so many leading subscripts select the row.
    Rows(usize),
    /// It is a scalar of the program (a register): nothing outside of the SCoP sees it but what statements hand on.
    Scalar,
}

/// An array, or a scalar as an array without dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// The name of its tuple in access relations.
    pub name: String,
    /// What one element is.
    pub element: Element,
    /// The distance of two elements, in bytes.
    pub unit: u64,
    /// Where it lives.
    pub storage: Storage,
    /// The sizes of all dimensions but the outermost (of a row), in elements: polynomials of the parameters. Of each
    /// dimension, all accesses are inside these sizes.
    pub sizes: Vec<UnionPwQPolynomial>,
}

/// One access of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Whether the element is read, written, or perhaps written.
    pub kind: AccessKind,
    /// `S[..] -> A[..]`: which elements, not restricted to the domain of the statement.
    pub relation: Map,
}

/// What a statement does if all it does is `x = x op e`: its instances may run in any order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// The operation and the element, for instance `sum f64`: only reductions of one kind may be mixed.
    pub kind: String,
    /// The access that reads `x`, by number.
    pub read: usize,
    /// The access that writes it.
    pub write: usize,
}

/// Operations that wait for each other on the way from a value that is read to one that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The access that reads, by number.
    pub from: usize,
    /// The access that writes.
    pub to: usize,
    /// The operations in between, in order: of several ways the longest one.
    pub through: Vec<Operation>,
}

/// A statement: code that runs as a whole for every point of its domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The name of its tuple.
    pub name: String,
    /// Its instances.
    pub domain: Set,
    /// What it touches, in the order of execution.
    pub accesses: Vec<Access>,
    /// What it computes, without reads and writes.
    pub operations: Vec<Operation>,
    /// The chains from reads of arrays that the SCoP writes.
    pub chains: Vec<Chain>,
    /// What it is if it is a reduction.
    pub reduction: Option<Reduction>,
    /// Whether it contains branches of its own.
    pub branches: bool,
}

/// A promise of the program: a loop carries no dependences among some accesses (`#pragma omp simd` and the like).
///
/// It excludes the pairs of instances in the same iteration of `depth` outer loops and in different ones of the next:
/// dimensions of the statements' domains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promise {
    /// How many dimensions lie around the loop.
    pub depth: usize,
    /// Statements and accesses, by number.
    pub accesses: Vec<(usize, usize)>,
}

/// Something that new code relies on and that is checked before it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// Two arrays do not overlap.
    Apart(String, String),
    /// On its whole domain the function has only values of that range; absent bounds are none.
    Range {
        /// The value.
        value: UnionPwQPolynomial,
        /// The smallest allowed value.
        low: Option<i128>,
        /// The largest allowed value.
        high: Option<i128>,
    },
    /// An array does not contain some bytes that new code reads before everything else.
    Protected {
        /// How users know the bytes.
        bytes: String,
        /// The array.
        array: String,
    },
    /// Rows of an array lie apart and stay where they are.
    Rows(String),
}

impl Scop {
    /// The number of the array with that name.
    pub fn array(&self, name: &str) -> Option<usize> {
        self.arrays.iter().position(|array| array.name == name)
    }

    /// The number of the array that an access leads to.
    pub fn array_of(&self, access: &Access) -> Option<usize> {
        access.relation.space().range_tuple().name().and_then(|name| self.array(name))
    }

    /// The number of the statement with that name.
    pub fn statement(&self, name: &str) -> Option<usize> {
        self.statements.iter().position(|statement| statement.name == name)
    }
}
