//! Maxwell's equations in two dimensions on a staggered grid, with a pulse that enters at the edge.

#[inline(never)]
pub fn fdtd_2d(steps: usize, nx: usize, ny: usize, ex: &mut [f64], ey: &mut [f64], hz: &mut [f64], pulse: &[f64]) {
    assert!(ex.len() >= nx * ny && ey.len() >= nx * ny && hz.len() >= nx * ny && pulse.len() >= steps);
    if nx == 0 || ny == 0 {
        return;
    }
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for t in 0..steps {
            for j in 0..ny {
                *ey.get_unchecked_mut(j) = *pulse.get_unchecked(t);
            }
            for i in 1..nx {
                for j in 0..ny {
                    *ey.get_unchecked_mut(i * ny + j) -=
                        0.5 * (*hz.get_unchecked(i * ny + j) - *hz.get_unchecked((i - 1) * ny + j));
                }
            }
            for i in 0..nx {
                for j in 1..ny {
                    *ex.get_unchecked_mut(i * ny + j) -=
                        0.5 * (*hz.get_unchecked(i * ny + j) - *hz.get_unchecked(i * ny + j - 1));
                }
            }
            for i in 0..nx - 1 {
                for j in 0..ny - 1 {
                    *hz.get_unchecked_mut(i * ny + j) -= 0.7
                        * (*ex.get_unchecked(i * ny + j + 1) - *ex.get_unchecked(i * ny + j)
                            + *ey.get_unchecked((i + 1) * ny + j)
                            - *ey.get_unchecked(i * ny + j));
                }
            }
        }
    }
}
