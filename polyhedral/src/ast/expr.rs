//! Expressions of a generated AST.
//!
//! All are quasi-affine in the parameters and the loop iterators, over the mathematical integers: nothing here overflows.
//! The constructors ([`Expr::sum`], [`Expr::floor_div`], [`Expr::max`], ...) fold constants and drop neutral elements, so
//! that what the generator builds is what a reader would write.

use crate::arith::Int;

use super::cond::Cond;

/// The identity of one generated loop. Every `for` node of an AST has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IterId(pub usize);

/// A quasi-affine integer expression, with minima and maxima (which only occur in loop bounds).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Expr {
    /// A constant.
    Const(Int),
    /// A parameter, by its position in [`AstUnit::params`](super::AstUnit::params).
    Param(usize),
    /// The current value of the iterator of an enclosing loop.
    Iter(IterId),
    /// The sum of two expressions.
    Add(Box<Expr>, Box<Expr>),
    /// The difference of two expressions.
    Sub(Box<Expr>, Box<Expr>),
    /// The negation of an expression.
    Neg(Box<Expr>),
    /// The product of a constant and an expression.
    Mul(Int, Box<Expr>),
    /// The greatest integer at most `expression / divisor`; the divisor is positive.
    FloorDiv(Box<Expr>, Int),
    /// The remainder in `0 .. divisor` of an expression of any sign; the divisor is positive.
    Mod(Box<Expr>, Int),
    /// The quotient of an expression that is known not to be negative by a positive divisor, rounded down: a signed or an
    /// unsigned division.
    Div(Box<Expr>, Int),
    /// The quotient by a positive divisor that is known to divide the expression.
    Exact(Box<Expr>, Int),
    /// The remainder of an expression that is known not to be negative by a positive divisor: a signed or an unsigned
    /// remainder.
    Rem(Box<Expr>, Int),
    /// The least of one or more expressions.
    Min(Vec<Expr>),
    /// The greatest of one or more expressions.
    Max(Vec<Expr>),
    /// The first expression where the condition holds, the second one elsewhere. Both can be evaluated everywhere.
    Select(Box<Cond>, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// Whether the expression depends on an iterator.
    pub fn involves(&self, iter: IterId) -> bool {
        self.contains(&|own| own == iter)
    }

    /// A constant.
    pub fn constant(value: impl Into<Int>) -> Expr {
        Expr::Const(value.into())
    }

    /// The value, if the expression is a constant.
    pub fn as_const(&self) -> Option<&Int> {
        match self {
            Expr::Const(value) => Some(value),
            _ => None,
        }
    }

    /// The product of a constant and an expression.
    pub fn scale(factor: &Int, expr: Expr) -> Expr {
        match expr {
            Expr::Const(value) => Expr::Const(factor * value),
            _ if factor.is_zero() => Expr::constant(0),
            expr if factor.is_one() => expr,
            Expr::Neg(inner) => Expr::scale(&-factor, *inner),
            Expr::Mul(inner, expr) => Expr::scale(&(factor * inner), *expr),
            expr if *factor == -1 => Expr::Neg(Box::new(expr)),
            expr => Expr::Mul(factor.clone(), Box::new(expr)),
        }
    }

    /// The sum of the terms `factor * expression` and a constant, positive terms first, without needless signs.
    pub fn sum(terms: Vec<(Int, Expr)>, constant: Int) -> Expr {
        let mut constant = constant;
        let mut positive = Vec::new();
        let mut negative = Vec::new();
        for (factor, expr) in terms {
            match expr {
                Expr::Const(value) => constant.add_mul(&factor, &value),
                _ if factor.is_zero() => {}
                expr if factor.is_negative() => negative.push(Expr::scale(&factor.abs(), expr)),
                expr => positive.push(Expr::scale(&factor, expr)),
            }
        }
        let mut result = None;
        for expr in positive {
            result = Some(match result {
                None => expr,
                Some(left) => Expr::Add(Box::new(left), Box::new(expr)),
            });
        }
        if result.is_none() && constant.is_positive() {
            result = Some(Expr::Const(std::mem::take(&mut constant)));
        }
        let compound = |expr: &Expr| !matches!(expr, Expr::Param(_) | Expr::Iter(_) | Expr::Mul(..));
        if constant.is_positive() && negative.iter().any(compound) {
            // A division or remainder is subtracted last: the sum before it needs one instruction.
            result = result.map(|expr| Expr::Add(Box::new(expr), Box::new(Expr::Const(std::mem::take(&mut constant)))));
        }
        for expr in negative {
            result = Some(match result {
                None => Expr::scale(&Int::from(-1), expr),
                Some(left) => Expr::Sub(Box::new(left), Box::new(expr)),
            });
        }
        match result {
            None => Expr::Const(constant),
            Some(expr) if constant.is_zero() => expr,
            Some(expr) if constant.is_negative() => Expr::Sub(Box::new(expr), Box::new(Expr::Const(constant.abs()))),
            Some(expr) => Expr::Add(Box::new(expr), Box::new(Expr::Const(constant))),
        }
    }

    /// The floor of the quotient by a positive divisor.
    pub fn floor_div(expr: Expr, divisor: Int) -> Expr {
        match expr {
            expr if divisor.is_one() => expr,
            Expr::Const(value) => Expr::Const(value.div_floor(&divisor)),
            expr => Expr::FloorDiv(Box::new(expr), divisor),
        }
    }

    /// The nonnegative remainder by a positive divisor.
    pub fn modulo(expr: Expr, divisor: Int) -> Expr {
        match expr {
            _ if divisor.is_one() => Expr::constant(0),
            Expr::Const(value) => Expr::Const(value.rem_floor(&divisor)),
            expr => Expr::Mod(Box::new(expr), divisor),
        }
    }

    /// The least of the given expressions (at least one): nested minima are flattened, repetitions dropped.
    pub fn min(args: Vec<Expr>) -> Expr {
        Expr::extremum(args, true)
    }

    /// The greatest of the given expressions (at least one): nested maxima are flattened, repetitions dropped.
    pub fn max(args: Vec<Expr>) -> Expr {
        Expr::extremum(args, false)
    }

    fn extremum(args: Vec<Expr>, minimum: bool) -> Expr {
        let mut flat: Vec<Expr> = Vec::new();
        for arg in args {
            let parts = match arg {
                Expr::Min(inner) if minimum => inner,
                Expr::Max(inner) if !minimum => inner,
                other => vec![other],
            };
            for part in parts {
                if let Expr::Const(value) = &part
                    && let Some(Expr::Const(known)) = flat.iter_mut().find(|e| matches!(e, Expr::Const(_)))
                {
                    if (value < known) == minimum {
                        *known = value.clone();
                    }
                } else if !flat.contains(&part) {
                    flat.push(part);
                }
            }
        }
        match flat.len() {
            1 => flat.swap_remove(0),
            _ if minimum => Expr::Min(flat),
            _ => Expr::Max(flat),
        }
    }

    /// Adds the terms of `factor * self` that are not constant to `terms` and returns the constant.
    pub(super) fn linear_terms(&self, factor: &Int, terms: &mut Vec<(Int, Expr)>) -> Int {
        match self {
            Expr::Const(value) => factor * value,
            Expr::Add(a, b) => a.linear_terms(factor, terms) + b.linear_terms(factor, terms),
            Expr::Sub(a, b) => a.linear_terms(factor, terms) + b.linear_terms(&-factor, terms),
            Expr::Neg(a) => a.linear_terms(&-factor, terms),
            Expr::Mul(c, a) => a.linear_terms(&(factor * c), terms),
            other => {
                terms.push((factor.clone(), other.clone()));
                Int::zero()
            }
        }
    }

    /// The expression where a condition holds, the other one elsewhere: one of them if the condition is constant or both are equal.
    pub fn select(cond: Cond, then: Expr, otherwise: Expr) -> Expr {
        match cond {
            Cond::True => then,
            Cond::False => otherwise,
            _ if then == otherwise => then,
            cond => Expr::Select(Box::new(cond), Box::new(then), Box::new(otherwise)),
        }
    }

    /// Whether a remainder of an expression of any sign occurs in the expression outside of divisions.
    pub(super) fn contains_mod(&self) -> bool {
        let mut terms = Vec::new();
        self.linear_terms(&Int::one(), &mut terms);
        terms.iter().any(|(_, term)| matches!(term, Expr::Mod(..)))
    }

    /// Whether the iterator of a loop occurs in the expression.
    pub fn contains_iter(&self) -> bool {
        self.contains(&|_| true)
    }

    /// Whether an iterator that is `wanted` occurs in the expression.
    pub(super) fn contains(&self, wanted: &dyn Fn(IterId) -> bool) -> bool {
        self.any(&|part| matches!(part, Expr::Iter(iter) if wanted(*iter)))
    }

    /// Whether the expression is `wanted`, or a part of it is, conditions of selections included.
    pub fn any(&self, wanted: &dyn Fn(&Expr) -> bool) -> bool {
        wanted(self)
            || match self {
                Expr::Const(_) | Expr::Param(_) | Expr::Iter(_) => false,
                Expr::Add(a, b) | Expr::Sub(a, b) => a.any(wanted) || b.any(wanted),
                Expr::Neg(a)
                | Expr::Mul(_, a)
                | Expr::FloorDiv(a, _)
                | Expr::Mod(a, _)
                | Expr::Div(a, _)
                | Expr::Exact(a, _)
                | Expr::Rem(a, _) => a.any(wanted),
                Expr::Min(args) | Expr::Max(args) => args.iter().any(|arg| arg.any(wanted)),
                Expr::Select(cond, a, b) => cond.any(wanted) || a.any(wanted) || b.any(wanted),
            }
    }

    /// The value for given values of the parameters and iterators; nothing where one that is needed is missing, and where a
    /// division does not keep what its operator promises (see [`Expr::Div`], [`Expr::Exact`]).
    pub fn eval(&self, values: &Values) -> Option<Int> {
        Some(match self {
            Expr::Const(value) => value.clone(),
            Expr::Param(pos) => values.params.get(*pos)?.clone(),
            Expr::Iter(iter) => values.iters.get(iter.0)?.clone()?,
            Expr::Add(a, b) => a.eval(values)? + b.eval(values)?,
            Expr::Sub(a, b) => a.eval(values)? - b.eval(values)?,
            Expr::Neg(a) => -a.eval(values)?,
            Expr::Mul(factor, a) => factor * a.eval(values)?,
            Expr::FloorDiv(a, d) => a.eval(values)?.div_floor(d),
            Expr::Mod(a, d) => a.eval(values)?.rem_floor(d),
            Expr::Exact(a, d) => {
                // What the name promises is checked: in C and in IR another quotient is undefined.
                let value = a.eval(values)?;
                d.divides(&value).then(|| value.div_exact(d))?
            }
            Expr::Select(cond, a, b) => {
                if cond.eval(values)? {
                    a.eval(values)?
                } else {
                    b.eval(values)?
                }
            }
            Expr::Div(a, d) => {
                let value = a.eval(values)?;
                (!value.is_negative()).then(|| value.div_floor(d))?
            }
            Expr::Rem(a, d) => {
                let value = a.eval(values)?;
                (!value.is_negative()).then(|| value.rem_floor(d))?
            }
            Expr::Min(args) => args.iter().map(|a| a.eval(values)).collect::<Option<Vec<_>>>()?.into_iter().min()?,
            Expr::Max(args) => args.iter().map(|a| a.eval(values)).collect::<Option<Vec<_>>>()?.into_iter().max()?,
        })
    }
}

/// The values of parameters (by position) and iterators (by [`IterId`], unset outside their loops).
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// One value for each parameter.
    pub params: Vec<Int>,
    /// One value for each iterator that has one at the moment.
    pub iters: Vec<Option<Int>>,
}
