//! A = L U in place without pivoting: each step updates what is right of and below the pivot.

#[inline(never)]
pub fn lu(n: usize, a: &mut [f64]) {
    for k in 0..n {
        for i in k + 1..n {
            a[i * n + k] /= a[k * n + k];
            for j in k + 1..n {
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
            }
        }
    }
}
