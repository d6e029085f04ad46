//! y = alpha A x + beta B x.

#[inline(never)]
pub fn gesummv<const N: usize>(
    alpha: f64,
    beta: f64,
    y: &mut [f64; N],
    a: &[[f64; N]; N],
    b: &[[f64; N]; N],
    x: &[f64; N],
) {
    for i in 0..N {
        let mut ax = 0.0;
        let mut bx = 0.0;
        for j in 0..N {
            ax += a[i][j] * x[j];
            bx += b[i][j] * x[j];
        }
        y[i] = alpha * ax + beta * bx;
    }
}
