/* Zero-trip and one-trip loops, for each loop of a nest on its own, and bounds that are negative. */
#include "check.h"

// transformed: any
KERNEL void k_gemm(long m, long n, long k, const double *a, const double *b, double *c) {
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++) {
            c[i * 40 + j] = 0.0;
            for (long l = 0; l < k; l++)
                c[i * 40 + j] += a[i * 40 + l] * b[l * 40 + j];
        }
}

// transformed: any
KERNEL void k_between(int l0, int h0, int l1, int h1, int l2, int h2, double *a) {
    for (int i = l0; i < h0; i++)
        for (int j = l1; j < h1; j++)
            for (int k = l2; k < h2; k++)
                a[8000 + k * 400 + j * 20 + i] += 0.5 * i + 0.25 * j + 0.125 * k;
}

// transformed: any
KERNEL void k_inclusive(int l0, int h0, int l1, int h1, double *a) {
    for (int i = l0; i <= h0; i++)
        for (int j = l1; j <= h1; j++)
            a[8000 + j * 20 + i] += 0.5 * i + 0.25 * j;
}

// transformed: any
KERNEL void k_do_while(long n, long m, double *a) {
    long i = 0;
    do {
        long j = 0;
        do {
            a[j * 120 + i] = 0.5 * a[j * 120 + i] + 0.25;
        } while (++j < m);
    } while (++i < n);
}

// transformed: any
KERNEL void k_empty_inner(long n, double *a) {
    for (long i = 0; i < n; i++)
        for (long j = i + 1; j < i; j++)
            a[j * n + i] = 7.0;
}

// transformed: any
KERNEL void k_one_inner(long n, double *a) {
    for (long i = 0; i < n; i++)
        for (long j = i; j <= i; j++)
            a[j * n + i] = 7.0;
}

// transformed: any
KERNEL void k_fixed_small(double *a) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++)
            a[j * 16 + i] *= 0.5;
}

MAIN {
    static const int few[] = {-3, 0, 1, 2, 33};
    for (int p = 0; p < 5; p++)
        for (int q = 0; q < 5; q++)
            for (int r = 0; r < 5; r++)
                RUN(f64, k_gemm, p * 100 + q * 10 + r, few[p], few[q], few[r], A, B, C);
    for (int low = -3; low < 3; low++)
        for (int high = -3; high < 4; high++) {
            RUN(f64, k_between, low * 10 + high, low, high, -2, 3, low, high + 5, A);
            RUN(f64, k_inclusive, low * 10 + high, low, high, high, 9, A);
        }
    FOR_SIZES(n) {
        RUN(f64, k_do_while, n, n, n - 5, A);
        RUN(f64, k_do_while, n, -n, n, A);
        RUN(f64, k_empty_inner, n, n, A);
        RUN(f64, k_one_inner, n, n, A);
    }
    RUN(f64, k_fixed_small, 0, A);
    return 0;
}
