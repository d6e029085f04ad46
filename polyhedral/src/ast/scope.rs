//! [`Scope`]: the position in the AST under construction: which values are known there, and what is known about them.
//!
//! The columns of a scope are the parameters, then the iterators of the enclosing loops and integer divisions of earlier
//! columns, in the order in which they became known. Every column has an expression. `known` holds what the context, the
//! enclosing loop bounds and the enclosing conditions guarantee at run time; only that may be used to leave a test out.

use crate::arith::Int;
use crate::budget::{Budget, Exhausted};
use crate::relation::{Row, add_scaled, all_zero, gcd, negated, scale, zeros};
use crate::space::Name;

use super::cond::Cond;
use super::expr::{Expr, IterId};
use super::project::eliminate;
use super::system::{System, tighten};

/// What a column of a scope stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::large_enum_variant, reason = "a scope has few columns, and a box would be one more allocation")]
pub(super) enum Column {
    /// A parameter, by position.
    Param(usize),
    /// The iterator of an enclosing loop.
    Iter(IterId),
    /// The floor of the quotient of a row over the earlier columns by a constant greater than 1.
    Div(Row, Int),
}

/// See the module documentation.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) columns: Vec<Column>,
    pub(super) known: System,
    /// More that is guaranteed: of each list one of the systems holds, which are over the first columns.
    pub(super) alternatives: Vec<Vec<System>>,
    /// The names of the enclosing loops.
    pub(super) loop_names: Vec<Name>,
    /// The values of the members of all outer bands, as rows over the columns (or the first of them).
    pub(super) outer: Vec<Row>,
}

impl Scope {
    /// The scope outside all loops.
    pub(super) fn new(n_param: usize) -> Scope {
        let columns = (0..n_param).map(Column::Param).collect();
        let known = System::universe(n_param);
        Scope { columns, known, alternatives: Vec::new(), loop_names: Vec::new(), outer: Vec::new() }
    }

