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
use tessera_polyhedral::space::Name;

/// An element that copies load, with the arguments that lead there.
pub(super) struct Loaded {
    pub(super) element: Element,
    pub(super) args: Vec<Expr>,
    /// The conditions of each copy that loads it.
    conditions: Vec<Cond>,
}

impl Loaded {
    /// Notes that a copy with these arguments, under a condition, loads an element.
    pub(super) fn note(all: &mut Vec<Loaded>, element: Element, args: &[Expr], condition: &Cond) {
        match all.iter_mut().find(|known| known.element == element) {
            Some(known) => known.conditions.push(condition.clone()),
            None => all.push(Loaded { element, args: args.to_vec(), conditions: vec![condition.clone()] }),
        }
    }

    /// That some copy that loads it exists.
    pub(super) fn exists(&self) -> Cond {
        Cond::or(self.conditions.clone())
    }
}

/// A copy of a statement in the body of a loop.
pub(super) struct Copy<'b> {
    /// The conditions above it.
    pub(super) above: Vec<&'b Cond>,
    /// Its arguments.
    pub(super) args: &'b [Expr],
}

impl Copy<'_> {
    /// That it exists.
    pub(super) fn condition(&self) -> Cond {
        Cond::and(self.above.iter().map(|cond| (*cond).clone()).collect())
    }
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

/// Collects the copies of a body, all of one statement; `false` where there is something else.
fn collect<'b>(
    ast: &'b Ast,
    inside: IterId,
    above: &mut Vec<&'b Cond>,
    statement: &mut Option<&'b Name>,
    found: &mut Vec<Copy<'b>>,
) -> bool {
    match ast {
        Ast::For(_) | Ast::If { otherwise: Some(_), .. } => false,
        Ast::If { cond, then, otherwise: None } => {
            above.push(cond);
            let goes_on = !cond.involves(inside) && collect(then, inside, above, statement, found);
            above.pop();
            goes_on
        }
        Ast::User { stmt, args } => {
            found.push(Copy { above: above.clone(), args });
            *statement.get_or_insert(stmt) == stmt
        }
        other => other.children().all(|part| collect(part, inside, above, statement, found)),
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
    /// The copies in the body of a loop, all of the statement of that number, which only computes and stores, under conditions that do not depend
    /// on the iteration; nothing where there is something else.
    pub(super) fn copies_of_one<'b>(&self, node: &'b For) -> Option<(usize, Vec<Copy<'b>>)> {
        let (mut statement, mut found) = (None, Vec::new());
        if !collect(&node.body, node.iter, &mut Vec::new(), &mut statement, &mut found) {
            return None;
        }
        let name = statement?;
        let number = self.scop.statements.iter().position(|s| s.name.as_str() == &**name)?;
        is_harmless(&self.scop.statements[number]).then_some((number, found))
    }

    /// How a loop runs without its conditions; nothing where it has none, or where they must stay.
    pub(super) fn speculation(&self, node: &For) -> Option<Speculation> {
        let (number, found) = self.copies_of_one(node)?;
        let statement = &self.scop.statements[number];
        if found.iter().all(|copy| copy.above == found[0].above) {
            return None;
        }
        let mut candidates: Vec<&Copy<'_>> = Vec::new();
        let mut loaded: Vec<Loaded> = Vec::new();
        for copy in &found {
            // Where this one exists, so does an earlier one.
            let is_known = candidates.iter().any(|known| known.above.iter().all(|cond| copy.above.contains(cond)));
            if !is_known {
                candidates.push(copy);
            }
            let condition = copy.condition();
            for access in &statement.accesses {
                let element = self.element(statement, access, copy.args)?;
                if self.is_kept(&element) {
                    continue;
                }
                if access.kind != AccessKind::Read {
                    return None;
                }
                Loaded::note(&mut loaded, element, copy.args, &condition);
            }
        }
        let user = |copy: &Copy<'_>| Ast::User { stmt: statement.name.as_str().into(), args: copy.args.to_vec() };
        let node = For { body: Box::new(Ast::block(found.iter().map(user).collect())), ..node.clone() };
        let candidates: Vec<(Cond, Vec<Expr>)> =
            candidates.into_iter().map(|copy| (copy.condition(), copy.args.to_vec())).collect();
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
        let exists = loaded.exists();
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
