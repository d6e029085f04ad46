//! The nodes of a generated AST: pure syntax, one to one with C and with compiler IR.

use super::cond::Cond;
use super::expr::{Expr, IterId};
use crate::arith::Int;
use crate::space::Name;

/// Which member of which band a loop comes from.
///
/// Bands are numbered in preorder over the schedule tree, starting with 0
/// ([`ScheduleTree::bands`](crate::schedule::ScheduleTree::bands) lists them in that order).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberId {
    /// The number of the band in preorder.
    pub band: usize,
    /// The position of the member in the band.
    pub member: usize,
}

/// A loop: `for (name = lower; name <= upper; name += step) body`.
///
/// The bounds are evaluated once, on entry; they never mention the iterator itself. The loop does nothing where
/// `lower > upper`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct For {
    /// The identity of the iterator.
    pub iter: IterId,
    /// A name for the iterator that differs from those of all enclosing loops and all parameters.
    pub name: Name,
    /// The first value.
    pub lower: Expr,
    /// The last possible value (inclusive; with a step it need not be reached). Nothing for a loop without end: the instances
    /// themselves are not bounded.
    pub upper: Option<Expr>,
    /// The test as constraints on the iterator, if the loop shall not compare it with one expression
    /// ([`AstOptions::atomic_upper_bound`](super::AstOptions::atomic_upper_bound)): it holds exactly for the values up to `upper`.
    pub test: Option<Cond>,
    /// The positive increment.
    pub step: Int,
    /// Whether the band member is coincident: iterations may run in parallel for fixed outer *bands*.
    pub coincident: bool,
    /// The band member; nothing for a loop over instances that the schedule leaves unordered.
    pub member: Option<MemberId>,
    /// The number of iterations, where it is known to be the same constant each time the loop is entered.
    pub trip_count: Option<Int>,
    /// Whether there is at most one iteration each time the loop is entered.
    pub degenerate: bool,
    /// What is done for each value.
    pub body: Box<Ast>,
}

/// A statement list, loop, condition, mark or statement instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ast {
    /// A loop.
    For(For),
    /// A condition around a subtree.
    If {
        /// What is tested.
        cond: Cond,
        /// Done where the condition holds.
        then: Box<Ast>,
        /// Done where it does not hold.
        otherwise: Option<Box<Ast>>,
    },
    /// A list of nodes in execution order. The empty block does nothing.
    Block(Vec<Ast>),
    /// The code of a subtree of the schedule tree below a mark node.
    Mark(Name, Box<Ast>),
    /// The execution of one statement instance.
    User {
        /// The statement: the name of the tuple of its domain.
        stmt: Name,
        /// The values of the dimensions of the domain.
        args: Vec<Expr>,
    },
}

impl Ast {
    /// The block of the given nodes: nested blocks are flattened, a single node stands for itself.
    pub fn block(parts: Vec<Ast>) -> Ast {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Ast::Block(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if flat.len() == 1 { flat.swap_remove(0) } else { Ast::Block(flat) }
    }

    /// The node under a condition; without the condition if it is always or never true.
    pub fn guarded(cond: Cond, then: Ast) -> Ast {
        match (cond, then) {
            (Cond::False, _) => Ast::Block(Vec::new()),
            (Cond::True, then) => then,
            (_, then) if then.is_empty() => then,
            (outer, Ast::If { cond: inner, then, otherwise: None }) => {
                Ast::If { cond: Cond::and(vec![outer, inner]), then, otherwise: None }
            }
            (cond, then) => Ast::If { cond, then: Box::new(then), otherwise: None },
        }
    }

    /// The nodes right below this one, in order.
    pub fn children(&self) -> impl Iterator<Item = &Ast> {
        let children: Vec<&Ast> = match self {
            Ast::Block(parts) => parts.iter().collect(),
            Ast::Mark(_, inner) => vec![inner],
            Ast::If { then, otherwise, .. } => std::iter::once(then).chain(otherwise).map(|part| &**part).collect(),
            Ast::For(node) => vec![&node.body],
            Ast::User { .. } => Vec::new(),
        };
        children.into_iter()
    }

    /// Whether this is the empty block.
    pub fn is_empty(&self) -> bool {
        matches!(self, Ast::Block(parts) if parts.is_empty())
    }
}

/// A complete AST: the names that its expressions refer to, and the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AstUnit {
    /// The names of the parameters; [`Expr::Param`] is a position in this list.
    pub params: Vec<Name>,
    /// The number of iterators; every [`IterId`] is smaller.
    pub n_iter: usize,
    /// The code.
    pub body: Ast,
}
