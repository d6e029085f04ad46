//! B = alpha A B in place; A is upper triangular, so that row i needs only rows that still hold old values.

#[inline(never)]
pub fn trmm<const M: usize, const N: usize>(alpha: f64, b: &mut [[f64; N]; M], a: &[[f64; M]; M]) {
    for i in 0..M {
        for j in 0..N {
            let mut sum = a[i][i] * b[i][j];
            for k in i + 1..M {
                sum += a[i][k] * b[k][j];
            }
            b[i][j] = alpha * sum;
        }
    }
}
