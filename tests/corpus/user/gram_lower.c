// The lower half of A^T A.
#include "../c99/sizes.h"

void gram_lower(SIZES(long n, long m) double g[n][n], const double a[m][n]) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j <= i; j++) {
            g[i][j] = 0;
            for (long k = 0; k < m; k++)
                g[i][j] += a[k][i] * a[k][j];
        }
}
