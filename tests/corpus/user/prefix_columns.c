// Sums along columns, one column after the other.
#include "../c99/sizes.h"

void prefix_columns(SIZES(long m, long n) double a[m][n]) {
    for (long j = 0; j < n; j++)
        for (long i = 1; i < m; i++)
            a[i][j] += a[i - 1][j];
}
