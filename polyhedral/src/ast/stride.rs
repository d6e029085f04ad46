//! Strides: which residues a loop iterator can have.
//!
//! Equalities with unknowns, such as `t = 2 i + 6 j + n`, say that a combination of the known columns is divisible by an
//! integer. [`congruences`] finds all such statements by an integer column reduction of the coefficients of the unknowns
//! (Euclid's algorithm on columns, one equality after the other); [`stride`] solves them for one column by the extended
//! Euclidean algorithm and the Chinese remainder theorem.

use crate::arith::Int;
use crate::relation::{Row, add_scaled, scale};

/// The statement that an iterator is congruent to `offset` modulo `step`, with `step > 1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stride {
    /// An affine row over the columns before the iterator.
    pub(super) offset: Row,
    pub(super) step: Int,
}

/// The rows over the first `first` columns (the constant included) that the equalities force to be divisible by a modulus
/// greater than 1, with the modulus.
pub(super) fn congruences(eqs: &[Row], first: usize) -> Vec<(Row, Int)> {
    let mut result = Vec::new();
    // Known part and coefficients of the unknowns, kept apart; a unimodular change of the unknowns touches only the latter.
    let mut rows: Vec<(Row, Row)> =
        eqs.iter().map(|row| (Row::from(&row[..first]), Row::from(&row[first..]))).collect();
    for index in 0..rows.len() {
        // Column operations reduce the coefficients of this row to one nonzero entry.
        let pivot = loop {
            let coefficients = &rows[index].1;
            let smallest = (0..coefficients.len())
                .filter(|&z| !coefficients[z].is_zero())
                .min_by(|&a, &b| coefficients[a].cmp_abs(&coefficients[b]).then(a.cmp(&b)));
            let Some(pivot) = smallest else { break None };
            let size = coefficients[pivot].clone();
            let factors: Vec<(usize, Int)> = (0..coefficients.len())
                .filter(|&z| z != pivot && !coefficients[z].is_zero())
                .map(|z| (z, coefficients[z].div_floor(&size)))
                .collect();
            if factors.is_empty() {
                break Some(pivot);
            }
            for (_, coefficients) in &mut rows {
                for (z, factor) in &factors {
                    let product = factor * &coefficients[pivot];
                    coefficients[*z] -= product;
                }
            }
        };
        let Some(pivot) = pivot else { continue };
        let (known, coefficients) = rows[index].clone();
        let modulus = coefficients[pivot].abs();
        if !modulus.is_one() {
            result.push((known.clone(), modulus.clone()));
        }
        // Substitute pivot unknown = -known / coefficient into the later equalities, scaled to integers.
        for (later_known, later) in rows.iter_mut().skip(index + 1) {
            let factor = later[pivot].clone();
            if factor.is_zero() {
                continue;
            }
            scale(later_known, &coefficients[pivot]);
            add_scaled(later_known, &-&factor, &known);
            scale(later, &coefficients[pivot]);
            later[pivot] = Int::zero();
        }
    }
    result
}

/// The exact quotients that [`stride`] needs for column `column`: the offset of `2 t + n = 4 i` is `-n / 2`. Rows over the columns
/// before it, with the divisor.
pub(super) fn quotients(eqs: &[Row], column: usize) -> Vec<(Row, Int)> {
    let mut result = Vec::new();
    for (mut row, modulus) in congruences(eqs, column + 1) {
        let g = row[column].gcd(&modulus);
        row.truncate(column);
        if g != modulus && !row.iter().all(|x| g.divides(x)) {
            result.push((row, g));
        }
    }
    result
}

