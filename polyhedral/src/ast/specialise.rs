//! Expressions specialised to their position: cheap divisions where what is known there allows them.
//!
//! The pass walks a finished AST and collects what holds at every place: the context, the bounds of the enclosing loops, the conditions
//! passed. All of it is linear over the parameters, the iterators and *atoms*, the divisions and extrema that occur in it. With
//! that,
//! - `floor(a / d)` becomes the truncating division `a / d` where `a >= 0` is proved, or where `d` is known to divide `a`;
//! - `a mod d` becomes the truncating remainder of something congruent that is not negative (file `remainder.rs`);
//! - a remainder that is only compared with zero is the truncating one whatever the sign.
//!
//! In a conjunction the parts without divisions come first, and each part may rely on those before it: `and` is evaluated
//! from left to right, as in C. (Sections 6.1 to 6.3 of the TOPLAS paper.)

use crate::arith::Int;
use crate::budget::Exhausted;

use super::cond::Cond;
use super::expr::Expr;
use super::known_at::KnownAt;
use super::node::{Ast, For};

type Result<T> = std::result::Result<T, Exhausted>;

/// The AST with specialised expressions, given what holds outside of everything.
pub(super) fn specialise(ast: Ast, mut outside: KnownAt<'_>) -> Result<Ast> {
    outside.node(ast)
}

impl KnownAt<'_> {
    fn node(&mut self, ast: Ast) -> Result<Ast> {
        Ok(match ast {
            Ast::Block(parts) => Ast::Block(parts.into_iter().map(|part| self.node(part)).collect::<Result<_>>()?),
            Ast::Mark(name, body) => Ast::Mark(name, Box::new(self.node(*body)?)),
            Ast::User { stmt, args } => {
                Ast::User { stmt, args: args.iter().map(|arg| self.expr(arg)).collect::<Result<_>>()? }
            }
            Ast::If { cond, then, otherwise } => {
                let mut inside = self.clone();
                let cond = inside.cond(&cond)?;
                let then = Box::new(inside.node(*then)?);
                let otherwise = match otherwise {
                    None => None,
                    Some(otherwise) => {
                        let mut outside = self.clone();
                        outside.learn_contrary(&cond)?;
                        Some(Box::new(outside.node(*otherwise)?))
                    }
                };
                Ast::If { cond, then, otherwise }
            }
            Ast::For(node) => {
                let lower = self.expr(&node.lower)?;
                let upper = node.upper.as_ref().map(|upper| self.expr(upper)).transpose()?;
                let mut inside = self.clone();
                inside.learn_bounds(&node, &lower, upper.as_ref())?;
                let test = match &node.test {
                    None => None,
                    Some(test) => {
                        // The test is what enforces the upper bound: only the lower one holds when it is evaluated.
                        let mut before = self.clone();
                        before.learn_bounds(&node, &lower, None)?;
                        Some(before.cond(test)?)
                    }
                };
                let body = Box::new(inside.node(*node.body)?);
                Ast::For(For { lower, upper, test, body, ..node })
            }
        })
    }

    /// A condition, which then counts as known.
    pub(super) fn cond(&mut self, cond: &Cond) -> Result<Cond> {
        Ok(match cond {
            Cond::True | Cond::False => cond.clone(),
            Cond::Ge(expr) => {
                let expr = match self.without_offset(expr)? {
                    Some(simpler) => self.expr(&simpler)?,
                    None => self.expr(expr)?,
                };
                let row = self.row(&expr)?;
                self.learn(row, false);
                Cond::Ge(expr)
            }
            Cond::Eq(expr) => {
                let row = self.row(expr)?;
                let cond = match remainder_and_constant(expr) {
                    Some((a, divisor)) => Cond::Divides(divisor, self.expr(&a)?),
                    None => Cond::Eq(self.expr(expr)?),
                };
                self.learn(row, true);
                cond
            }
            Cond::Divides(divisor, expr) => {
                let row = self.row(&Expr::Mod(Box::new(expr.clone()), divisor.clone()))?;
                let expr = self.expr(expr)?;
                self.learn(row, true);
                Cond::Divides(divisor.clone(), expr)
            }
            Cond::And(parts) => {
                let (first, second): (Vec<&Cond>, Vec<&Cond>) = parts.iter().partition(|part| !has_division(part));
                Cond::and(first.into_iter().chain(second).map(|part| self.cond(part)).collect::<Result<_>>()?)
            }
            Cond::Or(parts) => Cond::or(parts.iter().map(|part| self.clone().cond(part)).collect::<Result<_>>()?),
        })
    }

    pub(super) fn expr(&mut self, expr: &Expr) -> Result<Expr> {
        let both = |place: &mut Self, a: &Expr, b: &Expr| Ok((Box::new(place.expr(a)?), Box::new(place.expr(b)?)));
        Ok(match expr {
            Expr::Const(_) | Expr::Param(_) | Expr::Iter(_) => expr.clone(),
            Expr::Add(a, b) => match self.with_remainder(expr)? {
                Some(shorter) => shorter,
                None => {
                    let (a, b) = both(self, a, b)?;
                    Expr::Add(a, b)
                }
            },
            Expr::Sub(a, b) => match self.with_remainder(expr)? {
                Some(shorter) => shorter,
                None => {
                    let (a, b) = both(self, a, b)?;
                    Expr::Sub(a, b)
                }
            },
            Expr::Neg(a) => Expr::Neg(Box::new(self.expr(a)?)),
            Expr::Mul(factor, a) => Expr::Mul(factor.clone(), Box::new(self.expr(a)?)),
            Expr::Min(args) => Expr::Min(args.iter().map(|arg| self.expr(arg)).collect::<Result<_>>()?),
            Expr::Max(args) => Expr::Max(args.iter().map(|arg| self.expr(arg)).collect::<Result<_>>()?),
            Expr::FloorDiv(a, divisor) => {
                let row = self.row(a)?;
                let inner = Box::new(self.expr(a)?);
                if !self.prefer_pdiv {
                    Expr::FloorDiv(inner, divisor.clone())
                } else if let Some(quotient) = self.constant_quotient(a, divisor)? {
                    Expr::Const(quotient)
                } else if let Some(quotient) = self.quotient_of_bound(&row, divisor)? {
                    self.expr(&quotient)?
                } else if self.holds(&row)? {
                    Expr::Div(inner, divisor.clone())
                } else if self.divides(a, divisor)? {
                    Expr::Exact(inner, divisor.clone())
                } else {
                    Expr::FloorDiv(inner, divisor.clone())
                }
            }
            Expr::Mod(a, divisor) => self.remainder(a, divisor)?,
            Expr::Div(a, divisor) => Expr::Div(Box::new(self.expr(a)?), divisor.clone()),
            Expr::Exact(a, divisor) => Expr::Exact(Box::new(self.expr(a)?), divisor.clone()),
            Expr::Rem(a, divisor) => Expr::Rem(Box::new(self.expr(a)?), divisor.clone()),
            Expr::Select(cond, a, b) => {
                let (mut then, mut otherwise) = (self.clone(), self.clone());
                let cond = then.cond(cond)?;
                otherwise.learn_contrary(&cond)?;
                Expr::select(cond, then.expr(a)?, otherwise.expr(b)?)
            }
        })
    }
}

