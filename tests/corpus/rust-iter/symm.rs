//! C = alpha A B + beta C; A is symmetric, only its lower triangle is stored.

#[inline(never)]
pub fn symm(m: usize, n: usize, alpha: f64, beta: f64, c: &mut [f64], a: &[f64], b: &[f64]) {
    for (i, (c, row)) in c.chunks_exact_mut(n).zip(a.chunks_exact(m)).enumerate() {
        for (j, c) in c.iter_mut().enumerate() {
            let mut sum = 0.0;
            for (a, b) in row[..=i].iter().zip(b.chunks_exact(n)) {
                sum += a * b[j];
            }
            for (a, b) in a.chunks_exact(m).zip(b.chunks_exact(n)).skip(i + 1) {
                sum += a[i] * b[j];
            }
            *c = alpha * sum + beta * *c;
        }
    }
}
