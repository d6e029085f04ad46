//! Correlations of the columns of a table of n observations of m variables; the table ends standardised.

#[inline(never)]
pub fn correlation(
    m: usize,
    n: usize,
    data: &mut [Vec<f64>],
    mean: &mut [f64],
    deviation: &mut [f64],
    corr: &mut [Vec<f64>],
) {
    for j in 0..m {
        mean[j] = 0.0;
        for i in 0..n {
            mean[j] += data[i][j];
        }
        mean[j] /= n as f64;
    }
    for j in 0..m {
        deviation[j] = 0.0;
        for i in 0..n {
            deviation[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
        }
        deviation[j] = (deviation[j] / n as f64).sqrt();
        // A column that does not vary correlates with nothing.
        if deviation[j] < 1e-9 {
            deviation[j] = 1.0;
        }
    }
    let scale = (n as f64).sqrt();
    for i in 0..n {
        for j in 0..m {
            data[i][j] = (data[i][j] - mean[j]) / (scale * deviation[j]);
        }
    }
    for i in 0..m {
        corr[i][i] = 1.0;
        for j in i + 1..m {
            corr[i][j] = 0.0;
            for k in 0..n {
                corr[i][j] += data[k][i] * data[k][j];
            }
            corr[j][i] = corr[i][j];
        }
    }
}
