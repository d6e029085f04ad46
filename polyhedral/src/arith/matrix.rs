//! [`Matrix`]: a dense integer matrix, row-major, with the exact elementary operations and the Hermite normal form.
//!
//! All transformations are built from three elementary column operations: adding a multiple of one column to another,
//! exchanging two columns, negating a column. They are unimodular, that is, they and their inverses keep integers
//! integer, so they change the basis of the lattice Z^n and not the lattice.
//!
//! Source of the normal form: A. Schrijver, *Theory of Linear and Integer Programming*, Wiley 1986, chapter 4.

use std::fmt;
use std::ops::{Index, IndexMut};

use super::Int;

/// A matrix of integers of any size.
///
/// ```
/// use tessera_polyhedral::arith::{Int, Matrix};
/// let a = Matrix::from_rows(2, &[[4, 6].map(Int::from)]);
/// let h = a.hermite();
/// assert_eq!(a.mul(&h.unimodular), h.form); // [4 6] * U = [2 0]
/// assert_eq!(h.form.row(0), [2, 0].map(Int::from));
/// assert_eq!(a.kernel().n_col(), 1); // all integer solutions of 4x + 6y = 0 are multiples of one vector
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Matrix {
    n_row: usize,
    n_col: usize,
    data: Vec<Int>,
}

/// The column-style Hermite normal form `A * U = H` of a matrix `A`; see [`Matrix::hermite`].
#[derive(Clone, Debug)]
pub struct Hermite {
    /// `H`: in echelon form by columns; its columns from `rank` on are 0.
    pub form: Matrix,
    /// `U`: square, with determinant 1 or -1.
    pub unimodular: Matrix,
    /// The inverse of `U`, so that `A = H * inverse`.
    pub inverse: Matrix,
    /// For each of the first `rank` columns of `H`, the row of its first entry that is not 0; increasing.
    pub pivots: Vec<usize>,
}

impl Hermite {
    /// The rank of the matrix.
    pub fn rank(&self) -> usize {
        self.pivots.len()
    }
}

impl Matrix {
    /// The matrix of zeros.
    pub fn zero(n_row: usize, n_col: usize) -> Self {
        Self { n_row, n_col, data: vec![Int::zero(); n_row * n_col] }
    }

    /// The square matrix with ones on the diagonal.
    pub fn identity(n: usize) -> Self {
        let mut m = Self::zero(n, n);
        for i in 0..n {
            m[(i, i)] = Int::one();
        }
        m
    }

    /// A matrix from its rows. Every row must have `n_col` entries.
    pub fn from_rows<R: AsRef<[Int]>>(n_col: usize, rows: &[R]) -> Self {
        let mut m = Self { n_row: 0, n_col, data: Vec::with_capacity(rows.len() * n_col) };
        rows.iter().for_each(|row| m.push_row(row.as_ref()));
        m
    }

    /// The number of rows.
    pub fn n_row(&self) -> usize {
        self.n_row
    }

    /// The number of columns.
    pub fn n_col(&self) -> usize {
        self.n_col
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> &[Int] {
        &self.data[i * self.n_col..(i + 1) * self.n_col]
    }

    /// Row `i`, to be changed.
    pub fn row_mut(&mut self, i: usize) -> &mut [Int] {
        &mut self.data[i * self.n_col..(i + 1) * self.n_col]
    }

    /// The rows in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[Int]> {
        (0..self.n_row).map(|i| self.row(i))
    }

    /// Column `j`, copied.
    pub fn column(&self, j: usize) -> Vec<Int> {
        (0..self.n_row).map(|i| self[(i, j)].clone()).collect()
    }

    /// Appends a row, which must have as many entries as the matrix has columns.
    pub fn push_row(&mut self, row: &[Int]) {
        assert_eq!(row.len(), self.n_col, "a row of another length");
        self.data.extend_from_slice(row);
        self.n_row += 1;
    }

    /// Removes row `i`; the last row takes its place.
    pub fn swap_remove_row(&mut self, i: usize) {
        self.swap_rows(i, self.n_row - 1);
        self.truncate_rows(self.n_row - 1);
    }

    /// Keeps only the first `n` rows.
    pub fn truncate_rows(&mut self, n: usize) {
        self.n_row = self.n_row.min(n);
        self.data.truncate(self.n_row * self.n_col);
    }

    /// Exchanges two rows.
    pub fn swap_rows(&mut self, i: usize, j: usize) {
        let (i, j) = (i.min(j), i.max(j));
        if i != j {
            let (head, tail) = self.data.split_at_mut(j * self.n_col);
            head[i * self.n_col..(i + 1) * self.n_col].swap_with_slice(&mut tail[..self.n_col]);
        }
    }

    /// Adds `factor` times row `source` to row `target`.
    pub fn add_row_multiple(&mut self, target: usize, source: usize, factor: &Int) {
        for j in 0..self.n_col {
            let mut x = std::mem::take(&mut self[(target, j)]);
            x.add_mul(&self[(source, j)], factor);
            self[(target, j)] = x;
        }
    }

