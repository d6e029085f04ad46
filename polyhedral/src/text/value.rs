//! Expressions as rational affine values over the columns of a conjunction under construction.
//!
//! A plain expression (no minimum, maximum or condition) has one value; its integer divisions become local columns of
//! the conjunction. Other expressions have several values, each in a copy of the conjunction with the conditions of its
//! case.

use crate::arith::Int;
use crate::error::Result;
use crate::relation::{self, Conjunction, Row};

use super::lower::Evaluator;
use super::syntax::{At, Expr, Factor, Op};

/// The most bits of a number that arithmetic with constants may produce.
const MAX_BITS: u32 = 1 << 17;

/// The value `row / den`; columns beyond the end of the row have coefficient zero.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) row: Row,
    pub(super) den: Int,
}

/// The cases of an expression.
pub(super) type Cases = Vec<(Conjunction, Value)>;

impl Value {
    pub(super) fn zero(columns: usize) -> Value {
        Value { row: relation::zeros(columns), den: Int::one() }
    }

    /// The value of a column.
    pub(super) fn column(column: usize) -> Value {
        let mut result = Value::zero(column + 1);
        result.row[column] = Int::one();
        result
    }

    /// The value as a fraction, if it does not depend on a variable.
    pub(super) fn constant(&self) -> Option<(&Int, &Int)> {
        relation::all_zero(&self.row[1..]).then(|| (&self.row[0], &self.den))
    }

    /// The column that this value is a copy of.
    pub(super) fn as_column(&self) -> Option<usize> {
        let mut used = self.row.iter().enumerate().filter(|(_, x)| !x.is_zero());
        let (column, x) = used.next()?;
        (column > 0 && x.is_one() && self.den.is_one() && used.next().is_none()).then_some(column)
    }

    /// `self += sign * other`.
    pub(super) fn add(&mut self, negative: bool, other: &Value) {
        if self.row.len() < other.row.len() {
            self.row.resize(other.row.len(), Int::zero());
        }
        let mut factor = if negative { Int::from(-1) } else { Int::one() };
        if self.den != other.den {
            let den = self.den.lcm(&other.den);
            relation::scale(&mut self.row, &den.div_exact(&self.den));
            factor *= &den.div_exact(&other.den);
            self.den = den;
        }
        relation::add_scaled(&mut self.row, &factor, &other.row);
    }

    /// The numerators of `upper - lower` over a positive common denominator.
    pub(super) fn difference(upper: &Value, lower: &Value) -> Row {
        let mut result = upper.clone();
        result.add(true, lower);
        result.row
    }

    fn scale(&mut self, numerator: &Int, denominator: &Int) {
        relation::scale(&mut self.row, numerator);
        self.den *= denominator;
        if self.den.is_one() {
            return;
        }
        let g = relation::gcd(&self.row).gcd(&self.den);
        relation::div_exact(&mut self.row, &g);
        self.den = self.den.div_exact(&g);
    }
}

impl Expr<'_> {
    /// Whether the expression has one value everywhere.
    pub(super) fn is_plain(&self) -> bool {
        match self {
            Expr::Number(_) | Expr::Name(..) => true,
            Expr::Sum(terms) => terms.iter().all(|(_, e)| e.is_plain()),
            Expr::Product(first, factors) => first.is_plain() && factors.iter().all(|(_, e, _)| e.is_plain()),
            Expr::Floor(e) | Expr::Ceil(e) => e.is_plain(),
            Expr::Min(list) | Expr::Max(list) => matches!(list.as_slice(), [e] if e.is_plain()),
            Expr::If(_) | Expr::Pieces(_) => false,
        }
    }

    /// Whether the expression can be undefined somewhere.
    pub(super) fn is_partial(&self) -> bool {
        match self {
            Expr::Number(_) | Expr::Name(..) => false,
            Expr::Sum(terms) => terms.iter().any(|(_, e)| e.is_partial()),
            Expr::Product(first, factors) => first.is_partial() || factors.iter().any(|(_, e, _)| e.is_partial()),
            Expr::Floor(e) | Expr::Ceil(e) => e.is_partial(),
            Expr::Min(list) | Expr::Max(list) => list.iter().any(Expr::is_partial),
            Expr::If(parts) => parts.1.is_partial() || parts.2.is_partial(),
            Expr::Pieces(_) => true,
        }
    }
}

