//! Covariances of the columns of a table of n observations of m variables; the table ends centred.

#[inline(never)]
pub fn covariance(m: usize, n: usize, data: &mut [Vec<f64>], mean: &mut [f64], cov: &mut [Vec<f64>]) {
    for j in 0..m {
        let mut sum = 0.0;
        for i in 0..n {
            sum += data[i][j];
        }
        mean[j] = sum / n as f64;
    }
    for i in 0..n {
        for j in 0..m {
            data[i][j] -= mean[j];
        }
    }
    for i in 0..m {
        for j in i..m {
            let mut sum = 0.0;
            for k in 0..n {
                sum += data[k][i] * data[k][j];
            }
            cov[i][j] = sum / n as f64;
            cov[j][i] = cov[i][j];
        }
    }
}