/// For `(a mod d) + c == 0`: what has to be divisible by `d`, and `d`; only if the constant can be a remainder.
fn remainder_and_constant(expr: &Expr) -> Option<(Expr, Int)> {
    let (term, constant) = match expr {
        Expr::Add(term, constant) => (&**term, constant.as_const()?.clone()),
        Expr::Sub(term, constant) => (&**term, -constant.as_const()?),
        term => (term, Int::zero()),
    };
    let Expr::Mod(a, divisor) = term else { return None };
    if constant.is_positive() || -&constant >= *divisor {
        return None;
    }
    let mut terms = Vec::new();
    let inner = a.linear_terms(&Int::one(), &mut terms);
    // Of the constants that are congruent the one of least absolute value.
    let mut constant = (inner + constant).rem_floor(divisor);
    if &constant + &constant > *divisor {
        constant -= divisor;
    }
    Some((Expr::sum(terms, constant), divisor.clone()))
}

/// Whether specialising an expression can change it.
pub(super) fn may_change(expr: &Expr) -> bool {
    match expr {
        Expr::Const(_) | Expr::Param(_) | Expr::Iter(_) => false,
        Expr::Add(a, b) | Expr::Sub(a, b) => may_change(a) || may_change(b),
        Expr::Neg(a) | Expr::Mul(_, a) => may_change(a),
        Expr::Min(args) | Expr::Max(args) => args.iter().any(may_change),
        Expr::FloorDiv(..) | Expr::Mod(..) | Expr::Div(..) | Expr::Exact(..) | Expr::Rem(..) | Expr::Select(..) => true,
    }
}

fn has_division(cond: &Cond) -> bool {
    fn inside(expr: &Expr) -> bool {
        match expr {
            Expr::Const(_) | Expr::Param(_) | Expr::Iter(_) => false,
            Expr::Add(a, b) | Expr::Sub(a, b) => inside(a) || inside(b),
            Expr::Neg(a) | Expr::Mul(_, a) => inside(a),
            Expr::Min(args) | Expr::Max(args) => args.iter().any(inside),
            Expr::FloorDiv(..) | Expr::Mod(..) | Expr::Div(..) | Expr::Exact(..) | Expr::Rem(..) => true,
            Expr::Select(cond, a, b) => has_division(cond) || inside(a) || inside(b),
        }
    }
    match cond {
        Cond::True | Cond::False => false,
        Cond::Ge(expr) | Cond::Eq(expr) => inside(expr),
        Cond::Divides(..) => true,
        Cond::And(parts) | Cond::Or(parts) => parts.iter().any(has_division),
    }
}
