/* Nests that look worth an interchange but whose dependences, or whose accesses, forbid it. */
#include "check.h"

/* The dependence has distance (1, -1): interchange alone turns it round, the inner loop has to run backwards. */
// transformed: yes
KERNEL void k_wavefront(long n, double *a) {
    for (long j = 1; j < n; j++)
        for (long i = 0; i < n - 1; i++)
            a[i * n + j] = 0.5 * a[(i + 1) * n + j - 1] + 0.25;
}

// transformed: any
KERNEL void k_wavefront_rows(int n, double a[n][n]) {
    for (int i = 1; i < n; i++)
        for (int j = 0; j < n - 1; j++)
            a[i][j] = 0.5 * a[i - 1][j + 1] + 0.25;
}

// transformed: yes
KERNEL void k_anti_wavefront(long n, double *a) {
    for (long j = 0; j < n - 1; j++)
        for (long i = 1; i < n; i++)
            a[i * n + j] = 0.5 * a[(i - 1) * n + j + 1] + 0.25;
}

// transformed: any
KERNEL void k_both_ways(long n, double *a) {
    for (long j = 1; j < n - 1; j++)
        for (long i = 1; i < n - 1; i++)
            a[i * n + j] = 0.25 * (a[(i + 1) * n + j - 1] + a[(i - 1) * n + j - 1] + a[(i - 1) * n + j + 1] + a[(i + 1) * n + j + 1]);
}

/* Every element depends on all elements before it. */
// transformed: no
KERNEL void k_running(long n, double *a) {
    double carry = 0.0;
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            carry = 0.5 * carry + a[i * n + j];
            a[i * n + j] = carry;
        }
}

// transformed: no
KERNEL void k_indirect(long n, const uint32_t *index, double *a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[index[i * n + j] % 1000] += 1.0;
}

// transformed: no
KERNEL void k_not_affine(long n, double *a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[(i * j) % 5000] += 0.5;
}

/* The order of the writes to one element is visible. */
// transformed: any
KERNEL void k_last_write(long n, double *a, const double *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i + j] = b[i * n + j];
}

// transformed: any
KERNEL void k_reversed_copy(long n, double *a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i * n + j] = a[(n - 1 - i) * n + (n - 1 - j)];
}

// transformed: any
KERNEL void k_skewed(long n, double *a) {
    for (long j = 2; j < n; j++)
        for (long i = 0; i < n - 3; i++)
            a[i * n + j] = 0.5 * (a[(i + 3) * n + j - 2] + a[i * n + j - 1]);
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_wavefront, n, n, A);
        RUN(f64, k_wavefront_rows, n, n, A);
        RUN(f64, k_anti_wavefront, n, n, A);
        RUN(f64, k_both_ways, n, n, A);
        RUN(f64, k_running, n, n, A);
        RUN(f64, k_indirect, n, n, B, A);
        RUN(f64, k_not_affine, n, n, A);
        RUN(f64, k_last_write, n, n, A, B);
        RUN(f64, k_reversed_copy, n, n, A);
        RUN(f64, k_skewed, n, n, A);
    }
    return 0;
}
