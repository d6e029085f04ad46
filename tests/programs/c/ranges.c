/* memset, memcpy and memmove in nests: loops over elements, which the compiler or the programmer made calls of. */
#include "check.h"

// transformed: yes
KERNEL void k_product(long n, double *restrict c, const double *restrict a, const double *restrict b) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++)
            c[i * n + j] = 0.0;
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

/* A row of changing length, and bytes that are not zero. */
// transformed: yes
KERNEL void k_triangle(int n, int *restrict c, const unsigned *restrict a, const unsigned *restrict b) {
    for (int i = 0; i < n; i++) {
        memset(c + (long)i * n, 0x5a, sizeof(int) * (size_t)i);
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[(long)i * n + j] ^= a[(long)i * n + k] * b[(long)k * n + j];
    }
}

/* A byte that is only known at run time. */
// transformed: yes
KERNEL void k_byte(long n, unsigned char byte, unsigned *restrict c, const unsigned *restrict a, const unsigned *restrict b) {
    for (long i = 0; i < n; i++) {
        memset(c + i * n, byte, 4 * (size_t)n);
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

// transformed: yes
KERNEL void k_copy(long n, double *restrict c, const double *restrict a, const double *restrict b) {
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++)
            c[i * n + j] = a[j];
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

/* Rows of one array: each is a copy of the one before, and is changed then. */
// transformed: any
KERNEL void k_rows_down(long n, double *restrict c, const double *restrict a) {
    for (long i = 1; i < n; i++) {
        memcpy(c + i * n, c + (i - 1) * n, 8 * (size_t)n);
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[k * n + j];
    }
}

/* The two ends of a range may overlap. */
// transformed: any
KERNEL void k_shifted(long n, double *c) {
    for (long i = 0; i < n; i++) {
        memmove(c + i * n + 1, c + i * n, 8 * (size_t)(n > 0 ? n - 1 : 0));
        for (long j = 0; j < n; j++)
            c[j * n + i] *= 0.5;
    }
}

/* Elements of four bytes, a range that begins and ends inside of them. */
// transformed: any
KERNEL void k_inside(long n, unsigned *restrict c, const unsigned *restrict a, const unsigned *restrict b) {
    for (long i = 0; i < n; i++) {
        memset((unsigned char *)(c + i * n) + 1, 0xff, (size_t)(2 * n));
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

/* Only where the data says so. */
// transformed: no
KERNEL void k_condition(long n, double *restrict c, const double *restrict a) {
    for (long i = 0; i < n; i++) {
        if (a[i] > 0.0)
            memset(c + i * n, 0, 8 * (size_t)n);
        for (long j = 0; j < n; j++)
            c[j * n + i] += a[i * n + j];
    }
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_product, n, n, C, A, B);
        RUN(bits, k_triangle, n, n, C, A, B);
        RUN(bits, k_byte, n, n, 0xb3, C, A, B);
        RUN(f64, k_copy, n, n, C, A, B);
        RUN(f64, k_rows_down, n, n, C, A);
        RUN(f64, k_shifted, n, n, C);
        RUN(bits, k_inside, n, n, C, A, B);
        RUN(f64, k_condition, n, n, C, A);
    }
    return 0;
}
