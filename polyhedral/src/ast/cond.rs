//! Conditions of a generated AST.

use crate::arith::Int;

use super::expr::{Expr, IterId, Values};

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
    /// A positive divisor divides the expression, whose sign does not matter: a remainder compared with zero.
    Divides(Int, Expr),
    /// All hold.
    And(Vec<Cond>),
    /// At least one holds.
    Or(Vec<Cond>),
}

impl Cond {
    /// Whether the condition depends on an iterator.
    pub fn involves(&self, iter: IterId) -> bool {
        self.contains(&|own| own == iter)
    }

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

    /// Whether the iterator of a loop occurs in the condition.
    pub fn contains_iter(&self) -> bool {
        self.contains(&|_| true)
    }

    /// Whether an iterator that is `wanted` occurs in the condition.
    pub(super) fn contains(&self, wanted: &dyn Fn(IterId) -> bool) -> bool {
        self.any(&|part| matches!(part, Expr::Iter(iter) if wanted(*iter)))
    }

    /// Whether an expression of the condition, or a part of one, is `wanted`.
    pub fn any(&self, wanted: &dyn Fn(&Expr) -> bool) -> bool {
        match self {
            Cond::True | Cond::False => false,
            Cond::Ge(expr) | Cond::Eq(expr) | Cond::Divides(_, expr) => expr.any(wanted),
            Cond::And(parts) | Cond::Or(parts) => parts.iter().any(|part| part.any(wanted)),
        }
    }

    /// The truth for given values; nothing where a value that is needed is missing.
    pub fn eval(&self, values: &Values) -> Option<bool> {
        Some(match self {
            Cond::True => true,
            Cond::False => false,
            Cond::Ge(expr) => !expr.eval(values)?.is_negative(),
            Cond::Eq(expr) => expr.eval(values)?.is_zero(),
            Cond::Divides(divisor, expr) => divisor.divides(&expr.eval(values)?),
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
