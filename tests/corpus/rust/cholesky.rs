//! A = L L' for a positive definite A, row by row; L replaces the lower triangle.

#[inline(never)]
pub fn cholesky(n: usize, a: &mut [f64]) {
    for i in 0..n {
        for j in 0..i {
            let mut rest = a[i * n + j];
            for k in 0..j {
                rest -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] = rest / a[j * n + j];
        }
        let mut rest = a[i * n + i];
        for k in 0..i {
            rest -= a[i * n + k] * a[i * n + k];
        }
        a[i * n + i] = rest.sqrt();
    }
}
