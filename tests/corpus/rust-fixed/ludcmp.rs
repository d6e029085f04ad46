//! Solves A x = b: A = L U row by row, then y by forward and x by backward substitution.

#[inline(never)]
pub fn ludcmp<const N: usize>(a: &mut [[f64; N]; N], x: &mut [f64; N], y: &mut [f64; N], b: &[f64; N]) {
    for i in 0..N {
        for j in 0..i {
            let mut rest = a[i][j];
            for k in 0..j {
                rest -= a[i][k] * a[k][j];
            }
            a[i][j] = rest / a[j][j];
        }
        for j in i..N {
            let mut rest = a[i][j];
            for k in 0..i {
                rest -= a[i][k] * a[k][j];
            }
            a[i][j] = rest;
        }
    }
    for i in 0..N {
        let mut rest = b[i];
        for j in 0..i {
            rest -= a[i][j] * y[j];
        }
        y[i] = rest;
    }
    for i in (0..N).rev() {
        let mut rest = y[i];
        for j in i + 1..N {
            rest -= a[i][j] * x[j];
        }
        x[i] = rest / a[i][i];
    }
}
