// y = alpha A x + beta B x.
#include "sizes.h"

void gesummv(SIZES(long n) double alpha, double beta, double y[n], const double a[n][n], const double b[n][n],
             const double x[n]) {
    for (long i = 0; i < n; i++) {
        double ax = 0.0;
        double bx = 0.0;
        for (long j = 0; j < n; j++) {
            ax += a[i][j] * x[j];
            bx += b[i][j] * x[j];
        }
        y[i] = alpha * ax + beta * bx;
    }
}
