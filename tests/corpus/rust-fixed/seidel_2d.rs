//! Each element becomes the mean of its three by three surroundings, in place.

#[inline(never)]
pub fn seidel_2d<const N: usize>(steps: usize, a: &mut [[f64; N]; N]) {
    if N < 3 {
        return;
    }
    for _ in 0..steps {
        for i in 1..N - 1 {
            for j in 1..N - 1 {
                let above = a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1];
                let same = a[i][j - 1] + a[i][j] + a[i][j + 1];
                let below = a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1];
                a[i][j] = (above + same + below) / 9.0;
            }
        }
    }
}
