//! The heat equation in three dimensions, explicit, from one array to the other and back.

#[inline(never)]
pub fn heat_3d(steps: usize, n: usize, a: &mut [f64], b: &mut [f64]) {
    if n < 3 {
        return;
    }
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                for k in 1..n - 1 {
                    b[(i * n + j) * n + k] = 0.25 * a[(i * n + j) * n + k]
                        + 0.125 * (a[((i - 1) * n + j) * n + k] + a[((i + 1) * n + j) * n + k])
                        + 0.125 * (a[(i * n + j - 1) * n + k] + a[(i * n + j + 1) * n + k])
                        + 0.125 * (a[(i * n + j) * n + k - 1] + a[(i * n + j) * n + k + 1]);
                }
            }
        }
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                for k in 1..n - 1 {
                    a[(i * n + j) * n + k] = 0.25 * b[(i * n + j) * n + k]
                        + 0.125 * (b[((i - 1) * n + j) * n + k] + b[((i + 1) * n + j) * n + k])
                        + 0.125 * (b[(i * n + j - 1) * n + k] + b[(i * n + j + 1) * n + k])
                        + 0.125 * (b[(i * n + j) * n + k - 1] + b[(i * n + j) * n + k + 1]);
                }
            }
        }
    }
}
