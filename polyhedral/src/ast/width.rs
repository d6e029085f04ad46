//! Which machine integers are wide enough for generated code.
//!
//! An AST computes with mathematical integers. Given an interval for every parameter, interval arithmetic bounds every
//! expression and every part of it, the iterators from their loop bounds included, and so a number of bits for which no operation of
//! the code overflows: not even the last increment of an iterator, which is one step beyond the upper bound. Intervals ignore
//! that terms depend on each other, so fewer bits may do as well; more are never needed.

use crate::arith::Int;

use super::cond::Cond;
use super::expr::Expr;
use super::node::{Ast, AstUnit, For};

/// The least and the greatest value of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// No value is less.
    pub low: Int,
    /// No value is greater.
    pub high: Int,
}

impl Range {
    /// The interval between two values, in this order.
    pub fn new(low: Int, high: Int) -> Range {
        Range { low, high }
    }

    /// The number of bits of a two's complement integer that holds all values: 32 for the range of a C `int`.
    pub fn bits(&self) -> u32 {
        let mut bits = 1;
        let mut reach = Int::one();
        while self.high >= reach || self.low < -&reach {
            reach += reach.clone();
            bits += 1;
        }
        bits
    }

    fn union(&self, other: &Range) -> Range {
        Range::new(self.low.clone().min(other.low.clone()), self.high.clone().max(other.high.clone()))
    }

    fn negated(&self) -> Range {
        Range::new(-&self.high, -&self.low)
    }

    fn scaled(&self, factor: &Int) -> Range {
        let range = if factor.is_negative() { self.negated() } else { self.clone() };
        let size = factor.abs();
        Range::new(&size * &range.low, &size * &range.high)
    }
}

/// The ranges of the values that generated code computes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Widths {
    /// The range of every iterator, by [`IterId`](super::IterId), the increment beyond the last iteration included; nothing for
    /// loops without end and for what depends on them.
    pub iters: Vec<Option<Range>>,
    /// The range that contains every operand and every result in the code; nothing if there is a loop without end.
    pub all: Option<Range>,
}

impl AstUnit {
    /// The ranges of all iterators and of all intermediate results, for parameters in the given intervals (one for each, in the
    /// order of [`AstUnit::params`]). In integers of [`Range::bits`] bits of [`Widths::all`] nothing overflows.
    pub fn widths(&self, params: &[Range]) -> Widths {
        let zero = Range::new(Int::zero(), Int::zero());
        let mut analysis =
            Analysis { params, values: vec![None; self.n_iter], iters: vec![None; self.n_iter], all: Some(zero) };
        analysis.node(&self.body);
        Widths { iters: analysis.iters, all: analysis.all }
    }
}

struct Analysis<'a> {
    params: &'a [Range],
    /// The values inside the loop.
    values: Vec<Option<Range>>,
    /// The values with the last increment.
    iters: Vec<Option<Range>>,
    all: Option<Range>,
}

