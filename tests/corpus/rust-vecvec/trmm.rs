//! B = alpha A B in place; A is upper triangular, so that row i needs only rows that still hold old values.

#[inline(never)]
pub fn trmm(m: usize, n: usize, alpha: f64, b: &mut [Vec<f64>], a: &[Vec<f64>]) {
    for i in 0..m {
        for j in 0..n {
            let mut sum = a[i][i] * b[i][j];
            for k in i + 1..m {
                sum += a[i][k] * b[k][j];
            }
            b[i][j] = alpha * sum;
        }
    }
}
