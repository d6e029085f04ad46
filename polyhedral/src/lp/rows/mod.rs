//! The numbers of a simplex tableau: rows of integers with a common denominator.
//!
//! A row is `[d, k, a1, ..., an]` with `d > 0` and stands for the affine form `(k + a1*c1 + ... + an*cn) / d`. The
//! integers of a row have no common divisor.
//!
//! All rows lie in one flat vector of `i64`. A row operation is computed with overflow checks into a scratch row,
//! first in 64 and, if that overflows, in 128 bits; the scratch row is copied back only when it is complete and, after
//! division by the common divisor, fits. If it does not fit, all rows are promoted to [`Int`] and the operation runs
//! there. So an operation is atomic, and a promotion is possible between any two row operations, also in the middle of
//! a pivot. The value `i64::MIN` is never stored in 64 bits, so negation is always safe.

mod entries;

use std::cmp::Ordering;

use crate::arith::{Int, Rational, gcd_u64};

/// The position of the denominator in a row.
pub(crate) const DENOMINATOR: usize = 0;
/// The position of the constant in a row.
pub(crate) const CONSTANT: usize = 1;
/// The position of the first column in a row.
pub(crate) const FIRST: usize = 2;

/// How many times as much as in 64 bits a row update costs at least in GMP integers, roughly.
const BIG_COST: u64 = 16;

/// The cost of one GMP integer of a row update, per 64 bits of its length.
const WORD_COST: u64 = 4;

/// Rows of integers with a common denominator per row; see the module documentation.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    width: usize,
    n_row: usize,
    data: Data,
    scratch: Vec<i64>,
    wide: Vec<i128>,
}

#[derive(Clone, Debug)]
enum Data {
    Small(Vec<i64>),
    Big(Vec<Int>),
}

use Data::{Big, Small};

impl Rows {
    /// No rows over `n_col` columns.
    pub(crate) fn new(n_col: usize) -> Self {
        Self::with_capacity(n_col, 0)
    }

    /// No rows over `n_col` columns, and room for some.
    pub(crate) fn with_capacity(n_col: usize, n_row: usize) -> Self {
        let width = n_col + FIRST;
        let data = Small(Vec::with_capacity(width * n_row));
        Self { width, n_row: 0, data, scratch: vec![0; width], wide: Vec::new() }
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.n_row
    }

    /// The sign of the entry of row `r` at position `p`.
    #[inline]
    pub(crate) fn sign(&self, r: usize, p: usize) -> i32 {
        match &self.data {
            Small(data) => data[r * self.width + p].signum() as i32,
            Big(data) => data[r * self.width + p].signum(),
        }
    }

    /// The entry of row `r` at position `p`, divided by the denominator of the row.
    pub(in crate::lp) fn value(&self, r: usize, p: usize) -> Rational {
        let at = r * self.width;
        match &self.data {
            Small(data) => Rational::new(data[at + p].into(), data[at + DENOMINATOR].into()),
            Big(data) => Rational::new(data[at + p].clone(), data[at + DENOMINATOR].clone()),
        }
    }

    /// Whether the value of row `r`, with all columns 0, is an integer.
    pub(in crate::lp) fn is_integer(&self, r: usize) -> bool {
        let at = r * self.width;
        match &self.data {
            Small(data) => data[at + CONSTANT] % data[at + DENOMINATOR] == 0,
            Big(data) => data[at + DENOMINATOR].divides(&data[at + CONSTANT]),
        }
    }

    /// Appends a row that is zero everywhere, with denominator 1.
    pub(in crate::lp) fn push_zero(&mut self) {
        let (at, end) = (self.n_row * self.width, (self.n_row + 1) * self.width);
        match &mut self.data {
            Small(data) => {
                data.resize(end, 0);
                data[at + DENOMINATOR] = 1;
            }
            Big(data) => {
                data.resize(end, Int::zero());
                data[at + DENOMINATOR] = Int::one();
            }
        }
        self.n_row += 1;
    }

    /// Removes row `r`; the last row takes its place.
    pub(crate) fn swap_remove(&mut self, r: usize) {
        self.n_row -= 1;
        let (at, last) = (r * self.width, self.n_row * self.width);
        match &mut self.data {
            Small(data) => {
                data.copy_within(last..last + self.width, at);
                data.truncate(last);
            }
            Big(data) => {
                if at != last {
                    let (head, tail) = data.split_at_mut(last);
                    head[at..at + self.width].swap_with_slice(tail);
                }
                data.truncate(last);
            }
        }
    }

