//! What makes a new row of a schedule linearly independent of the earlier ones.
//!
//! Let `C` be the matrix of the rows that a statement has, over its variables, and `C U = [H 0]` its Hermite form. A
//! row depends on `C` exactly if the last columns of `U`, which span the kernel of `C`, all give zero on it. So these
//! columns, as rows, are the *directions* of independence: a new row is independent if some direction is not zero on
//! it.
//!
//! The directions are brought to a normal form that does not depend on `U`: reduced so that every direction has as many
//! zeros at the end as possible, without common factor, lexicographically positive. A search that tries the directions
//! in order and positive values first then prefers schedules of the early variables with positive coefficients.
//!
//! Source: S. Verdoolaege, G. Janssens, *Scheduling for PPCG*, 2017, section 6.5.3.

use crate::arith::{Int, Matrix, gcd_of};

/// The directions on which a row of a schedule over `n` variables must not be all zero to be independent of `rows`, in
/// normal form. Their number is `n` less the rank of `rows`.
pub(super) fn directions<R: AsRef<[Int]>>(n: usize, rows: &[R]) -> Vec<Vec<Int>> {
    let kernel = if rows.is_empty() { Matrix::identity(n) } else { Matrix::from_rows(n, rows).kernel() };
    let mut basis: Vec<Vec<Int>> = (0..kernel.n_col()).map(|j| kernel.column(j)).collect();
    let mut done = 0;
    // From the last variable on: one direction keeps it, all others lose it.
    for v in (0..n).rev() {
        let free = basis.len() - done;
        let Some(pivot) = (0..free).find(|&i| !basis[i][v].is_zero()) else { continue };
        basis.swap(pivot, free - 1);
        let (pivot, at) = (basis[free - 1].clone(), free - 1);
        for (i, row) in basis.iter_mut().enumerate() {
            if i != at && !row[v].is_zero() {
                let (m, q) = (pivot[v].clone(), row[v].clone());
                for (x, y) in row.iter_mut().zip(&pivot) {
                    *x = &*x * &m - &q * y;
                }
                reduce(row);
            }
        }
        done += 1;
    }
    for row in &mut basis {
        reduce(row);
        if row.iter().find(|x| !x.is_zero()).is_some_and(Int::is_negative) {
            row.iter_mut().for_each(|x| *x = -&*x);
        }
    }
    basis
}

fn reduce(row: &mut [Int]) {
    let g = gcd_of(row);
    if !g.is_zero() && !g.is_one() {
        row.iter_mut().for_each(|x| *x = x.div_exact(&g));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ints(rows: &[&[i64]]) -> Vec<Vec<Int>> {
        rows.iter().map(|r| r.iter().map(|&x| Int::from(x)).collect()).collect()
    }

    /// AC-12: the matrices (51) and (56) of seidel-2d.
    #[test]
    fn ac_12_seidel_2d() {
        assert_eq!(directions(3, &ints(&[&[4, 2, 1]])), ints(&[&[1, -2, 0], &[1, 0, -4]]));
        assert_eq!(directions(3, &ints(&[&[4, 2, 1], &[1, 0, 0]])), ints(&[&[0, 1, -2]]));
    }

    #[test]
    fn without_rows_every_variable_is_a_direction() {
        assert_eq!(directions::<Vec<Int>>(2, &[]), ints(&[&[1, 0], &[0, 1]]));
        assert_eq!(directions(2, &ints(&[&[1, 0], &[3, 7]])), ints(&[]));
        assert_eq!(directions(2, &ints(&[&[0, 0]])), ints(&[&[1, 0], &[0, 1]]));
    }
}
