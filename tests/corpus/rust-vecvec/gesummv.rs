//! y = alpha A x + beta B x.

#[inline(never)]
pub fn gesummv(n: usize, alpha: f64, beta: f64, y: &mut [f64], a: &[Vec<f64>], b: &[Vec<f64>], x: &[f64]) {
    for i in 0..n {
        let mut ax = 0.0;
        let mut bx = 0.0;
        for j in 0..n {
            ax += a[i][j] * x[j];
            bx += b[i][j] * x[j];
        }
        y[i] = alpha * ax + beta * bx;
    }
}
