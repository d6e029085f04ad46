// A += u v' + s t', then x += beta A' y + z, then w += alpha A x.
#include "sizes.h"

void gemver(SIZES(long n) double alpha, double beta, double a[n][n], double x[n], double w[n], const double u[n],
            const double v[n], const double s[n], const double t[n], const double y[n], const double z[n]) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) {
            a[i][j] += u[i] * v[j] + s[i] * t[j];
        }
    }
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) {
            x[i] += beta * a[j][i] * y[j];
        }
    }
    for (long i = 0; i < n; i++) {
        x[i] += z[i];
    }
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) {
            w[i] += alpha * a[i][j] * x[j];
        }
    }
}
