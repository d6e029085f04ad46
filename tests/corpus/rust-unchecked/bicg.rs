//! q = A p and s = A' r in one pass over A, as the biconjugate gradient method needs them.

#[inline(never)]
pub fn bicg(m: usize, n: usize, q: &mut [f64], s: &mut [f64], a: &[f64], p: &[f64], r: &[f64]) {
    assert!(q.len() >= m && s.len() >= n && a.len() >= m * n && p.len() >= n && r.len() >= m);
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for j in 0..n {
            *s.get_unchecked_mut(j) = 0.0;
        }
        for i in 0..m {
            *q.get_unchecked_mut(i) = 0.0;
            for j in 0..n {
                *s.get_unchecked_mut(j) += *r.get_unchecked(i) * *a.get_unchecked(i * n + j);
                *q.get_unchecked_mut(i) += *a.get_unchecked(i * n + j) * *p.get_unchecked(j);
            }
        }
    }
}
