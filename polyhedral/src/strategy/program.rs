//! The loops of a program, as its schedule tree has them.
//!
//! Example: for `for i { S; for j T }` the tree `band i; sequence (S; band j (T))` is the loop 0 around the statement `S` and the loop 1
//! around the statement `T`.
//!
//! Invariants: loops are numbered in preorder; the counter of a loop is one dimension of each statement inside it, and no two loops
//! around a statement share one. A tree of another shape is no program: [`Program::of`] says nothing.

use crate::affine::Aff;
use crate::arith::Row;
use crate::relation::Set;
use crate::schedule::{Band, Instances, Node};
use crate::scop::{Access, Scop};
use crate::space::{DimKind, Space};

/// A statement, or a loop with its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The number of a statement.
    Statement(usize),
    /// A loop.
    Loop {
        /// Its number.
        index: usize,
        /// What it contains, in order.
        body: Vec<Part>,
    },
}

/// The loops of a program and what they contain.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// The outermost loops, in order.
    pub(super) parts: Vec<Part>,
    /// Per statement the loops around it, the outermost first.
    pub(super) around: Vec<Vec<usize>>,
    /// Per statement and loop around it, the dimension that is its counter.
    dims: Vec<Vec<usize>>,
    /// Per statement the instances that are looked at: its domain.
    pub(super) domains: Vec<Set>,
}

impl Program {
    /// The loops of a SCoP; nothing if its schedule is not made of loops over single dimensions.
    pub(super) fn of(scop: &Scop) -> Option<Program> {
        let n = scop.statements.len();
        let domains = scop.statements.iter().map(|statement| statement.domain.clone()).collect();
        let (around, dims) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        let mut program = Program { parts: Vec::new(), around, dims, domains };
        let Node::Domain(_, child) = scop.schedule.root() else { return None };
        let mut next = 0;
        program.parts = program.read(scop, child, &(0..n).collect::<Vec<_>>(), &mut next)?;
        Some(program)
    }

    /// Whether no bound of another loop inside a loop around a statement depends on it.
    pub(super) fn is_rectangular(&self, statement: usize, index: usize) -> bool {
        self.is_apart(statement, index, self.around[statement].iter().skip_while(|l| **l != index).skip(1))
    }

    /// Whether the bounds of a loop around a statement depend on no loop around it: it runs equally often every time.
    pub(super) fn is_level(&self, statement: usize, index: usize) -> bool {
        self.is_apart(statement, index, self.around[statement].iter().take_while(|l| **l != index))
    }

    /// Whether a loop around a statement counts to a number below `count`, whatever parameters and other loops are.
    pub(super) fn is_below(&self, statement: usize, index: usize, count: i64) -> bool {
        let Some(dim) = self.dim(statement, index) else { return false };
        let last = self.domains[statement].plain_upper_bound(DimKind::Out, dim);
        last.is_ok_and(|last| last.is_some_and(|last| last < count))
    }

    /// The loops around a statement that the first iteration of one of its loops depends on.
    pub(super) fn begins_with(&self, statement: usize, index: usize) -> Vec<usize> {
        let Some(dim) = self.dim(statement, index) else { return Vec::new() };
        let domain = &self.domains[statement];
        let first = domain.space().offset(DimKind::Out);
        let bounds = || domain.conjunctions().iter().flat_map(|conjunction| conjunction.ineqs());
        let depends = |other: &&usize| {
            let other = self.dim(statement, **other).filter(|other| *other != dim);
            let both = |row: &Row, other: usize| row[first + dim].is_positive() && row[first + other].is_negative();
            other.is_some_and(|other| bounds().any(|row| both(row, other)))
        };
        self.around[statement].iter().filter(depends).copied().collect()
    }

    /// Whether a loop around a statement has one iteration at most, whatever the loops around it do.
    pub(super) fn runs_once(&self, statement: usize, index: usize) -> bool {
        let Some(dim) = self.dim(statement, index) else { return false };
        self.domains[statement].plainly_follows(DimKind::Out, dim).unwrap_or(false)
    }

