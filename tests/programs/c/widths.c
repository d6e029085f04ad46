/* Numbers made of counters, cut to every width: the new code computes them in the width that is left of them. */
#include "check.h"

// transformed: yes
KERNEL void k_float_of_difference(int n, float *restrict a) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[i * n + j] *= (float)(i - j);
}

/* Values beyond the width. */
// transformed: yes
KERNEL void k_int16(int n, int16_t *restrict a) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[i * n + j] += (int16_t)(i * 30011 - j * 777);
}

// transformed: yes
KERNEL void k_int8(int n, int8_t *restrict a) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[i * n + j] ^= (int8_t)(i * 255 + j * 3 - 1000);
}

// transformed: yes
KERNEL void k_product(int n, float *restrict a) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[i * n + j] += (float)((i * j + 1) % 17);
}

/* The product of unsigned counters wraps at its own width before the remainder is taken. */
// transformed: any
KERNEL void k_unsigned(unsigned n, uint32_t *restrict a) {
    for (unsigned j = 0; j < n; j++)
        for (unsigned i = 0; i < n; i++)
            a[i * n + j] += (i * 0x9e3779b9u) * (j + 0xfffffff0u) % 1000u;
}

/* A 64-bit number that is shifted before it is cut must keep its upper half. */
// transformed: any
KERNEL void k_upper_half(long n, uint32_t *restrict a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            a[i * n + j] += (uint32_t)(((uint64_t)i * 0x9e3779b97f4a7c15u + (uint64_t)j) >> 32);
}

/* Both: all of it and its lower part. */
// transformed: any
KERNEL void k_both(long n, int64_t *restrict a) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) {
            int64_t x = i * 0x12345678ab - j * 0xabcdef1234;
            a[i * n + j] += x ^ (int16_t)x;
        }
}

/* Skewed loops: counters are differences of the loops around. */
// transformed: any
KERNEL void k_skewed(int n, int32_t *restrict a, int32_t *restrict b) {
    for (int t = 0; t < 40; t++) {
        for (int i = 1; i < 100 * n - 1; i++)
            b[i] = (int32_t)((uint32_t)a[i - 1] + (uint32_t)a[i] + (uint32_t)a[i + 1]) / 3 + (int16_t)(i * 41 - t);
        for (int i = 1; i < 100 * n - 1; i++)
            a[i] = (int32_t)((uint32_t)b[i - 1] + (uint32_t)b[i] + (uint32_t)b[i + 1]) / 3 + (int8_t)(i + t);
    }
}

MAIN {
    FOR_SIZES(n) {
        RUN(f32, k_float_of_difference, n, n, A);
        RUN(bits, k_int16, n, n, A);
        RUN(bits, k_int8, n, n, A);
        RUN(f32, k_product, n, n, A);
        RUN(bits, k_unsigned, n, (unsigned)n, A);
        RUN(bits, k_upper_half, n, n, A);
        RUN(bits, k_both, n, n, A);
        RUN(bits, k_skewed, n, n, A, B);
    }
    return 0;
}
