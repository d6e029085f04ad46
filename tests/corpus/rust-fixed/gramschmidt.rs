//! A = Q R by the modified Gram-Schmidt process; A ends as what is left of its columns.

#[inline(never)]
pub fn gramschmidt<const M: usize, const N: usize>(
    a: &mut [[f64; N]; M],
    q: &mut [[f64; N]; M],
    r: &mut [[f64; N]; N],
) {
    for k in 0..N {
        let mut norm = 0.0;
        for i in 0..M {
            norm += a[i][k] * a[i][k];
        }
        r[k][k] = norm.sqrt();
        for i in 0..M {
            q[i][k] = a[i][k] / r[k][k];
        }
        for j in k + 1..N {
            r[k][j] = 0.0;
            for i in 0..M {
                r[k][j] += q[i][k] * a[i][j];
            }
            for i in 0..M {
                a[i][j] -= q[i][k] * r[k][j];
            }
        }
    }
}
