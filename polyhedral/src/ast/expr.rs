//! Expressions and conditions of a generated AST.
//!
//! All are quasi-affine in the parameters and the loop iterators, over the mathematical integers: nothing here overflows.
//! The constructors ([`Expr::sum`], [`Expr::floor_div`], [`Expr::max`], ...) fold constants and drop neutral elements, so
//! that what the generator builds is what a reader would write.

use crate::arith::Int;

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
    /// The quotient by a positive divisor, rounded towards zero as in C. It only occurs where the expression is known not to
    /// be negative, or to be divisible: then it is the floor of the quotient.
    Div(Box<Expr>, Int),
    /// The remainder of the division by a positive divisor, with the sign of the expression as in C. It only occurs where the
    /// expression is known not to be negative, or where the remainder is only compared with zero.
    Rem(Box<Expr>, Int),
    /// The least of one or more expressions.
    Min(Vec<Expr>),
    /// The greatest of one or more expressions.
    Max(Vec<Expr>),
}

impl Expr {
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

    /// The value for given values of the parameters and iterators; nothing where one that is needed is missing.
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
            Expr::Div(a, d) => {
                let value = a.eval(values)?;
                if value.is_negative() { -(-value).div_floor(d) } else { value.div_floor(d) }
            }
            Expr::Rem(a, d) => {
                let value = a.eval(values)?;
                if value.is_negative() { -(-value).rem_floor(d) } else { value.rem_floor(d) }
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

/// A condition over parameters and iterators.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cond {
    /// Always holds.
    True,
    /// Never holds.
    False,
    /// The expression is at least zero.
    Ge(Expr),
    /// The expression is zero.
    Eq(Expr),
    /// All hold.
    And(Vec<Cond>),
    /// At least one holds.
    Or(Vec<Cond>),
}

impl Cond {
    /// The conjunction: nested ones are flattened, repetitions and neutral elements dropped.
    pub fn and(parts: Vec<Cond>) -> Cond {
        let mut flat: Vec<Cond> = Vec::new();
        for part in parts {
            let inner = match part {
                Cond::True => continue,
                Cond::False => return Cond::False,
                Cond::And(inner) => inner,
                other => vec![other],
            };
            for cond in inner {
                if !flat.contains(&cond) {
                    flat.push(cond);
                }
            }
        }
        match flat.len() {
            0 => Cond::True,
            1 => flat.swap_remove(0),
            _ => Cond::And(flat),
        }
    }

    /// The disjunction: nested ones are flattened, repetitions and neutral elements dropped.
    pub fn or(parts: Vec<Cond>) -> Cond {
        let mut flat: Vec<Cond> = Vec::new();
        for part in parts {
            let inner = match part {
                Cond::False => continue,
                Cond::True => return Cond::True,
                Cond::Or(inner) => inner,
                other => vec![other],
            };
            for cond in inner {
                if !flat.contains(&cond) {
                    flat.push(cond);
                }
            }
        }
        match flat.len() {
            0 => Cond::False,
            1 => flat.swap_remove(0),
            _ => Cond::Or(flat),
        }
    }

    /// Whether this is plainly the contrary of another condition: `e >= 0` and `-e - 1 >= 0`.
    pub fn is_negation_of(&self, other: &Cond) -> bool {
        let (Cond::Ge(a), Cond::Ge(b)) = (self, other) else { return false };
        let mut terms = Vec::new();
        let constant = a.linear_terms(&Int::one(), &mut terms) + b.linear_terms(&Int::one(), &mut terms);
        let cancel = |(_, term): &(Int, Expr)| {
            let equal = terms.iter().filter(|(_, other)| other == term);
            equal.map(|(factor, _)| factor.clone()).sum::<Int>().is_zero()
        };
        constant == -1 && terms.iter().all(cancel)
    }

    /// The truth for given values; nothing where a value that is needed is missing.
    pub fn eval(&self, values: &Values) -> Option<bool> {
        Some(match self {
            Cond::True => true,
            Cond::False => false,
            Cond::Ge(expr) => !expr.eval(values)?.is_negative(),
            Cond::Eq(expr) => expr.eval(values)?.is_zero(),
            Cond::And(parts) => {
                for part in parts {
                    if !part.eval(values)? {
                        return Some(false);
                    }
                }
                true
            }
            Cond::Or(parts) => {
                for part in parts {
                    if part.eval(values)? {
                        return Some(true);
                    }
                }
                false
            }
        })
    }
}
