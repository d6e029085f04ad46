//! The heat equation in three dimensions, explicit, from one array to the other and back.

#[inline(never)]
pub fn heat_3d(steps: usize, n: usize, a: &mut [f64], b: &mut [f64]) {
    assert!(a.len() >= n * n * n && b.len() >= n * n * n);
    if n < 3 {
        return;
    }
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for _ in 0..steps {
            for i in 1..n - 1 {
                for j in 1..n - 1 {
                    for k in 1..n - 1 {
                        *b.get_unchecked_mut((i * n + j) * n + k) = 0.25 * *a.get_unchecked((i * n + j) * n + k)
                            + 0.125
                                * (*a.get_unchecked(((i - 1) * n + j) * n + k)
                                    + *a.get_unchecked(((i + 1) * n + j) * n + k))
                            + 0.125
                                * (*a.get_unchecked((i * n + j - 1) * n + k)
                                    + *a.get_unchecked((i * n + j + 1) * n + k))
                            + 0.125
                                * (*a.get_unchecked((i * n + j) * n + k - 1)
                                    + *a.get_unchecked((i * n + j) * n + k + 1));
                    }
                }
            }
            for i in 1..n - 1 {
                for j in 1..n - 1 {
                    for k in 1..n - 1 {
                        *a.get_unchecked_mut((i * n + j) * n + k) = 0.25 * *b.get_unchecked((i * n + j) * n + k)
                            + 0.125
                                * (*b.get_unchecked(((i - 1) * n + j) * n + k)
                                    + *b.get_unchecked(((i + 1) * n + j) * n + k))
                            + 0.125
                                * (*b.get_unchecked((i * n + j - 1) * n + k)
                                    + *b.get_unchecked((i * n + j + 1) * n + k))
                            + 0.125
                                * (*b.get_unchecked((i * n + j) * n + k - 1)
                                    + *b.get_unchecked((i * n + j) * n + k + 1));
                    }
                }
            }
        }
    }
}
