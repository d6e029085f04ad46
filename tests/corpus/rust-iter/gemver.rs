//! A += u v' + s t', then x += beta A' y + z, then w += alpha A x.

#[inline(never)]
pub fn gemver(
    n: usize,
    alpha: f64,
    beta: f64,
    a: &mut [f64],
    x: &mut [f64],
    w: &mut [f64],
    u: &[f64],
    v: &[f64],
    s: &[f64],
    t: &[f64],
    y: &[f64],
    z: &[f64],
) {
    for ((a, u), s) in a.chunks_exact_mut(n).zip(u).zip(s) {
        for ((a, v), t) in a.iter_mut().zip(v).zip(t) {
            *a += u * v + s * t;
        }
    }
    for (i, x) in x.iter_mut().enumerate() {
        for (a, y) in a[i..].iter().step_by(n).zip(y) {
            *x += beta * a * y;
        }
    }
    for (x, z) in x.iter_mut().zip(z) {
        *x += z;
    }
    for (w, a) in w.iter_mut().zip(a.chunks_exact(n)) {
        for (a, x) in a.iter().zip(x.iter()) {
            *w += alpha * a * x;
        }
    }
}
