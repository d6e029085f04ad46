/* Loops that the program has cut into blocks itself, over rows whose length only the call knows. Where the last block is not cut off, iterations go on
   into the next row unless rows are multiples of blocks. */
#include "check.h"

#define least(a, b) ((a) < (b) ? (a) : (b))

// transformed: yes
KERNEL void k_columns(long n, const double *a, const double *b, double *restrict c) {
    for (long jj = 0; jj < n; jj += 32)
        for (long i = 0; i < n; i++)
            for (long j = jj; j < least(jj + 32, n); j++)
                for (long k = 0; k < n; k++)
                    c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// transformed: any
KERNEL void k_ints(int n, const double *a, const double *b, double *restrict c) {
    for (int ii = 0; ii < n; ii += 16)
        for (int jj = 0; jj < n; jj += 16)
            for (int kk = 0; kk < n; kk += 16)
                for (int i = ii; i < ii + 16 && i < n; i++)
                    for (int j = jj; j < jj + 16 && j < n; j++) {
                        double s = c[i * n + j];
                        for (int k = kk; k < kk + 16 && k < n; k++)
                            s += a[i * n + k] * b[k * n + j];
                        c[i * n + j] = s;
                    }
}

// transformed: yes
KERNEL void k_arrays(long n, double (*restrict a)[n], double (*restrict b)[n], double (*restrict c)[n]) {
    for (long kk = 0; kk < n; kk += 12)
        for (long jj = 0; jj < n; jj += 24)
            for (long i = 0; i < n; i++)
                for (long k = kk; k < least(kk + 12, n); k++)
                    for (long j = jj; j < least(jj + 24, n); j++)
                        c[i][j] += a[i][k] * b[k][j];
}

/* The block's number moves no element for itself, and must not become the innermost counter. */
// transformed: yes
KERNEL void k_unsigned(unsigned long n, const double *a, const double *b, double *restrict c) {
    for (unsigned long jj = 0; jj < n; jj += 32)
        for (unsigned long i = 0; i < n; i++)
            for (unsigned long j = jj; j < least(jj + 32, n); j++) {
                double s = c[i * n + j];
                for (unsigned long k = 0; k < n; k++)
                    s += a[i * n + k] * b[k * n + j];
                c[i * n + j] = s;
            }
}

/* Blocks that the compiler makes vectors of. */
// transformed: any
KERNEL void k_small(long n, const double *a, const double *b, double *restrict c) {
    for (long ii = 0; ii < n; ii += 8)
        for (long jj = 0; jj < n; jj += 8)
            for (long kk = 0; kk < n; kk += 8)
                for (long i = ii; i < ii + 8; i++)
                    for (long j = jj; j < jj + 8; j++)
                        for (long k = kk; k < kk + 8; k++)
                            c[i * n + j] += a[i * n + k] * b[k * n + j];
}

/* Whole blocks: right for multiples of 32; with other rows the blocks behind run on into the next rows. */
// transformed: any
KERNEL void k_whole(long n, const double *a, const double *b, double *restrict c) {
    for (long ii = 0; ii < n; ii += 32)
        for (long jj = 0; jj < n; jj += 32)
            for (long kk = 0; kk < n; kk += 32)
                for (long i = ii; i < ii + 32; i++)
                    for (long j = jj; j < jj + 32; j++)
                        for (long k = kk; k < kk + 32; k++)
                            c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// transformed: yes
KERNEL void k_as_many_as_fit(long n, const double *a, const double *b, double *restrict c) {
    for (long jj = 0; jj < n - 15; jj += 16)
        for (long i = 0; i < n; i++)
            for (long j = jj; j < jj + 16; j++)
                for (long k = 0; k < n; k++)
                    c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// transformed: yes
KERNEL void k_from_some(long n, long from, const double *a, const double *b, double *restrict c) {
    for (long jj = from; jj < n; jj += 32)
        for (long i = 0; i < n; i++)
            for (long j = jj; j < least(jj + 32, n); j++)
                for (long k = 0; k < n; k++)
                    c[i * n + j] += a[i * n + k] * b[k * n + j];
}

/* Four columns at once, whatever the length of rows. */
// transformed: any
KERNEL void k_four(long n, const double *a, const double *b, double *restrict c) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j += 4) {
                c[i * n + j] += a[i * n + k] * b[k * n + j];
                c[i * n + j + 1] += a[i * n + k] * b[k * n + j + 1];
                c[i * n + j + 2] += a[i * n + k] * b[k * n + j + 2];
                c[i * n + j + 3] += a[i * n + k] * b[k * n + j + 3];
            }
}

// transformed: any
KERNEL void k_transposed(long n, const double *restrict a, double *restrict c) {
    for (long ii = 0; ii < n; ii += 8)
        for (long jj = 0; jj < n; jj += 8)
            for (long i = ii; i < ii + 8 && i < n; i++)
                for (long j = jj; j < jj + 8 && j < n; j++)
                    c[j * n + i] = a[i * n + j];
}

// transformed: any
KERNEL void k_in_time(long n, long steps, double *restrict a, double *restrict c) {
    for (long t = 0; t < steps; t++) {
        for (long jj = 1; jj < n - 1; jj += 16)
            for (long i = 1; i < n - 1; i++)
                for (long j = jj; j < least(jj + 16, n - 1); j++)
                    c[i * n + j] = 0.25 * (a[i * n + j - 1] + a[i * n + j + 1] + a[i * n - n + j] + a[i * n + n + j]);
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++)
                a[i * n + j] = c[i * n + j];
    }
}

MAIN {
    static const int rows[] = {0, 1, 2, 3, 4, 12, 15, 16, 17, 23, 24, 31, 32, 33, 47, 48, 49, 63, 64, 65, 80, 96, 100};
    for (int at = 0; at < (int)(sizeof rows / sizeof *rows); at++) {
        int n = rows[at];
        RUN(f64, k_columns, n, n, A, B, C);
        RUN(f64, k_ints, n, n, A, B, C);
        RUN(f64, k_arrays, n, n, A, B, C);
        RUN(f64, k_unsigned, n, n, A, B, C);
        RUN(f64, k_small, n, n, A, B, C);
        RUN(f64, k_whole, n, n, A, B, C);
        RUN(f64, k_as_many_as_fit, n, n, A, B, C);
        RUN(f64, k_from_some, n, n, 5, A, B, C);
        RUN(f64, k_four, n, n, A, B, C);
        RUN(f64, k_transposed, n, n, A, C);
        RUN(f64, k_in_time, n, n, 5, A, C);
    }
    return 0;
}
