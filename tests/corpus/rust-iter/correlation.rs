//! Correlations of the columns of a table of n observations of m variables; the table ends standardised.

#[inline(never)]
pub fn correlation(m: usize, data: &mut [f64], mean: &mut [f64], deviation: &mut [f64], corr: &mut [f64]) {
    let n = data.chunks_exact(m).len() as f64;
    for (j, mean) in mean.iter_mut().enumerate() {
        *mean = 0.0;
        for x in data[j..].iter().step_by(m) {
            *mean += x;
        }
        *mean /= n;
    }
    for (j, (deviation, mean)) in deviation.iter_mut().zip(mean.iter()).enumerate() {
        *deviation = 0.0;
        for x in data[j..].iter().step_by(m) {
            *deviation += (x - mean) * (x - mean);
        }
        *deviation = (*deviation / n).sqrt();
        // A column that does not vary correlates with nothing.
        if *deviation < 1e-9 {
            *deviation = 1.0;
        }
    }
    let scale = n.sqrt();
    for row in data.chunks_exact_mut(m) {
        for ((x, mean), deviation) in row.iter_mut().zip(mean.iter()).zip(deviation.iter()) {
            *x = (*x - mean) / (scale * deviation);
        }
    }
    for i in 0..m {
        corr[i * m + i] = 1.0;
        for j in i + 1..m {
            let columns = data[i..].iter().step_by(m).zip(data[j..].iter().step_by(m));
            corr[i * m + j] = columns.fold(0.0, |sum, (x, y)| sum + x * y);
            corr[j * m + i] = corr[i * m + j];
        }
    }
}
