/* The same product over other element types, and with a conversion between them. */
#include "check.h"

// transformed: yes
KERNEL void k_float(long n, const float *a, const float *b, float *c) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// transformed: any
KERNEL void k_float_sum_in_double(long n, const float *a, const float *b, float *c) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            double sum = 0.0;
            for (long k = 0; k < n; k++)
                sum += (double)a[i * n + k] * (double)b[k * n + j];
            c[i * n + j] = (float)sum;
        }
}

// transformed: yes
KERNEL void k_uint32(long n, const uint32_t *a, const uint32_t *b, uint32_t *c) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// transformed: any
KERNEL void k_uint8(long n, const uint8_t *a, const uint8_t *b, uint8_t *c) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// transformed: any
KERNEL void k_int16_to_int64(int n, int16_t a[n][n], int16_t b[n][n], int64_t c[n][n]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i][j] += (int64_t)a[i][k] * b[k][j];
}

// transformed: any
KERNEL void k_complex(long n, const double *a, const double *b, double *c) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++) {
                c[2 * (i * n + j)] += a[2 * (i * n + k)] * b[2 * (k * n + j)] - a[2 * (i * n + k) + 1] * b[2 * (k * n + j) + 1];
                c[2 * (i * n + j) + 1] += a[2 * (i * n + k)] * b[2 * (k * n + j) + 1] + a[2 * (i * n + k) + 1] * b[2 * (k * n + j)];
            }
}

MAIN {
    FOR_SIZES(n) {
        RUN(f32, k_float, n, n, A, B, C);
        RUN(f32, k_float_sum_in_double, n, n, A, B, C);
        RUN(bits, k_uint32, n, n, A, B, C);
        RUN(bits, k_uint8, n, n, A, B, C);
        RUN(bits, k_int16_to_int64, n, n, A, B, C);
        if (n < 80)
            RUN(f64, k_complex, n, n, A, B, C);
    }
    return 0;
}
