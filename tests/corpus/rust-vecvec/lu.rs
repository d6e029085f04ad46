//! A = L U in place without pivoting: each step updates what is right of and below the pivot.

#[inline(never)]
pub fn lu(n: usize, a: &mut [Vec<f64>]) {
    for k in 0..n {
        for i in k + 1..n {
            a[i][k] /= a[k][k];
            for j in k + 1..n {
                a[i][j] -= a[i][k] * a[k][j];
            }
        }
    }
}
