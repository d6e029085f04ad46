// B = alpha A B in place; A is upper triangular, so that row i needs only rows that still hold old values.
#include "sizes.h"

void trmm(SIZES(long m, long n) double alpha, double b[m][n], const double a[m][m]) {
    for (long i = 0; i < m; i++) {
        for (long j = 0; j < n; j++) {
            double sum = a[i][i] * b[i][j];
            for (long k = i + 1; k < m; k++) {
                sum += a[i][k] * b[k][j];
            }
            b[i][j] = alpha * sum;
        }
    }
}
