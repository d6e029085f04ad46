//! D = alpha A B C + beta D, through T = alpha A B; each element is summed in a variable.

#[inline(never)]
pub fn mm2(
    ni: usize,
    nj: usize,
    nk: usize,
    nl: usize,
    alpha: f64,
    beta: f64,
    d: &mut [f64],
    t: &mut [f64],
    a: &[f64],
    b: &[f64],
    c: &[f64],
) {
    for i in 0..ni {
        for j in 0..nj {
            let mut sum = 0.0;
            for k in 0..nk {
                sum += a[i * nk + k] * b[k * nj + j];
            }
            t[i * nj + j] = alpha * sum;
        }
    }
    for i in 0..ni {
        for l in 0..nl {
            let mut sum = beta * d[i * nl + l];
            for j in 0..nj {
                sum += t[i * nj + j] * c[j * nl + l];
            }
            d[i * nl + l] = sum;
        }
    }
}
