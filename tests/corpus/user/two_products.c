// A u and A^T v in one sweep.
#include "../c99/sizes.h"

void two_products(SIZES(long m, long n) double y[m], double z[n], const double a[m][n], const double u[n], const double v[m]) {
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++) {
            y[i] += a[i][j] * u[j];
            z[j] += a[i][j] * v[i];
        }
}
