//! Each element becomes the mean of itself and its four neighbours, from one array to the other and back.

#[inline(never)]
pub fn jacobi_2d(steps: usize, n: usize, a: &mut [f64], b: &mut [f64]) {
    assert!(a.len() >= n * n && b.len() >= n * n);
    if n < 3 {
        return;
    }
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for _ in 0..steps {
            for i in 1..n - 1 {
                for j in 1..n - 1 {
                    *b.get_unchecked_mut(i * n + j) = 0.2
                        * (*a.get_unchecked(i * n + j)
                            + *a.get_unchecked((i - 1) * n + j)
                            + *a.get_unchecked((i + 1) * n + j)
                            + *a.get_unchecked(i * n + j - 1)
                            + *a.get_unchecked(i * n + j + 1));
                }
            }
            for i in 1..n - 1 {
                for j in 1..n - 1 {
                    *a.get_unchecked_mut(i * n + j) = 0.2
                        * (*b.get_unchecked(i * n + j)
                            + *b.get_unchecked((i - 1) * n + j)
                            + *b.get_unchecked((i + 1) * n + j)
                            + *b.get_unchecked(i * n + j - 1)
                            + *b.get_unchecked(i * n + j + 1));
                }
            }
        }
    }
}
