//! The lower triangle of C = alpha A A' + beta C.

#[inline(never)]
pub fn syrk(n: usize, m: usize, alpha: f64, beta: f64, c: &mut [f64], a: &[f64]) {
    for (i, (c, left)) in c.chunks_exact_mut(n).zip(a.chunks_exact(m)).enumerate() {
        for (c, right) in c.iter_mut().zip(a.chunks_exact(m)).take(i + 1) {
            *c *= beta;
            for (left, right) in left.iter().zip(right) {
                *c += alpha * left * right;
            }
        }
    }
}
