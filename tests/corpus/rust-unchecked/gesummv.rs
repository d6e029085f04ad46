//! y = alpha A x + beta B x.

#[inline(never)]
pub fn gesummv(n: usize, alpha: f64, beta: f64, y: &mut [f64], a: &[f64], b: &[f64], x: &[f64]) {
    assert!(y.len() >= n && a.len() >= n * n && b.len() >= n * n && x.len() >= n);
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for i in 0..n {
            let mut ax = 0.0;
            let mut bx = 0.0;
            for j in 0..n {
                ax += *a.get_unchecked(i * n + j) * *x.get_unchecked(j);
                bx += *b.get_unchecked(i * n + j) * *x.get_unchecked(j);
            }
            *y.get_unchecked_mut(i) = alpha * ax + beta * bx;
        }
    }
}
