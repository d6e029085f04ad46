// B = A^T.
#include "../c99/sizes.h"

void transpose(SIZES(long m, long n) double b[n][m], const double a[m][n]) {
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++)
            b[j][i] = a[i][j];
}
