/* Induction variables of every width and sign, and subscripts that really wrap. */
#include "check.h"

// transformed: any
KERNEL void k_int(int n, int m, double *a, const double *b) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            a[i * n + j] = 0.5 * b[i * n + j];
}

// transformed: any
KERNEL void k_unsigned(unsigned n, unsigned m, double *a, const double *b) {
    for (unsigned j = 0; j < n; j++)
        for (unsigned i = 0; i < m; i++)
            a[i * n + j] = 0.5 * b[i * n + j];
}

// transformed: any
KERNEL void k_short(short n, double *a, const double *b) {
    for (short j = 0; j < n; j++)
        for (short i = 0; i < n; i++)
            a[i * n + j] = 0.5 * b[i * n + j];
}

// transformed: any
KERNEL void k_char(unsigned char n, double *a, const double *b) {
    for (unsigned char j = 0; j < n; j++)
        for (unsigned char i = 0; i < n; i++)
            a[i * n + j] = 0.5 * b[i * n + j];
}

// transformed: any
KERNEL void k_mixed_widths(uint32_t n, int64_t m, double *a, const double *b) {
    for (uint32_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            for (int k = 0; k < 3; k++)
                a[i * n + j] += 0.5 * b[i * n + j + (uint64_t)k];
}

/* i * 16 + j is computed modulo 256, and does wrap. */
// transformed: any
KERNEL void k_wrap_8(int n, double *a, const double *b) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[(uint8_t)(i * 16 + j)] = 0.5 * b[i * n + j] + 0.5 * a[(uint8_t)(i * 16 + j)];
}

// transformed: any
KERNEL void k_wrap_16(unsigned n, double *a, const double *b) {
    for (unsigned j = 0; j < n; j++)
        for (unsigned i = 0; i < n; i++)
            a[(uint16_t)(i * 1021 + j) >> 2] += 0.5 * b[i * n + j];
}

/* With ld = 2^32 - 100 the row number counts downwards, by real wrap of 32-bit arithmetic. */
// transformed: any
KERNEL void k_wrap_32(uint32_t m, uint32_t n, uint32_t offset, uint32_t ld, double *a, const double *b) {
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i < m; i++)
            a[offset + i * ld + j] = 0.5 * b[i * 100 + j];
}

/* The induction variable itself wraps before it meets the bound. */
// transformed: any
KERNEL void k_wrapping_counter(uint8_t from, uint8_t to, double *a) {
    for (int j = 0; j < 10; j++)
        for (uint8_t i = from; i != to; i++)
            a[i * 10 + j] = 0.5 * a[i * 10 + j] + 0.25 * j;
}

// transformed: any
KERNEL void k_wrapping_start(uint32_t start, uint32_t n, double *a) {
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i < n; i++)
            a[(start + i) * 64 + j + 4096] += 0.25;
}

/* The upper bound n - 1 wraps to a huge number when n is 0; the loop is guarded. */
// transformed: any
KERNEL void k_unsigned_minus_one(uint32_t n, double *a) {
    if (n == 0)
        return;
    for (uint32_t j = 0; j <= n - 1; j++)
        for (uint32_t i = 0; i < n - 1; i++)
            a[i * n + j] *= 0.5;
}

// transformed: any
KERNEL void k_unequal(long n, double *a) {
    for (long j = 0; j != n; j++)
        for (long i = 0; i != n; i++)
            a[i * n + j] *= 0.5;
}

// transformed: any
KERNEL void k_value_of_counter(unsigned n, uint32_t *a) {
    for (unsigned j = 0; j < n; j++)
        for (unsigned i = 0; i < n; i++)
            a[i * n + j] = i * 0x9e3779b9u + (j << 3) - (i ^ j);
}

// transformed: any
KERNEL void k_sign_extended(int n, int shift, double *a) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[(long)(i - shift) * n + (j - shift) + 8000] = (double)(i - j);
}

/* The next value of the counter comes from two ways: the same as `i + 1` on both, and not. */
// transformed: any
KERNEL void k_next_by_case(long n, long m, double *a, const double *b) {
    for (long i = 0; i < n;) {
        for (long j = 0; j < m; j++)
            a[j * n + i] = 0.5 * b[j * n + i];
        if (i == 0) {
            for (long j = 0; j < m; j++)
                a[j * n] += 1.0;
            i = 1;
        } else {
            for (long j = 0; j < m; j++)
                a[j * n + i] -= a[j * n];
            i++;
        }
    }
}

// transformed: any
KERNEL void k_other_next(long n, long m, double *a, const double *b) {
    for (long i = 0; i < n;) {
        for (long j = 0; j < m; j++)
            a[j * n + i] = 0.5 * b[j * n + i];
        if (i == 0) {
            for (long j = 0; j < m; j++)
                a[j * n] += 1.0;
            i = 2;
        } else {
            for (long j = 0; j < m; j++)
                a[j * n + i] -= a[j * n];
            i++;
        }
    }
}

MAIN {
    double *a = A;
    FOR_SIZES(n) {
        RUN(f64, k_next_by_case, n, n, n + 1, A, B);
        RUN(f64, k_other_next, n, n, n + 1, A, B);
        RUN(f64, k_int, n, n, n + 1, A, B);
        RUN(f64, k_int, n, n, -n, A, B);
        RUN(f64, k_unsigned, n, (unsigned)n, (unsigned)n + 1, A, B);
        RUN(f64, k_short, n, (short)n, A, B);
        RUN(f64, k_char, n, (unsigned char)n, A, B);
        RUN(f64, k_mixed_widths, n, (uint32_t)n, n, A, B);
        RUN(f64, k_wrap_8, n, n, A, B);
        RUN(f64, k_wrap_16, n, (unsigned)n, A, B);
        RUN(f64, k_wrap_32, n, (uint32_t)n, 100, 100 * (uint32_t)n, (uint32_t)-100, a, B);
        RUN(f64, k_wrap_32, n, (uint32_t)n, 100, 0, 100, A, B);
        RUN(f64, k_wrapping_counter, n, (uint8_t)(200 + n), (uint8_t)n, A);
        if (n <= 64) {
            RUN(f64, k_wrapping_start, n, (uint32_t)-10, (uint32_t)n, A);
            RUN(f64, k_wrapping_start, n, 3, (uint32_t)n, A);
        }
        RUN(f64, k_unsigned_minus_one, n, (uint32_t)n, A);
        RUN(f64, k_unequal, n, n, A);
        RUN(bits, k_value_of_counter, n, (unsigned)n, A);
        RUN(f64, k_sign_extended, n, n, 7, A);
    }
    return 0;
}
