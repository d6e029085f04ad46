// The lower triangle of C = alpha (A B' + B A') + beta C.
#include "sizes.h"

void syr2k(SIZES(long n, long m) double alpha, double beta, double c[n][n], const double a[n][m],
           const double b[n][m]) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j <= i; j++) {
            c[i][j] *= beta;
        }
        for (long k = 0; k < m; k++) {
            for (long j = 0; j <= i; j++) {
                c[i][j] += alpha * (a[i][k] * b[j][k] + b[i][k] * a[j][k]);
            }
        }
    }
}
