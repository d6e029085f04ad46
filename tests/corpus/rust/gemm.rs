//! C = alpha A B + beta C.

#[inline(never)]
pub fn gemm(ni: usize, nj: usize, nk: usize, alpha: f64, beta: f64, c: &mut [f64], a: &[f64], b: &[f64]) {
    for i in 0..ni {
        for j in 0..nj {
            c[i * nj + j] *= beta;
            for k in 0..nk {
                c[i * nj + j] += alpha * a[i * nk + k] * b[k * nj + j];
            }
        }
    }
}