    /// Adds the integer `x` to the value of row `r` at position `p`.
    pub(in crate::lp) fn add_at(&mut self, r: usize, p: usize, x: &Int) {
        let at = r * self.width;
        if let Small(data) = &mut self.data {
            let sum = x
                .to_i64()
                .and_then(|x| x.checked_mul(data[at + DENOMINATOR]))
                .and_then(|x| x.checked_add(data[at + p]))
                .filter(|&x| x != i64::MIN);
            if let Some(sum) = sum {
                // Adding a multiple of the denominator does not change the common divisor of the row.
                data[at + p] = sum;
                return;
            }
        }
        let data = self.promote();
        let d = data[at + DENOMINATOR].clone();
        data[at + p].add_mul(&d, x);
    }

    /// Adds `x` times row `s` to row `r`.
    pub(in crate::lp) fn add_multiple(&mut self, r: usize, x: &Int, s: usize) {
        let (at, from) = (r * self.width, s * self.width);
        if let Small(data) = &self.data {
            let (d, e) = (data[at + DENOMINATOR], data[from + DENOMINATOR]);
            let g = gcd_u64(d as u64, e as u64) as i64;
            if let Some(beta) = x.to_i64().and_then(|x| x.checked_mul(d / g))
                && beta != i64::MIN
                && self.combine_small(r, e / g, s, beta)
            {
                return;
            }
        }
        let data = self.promote();
        let (d, e) = (&data[at + DENOMINATOR], &data[from + DENOMINATOR]);
        let g = d.gcd(e);
        let (alpha, beta) = (e.div_exact(&g), d.div_exact(&g) * x);
        self.combine_big(r, &alpha, s, &beta);
    }

    /// Exchanges the unknown of row `r` with the unknown of the column at position `p`; the entry there must not be 0.
    /// Returns the cost in budget units: the number of rows changed, for promoted rows times what their numbers cost.
    pub(crate) fn pivot(&mut self, r: usize, p: usize) -> u64 {
        // Row r says d*R = k + sum(a_j*C_j) + a*C. Solved for C: a*C = d*R - k - sum(a_j*C_j), and for a < 0 the
        // negation.
        let at = r * self.width;
        match &mut self.data {
            Small(data) => {
                let row = &mut data[at..at + self.width];
                let (d, a) = (row[DENOMINATOR], row[p]);
                if a > 0 {
                    row[CONSTANT..].iter_mut().for_each(|x| *x = -*x);
                }
                row[DENOMINATOR] = a.abs();
                row[p] = if a > 0 { d } else { -d };
            }
            Big(data) => {
                let row = &mut data[at..at + self.width];
                let (d, a) = (row[DENOMINATOR].clone(), row[p].clone());
                if a.is_positive() {
                    row[CONSTANT..].iter_mut().for_each(|x| *x = -&*x);
                }
                row[p] = if a.is_positive() { d } else { -d };
                row[DENOMINATOR] = a.abs();
            }
        }
        let mut changed = 1;
        for i in 0..self.n_row {
            if i != r && self.sign(i, p) != 0 {
                self.substitute(i, p, r);
                changed += 1;
            }
        }
        match &self.data {
            Small(_) => changed,
            Big(data) => {
                let bits = data[at + DENOMINATOR].to_big().significant_bits();
                changed * BIG_COST.max(WORD_COST * (1 + u64::from(bits) / 64) * self.width as u64)
            }
        }
    }

    /// Replaces the old unknown of column `p` in row `i` by its new definition, row `s`.
    fn substitute(&mut self, i: usize, p: usize, s: usize) {
        let (at, from) = (i * self.width, s * self.width);
        if let Small(data) = &mut self.data {
            let (b, d) = (data[at + p], data[from + DENOMINATOR]);
            let g = gcd_u64(b.unsigned_abs(), d as u64) as i64;
            data[at + p] = 0;
            if self.combine_small(i, d / g, s, b / g) {
                return;
            }
            if let Small(data) = &mut self.data {
                data[at + p] = b;
            }
        }
        let data = self.promote();
        let b = std::mem::take(&mut data[at + p]);
        let d = &data[from + DENOMINATOR];
        let g = b.gcd(d);
        let (alpha, beta) = (d.div_exact(&g), b.div_exact(&g));
        self.combine_big(i, &alpha, s, &beta);
    }

