//! Every row of a three-dimensional array times a matrix, in place through one row of scratch memory.

#[inline(never)]
pub fn doitgen(nr: usize, nq: usize, np: usize, a: &mut [Vec<Vec<f64>>], row: &mut [f64], c: &[Vec<f64>]) {
    for r in 0..nr {
        for q in 0..nq {
            for p in 0..np {
                row[p] = 0.0;
                for s in 0..np {
                    row[p] += a[r][q][s] * c[s][p];
                }
            }
            for p in 0..np {
                a[r][q][p] = row[p];
            }
        }
    }
}
