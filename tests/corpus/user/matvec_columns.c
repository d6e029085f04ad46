// y += A x by columns.
#include "../c99/sizes.h"

void matvec_columns(SIZES(long m, long n) double y[m], const double a[m][n], const double x[n]) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < m; i++)
            y[i] += a[i][j] * x[j];
}
