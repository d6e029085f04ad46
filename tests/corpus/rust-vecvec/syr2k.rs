//! The lower triangle of C = alpha (A B' + B A') + beta C.

#[inline(never)]
pub fn syr2k(n: usize, m: usize, alpha: f64, beta: f64, c: &mut [Vec<f64>], a: &[Vec<f64>], b: &[Vec<f64>]) {
    for i in 0..n {
        for j in 0..=i {
            c[i][j] *= beta;
        }
        for k in 0..m {
            for j in 0..=i {
                c[i][j] += alpha * (a[i][k] * b[j][k] + b[i][k] * a[j][k]);
            }
        }
    }
}
