//! C = alpha A B + beta C.

#[inline(never)]
pub fn gemm(
    ni: usize,
    nj: usize,
    nk: usize,
    alpha: f64,
    beta: f64,
    c: &mut [Vec<f64>],
    a: &[Vec<f64>],
    b: &[Vec<f64>],
) {
    for i in 0..ni {
        for j in 0..nj {
            c[i][j] *= beta;
            for k in 0..nk {
                c[i][j] += alpha * a[i][k] * b[k][j];
            }
        }
    }
}
