//! Expressions and conditions of the AST, and polynomials of the model, as arithmetic.

use super::Emitter;
use crate::emit::scopes::Placed;
use crate::formula::poly::{Poly, Sym};
use crate::host::{Edit, EditError, IntOp, IntPredicate};
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{Cond, Expr};

impl Emitter<'_, '_, '_> {
    pub(in crate::emit) fn expr(&mut self, expr: &Expr) -> Edit<Placed> {
        Ok(match expr {
            Expr::Const(value) => self.scopes.constant(value)?,
            Expr::Param(position) => {
                let index = self.ast_params.get(*position).ok_or_else(|| EditError::new("an unknown parameter"))?;
                self.params[*index]
            }
            Expr::Iter(iter) => {
                *self.iters.get(iter).ok_or_else(|| EditError::new("an iterator outside of its loop"))?
            }
            Expr::Add(a, b) => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                self.scopes.int(IntOp::Add, a, b)?
            }
            Expr::Sub(a, b) => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                self.scopes.int(IntOp::Sub, a, b)?
            }
            Expr::Neg(a) => {
                let zero = self.scopes.constant(&Int::zero())?;
                let a = self.expr(a)?;
                self.scopes.int(IntOp::Sub, zero, a)?
            }
            Expr::Mul(factor, a) => {
                let factor = self.scopes.constant(factor)?;
                let a = self.expr(a)?;
                self.scopes.int(IntOp::Mul, a, factor)?
            }
            Expr::FloorDiv(a, divisor) | Expr::Div(a, divisor) | Expr::Exact(a, divisor) => {
                let a = self.expr(a)?;
                self.scopes.floor_div(a, divisor)?
            }
            Expr::Mod(a, divisor) | Expr::Rem(a, divisor) => self.remainder(a, divisor)?,
            Expr::Select(cond, a, b) => {
                let (cond, a, b) = (self.cond(cond)?, self.expr(a)?, self.expr(b)?);
                self.scopes.select(cond, a, b)?
            }
            Expr::Min(parts) => self.extremum(false, parts)?,
            Expr::Max(parts) => self.extremum(true, parts)?,
        })
    }

    fn remainder(&mut self, a: &Expr, divisor: &Int) -> Edit<Placed> {
        let a = self.expr(a)?;
        let quotient = self.scopes.floor_div(a, divisor)?;
        let divisor = self.scopes.constant(divisor)?;
        let product = self.scopes.int(IntOp::Mul, quotient, divisor)?;
        self.scopes.int(IntOp::Sub, a, product)
    }

    fn extremum(&mut self, maximum: bool, parts: &[Expr]) -> Edit<Placed> {
        let mut values = parts.iter().map(|part| self.expr(part)).collect::<Edit<Vec<_>>>()?;
        // Outer values first, so that their extremum is placed outside.
        values.sort_by_key(|value| value.scope);
        let mut values = values.into_iter();
        let mut result = values.next().ok_or_else(|| EditError::new("an empty minimum or maximum"))?;
        for value in values {
            result = self.scopes.extremum(maximum, result, value)?;
        }
        Ok(result)
    }

    pub(in crate::emit) fn cond(&mut self, cond: &Cond) -> Edit<Placed> {
        let editor = self.scopes.editor;
        let zero = self.scopes.constant(&Int::zero())?;
        Ok(match cond {
            Cond::True => Placed { value: editor.const_bool(true)?, scope: 0 },
            Cond::False => Placed { value: editor.const_bool(false)?, scope: 0 },
            Cond::Ge(expr) => {
                let value = self.expr(expr)?;
                self.scopes.compare(IntPredicate::Sge, value, zero)?
            }
            Cond::Eq(expr) => {
                let value = self.expr(expr)?;
                self.scopes.compare(IntPredicate::Eq, value, zero)?
            }
            Cond::Divides(divisor, expr) => {
                let value = self.remainder(expr, divisor)?;
                self.scopes.compare(IntPredicate::Eq, value, zero)?
            }
            Cond::And(parts) | Cond::Or(parts) => {
                let op = if matches!(cond, Cond::And(_)) { IntOp::And } else { IntOp::Or };
                let mut result = None;
                for part in parts {
                    let value = self.cond(part)?;
                    result = Some(match result {
                        None => value,
                        Some(known) => self.scopes.int(op, known, value)?,
                    });
                }
                result.ok_or_else(|| EditError::new("an empty condition"))?
            }
        })
    }

    /// The value modulo 2^`bits`, at most 64, of a polynomial over the region's induction variables, whose values are `args` by
    /// position in `loops`.
    pub(in crate::emit) fn poly(&mut self, poly: &Poly, loops: &[usize], args: &[Placed], bits: u32) -> Edit<Placed> {
        let mut terms = Vec::new();
        for (monomial, coefficient) in poly.terms() {
            let mut factors = Vec::new();
            for symbol in monomial {
                let factor = match symbol {
                    Sym::Param(index) => self.params[*index],
                    Sym::Iv(index) => {
                        let position = loops.iter().position(|l| l == index);
                        let position = position.ok_or_else(|| EditError::new("an induction variable without value"))?;
                        args[position]
                    }
                };
                factors.push(self.scopes.residue(factor, bits)?);
            }
            // Constants and outer values first: partial products stay outside of inner loops.
            factors.sort_by_key(|factor| factor.scope);
            let mut product = self.residue(coefficient, bits)?;
            for factor in factors {
                product = self.scopes.modular(IntOp::Mul, factor, product)?;
            }
            terms.push(product);
        }
        terms.sort_by_key(|term| term.scope);
        let mut sum = self.residue(0, bits)?;
        for term in terms {
            sum = self.scopes.modular(IntOp::Add, sum, term)?;
        }
        Ok(sum)
    }

    /// A coefficient modulo 2^`bits`: all that the value of a polynomial depends on.
    pub(super) fn residue(&self, coefficient: i128, bits: u32) -> Edit<Placed> {
        let value = self.scopes.editor.const_int(bits, coefficient.rem_euclid(1 << bits))?;
        Ok(Placed { value, scope: 0 })
    }
}
