//! Expressions specialised to their position: cheap divisions where what is known there allows them.
//!
//! The pass walks a finished AST and collects what holds at every place: the context, the bounds of the enclosing loops, the conditions
//! passed. All of it is linear over the parameters, the iterators and *atoms*, the divisions and extrema that occur in it. With
//! that,
//! - `floor(a / d)` becomes the truncating division `a / d` where `a >= 0` is proved, or where `d` is known to divide `a`;
//! - `a mod d` becomes the truncating remainder `a' % d` of some `a'` that is congruent to `a` and proved not to be negative: `a`
//!   itself, or a known constraint `h >= 0` with the coefficients of `a` modulo `d`, plus a constant; with the opposite
//!   coefficients it becomes `d - 1 - (a' % d)`;
//! - a remainder that is only compared with zero is the truncating one whatever the sign.
//!
//! In a conjunction the parts without divisions come first, and each part may rely on those before it: `and` is evaluated
//! from left to right, as in C. (Sections 6.1 to 6.3 of the TOPLAS paper.)

use crate::arith::Int;
use crate::budget::{Budget, Exhausted};
use crate::relation::{Row, add_scaled, all_zero, negated, zeros};

use super::cond::Cond;
use super::expr::Expr;
use super::node::{Ast, For};
use super::options::AstOptions;
use super::system::System;

type Result<T> = std::result::Result<T, Exhausted>;

/// The AST with specialised expressions, given constraints on the parameters (the first columns) that hold everywhere.
pub(super) fn specialise(
    ast: Ast,
    n_param: usize,
    context: &System,
    options: &AstOptions,
    budget: &Budget,
) -> Result<Ast> {
    let keys = (0..n_param).map(Expr::Param).collect();
    let mut place = Place { keys, known: context.clone(), prefer_pdiv: options.prefer_pdiv, budget };
    place.known.n = n_param;
    place.node(ast)
}

/// What is known at a place of the AST.
#[derive(Clone)]
struct Place<'b> {
    /// What the columns of `known` stand for: parameters, iterators, divisions, remainders, extrema.
    keys: Vec<Expr>,
    known: System,
    prefer_pdiv: bool,
    budget: &'b Budget,
}

