//! A = L L' for a positive definite A, row by row; L replaces the lower triangle.

#[inline(never)]
pub fn cholesky(n: usize, a: &mut [f64]) {
    for i in 0..n {
        let (above, rest) = a.split_at_mut(i * n);
        let row = &mut rest[..n];
        for (j, other) in above.chunks_exact(n).enumerate() {
            let rest = row[..j].iter().zip(other).fold(row[j], |rest, (x, y)| rest - x * y);
            row[j] = rest / other[j];
        }
        let rest = row[..i].iter().fold(row[i], |rest, x| rest - x * x);
        row[i] = rest.sqrt();
    }
}
