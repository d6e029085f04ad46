/* Sizes whose remainders are known before the nest. */
#include "check.h"

// transformed: yes
KERNEL void k_returns(long n, const double *a, const double *b, double *c) {
    if (n & 7)
        return;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// transformed: yes
KERNEL void k_assumed(long n, const double *a, const double *b, double *c) {
    __builtin_assume(n % 8 == 0);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// transformed: yes
KERNEL void k_odd(int n, double a[n][n], double b[n][n], double c[n][n]) {
    if (n % 2 == 0)
        return;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
}

// transformed: yes
KERNEL void k_two_facts(unsigned n, unsigned m, const double *a, const double *b, double *c) {
    if (n % 3 != 1 || (m & 3) != 2)
        return;
    for (unsigned long i = 0; i < n; i++)
        for (unsigned long j = 0; j < m; j++)
            for (unsigned long k = 0; k < n; k++)
                c[i * m + j] += a[i * n + k] * b[k * m + j];
}

// transformed: yes
KERNEL void k_negative(long n, long from, const double *a, const double *b, double *c) {
    if (from % 6 != -2)
        return;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = -from; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_returns, n, n, A, B, C);
        RUN(f64, k_returns, n - n % 8, n - n % 8, A, B, C);
        RUN(f64, k_assumed, n, n - n % 8, A, B, C);
        RUN(f64, k_odd, n, n, A, B, C);
        RUN(f64, k_two_facts, n, n, n, A, B, C);
        RUN(f64, k_two_facts, n, n - n % 3 + 1, n - n % 4 + 2, A, B, C);
        RUN(f64, k_negative, n, n, -2, A, B, C);
        RUN(f64, k_negative, n, n, -8, A, B, C);
    }
    return 0;
}
