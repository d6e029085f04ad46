//! Solves A x = b: A = L U row by row, then y by forward and x by backward substitution.

#[inline(never)]
pub fn ludcmp(n: usize, a: &mut [Vec<f64>], x: &mut [f64], y: &mut [f64], b: &[f64]) {
    for i in 0..n {
        for j in 0..i {
            let mut rest = a[i][j];
            for k in 0..j {
                rest -= a[i][k] * a[k][j];
            }
            a[i][j] = rest / a[j][j];
        }
        for j in i..n {
            let mut rest = a[i][j];
            for k in 0..i {
                rest -= a[i][k] * a[k][j];
            }
            a[i][j] = rest;
        }
    }
    for i in 0..n {
        let mut rest = b[i];
        for j in 0..i {
            rest -= a[i][j] * y[j];
        }
        y[i] = rest;
    }
    for i in (0..n).rev() {
        let mut rest = y[i];
        for j in i + 1..n {
            rest -= a[i][j] * x[j];
        }
        x[i] = rest / a[i][i];
    }
}
