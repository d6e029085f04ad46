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

// transformed: yes
KERNEL void k_signed(long n, const double *a, const double *b, double *c) {
    if (n % 8 != 5)
        return;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// transformed: yes
KERNEL void k_dozens(unsigned long n, const double *a, const double *b, double *c) {
    if (n % 12 != 0)
        return;
    for (unsigned long i = 0; i < n; i++)
        for (unsigned long j = 0; j < n; j++)
            for (unsigned long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// transformed: yes
KERNEL void k_either(long n, const double *a, const double *b, double *c) {
    if (n % 8 != 0 && n % 8 != 4)
        return;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// transformed: yes
KERNEL void k_two_moduli(long n, const double *a, const double *b, double *c) {
    if (n % 4 != 1 || n % 6 != 3)
        return;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// transformed: yes
KERNEL void k_both_multiples(long n, const double *a, const double *b, double *c) {
    if (n % 4 != 0 || n % 6 != 0)
        return;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// The start is -12: a number without sign that is 4 modulo 6, as 2^64 is, while the model sees one with sign that is 0 modulo 6.
// transformed: yes
KERNEL void k_beyond(long n, unsigned long from, const double *a, const double *b, double *c) {
    if (from % 6 != 4)
        return;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = -(long)from; k < n; k++)
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
        RUN(f64, k_signed, n, n, A, B, C);
        RUN(f64, k_signed, n, n - n % 8 + 5, A, B, C);
        RUN(f64, k_dozens, n, n - n % 12, A, B, C);
        RUN(f64, k_either, n, n - n % 4, A, B, C);
        RUN(f64, k_two_moduli, n, n - n % 12 + 9, A, B, C);
        RUN(f64, k_both_multiples, n, n - n % 12, A, B, C);
        RUN(f64, k_beyond, n, n, -12ul, A, B, C);
        RUN(f64, k_beyond, n, n, -6ul, A, B, C);
    }
    return 0;
}
