//! The integers of [`Rows`] one by one, for methods that do more than pivot: parametric programs read, replace and
//! widen rows.

use std::cmp::Ordering;

use super::{Data, Rows};
use crate::arith::Int;
use Data::{Big, Small};

impl Rows {
    /// The integer of row `r` at position `p`, not divided by the denominator.
    pub(crate) fn entry(&self, r: usize, p: usize) -> Int {
        let at = r * self.width + p;
        match &self.data {
            Small(data) => data[at].into(),
            Big(data) => data[at].clone(),
        }
    }

    /// The number of integers in a row.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Appends a row with the given integers, denominator first.
    pub(crate) fn push_entries(&mut self, entries: &[Int]) {
        self.push_zero();
        self.set_entries(self.n_row - 1, entries);
    }

    /// Replaces the integers of row `r`, denominator first, and divides them by their common divisor.
    pub(crate) fn set_entries(&mut self, r: usize, entries: &[Int]) {
        let (at, end) = (r * self.width, (r + 1) * self.width);
        let divisor = entries.iter().fold(Int::zero(), |g, x| if g.is_one() { g } else { g.gcd(x) });
        if let Small(data) = &mut self.data {
            let mut fits = true;
            for (slot, x) in data[at..end].iter_mut().zip(entries) {
                let small = if divisor.is_one() { x.to_i64() } else { x.div_exact(&divisor).to_i64() };
                match small.filter(|&x| x != i64::MIN) {
                    Some(x) => *slot = x,
                    None => fits = false,
                }
            }
            if fits {
                return;
            }
        }
        for (slot, x) in self.promote()[at..end].iter_mut().zip(entries) {
            *slot = x.div_exact(&divisor);
        }
    }

    /// Inserts `n` positions that are zero everywhere before position `p`.
    pub(crate) fn insert_positions(&mut self, p: usize, n: usize) {
        let width = self.width + n;
        match &mut self.data {
            Small(data) => *data = widened(data, self.width, p, n),
            Big(data) => *data = widened(data, self.width, p, n),
        }
        self.width = width;
        self.scratch.resize(width, 0);
        self.wide.resize(width, 0);
    }

    /// Compares the entries at positions `i` and `j` of row `k` after division by the entries of row `r`, which are
    /// positive there: `row_k[i] / row_r[i]` with `row_k[j] / row_r[j]`.
    pub(crate) fn compare_columns(&self, k: usize, r: usize, i: usize, j: usize) -> Ordering {
        let (at, by) = (k * self.width, r * self.width);
        match &self.data {
            Small(data) => {
                let left = i128::from(data[at + i]) * i128::from(data[by + j]);
                let right = i128::from(data[at + j]) * i128::from(data[by + i]);
                left.cmp(&right)
            }
            Big(data) => (&data[at + i] * &data[by + j]).cmp(&(&data[at + j] * &data[by + i])),
        }
    }
}

/// The rows of a width with `n` more entries before position `p` of each.
fn widened<T: Clone + Default>(data: &[T], width: usize, p: usize, n: usize) -> Vec<T> {
    let mut result = Vec::with_capacity(data.len() / width.max(1) * (width + n));
    for row in data.chunks_exact(width) {
        result.extend_from_slice(&row[..p]);
        result.extend(std::iter::repeat_n(T::default(), n));
        result.extend_from_slice(&row[p..]);
    }
    result
}
