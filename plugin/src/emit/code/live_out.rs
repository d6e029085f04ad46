//! Values that are used behind the nest.
//!
//! The statement that computes such a value stands behind all loops of the program, and mostly in new code, too. A schedule may put it
//! into a loop, where it is executed once:
//!
//! ```text
//! for i = 0 to n: { if (i < n) sum += A[i]; if (i == n) result = sum; }
//! ```
//!
//! What `result` is there does not dominate the code behind the loop. Such a value gets a place in the frame, which is written where the
//! statement stands and read at the end.
//!
//! Invariant: each of these statements is executed exactly once, so that the place is written before it is read.

use super::Emitter;
use crate::host::{Edit, EditError, Value};
use crate::model::scop::{Op, Scop};
use tessera_polyhedral::ast::{Ast, AstUnit};

/// The values that need a place: their statement stands in a loop or below a condition, or at several places.
pub(in crate::emit) fn nested(scop: &Scop, unit: &AstUnit) -> Vec<Value> {
    let mut values = Vec::new();
    for statement in &scop.statements {
        let live_out = statement.body.iter().filter_map(|op| match op {
            Op::LiveOut { escaping, .. } => Some(*escaping),
            _ => None,
        });
        let mut live_out = live_out.peekable();
        if live_out.peek().is_some() {
            let mut calls = Calls::default();
            calls.count(&unit.body, statement.name.as_str(), false);
            if calls.inside > 0 || calls.outside > 1 {
                values.extend(live_out);
            }
        }
    }
    values
}

/// How often the code calls a statement inside and outside of loops and conditions.
#[derive(Default)]
struct Calls {
    inside: usize,
    outside: usize,
}

impl Calls {
    fn count(&mut self, ast: &Ast, name: &str, is_inside: bool) {
        match ast {
            Ast::Block(parts) => parts.iter().for_each(|part| self.count(part, name, is_inside)),
            Ast::Mark(_, inner) => self.count(inner, name, is_inside),
            Ast::For(node) => self.count(&node.body, name, true),
            Ast::If { then, otherwise, .. } => {
                self.count(then, name, true);
                if let Some(otherwise) = otherwise {
                    self.count(otherwise, name, true);
                }
            }
            Ast::User { stmt, .. } if &**stmt == name && is_inside => self.inside += 1,
            Ast::User { stmt, .. } if &**stmt == name => self.outside += 1,
            Ast::User { .. } => {}
        }
    }
}

impl Emitter<'_, '_, '_> {
    /// A statement computed what is used behind the nest in place of `escaping`.
    pub(super) fn hand_on(&mut self, escaping: Value, value: Value) -> Edit<()> {
        match self.result_places.iter().find(|(other, _)| *other == escaping) {
            Some((_, place)) => {
                self.scopes.at_end();
                self.scopes.editor.store(value, *place, self.cell_align(escaping.ty()))?;
            }
            None => self.live_out.push((escaping, value)),
        }
        Ok(())
    }

    /// What the region hands on, at its end: original values and those that take their place.
    pub(super) fn handed_on(&mut self) -> Edit<Vec<(Value, Value)>> {
        if self.scopes.depth() > 0 {
            return Err(EditError::new("new code ends in a loop"));
        }
        self.scopes.at_end();
        let mut values = std::mem::take(&mut self.live_out);
        for (escaping, place) in &self.result_places {
            let ty = escaping.ty();
            values.push((*escaping, self.scopes.editor.load(ty, *place, self.cell_align(ty))?));
        }
        Ok(values)
    }
}
