//! The heat equation in three dimensions, explicit, from one array to the other and back.

#[inline(never)]
pub fn heat_3d<const N: usize>(steps: usize, a: &mut [[[f64; N]; N]; N], b: &mut [[[f64; N]; N]; N]) {
    if N < 3 {
        return;
    }
    for _ in 0..steps {
        for i in 1..N - 1 {
            for j in 1..N - 1 {
                for k in 1..N - 1 {
                    b[i][j][k] = 0.25 * a[i][j][k]
                        + 0.125 * (a[i - 1][j][k] + a[i + 1][j][k])
                        + 0.125 * (a[i][j - 1][k] + a[i][j + 1][k])
                        + 0.125 * (a[i][j][k - 1] + a[i][j][k + 1]);
                }
            }
        }
        for i in 1..N - 1 {
            for j in 1..N - 1 {
                for k in 1..N - 1 {
                    a[i][j][k] = 0.25 * b[i][j][k]
                        + 0.125 * (b[i - 1][j][k] + b[i + 1][j][k])
                        + 0.125 * (b[i][j - 1][k] + b[i][j + 1][k])
                        + 0.125 * (b[i][j][k - 1] + b[i][j][k + 1]);
                }
            }
        }
    }
}
