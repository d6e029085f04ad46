// y = A' (A x), one row of A at a time.
#include "sizes.h"

void atax(SIZES(long m, long n) double y[n], const double a[m][n], const double x[n]) {
    for (long j = 0; j < n; j++) {
        y[j] = 0.0;
    }
    for (long i = 0; i < m; i++) {
        double t = 0.0;
        for (long j = 0; j < n; j++) {
            t += a[i][j] * x[j];
        }
        for (long j = 0; j < n; j++) {
            y[j] += a[i][j] * t;
        }
    }
}
