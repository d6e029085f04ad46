/* A program with a `write` of its own: what says which code runs (option `trace`) must not call it. */
#include "check.h"

static int calls;

__attribute__((noinline)) int write(int x) {
    calls += x;
    return x + calls;
}

// transformed: yes
KERNEL void k_product(long n, double *restrict c, const double *restrict a, const double *restrict b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_product, n, n, C, A, B);
    }
    if (fflush(stdout) != 0 || calls != 0)
        return 1;
    return write(3) == 6 ? 0 : 2;
}