impl<'a> Evaluator<'a, '_> {
    /// The value of a plain expression. Divisions become locals of the conjunction.
    pub(super) fn value(&mut self, expr: &Expr<'a>, c: &mut Conjunction) -> Result<Value> {
        let mut result = Value::zero(c.n_col());
        self.spend(c.n_col())?;
        self.accumulate(expr, false, c, &mut result)?;
        Ok(result)
    }

    fn accumulate(&mut self, expr: &Expr<'a>, negative: bool, c: &mut Conjunction, into: &mut Value) -> Result<()> {
        match expr {
            Expr::Number(x) => {
                let x = if negative { -x } else { x.clone() };
                into.row[0].add_mul(&x, &into.den);
            }
            Expr::Name(name, at) => {
                let column = self.column(name, *at)?;
                if into.row.len() <= column {
                    into.row.resize(column + 1, Int::zero());
                }
                if negative {
                    into.row[column] -= &into.den;
                } else {
                    into.row[column] += &into.den;
                }
            }
            Expr::Sum(terms) => {
                for (minus, term) in terms {
                    self.accumulate(term, negative ^ minus, c, into)?;
                }
            }
            _ => {
                let value = self.single(expr, c)?;
                into.add(negative, &value);
            }
        }
        Ok(())
    }

    /// The value of a plain expression that is no sum.
    fn single(&mut self, expr: &Expr<'a>, c: &mut Conjunction) -> Result<Value> {
        match expr {
            Expr::Product(first, factors) => {
                let mut value = self.value(first, c)?;
                for (op, rhs, at) in factors {
                    let rhs = self.value(rhs, c)?;
                    value = self.apply(*op, value, rhs, *at, c)?;
                }
                Ok(value)
            }
            Expr::Floor(argument) => {
                let value = self.value(argument, c)?;
                self.floor(value, c)
            }
            Expr::Ceil(argument) => {
                let mut value = self.value(argument, c)?;
                value.row = relation::negated(&value.row);
                let mut value = self.floor(value, c)?;
                value.row = relation::negated(&value.row);
                Ok(value)
            }
            Expr::Min(list) | Expr::Max(list) => match list.as_slice() {
                [argument] => self.value(argument, c),
                _ => self.error(0, "an expression without cases"),
            },
            Expr::Number(_) | Expr::Name(..) | Expr::Sum(_) => self.value(expr, c),
            Expr::If(_) | Expr::Pieces(_) => self.error(0, "an expression without cases"),
        }
    }

    fn apply(&mut self, op: Factor, mut lhs: Value, rhs: Value, at: At, c: &mut Conjunction) -> Result<Value> {
        self.spend(lhs.row.len())?;
        let constant = rhs.constant();
        match op {
            Factor::Times => match constant {
                Some((n, d)) => {
                    lhs.scale(n, d);
                    self.check_size(&lhs, at)?;
                    Ok(lhs)
                }
                None => match lhs.constant() {
                    Some((n, d)) => {
                        let mut result = rhs.clone();
                        result.scale(n, d);
                        self.check_size(&result, at)?;
                        Ok(result)
                    }
                    None => self.error(at, "a product with a constant"),
                },
            },
            Factor::Over => match constant {
                Some((n, d)) if !n.is_zero() => {
                    let d = if n.is_negative() { -d } else { d.clone() };
                    lhs.scale(&d, &n.abs());
                    self.check_size(&lhs, at)?;
                    Ok(lhs)
                }
                _ => self.error(at + 1, "a constant other than zero"),
            },
            Factor::FloorOver => {
                let quotient = self.apply(Factor::Over, lhs, rhs, at, c)?;
                self.floor(quotient, c)
            }
            Factor::Mod => match constant {
                Some((m, d)) if m.is_positive() && d.is_one() => {
                    let mut quotient = lhs.clone();
                    quotient.scale(d, m);
                    let mut multiple = self.floor(quotient, c)?;
                    multiple.scale(m, d);
                    lhs.add(true, &multiple);
                    Ok(lhs)
                }
                _ => self.error(at + 1, "a positive number"),
            },
            Factor::Power => {
                let exponent = constant.filter(|(_, d)| d.is_one()).and_then(|(n, _)| n.to_i64());
                let exponent = exponent.and_then(|n| u32::try_from(n).ok());
                let (Some(exponent), Some((base, den))) = (exponent, lhs.constant()) else {
                    return self.error(at, "a power of a constant with a constant exponent");
                };
                let bits = size(base).max(size(den));
                if bits > 1 && bits.saturating_mul(exponent) > MAX_BITS {
                    return self.error(at, "a smaller power");
                }
                let mut result = Value::zero(1);
                result.row[0] = base.pow(exponent);
                result.den = den.pow(exponent);
                Ok(result)
            }
        }
    }

    /// Refuses numbers whose size would make memory explode.
    fn check_size(&self, value: &Value, at: At) -> Result<()> {
        if value.row.iter().chain([&value.den]).any(|x| size(x) > MAX_BITS) {
            return self.error(at, "smaller numbers");
        }
        Ok(())
    }

    fn floor(&mut self, value: Value, c: &mut Conjunction) -> Result<Value> {
        if value.den.is_one() {
            return Ok(value);
        }
        if let Some((n, d)) = value.constant() {
            let mut result = Value::zero(1);
            result.row[0] = n.div_floor(d);
            return Ok(result);
        }
        self.grow(c)?;
        let Value { mut row, den } = value;
        row.resize(c.n_col(), Int::zero());
        let known = (0..c.n_local()).find(|&k| c.div(k).is_some_and(|d| d.den == den && d.row == row));
        let column = match known {
            Some(k) => c.local_column(k),
            None => c.add_div(row, den),
        };
        Ok(Value::column(column))
    }

    /// All cases of an expression, each with the conjunction restricted to its conditions.
    pub(super) fn cases(&mut self, expr: &Expr<'a>, mut c: Conjunction) -> Result<Cases> {
        if expr.is_plain() {
            let value = self.value(expr, &mut c)?;
            return Ok(vec![(c, value)]);
        }
        match expr {
            Expr::Sum(terms) => {
                let zero = Value::zero(c.n_col());
                let mut states = vec![(c, zero)];
                for (negative, term) in terms {
                    states = self.combine(states, term, |_, mut sum, value, _| {
                        sum.add(*negative, &value);
                        Ok(sum)
                    })?;
                }
                Ok(states)
            }
            Expr::Product(first, factors) => {
                let mut states = self.cases(first, c)?;
                for (op, rhs, at) in factors {
                    states = self.combine(states, rhs, |e, lhs, rhs, c| e.apply(*op, lhs, rhs, *at, c))?;
                }
                Ok(states)
            }
            Expr::Floor(argument) => {
                let states = self.cases(argument, c)?;
                self.each(states, |e, value, c| e.floor(value, c))
            }
            Expr::Ceil(argument) => {
                let states = self.cases(argument, c)?;
                self.each(states, |e, mut value, c| {
                    value.row = relation::negated(&value.row);
                    let mut value = e.floor(value, c)?;
                    value.row = relation::negated(&value.row);
                    Ok(value)
                })
            }
            Expr::Min(list) => self.extremum(list, Op::Le, c),
            Expr::Max(list) => self.extremum(list, Op::Ge, c),
            Expr::If(parts) => {
                let (condition, first, second) = &**parts;
                let mut result = Vec::new();
                for (holds, value) in [(true, first), (false, second)] {
                    for c in self.formula(condition, holds, c.clone())? {
                        result.extend(self.cases(value, c)?);
                    }
                }
                self.prune(result)
            }
            Expr::Pieces(pieces) => self.sum_of_pieces(pieces, c),
            Expr::Number(_) | Expr::Name(..) => Ok(Vec::new()),
        }
    }

    /// Every state combined with every case of one more expression.
    fn combine(
        &mut self,
        states: Cases,
        expr: &Expr<'a>,
        mut f: impl FnMut(&mut Self, Value, Value, &mut Conjunction) -> Result<Value>,
    ) -> Result<Cases> {
        let mut result = Vec::with_capacity(states.len());
        for (c, state) in states {
            for (mut c, value) in self.cases(expr, c)? {
                let value = f(self, state.clone(), value, &mut c)?;
                result.push((c, value));
            }
        }
        self.prune(result)
    }

    fn each(
        &mut self,
        states: Cases,
        mut f: impl FnMut(&mut Self, Value, &mut Conjunction) -> Result<Value>,
    ) -> Result<Cases> {
        let mut result = Vec::with_capacity(states.len());
        for (mut c, value) in states {
            let value = f(self, value, &mut c)?;
            result.push((c, value));
        }
        Ok(result)
    }

    /// The cases of a minimum (`order` is `<=`) or maximum: argument `k` where no other precedes it; of equal ones the
    /// first.
    fn extremum(&mut self, list: &[Expr<'a>], order: Op, c: Conjunction) -> Result<Cases> {
        let mut states = vec![(c, Vec::new())];
        for expr in list {
            states = self.extended(states, expr)?;
        }
        let strict = if order == Op::Le { Op::Lt } else { Op::Gt };
        let mut result = Vec::new();
        for (c, values) in states {
            for (k, value) in values.iter().enumerate() {
                let mut c = self.copy(&c)?;
                for (j, other) in values.iter().enumerate().filter(|(j, _)| *j != k) {
                    self.add_comparison(&mut c, value, if j < k { strict } else { order }, other)?;
                }
                result.push((c, value.clone()));
            }
        }
        self.prune(result)
    }

    /// Every state with one more value: the cases of an expression.
    pub(super) fn extended(
        &mut self,
        states: Vec<(Conjunction, Vec<Value>)>,
        expr: &Expr<'a>,
    ) -> Result<Vec<(Conjunction, Vec<Value>)>> {
        let mut result = Vec::with_capacity(states.len());
        for (c, values) in states {
            for (c, value) in self.cases(expr, c)? {
                let mut values = values.clone();
                values.push(value);
                result.push((c, values));
            }
        }
        self.prune(result)
    }
}

/// The number of bits of the absolute value, or an upper bound for small ones.
fn size(x: &Int) -> u32 {
    match x.to_i64() {
        Some(x) => 64 - x.unsigned_abs().leading_zeros(),
        None => x.to_big().significant_bits(),
    }
}
