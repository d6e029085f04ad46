//! x += A u and y += A' v.

#[inline(never)]
pub fn mvt(n: usize, x: &mut [f64], y: &mut [f64], a: &[f64], u: &[f64], v: &[f64]) {
    for (x, a) in x.iter_mut().zip(a.chunks_exact(n)) {
        for (a, u) in a.iter().zip(u) {
            *x += a * u;
        }
    }
    for (i, y) in y.iter_mut().enumerate() {
        for (a, v) in a.iter().skip(i).step_by(n).zip(v) {
            *y += a * v;
        }
    }
}
