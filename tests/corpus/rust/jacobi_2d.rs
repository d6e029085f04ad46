//! Each element becomes the mean of itself and its four neighbours, from one array to the other and back.

#[inline(never)]
pub fn jacobi_2d(steps: usize, n: usize, a: &mut [f64], b: &mut [f64]) {
    if n < 3 {
        return;
    }
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                b[i * n + j] = 0.2
                    * (a[i * n + j] + a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]);
            }
        }
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                a[i * n + j] = 0.2
                    * (b[i * n + j] + b[(i - 1) * n + j] + b[(i + 1) * n + j] + b[i * n + j - 1] + b[i * n + j + 1]);
            }
        }
    }
}
