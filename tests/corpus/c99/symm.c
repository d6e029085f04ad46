// C = alpha A B + beta C; A is symmetric, only its lower triangle is stored.
#include "sizes.h"

void symm(SIZES(long m, long n) double alpha, double beta, double c[m][n], const double a[m][m], const double b[m][n]) {
    for (long i = 0; i < m; i++) {
        for (long j = 0; j < n; j++) {
            double sum = 0.0;
            for (long k = 0; k <= i; k++) {
                sum += a[i][k] * b[k][j];
            }
            for (long k = i + 1; k < m; k++) {
                sum += a[k][i] * b[k][j];
            }
            c[i][j] = alpha * sum + beta * c[i][j];
        }
    }
}
