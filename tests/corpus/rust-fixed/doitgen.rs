//! Every row of a three-dimensional array times a matrix, in place through one row of scratch memory.

#[inline(never)]
pub fn doitgen<const NR: usize, const NQ: usize, const NP: usize>(
    a: &mut [[[f64; NP]; NQ]; NR],
    row: &mut [f64; NP],
    c: &[[f64; NP]; NP],
) {
    for r in 0..NR {
        for q in 0..NQ {
            for p in 0..NP {
                row[p] = 0.0;
                for s in 0..NP {
                    row[p] += a[r][q][s] * c[s][p];
                }
            }
            for p in 0..NP {
                a[r][q][p] = row[p];
            }
        }
    }
}
