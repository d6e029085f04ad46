//! C = alpha A B + beta C.

#[inline(never)]
pub fn gemm(nj: usize, nk: usize, alpha: f64, beta: f64, c: &mut [f64], a: &[f64], b: &[f64]) {
    for (c, a) in c.chunks_exact_mut(nj).zip(a.chunks_exact(nk)) {
        for (j, c) in c.iter_mut().enumerate() {
            *c *= beta;
            for (a, b) in a.iter().zip(b[j..].iter().step_by(nj)) {
                *c += alpha * a * b;
            }
        }
    }
}
