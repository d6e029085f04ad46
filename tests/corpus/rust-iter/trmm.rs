//! B = alpha A B in place; A is upper triangular, so that row i needs only rows that still hold old values.

#[inline(never)]
pub fn trmm(m: usize, n: usize, alpha: f64, b: &mut [f64], a: &[f64]) {
    for (i, a) in a.chunks_exact(m).enumerate() {
        let (row, below) = b[i * n..].split_at_mut(n);
        for (j, x) in row.iter_mut().enumerate() {
            let first = a[i] * *x;
            *x = alpha * a[i + 1..].iter().zip(below.chunks_exact(n)).fold(first, |sum, (a, b)| sum + a * b[j]);
        }
    }
}
