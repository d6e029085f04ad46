// A = A^T in place.
#include "../c99/sizes.h"

void transpose_self(SIZES(long n) double a[n][n]) {
    for (long i = 0; i < n; i++)
        for (long j = i + 1; j < n; j++) {
            double t = a[i][j];
            a[i][j] = a[j][i];
            a[j][i] = t;
        }
}
