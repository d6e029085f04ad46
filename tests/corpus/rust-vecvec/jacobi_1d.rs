//! Each element becomes the mean of itself and its two neighbours, from one array to the other and back.

#[inline(never)]
pub fn jacobi_1d(steps: usize, n: usize, a: &mut [f64], b: &mut [f64]) {
    if n < 3 {
        return;
    }
    for _ in 0..steps {
        for i in 1..n - 1 {
            b[i] = (a[i - 1] + a[i] + a[i + 1]) * (1.0 / 3.0);
        }
        for i in 1..n - 1 {
            a[i] = (b[i - 1] + b[i] + b[i + 1]) * (1.0 / 3.0);
        }
    }
}
