//! y = A' (A x), one row of A at a time.

#[inline(never)]
pub fn atax(n: usize, y: &mut [f64], a: &[f64], x: &[f64]) {
    y.fill(0.0);
    for a in a.chunks_exact(n) {
        let t = a.iter().zip(x).fold(0.0, |t, (a, x)| t + a * x);
        for (y, a) in y.iter_mut().zip(a) {
            *y += a * t;
        }
    }
}
