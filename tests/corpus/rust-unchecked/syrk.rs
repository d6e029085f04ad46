//! The lower triangle of C = alpha A A' + beta C.

#[inline(never)]
pub fn syrk(n: usize, m: usize, alpha: f64, beta: f64, c: &mut [f64], a: &[f64]) {
    assert!(c.len() >= n * n && a.len() >= n * m);
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for i in 0..n {
            for j in 0..=i {
                *c.get_unchecked_mut(i * n + j) *= beta;
                for k in 0..m {
                    *c.get_unchecked_mut(i * n + j) +=
                        alpha * *a.get_unchecked(i * m + k) * *a.get_unchecked(j * m + k);
                }
            }
        }
    }
}
