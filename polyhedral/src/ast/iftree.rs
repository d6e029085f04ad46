//! The tree of conditions: conditions one after the other that imply or exclude each other are nested.
//!
//! `if (a) x; if (a && b) y` becomes `if (a) { x; if (b) y }`, and `if (a) x; if (c) y` becomes `if (a) x else if (c) y` where `a` and `c`
//! exclude each other at this place. The order of what is executed stays: only the condition that comes last is extended, by what
//! follows it. (Section 6.1 of T. Grosser, S. Verdoolaege, A. Cohen, "Polyhedral AST generation is more than scanning polyhedra",
//! TOPLAS 2015; there a condition is compared with the whole chain of open conditions, here level by level.)

use crate::budget::Exhausted;
use crate::relation::{Row, negated};

use super::cond::Cond;
use super::expr::Expr;
use super::in_vain::under_common_conditions;
use super::known_at::KnownAt;
use super::node::{Ast, For};
use super::options::AstOptions;

type Result<T> = std::result::Result<T, Exhausted>;

/// The AST with nested conditions, given what holds outside of everything.
pub(super) fn nest(ast: Ast, mut outside: KnownAt<'_>, options: &AstOptions) -> Result<Ast> {
    let AstOptions { allow_else, exploit_nested_bounds, .. } = *options;
    Tree { allow_else, exploit_nested_bounds }.node(ast, &mut outside)
}

struct Tree {
    allow_else: bool,
    /// Loops leave conditions to the bounds of inner ones.
    exploit_nested_bounds: bool,
}

impl Tree {
    fn node(&self, ast: Ast, place: &mut KnownAt<'_>) -> Result<Ast> {
        Ok(match ast {
            user @ Ast::User { .. } => user,
            Ast::Mark(name, body) => Ast::Mark(name, Box::new(self.node(*body, place)?)),
            Ast::For(node) => {
                let mut inside = place.clone();
                inside.learn_bounds(&node, &node.lower, node.upper.as_ref())?;
                let body = Box::new(self.node(*node.body, &mut inside)?);
                Ast::For(For { body, ..node })
            }
            Ast::If { cond, then, otherwise } => {
                let mut inside = place.clone();
                inside.learn_all(&cond)?;
                let then = Box::new(self.node(*then, &mut inside)?);
                let otherwise = match otherwise {
                    None => None,
                    Some(otherwise) => {
                        let mut outside = place.clone();
                        outside.learn_contrary(&cond)?;
                        Some(Box::new(self.node(*otherwise, &mut outside)?))
                    }
                };
                Ast::If { cond, then, otherwise }
            }
            Ast::Block(parts) => {
                let parts = match self.exploit_nested_bounds {
                    true => under_common_conditions(parts, |cond| implies(&mut place.clone(), cond))?,
                    false => parts,
                };
                let mut result: Vec<Ast> = Vec::with_capacity(parts.len());
                for part in parts {
                    match (result.pop(), part) {
                        (Some(last), part) => result.extend(self.joined(last, part, place)?),
                        (None, part) => result.push(part),
                    }
                }
                let parts = result.into_iter().map(|part| self.node(part, place)).collect::<Result<Vec<_>>>()?;
                Ast::block(parts)
            }
        })
    }

    /// One or two nodes with the meaning of the two given ones.
    fn joined(&self, first: Ast, second: Ast, place: &KnownAt<'_>) -> Result<Vec<Ast>> {
        let (first, second) = match (first, second) {
            (Ast::If { cond, then, otherwise }, Ast::If { cond: inner, then: body, otherwise: None }) => {
                let (Some(outer_parts), Some(parts)) = (conjuncts(&cond), conjuncts(&inner)) else {
                    let second = Ast::If { cond: inner, then: body, otherwise: None };
                    return Ok(vec![Ast::If { cond, then, otherwise }, second]);
                };
                let mut both = place.clone();
                both.learn_all(&inner)?;
                if implies_all(&mut both, &outer_parts)? {
                    let mut within = place.clone();
                    within.learn_all(&cond)?;
                    let mut rest = Vec::new();
                    for part in parts {
                        if !implies(&mut within, part)? {
                            rest.push(part.clone());
                        }
                    }
                    let body = Ast::guarded(Cond::and(rest), *body);
                    let then = Box::new(Ast::block(vec![*then, body]));
                    return Ok(vec![Ast::If { cond, then, otherwise }]);
                }
                both.learn_all(&cond)?;
                if self.allow_else && both.known.is_empty_rational(place.budget)? {
                    let body = Ast::guarded(self.outside(place, &outer_parts, &parts)?, *body);
                    let before = otherwise.map_or(Ast::Block(Vec::new()), |node| *node);
                    let otherwise = Some(Box::new(Ast::block(vec![before, body])));
                    return Ok(vec![Ast::If { cond, then, otherwise }]);
                }
                (Ast::If { cond, then, otherwise }, Ast::If { cond: inner, then: body, otherwise: None })
            }
            other => other,
        };
        Ok(vec![first, second])
    }

    /// What is left of a conjunction where another one does not hold: a part is not needed if without it, and with the others, the
    /// other conjunction would hold.
    fn outside(&self, place: &KnownAt<'_>, other: &[&Cond], parts: &[&Cond]) -> Result<Cond> {
        let mut kept: Vec<&Cond> = parts.to_vec();
        for part in parts {
            let mut contrary = place.clone();
            if !contrary.learn_contrary(part)? {
                continue;
            }
            for rest in kept.iter().filter(|rest| *rest != part) {
                contrary.learn_all(rest)?;
            }
            if implies_all(&mut contrary, other)? {
                kept.retain(|rest| rest != part);
            }
        }
        Ok(Cond::and(kept.into_iter().cloned().collect()))
    }
}

/// The parts of a conjunction of constraints; nothing for conditions with disjunctions.
fn conjuncts(cond: &Cond) -> Option<Vec<&Cond>> {
    let simple = |cond: &Cond| matches!(cond, Cond::Ge(_) | Cond::Eq(_));
    match cond {
        Cond::And(parts) if parts.iter().all(simple) => Some(parts.iter().collect()),
        cond if simple(cond) => Some(vec![cond]),
        _ => None,
    }
}

fn implies_all(place: &mut KnownAt<'_>, parts: &[&Cond]) -> Result<bool> {
    for part in parts {
        if !implies(place, part)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a constraint is known to hold.
fn implies(place: &mut KnownAt<'_>, cond: &Cond) -> Result<bool> {
    let row = |place: &mut KnownAt<'_>, expr: &Expr| -> Result<Row> { place.row(expr) };
    Ok(match cond {
        Cond::Ge(expr) => {
            let row = row(place, expr)?;
            place.holds(&row)?
        }
        Cond::Eq(expr) => {
            let row = row(place, expr)?;
            place.holds(&row)? && place.holds(&negated(&row))?
        }
        _ => false,
    })
}