    /// Whether every constraint of the domain of a statement is about the counter of one loop or about those of others, not about both.
    pub(super) fn is_apart<'l>(&self, statement: usize, index: usize, others: impl Iterator<Item = &'l usize>) -> bool {
        let Some(dim) = self.dim(statement, index) else { return false };
        let others: Vec<usize> = others.filter_map(|l| self.dim(statement, *l)).collect();
        let domain = &self.domains[statement];
        let [conjunction] = domain.conjunctions() else { return false };
        let first = domain.space().offset(DimKind::Out);
        let mut rows = conjunction.eqs().iter().chain(conjunction.ineqs()).filter(|row| !row[first + dim].is_zero());
        conjunction.n_local() == 0 && rows.all(|row| others.iter().all(|other| row[first + other].is_zero()))
    }

    /// The subscripts of an access in terms of the first of some statements: those of two statements in the same loops are equal if, in an iteration,
    /// they touch the same element.
    pub(super) fn place(&self, access: &Access, (statement, first): (usize, usize)) -> Option<Vec<Aff>> {
        let subscripts = access.subscripts()?;
        if self.around[statement] != self.around[first] || self.dims[statement] != self.dims[first] {
            return Some(subscripts);
        }
        let name = self.domains[first].space().range_tuple().clone();
        let in_first = |subscript: &Aff| {
            let space = subscript.space();
            subscript.with_space(&Space::set_of(&space.params_space(), name.clone()))
        };
        subscripts.iter().map(in_first).collect::<Result<_, _>>().ok()
    }

    fn read(&mut self, scop: &Scop, node: &Node, statements: &[usize], next: &mut usize) -> Option<Vec<Part>> {
        match node {
            Node::Leaf => match statements {
                [statement] => Some(vec![Part::Statement(*statement)]),
                _ => None,
            },
            Node::Band(band, child) => {
                let index = *next;
                *next += 1;
                for s in statements {
                    let dim = counter(band, scop.statements[*s].name.as_str())?;
                    if self.dims[*s].contains(&dim) {
                        return None;
                    }
                    self.around[*s].push(index);
                    self.dims[*s].push(dim);
                }
                Some(vec![Part::Loop { index, body: self.read(scop, child, statements, next)? }])
            }
            Node::Sequence(children) => {
                let mut parts = Vec::new();
                let mut left = statements.to_vec();
                for child in children {
                    let Node::Filter(instances, below) = &**child else { return None };
                    let inside: Vec<usize> = left.iter().copied().filter(|s| has(instances, scop, *s)).collect();
                    left.retain(|s| !inside.contains(s));
                    parts.extend(self.read(scop, below, &inside, next)?);
                }
                left.is_empty().then_some(parts)
            }
            _ => None,
        }
    }

    /// The dimension of a statement that is the counter of a loop around it.
    pub(super) fn dim(&self, statement: usize, index: usize) -> Option<usize> {
        let position = self.around[statement].iter().position(|l| *l == index)?;
        Some(self.dims[statement][position])
    }
}

/// The dimension that the only member of a band is, for a statement.
pub(super) fn counter(band: &Band, statement: &str) -> Option<usize> {
    let [member] = band.members() else { return None };
    member.dimension(statement)
}

/// Whether a filter has the instances of a statement. A filter that has only some of them leaves the rest to another, so that the statement
/// is met twice; a program has no such filters.
fn has(instances: &Instances, scop: &Scop, statement: usize) -> bool {
    let statement = &scop.statements[statement];
    instances.get(&statement.name).is_some_and(|set| *set == statement.domain || set.is_plainly_universe())
}

/// The statements in some parts, in order.
pub(super) fn statements_of(parts: &[Part]) -> Vec<usize> {
    let of_part = |part: &Part| match part {
        Part::Statement(statement) => vec![*statement],
        Part::Loop { body, .. } => statements_of(body),
    };
    parts.iter().flat_map(of_part).collect()
}

/// Whether a body has no loops of its own.
pub(super) fn is_innermost(body: &[Part]) -> bool {
    body.iter().all(|inner| matches!(inner, Part::Statement(_)))
}

/// The loops that have only one loop as their body, and the body of the last of them.
pub(super) fn perfect_chain(part: &Part) -> (Vec<usize>, &[Part]) {
    let mut loops = Vec::new();
    let mut current = part;
    while let Part::Loop { index, body } = current {
        loops.push(*index);
        match body.as_slice() {
            [only @ Part::Loop { .. }] => current = only,
            _ => return (loops, body),
        }
    }
    (loops, &[])
}

/// Loops around a body.
pub(super) fn wrap(loops: &[usize], body: &[Part]) -> Part {
    let mut body = body.to_vec();
    for index in loops.iter().skip(1).rev() {
        body = vec![Part::Loop { index: *index, body }];
    }
    Part::Loop { index: loops.first().copied().unwrap_or(0), body }
}

/// A part without all statements but some; nothing if none of these is in it.
pub(super) fn only(part: &Part, wanted: &[usize]) -> Option<Part> {
    match part {
        Part::Statement(statement) => wanted.contains(statement).then(|| part.clone()),
        Part::Loop { index, body } => {
            let body: Vec<Part> = body.iter().filter_map(|inner| only(inner, wanted)).collect();
            (!body.is_empty()).then_some(Part::Loop { index: *index, body })
        }
    }
}
