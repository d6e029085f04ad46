// Correlations of the columns of a table of n observations of m variables; the table ends standardised.
#include "sizes.h"
#include <math.h>

void correlation(SIZES(long m, long n) double data[n][m], double mean[m], double deviation[m], double corr[m][m]) {
    for (long j = 0; j < m; j++) {
        mean[j] = 0.0;
        for (long i = 0; i < n; i++) {
            mean[j] += data[i][j];
        }
        mean[j] /= (double)n;
    }
    for (long j = 0; j < m; j++) {
        deviation[j] = 0.0;
        for (long i = 0; i < n; i++) {
            deviation[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
        }
        deviation[j] = sqrt(deviation[j] / (double)n);
        // A column that does not vary correlates with nothing.
        if (deviation[j] < 1e-9) {
            deviation[j] = 1.0;
        }
    }
    double scale = sqrt((double)n);
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < m; j++) {
            data[i][j] = (data[i][j] - mean[j]) / (scale * deviation[j]);
        }
    }
    for (long i = 0; i < m; i++) {
        corr[i][i] = 1.0;
        for (long j = i + 1; j < m; j++) {
            corr[i][j] = 0.0;
            for (long k = 0; k < n; k++) {
                corr[i][j] += data[k][i] * data[k][j];
            }
            corr[j][i] = corr[i][j];
        }
    }
}
