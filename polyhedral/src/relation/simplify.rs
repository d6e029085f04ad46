//! Simplification of one conjunction, without simplex: normal form of rows, Gauss elimination, normal form of divisions,
//! integer-exact removal of existentials, parallel constraints. See the invariants in [`super::conjunction`].
//!
//! Cost: a small number of passes, each quadratic in the number of rows in the worst case.

use std::collections::BTreeMap;

use crate::arith::Int;
use crate::space::DimKind;

use super::conjunction::{Conjunction, Div};
use super::divs::Columns;
use super::row::{self, Row};

/// More passes than any system needs; a guard against a cycle of rewritings, all of which are exact.
const MAX_PASSES: usize = 32;

/// How many more rows than it removes an elimination may add while simplifying.
const GROWTH: usize = 4;

/// The proof that a conjunction has no integer point.
pub(super) struct Contradiction;

impl Conjunction {
    /// Brings the conjunction to the normal form that [`super::conjunction`] describes. The set of points is the same.
    pub fn simplify(mut self) -> Conjunction {
        if self.simplify_passes().is_err() {
            self.set_empty();
        }
        self
    }

    fn simplify_passes(&mut self) -> Result<(), Contradiction> {
        for _ in 0..MAX_PASSES {
            let before = self.clone();
            self.normalize_rows()?;
            self.open_dependent_divs();
            self.solve_existentials()?;
            self.solve_equalities()?;
            self.columns().normalize();
            self.normalize_rows()?;
            self.combine_parallel()?;
            self.eliminate_cheap_existentials();
            self.columns().remove_unused();
            self.eqs.sort();
            self.eqs.dedup();
            self.ineqs.sort();
            if *self == before {
                break;
            }
        }
        Ok(())
    }

