/* Products that read columns side by side, which lie apart in memory: copies of tiles are transposed, by blocks in registers where there are
 * whole ones. Sizes around multiples of what vectors hold. */
#include "check.h"

// transformed: yes
KERNEL void k_f64(long m, long n, long l, double *restrict c, const double *restrict a, const double *restrict b) {
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < l; k++)
                c[i * n + j] += a[i * l + k] * b[j * l + k];
}

// transformed: yes
KERNEL void k_f32(long m, long n, long l, float *restrict c, const float *restrict a, const float *restrict b) {
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < l; k++)
                c[i * n + j] += a[i * l + k] * b[j * l + k];
}

// transformed: yes
KERNEL void k_u64(long m, long n, long l, uint64_t *restrict c, const uint64_t *restrict a, const uint64_t *restrict b) {
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < l; k++)
                c[i * n + j] += a[i * l + k] * b[j * l + k];
}

// transformed: yes
KERNEL void k_u32(long m, long n, long l, uint32_t *restrict c, const uint32_t *restrict a, const uint32_t *restrict b) {
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < l; k++)
                c[i * n + j] += a[i * l + k] * b[j * l + k];
}

// transformed: yes
KERNEL void k_u16(long m, long n, long l, uint16_t *restrict c, const uint16_t *restrict a, const uint16_t *restrict b) {
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < l; k++)
                c[i * n + j] += a[i * l + k] * b[j * l + k];
}

// Elements of the second array lie two apart: no vector holds them.
// transformed: yes
KERNEL void k_apart(long n, long l, double *restrict c, const double *restrict a, const double *restrict b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < l; k++)
                c[i * n + j] += a[i * l + k] * b[2 * (j * l + k)];
}

// Backwards along rows.
// transformed: yes
KERNEL void k_backwards(long n, long l, double *restrict c, const double *restrict a, const double *restrict b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < l; k++)
                c[i * n + j] += a[i * l + k] * b[j * l + l - 1 - k];
}

// Rows behind pointers.
// transformed: any
KERNEL void k_rows(long n, long l, double *restrict c, const double *restrict a, double *const *restrict b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < l; k++)
                c[i * n + j] += a[i * l + k] * b[j][k];
}

// The triangle of a product with itself.
// transformed: yes
KERNEL void k_triangle(long n, long l, double *restrict c, const double *restrict a) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j <= i; j++)
            for (long k = 0; k < l; k++)
                c[i * n + j] += a[i * l + k] * a[j * l + k];
}

MAIN {
    static const int around[] = {1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 33, 40, 47};
    for (int at = 0; at < (int)(sizeof around / sizeof *around); at++) {
        const long n = around[at], others[] = {1, 8, 19, 32, 41, 100};
        for (int other = 0; other < (int)(sizeof others / sizeof *others); other++) {
            const long l = others[other];
            RUN(f64, k_f64, n, 41, n, l, C, A, B);
            RUN(f64, k_f64, n, n, 41, l, C, A, B);
            RUN(f32, k_f32, n, 41, n, l, C, A, B);
            RUN(bits, k_u64, n, 41, n, l, C, A, B);
            RUN(bits, k_u32, n, 41, n, l, C, A, B);
            RUN(bits, k_u16, n, 41, n, l, C, A, B);
            RUN(f64, k_apart, n, n, l, C, A, B);
            RUN(f64, k_backwards, n, n, l, C, A, B);
            RUN(f64, k_triangle, n, n, l, C, A);
            double *rows[47];
            for (long row = 0; row < n; row++)
                rows[row] = (double *)B + 101 * row;
            RUN(f64, k_rows, n, n, l, C, A, rows);
        }
    }
    return 0;
}
