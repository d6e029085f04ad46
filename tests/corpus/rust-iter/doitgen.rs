//! Every row of a three-dimensional array times a matrix, in place through one row of scratch memory.

#[inline(never)]
pub fn doitgen(nq: usize, np: usize, a: &mut [f64], row: &mut [f64], c: &[f64]) {
    for plane in a.chunks_exact_mut(nq * np) {
        for a in plane.chunks_exact_mut(np) {
            for (p, sum) in row.iter_mut().enumerate() {
                *sum = 0.0;
                for (a, c) in a.iter().zip(c[p..].iter().step_by(np)) {
                    *sum += a * c;
                }
            }
            a.copy_from_slice(row);
        }
    }
}
