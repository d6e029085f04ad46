//! D = alpha A B C + beta D, through T = alpha A B; each element is summed in a variable.

#[inline(never)]
pub fn mm2(
    ni: usize,
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
    assert!(d.len() >= ni * nl && t.len() >= ni * nj && a.len() >= ni * nk && b.len() >= nk * nj && c.len() >= nj * nl);
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for i in 0..ni {
            for j in 0..nj {
                let mut sum = 0.0;
                for k in 0..nk {
                    sum += *a.get_unchecked(i * nk + k) * *b.get_unchecked(k * nj + j);
                }
                *t.get_unchecked_mut(i * nj + j) = alpha * sum;
            }
        }
        for i in 0..ni {
            for l in 0..nl {
                let mut sum = beta * *d.get_unchecked(i * nl + l);
                for j in 0..nj {
                    sum += *t.get_unchecked(i * nj + j) * *c.get_unchecked(j * nl + l);
                }
                *d.get_unchecked_mut(i * nl + l) = sum;
            }
        }
    }
}
