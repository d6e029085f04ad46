// The sum of every column, one column after the other.
#include "../c99/sizes.h"

void column_sums(SIZES(long m, long n) double s[n], const double a[m][n]) {
    for (long j = 0; j < n; j++) {
        s[j] = 0;
        for (long i = 0; i < m; i++)
            s[j] += a[i][j];
    }
}
