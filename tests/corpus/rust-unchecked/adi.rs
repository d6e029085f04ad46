//! The heat equation by alternating directions: tridiagonal systems along the columns, then along the rows.

#[inline(never)]
pub fn adi(steps: usize, n: usize, u: &mut [f64], v: &mut [f64], p: &mut [f64], q: &mut [f64]) {
    assert!(u.len() >= n * n && v.len() >= n * n && p.len() >= n * n && q.len() >= n * n);
    if n < 3 {
        return;
    }
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        let r = 0.5 * n as f64 / steps as f64;
        let side = -r;
        let middle = 1.0 + 2.0 * r;
        for _ in 0..steps {
            for i in 1..n - 1 {
                *v.get_unchecked_mut(i) = 1.0;
                *p.get_unchecked_mut(i * n) = 0.0;
                *q.get_unchecked_mut(i * n) = 1.0;
                for j in 1..n - 1 {
                    let pivot = side * *p.get_unchecked(i * n + j - 1) + middle;
                    *p.get_unchecked_mut(i * n + j) = -side / pivot;
                    *q.get_unchecked_mut(i * n + j) = (r * *u.get_unchecked(j * n + i - 1)
                        + (1.0 - 2.0 * r) * *u.get_unchecked(j * n + i)
                        + r * *u.get_unchecked(j * n + i + 1)
                        - side * *q.get_unchecked(i * n + j - 1))
                        / pivot;
                }
                *v.get_unchecked_mut((n - 1) * n + i) = 1.0;
                for j in (1..n - 1).rev() {
                    *v.get_unchecked_mut(j * n + i) =
                        *p.get_unchecked(i * n + j) * *v.get_unchecked((j + 1) * n + i) + *q.get_unchecked(i * n + j);
                }
            }
            for i in 1..n - 1 {
                *u.get_unchecked_mut(i * n) = 1.0;
                *p.get_unchecked_mut(i * n) = 0.0;
                *q.get_unchecked_mut(i * n) = 1.0;
                for j in 1..n - 1 {
                    let pivot = side * *p.get_unchecked(i * n + j - 1) + middle;
                    *p.get_unchecked_mut(i * n + j) = -side / pivot;
                    *q.get_unchecked_mut(i * n + j) = (r * *v.get_unchecked((i - 1) * n + j)
                        + (1.0 - 2.0 * r) * *v.get_unchecked(i * n + j)
                        + r * *v.get_unchecked((i + 1) * n + j)
                        - side * *q.get_unchecked(i * n + j - 1))
                        / pivot;
                }
                *u.get_unchecked_mut(i * n + n - 1) = 1.0;
                for j in (1..n - 1).rev() {
                    *u.get_unchecked_mut(i * n + j) =
                        *p.get_unchecked(i * n + j) * *u.get_unchecked(i * n + j + 1) + *q.get_unchecked(i * n + j);
                }
            }
        }
    }
}
