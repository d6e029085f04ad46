//! The lower triangle of C = alpha A A' + beta C.

#[inline(never)]
pub fn syrk(n: usize, m: usize, alpha: f64, beta: f64, c: &mut [Vec<f64>], a: &[Vec<f64>]) {
    for i in 0..n {
        for j in 0..=i {
            c[i][j] *= beta;
            for k in 0..m {
                c[i][j] += alpha * a[i][k] * a[j][k];
            }
        }
    }
}