    /// Whether the alternatives exclude a system of which the scope is a part.
    pub(super) fn excludes(&self, system: &System, budget: &Budget) -> Result<bool, Exhausted> {
        for cases in &self.alternatives {
            let mut none = true;
            for case in cases {
                none = none && system.and(case).is_empty(budget)?;
            }
            if none {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Takes an alternative out of its list if it is the only one in which there is something to do, in one of the systems of which the
    /// scope is a part. Where a context says `n <= -1` or `n = 2` and all loops need `n >= 1`, that is `n = 2`.
    pub(super) fn take_only_case<'s>(
        &mut self,
        systems: impl Iterator<Item = &'s System> + Clone,
        budget: &Budget,
    ) -> Result<Option<System>, Exhausted> {
        for index in 0..self.alternatives.len() {
            let mut possible = Vec::new();
            for case in &self.alternatives[index] {
                let here = self.known.and(case);
                let mut empty = true;
                for system in systems.clone() {
                    empty = empty && system.and(&here).is_empty(budget)?;
                }
                if !empty {
                    possible.push(case);
                }
            }
            if let [only] = possible[..] {
                let only = System::universe(self.known.n).and(only);
                self.alternatives.remove(index);
                return Ok(Some(only));
            }
        }
        Ok(None)
    }

    /// Whether a row over the columns of the scope is not negative because of the alternatives.
    pub(super) fn alternatives_imply(&self, row: &[Int], budget: &Budget) -> Result<bool, Exhausted> {
        if self.alternatives.is_empty() {
            return Ok(false);
        }
        let mut contrary = negated(row);
        contrary[0] -= 1;
        let mut system = self.known.clone();
        system.ineqs.push(contrary);
        self.excludes(&system, budget)
    }

    /// The number of columns, the constant not counted.
    pub(super) fn n(&self) -> usize {
        self.columns.len()
    }

    /// Adds a column at the end.
    pub(super) fn push(&mut self, column: Column) {
        let at = self.known.n + 1;
        self.columns.push(column);
        self.known.insert_columns(at, 1);
    }

    /// The value `floor(row / den)` as an affine row over the columns, if no new division is needed for it.
    pub(super) fn known_floor_div(&self, row: &[Int], den: &Int) -> Option<Row> {
        let (mut whole, rest) = split_quotient(row, den);
        let Some((mut numerator, den)) = rest else { return Some(whole) };
        whole[0] += numerator[0].div_floor(&den);
        numerator[0] = numerator[0].rem_floor(&den);
        let index = self.division(&numerator, &den)?;
        whole.resize(self.n() + 1, Int::zero());
        whole[index + 1] += 1;
        Some(whole)
    }

    /// The column of a division.
    fn division(&self, numerator: &[Int], den: &Int) -> Option<usize> {
        self.columns.iter().position(|column| match column {
            Column::Div(known, d) => d == den && same_row(known, numerator),
            _ => false,
        })
    }

    /// The value `floor(row / den)` as an affine row over the columns: the integer part of the quotient is taken out, and
    /// for the rest a division column is looked up. If there is none yet it is added at the end, and the second result is
    /// true: rows over a scope of the old size then need one more column.
    pub(super) fn floor_div(&mut self, row: &[Int], den: &Int) -> (Row, bool) {
        let (mut whole, rest) = split_quotient(row, den);
        let Some((mut numerator, den)) = rest else { return (whole, false) };
        // One form for all numerators that differ by a multiple of the denominator.
        whole[0] += numerator[0].div_floor(&den);
        numerator[0] = numerator[0].rem_floor(&den);
        if let Some(index) = self.division(&numerator, &den) {
            whole.resize(self.n() + 1, Int::zero());
            whole[index + 1] += 1;
            return (whole, false);
        }
        numerator.resize(self.n() + 1, Int::zero());
        self.push(Column::Div(numerator.clone(), den.clone()));
        let mut lower = numerator;
        lower.push(-&den);
        let mut upper = negated(&lower);
        upper[0] += &den - 1;
        self.known.ineqs.push(lower);
        self.known.ineqs.push(upper);
        whole.resize(self.n() + 1, Int::zero());
        whole[self.n()] += 1;
        (whole, true)
    }

    /// The expression of a column.
    fn column_expr(&self, index: usize) -> Expr {
        match &self.columns[index] {
            Column::Param(pos) => Expr::Param(*pos),
            Column::Iter(iter) => Expr::Iter(*iter),
            Column::Div(row, den) => Expr::floor_div(self.expr(row), den.clone()),
        }
    }

    /// Whether one equality of the scope shows that the division of a division column leaves no remainder: the numerator
    /// plus a small multiple of it has only coefficients that the denominator divides.
    fn is_exact(&self, index: usize) -> bool {
        let Column::Div(numerator, den) = &self.columns[index] else { return false };
        self.known.eqs.iter().any(|known| {
            (-3..=3).any(|factor| {
                let mut row = numerator.clone();
                row.resize(self.n() + 1, Int::zero());
                add_scaled(&mut row, &Int::from(factor), known);
                row.iter().all(|x| den.divides(x))
            })
        })
    }

    /// Whether a row has another value in other iterations of the enclosing loops.
    pub(super) fn varies(&self, row: &[Int]) -> bool {
        self.columns.iter().zip(&row[1..]).any(|(column, factor)| {
            !factor.is_zero()
                && match column {
                    Column::Param(_) => false,
                    Column::Iter(_) => true,
                    Column::Div(numerator, _) => self.varies(numerator),
                }
        })
    }

    /// Whether a row mentions a division.
    pub(super) fn divides(&self, row: &[Int]) -> bool {
        let is_div = |(column, factor): (&Column, &Int)| !factor.is_zero() && matches!(column, Column::Div(..));
        self.columns.iter().zip(&row[1..]).any(is_div)
    }

    /// Whether a row mentions a division with other values in other iterations of the enclosing loops.
    pub(super) fn divides_varying(&self, row: &[Int]) -> bool {
        self.columns.iter().zip(&row[1..]).any(|(column, factor)| match column {
            Column::Div(numerator, _) => !factor.is_zero() && self.varies(numerator),
            Column::Param(_) | Column::Iter(_) => false,
        })
    }

    /// Equalities that the scope knows, each with a column that it is solved for, which has the coefficient 1 or -1 and appears in none of
    /// the later ones: columns with a constant value, and parameters that are a sum of others, as where the context says `a = b`. Two
    /// inequalities may say it, `n <= -1` in the context and `n >= -1` in a condition.
    pub(super) fn values(&self) -> Vec<(usize, Row)> {
        let is_param = |column: usize| matches!(self.columns[column - 1], Column::Param(_));
        let matters = |row: &Row| {
            let mut columns = (1..row.len()).filter(|&column| !row[column].is_zero());
            columns.all(is_param) || (1..row.len()).filter(|&column| !row[column].is_zero()).count() == 1
        };
        let meets = |(index, row): &(usize, &Row)| {
            let mut later = self.known.ineqs[index + 1..].iter();
            matters(row) && later.any(|other| row.iter().zip(other).all(|(x, y)| (x + y).is_zero()))
        };
        let pairs = self.known.ineqs.iter().enumerate().filter(meets).map(|(_, row)| row);
        let mut solved: Vec<(usize, Row)> = Vec::new();
        for row in self.known.eqs.iter().chain(pairs) {
            let mut row = row.clone();
            solved.iter().for_each(|(column, by)| eliminate(&mut row, by, *column));
            let column = (1..row.len()).rev().find(|&column| row[column].is_unit());
            if let Some(column) = column.filter(|_| matters(&row)) {
                solved.push((column, row));
            }
        }
        solved
    }

    /// The value of an affine row as a sum of multiples of the columns.
    pub(super) fn linear(&self, row: &[Int]) -> Expr {
        let terms = (1..row.len()).filter(|&k| !row[k].is_zero());
        Expr::sum(terms.map(|k| (row[k].clone(), self.column_expr(k - 1))).collect(), row[0].clone())
    }

    /// The value of an affine row as an expression. Multiples of `den * floor(num / den)` become `num` where the division is
    /// exact, and `num - num mod den` where that is shorter.
    pub(super) fn expr(&self, row: &[Int]) -> Expr {
        let mut row = Row::from(row);
        let mut terms = Vec::new();
        for index in (0..row.len() - 1).rev() {
            let Column::Div(numerator, den) = &self.columns[index] else { continue };
            let Some(factor) = exact_quotient(&row[index + 1], den) else { continue };
            let mut rest = row.clone();
            rest[index + 1] = Int::zero();
            add_scaled(&mut rest, &factor, numerator);
            let count = |row: &[Int]| row[1..].iter().filter(|x| !x.is_zero()).count();
            if self.is_exact(index) {
                row = rest;
            } else if count(&rest) < count(&row) {
                terms.push((-factor, Expr::modulo(self.expr(numerator), den.clone())));
                row = rest;
            }
        }
        let linear = (1..row.len()).filter(|&i| !row[i].is_zero());
        let mut all: Vec<(Int, Expr)> = linear.map(|i| (row[i].clone(), self.column_expr(i - 1))).collect();
        all.extend(terms);
        Expr::sum(all, row[0].clone())
    }

    /// The expression `floor(row / den)` without adding a column.
    pub(super) fn floor_expr(&self, row: &[Int], den: &Int) -> Expr {
        let (whole, rest) = split_quotient(row, den);
        let Some((numerator, den)) = rest else { return self.expr(&whole) };
        let quotient = Expr::floor_div(self.expr(&numerator), den);
        let constant = whole[0].clone();
        let mut linear = whole;
        linear[0] = Int::zero();
        match self.expr(&linear) {
            // Exact divisions may cancel out, and need not leave zero.
            Expr::Const(rest) => Expr::sum(vec![(Int::one(), quotient)], constant + rest),
            part => Expr::sum(vec![(Int::one(), part), (Int::one(), quotient)], constant),
        }
    }

    /// The condition `row = 0` or `row >= 0`.
    pub(super) fn test(&self, row: &[Int], is_eq: bool) -> Cond {
        if is_eq { self.zero(row) } else { self.at_least_zero(row) }
    }

    /// The condition `row >= 0`. One division alone, with the factor 1 or -1, is not needed for it: `floor(num / den) >= x` is
    /// `num >= den x`, and `floor(num / den) <= x` is `num <= den x + den - 1`.
    pub(super) fn at_least_zero(&self, row: &[Int]) -> Cond {
        let mut row = Row::from(row);
        let mut divs = (1..row.len()).filter(|&k| !row[k].is_zero()).filter_map(|k| match &self.columns[k - 1] {
            Column::Div(numerator, den) => Some((k, numerator, den)),
            _ => None,
        });
        if let (Some((column, numerator, den)), None) = (divs.next(), divs.next())
            && row[column].is_unit()
        {
            let sign = std::mem::take(&mut row[column]);
            scale(&mut row, den);
            add_scaled(&mut row, &sign, numerator);
            if sign.is_negative() {
                row[0] += den - 1;
            }
            tighten(&mut row);
            return self.at_least_zero(&row);
        }
        match self.expr(&row) {
            Expr::Const(value) if value.is_negative() => Cond::False,
            Expr::Const(_) => Cond::True,
            // A remainder is never negative.
            Expr::Neg(inner) if matches!(*inner, Expr::Mod(..)) => Cond::Eq(*inner),
            expr => Cond::Ge(expr),
        }
    }

    /// The condition `row == 0`.
    pub(super) fn zero(&self, row: &[Int]) -> Cond {
        let leading = row[1..].iter().find(|x| !x.is_zero());
        let row = if leading.is_some_and(Int::is_negative) { negated(row) } else { Row::from(row) };
        match self.expr(&row) {
            Expr::Const(value) if value.is_zero() => Cond::True,
            Expr::Const(_) => Cond::False,
            // A remainder alone is compared with zero whatever its factor is.
            Expr::Neg(inner) => Cond::Eq(*inner),
            Expr::Mul(_, inner) => Cond::Eq(*inner),
            expr => Cond::Eq(expr),
        }
    }
}

/// The quotient if `divisor` divides `value` and the value is not zero.
fn exact_quotient(value: &Int, divisor: &Int) -> Option<Int> {
    (!value.is_zero() && divisor.divides(value)).then(|| value.div_exact(divisor))
}

/// Whether two rows are equal when the shorter one is padded with zeros.
fn same_row(a: &[Int], b: &[Int]) -> bool {
    let n = a.len().min(b.len());
    a[..n] == b[..n] && all_zero(&a[n..]) && all_zero(&b[n..])
}

/// Writes `floor(row / den)` as an affine row plus, unless it is zero, the floor of a reduced quotient: constant and
/// coefficients smaller than the denominator, nothing common to all coefficients and the denominator.
fn split_quotient(row: &[Int], den: &Int) -> (Row, Option<(Row, Int)>) {
    let mut whole = zeros(row.len());
    let mut rest = Row::from(row);
    for (w, r) in whole.iter_mut().zip(rest.iter_mut()).skip(1) {
        if r.cmp_abs(den).is_ge() {
            // Rounding towards zero keeps the sign that the user knows.
            let quotient = if r.is_negative() { r.div_ceil(den) } else { r.div_floor(den) };
            r.sub_mul(&quotient, den);
            *w = quotient;
        }
    }
    let g = gcd(&rest[1..]).gcd(den);
    let mut den = den.clone();
    if !g.is_one() {
        rest[0] = rest[0].div_floor(&g);
        for r in &mut rest[1..] {
            *r = r.div_exact(&g);
        }
        den = den.div_exact(&g);
    }
    if all_zero(&rest[1..]) {
        whole[0] = rest[0].div_floor(&den);
        return (whole, None);
    }
    if rest[0].cmp_abs(&den).is_ge() {
        whole[0] = rest[0].div_floor(&den);
        rest[0] = rest[0].rem_floor(&den);
    }
    (whole, Some((rest, den)))
}

/// `factor * row` as a new row.
pub(super) fn scaled(row: &[Int], factor: &Int) -> Row {
    let mut row = Row::from(row);
    scale(&mut row, factor);
    row
}
