//! q = A p and s = A' r in one pass over A, as the biconjugate gradient method needs them.

#[inline(never)]
pub fn bicg<const M: usize, const N: usize>(
    q: &mut [f64; M],
    s: &mut [f64; N],
    a: &[[f64; N]; M],
    p: &[f64; N],
    r: &[f64; M],
) {
    for j in 0..N {
        s[j] = 0.0;
    }
    for i in 0..M {
        q[i] = 0.0;
        for j in 0..N {
            s[j] += r[i] * a[i][j];
            q[i] += a[i][j] * p[j];
        }
    }
}
