//! q = A p and s = A' r in one pass over A, as the biconjugate gradient method needs them.

#[inline(never)]
pub fn bicg(m: usize, n: usize, q: &mut [f64], s: &mut [f64], a: &[Vec<f64>], p: &[f64], r: &[f64]) {
    for j in 0..n {
        s[j] = 0.0;
    }
    for i in 0..m {
        q[i] = 0.0;
        for j in 0..n {
            s[j] += r[i] * a[i][j];
            q[i] += a[i][j] * p[j];
        }
    }
}
