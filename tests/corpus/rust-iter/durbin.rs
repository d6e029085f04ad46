//! The Yule-Walker equations by the recursion of Levinson and Durbin.

#[inline(never)]
pub fn durbin(y: &mut [f64], z: &mut [f64], r: &[f64]) {
    let mut error = 1.0;
    for (k, &first) in r.iter().enumerate() {
        let sum = r[..k].iter().rev().zip(&y[..k]).fold(first, |sum, (r, y)| sum + r * y);
        let reflection = -sum / error;
        for ((z, y), back) in z.iter_mut().zip(&y[..k]).zip(y[..k].iter().rev()) {
            *z = y + reflection * back;
        }
        y[..k].copy_from_slice(&z[..k]);
        y[k] = reflection;
        error *= 1.0 - reflection * reflection;
    }
}
