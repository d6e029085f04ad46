// x += A u and y += A' v.
#include "sizes.h"

void mvt(SIZES(long n) double x[n], double y[n], const double a[n][n], const double u[n], const double v[n]) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) {
            x[i] += a[i][j] * u[j];
        }
    }
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) {
            y[i] += a[j][i] * v[j];
        }
    }
}
