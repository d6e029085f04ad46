//! D = alpha A B C + beta D, through T = alpha A B; each element is summed in a variable.

#[inline(never)]
pub fn mm2<const NI: usize, const NJ: usize, const NK: usize, const NL: usize>(
    alpha: f64,
    beta: f64,
    d: &mut [[f64; NL]; NI],
    t: &mut [[f64; NJ]; NI],
    a: &[[f64; NK]; NI],
    b: &[[f64; NJ]; NK],
    c: &[[f64; NL]; NJ],
) {
    for i in 0..NI {
        for j in 0..NJ {
            let mut sum = 0.0;
            for k in 0..NK {
                sum += a[i][k] * b[k][j];
            }
            t[i][j] = alpha * sum;
        }
    }
    for i in 0..NI {
        for l in 0..NL {
            let mut sum = beta * d[i][l];
            for j in 0..NJ {
                sum += t[i][j] * c[j][l];
            }
            d[i][l] = sum;
        }
    }
}
