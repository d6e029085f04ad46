//! y = A' (A x), one row of A at a time.

#[inline(never)]
pub fn atax(m: usize, n: usize, y: &mut [f64], a: &[f64], x: &[f64]) {
    assert!(y.len() >= n && a.len() >= m * n && x.len() >= n);
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for j in 0..n {
            *y.get_unchecked_mut(j) = 0.0;
        }
        for i in 0..m {
            let mut t = 0.0;
            for j in 0..n {
                t += *a.get_unchecked(i * n + j) * *x.get_unchecked(j);
            }
            for j in 0..n {
                *y.get_unchecked_mut(j) += *a.get_unchecked(i * n + j) * t;
            }
        }
    }
}
