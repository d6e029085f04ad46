//! x += A u and y += A' v.

#[inline(never)]
pub fn mvt(n: usize, x: &mut [f64], y: &mut [f64], a: &[Vec<f64>], u: &[f64], v: &[f64]) {
    for i in 0..n {
        for j in 0..n {
            x[i] += a[i][j] * u[j];
        }
    }
    for i in 0..n {
        for j in 0..n {
            y[i] += a[j][i] * v[j];
        }
    }
}
