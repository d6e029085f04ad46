//! The heat equation in three dimensions, explicit, from one array to the other and back.

#[inline(never)]
pub fn heat_3d(steps: usize, n: usize, a: &mut [f64], b: &mut [f64]) {
    if n < 3 {
        return;
    }
    for _ in 0..steps {
        step(n, a, b);
        step(n, b, a);
    }
}

// Both calls are in a loop over time, which is one nest with them.
#[inline(always)]
fn step(n: usize, from: &[f64], to: &mut [f64]) {
    let planes = from.windows(3 * n * n).step_by(n * n);
    for (to, from) in to.chunks_exact_mut(n * n).skip(1).zip(planes) {
        let (before, from) = from.split_at(n * n);
        let (from, after) = from.split_at(n * n);
        for (j, to) in to.chunks_exact_mut(n).enumerate().take(n - 1).skip(1) {
            let ends = before[j * n + 1..].iter().zip(&after[j * n + 1..]);
            let sides = from[(j - 1) * n + 1..].iter().zip(&from[(j + 1) * n + 1..]);
            let middle = from[j * n..].windows(3);
            for (((to, middle), ends), sides) in to[1..n - 1].iter_mut().zip(middle).zip(ends).zip(sides) {
                *to = 0.25 * middle[1]
                    + 0.125 * (ends.0 + ends.1)
                    + 0.125 * (sides.0 + sides.1)
                    + 0.125 * (middle[0] + middle[2]);
            }
        }
    }
}
