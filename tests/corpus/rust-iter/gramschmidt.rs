//! A = Q R by the modified Gram-Schmidt process; A ends as what is left of its columns.

#[inline(never)]
pub fn gramschmidt(n: usize, a: &mut [f64], q: &mut [f64], r: &mut [f64]) {
    for (k, r) in r.chunks_exact_mut(n).enumerate() {
        let norm: f64 = a.chunks_exact(n).fold(0.0, |norm, a| norm + a[k] * a[k]);
        r[k] = norm.sqrt();
        for (q, a) in q[k..].iter_mut().step_by(n).zip(a[k..].iter().step_by(n)) {
            *q = a / r[k];
        }
        for (j, r) in r.iter_mut().enumerate().skip(k + 1) {
            *r = 0.0;
            for (q, a) in q[k..].iter().step_by(n).zip(a[j..].iter().step_by(n)) {
                *r += q * a;
            }
            for (q, a) in q[k..].iter().step_by(n).zip(a[j..].iter_mut().step_by(n)) {
                *a -= q * *r;
            }
        }
    }
}
