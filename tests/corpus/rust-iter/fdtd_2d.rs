//! Maxwell's equations in two dimensions on a staggered grid, with a pulse that enters at the edge.

#[inline(never)]
pub fn fdtd_2d(ny: usize, ex: &mut [f64], ey: &mut [f64], hz: &mut [f64], pulse: &[f64]) {
    if ny == 0 || hz.is_empty() {
        return;
    }
    for &pulse in pulse {
        ey[..ny].fill(pulse);
        for ((ey, above), here) in ey[ny..].iter_mut().zip(hz.iter()).zip(&hz[ny..]) {
            *ey -= 0.5 * (here - above);
        }
        for (ex, hz) in ex.chunks_exact_mut(ny).zip(hz.chunks_exact(ny)) {
            for (ex, hz) in ex[1..].iter_mut().zip(hz.windows(2)) {
                *ex -= 0.5 * (hz[1] - hz[0]);
            }
        }
        let pairs = ey.chunks_exact(ny).zip(ey.chunks_exact(ny).skip(1));
        for ((hz, ex), (above, below)) in hz.chunks_exact_mut(ny).zip(ex.chunks_exact(ny)).zip(pairs) {
            for (((hz, ex), above), below) in hz.iter_mut().zip(ex.windows(2)).zip(above).zip(below) {
                *hz -= 0.7 * (ex[1] - ex[0] + below - above);
            }
        }
    }
}
