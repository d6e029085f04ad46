//! Each element becomes the mean of itself and its two neighbours, from one array to the other and back.

#[inline(never)]
pub fn jacobi_1d<const N: usize>(steps: usize, a: &mut [f64; N], b: &mut [f64; N]) {
    if N < 3 {
        return;
    }
    for _ in 0..steps {
        for i in 1..N - 1 {
            b[i] = (a[i - 1] + a[i] + a[i + 1]) * (1.0 / 3.0);
        }
        for i in 1..N - 1 {
            a[i] = (b[i - 1] + b[i] + b[i + 1]) * (1.0 / 3.0);
        }
    }
}
