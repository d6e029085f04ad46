//! Equalities of one conjunction: existentials and divisions that they define, Gauss elimination.

use std::cmp::Ordering;

use smallvec::SmallVec;

use crate::arith::Int;

use super::conjunction::{Conjunction, Div};
use super::row::{self, Row};
use super::simplify::Contradiction;

impl Conjunction {
    /// Removes the existentials from the equalities. An equality with existentials is turned by unimodular changes of
    /// these variables into one with a single existential `g x = e`, which substitutes `x` (`g = 1`) or makes it the
    /// known division `floor(e / g)`.
    pub(super) fn solve_existentials(&mut self) -> Result<(), Contradiction> {
        let base = self.space.n_col();
        let mut gone: SmallVec<[usize; 16]> = SmallVec::new();
        while let Some((r, k)) = self.smallest_existential() {
            let column = base + k;
            let mut row = self.eqs[r].clone();
            if row[column].is_positive() {
                row::negate(&mut row);
            }
            // Now size * x = row without x.
            let size = -std::mem::take(&mut row[column]);
            if size.is_one() {
                self.eqs.swap_remove(r);
                self.columns().substitute(column, &row);
                gone.push(k);
                self.normalize_eqs()?;
                continue;
            }
            let others: Vec<usize> =
                (0..self.locals.len()).filter(|&l| self.locals[l].is_none() && !row[base + l].is_zero()).collect();
            if others.is_empty() {
                self.locals[k] = Some(Div { row, den: size });
                self.columns().remove_locals(&mut gone);
                self.columns().normalize();
                self.normalize_eqs()?;
                continue;
            }
            let mut value = row::zeros(self.n_col());
            value[column] = Int::one();
            for l in others {
                value[base + l] = row[base + l].div_floor(&size);
            }
            self.columns().substitute(column, &value);
            self.normalize_eqs()?;
        }
        self.columns().remove_locals(&mut gone);
        Ok(())
    }

    /// The existential with the smallest coefficient in an equality: `(equality, local)`.
    fn smallest_existential(&self) -> Option<(usize, usize)> {
        let base = self.space.n_col();
        let mut best: Option<(usize, usize)> = None;
        for (r, row) in self.eqs.iter().enumerate() {
            for (k, x) in row[base..].iter().enumerate() {
                if x.is_zero() || self.locals[k].is_some() {
                    continue;
                }
                if x.is_unit() {
                    return Some((r, k));
                }
                if best.is_none_or(|(s, l)| x.cmp_abs(&self.eqs[s][base + l]) == Ordering::Less) {
                    best = Some((r, k));
                }
            }
        }
        best
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
    pub(super) fn solve_equalities(&mut self) -> Result<(), Contradiction> {
        self.columns().normalize();
        if self.eqs.is_empty() || self.unit_division(0).is_none() && self.is_reduced() {
            return Ok(());
        }
        let mut solved = 0;
        while solved < self.eqs.len() {
            self.normalize_eqs()?;
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

    /// Whether every equality has a column of its own: used by no other row, and by no division unless that could not
    /// be helped. Without this test, systems without unit coefficients could change from pass to pass.
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
}
