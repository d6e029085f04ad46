//! Instances that do not exist, computed all the same: at the edge of a tile of registers, so that no condition is left in the loop.
//!
//! ```text
//! for k:                                        e = j + 32 < n;  j' = e ? j + 32 : j
//!   x0 += A[i][k] * B[k][j]                     for k:
//!   if (j + 32 < n)                       =>      x0 += A[i][k] * B[k][j]
//!     x1 += A[i][k] * B[k][j + 32]                x1 += A[i][k] * B[k][j']
//! ```
//!
//! A condition per copy makes a thread wait for what it loads copy by copy (products of 1000 x 1000 doubles ran at a third of the speed of
//! 1024 x 1024). So an instance that does not exist loads what another one loads that certainly exists, and what it computes goes to
//! a variable of its own that is never stored ([`kept`](super::kept)).
//!
//! Only in loops that hold copies of one statement which only computes and writes nothing but elements that stay, under conditions
//! that do not depend on the iteration. Which copy exists is a choice: of the first one, or, where conditions of others do not contain its own
//! (they may follow from them), of the first of these. Where none exists there is nothing to do.
//!
//! Invariant: every place that is loaded is one that some instance of the same iteration loads in the program.

use super::Emitter;
use super::kept::Element;
use crate::emit::scopes::Placed;
use crate::host::{Edit, EditError, Opcode};
use crate::model::scop::{Access, Op, Statement};
use tessera_polyhedral::ast::{Ast, Cond, Expr, For, IterId};
use tessera_polyhedral::flow::AccessKind;

/// A place that copies load, with the arguments that lead there, or to another one that is loaded where there is no such copy.
pub(super) struct Loaded {
    element: Element,
    args: Vec<Expr>,
    /// The conditions of each copy that loads it, beside those of the first copy.
    conditions: Vec<Cond>,
}

/// A loop whose copies all run.
pub(super) struct Speculation {
    /// That some copy exists.
    pub(super) condition: Cond,
    /// The loop without the conditions.
    pub(super) node: For,
    /// Copies of which one exists, with their conditions and arguments.
    candidates: Vec<(Cond, Vec<Expr>)>,
    loaded: Vec<Loaded>,
}

/// The copies of a body with the conditions above each; `false` where there is something else.
fn copies<'b>(
    ast: &'b Ast,
    inside: IterId,
    above: &mut Vec<&'b Cond>,
    found: &mut Vec<(Vec<&'b Cond>, &'b Ast)>,
) -> bool {
    match ast {
        Ast::For(_) | Ast::If { otherwise: Some(_), .. } => false,
        Ast::If { cond, then, otherwise: None } => {
            above.push(cond);
            let goes_on = !cond.involves(inside) && copies(then, inside, above, found);
            above.pop();
            goes_on
        }
        Ast::User { .. } => {
            found.push((above.clone(), ast));
            true
        }
        other => other.children().all(|part| copies(part, inside, above, found)),
    }
}

/// Whether a statement only loads, computes what has a result for all operands, and stores.
fn is_harmless(statement: &Statement) -> bool {
    let divides = |code: Opcode| matches!(code, Opcode::SDiv | Opcode::UDiv | Opcode::SRem | Opcode::URem);
    statement.body.iter().all(|op| match op {
        Op::Read { .. } | Op::Write { .. } => true,
        Op::Compute { instruction, .. } => {
            let is_call = instruction.is(Opcode::Call) && instruction.intrinsic_name().is_none();
            !is_call && !instruction.opcode().is_some_and(divides)
        }
        _ => false,
    })
}

impl Emitter<'_, '_, '_> {
    /// How a loop runs without its conditions; nothing where it has none, or where they must stay.
    pub(super) fn speculation(&self, node: &For) -> Option<Speculation> {
        let mut found = Vec::new();
        if !copies(&node.body, node.iter, &mut Vec::new(), &mut found) {
            return None;
        }
        let (above, Ast::User { stmt, .. }) = found.first()? else { return None };
        let statement = self.scop.statements.iter().find(|s| s.name.as_str() == &**stmt)?;
        if found.iter().all(|(conditions, _)| conditions == above) || !is_harmless(statement) {
            return None;
        }
        let all = |conditions: &[&Cond]| Cond::and(conditions.iter().map(|cond| (*cond).clone()).collect());
        let mut candidates: Vec<(&Vec<&Cond>, &Vec<Expr>)> = Vec::new();
        for (conditions, copy) in &found {
            let Ast::User { args, .. } = copy else { return None };
            // Where this one exists, so does an earlier one.
            let is_known = candidates.iter().any(|(known, _)| known.iter().all(|cond| conditions.contains(cond)));
            if !is_known {
                candidates.push((conditions, args));
            }
        }
        let mut loaded: Vec<Loaded> = Vec::new();
        for (conditions, copy) in &found {
            let Ast::User { stmt: other, args } = copy else { return None };
            if other != stmt {
                return None;
            }
            for access in &statement.accesses {
                let element = self.element(statement, access, args)?;
                if self.is_kept(&element) {
                    continue;
                }
                if access.kind != AccessKind::Read {
                    return None;
                }
                let condition = all(conditions);
                match loaded.iter_mut().find(|known| known.element == element) {
                    Some(known) => known.conditions.push(condition),
                    None => loaded.push(Loaded { element, args: args.clone(), conditions: vec![condition] }),
                }
            }
        }
        let users = found.iter().map(|(_, copy)| (*copy).clone()).collect();
        let node = For { body: Box::new(Ast::block(users)), ..node.clone() };
        let candidates: Vec<(Cond, Vec<Expr>)> =
            candidates.into_iter().map(|(conditions, args)| (all(conditions), args.clone())).collect();
        let condition = Cond::or(candidates.iter().map(|(condition, _)| condition.clone()).collect());
        Some(Speculation { condition, node, candidates, loaded })
    }

    /// The arguments for a load of the present instance, where it may be another one's.
    pub(super) fn loaded_instead(&mut self, statement: &Statement, access: &Access) -> Edit<Option<Vec<Placed>>> {
        let Some(speculation) = self.speculation.take() else { return Ok(None) };
        let args = self
            .element(statement, access, &self.instance)
            .and_then(|element| speculation.loaded.iter().find(|loaded| loaded.element == element));
        let args = match args {
            Some(loaded) => Some(self.existing(&speculation, loaded)?),
            None if access.kind == AccessKind::Read => return Err(EditError::new("a load that nobody foresaw")),
            None => None,
        };
        self.speculation = Some(speculation);
        Ok(args)
    }

    /// The arguments of a copy that loads something, or of one that exists.
    fn existing(&mut self, speculation: &Speculation, loaded: &Loaded) -> Edit<Vec<Placed>> {
        let exists = Cond::or(loaded.conditions.clone());
        let mut args = Vec::new();
        for (position, own) in loaded.args.iter().enumerate() {
            let mut choices = vec![(&exists, own)];
            choices.extend(speculation.candidates.iter().map(|(condition, args)| (condition, &args[position])));
            // The value so far, and its expression if that is the only one.
            let mut chosen: Option<(Placed, Option<&Expr>)> = None;
            for (condition, arg) in choices.into_iter().rev() {
                let value = self.expr(arg)?;
                chosen = Some(match chosen {
                    Some((other, of)) if of != Some(arg) && *condition != Cond::True => {
                        let condition = self.cond(condition)?;
                        (self.scopes.select(condition, value, other)?, None)
                    }
                    _ => (value, Some(arg)),
                });
            }
            args.extend(chosen.map(|(value, _)| value));
        }
        Ok(args)
    }
}
