//! C = alpha A B + beta C; A is symmetric, only its lower triangle is stored.

#[inline(never)]
pub fn symm(m: usize, n: usize, alpha: f64, beta: f64, c: &mut [f64], a: &[f64], b: &[f64]) {
    assert!(c.len() >= m * n && a.len() >= m * m && b.len() >= m * n);
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for i in 0..m {
            for j in 0..n {
                let mut sum = 0.0;
                for k in 0..=i {
                    sum += *a.get_unchecked(i * m + k) * *b.get_unchecked(k * n + j);
                }
                for k in i + 1..m {
                    sum += *a.get_unchecked(k * m + i) * *b.get_unchecked(k * n + j);
                }
                *c.get_unchecked_mut(i * n + j) = alpha * sum + beta * *c.get_unchecked(i * n + j);
            }
        }
    }
}
