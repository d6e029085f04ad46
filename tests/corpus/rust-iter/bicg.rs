//! q = A p and s = A' r in one pass over A, as the biconjugate gradient method needs them.

#[inline(never)]
pub fn bicg(n: usize, q: &mut [f64], s: &mut [f64], a: &[f64], p: &[f64], r: &[f64]) {
    s.fill(0.0);
    for ((q, r), a) in q.iter_mut().zip(r).zip(a.chunks_exact(n)) {
        *q = 0.0;
        for ((s, p), a) in s.iter_mut().zip(p).zip(a) {
            *s += r * a;
            *q += a * p;
        }
    }
}
