//! Each element becomes the mean of itself and its four neighbours, from one array to the other and back.

#[inline(never)]
pub fn jacobi_2d(steps: usize, n: usize, a: &mut [Vec<f64>], b: &mut [Vec<f64>]) {
    if n < 3 {
        return;
    }
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                b[i][j] = 0.2 * (a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
            }
        }
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                a[i][j] = 0.2 * (b[i][j] + b[i - 1][j] + b[i + 1][j] + b[i][j - 1] + b[i][j + 1]);
            }
        }
    }
}
