// A += u v^T.
#include "../c99/sizes.h"

void rank_one(SIZES(long m, long n) double a[m][n], const double u[m], const double v[n]) {
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++)
            a[i][j] += u[i] * v[j];
}
