//! A = Q R by the modified Gram-Schmidt process; A ends as what is left of its columns.

#[inline(never)]
pub fn gramschmidt(m: usize, n: usize, a: &mut [f64], q: &mut [f64], r: &mut [f64]) {
    for k in 0..n {
        let mut norm = 0.0;
        for i in 0..m {
            norm += a[i * n + k] * a[i * n + k];
        }
        r[k * n + k] = norm.sqrt();
        for i in 0..m {
            q[i * n + k] = a[i * n + k] / r[k * n + k];
        }
        for j in k + 1..n {
            r[k * n + j] = 0.0;
            for i in 0..m {
                r[k * n + j] += q[i * n + k] * a[i * n + j];
            }
            for i in 0..m {
                a[i * n + j] -= q[i * n + k] * r[k * n + j];
            }
        }
    }
}
