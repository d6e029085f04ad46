//! Correlations of the columns of a table of n observations of m variables; the table ends standardised.

#[inline(never)]
pub fn correlation(m: usize, n: usize, data: &mut [f64], mean: &mut [f64], deviation: &mut [f64], corr: &mut [f64]) {
    assert!(data.len() >= n * m && mean.len() >= m && deviation.len() >= m && corr.len() >= m * m);
    // SAFETY: every index is below the product of the extents that the slice has.
    unsafe {
        for j in 0..m {
            *mean.get_unchecked_mut(j) = 0.0;
            for i in 0..n {
                *mean.get_unchecked_mut(j) += *data.get_unchecked(i * m + j);
            }
            *mean.get_unchecked_mut(j) /= n as f64;
        }
        for j in 0..m {
            *deviation.get_unchecked_mut(j) = 0.0;
            for i in 0..n {
                *deviation.get_unchecked_mut(j) += (*data.get_unchecked(i * m + j) - *mean.get_unchecked(j))
                    * (*data.get_unchecked(i * m + j) - *mean.get_unchecked(j));
            }
            *deviation.get_unchecked_mut(j) = (*deviation.get_unchecked(j) / n as f64).sqrt();
            // A column that does not vary correlates with nothing.
            if *deviation.get_unchecked(j) < 1e-9 {
                *deviation.get_unchecked_mut(j) = 1.0;
            }
        }
        let scale = (n as f64).sqrt();
        for i in 0..n {
            for j in 0..m {
                *data.get_unchecked_mut(i * m + j) =
                    (*data.get_unchecked(i * m + j) - *mean.get_unchecked(j)) / (scale * *deviation.get_unchecked(j));
            }
        }
        for i in 0..m {
            *corr.get_unchecked_mut(i * m + i) = 1.0;
            for j in i + 1..m {
                *corr.get_unchecked_mut(i * m + j) = 0.0;
                for k in 0..n {
                    *corr.get_unchecked_mut(i * m + j) +=
                        *data.get_unchecked(k * m + i) * *data.get_unchecked(k * m + j);
                }
                *corr.get_unchecked_mut(j * m + i) = *corr.get_unchecked(i * m + j);
            }
        }
    }
}
