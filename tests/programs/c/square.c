/* Nests whose loops all run equally often: what is too short for the new code, what is just long enough, what the rest of the guard refuses
   behind that, and sizes that are no sizes. */
#include "check.h"
#include <limits.h>

// transformed: yes
KERNEL void k_product(long n, double *c, const double *a, const double *b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

/* What comes before the nest runs again where the old loops run; it has to give the same. */
// transformed: yes
KERNEL void k_loaded(const int *size, float *c, const float *a, const float *b) {
    int n = *size & 31;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

/* A value is returned: all that the guard refuses goes one way. */
// transformed: yes
KERNEL double k_returns(long n, double *c, const double *a, const double *b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
    return (double)n;
}

/* Loops that run equally often, from other numbers than zero and with an offset. */
// transformed: any
KERNEL void k_inside(int n, double *c, const double *a, const double *b) {
    for (int i = 3; i < n - 2; i++)
        for (int j = 3; j < n - 2; j++)
            for (int k = 3; k < n - 2; k++)
                c[i * n + j] -= a[i * n + k] * b[k * n + j];
}

/* Not all run equally often. */
// transformed: yes
KERNEL void k_longer(long n, double *c, const double *a, const double *b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n + 1; j++)
            for (long k = 0; k < n; k++)
                c[i * (n + 1) + j] += a[i * n + k] * b[k * (n + 1) + j];
}

MAIN {
    for (long n = -2; n <= 26; n++) {
        double *const a = A, *const b = B, *const c = C;
        RUN(f64, k_product, n, n, c, a, b);
        RUN(f64, k_product, n, n, a, a + (n > 0 ? n * n - 1 : 0), b);
        RUN(f64, k_product, n, n, a, b, a + (n > 0 ? n * n : 0));
        RUN_VALUE(f64, k_returns, n, n, c, a, b);
        RUN_VALUE(f64, k_returns, n, n, a + 1, a, b);
        RUN(f64, k_inside, n, (int)n, c, a, b);
        RUN(f64, k_inside, n, (int)n, b, a, b);
        RUN(f64, k_longer, n, n, c, a, b);
        reset_f32();
        *(int *)D = (int)(n & 31);
        k_loaded(D, C, A, B);
        report("k_loaded", n);
        reset_f32();
        *(int *)D = (int)(n & 31);
        k_loaded(D, D, A, B);
        report("k_loaded", n);
    }
    const long none[] = {0, -1, LONG_MIN, LONG_MIN + 1, INT_MIN, -(1L << 40) - 1};
    for (int s = 0; s < 6; s++) {
        RUN(f64, k_product, s, none[s], (double *)C, (double *)A, (double *)B);
        RUN(f64, k_longer, s, none[s], (double *)C, (double *)A, (double *)B);
    }
    return 0;
}
