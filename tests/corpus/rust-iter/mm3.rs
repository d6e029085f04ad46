//! G = (A B) (C D), with E = A B and F = C D kept.

#[inline(never)]
pub fn mm3(
    nj: usize,
    nk: usize,
    nl: usize,
    nm: usize,
    g: &mut [f64],
    e: &mut [f64],
    f: &mut [f64],
    a: &[f64],
    b: &[f64],
    c: &[f64],
    d: &[f64],
) {
    for (e, a) in e.chunks_exact_mut(nj).zip(a.chunks_exact(nk)) {
        e.fill(0.0);
        for (a, b) in a.iter().zip(b.chunks_exact(nj)) {
            for (e, b) in e.iter_mut().zip(b) {
                *e += a * b;
            }
        }
    }
    for (f, c) in f.chunks_exact_mut(nl).zip(c.chunks_exact(nm)) {
        f.fill(0.0);
        for (c, d) in c.iter().zip(d.chunks_exact(nl)) {
            for (f, d) in f.iter_mut().zip(d) {
                *f += c * d;
            }
        }
    }
    for (g, e) in g.chunks_exact_mut(nl).zip(e.chunks_exact(nj)) {
        g.fill(0.0);
        for (e, f) in e.iter().zip(f.chunks_exact(nl)) {
            for (g, f) in g.iter_mut().zip(f) {
                *g += e * f;
            }
        }
    }
}