    pub(super) fn columns(&mut self) -> Columns<'_> {
        Columns { base: self.space.n_col(), locals: &mut self.locals, groups: [&mut self.eqs, &mut self.ineqs] }
    }

    pub(super) fn normalize_rows(&mut self) -> Result<(), Contradiction> {
        let mut failed = false;
        self.eqs.retain_mut(|row| {
            let g = row::gcd(&row[1..]);
            if g.is_zero() {
                failed |= !row[0].is_zero();
                return false;
            }
            if !g.divides(&row[0]) {
                failed = true;
            } else {
                row::div_exact(row, &g);
                if row.iter().rev().find(|x| !x.is_zero()).is_some_and(Int::is_negative) {
                    *row = row::negated(row);
                }
            }
            true
        });
        self.ineqs.retain_mut(|row| {
            let g = row::gcd(&row[1..]);
            if g.is_zero() {
                failed |= row[0].is_negative();
                return false;
            }
            if !g.is_one() {
                row[0] = row[0].div_floor(&g);
                row::div_exact(&mut row[1..], &g);
            }
            true
        });
        if failed { Err(Contradiction) } else { Ok(()) }
    }

    /// Turns known divisions that depend on existentials into existentials with explicit constraints.
    pub(super) fn open_dependent_divs(&mut self) {
        let base = self.space.n_col();
        while let Some(pos) = (0..self.locals.len()).find(|&k| {
            self.locals[k].as_ref().is_some_and(|d| {
                (0..self.locals.len()).any(|l| !d.row[base + l].is_zero() && (self.locals[l].is_none() || l == k))
            })
        }) {
            self.open_div(pos);
        }
    }

    /// Turns one known division into an existential with explicit constraints.
    pub(super) fn open_div(&mut self, pos: usize) {
        if let Some(rows) = self.div_rows(pos) {
            self.ineqs.extend(rows);
            self.locals[pos] = None;
        }
    }

    /// Removes the existentials from the equalities. An equality with existentials is turned by unimodular changes of
    /// these variables into one with a single existential `g x = e`, which substitutes `x` (`g = 1`) or makes it the known
    /// division `floor(e / g)`.
    fn solve_existentials(&mut self) -> Result<(), Contradiction> {
        let base = self.space.n_col();
        loop {
            self.normalize_rows()?;
            let mut target = None;
            for (r, row) in self.eqs.iter().enumerate() {
                for (k, local) in self.locals.iter().enumerate() {
                    let x = &row[base + k];
                    if local.is_none()
                        && !x.is_zero()
                        && target.as_ref().is_none_or(|(_, _, best): &(usize, usize, Int)| x.abs() < *best)
                    {
                        target = Some((r, k, x.abs()));
                    }
                }
            }
            let Some((r, k, size)) = target else { return Ok(()) };
            let column = base + k;
            let mut row = self.eqs[r].clone();
            if row[column].is_positive() {
                row = row::negated(&row);
            }
            // Now size * x = row without x.
            row[column] = Int::zero();
            if size.is_one() {
                self.eqs.swap_remove(r);
                let mut columns = self.columns();
                columns.substitute(column, &row);
                columns.remove_local(k);
                continue;
            }
            let others: Vec<usize> =
                (0..self.locals.len()).filter(|&l| self.locals[l].is_none() && !row[base + l].is_zero()).collect();
            if others.is_empty() {
                self.locals[k] = Some(Div { row, den: size });
                self.columns().normalize();
                continue;
            }
            let mut value = row::zeros(self.n_col());
            value[column] = Int::one();
            for l in others {
                value[base + l] = row[base + l].div_floor(&size);
            }
            self.columns().substitute(column, &value);
        }
    }

    /// For every local and column: does the definition of the local use the column, directly or not?
    fn dependences(&self) -> Vec<Vec<bool>> {
        let base = self.space.n_col();
        let mut result: Vec<Vec<bool>> = Vec::with_capacity(self.locals.len());
        for local in &self.locals {
            let mut uses = vec![false; self.n_col()];
            if let Some(div) = local {
                for (c, _) in div.row.iter().enumerate().skip(1).filter(|(_, x)| !x.is_zero()) {
                    uses[c] = true;
                    if let Some(inner) = c.checked_sub(base).and_then(|k| result.get(k)) {
                        uses.iter_mut().zip(inner).for_each(|(a, b)| *a |= b);
                    }
                }
            }
            result.push(uses);
        }
        result
    }

    /// Gauss elimination. The pivot of an equality is, in this order: a division with coefficient one, which disappears
    /// (`q = e` becomes `0 <= num - den e < den`); the last dimension with coefficient one that no division of the
    /// equality depends on; the last column.
    fn solve_equalities(&mut self) -> Result<(), Contradiction> {
        self.columns().normalize();
        if self.unit_division(0).is_none() && self.is_reduced() {
            return Ok(());
        }
        let mut solved = 0;
        while solved < self.eqs.len() {
            self.normalize_rows()?;
            if solved >= self.eqs.len() {
                break;
            }
            if let Some((r, k)) = self.unit_division(solved) {
                self.expand_unit_division(r, k);
                solved = 0;
                continue;
            }
            let (r, column) = self.choose_pivot(solved);
            self.eqs.swap(r, solved);
            self.eliminate_by(solved, column);
            solved += 1;
        }
        self.normalize_rows()
    }

    /// Whether every equality has a column of its own: used by no other row, and by no division unless that could not be
    /// helped. Without this test, systems without unit coefficients could change from pass to pass.
    fn is_reduced(&self) -> bool {
        let base = self.space.n_col();
        self.eqs.iter().enumerate().all(|(r, eq)| {
            let plain = row::all_zero(&eq[base..]);
            (1..eq.len()).any(|c| {
                let in_div = |d: &Div| !d.row[c].is_zero();
                !eq[c].is_zero()
                    && !self.eqs.iter().enumerate().any(|(k, other)| k != r && !other[c].is_zero())
                    && !self.ineqs.iter().any(|row| !row[c].is_zero())
                    && (c >= base || !(plain || eq[c].is_unit()) || !self.locals.iter().flatten().any(in_div))
            })
        })
    }

    /// An equality and a known division with coefficient one in it that no other division of the equality depends on.
    fn unit_division(&self, first: usize) -> Option<(usize, usize)> {
        let base = self.space.n_col();
        if self.locals.is_empty() {
            return None;
        }
        let uses = self.dependences();
        for r in first..self.eqs.len() {
            let row = &self.eqs[r];
            for k in (0..self.locals.len()).rev() {
                let independent =
                    || (0..self.locals.len()).all(|l| row[base + l].is_zero() || l == k || !uses[l][base + k]);
                if self.locals[k].is_some() && row[base + k].is_unit() && independent() {
                    return Some((r, k));
                }
            }
        }
        None
    }

    fn expand_unit_division(&mut self, r: usize, k: usize) {
        let column = self.local_column(k);
        let mut value = self.eqs.swap_remove(r);
        if value[column].is_positive() {
            value = row::negated(&value);
        }
        value[column] = Int::zero();
        self.open_div(k);
        let mut columns = self.columns();
        columns.substitute(column, &value);
        columns.remove_local(k);
        columns.normalize();
    }

    fn choose_pivot(&self, first: usize) -> (usize, usize) {
        let base = self.space.n_col();
        let uses = self.dependences();
        let mut fallback = None;
        for r in first..self.eqs.len() {
            let row = &self.eqs[r];
            for c in (1..base).rev() {
                if row[c].is_unit() && (0..self.locals.len()).all(|l| row[base + l].is_zero() || !uses[l][c]) {
                    return (r, c);
                }
            }
            if fallback.is_none() {
                fallback = (1..row.len()).rev().find(|&c| !row[c].is_zero()).map(|c| (r, c));
            }
        }
        fallback.unwrap_or((first, 0))
    }

    /// Removes a column from all other rows by means of an equality; from divisions only if the column is a dimension.
    fn eliminate_by(&mut self, pivot_row: usize, column: usize) {
        let base = self.space.n_col();
        let mut pivot = self.eqs[pivot_row].clone();
        if column == 0 {
            return;
        }
        if pivot[column].is_negative() {
            pivot = row::negated(&pivot);
        }
        let p = pivot[column].clone();
        let reduce = |row: &mut Row| -> Int {
            let a = row[column].clone();
            if a.is_zero() {
                return Int::one();
            }
            let g = a.gcd(&p);
            let factor = p.div_exact(&g);
            row::scale(row, &factor);
            row::add_scaled(row, &-a.div_exact(&g), &pivot);
            factor
        };
        for (r, row) in self.eqs.iter_mut().enumerate() {
            if r != pivot_row {
                reduce(row);
            }
        }
        for row in &mut self.ineqs {
            reduce(row);
        }
        let plain = row::all_zero(&pivot[base..]) || p.is_one();
        if column < base && plain {
            for div in self.locals.iter_mut().flatten() {
                let factor = reduce(&mut div.row);
                div.den *= &factor;
            }
            self.columns().normalize();
        }
    }

    /// Merges parallel inequalities, turns opposite ones into equalities, uses the implicit ones of divisions.
    fn combine_parallel(&mut self) -> Result<(), Contradiction> {
        let implicit: Vec<Row> = (0..self.locals.len()).filter_map(|k| self.div_rows(k)).flatten().collect();
        let mut tightest: BTreeMap<Row, (Int, bool)> = BTreeMap::new();
        let explicit = self.ineqs.drain(..).map(|r| (r, true));
        for (mut row, is_explicit) in implicit.into_iter().map(|r| (r, false)).chain(explicit) {
            let constant = std::mem::take(&mut row[0]);
            let entry = tightest.entry(row).or_insert_with(|| (constant.clone(), is_explicit));
            if constant < entry.0 {
                *entry = (constant, is_explicit);
            }
        }
        let mut new_eqs = Vec::new();
        for (row, (constant, is_explicit)) in &tightest {
            let opposite = row::negated(row);
            if let Some((other, other_explicit)) = tightest.get(&opposite) {
                let width = constant + other;
                if width.is_negative() {
                    return Err(Contradiction);
                }
                if width.is_zero() {
                    if *row > opposite {
                        let mut eq = row.clone();
                        eq[0] = constant.clone();
                        new_eqs.push(eq);
                    }
                    debug_assert!(*is_explicit || *other_explicit);
                    continue;
                }
            }
            if *is_explicit {
                let mut ineq = row.clone();
                ineq[0] = constant.clone();
                self.ineqs.push(ineq);
            }
        }
        self.fix_bounded_divs(&tightest);
        self.eqs.extend(new_eqs);
        Ok(())
    }

    /// Adds `q = g` where two opposite inequalities confine the numerator of a division to one multiple `g` of the
    /// denominator: with `q = floor(num / d)` and `0 <= num + c - d g <= width`, `q - g` is `floor(-c / d)` if that is also
    /// `floor((width - c) / d)`.
    fn fix_bounded_divs(&mut self, tightest: &BTreeMap<Row, (Int, bool)>) {
        for k in 0..self.locals.len() {
            let Some(div) = &self.locals[k] else { continue };
            let column = self.local_column(k);
            let mut found = None;
            for (row, (low, _)) in tightest {
                let Some((high, _)) = tightest.get(&row::negated(row)) else { continue };
                let width = low + high;
                if width >= div.den || !row[column].is_zero() {
                    continue;
                }
                // row + low = num + c - d g
                let g: Option<Row> = div.row[1..]
                    .iter()
                    .zip(&row[1..])
                    .map(|(num, x)| Some(num - x).filter(|y| div.den.divides(y)).map(|y| y.div_exact(&div.den)))
                    .collect();
                let Some(g) = g else { continue };
                let c = low - &div.row[0];
                let least = (-&c).div_floor(&div.den);
                if least == (&width - &c).div_floor(&div.den) {
                    let mut eq = Row::from([least]);
                    eq.extend(g);
                    eq[column] -= 1;
                    found = Some(eq);
                    break;
                }
            }
            self.eqs.extend(found);
        }
    }

    /// Removes existentials that occur only in inequalities where that is exact and cheap: unbounded on one side, by
    /// Fourier-Motzkin steps that lose no integer point, or by choosing the single bound of one side as value.
    fn eliminate_cheap_existentials(&mut self) {
        let mut k = 0;
        while k < self.locals.len() {
            let removed = self.locals[k].is_none() && self.eliminate_existential(k, GROWTH);
            k = if removed { 0 } else { k + 1 };
        }
    }

    /// Tries to remove existential `k`; whether it is gone (or known now).
    pub(super) fn eliminate_existential(&mut self, k: usize, growth: usize) -> bool {
        let column = self.local_column(k);
        let used_elsewhere = self.eqs.iter().chain(self.locals.iter().flatten().map(|d| &d.row));
        if used_elsewhere.into_iter().any(|r| !r[column].is_zero()) {
            return false;
        }
        let (lower, upper) = self.bounds(column);
        if lower.is_empty() || upper.is_empty() {
            self.ineqs.retain(|r| r[column].is_zero());
            self.columns().remove_local(k);
            return true;
        }
        if lower.len() * upper.len() <= lower.len() + upper.len() + growth
            && let Some(rows) = exact_shadow(&lower, &upper, column)
        {
            self.ineqs.retain(|r| r[column].is_zero());
            self.ineqs.extend(rows);
            self.columns().remove_local(k);
            return true;
        }
        for bounds in [&upper, &lower] {
            if let [bound] = bounds.as_slice()
                && self.is_free_of_existentials(bound, k)
            {
                self.define_by_bound(k, bound);
                return true;
            }
        }
        false
    }

    /// The inequalities with positive (lower bounds) and with negative coefficient (upper bounds) in a column.
    pub(super) fn bounds(&self, column: usize) -> (Vec<Row>, Vec<Row>) {
        let of = |positive: bool| {
            let keep = |r: &&Row| if positive { r[column].is_positive() } else { r[column].is_negative() };
            self.ineqs.iter().filter(keep).cloned().collect::<Vec<_>>()
        };
        (of(true), of(false))
    }

    /// Whether a row uses no existential but `k`.
    pub(super) fn is_free_of_existentials(&self, row: &[Int], k: usize) -> bool {
        let base = self.space.n_col();
        (0..self.locals.len()).all(|l| l == k || self.locals[l].is_some() || row[base + l].is_zero())
    }

    /// Gives existential `k` the extreme value that one bound allows: the floor of an upper bound, the ceiling of a lower
    /// one. The bound itself then holds by construction; the row stays and is simplified away.
    pub(super) fn define_by_bound(&mut self, k: usize, bound: &[Int]) {
        let column = self.local_column(k);
        let coefficient = bound[column].clone();
        let mut rest = Row::from(bound);
        rest[column] = Int::zero();
        if coefficient.is_negative() {
            self.locals[k] = Some(Div { row: rest, den: -coefficient });
        } else {
            // a x + rest >= 0: the least x is ceil(-rest / a) = -floor(rest / a); the column becomes that floor.
            let mut value = row::zeros(self.n_col());
            value[column] = Int::from(-1);
            self.columns().substitute(column, &value);
            self.locals[k] = Some(Div { row: rest, den: coefficient });
        }
        self.columns().normalize();
    }

    /// Takes the equalities out.
    pub(crate) fn take_eqs(&mut self) -> Vec<Row> {
        std::mem::take(&mut self.eqs)
    }

    /// Whether a parameter occurs in a constraint.
    pub(super) fn uses_column(&self, column: usize) -> bool {
        self.eqs
            .iter()
            .chain(&self.ineqs)
            .chain(self.locals.iter().flatten().map(|d| &d.row))
            .any(|r| !r[column].is_zero())
    }

    /// Whether a dimension occurs in a constraint.
    pub fn involves(&self, kind: DimKind, pos: usize) -> bool {
        let column = self.space.offset(kind) + pos;
        column < self.n_col() && self.uses_column(column)
    }
}

