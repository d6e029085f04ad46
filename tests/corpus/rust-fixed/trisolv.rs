//! Solves L x = b for a lower triangular L.

#[inline(never)]
pub fn trisolv<const N: usize>(x: &mut [f64; N], l: &[[f64; N]; N], b: &[f64; N]) {
    for i in 0..N {
        let mut rest = b[i];
        for j in 0..i {
            rest -= l[i][j] * x[j];
        }
        x[i] = rest / l[i][i];
    }
}
