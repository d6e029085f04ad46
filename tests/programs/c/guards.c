/* Sizes and leading dimensions that make each run-time assumption fail: the result must be that of the original loops. */
#include "check.h"
#include <limits.h>

// transformed: yes
KERNEL void k_gemm(long m, long n, long k, const double *a, long lda, const double *b, long ldb, double *c, long ldc) {
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++)
            for (long l = 0; l < k; l++)
                c[i * ldc + j] += 0.125 * a[i * lda + l] * b[l * ldb + j];
}

// transformed: yes
KERNEL void k_gemm_int(int m, int n, int k, const double *a, int lda, const double *b, int ldb, double *c, int ldc) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int l = 0; l < k; l++)
                c[i * ldc + j] += 0.125 * a[i * lda + l] * b[l * ldb + j];
}

/* A recurrence over one array: with ld < n rows overlap, and the order of the updates shows. */
// transformed: any
KERNEL void k_columns(long m, long n, double *a, long ld) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < m; i++)
            a[i * ld + j] = 0.5 * a[i * ld + j] + 0.25 * (double)(i - j);
}

// transformed: any
KERNEL void k_diagonals(long m, long n, double *a, long ld) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < m; i++)
            a[i * ld + j + 1] = 0.5 * a[i * ld + j] + 0.25;
}

// transformed: any
KERNEL void k_unsigned(uint32_t m, uint32_t n, double *a, uint32_t ld, const double *b) {
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i < m; i++)
            a[i * ld + j] = 0.5 * b[i * 50 + j];
}

MAIN {
    double *a = A, *b = B, *c = C;
    static const long leads[] = {-64, -33, -32, -1, 0, 1, 2, 31, 32, 33, 40, 64, 65, 100};
    for (int at = 0; at < (int)(sizeof leads / sizeof *leads); at++) {
        long ld = leads[at], n = 33;
        double *am = a + LENGTH / 2, *bm = b + LENGTH / 2, *cm = c + LENGTH / 2;
        RUN(f64, k_gemm, ld, n, n, n, am, ld, b, n, c, n);
        RUN(f64, k_gemm, ld, n, n, n, a, n, bm, ld, c, n);
        RUN(f64, k_gemm, ld, n, n, n, a, n, b, n, cm, ld);
        RUN(f64, k_gemm, ld, n, n, n, am, ld, bm, ld, cm, ld);
        RUN(f64, k_gemm_int, ld, (int)n, (int)n, (int)n, am, (int)ld, bm, (int)ld, cm, (int)ld);
        RUN(f64, k_columns, ld, n, n, am, ld);
        RUN(f64, k_columns, ld, 5, n, am, ld);
        RUN(f64, k_diagonals, ld, n, n, am, ld);
        RUN(f64, k_unsigned, ld, 33, 33, am, (uint32_t)(ld < 0 ? -ld : ld), b);
    }
    /* One row only: the leading dimension is multiplied by zero, however large it is. */
    static const long huge[] = {LONG_MAX, LONG_MIN, LONG_MAX / 2, 1l << 32, -(1l << 31), 1l << 60, 1l << 61};
    for (int at = 0; at < (int)(sizeof huge / sizeof *huge); at++) {
        RUN(f64, k_gemm, at, 1, 20, 20, a, huge[at], b, 20, c, huge[at]);
        RUN(f64, k_gemm, at, 20, 20, 1, a, 20, b, huge[at], c, 20);
        RUN(f64, k_columns, at, 1, 30, a, huge[at]);
        RUN(f64, k_gemm, at, 0, huge[at], huge[at], a, huge[at], b, huge[at], c, huge[at]);
        RUN(f64, k_gemm, at, -1, LONG_MAX, LONG_MAX, a, 1, b, 1, c, 1);
        RUN(f64, k_gemm_int, at, 1, 20, 20, a, INT_MAX, b, 20, c, INT_MIN);
    }
    return 0;
}
