//! The heat equation by alternating directions: tridiagonal systems along the columns, then along the rows.

#[inline(never)]
pub fn adi(steps: usize, n: usize, u: &mut [f64], v: &mut [f64], p: &mut [f64], q: &mut [f64]) {
    if n < 3 {
        return;
    }
    let r = 0.5 * n as f64 / steps as f64;
    let side = -r;
    let middle = 1.0 + 2.0 * r;
    for _ in 0..steps {
        for i in 1..n - 1 {
            v[i] = 1.0;
            p[i * n] = 0.0;
            q[i * n] = 1.0;
            for j in 1..n - 1 {
                let pivot = side * p[i * n + j - 1] + middle;
                p[i * n + j] = -side / pivot;
                q[i * n + j] = (r * u[j * n + i - 1] + (1.0 - 2.0 * r) * u[j * n + i] + r * u[j * n + i + 1]
                    - side * q[i * n + j - 1])
                    / pivot;
            }
            v[(n - 1) * n + i] = 1.0;
            for j in (1..n - 1).rev() {
                v[j * n + i] = p[i * n + j] * v[(j + 1) * n + i] + q[i * n + j];
            }
        }
        for i in 1..n - 1 {
            u[i * n] = 1.0;
            p[i * n] = 0.0;
            q[i * n] = 1.0;
            for j in 1..n - 1 {
                let pivot = side * p[i * n + j - 1] + middle;
                p[i * n + j] = -side / pivot;
                q[i * n + j] = (r * v[(i - 1) * n + j] + (1.0 - 2.0 * r) * v[i * n + j] + r * v[(i + 1) * n + j]
                    - side * q[i * n + j - 1])
                    / pivot;
            }
            u[i * n + n - 1] = 1.0;
            for j in (1..n - 1).rev() {
                u[i * n + j] = p[i * n + j] * u[i * n + j + 1] + q[i * n + j];
            }
        }
    }
}
