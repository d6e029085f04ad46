//! Random Presburger formulas that can be printed in isl notation and evaluated point by point: an oracle that shares
//! no code with the library. Quantified variables range over a small interval that is part of the formula.

#![allow(unreachable_pub, missing_docs, reason = "test support")]

use std::fmt;

use proptest::prelude::*;
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::{Map, Set};

/// The box of all dimensions and parameters in which sets are compared.
pub const LOW: i64 = -3;
/// The other end of the box.
pub const HIGH: i64 = 5;

/// An expression; variables are numbers into the list of names.
#[derive(Clone, Debug)]
pub enum Expr {
    Number(i64),
    Var(usize),
    Sum(Box<Expr>, Box<Expr>),
    Scaled(i64, Box<Expr>),
    Floor(Box<Expr>, i64),
    /// As `Floor`, written `//`.
    FloorOver(Box<Expr>, i64),
    Mod(Box<Expr>, i64),
}

/// A formula; `Exists` binds the next variable number to the interval.
#[derive(Clone, Debug)]
pub enum Formula {
    Le(Expr, Expr),
    Eq(Expr, Expr),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Not(Box<Formula>),
    Exists(i64, i64, Box<Formula>),
}

impl Expr {
    pub fn eval(&self, point: &[i64]) -> i64 {
        match self {
            Expr::Number(c) => *c,
            // A variable bound by no quantifier here is any in scope.
            Expr::Var(k) => point[k % point.len()],
            Expr::Sum(a, b) => a.eval(point) + b.eval(point),
            Expr::Scaled(c, a) => c * a.eval(point),
            Expr::Floor(a, d) | Expr::FloorOver(a, d) => a.eval(point).div_euclid(*d),
            Expr::Mod(a, d) => a.eval(point).rem_euclid(*d),
        }
    }

    pub fn text(&self, names: &[String]) -> String {
        match self {
            Expr::Number(c) => format!("({c})"),
            Expr::Var(k) => names[k % names.len()].clone(),
            Expr::Sum(a, b) => format!("{} + {}", a.text(names), b.text(names)),
            Expr::Scaled(c, a) => format!("{c}*({})", a.text(names)),
            Expr::Floor(a, d) => format!("floor(({})/{d})", a.text(names)),
            Expr::FloorOver(a, d) => format!("({}) // {d}", a.text(names)),
            Expr::Mod(a, d) => format!("(({}) mod {d})", a.text(names)),
        }
    }
}

impl Formula {
    pub fn eval(&self, point: &[i64]) -> bool {
        match self {
            Formula::Le(a, b) => a.eval(point) <= b.eval(point),
            Formula::Eq(a, b) => a.eval(point) == b.eval(point),
            Formula::And(a, b) => a.eval(point) && b.eval(point),
            Formula::Or(a, b) => a.eval(point) || b.eval(point),
            Formula::Not(a) => !a.eval(point),
            Formula::Exists(low, width, a) => (*low..=low + width).any(|x| {
                let mut point = point.to_vec();
                point.push(x);
                a.eval(&point)
            }),
        }
    }

    pub fn text(&self, names: &[String]) -> String {
        match self {
            Formula::Le(a, b) => format!("{} <= {}", a.text(names), b.text(names)),
            Formula::Eq(a, b) => format!("{} = {}", a.text(names), b.text(names)),
            Formula::And(a, b) => format!("({}) and ({})", a.text(names), b.text(names)),
            Formula::Or(a, b) => format!("({}) or ({})", a.text(names), b.text(names)),
            Formula::Not(a) => format!("not ({})", a.text(names)),
            Formula::Exists(low, width, a) => {
                let name = format!("x{}", names.len());
                let mut inner = names.to_vec();
                inner.push(name.clone());
                format!("exists ({name} : {low} <= {name} <= {} and ({}))", low + width, a.text(&inner))
            }
        }
    }
}

pub fn expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![(-4i64..5).prop_map(Expr::Number), (0usize..6).prop_map(Expr::Var)];
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            4 => (inner.clone(), inner.clone()).prop_map(|(a, b)| Expr::Sum(Box::new(a), Box::new(b))),
            4 => (-3i64..4, inner.clone()).prop_map(|(c, a)| Expr::Scaled(c, Box::new(a))),
            1 => (inner.clone(), 1i64..5).prop_map(|(a, d)| Expr::Floor(Box::new(a), d)),
            1 => (inner.clone(), 1i64..5).prop_map(|(a, d)| Expr::FloorOver(Box::new(a), d)),
            1 => (inner, 1i64..5).prop_map(|(a, d)| Expr::Mod(Box::new(a), d)),
        ]
    })
}

