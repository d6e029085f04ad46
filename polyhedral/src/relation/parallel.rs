//! Parallel inequalities of one conjunction: of two with the same coefficients the tighter one stays; two with opposite
//! coefficients contradict each other, form an equality, or confine a division to one value.
//!
//! The inequalities are sorted by a hash of their direction, so the cost is that of sorting.

use smallvec::SmallVec;

use crate::arith::Int;

use super::conjunction::Conjunction;
use super::row::{self, Row};
use super::simplify::Contradiction;

impl Conjunction {
    /// Merges parallel inequalities, turns opposite ones into equalities, uses the implicit ones of divisions. Whether
    /// two became an equality.
    pub(super) fn combine_parallel(&mut self) -> Result<bool, Contradiction> {
        if self.ineqs.len() + self.locals.len() < 2 {
            return Ok(false);
        }
        let explicit = self.ineqs.len();
        let mut rows = std::mem::take(&mut self.ineqs);
        rows.extend((0..self.locals.len()).filter_map(|k| self.div_rows(k)).flatten());
        let mut keys: SmallVec<[(u64, usize); 24]> =
            rows.iter().map(|r| row::direction_key(&r[1..])).zip(0..).collect();
        keys.sort_unstable();
        let mut dropped: SmallVec<[bool; 32]> = SmallVec::from_elem(false, rows.len());
        let mut opposite: SmallVec<[(usize, usize); 8]> = SmallVec::new();
        let mut group = keys.as_slice();
        while let Some(&(key, i)) = group.split_off_first() {
            for &(_, j) in group.iter().take_while(|other| other.0 == key) {
                if dropped[i] {
                    break;
                }
                if dropped[j] {
                    continue;
                }
                let (a, b) = (&rows[i], &rows[j]);
                if a[1..] == b[1..] {
                    // Of two equal ones that which is implied by a division stays.
                    let keep_first = a[0] < b[0] || (a[0] == b[0] && i >= explicit);
                    dropped[if keep_first { j } else { i }] = true;
                } else if row::are_opposite(&a[1..], &b[1..]) {
                    opposite.push((i, j));
                }
            }
        }
        let mut eqs = Vec::new();
        opposite.retain(|(i, j)| !dropped[*i] && !dropped[*j]);
        for &(i, j) in &opposite {
            match (&rows[i][0] + &rows[j][0]).signum() {
                -1 => return Err(Contradiction),
                0 => eqs.push((i, j)),
                _ => {}
            }
        }
        if !self.locals.is_empty() {
            self.fix_bounded_divs(&rows, &opposite);
        }
        let found = !eqs.is_empty();
        for (i, j) in eqs {
            (dropped[i], dropped[j]) = (true, true);
            self.eqs.push(rows[i].clone());
        }
        rows.truncate(explicit);
        let mut flags = dropped.iter();
        rows.retain(|_| flags.next() != Some(&true));
        self.ineqs = rows;
        Ok(found)
    }

    /// Adds `q = g` where two opposite inequalities confine the numerator of a division to one multiple `g` of the
    /// denominator: with `q = floor(num / d)` and `0 <= num + c - d g <= width`, `q - g` is `floor(-c / d)` if that is
    /// also `floor((width - c) / d)`.
    fn fix_bounded_divs(&mut self, rows: &[Row], opposite: &[(usize, usize)]) {
        for k in 0..self.locals.len() {
            let Some(div) = &self.locals[k] else { continue };
            let column = self.local_column(k);
            let mut found = None;
            for (i, j) in opposite.iter().flat_map(|&(i, j)| [(i, j), (j, i)]) {
                let (row, low, high) = (&rows[i], &rows[i][0], &rows[j][0]);
                let width = low + high;
                if width >= div.den || !row[column].is_zero() {
                    continue;
                }
                // row = num + c - d g
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
                    eq[column] -= Int::one();
                    found = Some(eq);
                    break;
                }
            }
            self.eqs.extend(found);
        }
    }
}
