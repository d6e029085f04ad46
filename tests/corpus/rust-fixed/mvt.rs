//! x += A u and y += A' v.

#[inline(never)]
pub fn mvt<const N: usize>(x: &mut [f64; N], y: &mut [f64; N], a: &[[f64; N]; N], u: &[f64; N], v: &[f64; N]) {
    for i in 0..N {
        for j in 0..N {
            x[i] += a[i][j] * u[j];
        }
    }
    for i in 0..N {
        for j in 0..N {
            y[i] += a[j][i] * v[j];
        }
    }
}
