//! The Yule-Walker equations by the recursion of Levinson and Durbin.

#[inline(never)]
pub fn durbin(n: usize, y: &mut [f64], z: &mut [f64], r: &[f64]) {
    assert!(y.len() >= n && z.len() >= n && r.len() >= n);
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        let mut error = 1.0;
        for k in 0..n {
            let mut sum = *r.get_unchecked(k);
            for i in 0..k {
                sum += *r.get_unchecked(k - 1 - i) * *y.get_unchecked(i);
            }
            let reflection = -sum / error;
            for i in 0..k {
                *z.get_unchecked_mut(i) = *y.get_unchecked(i) + reflection * *y.get_unchecked(k - 1 - i);
            }
            for i in 0..k {
                *y.get_unchecked_mut(i) = *z.get_unchecked(i);
            }
            *y.get_unchecked_mut(k) = reflection;
            error *= 1.0 - reflection * reflection;
        }
    }
}
