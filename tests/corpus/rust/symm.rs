//! C = alpha A B + beta C; A is symmetric, only its lower triangle is stored.

#[inline(never)]
pub fn symm(m: usize, n: usize, alpha: f64, beta: f64, c: &mut [f64], a: &[f64], b: &[f64]) {
    for i in 0..m {
        for j in 0..n {
            let mut sum = 0.0;
            for k in 0..=i {
                sum += a[i * m + k] * b[k * n + j];
            }
            for k in i + 1..m {
                sum += a[k * m + i] * b[k * n + j];
            }
            c[i * n + j] = alpha * sum + beta * c[i * n + j];
        }
    }
}
