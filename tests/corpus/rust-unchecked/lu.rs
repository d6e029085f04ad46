//! A = L U in place without pivoting: each step updates what is right of and below the pivot.

#[inline(never)]
pub fn lu(n: usize, a: &mut [f64]) {
    assert!(a.len() >= n * n);
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for k in 0..n {
            for i in k + 1..n {
                *a.get_unchecked_mut(i * n + k) /= *a.get_unchecked(k * n + k);
                for j in k + 1..n {
                    *a.get_unchecked_mut(i * n + j) -= *a.get_unchecked(i * n + k) * *a.get_unchecked(k * n + j);
                }
            }
        }
    }
}