    /// Sets row `r` to `alpha * (row r) + beta * (row s)`, integer by integer, with the denominator `alpha` times as
    /// large, and divides by the common divisor. Returns false, and changes nothing, if the result does not fit in 64
    /// bits.
    fn combine_small(&mut self, r: usize, alpha: i64, s: usize, beta: i64) -> bool {
        let Small(data) = &mut self.data else { return false };
        let (at, from, width) = (r * self.width, s * self.width, self.width);
        let scratch = &mut self.scratch[..width];
        let (dst, src) = (&data[at..at + width], &data[from..from + width]);

        let mut overflow = false;
        if alpha == 1 {
            for ((t, &x), &y) in scratch.iter_mut().zip(dst).zip(src) {
                let (v, o1) = y.overflowing_mul(beta);
                let (v, o2) = v.overflowing_add(x);
                overflow |= o1 | o2 | (v == i64::MIN);
                *t = v;
            }
            scratch[DENOMINATOR] = dst[DENOMINATOR];
        } else {
            for ((t, &x), &y) in scratch.iter_mut().zip(dst).zip(src) {
                let (u, o0) = x.overflowing_mul(alpha);
                let (v, o1) = y.overflowing_mul(beta);
                let (v, o2) = v.overflowing_add(u);
                overflow |= o0 | o1 | o2 | (v == i64::MIN);
                *t = v;
            }
            let (d, o) = dst[DENOMINATOR].overflowing_mul(alpha);
            overflow |= o;
            scratch[DENOMINATOR] = d;
        }
        if overflow && !combine_wide(&mut self.wide, scratch, dst, alpha, src, beta) {
            return false;
        }
        let mut divisor = scratch[DENOMINATOR] as u64;
        for &x in &scratch[CONSTANT..] {
            if divisor == 1 {
                break;
            }
            if x != 0 {
                divisor = gcd_u64(divisor, x.unsigned_abs());
            }
        }
        if divisor != 1 {
            let divisor = divisor as i64;
            scratch.iter_mut().for_each(|x| *x /= divisor);
        }
        data[at..at + width].copy_from_slice(scratch);
        true
    }

    /// The same in exact integers.
    fn combine_big(&mut self, r: usize, alpha: &Int, s: usize, beta: &Int) {
        let (at, from, width) = (r * self.width, s * self.width, self.width);
        let data = self.promote();
        data[at + DENOMINATOR] *= alpha;
        let mut divisor = data[at + DENOMINATOR].clone();
        for j in CONSTANT..width {
            let mut x = &data[at + j] * alpha;
            x.add_mul(&data[from + j], beta);
            divisor = if divisor.is_one() { divisor } else { divisor.gcd(&x) };
            data[at + j] = x;
        }
        if !divisor.is_one() {
            data[at..at + width].iter_mut().for_each(|x| *x = x.div_exact(&divisor));
        }
    }

    /// Compares `|k| / |a|` of the rows `r` and `s`, where `k` is the constant and `a` the entry at position `p`:
    /// which of the two unknowns reaches 0 first when that column moves.
    pub(in crate::lp) fn compare_ratios(&self, r: usize, s: usize, p: usize) -> Ordering {
        let (at, from) = (r * self.width, s * self.width);
        match &self.data {
            Small(data) => {
                let left = i128::from(data[at + CONSTANT].abs()) * i128::from(data[from + p].abs());
                let right = i128::from(data[from + CONSTANT].abs()) * i128::from(data[at + p].abs());
                left.cmp(&right)
            }
            Big(data) => {
                let left = &data[at + CONSTANT] * &data[from + p];
                let right = &data[from + CONSTANT] * &data[at + p];
                left.cmp_abs(&right)
            }
        }
    }

    /// Goes back to 64 bits if all entries fit.
    pub(in crate::lp) fn demote(&mut self) {
        if let Big(data) = &self.data {
            let small: Option<Vec<i64>> = data.iter().map(|x| x.to_i64().filter(|&x| x != i64::MIN)).collect();
            if let Some(small) = small {
                self.data = Small(small);
            }
        }
    }

    /// The entries as exact integers, after promotion of all of them.
    fn promote(&mut self) -> &mut [Int] {
        if let Small(data) = &self.data {
            self.data = Big(data.iter().map(|&x| Int::from(x)).collect());
        }
        match &mut self.data {
            Big(data) => data,
            Small(_) => &mut [],
        }
    }
}

