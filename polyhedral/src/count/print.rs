//! The text of quasi-polynomials in isl's notation.

use std::fmt;

use crate::arith::Rational;
use crate::relation::{column_names, conditions};
use crate::space::Space;

use super::polynomial::{Monomial, Polynomial, Var};
use super::quasi::{PwQPolynomial, QPolynomial, UnionPwQPolynomial};

/// The text of an affine expression over named columns.
fn affine(row: &[crate::arith::Int], names: &[String]) -> String {
    let mut text = String::new();
    for (c, x) in row.iter().enumerate().filter(|(_, x)| !x.is_zero()) {
        let sign = match (text.is_empty(), x.is_negative()) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        let size = x.abs();
        let name = &names[c];
        text += sign;
        text += &match (c, size.is_one()) {
            (0, _) => size.to_string(),
            (_, true) => name.clone(),
            (_, false) => format!("{size}{name}"),
        };
    }
    if text.is_empty() { "0".into() } else { text }
}

fn monomial(monomial: &Monomial, coefficient: &Rational, names: &[String]) -> String {
    let mut factors = Vec::new();
    let one = Rational::from(1);
    if monomial.is_empty() || *coefficient != one {
        factors.push(coefficient.to_string());
    }
    for (var, exponent) in monomial {
        let base = match var {
            Var::Column(c) => names.get(*c).cloned().unwrap_or_default(),
            Var::Floor(row, den) => format!("floor(({})/{den})", affine(row, names)),
        };
        factors.push(if *exponent == 1 { base } else { format!("{base}^{exponent}") });
    }
    factors.join(" * ")
}

fn degree(monomial: &Monomial) -> u32 {
    monomial.iter().map(|(_, e)| e).sum()
}

/// The terms by degree; in parentheses if there are several.
fn polynomial(value: &Polynomial, names: &[String]) -> String {
    let mut terms: Vec<(&Monomial, &Rational)> = value.terms().collect();
    terms.sort_by(|a, b| degree(a.0).cmp(&degree(b.0)).then_with(|| a.0.cmp(b.0)));
    let mut text = String::new();
    for (m, coefficient) in &terms {
        if text.is_empty() {
            text = monomial(m, coefficient, names);
            if **coefficient == Rational::from(-1) && !m.is_empty() {
                text = format!("-{}", monomial(m, &Rational::from(1), names));
            }
        } else if coefficient.signum() < 0 {
            text += &format!(" - {}", monomial(m, &-*coefficient, names));
        } else {
            text += &format!(" + {}", monomial(m, coefficient, names));
        }
    }
    match terms.len() {
        0 => "0".into(),
        1 => text,
        _ => format!("({text})"),
    }
}

/// `tuple -> ` of the arguments, and the names of the columns.
fn header(space: &Space) -> (String, Vec<String>) {
    let (tuple, names) = column_names(space);
    (if space.is_params() { String::new() } else { format!("{tuple} -> ") }, names)
}

fn params(space: &Space) -> String {
    match space.param_names() {
        [] => String::new(),
        names => format!("[{}] -> ", names.join(", ")),
    }
}

fn pieces(value: &PwQPolynomial) -> Vec<String> {
    let (arguments, names) = header(&value.space);
    let mut result = Vec::new();
    for (set, q) in &value.pieces {
        let function = format!("{arguments}{}", polynomial(&q.value, &names));
        for condition in conditions(&value.space, set) {
            result.push(if condition.is_empty() { function.clone() } else { format!("{function} : {condition}") });
        }
    }
    if result.is_empty() {
        result.push(format!("{arguments}0"));
    }
    result
}

impl fmt::Display for QPolynomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (arguments, names) = header(&self.space);
        write!(f, "{}{{ {arguments}{} }}", params(&self.space), polynomial(&self.value, &names))
    }
}

impl fmt::Display for PwQPolynomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{{ {} }}", params(&self.space), pieces(self).join("; "))
    }
}

impl fmt::Display for UnionPwQPolynomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.members.iter().flat_map(pieces).collect();
        write!(f, "{}{{ {} }}", params(&self.params), all.join("; "))
    }
}
