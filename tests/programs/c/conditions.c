/* Conditions in the body: affine ones, ones with remainders, and ones that depend on data. */
#include "check.h"

// transformed: any
KERNEL void k_above_diagonal(long n, double *a, const double *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            if (i > j)
                a[i * n + j] = 0.5 * b[i * n + j];
}

// transformed: any
KERNEL void k_else(long n, double *a, const double *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            if (i + j < n)
                a[i * n + j] = 0.5 * b[i * n + j];
            else
                a[i * n + j] = 0.25 * a[i * n + j];
}

// transformed: any
KERNEL void k_equal(long n, long m, double *a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            if (i == j)
                a[i * n + j] += 1.0;
            if (i != m)
                a[i * n + j] *= 0.5;
        }
}

// transformed: any
KERNEL void k_even(int n, double *a) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            if (i % 2 == 0 && (j & 3) != 1)
                a[i * n + j] *= 0.5;
}

// transformed: any
KERNEL void k_data(long n, double *a, const double *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            if (b[i * n + j] > 0.0)
                a[i * n + j] += b[i * n + j];
}

// transformed: any
KERNEL void k_select(long n, double *a, const double *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i * n + j] = a[i * n + j] > b[i * n + j] ? a[i * n + j] : 0.5 * b[i * n + j];
}

// transformed: any
KERNEL void k_parameter(long n, int flag, double *a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            if (flag > 3)
                a[i * n + j] *= 0.5;
            else
                a[i * n + j] += 0.5;
}

// transformed: any
KERNEL void k_or(long n, double *a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            if (i < 3 || j > n - 4 || (i > 10 && i < 20 && j < i))
                a[i * n + j] *= 0.5;
}

// transformed: any
KERNEL void k_continue(long n, double *a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            if (i == 5)
                continue;
            a[i * n + j] *= 0.5;
            if (j < i)
                continue;
            a[i * n + j] += 0.25;
        }
}

// transformed: any
KERNEL void k_switch(long n, double *a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            switch (i) {
            case 0: a[i * n + j] += 1.0; break;
            case 7: a[i * n + j] *= 0.5; /* fall through */
            case 8: a[i * n + j] -= 2.0; break;
            default: a[i * n + j] *= 0.25;
            }
}

// transformed: any
KERNEL void k_unsigned_compare(unsigned n, unsigned m, double *a) {
    for (unsigned j = 0; j < n; j++)
        for (unsigned i = 0; i < n; i++)
            if (i - m < 10u)
                a[i * n + j] *= 0.5;
}

/* After optimisation the last line takes the stored value on one path and loads it again on the other: the store
 * happens on both. Found by the fuzzer (seed 5032). */
// transformed: any
KERNEL void k_stored_then_conditional(unsigned n, unsigned m, unsigned ld, float *a, const float *b, const float *c) {
    for (unsigned i = m; i-- > 2;) {
        for (unsigned j = 2; j < i; j++)
            for (unsigned k = 2; k < m; k++)
                a[j * ld + k] = 0.0625 * b[j * ld + k] * 0.375 * b[(j + 1) * ld + k];
        for (unsigned j = 1; j < m; j++) {
            a[i * ld + j] += 0.0625 * b[j * ld + j - 1];
            for (unsigned k = 0; k < m; k++)
                if ((long)n + (long)j > (long)i)
                    a[j * ld + k] = 0.375 * 0.8125 * c[k * ld + i];
            a[i * ld + j] -= 0.25 * a[i * ld + j];
        }
    }
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_above_diagonal, n, n, A, B);
        RUN(f64, k_else, n, n, A, B);
        RUN(f64, k_equal, n, n, n / 2, A);
        RUN(f64, k_even, n, n, A);
        RUN(f64, k_data, n, n, A, B);
        RUN(f64, k_select, n, n, A, B);
        RUN(f64, k_parameter, n, n, 3, A);
        RUN(f64, k_parameter, n, n, 4, A);
        RUN(f64, k_or, n, n, A);
        RUN(f64, k_continue, n, n, A);
        RUN(f64, k_switch, n, n, A);
        RUN(f32, k_stored_then_conditional, n, 1, (unsigned)n, (unsigned)n + 3, A, B, C);
        RUN(f32, k_stored_then_conditional, n, (unsigned)n - 1, (unsigned)n, (unsigned)n, A, B, C);
        RUN(f64, k_unsigned_compare, n, (unsigned)n, 5, A);
    }
    return 0;
}
