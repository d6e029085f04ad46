//! A += u v' + s t', then x += beta A' y + z, then w += alpha A x.

#[inline(never)]
pub fn gemver(
    n: usize,
    alpha: f64,
    beta: f64,
    a: &mut [f64],
    x: &mut [f64],
    w: &mut [f64],
    u: &[f64],
    v: &[f64],
    s: &[f64],
    t: &[f64],
    y: &[f64],
    z: &[f64],
) {
    assert!(
        a.len() >= n * n
            && x.len() >= n
            && w.len() >= n
            && u.len() >= n
            && v.len() >= n
            && s.len() >= n
            && t.len() >= n
            && y.len() >= n
            && z.len() >= n
    );
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for i in 0..n {
            for j in 0..n {
                *a.get_unchecked_mut(i * n + j) +=
                    *u.get_unchecked(i) * *v.get_unchecked(j) + *s.get_unchecked(i) * *t.get_unchecked(j);
            }
        }
        for i in 0..n {
            for j in 0..n {
                *x.get_unchecked_mut(i) += beta * *a.get_unchecked(j * n + i) * *y.get_unchecked(j);
            }
        }
        for i in 0..n {
            *x.get_unchecked_mut(i) += *z.get_unchecked(i);
        }
        for i in 0..n {
            for j in 0..n {
                *w.get_unchecked_mut(i) += alpha * *a.get_unchecked(i * n + j) * *x.get_unchecked(j);
            }
        }
    }
}
