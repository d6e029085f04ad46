//! A = L U in place without pivoting: each step updates what is right of and below the pivot.

#[inline(never)]
pub fn lu(n: usize, a: &mut [f64]) {
    for k in 0..n {
        let (upper, lower) = a.split_at_mut((k + 1) * n);
        let pivot = &upper[k * n..];
        for row in lower.chunks_exact_mut(n) {
            row[k] /= pivot[k];
            let factor = row[k];
            for (x, above) in row[k + 1..].iter_mut().zip(&pivot[k + 1..]) {
                *x -= factor * above;
            }
        }
    }
}
