/* Downward loops, strides of two and more, strides known at run time only. */
#include "check.h"

// transformed: any
KERNEL void k_down(long n, const double *a, const double *b, double *c) {
    for (long i = n - 1; i >= 0; i--)
        for (long j = n - 1; j >= 0; j--)
            for (long k = n - 1; k >= 0; k--)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// transformed: any
KERNEL void k_down_columns(int n, double *a, const double *b) {
    for (int j = n - 1; j >= 0; j--)
        for (int i = n - 1; i >= 0; i--)
            a[i * n + j] = 0.5 * b[i * n + j];
}

// transformed: any
KERNEL void k_down_unsigned(size_t n, double *a, const double *b) {
    for (size_t j = n; j-- > 0;)
        for (size_t i = n; i-- > 0;)
            a[i * n + j] = 0.5 * b[i * n + j];
}

// transformed: any
KERNEL void k_mixed(long n, double *a, const double *b) {
    for (long j = n - 1; j >= 0; j--)
        for (long i = 0; i < n; i++)
            a[i * n + j] = 0.5 * b[(n - 1 - i) * n + j] + a[i * n + j];
}

// transformed: any
KERNEL void k_by_two(long n, double *a, const double *b) {
    for (long j = 0; j < n; j += 2)
        for (long i = 1; i < n; i += 2)
            a[i * n + j] = 0.5 * b[i * n + j];
}

// transformed: any
KERNEL void k_by_three_and_seven(unsigned n, double *a, const double *b) {
    for (unsigned j = 1; j < n; j += 3)
        for (unsigned i = 0; i < n; i += 7)
            a[i * n + j] = 0.5 * b[i * n + j];
}

// transformed: any
KERNEL void k_down_by_three(long n, double *a) {
    for (long j = n - 1; j > 0; j -= 3)
        for (long i = n - 2; i >= 0; i -= 2)
            a[i * n + j] = 0.5 * a[(i + 1) * n + j - 1];
}

// transformed: any
KERNEL void k_by_step(long n, long step, double *a, const double *b) {
    for (long j = 0; j < n; j += step)
        for (long i = 0; i < n; i += step)
            a[i * n + j] = 0.5 * b[i * n + j];
}

// transformed: any
KERNEL void k_strided(long n, long sx, long sy, const double *x, double *y) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            y[j * sy + i] += 0.5 * x[i * sx];
}

// transformed: any
KERNEL void k_tiled_by_hand(long n, const double *a, double *b) {
    for (long it = 0; it < n; it += 8)
        for (long jt = 0; jt < n; jt += 8)
            for (long i = it; i < (it + 8 < n ? it + 8 : n); i++)
                for (long j = jt; j < (jt + 8 < n ? jt + 8 : n); j++)
                    b[j * n + i] = a[i * n + j];
}

// transformed: any
KERNEL void k_red_black(long n, double *a) {
    for (long colour = 0; colour < 2; colour++)
        for (long j = 1; j < n - 1; j++)
            for (long i = 1 + (j + colour) % 2; i < n - 1; i += 2)
                a[i * n + j] = 0.25 * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]);
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_down, n, n, A, B, C);
        RUN(f64, k_down_columns, n, n, A, B);
        RUN(f64, k_down_unsigned, n, n, A, B);
        RUN(f64, k_mixed, n, n, A, B);
        RUN(f64, k_by_two, n, n, A, B);
        RUN(f64, k_by_three_and_seven, n, n, A, B);
        RUN(f64, k_down_by_three, n, n, A);
        RUN(f64, k_by_step, n, n, 1, A, B);
        RUN(f64, k_by_step, n, n, 5, A, B);
        RUN(f64, k_strided, n, n, 2, 101, A, B);
        RUN(f64, k_strided, n, n, 0, n, A, B);
        RUN(f64, k_tiled_by_hand, n, n, A, B);
        RUN(f64, k_red_black, n, n, A);
    }
    return 0;
}
