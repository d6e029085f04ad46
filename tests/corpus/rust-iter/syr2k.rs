//! The lower triangle of C = alpha (A B' + B A') + beta C.

#[inline(never)]
pub fn syr2k(n: usize, m: usize, alpha: f64, beta: f64, c: &mut [f64], a: &[f64], b: &[f64]) {
    for (i, ((c, ai), bi)) in c.chunks_exact_mut(n).zip(a.chunks_exact(m)).zip(b.chunks_exact(m)).enumerate() {
        let c = &mut c[..=i];
        c.iter_mut().for_each(|c| *c *= beta);
        for (k, (aik, bik)) in ai.iter().zip(bi).enumerate() {
            for ((c, aj), bj) in c.iter_mut().zip(a.chunks_exact(m)).zip(b.chunks_exact(m)) {
                *c += alpha * (aik * bj[k] + bik * aj[k]);
            }
        }
    }
}
