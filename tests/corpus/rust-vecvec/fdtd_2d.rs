//! Maxwell's equations in two dimensions on a staggered grid, with a pulse that enters at the edge.

#[inline(never)]
pub fn fdtd_2d(
    steps: usize,
    nx: usize,
    ny: usize,
    ex: &mut [Vec<f64>],
    ey: &mut [Vec<f64>],
    hz: &mut [Vec<f64>],
    pulse: &[f64],
) {
    if nx == 0 || ny == 0 {
        return;
    }
    for t in 0..steps {
        for j in 0..ny {
            ey[0][j] = pulse[t];
        }
        for i in 1..nx {
            for j in 0..ny {
                ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j]);
            }
        }
        for i in 0..nx {
            for j in 1..ny {
                ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1]);
            }
        }
        for i in 0..nx - 1 {
            for j in 0..ny - 1 {
                hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
            }
        }
    }
}
