//! Covariances of the columns of a table of n observations of m variables; the table ends centred.

#[inline(never)]
pub fn covariance(m: usize, n: usize, data: &mut [f64], mean: &mut [f64], cov: &mut [f64]) {
    assert!(data.len() >= n * m && mean.len() >= m && cov.len() >= m * m);
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for j in 0..m {
            let mut sum = 0.0;
            for i in 0..n {
                sum += *data.get_unchecked(i * m + j);
            }
            *mean.get_unchecked_mut(j) = sum / n as f64;
        }
        for i in 0..n {
            for j in 0..m {
                *data.get_unchecked_mut(i * m + j) -= *mean.get_unchecked(j);
            }
        }
        for i in 0..m {
            for j in i..m {
                let mut sum = 0.0;
                for k in 0..n {
                    sum += *data.get_unchecked(k * m + i) * *data.get_unchecked(k * m + j);
                }
                *cov.get_unchecked_mut(i * m + j) = sum / n as f64;
                *cov.get_unchecked_mut(j * m + i) = *cov.get_unchecked(i * m + j);
            }
        }
    }
}
