//! Solves A x = b: A = L U row by row, then y by forward and x by backward substitution.

#[inline(never)]
pub fn ludcmp(n: usize, a: &mut [f64], x: &mut [f64], y: &mut [f64], b: &[f64]) {
    for i in 0..n {
        let (above, rest) = a.split_at_mut(i * n);
        let row = &mut rest[..n];
        for (j, pivot) in above.chunks_exact(n).enumerate() {
            let rest = row[..j].iter().zip(above.chunks_exact(n)).fold(row[j], |rest, (l, u)| rest - l * u[j]);
            row[j] = rest / pivot[j];
        }
        let (left, right) = row.split_at_mut(i);
        for (j, x) in (i..n).zip(right) {
            *x = left.iter().zip(above.chunks_exact(n)).fold(*x, |rest, (l, u)| rest - l * u[j]);
        }
    }
    for (i, (row, b)) in a.chunks_exact(n).zip(b).enumerate() {
        y[i] = row[..i].iter().zip(y.iter()).fold(*b, |rest, (a, y)| rest - a * y);
    }
    for (i, (row, y)) in a.chunks_exact(n).zip(y.iter()).enumerate().rev() {
        let rest = row[i + 1..].iter().zip(&x[i + 1..]).fold(*y, |rest, (a, x)| rest - a * x);
        x[i] = rest / row[i];
    }
}