/// A random formula.
pub fn formula() -> impl Strategy<Value = Formula> {
    let leaf = prop_oneof![
        3 => (expr(), expr()).prop_map(|(a, b)| Formula::Le(a, b)),
        1 => (expr(), expr()).prop_map(|(a, b)| Formula::Eq(a, b)),
    ];
    leaf.prop_recursive(3, 6, 2, |inner| {
        prop_oneof![
            4 => (inner.clone(), inner.clone()).prop_map(|(a, b)| Formula::And(Box::new(a), Box::new(b))),
            2 => (inner.clone(), inner.clone()).prop_map(|(a, b)| Formula::Or(Box::new(a), Box::new(b))),
            1 => inner.clone().prop_map(|a| Formula::Not(Box::new(a))),
            2 => (-3i64..2, 0i64..5, inner).prop_map(|(l, w, a)| Formula::Exists(l, w, Box::new(a))),
        ]
    })
}

/// A formula over named variables: parameter `n`, then dimensions.
#[derive(Clone)]
pub struct Sample {
    pub formula: Formula,
    pub domain: Vec<String>,
    pub range: Vec<String>,
}

impl fmt::Debug for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.text())
    }
}

impl Sample {
    pub fn set(formula: Formula, dims: usize) -> Sample {
        Sample { formula, domain: Vec::new(), range: (0..dims).map(|k| format!("j{k}")).collect() }
    }

    pub fn map(formula: Formula, n_in: usize, n_out: usize) -> Sample {
        let domain = (0..n_in).map(|k| format!("i{k}")).collect();
        Sample { formula, domain, range: (0..n_out).map(|k| format!("j{k}")).collect() }
    }

    fn names(&self) -> Vec<String> {
        [&["n".to_string()][..], &self.domain, &self.range].concat()
    }

    /// In isl notation; tuples are called `A` and, for a map, `B`.
    pub fn text(&self) -> String {
        self.text_with(&self.formula.text(&self.names()))
    }

    /// As [`Sample::text`], restricted to the box.
    pub fn bounded_text(&self) -> String {
        let bounds: Vec<String> = self.names().iter().map(|n| format!("{LOW} <= {n} <= {HIGH}")).collect();
        self.text_with(&format!("{} and ({})", bounds.join(" and "), self.formula.text(&self.names())))
    }

    fn text_with(&self, condition: &str) -> String {
        let (domain, range) = (self.domain.join(", "), self.range.join(", "));
        if self.domain.is_empty() {
            format!("[n] -> {{ A[{range}] : {condition} }}")
        } else {
            format!("[n] -> {{ A[{domain}] -> B[{range}] : {condition} }}")
        }
    }

    pub fn holds(&self, point: &[i64]) -> bool {
        self.formula.eval(point)
    }

    pub fn to_set(&self) -> Set {
        parse_set(&self.text())
    }

    pub fn to_bounded_set(&self) -> Set {
        parse_set(&self.bounded_text())
    }

    pub fn to_map(&self) -> Map {
        Map::parse(&self.text(), &budget()).unwrap()
    }

    pub fn to_bounded_map(&self) -> Map {
        Map::parse(&self.bounded_text(), &budget()).unwrap()
    }
}

/// Enough for every case here.
pub fn budget() -> Budget {
    Budget::new(2_000_000_000)
}

pub fn parse_set(text: &str) -> Set {
    Set::parse(text, &budget()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// All points of a box of `n` dimensions.
pub fn points(n: usize, low: i64, high: i64) -> Vec<Vec<i64>> {
    let mut result = vec![Vec::new()];
    for _ in 0..n {
        result = result
            .into_iter()
            .flat_map(|p| {
                (low..=high).map(move |x| {
                    let mut p = p.clone();
                    p.push(x);
                    p
                })
            })
            .collect();
    }
    result
}

/// All points of the comparison box.
pub fn box_points(n: usize) -> Vec<Vec<i64>> {
    points(n, LOW, HIGH)
}

pub fn ints(point: &[i64]) -> Vec<Int> {
    point.iter().map(|&x| Int::from(x)).collect()
}

pub fn in_set(set: &Set, point: &[i64]) -> bool {
    set.contains(&ints(point), &budget()).unwrap()
}

pub fn in_map(map: &Map, point: &[i64]) -> bool {
    map.contains(&ints(point), &budget()).unwrap()
}
