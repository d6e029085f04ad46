//! C = alpha A B + beta C; A is symmetric, only its lower triangle is stored.

#[inline(never)]
pub fn symm(m: usize, n: usize, alpha: f64, beta: f64, c: &mut [Vec<f64>], a: &[Vec<f64>], b: &[Vec<f64>]) {
    for i in 0..m {
        for j in 0..n {
            let mut sum = 0.0;
            for k in 0..=i {
                sum += a[i][k] * b[k][j];
            }
            for k in i + 1..m {
                sum += a[k][i] * b[k][j];
            }
            c[i][j] = alpha * sum + beta * c[i][j];
        }
    }
}
