//! Which statements must not become lanes of a vector.
//!
//! Where iterations of an outer loop run side by side, the body has copies of a statement, one per iteration. LLVM makes vectors of such
//! copies (SLP) whenever that saves operations by its own prices. Copies that read a row each then gather their elements, and a gather costs
//! about as much as so many loads: sums of 200 rows of 128 numbers, 8 rows at a time, took 6.7 us with AVX-512 gathers, 3.7 us with
//! scalar loads, 7.5 us one row after the other (Zen 4). So results of such copies are [fenced](crate::host::Editor::fence).
//!
//! Copies whose elements lie side by side are left to LLVM: vectors load them at once.

use super::Emitter;
use crate::formula::poly::Sym;
use crate::host::{Edit, LaneAccess, Opcode, Value};
use crate::model::scop::{Scop, Statement, Storage};
use std::collections::HashMap;
use tessera_polyhedral::ast::{Ast, Expr};

impl Emitter<'_, '_, '_> {
    /// Notes the statements of a loop's body, which has no loops, whose copies would have to gather elements.
    pub(super) fn note_scattered(&mut self, body: &Ast) {
        let analyses = self.scopes.editor.analyses();
        self.scattered.clear();
        if !self.job.hints || !analyses.has_lane_access(LaneAccess::Gather, analyses.vector_bits()) {
            return;
        }
        let mut instances = Vec::new();
        collect(body, &mut instances);
        // The copy of each statement that comes before.
        let mut before: HashMap<&str, &[Expr]> = HashMap::new();
        for (name, args) in instances {
            let Some(other) = before.insert(name, args) else { continue };
            let statement = self.scop.statement(name);
            let is_known = self.scattered.iter().any(|known| known == name);
            if !is_known && statement.is_some_and(|statement| is_scattered(self.scop, statement, other, args)) {
                self.scattered.push(name.to_owned());
            }
        }
    }

    /// What a statement writes: fenced, if the statement must not become a lane of a vector. A product is not: it may be one with a sum
    /// that it goes into.
    pub(super) fn kept_scalar(&self, statement: &Statement, value: Value) -> Edit<Value> {
        if value.is(Opcode::FMul) || !value.is_instruction() || !self.scattered.contains(&statement.name) {
            return Ok(value);
        }
        self.scopes.at_end();
        Ok(self.scopes.editor.fence(value)?.unwrap_or(value))
    }
}

/// The instances in a body: statements and their arguments.
pub(super) fn collect<'a>(ast: &'a Ast, instances: &mut Vec<(&'a str, &'a [Expr])>) {
    if let Ast::User { stmt, args } = ast {
        instances.push((stmt, args));
    }
    ast.children().for_each(|part| collect(part, instances));
}

/// Whether some array is accessed by two instances at places that are not side by side.
fn is_scattered(scop: &Scop, statement: &Statement, one: &[Expr], other: &[Expr]) -> bool {
    let differs = |index: usize| statement.dim(index).is_some_and(|position| one.get(position) != other.get(position));
    is_scattered_along(scop, statement, differs)
}

/// Whether some array is accessed at places that are not side by side when loops go on.
pub(super) fn is_scattered_along(scop: &Scop, statement: &Statement, goes_on: impl Fn(usize) -> bool) -> bool {
    let is_moved = |symbol: &Sym| matches!(symbol, Sym::Iv(index) if goes_on(*index));
    statement.accesses.iter().any(|access| {
        let array = &scop.arrays[access.array];
        if matches!(array.storage, Storage::Scalar(..)) {
            return false;
        }
        let element = access.count * array.unit;
        let is_far = access.offset.terms().any(|(monomial, coefficient)| {
            monomial.iter().any(is_moved) && (monomial.len() > 1 || coefficient.abs() != element)
        });
        is_far || access.entries.iter().any(|entry| entry.symbols().any(|symbol| is_moved(&symbol)))
    })
}