impl Analysis<'_> {
    fn node(&mut self, ast: &Ast) {
        match ast {
            Ast::Block(parts) => parts.iter().for_each(|part| self.node(part)),
            Ast::Mark(_, body) => self.node(body),
            Ast::User { args, .. } => args.iter().for_each(|arg| {
                self.expr(arg);
            }),
            Ast::If { cond, then, otherwise } => {
                self.cond(cond);
                self.node(then);
                otherwise.iter().for_each(|node| self.node(node));
            }
            Ast::For(node) => self.for_loop(node),
        }
    }

    fn for_loop(&mut self, node: &For) {
        let low = self.expr(&node.lower);
        let high = node.upper.as_ref().and_then(|upper| self.expr(upper));
        let slot = node.iter.0;
        let (mut inside, mut after) = (None, None);
        if let (Some(low), Some(high)) = (low, high) {
            // Where the interval is empty the loop never runs.
            let most = high.high.max(low.low.clone());
            inside = Some(Range::new(low.low.clone(), most.clone()));
            after = Some(Range::new(low.low, most + &node.step));
        }
        self.note(after.clone());
        if let (Some(value), Some(iter)) = (self.values.get_mut(slot), self.iters.get_mut(slot)) {
            *value = inside;
            *iter = after;
        }
        if let Some(test) = &node.test {
            // The test is also evaluated after the last increment.
            let inside = self.values.get(slot).cloned().flatten();
            let after = self.iters.get(slot).cloned().flatten();
            self.set(slot, after);
            self.cond(test);
            self.set(slot, inside);
        }
        self.node(&node.body);
    }

    fn set(&mut self, slot: usize, range: Option<Range>) {
        if let Some(value) = self.values.get_mut(slot) {
            *value = range;
        }
    }

    fn cond(&mut self, cond: &Cond) {
        match cond {
            Cond::True | Cond::False => {}
            Cond::Ge(expr) | Cond::Eq(expr) => {
                self.expr(expr);
            }
            Cond::Divides(divisor, expr) => {
                self.divided(expr, divisor);
            }
            Cond::And(parts) | Cond::Or(parts) => parts.iter().for_each(|part| self.cond(part)),
        }
    }

    fn note(&mut self, range: Option<Range>) {
        self.all = match (self.all.take(), range) {
            (Some(all), Some(range)) => Some(all.union(&range)),
            _ => None,
        };
    }

    fn expr(&mut self, expr: &Expr) -> Option<Range> {
        let range = self.range(expr);
        self.note(range.clone());
        range
    }

    fn range(&mut self, expr: &Expr) -> Option<Range> {
        Some(match expr {
            Expr::Const(value) => Range::new(value.clone(), value.clone()),
            Expr::Param(position) => self.params.get(*position)?.clone(),
            Expr::Iter(iter) => self.values.get(iter.0)?.clone()?,
            Expr::Add(a, b) => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                Range::new(&a.low + &b.low, &a.high + &b.high)
            }
            Expr::Sub(a, b) => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                Range::new(&a.low - &b.high, &a.high - &b.low)
            }
            Expr::Neg(a) => self.expr(a)?.negated(),
            Expr::Mul(factor, a) => {
                self.note(Some(Range::new(factor.clone(), factor.clone())));
                self.expr(a)?.scaled(factor)
            }
            Expr::FloorDiv(a, divisor) | Expr::Div(a, divisor) | Expr::Exact(a, divisor) => {
                let a = self.divided(a, divisor)?;
                Range::new(a.low.div_floor(divisor), a.high.div_ceil(divisor))
            }
            Expr::Mod(a, divisor) => {
                self.divided(a, divisor)?;
                // `((a % d) + d) % d` computes the remainder from one with any sign.
                self.note(Some(Range::new(-divisor, divisor + divisor)));
                Range::new(Int::zero(), divisor - 1)
            }
            Expr::Rem(a, divisor) => {
                let a = self.divided(a, divisor)?;
                let low = if a.low.is_negative() { Int::one() - divisor } else { Int::zero() };
                Range::new(low, divisor - 1)
            }
            Expr::Min(args) => {
                let ranges = args.iter().map(|arg| self.expr(arg)).collect::<Option<Vec<_>>>()?;
                let low = ranges.iter().map(|range| range.low.clone()).min()?;
                Range::new(low, ranges.into_iter().map(|range| range.high).min()?)
            }
            Expr::Select(cond, a, b) => {
                self.cond(cond);
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                a.union(&b)
            }
            Expr::Max(args) => {
                let ranges = args.iter().map(|arg| self.expr(arg)).collect::<Option<Vec<_>>>()?;
                let low = ranges.iter().map(|range| range.low.clone()).max()?;
                Range::new(low, ranges.into_iter().map(|range| range.high).max()?)
            }
        })
    }

    /// The range of a dividend. `floord` negates a negative dividend and adds the divisor.
    fn divided(&mut self, a: &Expr, divisor: &Int) -> Option<Range> {
        let range = self.expr(a)?;
        if range.low.is_negative() {
            self.note(Some(Range::new(range.low.clone(), divisor - &range.low)));
        }
        self.note(Some(Range::new(divisor.clone(), divisor.clone())));
        Some(range)
    }
}
