// y = A^T (A x), a row at a time.
#include "../c99/sizes.h"

void atax_rows(SIZES(long m, long n) double y[n], const double a[m][n], const double x[n]) {
    for (long j = 0; j < n; j++)
        y[j] = 0;
    for (long i = 0; i < m; i++) {
        double t = 0;
        for (long j = 0; j < n; j++)
            t += a[i][j] * x[j];
        for (long j = 0; j < n; j++)
            y[j] += a[i][j] * t;
    }
}
