//! Do all threads of a block reach a barrier? A look at finished code: no loop and no condition around it may depend on the thread.
//!
//! Trees that keep the [rules](super::sites) lead to such code; this is the proof for one piece of code, which knows nothing of trees.

use std::collections::BTreeSet;

use crate::ast::{Ast, AstUnit, Cond, Expr, IterId};
use crate::space::Name;

/// A barrier, by the name of its statement, below a loop or a condition that depends on the thread; nothing if there is none. Linear.
pub(super) fn divergent(unit: &AstUnit, barriers: &[Name], threads: &[Name]) -> Option<Name> {
    Walk::new(unit, barriers, threads).node(&unit.body, false)
}

/// The loops that all threads of a block reach together, with the same iterations. Linear.
pub(super) fn uniform_loops(unit: &AstUnit, threads: &[Name]) -> BTreeSet<IterId> {
    let mut walk = Walk::new(unit, &[], threads);
    walk.node(&unit.body, false);
    walk.uniform
}

struct Walk<'w> {
    barriers: &'w [Name],
    /// The positions of the parameters that are the thread.
    threads: BTreeSet<usize>,
    /// The iterators with values that depend on the thread.
    varying: BTreeSet<usize>,
    /// The loops so far that do not depend on the thread.
    uniform: BTreeSet<IterId>,
}

impl<'w> Walk<'w> {
    fn new(unit: &AstUnit, barriers: &'w [Name], threads: &[Name]) -> Self {
        let positions = threads.iter().filter_map(|name| unit.params.iter().position(|known| known == name));
        Walk { barriers, threads: positions.collect(), varying: BTreeSet::new(), uniform: BTreeSet::new() }
    }

    fn node(&mut self, ast: &Ast, diverges: bool) -> Option<Name> {
        match ast {
            Ast::For(node) => {
                let mut varies = self.varies(&node.lower) || node.upper.iter().any(|upper| self.varies(upper));
                varies |= node.test.iter().any(|test| self.condition_varies(test));
                if varies {
                    self.varying.insert(node.iter.0);
                }
                if !varies && !diverges {
                    self.uniform.insert(node.iter);
                }
                self.node(&node.body, diverges || varies)
            }
            Ast::If { cond, then, otherwise } => {
                let diverges = diverges || self.condition_varies(cond);
                let found = self.node(then, diverges);
                found.or_else(|| otherwise.as_ref().and_then(|otherwise| self.node(otherwise, diverges)))
            }
            Ast::Block(parts) => parts.iter().find_map(|part| self.node(part, diverges)),
            Ast::Mark(_, body) => self.node(body, diverges),
            Ast::User { stmt, args } => {
                let varies = diverges || args.iter().any(|arg| self.varies(arg));
                (varies && self.barriers.contains(stmt)).then(|| stmt.clone())
            }
        }
    }

    fn varies(&self, expr: &Expr) -> bool {
        expr.any(&|part| self.is_varying(part))
    }

    fn condition_varies(&self, cond: &Cond) -> bool {
        cond.any(&|part| self.is_varying(part))
    }

    fn is_varying(&self, part: &Expr) -> bool {
        match part {
            Expr::Param(position) => self.threads.contains(position),
            Expr::Iter(iter) => self.varying.contains(&iter.0),
            _ => false,
        }
    }
}
