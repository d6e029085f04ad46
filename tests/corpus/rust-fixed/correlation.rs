//! Correlations of the columns of a table of n observations of m variables; the table ends standardised.

#[inline(never)]
pub fn correlation<const M: usize, const N: usize>(
    data: &mut [[f64; M]; N],
    mean: &mut [f64; M],
    deviation: &mut [f64; M],
    corr: &mut [[f64; M]; M],
) {
    for j in 0..M {
        mean[j] = 0.0;
        for i in 0..N {
            mean[j] += data[i][j];
        }
        mean[j] /= N as f64;
    }
    for j in 0..M {
        deviation[j] = 0.0;
        for i in 0..N {
            deviation[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
        }
        deviation[j] = (deviation[j] / N as f64).sqrt();
        // A column that does not vary correlates with nothing.
        if deviation[j] < 1e-9 {
            deviation[j] = 1.0;
        }
    }
    let scale = (N as f64).sqrt();
    for i in 0..N {
        for j in 0..M {
            data[i][j] = (data[i][j] - mean[j]) / (scale * deviation[j]);
        }
    }
    for i in 0..M {
        corr[i][i] = 1.0;
        for j in i + 1..M {
            corr[i][j] = 0.0;
            for k in 0..N {
                corr[i][j] += data[k][i] * data[k][j];
            }
            corr[j][i] = corr[i][j];
        }
    }
}
