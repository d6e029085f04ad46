//! Deriche's recursive smoothing filter: along the rows from both sides, then along the columns.

#[inline(never)]
pub fn deriche(h: usize, alpha: f32, image: &[f32], out: &mut [f32], p: &mut [f32], q: &mut [f32]) {
    let e = (-alpha).exp();
    let k = (1.0 - e) * (1.0 - e) / (1.0 + 2.0 * alpha * e - e * e);
    let a1 = k;
    let a2 = k * e * (alpha - 1.0);
    let a3 = k * e * (alpha + 1.0);
    let a4 = -k * e * e;
    let b1 = 2.0 * e;
    let b2 = -e * e;

    for (p, image) in p.chunks_exact_mut(h).zip(image.chunks_exact(h)) {
        let (mut x1, mut y1, mut y2) = (0.0, 0.0, 0.0);
        for (p, &x) in p.iter_mut().zip(image) {
            *p = a1 * x + a2 * x1 + b1 * y1 + b2 * y2;
            x1 = x;
            y2 = y1;
            y1 = *p;
        }
    }
    for (q, image) in q.chunks_exact_mut(h).zip(image.chunks_exact(h)) {
        let (mut x1, mut x2, mut y1, mut y2) = (0.0, 0.0, 0.0, 0.0);
        for (q, &x) in q.iter_mut().zip(image).rev() {
            *q = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2;
            x2 = x1;
            x1 = x;
            y2 = y1;
            y1 = *q;
        }
    }
    for ((out, p), q) in out.iter_mut().zip(p.iter()).zip(q.iter()) {
        *out = p + q;
    }
    for j in 0..h {
        let (mut x1, mut y1, mut y2) = (0.0, 0.0, 0.0);
        for (p, &x) in p[j..].iter_mut().step_by(h).zip(out[j..].iter().step_by(h)) {
            *p = a1 * x + a2 * x1 + b1 * y1 + b2 * y2;
            x1 = x;
            y2 = y1;
            y1 = *p;
        }
    }
    for j in 0..h {
        let (mut x1, mut x2, mut y1, mut y2) = (0.0, 0.0, 0.0, 0.0);
        for (q, &x) in q[j..].iter_mut().step_by(h).zip(out[j..].iter().step_by(h)).rev() {
            *q = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2;
            x2 = x1;
            x1 = x;
            y2 = y1;
            y1 = *q;
        }
    }
    for ((out, p), q) in out.iter_mut().zip(p.iter()).zip(q.iter()) {
        *out = p + q;
    }
}
