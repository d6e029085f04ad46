//! Each element becomes the mean of its three by three surroundings, in place.

#[inline(never)]
pub fn seidel_2d(steps: usize, n: usize, a: &mut [f64]) {
    if n < 3 {
        return;
    }
    for _ in 0..steps {
        for i in 1..n - 1 {
            let (above, rest) = a.split_at_mut(i * n);
            let (row, below) = rest.split_at_mut(n);
            let above = &above[(i - 1) * n..];
            for (j, (above, below)) in above.windows(3).zip(below.windows(3)).enumerate() {
                let above = above[0] + above[1] + above[2];
                let same = row[j] + row[j + 1] + row[j + 2];
                let below = below[0] + below[1] + below[2];
                row[j + 1] = (above + same + below) / 9.0;
            }
        }
    }
}
