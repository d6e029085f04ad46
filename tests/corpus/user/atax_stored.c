// y = A^T (A x), the inner product kept in an array.
#include "../c99/sizes.h"

void atax_stored(SIZES(long m, long n) double y[n], double t[m], const double a[m][n], const double x[n]) {
    for (long i = 0; i < n; i++)
        y[i] = 0;
    for (long i = 0; i < m; i++) {
        t[i] = 0;
        for (long j = 0; j < n; j++)
            t[i] = t[i] + a[i][j] * x[j];
        for (long j = 0; j < n; j++)
            y[j] = y[j] + a[i][j] * t[i];
    }
}
