//! A = L U in place without pivoting: each step updates what is right of and below the pivot.

#[inline(never)]
pub fn lu<const N: usize>(a: &mut [[f64; N]; N]) {
    for k in 0..N {
        for i in k + 1..N {
            a[i][k] /= a[k][k];
            for j in k + 1..N {
                a[i][j] -= a[i][k] * a[k][j];
            }
        }
    }
}
