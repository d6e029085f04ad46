//! Covariances of the columns of a table of n observations of m variables; the table ends centred.

#[inline(never)]
pub fn covariance<const M: usize, const N: usize>(
    data: &mut [[f64; M]; N],
    mean: &mut [f64; M],
    cov: &mut [[f64; M]; M],
) {
    for j in 0..M {
        let mut sum = 0.0;
        for i in 0..N {
            sum += data[i][j];
        }
        mean[j] = sum / N as f64;
    }
    for i in 0..N {
        for j in 0..M {
            data[i][j] -= mean[j];
        }
    }
    for i in 0..M {
        for j in i..M {
            let mut sum = 0.0;
            for k in 0..N {
                sum += data[k][i] * data[k][j];
            }
            cov[i][j] = sum / N as f64;
            cov[j][i] = cov[i][j];
        }
    }
}