/// The stride of column `column` that the equalities imply, where later columns are unknowns. `quotient` gives the value of
/// `floor(row / divisor)` as a row, if there is one: where the division leaves a remainder the column has no value at all. Conditions
/// that cannot be written as one affine offset are left out: the result never claims too much.
pub(super) fn stride(eqs: &[Row], column: usize, quotient: &dyn Fn(&[Int], &Int) -> Option<Row>) -> Option<Stride> {
    let mut result: Option<Stride> = None;
    for (row, modulus) in congruences(eqs, column + 1) {
        let coefficient = row[column].rem_floor(&modulus);
        let mut rest = row;
        rest.truncate(column);
        match &result {
            None => result = solve(&coefficient, rest, &modulus, quotient),
            Some(known) => {
                // column = offset + step k: one more congruence, now for k.
                add_scaled(&mut rest, &coefficient, &known.offset);
                if let Some(more) = solve(&(&coefficient * &known.step), rest, &modulus, quotient) {
                    let mut offset = known.offset.clone();
                    add_scaled(&mut offset, &known.step, &more.offset);
                    let step = &known.step * &more.step;
                    result = Some(Stride { offset: reduced(offset, &step), step });
                }
            }
        }
    }
    result
}

/// Solves `coefficient x + rest = 0` modulo `modulus` for `x`, if the solution is one affine residue class.
fn solve(
    coefficient: &Int,
    rest: Row,
    modulus: &Int,
    quotient: &dyn Fn(&[Int], &Int) -> Option<Row>,
) -> Option<Stride> {
    let (g, inverse, _) = coefficient.gcd_ext(modulus);
    let step = modulus.div_exact(&g);
    if step.is_one() {
        return None;
    }
    let rest: Row = if rest.iter().all(|x| g.divides(x)) {
        rest.iter().map(|x| x.div_exact(&g)).collect()
    } else {
        quotient(&rest, &g)?
    };
    let offset = rest.iter().map(|x| -(x * &inverse)).collect();
    Some(Stride { offset: reduced(offset, &step), step })
}

/// The same residue class with coefficients of least absolute value.
fn reduced(mut offset: Row, step: &Int) -> Row {
    for (index, x) in offset.iter_mut().enumerate() {
        *x = x.rem_floor(step);
        if index > 0 && (&*x + &*x) > *step {
            *x -= step;
        }
    }
    offset
}

/// The finest stride that contains both (a step of zero stands for one fixed value), if it is more than every integer.
pub(super) fn common(a: &Stride, b: &Stride) -> Option<Stride> {
    let mut step = a.step.gcd(&b.step);
    for (x, y) in a.offset.iter().zip(&b.offset) {
        step = step.gcd(&(x - y));
    }
    let offset = if step.is_zero() { a.offset.clone() } else { reduced(a.offset.clone(), &step) };
    (!step.is_one()).then_some(Stride { offset, step })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(x: &[i64]) -> Row {
        x.iter().map(|&x| Int::from(x)).collect()
    }

    #[test]
    fn one_equality() {
        // t = 2 i + 6 j + n, columns [1, n, t, i, j].
        let found = stride(&[row(&[0, 1, -1, 2, 6])], 2, &|_, _| None);
        assert_eq!(found, Some(Stride { offset: row(&[0, 1]), step: Int::from(2) }));
    }

    #[test]
    fn two_equalities_combine() {
        // t = 2 i + 1 and t = 3 j + 2: t = 5 modulo 6.
        let found = stride(&[row(&[1, -1, 2, 0]), row(&[2, -1, 0, 3])], 1, &|_, _| None);
        assert_eq!(found, Some(Stride { offset: row(&[5]), step: Int::from(6) }));
    }

    #[test]
    fn no_stride_without_common_divisor() {
        // t = 2 i + 3 j takes every value.
        assert_eq!(stride(&[row(&[0, -1, 2, 3])], 1, &|_, _| None), None);
    }

    #[test]
    fn common_stride_of_shifted_classes() {
        let a = Stride { offset: row(&[1, 0]), step: Int::from(4) };
        let b = Stride { offset: row(&[3, 0]), step: Int::from(6) };
        assert_eq!(common(&a, &b), Some(Stride { offset: row(&[1, 0]), step: Int::from(2) }));
        let c = Stride { offset: row(&[2, 0]), step: Int::from(4) };
        assert_eq!(common(&a, &c), None);
    }
}
