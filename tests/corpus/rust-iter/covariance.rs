//! Covariances of the columns of a table of n observations of m variables; the table ends centred.

#[inline(never)]
pub fn covariance(m: usize, data: &mut [f64], mean: &mut [f64], cov: &mut [f64]) {
    let n = data.chunks_exact(m).len() as f64;
    for (j, mean) in mean.iter_mut().enumerate() {
        *mean = data.chunks_exact(m).fold(0.0, |sum, row| sum + row[j]) / n;
    }
    for row in data.chunks_exact_mut(m) {
        for (x, mean) in row.iter_mut().zip(mean.iter()) {
            *x -= mean;
        }
    }
    for i in 0..m {
        for j in i..m {
            let sum = data.chunks_exact(m).fold(0.0, |sum, row| sum + row[i] * row[j]);
            cov[i * m + j] = sum / n;
            cov[j * m + i] = cov[i * m + j];
        }
    }
}
