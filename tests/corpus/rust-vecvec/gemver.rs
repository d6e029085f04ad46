//! A += u v' + s t', then x += beta A' y + z, then w += alpha A x.

#[inline(never)]
pub fn gemver(
    n: usize,
    alpha: f64,
    beta: f64,
    a: &mut [Vec<f64>],
    x: &mut [f64],
    w: &mut [f64],
    u: &[f64],
    v: &[f64],
    s: &[f64],
    t: &[f64],
    y: &[f64],
    z: &[f64],
) {
    for i in 0..n {
        for j in 0..n {
            a[i][j] += u[i] * v[j] + s[i] * t[j];
        }
    }
    for i in 0..n {
        for j in 0..n {
            x[i] += beta * a[j][i] * y[j];
        }
    }
    for i in 0..n {
        x[i] += z[i];
    }
    for i in 0..n {
        for j in 0..n {
            w[i] += alpha * a[i][j] * x[j];
        }
    }
}
