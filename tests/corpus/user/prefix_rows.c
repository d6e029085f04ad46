// Sums along rows.
#include "../c99/sizes.h"

void prefix_rows(SIZES(long m, long n) double a[m][n]) {
    for (long i = 0; i < m; i++)
        for (long j = 1; j < n; j++)
            a[i][j] += a[i][j - 1];
}
