//! Every row of a three-dimensional array times a matrix, in place through one row of scratch memory.

#[inline(never)]
pub fn doitgen(nr: usize, nq: usize, np: usize, a: &mut [f64], row: &mut [f64], c: &[f64]) {
    assert!(a.len() >= nr * nq * np && row.len() >= np && c.len() >= np * np);
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for r in 0..nr {
            for q in 0..nq {
                for p in 0..np {
                    *row.get_unchecked_mut(p) = 0.0;
                    for s in 0..np {
                        *row.get_unchecked_mut(p) +=
                            *a.get_unchecked((r * nq + q) * np + s) * *c.get_unchecked(s * np + p);
                    }
                }
                for p in 0..np {
                    *a.get_unchecked_mut((r * nq + q) * np + p) = *row.get_unchecked(p);
                }
            }
        }
    }
}
