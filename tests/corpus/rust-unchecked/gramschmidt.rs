//! A = Q R by the modified Gram-Schmidt process; A ends as what is left of its columns.

#[inline(never)]
pub fn gramschmidt(m: usize, n: usize, a: &mut [f64], q: &mut [f64], r: &mut [f64]) {
    assert!(a.len() >= m * n && q.len() >= m * n && r.len() >= n * n);
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for k in 0..n {
            let mut norm = 0.0;
            for i in 0..m {
                norm += *a.get_unchecked(i * n + k) * *a.get_unchecked(i * n + k);
            }
            *r.get_unchecked_mut(k * n + k) = norm.sqrt();
            for i in 0..m {
                *q.get_unchecked_mut(i * n + k) = *a.get_unchecked(i * n + k) / *r.get_unchecked(k * n + k);
            }
            for j in k + 1..n {
                *r.get_unchecked_mut(k * n + j) = 0.0;
                for i in 0..m {
                    *r.get_unchecked_mut(k * n + j) += *q.get_unchecked(i * n + k) * *a.get_unchecked(i * n + j);
                }
                for i in 0..m {
                    *a.get_unchecked_mut(i * n + j) -= *q.get_unchecked(i * n + k) * *r.get_unchecked(k * n + j);
                }
            }
        }
    }
}
