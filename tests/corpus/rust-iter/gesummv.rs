//! y = alpha A x + beta B x.

#[inline(never)]
pub fn gesummv(n: usize, alpha: f64, beta: f64, y: &mut [f64], a: &[f64], b: &[f64], x: &[f64]) {
    for ((y, a), b) in y.iter_mut().zip(a.chunks_exact(n)).zip(b.chunks_exact(n)) {
        let (mut ax, mut bx) = (0.0, 0.0);
        for ((a, b), x) in a.iter().zip(b).zip(x) {
            ax += a * x;
            bx += b * x;
        }
        *y = alpha * ax + beta * bx;
    }
}
