//! Solves L x = b for a lower triangular L.

#[inline(never)]
pub fn trisolv(n: usize, x: &mut [f64], l: &[f64], b: &[f64]) {
    for (i, (row, b)) in l.chunks_exact(n).zip(b).enumerate() {
        let rest = row[..i].iter().zip(x.iter()).fold(*b, |rest, (l, x)| rest - l * x);
        x[i] = rest / row[i];
    }
}
