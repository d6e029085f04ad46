//! Expressions as sums: `64 * c0 + t0 + 8` is 64 times `c0`, `t0` once, and 8.

use crate::formula::poly::{Poly, Sym};
use crate::model::scop::Statement;
use std::collections::BTreeMap;
use tessera_polyhedral::ast::Expr;

/// A sum of multiples of expressions that are no sums themselves, and a constant. No factor is zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) constant: i128,
    pub(super) terms: BTreeMap<Expr, i128>,
}

/// Shows `term` all parts of `factor` times an expression that are no sums, with their factors; constants are parts, too. Nothing where a number
/// is too large, or `term` gives nothing.
pub(super) fn for_each_term(expr: &Expr, factor: i128, term: &mut dyn FnMut(&Expr, i128) -> Option<()>) -> Option<()> {
    match expr {
        Expr::Add(a, b) => {
            for_each_term(a, factor, term)?;
            for_each_term(b, factor, term)
        }
        Expr::Sub(a, b) => {
            for_each_term(a, factor, term)?;
            for_each_term(b, factor.checked_neg()?, term)
        }
        Expr::Neg(a) => for_each_term(a, factor.checked_neg()?, term),
        Expr::Mul(by, a) => for_each_term(a, factor.checked_mul(i128::from(by.to_i64()?))?, term),
        other => term(other, factor),
    }
}

impl Sum {
    /// The value of a polynomial of counters and parameters for an instance of a statement with these arguments; `param` gives the
    /// expression of a parameter. Nothing where there are products, a parameter without expression, or numbers that are too large.
    pub(super) fn of(
        poly: &Poly,
        statement: &Statement,
        args: &[Expr],
        param: impl Fn(usize) -> Option<Expr>,
    ) -> Option<Sum> {
        let mut sum = Sum::default();
        for (monomial, coefficient) in poly.terms() {
            match monomial.as_slice() {
                [] => sum.constant = sum.constant.checked_add(coefficient)?,
                [Sym::Iv(index)] => sum.add(args.get(statement.dim(*index)?)?, coefficient)?,
                [Sym::Param(index)] => sum.add(&param(*index)?, coefficient)?,
                _ => return None,
            }
        }
        Some(sum)
    }

    /// Adds `factor` times an expression. Nothing where a number is too large.
    pub(super) fn add(&mut self, expr: &Expr, factor: i128) -> Option<()> {
        for_each_term(expr, factor, &mut |term, factor| self.add_term(term, factor))
    }

    /// Adds `factor` times a constant, or an expression that is no sum.
    pub(super) fn add_term(&mut self, term: &Expr, factor: i128) -> Option<()> {
        if let Expr::Const(value) = term {
            self.constant = self.constant.checked_add(i128::from(value.to_i64()?).checked_mul(factor)?)?;
            return Some(());
        }
        let sum = self.terms.get(term).copied().unwrap_or(0).checked_add(factor)?;
        if sum == 0 {
            self.terms.remove(term);
        } else {
            self.terms.insert(term.clone(), sum);
        }
        Some(())
    }

    /// Whether the two have different values, whatever the expressions are.
    pub(super) fn is_apart(&self, other: &Sum) -> bool {
        self.terms == other.terms && self.constant != other.constant
    }
}
