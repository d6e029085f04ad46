// Covariances of the columns of a table of n observations of m variables; the table ends centred.
#include "sizes.h"

void covariance(SIZES(long m, long n) double data[n][m], double mean[m], double cov[m][m]) {
    for (long j = 0; j < m; j++) {
        double sum = 0.0;
        for (long i = 0; i < n; i++) {
            sum += data[i][j];
        }
        mean[j] = sum / (double)n;
    }
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < m; j++) {
            data[i][j] -= mean[j];
        }
    }
    for (long i = 0; i < m; i++) {
        for (long j = i; j < m; j++) {
            double sum = 0.0;
            for (long k = 0; k < n; k++) {
                sum += data[k][i] * data[k][j];
            }
            cov[i][j] = sum / (double)n;
            cov[j][i] = cov[i][j];
        }
    }
}