    /// Negates row `i`.
    pub fn negate_row(&mut self, i: usize) {
        self.row_mut(i).iter_mut().for_each(|x| *x = -&*x);
    }

    /// Exchanges two columns.
    pub fn swap_columns(&mut self, j: usize, k: usize) {
        for i in 0..self.n_row {
            self.row_mut(i).swap(j, k);
        }
    }

    /// Adds `factor` times column `source` to column `target`; the two are different.
    pub fn add_column_multiple(&mut self, target: usize, source: usize, factor: &Int) {
        for row in self.data.chunks_exact_mut(self.n_col) {
            if !row[source].is_zero() {
                let mut x = std::mem::take(&mut row[target]);
                x.add_mul(&row[source], factor);
                row[target] = x;
            }
        }
    }

    /// Negates column `j`.
    pub fn negate_column(&mut self, j: usize) {
        for row in self.data.chunks_exact_mut(self.n_col) {
            row[j] = -&row[j];
        }
    }

    /// The matrix with rows and columns exchanged.
    pub fn transpose(&self) -> Self {
        let mut t = Self::zero(self.n_col, self.n_row);
        for i in 0..self.n_row {
            for j in 0..self.n_col {
                t[(j, i)] = self[(i, j)].clone();
            }
        }
        t
    }

    /// The product `self * other`. Panics if the sizes do not match.
    pub fn mul(&self, other: &Self) -> Self {
        assert_eq!(self.n_col, other.n_row, "matrices of sizes that do not match");
        let mut product = Self::zero(self.n_row, other.n_col);
        for i in 0..self.n_row {
            for k in 0..self.n_col {
                let factor = &self[(i, k)];
                if !factor.is_zero() {
                    for j in 0..other.n_col {
                        product[(i, j)].add_mul(factor, &other[(k, j)]);
                    }
                }
            }
        }
        product
    }

    /// The product of the matrix and a column vector. Panics if the sizes do not match.
    pub fn mul_vector(&self, v: &[Int]) -> Vec<Int> {
        assert_eq!(self.n_col, v.len(), "a vector of another length");
        self.rows().map(|row| dot(row, v)).collect()
    }

    /// The column-style Hermite normal form: a unimodular `U` such that `A * U = H` is in echelon form by columns.
    /// Column `j` of `H`, for `j` below the rank, has its first entry that is not 0 in row `pivots[j]`; that entry is
    /// positive, and the entries to the left of it are non-negative and smaller. The columns from the rank on are 0.
    /// `H` is unique.
    pub fn hermite(&self) -> Hermite {
        let mut h = Hermite {
            form: self.clone(),
            unimodular: Self::identity(self.n_col),
            inverse: Self::identity(self.n_col),
            pivots: Vec::new(),
        };
        for i in 0..self.n_row {
            let j = h.rank();
            if h.isolate(i, j) {
                if h.form[(i, j)].is_negative() {
                    h.form.negate_column(j);
                    h.unimodular.negate_column(j);
                    h.inverse.negate_row(j);
                }
                for k in 0..j {
                    let q = h.form[(i, k)].div_floor(&h.form[(i, j)]);
                    h.add_column(k, j, &-q);
                }
                h.pivots.push(i);
            }
        }
        h
    }

    /// The rank over the rationals.
    pub fn rank(&self) -> usize {
        self.hermite().rank()
    }

    /// A basis of the lattice of integer vectors `v` with `A * v = 0`, as the columns of a matrix.
    pub fn kernel(&self) -> Self {
        let h = self.hermite();
        let mut kernel = Self::zero(self.n_col, self.n_col - h.rank());
        for i in 0..self.n_col {
            for j in h.rank()..self.n_col {
                kernel[(i, j - h.rank())] = h.unimodular[(i, j)].clone();
            }
        }
        kernel
    }

    /// The inverse, if it is an integer matrix, that is, if the matrix is square with determinant 1 or -1.
    pub fn unimodular_inverse(&self) -> Option<Self> {
        if self.n_row != self.n_col {
            return None;
        }
        let h = self.hermite();
        // The normal form of a unimodular matrix is the identity: A * U = I.
        (h.form == Self::identity(self.n_row)).then_some(h.unimodular)
    }

    /// A unimodular matrix whose first rows are the rows of this one, if there is one: the rows must be independent
    /// and generate all integer points of their linear hull.
    pub fn unimodular_completion(&self) -> Option<Self> {
        let h = self.hermite();
        let is_primitive = h.rank() == self.n_row && (0..self.n_row).all(|i| h.form[(i, i)].is_one());
        if !is_primitive {
            return None;
        }
        // A = [H 0] * Q with H unimodular: replacing the first rows of Q by A multiplies its determinant by that of H.
        let mut completion = self.clone();
        (self.n_row..self.n_col).for_each(|i| completion.push_row(h.inverse.row(i)));
        Some(completion)
    }
}

