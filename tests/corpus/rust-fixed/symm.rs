//! C = alpha A B + beta C; A is symmetric, only its lower triangle is stored.

#[inline(never)]
pub fn symm<const M: usize, const N: usize>(
    alpha: f64,
    beta: f64,
    c: &mut [[f64; N]; M],
    a: &[[f64; M]; M],
    b: &[[f64; N]; M],
) {
    for i in 0..M {
        for j in 0..N {
            let mut sum = 0.0;
            for k in 0..=i {
                sum += a[i][k] * b[k][j];
            }
            for k in i + 1..M {
                sum += a[k][i] * b[k][j];
            }
            c[i][j] = alpha * sum + beta * c[i][j];
        }
    }
}
