//! The Yule-Walker equations by the recursion of Levinson and Durbin.

#[inline(never)]
pub fn durbin<const N: usize>(y: &mut [f64; N], z: &mut [f64; N], r: &[f64; N]) {
    let mut error = 1.0;
    for k in 0..N {
        let mut sum = r[k];
        for i in 0..k {
            sum += r[k - 1 - i] * y[i];
        }
        let reflection = -sum / error;
        for i in 0..k {
            z[i] = y[i] + reflection * y[k - 1 - i];
        }
        for i in 0..k {
            y[i] = z[i];
        }
        y[k] = reflection;
        error *= 1.0 - reflection * reflection;
    }
}