/// All combinations of a lower and an upper bound that do not contain the variable, if together they describe exactly the
/// integer projection: each pair has a unit coefficient, or its real shadow equals its dark shadow.
pub(super) fn exact_shadow(lower: &[Row], upper: &[Row], column: usize) -> Option<Vec<Row>> {
    let mut rows = Vec::with_capacity(lower.len() * upper.len());
    for low in lower {
        for up in upper {
            let (row, dark) = shadows(low, up, column);
            let g = row::gcd(&row[1..]);
            let exact = row[0] == dark
                || if g.is_zero() { !dark.is_negative() } else { row[0].div_floor(&g) == dark.div_floor(&g) };
            if !exact {
                return None;
            }
            rows.push(row);
        }
    }
    Some(rows)
}

/// The combination of two bounds without the variable, and the constant of its dark shadow (Pugh's Omega test): where the
/// row with that constant holds, an integer lies between the bounds.
pub(super) fn shadows(low: &[Int], up: &[Int], column: usize) -> (Row, Int) {
    let a = low[column].clone();
    let b = -&up[column];
    let mut row = Row::from(low);
    row::scale(&mut row, &b);
    row::add_scaled(&mut row, &a, up);
    let dark = &row[0] - (&a - 1) * (&b - 1);
    (row, dark)
}
