/* Integer elements: arithmetic that wraps, shifts, divisions, widening and narrowing. */
#include "check.h"

// transformed: any
KERNEL void k_uint8(long n, uint8_t *a, const uint8_t *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i * n + j] = (uint8_t)(a[i * n + j] * 7 + b[i * n + j]);
}

// transformed: any
KERNEL void k_int32_wrapping(long n, int32_t *a, const int32_t *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i * n + j] = (int32_t)((uint32_t)a[i * n + j] * 1664525u + (uint32_t)b[i * n + j]);
}

// transformed: any
KERNEL void k_divide(long n, int32_t *a, const int32_t *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i * n + j] = a[i * n + j] / ((b[i * n + j] & 15) + 1) + b[i * n + j] % 7;
}

/* The division is safe only under its condition: it must not be moved above it. */
// transformed: any
KERNEL void k_guarded_divide(long n, uint32_t *a, const uint32_t *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            if ((b[i * n + j] & 3) != 0)
                a[i * n + j] = a[i * n + j] / (b[i * n + j] & 3);
}

// transformed: any
KERNEL void k_shift(long n, uint64_t *a, const uint64_t *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i * n + j] ^= b[i * n + j] << (i & 31) | b[i * n + j] >> (j & 15);
}

// transformed: any
KERNEL void k_histogram_of_rows(long n, const uint8_t *a, uint32_t *sums) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            sums[i] += (uint32_t)a[i * n + j] * (uint32_t)j;
}

// transformed: any
KERNEL void k_bool(long n, _Bool *a, const uint32_t *b) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i * n + j] = b[i * n + j] > 0x80000000u;
}

// transformed: any
KERNEL void k_int128(long n, const uint64_t *a, const uint64_t *b, uint64_t *c) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            unsigned __int128 sum = 0;
            for (long k = 0; k < n; k++)
                sum += (unsigned __int128)a[i * n + k] * b[k * n + j];
            c[i * n + j] = (uint64_t)(sum >> 60);
        }
}

MAIN {
    FOR_SIZES(n) {
        RUN(bits, k_uint8, n, n, A, B);
        RUN(bits, k_int32_wrapping, n, n, A, B);
        RUN(bits, k_divide, n, n, A, B);
        RUN(bits, k_guarded_divide, n, n, A, B);
        RUN(bits, k_shift, n, n, A, B);
        RUN(bits, k_histogram_of_rows, n, n, A, B);
        RUN(bits, k_bool, n, n, A, B);
        RUN(bits, k_int128, n, n, A, B, C);
    }
    return 0;
}