impl Place<'_> {
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
                let iterator = Expr::Iter(node.iter);
                let bounds = |expr: &Expr, maximum: bool| match expr {
                    Expr::Max(args) if maximum => args.clone(),
                    Expr::Min(args) if !maximum => args.clone(),
                    other => vec![other.clone()],
                };
                for low in bounds(&lower, true) {
                    let row = inside.row(&Expr::Sub(Box::new(iterator.clone()), Box::new(low)))?;
                    inside.learn(row, false);
                }
                for high in upper.iter().flat_map(|upper| bounds(upper, false)) {
                    let row = inside.row(&Expr::Sub(Box::new(high), Box::new(iterator.clone())))?;
                    inside.learn(row, false);
                }
                let test = node.test.as_ref().map(|test| inside.clone().cond(test)).transpose()?;
                let body = Box::new(inside.node(*node.body)?);
                Ast::For(For { lower, upper, test, body, ..node })
            }
        })
    }

    /// A condition, which then counts as known.
    fn cond(&mut self, cond: &Cond) -> Result<Cond> {
        Ok(match cond {
            Cond::True | Cond::False => cond.clone(),
            Cond::Ge(expr) => {
                let expr = self.expr(expr)?;
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

    fn expr(&mut self, expr: &Expr) -> Result<Expr> {
        let both = |place: &mut Self, a: &Expr, b: &Expr| Ok((Box::new(place.expr(a)?), Box::new(place.expr(b)?)));
        Ok(match expr {
            Expr::Const(_) | Expr::Param(_) | Expr::Iter(_) => expr.clone(),
            Expr::Add(a, b) => {
                let (a, b) = both(self, a, b)?;
                Expr::Add(a, b)
            }
            Expr::Sub(a, b) => {
                let (a, b) = both(self, a, b)?;
                Expr::Sub(a, b)
            }
            Expr::Neg(a) => Expr::Neg(Box::new(self.expr(a)?)),
            Expr::Mul(factor, a) => Expr::Mul(factor.clone(), Box::new(self.expr(a)?)),
            Expr::Min(args) => Expr::Min(args.iter().map(|arg| self.expr(arg)).collect::<Result<_>>()?),
            Expr::Max(args) => Expr::Max(args.iter().map(|arg| self.expr(arg)).collect::<Result<_>>()?),
            Expr::FloorDiv(a, divisor) => {
                let row = self.row(a)?;
                let inner = Box::new(self.expr(a)?);
                if !self.prefer_pdiv {
                    Expr::FloorDiv(inner, divisor.clone())
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

    fn remainder(&mut self, a: &Expr, divisor: &Int) -> Result<Expr> {
        let row = self.row(a)?;
        let inner = self.expr(a)?;
        if !self.prefer_pdiv {
            return Ok(Expr::Mod(Box::new(inner), divisor.clone()));
        }
        if self.holds(&row)? {
            return Ok(Expr::Rem(Box::new(inner), divisor.clone()));
        }
        let candidates: Vec<Row> = self.known.ineqs.clone();
        for opposite in [false, true] {
            for known in &candidates {
                let mut distance = row.clone();
                distance.resize(known.len().max(row.len()), Int::zero());
                add_scaled(&mut distance, &Int::from(if opposite { 1 } else { -1 }), known);
                if distance[1..].iter().any(|x| !divisor.divides(x)) {
                    continue;
                }
                // known + k is congruent to a, or to -a - 1.
                let mut dividend = known.clone();
                dividend[0] +=
                    if opposite { (-&distance[0] - 1).rem_floor(divisor) } else { distance[0].rem_floor(divisor) };
                let Some(dividend) = self.plain(&dividend) else { continue };
                let rest = Expr::Rem(Box::new(dividend), divisor.clone());
                return Ok(if opposite { Expr::sum(vec![(Int::from(-1), rest)], divisor - 1) } else { rest });
            }
        }
        Ok(Expr::Mod(Box::new(inner), divisor.clone()))
    }

    /// A row as an expression, if it mentions no division and at most three terms.
    fn plain(&self, row: &[Int]) -> Option<Expr> {
        let mut terms = Vec::new();
        for (factor, key) in row[1..].iter().zip(&self.keys).filter(|(factor, _)| !factor.is_zero()) {
            if !matches!(key, Expr::Param(_) | Expr::Iter(_)) {
                return None;
            }
            terms.push((factor.clone(), key.clone()));
        }
        (terms.len() <= 3).then(|| Expr::sum(terms, row[0].clone()))
    }

    fn holds(&self, row: &Row) -> Result<bool> {
        self.known.implies_rational(row, self.budget)
    }

    /// Whether the remainder of `a` is known to be zero.
    fn divides(&mut self, a: &Expr, divisor: &Int) -> Result<bool> {
        let remainder = Expr::Mod(Box::new(a.clone()), divisor.clone());
        if !self.keys.contains(&remainder) {
            return Ok(false);
        }
        let row = negated(&self.row(&remainder)?);
        self.holds(&row)
    }

    /// Learns that a condition does not hold, if that is one inequality.
    fn learn_contrary(&mut self, cond: &Cond) -> Result<()> {
        if let Cond::Ge(expr) = cond {
            let mut row = negated(&self.row(expr)?);
            row[0] -= 1;
            self.learn(row, false);
        }
        Ok(())
    }

    fn learn(&mut self, mut row: Row, is_eq: bool) {
        row.resize(self.known.n + 1, Int::zero());
        if all_zero(&row[1..]) {
            return;
        }
        if is_eq { self.known.eqs.push(row) } else { self.known.ineqs.push(row) }
    }

    /// An expression as a row; the divisions and extrema in it become columns.
    fn row(&mut self, expr: &Expr) -> Result<Row> {
        let mut result = zeros(self.known.n + 1);
        self.add(&Int::one(), expr, &mut result)?;
        Ok(result)
    }

    fn add(&mut self, factor: &Int, expr: &Expr, result: &mut Row) -> Result<()> {
        match expr {
            Expr::Const(value) => result[0].add_mul(factor, value),
            Expr::Add(a, b) => {
                self.add(factor, a, result)?;
                self.add(factor, b, result)?;
            }
            Expr::Sub(a, b) => {
                self.add(factor, a, result)?;
                self.add(&-factor, b, result)?;
            }
            Expr::Neg(a) => self.add(&-factor, a, result)?,
            Expr::Mul(c, a) => self.add(&(factor * c), a, result)?,
            other => {
                let column = self.column(other)?;
                result.resize(self.known.n + 1, Int::zero());
                result[column] += factor;
            }
        }
        Ok(())
    }

    /// The column of a parameter, iterator or atom; what defines a new atom is learnt.
    fn column(&mut self, key: &Expr) -> Result<usize> {
        // Truncating operators occur only where they agree with the others.
        let key = &match key {
            Expr::Div(a, divisor) | Expr::Exact(a, divisor) => Expr::FloorDiv(a.clone(), divisor.clone()),
            Expr::Rem(a, divisor) => Expr::Mod(a.clone(), divisor.clone()),
            other => other.clone(),
        };
        if let Some(index) = self.keys.iter().position(|known| known == key) {
            return Ok(index + 1);
        }
        self.budget.spend(1 + self.keys.len() as u64)?;
        self.keys.push(key.clone());
        let at = self.known.n + 1;
        self.known.insert_columns(at, 1);
        match key {
            Expr::FloorDiv(a, divisor) => {
                let mut low = self.row(a)?;
                low[at] -= divisor;
                let mut high = negated(&low);
                high[0] += divisor - 1;
                self.learn(low, false);
                self.learn(high, false);
            }
            Expr::Mod(a, divisor) => {
                let mut row = self.row(a)?;
                let quotient = self.column(&Expr::FloorDiv(a.clone(), divisor.clone()))?;
                row.resize(self.known.n + 1, Int::zero());
                row[quotient] -= divisor;
                row[at] -= 1;
                self.learn(row, true);
            }
            Expr::Min(args) | Expr::Max(args) => {
                for arg in args {
                    let mut row = self.row(arg)?;
                    row[at] -= 1;
                    let row = if matches!(key, Expr::Min(_)) { row } else { negated(&row) };
                    self.learn(row, false);
                }
            }
            _ => {}
        }
        Ok(at)
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
    let possible = !constant.is_positive() && -&constant < *divisor;
    possible.then(|| (Expr::sum(vec![(Int::one(), (**a).clone())], constant), divisor.clone()))
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
