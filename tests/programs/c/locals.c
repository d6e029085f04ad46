/* Variables that live inside of a nest: an array for each iteration, one that only some loops use. */
#include "check.h"

// transformed: no
KERNEL void k_scratch(long n, double *restrict a, const double *restrict b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            double scratch[8];
            for (long k = 0; k < 8; k++)
                scratch[k] = b[k * n + (i ^ k) % 64];
            a[i * n + j] += scratch[i & 7] + scratch[j & 7];
        }
}

// transformed: any
KERNEL void k_row(long n, double *restrict a, const double *restrict b) {
    for (long i = 0; i + 64 <= n; i++) {
        double row[64];
        for (long j = 0; j < 64; j++)
            row[j] = b[i * n + j] * 0.5;
        for (long j = 0; j < n; j++)
            for (long k = 0; k < 64; k++)
                a[k * n + j] += row[(j + k) & 63];
    }
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_scratch, n, n, A, B);
        RUN(f64, k_row, n, n, A, B);
    }
    return 0;
}
