//! The user's pragmas about old loops (`#pragma clang loop`, `#pragma unroll`), for the new loops.
//!
//! A new loop stands for an old one if its iterator is that loop's counter in some statement. What a pragma *forbids* (vectorisation,
//! unrolling) is kept on every new loop that stands for the old one; what the innermost old loop around a statement
//! forbids, also on the innermost new loop around it, whichever that is: the compiler vectorises and unrolls innermost loops.
//! What a pragma *asks for* is kept only where the innermost new loop stands for the old one; elsewhere the compiler would
//! warn that it cannot do it. Properties that tell of what the compiler has done, and promises about accesses, are not kept: they are
//! about the old code.
//!
//! Invariant: only loops of the program have pragmas. A statement may also have loops that only the model knows: those of a `memset`, and
//! the dimensions of copies of a scalar.

use crate::host::{LoopHint, LoopProperty};
use crate::model::scop::Scop;
use std::collections::HashMap;
use tessera_polyhedral::ast::{Ast, AstUnit, Expr, IterId};

/// Which old loops a new loop is about.
#[derive(Clone, Debug, Default)]
struct Origin {
    /// It stands for these.
    stands_for: Vec<usize>,
    /// It is an innermost loop, and these are the innermost old loops of the statements in it.
    innermost: Option<Vec<usize>>,
}

/// The pragmas for all new loops of a region.
#[derive(Debug, Default)]
pub(super) struct LoopPragmas {
    /// The properties of the old loops, by index.
    properties: Vec<Vec<LoopProperty>>,
    // Only looked up, never iterated.
    origins: HashMap<IterId, Origin>,
}

impl LoopPragmas {
    /// Reads the pragmas about the loops of a region.
    pub(super) fn new(scop: &Scop, unit: &AstUnit) -> Self {
        let properties: Vec<Vec<LoopProperty>> =
            scop.region.loops.iter().map(|l| l.handle.properties().into_iter().filter(is_pragma).collect()).collect();
        let mut pragmas = Self { properties, origins: HashMap::new() };
        if pragmas.properties.iter().any(|all| !all.is_empty()) {
            pragmas.visit(&unit.body, scop, &mut Vec::new());
        }
        pragmas
    }

    /// What is known about the loops `around` a node from the statements in it; the answer is whether a loop is in it.
    fn visit(&mut self, ast: &Ast, scop: &Scop, around: &mut Vec<IterId>) -> bool {
        match ast {
            Ast::Block(parts) => {
                let mut found = false;
                for part in parts {
                    found |= self.visit(part, scop, around);
                }
                found
            }
            Ast::Mark(_, inner) => self.visit(inner, scop, around),
            Ast::If { then, otherwise, .. } => {
                let found = self.visit(then, scop, around);
                otherwise.as_deref().is_some_and(|otherwise| self.visit(otherwise, scop, around)) || found
            }
            Ast::For(node) => {
                around.push(node.iter);
                let origin = self.origins.entry(node.iter).or_default();
                origin.innermost = Some(Vec::new());
                if self.visit(&node.body, scop, around) {
                    self.origins.entry(node.iter).or_default().innermost = None;
                }
                around.pop();
                true
            }
            Ast::User { stmt, args } => {
                let Some(statement) = scop.statement(stmt) else { return false };
                let is_old = |index: &&usize| **index < self.properties.len();
                let innermost_old = statement.loops.iter().rfind(is_old);
                for (arg, index) in args.iter().zip(&statement.loops).filter(|(_, index)| is_old(index)) {
                    let mut iterators = Vec::new();
                    iterators_of(arg, &mut iterators);
                    if let [only] = iterators.as_slice()
                        && let Some(origin) = self.origins.get_mut(only)
                        && !origin.stands_for.contains(index)
                    {
                        origin.stands_for.push(*index);
                    }
                }
                let innermost = around.last().and_then(|iter| self.origins.get_mut(iter));
                if let Some(Origin { innermost: Some(known), .. }) = innermost
                    && let Some(index) = innermost_old
                    && !known.contains(index)
                {
                    known.push(*index);
                }
                false
            }
        }
    }

    /// The hints for a new loop.
    pub(super) fn of(&self, iter: IterId) -> Vec<LoopHint> {
        let Some(origin) = self.origins.get(&iter) else { return Vec::new() };
        let mut kept: Vec<&LoopProperty> = Vec::new();
        let mut keep = |property| {
            if !kept.iter().any(|other: &&LoopProperty| subject(other) == subject(property)) {
                kept.push(property);
            }
        };
        let all = |loops: &[usize]| loops.iter().flat_map(|index| &self.properties[*index]).collect::<Vec<_>>();
        let innermost = origin.innermost.as_deref().unwrap_or_default();
        let forbidding = all(&origin.stands_for).into_iter().chain(all(innermost)).filter(|p| forbids(p));
        forbidding.for_each(&mut keep);
        if origin.innermost.is_some() {
            all(&origin.stands_for).into_iter().filter(|p| !forbids(p)).for_each(keep);
        }
        kept.into_iter().map(|property| LoopHint::Kept(property.node)).collect()
    }
}

/// The iterators in an expression, each once.
pub(super) fn iterators_of(expr: &Expr, found: &mut Vec<IterId>) {
    match expr {
        Expr::Iter(iter) if !found.contains(iter) => found.push(*iter),
        Expr::Add(a, b) | Expr::Sub(a, b) => {
            iterators_of(a, found);
            iterators_of(b, found);
        }
        Expr::Neg(a) | Expr::Mul(_, a) => iterators_of(a, found),
        // An iterator inside a division is not the counter itself; constants and parameters have none.
        _ => {}
    }
}

/// Whether a property is a pragma, and one that makes sense for a loop with other bounds and a body in another order.
fn is_pragma(property: &LoopProperty) -> bool {
    let name = property.name.as_str();
    let exact = [
        "llvm.loop.unroll.disable",
        "llvm.loop.unroll.runtime.disable",
        "llvm.loop.unroll.count",
        "llvm.loop.unroll_and_jam.disable",
        "llvm.loop.distribute.enable",
        "llvm.loop.interleave.count",
        "llvm.loop.licm_versioning.disable",
        "llvm.loop.disable_nonforced",
    ];
    exact.contains(&name) || (name.starts_with("llvm.loop.vectorize.") && !name.contains("followup"))
}

/// Whether a pragma forbids something.
fn forbids(property: &LoopProperty) -> bool {
    let name = property.name.as_str();
    name.ends_with(".disable")
        || name.ends_with("disable_nonforced")
        || (name.ends_with(".enable") && property.value == Some(0))
        || (["llvm.loop.vectorize.width", "llvm.loop.interleave.count"].contains(&name) && property.value == Some(1))
}

/// What two pragmas may contradict each other about.
fn subject(property: &LoopProperty) -> &str {
    let name = property.name.as_str();
    if name.starts_with("llvm.loop.unroll.") { "llvm.loop.unroll" } else { name }
}
