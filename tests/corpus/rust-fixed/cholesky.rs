//! A = L L' for a positive definite A, row by row; L replaces the lower triangle.

#[inline(never)]
pub fn cholesky<const N: usize>(a: &mut [[f64; N]; N]) {
    for i in 0..N {
        for j in 0..i {
            let mut rest = a[i][j];
            for k in 0..j {
                rest -= a[i][k] * a[j][k];
            }
            a[i][j] = rest / a[j][j];
        }
        let mut rest = a[i][i];
        for k in 0..i {
            rest -= a[i][k] * a[i][k];
        }
        a[i][i] = rest.sqrt();
    }
}
