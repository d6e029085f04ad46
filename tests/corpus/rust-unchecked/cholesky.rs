//! A = L L' for a positive definite A, row by row; L replaces the lower triangle.

#[inline(never)]
pub fn cholesky(n: usize, a: &mut [f64]) {
    assert!(a.len() >= n * n);
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for i in 0..n {
            for j in 0..i {
                let mut rest = *a.get_unchecked(i * n + j);
                for k in 0..j {
                    rest -= *a.get_unchecked(i * n + k) * *a.get_unchecked(j * n + k);
                }
                *a.get_unchecked_mut(i * n + j) = rest / *a.get_unchecked(j * n + j);
            }
            let mut rest = *a.get_unchecked(i * n + i);
            for k in 0..i {
                rest -= *a.get_unchecked(i * n + k) * *a.get_unchecked(i * n + k);
            }
            *a.get_unchecked_mut(i * n + i) = rest.sqrt();
        }
    }
}
