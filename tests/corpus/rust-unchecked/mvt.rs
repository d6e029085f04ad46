//! x += A u and y += A' v.

#[inline(never)]
pub fn mvt(n: usize, x: &mut [f64], y: &mut [f64], a: &[f64], u: &[f64], v: &[f64]) {
    assert!(x.len() >= n && y.len() >= n && a.len() >= n * n && u.len() >= n && v.len() >= n);
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for i in 0..n {
            for j in 0..n {
                *x.get_unchecked_mut(i) += *a.get_unchecked(i * n + j) * *u.get_unchecked(j);
            }
        }
        for i in 0..n {
            for j in 0..n {
                *y.get_unchecked_mut(i) += *a.get_unchecked(j * n + i) * *v.get_unchecked(j);
            }
        }
    }
}
