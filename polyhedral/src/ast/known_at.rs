//! [`KnownAt`]: what is known at a place of a finished AST.
//!
//! Everything known is linear over *keys*: the parameters, the iterators, and the divisions, remainders, extrema and selections that
//! occur; what defines one of those is learnt when it gets its column.

use crate::arith::Int;
use crate::budget::{Budget, Exhausted};
use crate::relation::{Row, all_zero, negated, zeros};

use super::cond::Cond;
use super::expr::Expr;
use super::node::For;
use super::options::AstOptions;
use super::scope::Scope;
use super::system::System;

type Result<T> = std::result::Result<T, Exhausted>;

/// What is known at a place of the AST.
#[derive(Clone)]
pub(super) struct KnownAt<'b> {
    /// What the columns of `known` stand for: parameters, iterators, divisions, remainders, extrema.
    pub(super) keys: Vec<Expr>,
    pub(super) known: System,
    pub(super) prefer_pdiv: bool,
    pub(super) budget: &'b Budget,
}

impl<'b> KnownAt<'b> {
    /// What the scope of the generator knows at its place.
    pub(super) fn at(scope: &Scope, n_param: usize, options: &AstOptions, budget: &'b Budget) -> Result<KnownAt<'b>> {
        let keys = (0..n_param).map(Expr::Param).collect();
        let known = System::universe(n_param);
        let mut place = KnownAt { keys, known, prefer_pdiv: options.prefer_pdiv, budget };
        for (rows, is_eq) in [(&scope.known.eqs, true), (&scope.known.ineqs, false)] {
            for row in rows {
                let row = place.row(&scope.linear(row))?;
                place.learn(row, is_eq);
            }
        }
        Ok(place)
    }

    pub(super) fn holds(&self, row: &Row) -> Result<bool> {
        self.known.implies_rational(row, self.budget)
    }

    /// Whether the remainder of `a` is known to be zero.
    pub(super) fn divides(&mut self, a: &Expr, divisor: &Int) -> Result<bool> {
        let remainder = Expr::Mod(Box::new(a.clone()), divisor.clone());
        if !self.keys.contains(&remainder) && !self.keys.contains(&Expr::FloorDiv(Box::new(a.clone()), divisor.clone()))
        {
            return Ok(false);
        }
        let row = negated(&self.row(&remainder)?);
        self.holds(&row)
    }

    /// Learns that a condition does not hold, if that is one inequality. False if it is not.
    pub(super) fn learn_contrary(&mut self, cond: &Cond) -> Result<bool> {
        let Cond::Ge(expr) = cond else { return Ok(false) };
        let mut row = negated(&self.row(expr)?);
        row[0] -= 1;
        self.learn(row, false);
        Ok(true)
    }

    /// Learns the constraints of a conjunction; disjunctions in it say nothing.
    pub(super) fn learn_all(&mut self, cond: &Cond) -> Result<()> {
        match cond {
            Cond::True | Cond::False | Cond::Or(_) => {}
            Cond::Ge(expr) => {
                let row = self.row(expr)?;
                self.learn(row, false);
            }
            Cond::Eq(expr) => {
                let row = self.row(expr)?;
                self.learn(row, true);
            }
            Cond::Divides(divisor, expr) => {
                let row = self.row(&Expr::Mod(Box::new(expr.clone()), divisor.clone()))?;
                self.learn(row, true);
            }
            Cond::And(parts) => {
                for part in parts {
                    self.learn_all(part)?;
                }
            }
        }
        Ok(())
    }

    /// Learns that the iterator of a loop lies between bounds of its loop.
    pub(super) fn learn_bounds(&mut self, node: &For, lower: &Expr, upper: Option<&Expr>) -> Result<()> {
        let iterator = Expr::Iter(node.iter);
        let bounds = |expr: &Expr, maximum: bool| match expr {
            Expr::Max(args) if maximum => args.clone(),
            Expr::Min(args) if !maximum => args.clone(),
            other => vec![other.clone()],
        };
        for low in bounds(lower, true) {
            let row = self.row(&Expr::Sub(Box::new(iterator.clone()), Box::new(low)))?;
            self.learn(row, false);
        }
        for high in upper.iter().flat_map(|upper| bounds(upper, false)) {
            let row = self.row(&Expr::Sub(Box::new(high), Box::new(iterator.clone())))?;
            self.learn(row, false);
        }
        Ok(())
    }

    pub(super) fn learn(&mut self, mut row: Row, is_eq: bool) {
        row.resize(self.known.n + 1, Int::zero());
        if all_zero(&row[1..]) {
            return;
        }
        self.known.add(row, is_eq);
    }

    /// An expression as a row; the divisions and extrema in it become columns.
    pub(super) fn row(&mut self, expr: &Expr) -> Result<Row> {
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
