//! Each element becomes the mean of itself and its four neighbours, from one array to the other and back.

#[inline(never)]
pub fn jacobi_2d(steps: usize, n: usize, a: &mut [f64], b: &mut [f64]) {
    if n < 3 {
        return;
    }
    for _ in 0..steps {
        for (b, a) in b.chunks_exact_mut(n).skip(1).zip(a.windows(3 * n).step_by(n)) {
            let (above, row, below) = (&a[1..n], &a[n..2 * n], &a[2 * n + 1..]);
            for (((b, a), above), below) in b[1..].iter_mut().zip(row.windows(3)).zip(above).zip(below) {
                *b = 0.2 * (a[1] + above + below + a[0] + a[2]);
            }
        }
        for (a, b) in a.chunks_exact_mut(n).skip(1).zip(b.windows(3 * n).step_by(n)) {
            let (above, row, below) = (&b[1..n], &b[n..2 * n], &b[2 * n + 1..]);
            for (((a, b), above), below) in a[1..].iter_mut().zip(row.windows(3)).zip(above).zip(below) {
                *a = 0.2 * (b[1] + above + below + b[0] + b[2]);
            }
        }
    }
}
