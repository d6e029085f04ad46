//! Constraint rows: integer vectors `[constant | params | in | out | locals]`, and the few loops over them.

use crate::arith::Int;

/// One constraint row or one numerator of an integer division.
pub type Row = Vec<Int>;

/// The row of `n` zeros.
pub(crate) fn zeros(n: usize) -> Row {
    vec![Int::zero(); n]
}

/// The greatest common divisor of some entries; zero if all are zero.
pub(crate) fn gcd(entries: &[Int]) -> Int {
    let mut g = Int::zero();
    for x in entries {
        if x.is_zero() {
            continue;
        }
        g = g.gcd(x);
        if g.is_one() {
            break;
        }
    }
    g
}

/// Whether all entries are zero.
pub(crate) fn all_zero(entries: &[Int]) -> bool {
    entries.iter().all(Int::is_zero)
}

/// `row += factor * other`; `other` may be shorter.
pub(crate) fn add_scaled(row: &mut [Int], factor: &Int, other: &[Int]) {
    if factor.is_zero() {
        return;
    }
    for (x, y) in row.iter_mut().zip(other) {
        if !y.is_zero() {
            x.add_mul(factor, y);
        }
    }
}

/// Multiplies every entry.
pub(crate) fn scale(row: &mut [Int], factor: &Int) {
    if factor.is_one() {
        return;
    }
    for x in row {
        if !x.is_zero() {
            *x = &*x * factor;
        }
    }
}

/// Divides every entry by a common divisor.
pub(crate) fn div_exact(row: &mut [Int], divisor: &Int) {
    if divisor.is_one() {
        return;
    }
    for x in row {
        if !x.is_zero() {
            *x = x.div_exact(divisor);
        }
    }
}

/// The negated row.
pub(crate) fn negated(row: &[Int]) -> Row {
    row.iter().map(|x| -x).collect()
}

/// Of the inequality `row >= 0`, the negation `-row - 1 >= 0`.
pub(crate) fn complement(row: &[Int]) -> Row {
    let mut result = negated(row);
    result[0] -= 1;
    result
}

/// The value of a row at a point; the point has no entry for the constant and covers at least the nonzero columns.
pub(crate) fn eval(row: &[Int], point: &[Int]) -> Int {
    let mut value = row[0].clone();
    for (c, x) in row[1..].iter().zip(point) {
        value.add_mul(c, x);
    }
    value
}

/// Moves columns: entry `i` of the row becomes entry `map[i]` of a row of `n` columns.
pub(crate) fn remap(row: &[Int], map: &[usize], n: usize) -> Row {
    let mut result = zeros(n);
    for (x, &to) in row.iter().zip(map) {
        if !x.is_zero() {
            result[to] = x.clone();
        }
    }
    result
}
