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
        for (i, (p, q)) in p.chunks_exact_mut(n).zip(q.chunks_exact_mut(n)).enumerate().take(n - 1).skip(1) {
            v[i] = 1.0;
            p[0] = 0.0;
            q[0] = 1.0;
            for (j, u) in u.chunks_exact(n).enumerate().take(n - 1).skip(1) {
                let pivot = side * p[j - 1] + middle;
                p[j] = -side / pivot;
                q[j] = (r * u[i - 1] + (1.0 - 2.0 * r) * u[i] + r * u[i + 1] - side * q[j - 1]) / pivot;
            }
            v[(n - 1) * n + i] = 1.0;
            let mut next = 1.0;
            for ((v, p), q) in v.chunks_exact_mut(n).zip(p).zip(q).take(n - 1).skip(1).rev() {
                v[i] = *p * next + *q;
                next = v[i];
            }
        }
        let rows = u.chunks_exact_mut(n).zip(p.chunks_exact_mut(n)).zip(q.chunks_exact_mut(n));
        for (((u, p), q), v) in rows.skip(1).zip(v.windows(3 * n).step_by(n)) {
            u[0] = 1.0;
            p[0] = 0.0;
            q[0] = 1.0;
            let (above, v) = v.split_at(n);
            let (v, below) = v.split_at(n);
            for (j, ((above, v), below)) in above.iter().zip(v).zip(below).enumerate().take(n - 1).skip(1) {
                let pivot = side * p[j - 1] + middle;
                p[j] = -side / pivot;
                q[j] = (r * above + (1.0 - 2.0 * r) * v + r * below - side * q[j - 1]) / pivot;
            }
            u[n - 1] = 1.0;
            let mut next = 1.0;
            for ((u, p), q) in u.iter_mut().zip(p).zip(q).take(n - 1).skip(1).rev() {
                *u = *p * next + *q;
                next = *u;
            }
        }
    }
}
