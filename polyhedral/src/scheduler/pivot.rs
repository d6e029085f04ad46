//! Steps of the simplex method on a [`Tableau`]: which column to exchange with a row, and the exchange.

use std::cmp::Ordering;

use crate::budget::Budget;

use super::number::{Number, Stop};
use super::tableau::{CONST, DEN, FIRST, RowOrColumn, SLACK, Tableau};

impl<N: Number> Tableau<N> {
    /// Divides a row by the common factor of denominator and entries.
    pub(super) fn normalize(entries: &mut [N], width: usize) {
        if entries[DEN].is_one() {
            return;
        }
        let mut g = entries[DEN].clone();
        for x in &entries[CONST..width] {
            if x.sign() != 0 {
                g = g.gcd(x);
                if g.is_one() {
                    return;
                }
            }
        }
        for x in &mut entries[..width] {
            if x.sign() != 0 {
                *x = x.exact_quotient(&g);
            }
        }
    }

    pub(super) fn drop_column(&mut self, j: usize) {
        let last = self.n_col - 1;
        if self.col_owner[j] != SLACK {
            self.place[self.col_owner[j]] = RowOrColumn::Zero;
        }
        if j != last {
            for r in 0..self.n_row() {
                self.data.swap(r * self.stride + FIRST + j, r * self.stride + FIRST + last);
            }
            self.col_owner[j] = self.col_owner[last];
            if self.col_owner[j] != SLACK {
                self.place[self.col_owner[j]] = RowOrColumn::Column(j);
            }
        }
        self.col_owner.pop();
        self.n_col = last;
    }

    pub(super) fn drop_row(&mut self, r: usize) {
        let last = self.n_row() - 1;
        if r != last {
            for p in 0..FIRST + self.n_col {
                self.data.swap(r * self.stride + p, last * self.stride + p);
            }
            self.row_owner[r] = self.row_owner[last];
            if self.row_owner[r] != SLACK {
                self.place[self.row_owner[r]] = RowOrColumn::Row(r);
            }
        }
        self.row_owner.pop();
        self.data.truncate(last * self.stride);
    }

    /// The column to exchange with row `r` so that all columns stay lexicographically positive.
    pub(super) fn leaving_column(&self, r: usize) -> Option<usize> {
        let mut best: Option<usize> = None;
        for j in 0..self.n_col {
            if self.at(r, FIRST + j).sign() > 0 && best.is_none_or(|b| self.compare(r, j, b) == Ordering::Less) {
                best = Some(j);
            }
        }
        best
    }

    /// Compares two columns, each divided by its positive entry in row `r`, along the unknowns.
    pub(super) fn compare(&self, r: usize, i: usize, j: usize) -> Ordering {
        let (at_i, at_j) = (self.at(r, FIRST + i), self.at(r, FIRST + j));
        for place in &self.place {
            match *place {
                RowOrColumn::Zero => {}
                RowOrColumn::Column(c) if c == i => return Ordering::Greater,
                RowOrColumn::Column(c) if c == j => return Ordering::Less,
                RowOrColumn::Column(_) => {}
                RowOrColumn::Row(k) => {
                    let (a, b) = (self.at(k, FIRST + i), self.at(k, FIRST + j));
                    if a.sign() != 0 || b.sign() != 0 {
                        let order = N::compare_products(a, at_j, b, at_i);
                        if order != Ordering::Equal {
                            return order;
                        }
                    }
                }
            }
        }
        Ordering::Equal
    }

    /// Exchanges the owners of row `r` and column `j`, whose entry is positive.
    pub(super) fn pivot(&mut self, r: usize, j: usize, budget: &Budget) -> Result<(), Stop> {
        budget.spend(2 + self.weight())?;
        let p = FIRST + j;
        let width = FIRST + self.n_col;
        // The row solved for the column's owner.
        let mut pivot: Vec<N> = self.row(r).to_vec();
        let a = pivot[p].clone();
        pivot[p] = pivot[DEN].negated()?;
        pivot[DEN] = a;
        for x in &mut pivot[CONST..] {
            *x = x.negated()?;
        }
        Self::normalize(&mut pivot, width);
        let places: Vec<usize> = (CONST..width).filter(|&q| q != p && pivot[q].sign() != 0).collect();
        let den = pivot[DEN].clone();
        let at_p = pivot[p].clone();
        for k in 0..self.row_owner.len() {
            let row = &mut self.data[k * self.stride..k * self.stride + width];
            if k == r || row[p].sign() == 0 {
                continue;
            }
            let factor = row[p].clone();
            row[p] = N::zero();
            if den.is_one() {
                N::add_multiple(row, &factor, &pivot, &places)?;
                row[p] = factor.times(&at_p)?;
            } else {
                let g = factor.gcd(&den);
                let (m, factor) = (den.exact_quotient(&g), factor.exact_quotient(&g));
                if !m.is_one() {
                    for x in row.iter_mut() {
                        if x.sign() != 0 {
                            *x = x.times(&m)?;
                        }
                    }
                }
                N::add_multiple(row, &factor, &pivot, &places)?;
                row[p] = factor.times(&at_p)?;
            }
            // No decision depends on the common factor of a row: it only must not make numbers too large.
            if !N::all_small(row) {
                Self::normalize(row, width);
            }
        }
        self.data[r * self.stride..r * self.stride + width].clone_from_slice(&pivot);
        let (old_row, old_col) = (self.row_owner[r], self.col_owner[j]);
        self.row_owner[r] = old_col;
        self.col_owner[j] = old_row;
        if old_row != SLACK {
            self.place[old_row] = RowOrColumn::Column(j);
        }
        if old_col != SLACK {
            self.place[old_col] = RowOrColumn::Row(r);
        }
        Ok(())
    }
}
