//! G = (A B) (C D), with E = A B and F = C D kept.

#[inline(never)]
pub fn mm3(
    ni: usize,
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
    assert!(
        g.len() >= ni * nl
            && e.len() >= ni * nj
            && f.len() >= nj * nl
            && a.len() >= ni * nk
            && b.len() >= nk * nj
            && c.len() >= nj * nm
            && d.len() >= nm * nl
    );
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for i in 0..ni {
            for j in 0..nj {
                *e.get_unchecked_mut(i * nj + j) = 0.0;
                for k in 0..nk {
                    *e.get_unchecked_mut(i * nj + j) += *a.get_unchecked(i * nk + k) * *b.get_unchecked(k * nj + j);
                }
            }
        }
        for j in 0..nj {
            for l in 0..nl {
                *f.get_unchecked_mut(j * nl + l) = 0.0;
                for m in 0..nm {
                    *f.get_unchecked_mut(j * nl + l) += *c.get_unchecked(j * nm + m) * *d.get_unchecked(m * nl + l);
                }
            }
        }
        for i in 0..ni {
            for l in 0..nl {
                *g.get_unchecked_mut(i * nl + l) = 0.0;
                for j in 0..nj {
                    *g.get_unchecked_mut(i * nl + l) += *e.get_unchecked(i * nj + j) * *f.get_unchecked(j * nl + l);
                }
            }
        }
    }
}
