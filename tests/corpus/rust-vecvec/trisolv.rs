//! Solves L x = b for a lower triangular L.

#[inline(never)]
pub fn trisolv(n: usize, x: &mut [f64], l: &[Vec<f64>], b: &[f64]) {
    for i in 0..n {
        let mut rest = b[i];
        for j in 0..i {
            rest -= l[i][j] * x[j];
        }
        x[i] = rest / l[i][i];
    }
}
