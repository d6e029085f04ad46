//! y = A' (A x), one row of A at a time.

#[inline(never)]
pub fn atax(m: usize, n: usize, y: &mut [f64], a: &[Vec<f64>], x: &[f64]) {
    for j in 0..n {
        y[j] = 0.0;
    }
    for i in 0..m {
        let mut t = 0.0;
        for j in 0..n {
            t += a[i][j] * x[j];
        }
        for j in 0..n {
            y[j] += a[i][j] * t;
        }
    }
}
