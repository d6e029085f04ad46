//! The lower triangle of C = alpha A A' + beta C.

#[inline(never)]
pub fn syrk<const N: usize, const M: usize>(alpha: f64, beta: f64, c: &mut [[f64; N]; N], a: &[[f64; M]; N]) {
    for i in 0..N {
        for j in 0..=i {
            c[i][j] *= beta;
            for k in 0..M {
                c[i][j] += alpha * a[i][k] * a[j][k];
            }
        }
    }
}
