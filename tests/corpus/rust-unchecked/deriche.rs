//! Deriche's recursive smoothing filter: along the rows from both sides, then along the columns.

#[inline(never)]
pub fn deriche(w: usize, h: usize, alpha: f32, image: &[f32], out: &mut [f32], p: &mut [f32], q: &mut [f32]) {
    assert!(image.len() >= w * h && out.len() >= w * h && p.len() >= w * h && q.len() >= w * h);
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        let e = (-alpha).exp();
        let k = (1.0 - e) * (1.0 - e) / (1.0 + 2.0 * alpha * e - e * e);
        let a1 = k;
        let a2 = k * e * (alpha - 1.0);
        let a3 = k * e * (alpha + 1.0);
        let a4 = -k * e * e;
        let b1 = 2.0 * e;
        let b2 = -e * e;

        for i in 0..w {
            let mut x1 = 0.0;
            let mut y1 = 0.0;
            let mut y2 = 0.0;
            for j in 0..h {
                *p.get_unchecked_mut(i * h + j) = a1 * *image.get_unchecked(i * h + j) + a2 * x1 + b1 * y1 + b2 * y2;
                x1 = *image.get_unchecked(i * h + j);
                y2 = y1;
                y1 = *p.get_unchecked(i * h + j);
            }
        }
        for i in 0..w {
            let mut x1 = 0.0;
            let mut x2 = 0.0;
            let mut y1 = 0.0;
            let mut y2 = 0.0;
            for j in (0..h).rev() {
                *q.get_unchecked_mut(i * h + j) = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2;
                x2 = x1;
                x1 = *image.get_unchecked(i * h + j);
                y2 = y1;
                y1 = *q.get_unchecked(i * h + j);
            }
        }
        for i in 0..w {
            for j in 0..h {
                *out.get_unchecked_mut(i * h + j) = *p.get_unchecked(i * h + j) + *q.get_unchecked(i * h + j);
            }
        }
        for j in 0..h {
            let mut x1 = 0.0;
            let mut y1 = 0.0;
            let mut y2 = 0.0;
            for i in 0..w {
                *p.get_unchecked_mut(i * h + j) = a1 * *out.get_unchecked(i * h + j) + a2 * x1 + b1 * y1 + b2 * y2;
                x1 = *out.get_unchecked(i * h + j);
                y2 = y1;
                y1 = *p.get_unchecked(i * h + j);
            }
        }
        for j in 0..h {
            let mut x1 = 0.0;
            let mut x2 = 0.0;
            let mut y1 = 0.0;
            let mut y2 = 0.0;
            for i in (0..w).rev() {
                *q.get_unchecked_mut(i * h + j) = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2;
                x2 = x1;
                x1 = *out.get_unchecked(i * h + j);
                y2 = y1;
                y1 = *q.get_unchecked(i * h + j);
            }
        }
        for i in 0..w {
            for j in 0..h {
                *out.get_unchecked_mut(i * h + j) = *p.get_unchecked(i * h + j) + *q.get_unchecked(i * h + j);
            }
        }
    }
}
