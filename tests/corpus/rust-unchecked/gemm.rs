//! C = alpha A B + beta C.

#[inline(never)]
pub fn gemm(ni: usize, nj: usize, nk: usize, alpha: f64, beta: f64, c: &mut [f64], a: &[f64], b: &[f64]) {
    assert!(c.len() >= ni * nj && a.len() >= ni * nk && b.len() >= nk * nj);
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for i in 0..ni {
            for j in 0..nj {
                *c.get_unchecked_mut(i * nj + j) *= beta;
                for k in 0..nk {
                    *c.get_unchecked_mut(i * nj + j) +=
                        alpha * *a.get_unchecked(i * nk + k) * *b.get_unchecked(k * nj + j);
                }
            }
        }
    }
}
