// A = Q R by the modified Gram-Schmidt process; A ends as what is left of its columns.
#include "sizes.h"
#include <math.h>

void gramschmidt(SIZES(long m, long n) double a[m][n], double q[m][n], double r[n][n]) {
    for (long k = 0; k < n; k++) {
        double norm = 0.0;
        for (long i = 0; i < m; i++) {
            norm += a[i][k] * a[i][k];
        }
        r[k][k] = sqrt(norm);
        for (long i = 0; i < m; i++) {
            q[i][k] = a[i][k] / r[k][k];
        }
        for (long j = k + 1; j < n; j++) {
            r[k][j] = 0.0;
            for (long i = 0; i < m; i++) {
                r[k][j] += q[i][k] * a[i][j];
            }
            for (long i = 0; i < m; i++) {
                a[i][j] -= q[i][k] * r[k][j];
            }
        }
    }
}
