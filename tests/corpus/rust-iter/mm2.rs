//! D = alpha A B C + beta D, through T = alpha A B; each element is summed in a variable.

#[inline(never)]
pub fn mm2(
    nj: usize,
    nk: usize,
    nl: usize,
    alpha: f64,
    beta: f64,
    d: &mut [f64],
    t: &mut [f64],
    a: &[f64],
    b: &[f64],
    c: &[f64],
) {
    for (t, a) in t.chunks_exact_mut(nj).zip(a.chunks_exact(nk)) {
        for (j, t) in t.iter_mut().enumerate() {
            *t = alpha * a.iter().zip(b.chunks_exact(nj)).fold(0.0, |sum, (a, b)| sum + a * b[j]);
        }
    }
    for (d, t) in d.chunks_exact_mut(nl).zip(t.chunks_exact(nj)) {
        for (l, d) in d.iter_mut().enumerate() {
            *d = t.iter().zip(c.chunks_exact(nl)).fold(beta * *d, |sum, (t, c)| sum + t * c[l]);
        }
    }
}
