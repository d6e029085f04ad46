//! A = Q R by the modified Gram-Schmidt process; A ends as what is left of its columns.

#[inline(never)]
pub fn gramschmidt(m: usize, n: usize, a: &mut [Vec<f64>], q: &mut [Vec<f64>], r: &mut [Vec<f64>]) {
    for k in 0..n {
        let mut norm = 0.0;
        for i in 0..m {
            norm += a[i][k] * a[i][k];
        }
        r[k][k] = norm.sqrt();
        for i in 0..m {
            q[i][k] = a[i][k] / r[k][k];
        }
        for j in k + 1..n {
            r[k][j] = 0.0;
            for i in 0..m {
                r[k][j] += q[i][k] * a[i][j];
            }
            for i in 0..m {
                a[i][j] -= q[i][k] * r[k][j];
            }
        }
    }
}
