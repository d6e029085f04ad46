//! Each element becomes the mean of itself and its two neighbours, from one array to the other and back.

#[inline(never)]
pub fn jacobi_1d(steps: usize, n: usize, a: &mut [f64], b: &mut [f64]) {
    assert!(a.len() >= n && b.len() >= n);
    if n < 3 {
        return;
    }
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for _ in 0..steps {
            for i in 1..n - 1 {
                *b.get_unchecked_mut(i) =
                    (*a.get_unchecked(i - 1) + *a.get_unchecked(i) + *a.get_unchecked(i + 1)) * (1.0 / 3.0);
            }
            for i in 1..n - 1 {
                *a.get_unchecked_mut(i) =
                    (*b.get_unchecked(i - 1) + *b.get_unchecked(i) + *b.get_unchecked(i + 1)) * (1.0 / 3.0);
            }
        }
    }
}
