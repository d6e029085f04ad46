//! [`Plan`]: what is to be generated, translated to plain rows: the input of the generator.
//!
//! Statements are numbered, parameters are brought to one list, every set is a list of *disjoint* conjunctions without
//! undefined existentials, so that generating each conjunction once executes each instance once. [`translate`](super::translate)
//! makes it from a schedule tree, [`relation`](super::relation) from a schedule relation.

use std::collections::BTreeMap;

use crate::arith::Int;
use crate::relation::{Row, zeros};
use crate::schedule::LoopType;
use crate::space::Name;

use super::node::MemberId;
use super::piece::Piece;
use super::system::System;

/// A statement.
#[derive(Clone, Debug)]
pub(super) struct Stmt {
    pub(super) name: Name,
    pub(super) n_dim: usize,
}

/// One conjunction over `[1 | params | dims | locals]`, the definitions of the locals included. What the dims are depends on the
/// place: those of a statement, or the members of the outer bands (`outer`), or `outer` and then those of a statement.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) system: System,
    pub(super) n_local: usize,
}

/// A quasi-affine value: `row` over `[1 | params | dims | divs]`.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) row: Row,
    /// Numerators (over the same columns) and denominators; each uses only earlier divisions.
    pub(super) divs: Vec<(Row, Int)>,
}

/// A piecewise value: on each of some disjoint parts (nothing stands for everywhere) one value.
pub(super) type Cases = Vec<(Option<Vec<Part>>, Value)>;

/// Where the values of a band member come from.
#[derive(Clone, Debug)]
pub(super) enum Values {
    /// A function for each statement that reaches the band.
    Functions(BTreeMap<usize, Cases>),
    /// The dimension of the time vectors that the pieces carry.
    Time(usize),
}

/// Loop types for disjoint parts of the iterations of a member, over `[1 | params | outer | member | locals]`.
pub(super) type Regions = Vec<(LoopType, Vec<Part>)>;

/// For each statement that an expansion replaces: the new statements, with parts over
/// `[1 | params | old dims | new dims | locals]`.
pub(super) type Replacements = BTreeMap<usize, Vec<(usize, Vec<Part>)>>;

/// One member of a band.
#[derive(Clone, Debug)]
pub(super) struct PlanMember {
    pub(super) id: MemberId,
    pub(super) values: Values,
    pub(super) coincident: bool,
    pub(super) loop_type: LoopType,
    /// Loop types for parts of the iterations.
    pub(super) regions: Regions,
    /// The remaining iterations, in the same form.
    pub(super) rest: Vec<Part>,
    /// The isolated part, if there is one, with its own loop type: a conjunction over `[1 | params | outer | member]`.
    pub(super) isolate: Option<(System, LoopType)>,
    pub(super) name: Option<Name>,
}

/// A node of the translated tree.
#[derive(Clone, Debug)]
pub(super) enum Plan {
    Leaf,
    /// What is assumed: disjoint parts over `[1 | params | outer | locals]`.
    Context(Vec<Part>, Box<Plan>),
    /// What is tested, in the same form.
    Guard(Vec<Part>, Box<Plan>),
    /// For each statement that passes: the parts of the filter, or nothing if all instances pass.
    Filter(BTreeMap<usize, Option<Vec<Part>>>, Box<Plan>),
    /// For each new statement: parts over `[1 | params | outer | dims | locals]`.
    Extension(BTreeMap<usize, Vec<Part>>, Box<Plan>),
    /// Other instances instead of those that reach the node.
    Expansion(Replacements, Box<Plan>),
    /// Children in order; false for those of set nodes, whose order is free.
    Sequence(Vec<Plan>, bool),
    Band {
        members: Vec<PlanMember>,
        full_tiles: bool,
        child: Box<Plan>,
    },
    Mark(Name, Box<Plan>),
}

/// What is to be generated.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) params: Vec<Name>,
    pub(super) stmts: Vec<Stmt>,
    /// The instances of each statement of the domain (with their times, if the input is a relation), one piece per part.
    pub(super) pieces: Vec<Piece>,
    /// What is assumed about the parameters, as disjoint parts.
    pub(super) context: Vec<Part>,
    /// What holds wherever the parameters in it are used, because a context node introduces them.
    pub(super) scoped: System,
    pub(super) plan: Plan,
    /// Whether every instance is executed at most once.
    pub(super) once: bool,
}

/// The rows that stand for the columns `from .. from + count`.
pub(super) fn units(from: usize, count: usize) -> Vec<Row> {
    (from..from + count)
        .map(|column| {
            let mut row = zeros(column + 1);
            row[column] = Int::one();
            row
        })
        .collect()
}
