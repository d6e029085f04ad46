//! A += u v' + s t', then x += beta A' y + z, then w += alpha A x.

#[inline(never)]
pub fn gemver<const N: usize>(
    alpha: f64,
    beta: f64,
    a: &mut [[f64; N]; N],
    x: &mut [f64; N],
    w: &mut [f64; N],
    u: &[f64; N],
    v: &[f64; N],
    s: &[f64; N],
    t: &[f64; N],
    y: &[f64; N],
    z: &[f64; N],
) {
    for i in 0..N {
        for j in 0..N {
            a[i][j] += u[i] * v[j] + s[i] * t[j];
        }
    }
    for i in 0..N {
        for j in 0..N {
            x[i] += beta * a[j][i] * y[j];
        }
    }
    for i in 0..N {
        x[i] += z[i];
    }
    for i in 0..N {
        for j in 0..N {
            w[i] += alpha * a[i][j] * x[j];
        }
    }
}
