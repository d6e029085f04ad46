//! Solves L x = b for a lower triangular L.

#[inline(never)]
pub fn trisolv(n: usize, x: &mut [f64], l: &[f64], b: &[f64]) {
    assert!(x.len() >= n && l.len() >= n * n && b.len() >= n);
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for i in 0..n {
            let mut rest = *b.get_unchecked(i);
            for j in 0..i {
                rest -= *l.get_unchecked(i * n + j) * *x.get_unchecked(j);
            }
            *x.get_unchecked_mut(i) = rest / *l.get_unchecked(i * n + i);
        }
    }
}