impl Hermite {
    /// Combines the columns from `from` on until only column `from` has an entry in row `i`. Returns false if there is
    /// none.
    fn isolate(&mut self, i: usize, from: usize) -> bool {
        loop {
            let n_col = self.form.n_col;
            let candidates = (from..n_col).filter(|&j| !self.form[(i, j)].is_zero());
            let Some(p) = candidates.min_by(|&j, &k| self.form[(i, j)].cmp_abs(&self.form[(i, k)])) else {
                return false;
            };
            self.swap_columns(from, p);
            let mut done = true;
            for j in from + 1..n_col {
                if !self.form[(i, j)].is_zero() {
                    let q = self.form[(i, j)].div_floor(&self.form[(i, from)]);
                    self.add_column(j, from, &-q);
                    done &= self.form[(i, j)].is_zero();
                }
            }
            if done {
                return true;
            }
        }
    }

    fn add_column(&mut self, target: usize, source: usize, factor: &Int) {
        if !factor.is_zero() {
            self.form.add_column_multiple(target, source, factor);
            self.unimodular.add_column_multiple(target, source, factor);
            self.inverse.add_row_multiple(source, target, &-factor);
        }
    }

    fn swap_columns(&mut self, j: usize, k: usize) {
        self.form.swap_columns(j, k);
        self.unimodular.swap_columns(j, k);
        self.inverse.swap_rows(j, k);
    }
}

/// The scalar product of two vectors of one length.
pub fn dot(a: &[Int], b: &[Int]) -> Int {
    let mut sum = Int::zero();
    a.iter().zip(b).for_each(|(x, y)| sum.add_mul(x, y));
    sum
}

/// The greatest common divisor of some integers, never negative; 0 if all are 0.
pub fn gcd_of(values: &[Int]) -> Int {
    let mut divisor = Int::zero();
    for x in values {
        if divisor.is_one() {
            break;
        }
        if !x.is_zero() {
            divisor = divisor.gcd(x);
        }
    }
    divisor
}

impl Index<(usize, usize)> for Matrix {
    type Output = Int;
    fn index(&self, (i, j): (usize, usize)) -> &Int {
        debug_assert!(j < self.n_col);
        &self.data[i * self.n_col + j]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut Int {
        debug_assert!(j < self.n_col);
        &mut self.data[i * self.n_col + j]
    }
}

impl fmt::Debug for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.rows()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matrix(n_row: usize, n_col: usize) -> impl Strategy<Value = Matrix> {
        prop::collection::vec(-6i64..7, n_row * n_col).prop_map(move |v| {
            let rows: Vec<Vec<Int>> = v.chunks(n_col).map(|r| r.iter().map(|&x| x.into()).collect()).collect();
            Matrix::from_rows(n_col, &rows)
        })
    }

    proptest! {
        #[test]
        fn hermite_form_is_as_described(a in (1usize..5, 1usize..5).prop_flat_map(|(r, c)| matrix(r, c))) {
            let h = a.hermite();
            prop_assert_eq!(&a.mul(&h.unimodular), &h.form);
            prop_assert_eq!(h.unimodular.mul(&h.inverse), Matrix::identity(a.n_col()));
            for (j, &i) in h.pivots.iter().enumerate() {
                prop_assert!(h.form[(i, j)].is_positive());
                prop_assert!((0..i).all(|k| h.form[(k, j)].is_zero()));
                prop_assert!((0..j).all(|k| !h.form[(i, k)].is_negative() && h.form[(i, k)] < h.form[(i, j)]));
            }
            prop_assert!((h.rank()..a.n_col()).all(|j| h.form.column(j).iter().all(Int::is_zero)));
            prop_assert_eq!(a.transpose().rank(), h.rank());
            let kernel = a.kernel();
            prop_assert_eq!(a.mul(&kernel), Matrix::zero(a.n_row(), a.n_col() - h.rank()));
        }

        #[test]
        fn completion_of_rows_of_a_unimodular_matrix_exists(a in matrix(3, 4), k in 1usize..4) {
            let u = a.hermite().unimodular;
            let rows: Vec<&[Int]> = u.rows().take(k).collect();
            let first = Matrix::from_rows(4, &rows);
            let completion = first.unimodular_completion();
            prop_assert!(completion.is_some());
            let completion = completion.unwrap_or_else(|| Matrix::zero(0, 0));
            prop_assert!((0..k).all(|i| completion.row(i) == first.row(i)));
            let inverse = completion.unimodular_inverse();
            prop_assert_eq!(inverse.map(|inverse| completion.mul(&inverse)), Some(Matrix::identity(4)));
        }
    }

    #[test]
    fn some_matrices_have_no_completion_and_no_inverse() {
        let two = Matrix::from_rows(2, &[[2, 4].map(Int::from)]);
        assert!(two.unimodular_completion().is_none());
        let dependent = Matrix::from_rows(2, &[[1, 2].map(Int::from), [2, 4].map(Int::from)]);
        assert!(dependent.unimodular_completion().is_none());
        assert!(dependent.unimodular_inverse().is_none());
        assert!(Matrix::from_rows(2, &[[2, 0].map(Int::from), [0, 1].map(Int::from)]).unimodular_inverse().is_none());
    }
}
