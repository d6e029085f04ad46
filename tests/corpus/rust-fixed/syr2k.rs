//! The lower triangle of C = alpha (A B' + B A') + beta C.

#[inline(never)]
pub fn syr2k<const N: usize, const M: usize>(
    alpha: f64,
    beta: f64,
    c: &mut [[f64; N]; N],
    a: &[[f64; M]; N],
    b: &[[f64; M]; N],
) {
    for i in 0..N {
        for j in 0..=i {
            c[i][j] *= beta;
        }
        for k in 0..M {
            for j in 0..=i {
                c[i][j] += alpha * (a[i][k] * b[j][k] + b[i][k] * a[j][k]);
            }
        }
    }
}
