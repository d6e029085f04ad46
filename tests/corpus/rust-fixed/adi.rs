//! The heat equation by alternating directions: tridiagonal systems along the columns, then along the rows.

#[inline(never)]
pub fn adi<const N: usize>(
    steps: usize,
    u: &mut [[f64; N]; N],
    v: &mut [[f64; N]; N],
    p: &mut [[f64; N]; N],
    q: &mut [[f64; N]; N],
) {
    if N < 3 {
        return;
    }
    let r = 0.5 * N as f64 / steps as f64;
    let side = -r;
    let middle = 1.0 + 2.0 * r;
    for _ in 0..steps {
        for i in 1..N - 1 {
            v[0][i] = 1.0;
            p[i][0] = 0.0;
            q[i][0] = 1.0;
            for j in 1..N - 1 {
                let pivot = side * p[i][j - 1] + middle;
                p[i][j] = -side / pivot;
                q[i][j] = (r * u[j][i - 1] + (1.0 - 2.0 * r) * u[j][i] + r * u[j][i + 1] - side * q[i][j - 1]) / pivot;
            }
            v[N - 1][i] = 1.0;
            for j in (1..N - 1).rev() {
                v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
            }
        }
        for i in 1..N - 1 {
            u[i][0] = 1.0;
            p[i][0] = 0.0;
            q[i][0] = 1.0;
            for j in 1..N - 1 {
                let pivot = side * p[i][j - 1] + middle;
                p[i][j] = -side / pivot;
                q[i][j] = (r * v[i - 1][j] + (1.0 - 2.0 * r) * v[i][j] + r * v[i + 1][j] - side * q[i][j - 1]) / pivot;
            }
            u[i][N - 1] = 1.0;
            for j in (1..N - 1).rev() {
                u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
            }
        }
    }
}
