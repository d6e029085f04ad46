/* Sums and the like, whose parts may come in any order: over integers always, over floating-point numbers where the program
 * says so. */
#include "check.h"

// transformed: yes
KERNEL int k_total(long n, const int *a) {
    unsigned s = 0;
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            s += (unsigned)a[i * n + j];
    return (int)s;
}

/* The sum of the rows above does not overflow in the order of the program, and may in another one. */
// transformed: yes
KERNEL int k_signed_total(long n, const int *a) {
    int s = 0;
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            s += a[i * n + j] >> 16;
    return s;
}

// transformed: yes
KERNEL long k_largest_element(long n, const long *a) {
    long most = -5;
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            most = a[i * n + j] > most ? a[i * n + j] : most;
    return most % 1000003;
}

// transformed: yes
KERNEL long k_bits(long n, const unsigned *a) {
    unsigned s = 12345;
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            s ^= a[i * n + j] * 3;
    return s;
}

/* Anti-diagonals: neighbouring iterations add to the same element. */
// transformed: yes
KERNEL void k_diagonals(long n, unsigned *restrict c, const unsigned *restrict a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            c[i + j] += a[i * n + j];
}

// transformed: yes
KERNEL double k_float_total(long n, const double *a) {
#pragma clang fp reassociate(on)
    double s = 0;
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            s += (double)(int)(a[i * n + j] * 1000);
    return s;
}

/* The same without leave to change the order. */
// transformed: no
KERNEL double k_strict_total(long n, const double *a) {
    double s = 0;
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            s += a[i * n + j];
    return s;
}

/* Partial sums are seen. */
// transformed: no
KERNEL void k_prefix(long n, unsigned *restrict c, const unsigned *restrict a) {
    unsigned s = 0;
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            s += a[i * n + j];
            c[i * n + j] = s;
        }
}

/* Neither operation alone. */
// transformed: no
KERNEL unsigned k_horner(long n, const unsigned *a) {
    unsigned s = 0;
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            s = s * 3 + a[i * n + j];
    return s % 65521;
}

/* A sum and a product of one element do not commute. */
// transformed: no
KERNEL void k_two_kinds(long n, unsigned *restrict c, const unsigned *restrict a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            c[i + j] += a[i * n + j];
            c[i + j + 1] *= a[i * n + j] | 1;
        }
}

/* What is added depends on another element of the same array. */
// transformed: any
KERNEL void k_from_itself(long n, unsigned *c) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            c[i + j] += c[i * n + j + 2 * n];
}

/* The sum starts anew for every column. */
// transformed: any
KERNEL void k_columns(long n, unsigned *restrict c, const unsigned *restrict a) {
    for (long j = 0; j < n; j++) {
        unsigned s = 7;
        for (long i = 0; i < n; i++)
            s += a[i * n + j];
        c[j] = s;
    }
}

/* Differences belong to sums. */
// transformed: yes
KERNEL void k_differences(long n, unsigned *restrict c, const unsigned *restrict a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            c[i + j] -= a[i * n + j];
            c[i + j + 1] += 3 * a[i * n + j];
        }
}

MAIN {
    FOR_SIZES(n) {
        RUN_VALUE(bits, k_total, n, n, A);
        RUN_VALUE(bits, k_signed_total, n, n, A);
        RUN_VALUE(bits, k_largest_element, n, n, A);
        RUN_VALUE(bits, k_bits, n, n, A);
        RUN(bits, k_diagonals, n, n, C, A);
        RUN_VALUE(f64, k_float_total, n, n, A);
        RUN_VALUE(f64, k_strict_total, n, n, A);
        RUN(bits, k_prefix, n, n, C, A);
        RUN_VALUE(bits, k_horner, n, n, A);
        RUN(bits, k_two_kinds, n, n, C, A);
        RUN(bits, k_from_itself, n, n, C);
        RUN(bits, k_columns, n, n, C, A);
        RUN(bits, k_differences, n, n, C, A);
    }
    return 0;
}
