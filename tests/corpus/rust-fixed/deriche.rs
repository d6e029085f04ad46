//! Deriche's recursive smoothing filter: along the rows from both sides, then along the columns.

#[inline(never)]
pub fn deriche<const W: usize, const H: usize>(
    alpha: f32,
    image: &[[f32; H]; W],
    out: &mut [[f32; H]; W],
    p: &mut [[f32; H]; W],
    q: &mut [[f32; H]; W],
) {
    let e = (-alpha).exp();
    let k = (1.0 - e) * (1.0 - e) / (1.0 + 2.0 * alpha * e - e * e);
    let a1 = k;
    let a2 = k * e * (alpha - 1.0);
    let a3 = k * e * (alpha + 1.0);
    let a4 = -k * e * e;
    let b1 = 2.0 * e;
    let b2 = -e * e;

    for i in 0..W {
        let mut x1 = 0.0;
        let mut y1 = 0.0;
        let mut y2 = 0.0;
        for j in 0..H {
            p[i][j] = a1 * image[i][j] + a2 * x1 + b1 * y1 + b2 * y2;
            x1 = image[i][j];
            y2 = y1;
            y1 = p[i][j];
        }
    }
    for i in 0..W {
        let mut x1 = 0.0;
        let mut x2 = 0.0;
        let mut y1 = 0.0;
        let mut y2 = 0.0;
        for j in (0..H).rev() {
            q[i][j] = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2;
            x2 = x1;
            x1 = image[i][j];
            y2 = y1;
            y1 = q[i][j];
        }
    }
    for i in 0..W {
        for j in 0..H {
            out[i][j] = p[i][j] + q[i][j];
        }
    }
    for j in 0..H {
        let mut x1 = 0.0;
        let mut y1 = 0.0;
        let mut y2 = 0.0;
        for i in 0..W {
            p[i][j] = a1 * out[i][j] + a2 * x1 + b1 * y1 + b2 * y2;
            x1 = out[i][j];
            y2 = y1;
            y1 = p[i][j];
        }
    }
    for j in 0..H {
        let mut x1 = 0.0;
        let mut x2 = 0.0;
        let mut y1 = 0.0;
        let mut y2 = 0.0;
        for i in (0..W).rev() {
            q[i][j] = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2;
            x2 = x1;
            x1 = out[i][j];
            y2 = y1;
            y1 = q[i][j];
        }
    }
    for i in 0..W {
        for j in 0..H {
            out[i][j] = p[i][j] + q[i][j];
        }
    }
}
