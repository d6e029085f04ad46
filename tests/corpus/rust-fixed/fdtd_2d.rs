//! Maxwell's equations in two dimensions on a staggered grid, with a pulse that enters at the edge.

#[inline(never)]
pub fn fdtd_2d<const STEPS: usize, const NX: usize, const NY: usize>(
    ex: &mut [[f64; NY]; NX],
    ey: &mut [[f64; NY]; NX],
    hz: &mut [[f64; NY]; NX],
    pulse: &[f64; STEPS],
) {
    if NX == 0 || NY == 0 {
        return;
    }
    for t in 0..STEPS {
        for j in 0..NY {
            ey[0][j] = pulse[t];
        }
        for i in 1..NX {
            for j in 0..NY {
                ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j]);
            }
        }
        for i in 0..NX {
            for j in 1..NY {
                ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1]);
            }
        }
        for i in 0..NX - 1 {
            for j in 0..NY - 1 {
                hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
            }
        }
    }
}
