//! C += A B, loops in the order i, k, j.

#[inline(never)]
pub fn ikj_f64(n: usize, c: &mut [f64], a: &[f64], b: &[f64]) {
    for i in 0..n {
        for k in 0..n {
            for j in 0..n {
                c[i * n + j] += a[i * n + k] * b[k * n + j];
            }
        }
    }
}
