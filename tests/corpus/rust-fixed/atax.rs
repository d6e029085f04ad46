//! y = A' (A x), one row of A at a time.

#[inline(never)]
pub fn atax<const M: usize, const N: usize>(y: &mut [f64; N], a: &[[f64; N]; M], x: &[f64; N]) {
    for j in 0..N {
        y[j] = 0.0;
    }
    for i in 0..M {
        let mut t = 0.0;
        for j in 0..N {
            t += a[i][j] * x[j];
        }
        for j in 0..N {
            y[j] += a[i][j] * t;
        }
    }
}
