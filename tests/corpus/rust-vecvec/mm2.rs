//! D = alpha A B C + beta D, through T = alpha A B; each element is summed in a variable.

#[inline(never)]
pub fn mm2(
    ni: usize,
    nj: usize,
    nk: usize,
    nl: usize,
    alpha: f64,
    beta: f64,
    d: &mut [Vec<f64>],
    t: &mut [Vec<f64>],
    a: &[Vec<f64>],
    b: &[Vec<f64>],
    c: &[Vec<f64>],
) {
    for i in 0..ni {
        for j in 0..nj {
            let mut sum = 0.0;
            for k in 0..nk {
                sum += a[i][k] * b[k][j];
            }
            t[i][j] = alpha * sum;
        }
    }
    for i in 0..ni {
        for l in 0..nl {
            let mut sum = beta * d[i][l];
            for j in 0..nj {
                sum += t[i][j] * c[j][l];
            }
            d[i][l] = sum;
        }
    }
}
