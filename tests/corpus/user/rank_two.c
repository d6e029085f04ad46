// A += u v^T + v u^T, by columns.
#include "../c99/sizes.h"

void rank_two(SIZES(long n) double a[n][n], const double u[n], const double v[n]) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i][j] += u[i] * v[j] + v[i] * u[j];
}
