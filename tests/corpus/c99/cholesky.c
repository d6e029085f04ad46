// A = L L' for a positive definite A, row by row; L replaces the lower triangle.
#include "sizes.h"
#include <math.h>

void cholesky(SIZES(long n) double a[n][n]) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < i; j++) {
            double rest = a[i][j];
            for (long k = 0; k < j; k++) {
                rest -= a[i][k] * a[j][k];
            }
            a[i][j] = rest / a[j][j];
        }
        double rest = a[i][i];
        for (long k = 0; k < i; k++) {
            rest -= a[i][k] * a[i][k];
        }
        a[i][i] = sqrt(rest);
    }
}
