// Rows minus their means.
#include "../c99/sizes.h"

void row_means(SIZES(long m, long n) double s[m], double a[m][n]) {
    for (long i = 0; i < m; i++) {
        s[i] = 0;
        for (long j = 0; j < n; j++)
            s[i] += a[i][j];
        s[i] /= (double)n;
        for (long j = 0; j < n; j++)
            a[i][j] -= s[i];
    }
}
