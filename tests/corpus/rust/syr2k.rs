//! The lower triangle of C = alpha (A B' + B A') + beta C.

#[inline(never)]
pub fn syr2k(n: usize, m: usize, alpha: f64, beta: f64, c: &mut [f64], a: &[f64], b: &[f64]) {
    for i in 0..n {
        for j in 0..=i {
            c[i * n + j] *= beta;
        }
        for k in 0..m {
            for j in 0..=i {
                c[i * n + j] += alpha * (a[i * m + k] * b[j * m + k] + b[i * m + k] * a[j * m + k]);
            }
        }
    }
}