/// The combination of [`Rows::combine_small`] in 128 bits, divided by the common divisor. Returns false if a result
/// still does not fit in 64 bits. Products of two values above `i64::MIN` are below 2^126, so 128 bits do not
/// overflow.
fn combine_wide(wide: &mut Vec<i128>, out: &mut [i64], dst: &[i64], alpha: i64, src: &[i64], beta: i64) -> bool {
    wide.resize(dst.len(), 0);
    let (alpha, beta) = (i128::from(alpha), i128::from(beta));
    wide[DENOMINATOR] = i128::from(dst[DENOMINATOR]) * alpha;
    let mut divisor = wide[DENOMINATOR].unsigned_abs();
    for j in CONSTANT..dst.len() {
        wide[j] = i128::from(dst[j]) * alpha + i128::from(src[j]) * beta;
        if divisor != 1 {
            divisor = gcd_u128(divisor, wide[j].unsigned_abs());
        }
    }
    // The divisor divides a product of two positive 64-bit integers, so it is in the range of i128.
    let divisor = divisor as i128;
    for (t, &x) in out.iter_mut().zip(&*wide) {
        match i64::try_from(x / divisor) {
            Ok(v) if v != i64::MIN => *t = v,
            _ => return false,
        }
    }
    true
}

/// The greatest common divisor of two double words, by Euclid's method.
fn gcd_u128(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        if let (Ok(x), Ok(y)) = (u64::try_from(a), u64::try_from(b)) {
            return gcd_u64(x, y).into();
        }
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(n_col: usize, entries: &[&[i64]]) -> Rows {
        let mut rows = Rows::new(n_col);
        for (r, row) in entries.iter().enumerate() {
            rows.push_zero();
            for (j, &x) in row.iter().enumerate() {
                rows.add_at(r, CONSTANT + j, &x.into());
            }
        }
        rows
    }

    fn all(rows: &Rows, n_col: usize) -> Vec<Rational> {
        (0..rows.len()).flat_map(|r| (CONSTANT..FIRST + n_col).map(move |p| rows.value(r, p))).collect()
    }

    #[test]
    fn pivots_by_hand() {
        // R = 1 + 2c, S = 5 - 3c. Exchange R and c: c = (-1 + R)/2, S = (13 - 3R)/2.
        let mut rows = rows(1, &[&[1, 2], &[5, -3]]);
        assert_eq!(rows.pivot(0, FIRST), 2);
        let half = |x: i64| Rational::new(x.into(), 2.into());
        assert_eq!(all(&rows, 1), [half(-1), half(1), half(13), half(-3)]);
        rows.pivot(0, FIRST);
        assert_eq!(all(&rows, 1), [1.into(), 2.into(), 5.into(), Rational::from(-3)]);
    }

    proptest! {
        /// Rows with huge entries take the wide and the promoted path; pivoting twice at the same place is the
        /// identity.
        #[test]
        fn pivoting_twice_is_the_identity(
            entries in prop::collection::vec(
                prop::collection::vec(prop_oneof![-5i64..6, any::<i64>(), (1i64 << 62)..], 4), 3,
            ),
            r in 0usize..3, c in 0usize..3,
        ) {
            let slices: Vec<&[i64]> = entries.iter().map(Vec::as_slice).collect();
            let mut rows = rows(3, &slices);
            prop_assume!(rows.sign(r, FIRST + c) != 0);
            let before = all(&rows, 3);
            rows.pivot(r, FIRST + c);
            rows.pivot(r, FIRST + c);
            prop_assert_eq!(&all(&rows, 3), &before);
            rows.demote();
            prop_assert_eq!(&all(&rows, 3), &before);
        }

        /// 64-bit rows and promoted rows hold the same numbers.
        #[test]
        fn promotion_changes_no_number(
            entries in prop::collection::vec(prop::collection::vec(-9i64..10, 4), 4),
            pivots in prop::collection::vec((0usize..4, 0usize..3), 0..8),
            x in -4i64..5,
        ) {
            let slices: Vec<&[i64]> = entries.iter().map(Vec::as_slice).collect();
            let mut small = rows(3, &slices);
            let mut big = small.clone();
            big.promote();
            for (r, c) in pivots {
                if small.sign(r, FIRST + c) != 0 {
                    small.pivot(r, FIRST + c);
                    big.pivot(r, FIRST + c);
                }
            }
            small.add_multiple(0, &x.into(), 2);
            big.add_multiple(0, &x.into(), 2);
            prop_assert_eq!(all(&small, 3), all(&big, 3));
            prop_assert!(matches!(small.data, Small(_)));
            prop_assert_eq!(small.compare_ratios(1, 2, FIRST), big.compare_ratios(1, 2, FIRST));
        }
    }
}
