//! B = alpha A B in place; A is upper triangular, so that row i needs only rows that still hold old values.

#[inline(never)]
pub fn trmm(m: usize, n: usize, alpha: f64, b: &mut [f64], a: &[f64]) {
    assert!(b.len() >= m * n && a.len() >= m * m);
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for i in 0..m {
            for j in 0..n {
                let mut sum = *a.get_unchecked(i * m + i) * *b.get_unchecked(i * n + j);
                for k in i + 1..m {
                    sum += *a.get_unchecked(i * m + k) * *b.get_unchecked(k * n + j);
                }
                *b.get_unchecked_mut(i * n + j) = alpha * sum;
            }
        }
    }
}
