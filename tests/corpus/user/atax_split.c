// t = A x, then y = A^T t in the order of the formula.
#include "../c99/sizes.h"

void atax_split(SIZES(long m, long n) double y[n], double t[m], const double a[m][n], const double x[n]) {
    for (long i = 0; i < m; i++) {
        t[i] = 0;
        for (long j = 0; j < n; j++)
            t[i] += a[i][j] * x[j];
    }
    for (long j = 0; j < n; j++) {
        y[j] = 0;
        for (long i = 0; i < m; i++)
            y[j] += a[i][j] * t[i];
    }
}
