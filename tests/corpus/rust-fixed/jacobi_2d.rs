//! Each element becomes the mean of itself and its four neighbours, from one array to the other and back.

#[inline(never)]
pub fn jacobi_2d<const N: usize>(steps: usize, a: &mut [[f64; N]; N], b: &mut [[f64; N]; N]) {
    if N < 3 {
        return;
    }
    for _ in 0..steps {
        for i in 1..N - 1 {
            for j in 1..N - 1 {
                b[i][j] = 0.2 * (a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
            }
        }
        for i in 1..N - 1 {
            for j in 1..N - 1 {
                a[i][j] = 0.2 * (b[i][j] + b[i - 1][j] + b[i + 1][j] + b[i][j - 1] + b[i][j + 1]);
            }
        }
    }
}
