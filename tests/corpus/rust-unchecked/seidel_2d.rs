//! Each element becomes the mean of its three by three surroundings, in place.

#[inline(never)]
pub fn seidel_2d(steps: usize, n: usize, a: &mut [f64]) {
    assert!(a.len() >= n * n);
    if n < 3 {
        return;
    }
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for _ in 0..steps {
            for i in 1..n - 1 {
                for j in 1..n - 1 {
                    let above = *a.get_unchecked((i - 1) * n + j - 1)
                        + *a.get_unchecked((i - 1) * n + j)
                        + *a.get_unchecked((i - 1) * n + j + 1);
                    let same =
                        *a.get_unchecked(i * n + j - 1) + *a.get_unchecked(i * n + j) + *a.get_unchecked(i * n + j + 1);
                    let below = *a.get_unchecked((i + 1) * n + j - 1)
                        + *a.get_unchecked((i + 1) * n + j)
                        + *a.get_unchecked((i + 1) * n + j + 1);
                    *a.get_unchecked_mut(i * n + j) = (above + same + below) / 9.0;
                }
            }
        }
    }
}
